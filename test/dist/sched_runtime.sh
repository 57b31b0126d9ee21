#!/bin/sh
# The whole runtime does what jackdaw.h says: tasks run once, collections end when they
# should, what is not allowed is refused, whatever the ranks, workers, ways of polling and
# amounts of a steal.  In process every setting, on each network a few.
#
# With SCHED_RUNTIME_FULL=1 every setting on each network: long.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

# What each program is told: sizes that take some ten milliseconds.
arguments_of() { # PROGRAM RANKS
    case $1:$2 in
    counts:1) echo 10000 ;;
    counts:*) echo 30 ;;
    refusals:*) echo 20 ;;
    waiting:*) echo 100 ;;
    arguments:*) echo 48 ;;
    holds:*) echo 20 ;;
    data:*) echo 5 ;;
    futures:*) echo 10 ;;
    esac
}
programs="counts refusals waiting arguments holds reductions data futures"

run_program() { # NETWORK RANKS WORKERS COMM AMOUNT PROGRAM
    JACKDAW_WORKERS=$3 JACKDAW_COMM=$4 JACKDAW_STEAL_AMOUNT=$5
    export JACKDAW_WORKERS JACKDAW_COMM JACKDAW_STEAL_AMOUNT
    # shellcheck disable=SC2046 # none or one word
    on_ranks "$1" "$2" "test/dist/sched_$6" $(arguments_of "$6" "$2")
}

holds() { # the same
    ok "$1: $6 on $2 ranks x $3 workers, $4, steals of $5${7:+, $7}" run_program "$@"
}

# The thread sanitizer takes long over thirty threads, which race no more than twelve.
many=8
[ "$JD_TEST_SANITIZER" != thread ] || many=

# All of one kind.
every_setting() { # NETWORK PROGRAM...
    network=$1
    shift
    for ranks in 1 2 3 $many; do
        for workers in 1 2 3; do
            for comm in inline dedicated; do
                # A rank that is alone has nobody to talk to: always inline.
                [ "$ranks:$comm" != 1:dedicated ] || continue
                for program; do
                    holds "$network" $ranks $workers $comm half "$program"
                done
            done
        done
    done
}

# How much a steal takes matters to what moves.
every_amount() { # NETWORK
    for amount in one 8 50; do
        for ranks in 2 3 $many; do
            for workers in 1 3; do
                holds "$1" $ranks $workers inline $amount counts
                holds "$1" $ranks $workers dedicated $amount arguments
            done
        done
    done
}

# One request in flight to a rank, the smallest stacks, the other engine.
odd_settings() { # NETWORK
    JACKDAW_CREDITS=1
    export JACKDAW_CREDITS
    for program in $programs; do
        holds "$1" 3 2 inline half "$program" "one credit"
    done
    unset JACKDAW_CREDITS
    JACKDAW_STACK_SIZE=64K
    export JACKDAW_STACK_SIZE
    for program in $programs; do
        holds "$1" 2 2 dedicated 8 "$program" "stacks of 64K"
    done
    unset JACKDAW_STACK_SIZE
}

# Policies meet phases, holds, seeds that come again and tasks with large arguments.
each_policy() { # NETWORK PROGRAM...
    network=$1
    shift
    for policy in baseline success-only lifeline; do
        JACKDAW_STEAL=$policy
        export JACKDAW_STEAL
        for comm in inline dedicated; do
            for program; do
                holds "$network" 2 2 $comm half "$program" $policy
                holds "$network" 5 1 $comm half "$program" $policy
            done
        done
    done
    unset JACKDAW_STEAL
}

# In process only: its ranks share memory.
served_thieves() {
    JACKDAW_STEAL=lifeline JACKDAW_STEAL_TRIES=0
    export JACKDAW_STEAL JACKDAW_STEAL_TRIES
    for comm in inline dedicated; do
        for shape in "2 1" "2 3" "5 1" "6 2"; do
            # shellcheck disable=SC2086 # two words
            holds loop $shape $comm half thieves lifelines
        done
    done
    unset JACKDAW_STEAL JACKDAW_STEAL_TRIES
}

each_engine() { # NETWORK
    for engine in $JD_TEST_ENGINES; do
        JACKDAW_ULT=$engine
        export JACKDAW_ULT
        for program in $programs; do
            holds "$1" 2 2 inline half "$program" "$engine"
        done
    done
    unset JACKDAW_ULT
}

# Several ranks in one process need an engine that can be there more than once.
case " $JD_TEST_ENGINES " in
*" boost "*)
    JACKDAW_ULT=boost
    export JACKDAW_ULT
    # shellcheck disable=SC2086 # words
    every_setting loop $programs
    every_amount loop
    odd_settings loop
    each_policy loop counts waiting arguments holds
    served_thieves
    unset JACKDAW_ULT ;;
esac

on_network() { # NETWORK
    each_engine "$1"
    for program in $programs; do
        holds "$1" 3 1 dedicated one "$program"
    done
    [ "${SCHED_RUNTIME_FULL:-0}" = 1 ] || return 0
    # shellcheck disable=SC2086 # words
    every_setting "$1" $programs
    every_amount "$1"
    odd_settings "$1"
}

each_network on_network
done_testing
