#!/bin/sh
# A finish ends when all of its tasks have ended and not before, whatever the ranks, workers,
# ways of polling, amounts of a steal, policies, credits, stacks and rules of JACKDAW_FINISH.  Every
# pair of these in process, and once more over the networks; of the torture (random graphs, each
# finish counted when it returns) on up to 8 ranks.  What each rule costs in messages is counted.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/families.sh"

programs="$finish,ranges,torture"
rules=credit,diffuse
policies=random,baseline,success-only,lifeline
placements=,current,deque,proactive
engines=$(echo "$JD_TEST_ENGINES" | tr ' ' ,)
# A rank that is alone has nobody to talk to: always inline.
alone='!ranks=1,JACKDAW_COMM=dedicated'

arguments_of() { # PROGRAM
    case $1 in
    finish_waits_* | finish_of_*) echo 6 ;;
    torture) echo "$scratch/counters 2" ;;
    esac
}

ends() { # NETWORK PROGRAM RANKS SETTING...
    network=$1 program=$2 ranks=$3
    shift 3
    rm -f "$scratch/counters"
    # shellcheck disable=SC2046 # words
    ok "$network: $program on $ranks ranks, $*" \
        on_ranks "$network" "$ranks" "$@" "test/dist/sched_$program" $(arguments_of "$program")
}

costs() { # NETWORK RANKS SETTING...
    network=$1 ranks=$2
    shift 2
    ok "$network: messages are as many as the rule says on $ranks ranks, $*" \
        on_ranks "$network" "$ranks" JACKDAW_WORKERS=1 "$@" test/dist/sched_scopes 3
}

# With `diffuse` each message is answered: a line of the counters of the job.
answers_all() { # NETWORK ENGINE RANKS
    rm -f "$scratch/counters"
    on_ranks "$1" "$3" JACKDAW_ULT="$2" JACKDAW_WORKERS=1 JACKDAW_COMM=inline JACKDAW_FINISH=diffuse \
        JACKDAW_STATS=1 test/dist/sched_torture "$scratch/counters" 1 >"$scratch/stats" 2>&1
    status=$?
    cat "$scratch/stats"
    [ $status -eq 0 ] && awk '/finishes in messages with tasks/ { n++; sent = $(NF - 2) }
        /messages that gave back what came/ { n++; answered = $(NF - 2) }
        END { exit !(n == 2 && sent > 0 && sent == answered) }' "$scratch/stats"
}

both_rules() { # NETWORK ENGINE RANKS
    every_pair costs network="$1" ranks="$3" JACKDAW_ULT="$2" JACKDAW_FINISH=$rules \
        JACKDAW_COMM=inline,dedicated
    ok "$1: diffuse answers each message, $3 ranks" answers_all "$@"
}

in_process() {
    every_pair ends network=loop program="$programs" ranks=1,2,3,8 JACKDAW_ULT=boost \
        JACKDAW_WORKERS=1,2,3 JACKDAW_COMM=inline,dedicated JACKDAW_STEAL_AMOUNT=half,one,8 \
        JACKDAW_STEAL=$policies JACKDAW_CREDITS=,1 JACKDAW_STACK_SIZE=,64K \
        JACKDAW_UNBLOCK=$placements JACKDAW_FINISH=$rules JACKDAW_TRACE=,"$scratch/trace" "$alone"
    both_rules loop boost 5
}

on_networks() {
    case ${JD_TEST_FULL:-0} in
    # The product of all of them is a week.
    1)
        every_pair_on_networks ends program="$programs" ranks=1,2,3,8 JACKDAW_ULT="$engines" \
            JACKDAW_WORKERS=1,2,3 JACKDAW_COMM=inline,dedicated JACKDAW_FINISH=$rules "$alone"
        every_pair_on_networks ends program="$programs" ranks=3 JACKDAW_WORKERS=1,2 \
            JACKDAW_COMM=inline,dedicated JACKDAW_STEAL_AMOUNT=half,one,8 JACKDAW_STEAL=$policies \
            JACKDAW_CREDITS=,1 JACKDAW_STACK_SIZE=,64K JACKDAW_UNBLOCK=$placements JACKDAW_FINISH=$rules \
            JACKDAW_TRACE=,"$scratch/trace" ;;
    *)
        every_pair_on_networks ends program="$programs" ranks=2,3,8 JACKDAW_ULT="$engines" \
            JACKDAW_WORKERS=1,2 JACKDAW_COMM=inline,dedicated JACKDAW_STEAL_AMOUNT=half,one,8 \
            JACKDAW_STEAL=$policies JACKDAW_CREDITS=,1 JACKDAW_STACK_SIZE=,64K \
            JACKDAW_UNBLOCK=$placements JACKDAW_FINISH=$rules JACKDAW_TRACE=,"$scratch/trace" \
            '!ranks=8,JACKDAW_WORKERS=2' ;;
    esac
}
rules_on_network() { both_rules "$1" "${engines%%,*}" 4; } # NETWORK

# Several ranks in one process need an engine that can be there more than once.
case ,$engines, in *,boost,*) in_process ;; esac
on_networks
each_network rules_on_network
done_testing
