#!/bin/sh
# Tasks of a C++ program that wait in a catch block go on with their own exception, and all tasks with
# their own errno, with both engines, on every network.  A task or a body that lets an exception out is
# named, with its rank.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

engines=$(echo "$JD_TEST_ENGINES" | tr ' ' ,)

own_ones() { # NETWORK PROGRAM RANKS SETTING...
    network=$1 program=$2 ranks=$3
    shift 3
    ok "$network: $program on $ranks ranks, $*" on_ranks "$network" "$ranks" "$@" "test/dist/sched_$program"
}
programs=exceptions,waiting_keeps_errno

case ,$engines, in *,boost,*)
    every_pair own_ones network=loop program=$programs ranks=1,3 JACKDAW_ULT=boost JACKDAW_WORKERS=1,3 \
        JACKDAW_COMM=inline,dedicated '!ranks=1,JACKDAW_COMM=dedicated' ;;
esac
every_pair_on_networks own_ones program=$programs ranks=2,3 JACKDAW_ULT="$engines" JACKDAW_WORKERS=1,2 \
    JACKDAW_COMM=inline,dedicated

# The sanitizers' handlers come before ours, or in place of it.
leaves() { # NETWORK
    for engine in $JD_TEST_ENGINES; do
        case $1:$engine in loop:argobots) continue ;; esac
        exits bad "$1: a task lets an exception out, $engine" \
            on_ranks "$1" 3 JACKDAW_ULT=$engine JACKDAW_WORKERS=1 test/dist/sched_exceptions leave
        like "$(cat "$scratch/out")" '^jackdaw: rank [0-2]: SIGABRT in task leave$' "and is named"
        exits bad "$1: a body lets an exception out, $engine" \
            on_ranks "$1" 3 JACKDAW_ULT=$engine JACKDAW_WORKERS=1 test/dist/sched_exceptions leave-body
        like "$(cat "$scratch/out")" '^jackdaw: rank 2: SIGABRT in the body$' "and is named"
        like "$(cat "$scratch/out")" 'nobody catches this' "C++ says what it was"
    done
}
if [ "$JD_TEST_SANITIZER" = none ]; then
    leaves loop
    each_network leaves
fi
done_testing
