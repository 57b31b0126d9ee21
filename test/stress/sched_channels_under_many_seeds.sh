#!/bin/sh
# Channels and selects under deadlines and cancellations: every item that was sent is inside or was received, once.
# 20,000 games of each by seed in the simulator and 1,000 on real threads, with each placement of what was woken.  The
# games say how many waits a deadline or a cancellation has ended: some 13 in each.  GAMES=N plays N games instead, and
# N / 20 on threads; SEED=S begins with the seed S.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
JD_TEST_TIMEOUT=800
export JD_TEST_TIMEOUT
games=${GAMES:-20000} seed=${SEED:-1000}

conserved() { # NETWORK RANKS GAMES SETTING...
    network=$1 ranks=$2 n=$3
    shift 3
    for what in channels selects; do
        ok "$network: $n games of $what from seed $seed on, $ranks ranks, $*" \
            on_ranks "$network" "$ranks" JACKDAW_ULT=boost "$@" "test/dist/sched_${what}_conserve_items" "$n" "$seed"
    done
}

in_simulator() { # SETTING...
    for what in channels selects; do
        ok "sim: $games games of $what from seed $seed on, $*" env JACKDAW_RANKS=1 "$@" \
            "$JD_TEST_BUILDDIR/test/dist/sched_${what}_conserve_items-sim" "$games" "$seed"
    done
}

case " $JD_TEST_ENGINES " in
*" boost "*) ;;
*) skip_all "several ranks in one process need Boost.Context" ;;
esac
for placement in last current deque proactive; do
    for workers in 1 2 3; do
        in_simulator JACKDAW_WORKERS=$workers JACKDAW_UNBLOCK=$placement
        conserved loop 1 $((games / 20)) JACKDAW_WORKERS=$workers JACKDAW_UNBLOCK=$placement
    done
    conserved loop 2 $((games / 20)) JACKDAW_WORKERS=2 JACKDAW_UNBLOCK=$placement JACKDAW_COMM=dedicated
done
done_testing
