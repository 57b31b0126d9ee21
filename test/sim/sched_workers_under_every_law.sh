#!/bin/sh
# Finishes, futures, copies, sleepers, channels, events, selects, mutexes, phasers, held and repeated collections with
# several workers in each simulated rank.  Tasks wait for tasks of other workers and ranks, and every run ends.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/sim.sh"
. "$JD_TEST_SRCDIR/test/kit/families.sh"

ends() { # PROGRAM SETTING...
    program=$1
    shift
    case $program in
    finish_*) arguments=3 ;;
    torture) arguments="- 2" ;;
    counts) arguments=5 ;;
    holds) arguments=10 ;;
    data_*) arguments=3 ;;
    futures_*) arguments=3 ;;
    sleep_*) arguments=20 ;;
    channels_* | events_* | select*) arguments=10 ;;
    conds_* | mutexes_* | phasers_*) arguments=10 ;;
    esac
    # shellcheck disable=SC2086 # words
    ok "$program: $*" \
        env "$@" timeout 60 "$JD_TEST_BUILDDIR/test/dist/sched_$program-sim" $arguments
}

every_pair ends program="$finish,torture,counts,holds,$data,$futures,$deadlines" JACKDAW_RANKS=1,3,4,5 \
    JACKDAW_WORKERS=2,3,4 JACKDAW_COMM=inline,dedicated JACKDAW_SIM_LAW=$laws JACKDAW_SIM_REFUSE=,40 \
    JACKDAW_CREDITS=,1 JACKDAW_STEAL=random,lifeline JACKDAW_SIM_AHEAD=,3000 \
    JACKDAW_SIM_LOOK=,50 JACKDAW_SIM_LOCK=,300 JACKDAW_UNBLOCK=,current,deque,proactive JACKDAW_SEED=1,2
every_pair ends program="$finish,torture,counts,holds,$data,$futures,$deadlines" JACKDAW_RANKS=3 JACKDAW_WORKERS=23 \
    JACKDAW_COMM=dedicated JACKDAW_SEED=1
done_testing
