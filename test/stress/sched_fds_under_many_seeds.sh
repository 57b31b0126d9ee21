#!/bin/sh
# Descriptors whose numbers are used again at once: no wait is forgotten, and none is ended by an earlier file of
# its number.  4,000 rounds by seed of each of 4 players, with each placement of what was woken.  ROUNDS=N plays N
# rounds instead; SEED=S begins with the seed S.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
JD_TEST_TIMEOUT=800
export JD_TEST_TIMEOUT
rounds=${ROUNDS:-4000} seed=${SEED:-1000}

holds() { # RANKS SETTING...
    ranks=$1
    shift
    ok "$rounds rounds from seed $seed on, $ranks ranks, $*" on_ranks loop "$ranks" JACKDAW_ULT=boost "$@" \
        test/dist/sched_fds_are_used_again_at_once "$rounds" "$seed"
    ok "bytes to and fro, $ranks ranks, $*" on_ranks loop "$ranks" JACKDAW_ULT=boost "$@" \
        test/dist/sched_fds_bounce_bytes "$rounds" 50
    ok "streams both ways, $ranks ranks, $*" on_ranks loop "$ranks" JACKDAW_ULT=boost "$@" \
        test/dist/sched_fds_flow_both_ways "$rounds"
    seed=$((seed + 1))
}

case " $JD_TEST_ENGINES " in
*" boost "*) ;;
*) skip_all "several ranks in one process need Boost.Context" ;;
esac
for placement in last current deque proactive; do
    for workers in 1 2 3; do
        holds 1 JACKDAW_WORKERS=$workers JACKDAW_UNBLOCK=$placement
    done
    holds 2 JACKDAW_WORKERS=2 JACKDAW_UNBLOCK=$placement JACKDAW_COMM=dedicated
done
done_testing
