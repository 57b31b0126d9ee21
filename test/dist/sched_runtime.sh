#!/bin/sh
# The whole runtime does what jackdaw.h says: tasks run once, collections end when they
# should, what is not allowed is refused, whatever the ranks, workers, ways of polling, amounts of a
# steal, policies, credits, stacks and placements.  Every pair of these settings in process; and once more over
# the networks, of which every engine is a setting too.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/families.sh"

programs="counts,busy_ranks_answer,$refusals,$waiting,arguments,holds|$iterations,reductions,$data,$futures,$deadlines,$descriptors"
amounts=half,one,8,50
policies=random,baseline,success-only,lifeline
placements=,current,deque,proactive
engines=$(echo "$JD_TEST_ENGINES" | tr ' ' ,)
# A rank that is alone has nobody to talk to: always inline.
alone='!ranks=1,JACKDAW_COMM=dedicated'

# What each program is told: sizes that take some ten milliseconds.
arguments_of() { # PROGRAM RANKS
    case $1:$2 in
    counts:1) echo 10000 ;;
    counts:*) echo 30 ;;
    refusals_*:*) echo 20 ;;
    waiting_*:*) echo 100 ;;
    arguments:*) echo 48 ;;
    holds:*) echo 20 ;;
    data_*:*) echo 5 ;;
    futures_*:*) echo 10 ;;
    sleep_*:*) echo 50 ;;
    channels_*:* | events_*:* | select*:*) echo 20 ;;
    conds_*:* | mutexes_*:* | phasers_*:*) echo 20 ;;
    fds_*:*) echo 50 ;;
    esac
}

holds() { # NETWORK PROGRAM RANKS SETTING...
    network=$1 program=$2 ranks=$3
    shift 3
    # shellcheck disable=SC2046 # none or one word
    ok "$network: $program on $ranks ranks, $*" \
        on_ranks "$network" "$ranks" "$@" "test/dist/sched_$program" $(arguments_of "$program" "$ranks")
}

in_process() {
    ranks=1,2,3,5,8 crowd=
    # The thread sanitizer takes long over thirty threads, which race no more than twelve.
    [ "$JD_TEST_SANITIZER" != thread ] || ranks=1,2,3,5 crowd='!ranks=5,JACKDAW_WORKERS=3'
    every_pair holds network=loop program="$programs" ranks=$ranks JACKDAW_ULT=boost \
        JACKDAW_WORKERS=1,2,3 JACKDAW_COMM=inline,dedicated JACKDAW_STEAL_AMOUNT=$amounts \
        JACKDAW_STEAL=$policies JACKDAW_CREDITS=,1 JACKDAW_STACK_SIZE=,64K \
        JACKDAW_UNBLOCK=$placements JACKDAW_TRACE=,"$scratch/trace" "$alone" ${crowd:+"$crowd"}
    # In process only: its ranks share memory.
    every_pair served_thieves shape=2x1,2x3,5x1,6x2 JACKDAW_COMM=inline,dedicated
}

served_thieves() { # SHAPE SETTING
    ok "loop: thieves on $1 ranks and workers, $2, lifelines" \
        on_ranks loop "${1%x*}" JACKDAW_ULT=boost JACKDAW_WORKERS="${1#*x}" "$2" \
        JACKDAW_STEAL=lifeline JACKDAW_STEAL_TRIES=0 test/dist/sched_thieves
}

on_networks() {
    case ${JD_TEST_FULL:-0} in
    # The product of all of them is a week.
    1)
        every_pair_on_networks holds program="$programs" ranks=1,2,3,8 JACKDAW_ULT="$engines" \
            JACKDAW_WORKERS=1,2,3 JACKDAW_COMM=inline,dedicated JACKDAW_STEAL_AMOUNT=$amounts "$alone"
        every_pair_on_networks holds program="$programs" ranks=3 JACKDAW_WORKERS=1,2 \
            JACKDAW_COMM=inline,dedicated JACKDAW_STEAL=$policies JACKDAW_CREDITS=,1 \
            JACKDAW_STACK_SIZE=,64K JACKDAW_UNBLOCK=$placements JACKDAW_TRACE=,"$scratch/trace" ;;
    *)
        every_pair_on_networks holds program="$programs" ranks=2,3 JACKDAW_ULT="$engines" \
            JACKDAW_WORKERS=1,2 JACKDAW_COMM=inline,dedicated JACKDAW_STEAL_AMOUNT=$amounts \
            JACKDAW_STEAL=$policies JACKDAW_CREDITS=,1 JACKDAW_STACK_SIZE=,64K JACKDAW_UNBLOCK=$placements \
            JACKDAW_TRACE=,"$scratch/trace" ;;
    esac
}

# Several ranks in one process need an engine that can be there more than once.
case ,$engines, in *,boost,*) in_process ;; esac
on_networks
done_testing
