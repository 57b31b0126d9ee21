#!/bin/sh
# Whatever the network does to messages, every finish ends, and none before its last task.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/sim.sh"
. "$JD_TEST_SRCDIR/test/kit/families.sh"

ends() { # PROGRAM SETTING...
    program=$1 name=$*
    shift
    case $program in
    finish_*) set -- "$@" timeout 60 "$JD_TEST_BUILDDIR/test/dist/sched_$program-sim" 5 ;;
    ranges) set -- "$@" timeout 60 "$JD_TEST_BUILDDIR/test/dist/sched_ranges-sim" 1 ;;
    torture) set -- "$@" timeout 60 "$JD_TEST_BUILDDIR/test/dist/sched_torture-sim" - 2 ;;
    scopes) set -- "$@" timeout 60 "$JD_TEST_BUILDDIR/test/dist/sched_scopes-sim" 3 ;;
    esac
    ok "$name" env "$@"
}

every_pair ends program="$finish,ranges,torture" JACKDAW_RANKS=5,8,17,20 JACKDAW_SIM_LAW=$laws \
    JACKDAW_FINISH=credit,diffuse JACKDAW_SIM_REFUSE=,40 JACKDAW_CREDITS=,1 \
    JACKDAW_SIM_SLOW=,3:100 JACKDAW_SIM_PAUSE=,0:20000:5000000 JACKDAW_STEAL_AMOUNT=,one \
    JACKDAW_TREE_ARITY=,1 JACKDAW_STEAL=random,baseline,success-only,lifeline JACKDAW_SEED=1,2
# What each rule costs in messages.
every_pair ends program=scopes JACKDAW_RANKS=9 JACKDAW_SEED=1 JACKDAW_FINISH=credit,diffuse \
    JACKDAW_SIM_LAW=none,tail:1000,lifo:20000,hold:50000
done_testing
