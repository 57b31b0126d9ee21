#!/bin/sh
# Finishes full of tasks that would never end are cancelled, 10,000 finishes in each setting, by
# several ranks at once.  Each finish ends, returns JD_ECANCELED, and leaves nothing (in a build
# with --enable-asan no memory either).  Then come waits for futures that nobody sets; only a
# cancellation ends these.  CANCELS=N cancels N finishes instead; NETWORK=NAME uses that network
# only.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
JD_TEST_TIMEOUT=800
export JD_TEST_TIMEOUT
cancels=${CANCELS:-10000} only=$NETWORK

run_setting() { # NETWORK RANKS WORKERS COMM PROGRAM ARGUMENT...
    network=$1 ranks=$2
    JACKDAW_WORKERS=$3 JACKDAW_COMM=$4
    export JACKDAW_WORKERS JACKDAW_COMM
    program=$5
    shift 5
    on_ranks "$network" "$ranks" "test/dist/sched_$program" "$@" </dev/null
}

# Each rank opens and cancels its share.
cancelled() { # NETWORK RANKS WORKERS COMM
    ok "$1: $cancels cancellations, $2 ranks x $3 workers, $4, ${JACKDAW_ULT:-default engine}" \
        run_setting "$@" finish_that_is_cancelled_ends $(((cancels + $2 - 1) / $2))
    ok "$1: waits are cancelled, $2 ranks x $3 workers, $4" \
        run_setting "$@" futures_end_with_a_cancelled_finish 4 $(((cancels / 20 + $2 - 1) / $2))
}

# Sanitizers are told of the switches of Boost.Context, and several ranks in one process need it.
boost=
case " $JD_TEST_ENGINES " in *" boost "*) boost=yes ;; esac
for network in smp udp loop; do
    case " $JD_TEST_CONDUITS loop " in *" $network "*) ;; *) continue ;; esac
    [ "${only:-$network}" = "$network" ] || continue
    [ "$network" != loop ] || [ -n "$boost" ] || continue
    if [ -n "$boost" ]; then
        case $network:$JD_TEST_SANITIZER in
        loop:* | *:[!n]*) export JACKDAW_ULT=boost ;;
        esac
    fi
    cancelled "$network" 2 2 inline
    cancelled "$network" 4 2 inline
    cancelled "$network" 3 3 dedicated
    JACKDAW_STEAL=success-only
    export JACKDAW_STEAL
    cancelled "$network" 3 2 inline
    unset JACKDAW_ULT JACKDAW_STEAL
done
done_testing
