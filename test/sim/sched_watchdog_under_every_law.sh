#!/bin/sh
# Whatever the network does to messages, the watchdog proves what hangs, and nothing that lives: it looks hundreds of
# times while programs wait, steal, hold and end phases.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/sim.sh"

proves() { # WAY SETTING...
    proves_way=${1#*=}
    shift
    exits 72 "$proves_way $*: is proved" env JACKDAW_WATCHDOG=0.01,abort "$@" \
        timeout 60 "$JD_TEST_BUILDDIR/test/dist/sched_hangs-sim" "$proves_way"
    like "$(cat "$scratch/out")" 'the job hangs, and this is proved' "$proves_way $*: and said"
}
every_pair proves way=future,circle,hold JACKDAW_RANKS=2,4,6 JACKDAW_SIM_LAW=$laws JACKDAW_SIM_REFUSE=,40 \
    JACKDAW_WORKERS=1,2 JACKDAW_STEAL=random,lifeline JACKDAW_SEED=1,2,3

lives() { # PROGRAM SETTING...
    program=${1#*=}
    shift
    case $program in hangs) argument=slow ;; *) argument=4 ;; esac
    exits 0 "$program $*: ends well" env JACKDAW_WATCHDOG=0.0001,report "$@" \
        timeout 60 "$JD_TEST_BUILDDIR/test/dist/sched_$program-sim" $argument
    is "$(grep -c 'the job hangs' "$scratch/out")" 0 "$program $*: and nobody calls it hung for certain"
}
every_pair lives program=hangs,holds,futures_survive_torture,events_end_all_who_wait,counts \
    JACKDAW_RANKS=2,4,6 JACKDAW_SIM_LAW=$laws JACKDAW_SIM_REFUSE=,40 JACKDAW_WORKERS=1,2 \
    JACKDAW_STEAL=random,lifeline JACKDAW_SEED=1,2,3
done_testing
