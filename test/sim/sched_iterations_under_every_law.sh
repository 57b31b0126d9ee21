#!/bin/sh
# Whatever the network does to messages, seeds that had nothing to do are gone after every restore, and no
# other seed is, wherever a balancer has sent it.  When memory is refused, the job goes on or says so.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/sim.sh"
. "$JD_TEST_SRCDIR/test/kit/families.sh"

program() { # NAME SETTING...
    name=$1
    shift
    env "$@" timeout 60 "$JD_TEST_BUILDDIR/test/dist/sched_$name-sim" >"$scratch/out" 2>&1
}

run() { # NAME SETTING...
    program "$@" && return
    grep -v '^ok' "$scratch/out"
    return 1
}

check() { ok "$*" run "$@"; } # NAME SETTING...

every_pair check program="$iterations" JACKDAW_RANKS=1,2,4,5,9 JACKDAW_WORKERS=1,3 \
    JACKDAW_COMM=inline,dedicated JACKDAW_SIM_LAW=$laws JACKDAW_SIM_REFUSE=,40 JACKDAW_CREDITS=,1 \
    JACKDAW_SIM_PAUSE=,0:20000:5000000 JACKDAW_STEAL=random,lifeline,local JACKDAW_SEED=1,2,3 \
    JACKDAW_UNBLOCK=last,current,deque

# The k-th request for memory of a rank is refused: status 99 is a call that has said so to the program, 78 and 79 are
# the runtime itself.
bad='' told=0
for k in $(seq 1 5 300); do
    status=0 name=null_seeds_are_pruned
    test $((k % 10)) = 1 || name=seeds_are_balanced
    program $name JACKDAW_RANKS=4 JACKDAW_WORKERS=2 JACKDAW_SEED=1 "JACKDAW_FAULT=alloc:$k" ||
        status=$?
    case $status in
    0) ;;
    78 | 79 | 99) told=$((told + 1)) ;;
    *) bad="$bad $k($status)" ;;
    esac
done
is "$bad" "" "memory that is refused is done without, or told"
ok "it was told ($told)" test "$told" -gt 20
done_testing
