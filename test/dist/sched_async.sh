#!/bin/sh
# Finishes end when all of their tasks have ended and not before, whatever the ranks, workers,
# ways of polling, amounts of a steal and policies.  In process many settings, on each network
# a few; of the torture (random graphs, each finish counted when it returns) on up to 8 ranks.
# Both rules of JACKDAW_FINISH; what each costs in messages is counted.
#
# With SCHED_RUNTIME_FULL=1 every setting on each network: long.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

run_program() { # NETWORK RANKS WORKERS COMM PROGRAM [ARGUMENT]...
    network=$1 ranks=$2
    JACKDAW_WORKERS=$3 JACKDAW_COMM=$4
    export JACKDAW_WORKERS JACKDAW_COMM
    program=$5
    shift 5
    rm -f "$scratch/counters"
    on_ranks "$network" "$ranks" "test/dist/sched_$program" "$@"
}

finishes() { # NETWORK RANKS WORKERS COMM [HOW]
    ok "$1: finishes on $2 ranks x $3 workers, $4${5:+, $5}" \
        run_program "$1" "$2" "$3" "$4" finish 6
}

ranges() { # the same
    ok "$1: ranges with hooks on $2 ranks x $3 workers, $4${5:+, $5}" \
        run_program "$1" "$2" "$3" "$4" ranges
}

torture() { # the same
    ok "$1: torture on $2 ranks x $3 workers, $4${5:+, $5}" \
        run_program "$1" "$2" "$3" "$4" torture "$scratch/counters" "${seeds:-2}"
}

# With `diffuse` each message is answered: a line of the counters of the job.
answers_all() { # NETWORK RANKS WORKERS COMM
    JACKDAW_FINISH=diffuse JACKDAW_STATS=1
    export JACKDAW_FINISH JACKDAW_STATS
    run_program "$1" "$2" "$3" "$4" torture "$scratch/counters" 1 >"$scratch/stats" 2>&1
    status=$?
    unset JACKDAW_FINISH JACKDAW_STATS
    cat "$scratch/stats"
    [ $status -eq 0 ] && awk '/finishes in messages with tasks/ { n++; sent = $(NF - 2) }
        /messages that gave back what came/ { n++; answered = $(NF - 2) }
        END { exit !(n == 2 && sent > 0 && sent == answered) }' "$scratch/stats"
}

both_rules() { # NETWORK RANKS
    for JACKDAW_FINISH in credit diffuse; do
        export JACKDAW_FINISH
        for comm in inline dedicated; do
            ok "$1: $JACKDAW_FINISH costs what it says on $2 ranks, $comm" \
                run_program "$1" "$2" 1 $comm scopes 3
        done
    done
    unset JACKDAW_FINISH
    with JACKDAW_FINISH=diffuse "$1" 3 2 inline
    with JACKDAW_FINISH=diffuse "$1" 8 1 dedicated
    ok "$1: diffuse answers each message, $2 ranks" answers_all "$1" "$2" 1 inline
}

every_setting() { # NETWORK
    for ranks in 1 2 3 8; do
        for workers in 1 2 3; do
            for comm in inline dedicated; do
                # A rank that is alone has nobody to talk to: always inline.
                [ "$ranks:$comm" != 1:dedicated ] || continue
                finishes "$1" $ranks $workers $comm
                ranges "$1" $ranks $workers $comm
                torture "$1" $ranks $workers $comm
            done
        done
    done
}

# NAME=VALUE for one run.
with() { # SETTING NETWORK RANKS WORKERS COMM
    eval "export $1"
    finishes "$2" "$3" "$4" "$5" "$1"
    ranges "$2" "$3" "$4" "$5" "$1"
    torture "$2" "$3" "$4" "$5" "$1"
    unset "${1%%=*}"
}

odd_settings() { # NETWORK
    for amount in one 8; do
        with JACKDAW_STEAL_AMOUNT=$amount "$1" 3 2 inline
    done
    for policy in baseline success-only lifeline; do
        with JACKDAW_STEAL=$policy "$1" 3 1 inline
        with JACKDAW_STEAL=$policy "$1" 3 2 dedicated
    done
    with JACKDAW_CREDITS=1 "$1" 3 2 inline
    with JACKDAW_STACK_SIZE=64K "$1" 2 2 dedicated
}

# Several ranks in one process need an engine that can be there more than once.
case " $JD_TEST_ENGINES " in
*" boost "*)
    JACKDAW_ULT=boost
    export JACKDAW_ULT
    every_setting loop
    odd_settings loop
    both_rules loop 5
    unset JACKDAW_ULT ;;
esac
for network in $JD_TEST_CONDUITS; do
    [ "$network" != loop ] || continue
    for engine in $JD_TEST_ENGINES; do
        with JACKDAW_ULT=$engine "$network" 2 2 inline
    done
    finishes "$network" 3 1 dedicated
    seeds=3 torture "$network" 8 1 inline
    both_rules "$network" 4
    [ "${SCHED_RUNTIME_FULL:-0}" = 1 ] || continue
    every_setting "$network"
    odd_settings "$network"
done
done_testing
