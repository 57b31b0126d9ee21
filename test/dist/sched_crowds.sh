#!/bin/sh
# More tasks wait than JACKDAW_MAX_SUSPENDED, or than there is memory for: the job says so once, and all of
# them go on.  The most that waited at once is counted.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

engines=$(echo "$JD_TEST_ENGINES" | tr ' ' ,)

crowd() { # NETWORK RANKS SETTING...
    exits 0 "many tasks wait: $*" on_ranks "$@" JACKDAW_MAX_SUSPENDED=4 test/dist/sched_crowds cap 60
    is "$(grep -c '^jackdaw: rank [0-9]*: [0-9]* tasks wait on worker .* raise JACKDAW_MAX_SUSPENDED' "$scratch/out")" \
        "$2" "each rank says so once"
}
no_memory() { # NETWORK RANKS SETTING...
    exits 0 "no memory for stacks: $*" on_ranks "$@" test/dist/sched_crowds memory 600
    is "$(grep -c '^jackdaw: rank [0-9]*: out of memory for a ULT stack of worker ' "$scratch/out")" "$2" \
        "each rank says so once"
}

case ,$engines, in *,boost,*)
    every_pair crowd network=loop ranks=1,3 JACKDAW_ULT=boost JACKDAW_WORKERS=1,2,3 JACKDAW_COMM=inline,dedicated \
        '!ranks=1,JACKDAW_COMM=dedicated' JACKDAW_UNBLOCK=last,current,deque,proactive ;;
esac
every_pair_on_networks crowd ranks=2 JACKDAW_ULT="$engines" JACKDAW_WORKERS=1,2 JACKDAW_COMM=inline,dedicated
# A checker maps more than it is asked for.
if [ "$JD_TEST_SANITIZER" = none ] && has_conduit smp; then
    every_pair no_memory network=smp ranks=1,2 JACKDAW_UNBLOCK=last,proactive JACKDAW_ULT="$engines" \
        JACKDAW_WORKERS=1,3 JACKDAW_COMM=inline,dedicated '!ranks=1,JACKDAW_COMM=dedicated'
fi

# In the simulator nothing is left to chance: 60 tasks and the body.
exits 0 "sim: many tasks wait" env JACKDAW_STATS=1 JACKDAW_RANKS=1 "$JD_TEST_BUILDDIR/test/dist/sched_crowds-sim" cap 60
is "$(sed -n 's/^most ULTs suspended at once on a worker *\([0-9 ]*\)$/\1/p' "$scratch/out" | tr -s ' ')" "61 61 61" \
    "the most that waited at once are counted"
done_testing
