#!/bin/sh
# Finishes end when all of their tasks have ended and not before, whatever the ranks, workers,
# ways of polling, amounts of a steal, policies, credits, stacks and rules of JACKDAW_FINISH.  Every
# pair of these in process, and once more over the networks; of the torture (random graphs, each
# finish counted when it returns) on up to 8 ranks.  What each rule costs in messages is counted.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

programs=finish,ranges,torture
rules=credit,diffuse
comms=inline,dedicated
policies=random,baseline,success-only,lifeline
engines=$(echo "$JD_TEST_ENGINES" | tr ' ' ,)
# A rank that is alone has nobody to talk to: always inline.
alone='!ranks=1,comm=dedicated'

arguments_of() { # PROGRAM
    case $1 in
    finish) echo 6 ;;
    torture) echo "$scratch/counters 2" ;;
    esac
}

ends() { # NETWORK ENGINE PROGRAM RANKS WORKERS COMM AMOUNT POLICY CREDITS STACK RULE
    rm -f "$scratch/counters"
    # shellcheck disable=SC2046 # words
    ok "$1, $2: $3 on $4 ranks x $5 workers, $6, $8 steals of $7, credits $9, stacks of ${10}, ${11}" \
        on_ranks "$1" "$4" JACKDAW_ULT="$2" JACKDAW_WORKERS="$5" JACKDAW_COMM="$6" \
        JACKDAW_STEAL_AMOUNT="$7" JACKDAW_STEAL="$8" JACKDAW_CREDITS="$9" JACKDAW_STACK_SIZE="${10}" \
        JACKDAW_FINISH="${11}" "test/dist/sched_$3" $(arguments_of "$3")
}

costs() { # NETWORK ENGINE RANKS RULE COMM
    ok "$1: ${4} costs what it says on $3 ranks, $5" on_ranks "$1" "$3" JACKDAW_ULT="$2" \
        JACKDAW_WORKERS=1 JACKDAW_COMM="$5" JACKDAW_FINISH="$4" test/dist/sched_scopes 3
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
    every_pair costs network="$1" engine="$2" ranks="$3" finish=$rules comm=$comms
    ok "$1: diffuse answers each message, $3 ranks" answers_all "$@"
}

in_process() {
    every_pair ends network=loop engine=boost program=$programs ranks=1,2,3,8 workers=1,2,3 \
        comm=$comms amount=half,one,8 steal=$policies credits=16,1 stack=256K,64K finish=$rules \
        "$alone"
    both_rules loop boost 5
}

on_networks() {
    case ${JD_TEST_FULL:-0} in
    # The product of all of them is a week.
    1)
        every_pair_on_networks ends engine="$engines" program=$programs ranks=1,2,3,8 workers=1,2,3 \
            comm=$comms amount=half steal=random credits=16 stack=256K finish=$rules "$alone"
        every_pair_on_networks ends engine="${engines%%,*}" program=$programs ranks=3 workers=1,2 \
            comm=$comms amount=half,one,8 steal=$policies credits=16,1 stack=256K,64K finish=$rules ;;
    *)
        every_pair_on_networks ends engine="$engines" program=$programs ranks=2,3,8 workers=1,2 \
            comm=$comms amount=half,one,8 steal=$policies credits=16,1 stack=256K,64K finish=$rules \
            '!ranks=8,workers=2' ;;
    esac
}
rules_on_network() { both_rules "$1" "${engines%%,*}" 4; } # NETWORK

# Several ranks in one process need an engine that can be there more than once.
case ,$engines, in *,boost,*) in_process ;; esac
on_networks
each_network rules_on_network
done_testing
