#!/bin/sh
# Phasers, mutexes and conditions under deadlines and cancellations: no phase ends early, one task at a time is
# inside, and every wait ends.  20,000 games of each by seed in the simulator and 1,000 on real threads, with
# each placement of what was woken.  GAMES=N plays N games instead, and N / 20 on threads; SEED=S begins
# with the seed S.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
JD_TEST_TIMEOUT=800
export JD_TEST_TIMEOUT
games=${GAMES:-20000} seed=${SEED:-1000}

on_threads() { # RANKS GAMES SETTING...
    ranks=$1 n=$2
    shift 2
    for program in phasers_keep_their_phases mutexes_exclude_tasks; do
        ok "loop: $program, $n games from seed $seed on, $ranks ranks, $*" \
            on_ranks loop "$ranks" JACKDAW_ULT=boost "$@" "test/dist/sched_$program" "$n" "$seed"
    done
}

in_simulator() { # SETTING...
    for program in phasers_keep_their_phases mutexes_exclude_tasks; do
        ok "sim: $program, $games games from seed $seed on, $*" env JACKDAW_RANKS=1 "$@" \
            "$JD_TEST_BUILDDIR/test/dist/sched_$program-sim" "$games" "$seed"
    done
}

case " $JD_TEST_ENGINES " in
*" boost "*) ;;
*) skip_all "several ranks in one process need Boost.Context" ;;
esac
for placement in last current deque proactive; do
    for workers in 1 2 3; do
        in_simulator JACKDAW_WORKERS=$workers JACKDAW_UNBLOCK=$placement
        on_threads 1 $((games / 20)) JACKDAW_WORKERS=$workers JACKDAW_UNBLOCK=$placement
    done
    on_threads 2 $((games / 20)) JACKDAW_WORKERS=2 JACKDAW_UNBLOCK=$placement JACKDAW_COMM=dedicated
done
done_testing
