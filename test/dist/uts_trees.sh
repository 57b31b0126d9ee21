#!/bin/sh
# uts counts the sample trees exactly on every network, whatever the numbers of ranks and
# workers, the way of polling, the engine, the policy and the amount that a steal takes: every pair
# of these on T3, the deepest tree, where a node could be lost; the others on each network and with
# each policy.  With JD_TEST_FULL=1 every combination of all but policies, and T1L: hours.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

engines=$(echo "$JD_TEST_ENGINES" | tr ' ' ,)
policies=random,baseline,success-only,lifeline
amounts=half,one,8,50

# uts --check ends with 1 when nodes, depth or leaves differ, or tasks made and run do.
counts() { # NETWORK TREE RANKS WORKERS OPTION SETTING...
    network=$1 tree=$2 ranks=$3 workers=$4 option=$5
    shift 5
    ok "$network: $tree on $ranks ranks x $workers workers, $option, $*" \
        on_ranks "$network" "$ranks" "$@" examples/uts -T "$workers" --tree="$tree" --check "--$option"
}

all_trees() {
    case ${JD_TEST_FULL:-0} in
    1)
        every_pair_on_networks counts tree=T1,T2,T3,T4,T5,T1L ranks=1,2,3,4,8 workers=1,2,3 \
            option=check JACKDAW_COMM=inline,dedicated JACKDAW_ULT="$engines" \
            JACKDAW_STEAL_AMOUNT=$amounts
        every_pair_on_networks counts tree=T3 ranks=2,3 workers=1,2 option=check,repeat=2,parents \
            JACKDAW_COMM=,inline,dedicated JACKDAW_ULT="$engines" JACKDAW_STEAL=$policies ;;
    *)
        every_pair_on_networks counts tree=T1,T2,T4,T5 ranks=2 workers=1 option=check \
            JACKDAW_COMM=,inline JACKDAW_ULT="$engines" JACKDAW_STEAL=$policies
        # Shapes of eight threads at most: more only make a run longer on few cores.
        every_pair_on_networks counts tree=T3 ranks=1,2,3,4,8 workers=1,2,3 \
            option=check,repeat=2,parents JACKDAW_COMM=,inline,dedicated JACKDAW_ULT="$engines" \
            JACKDAW_STEAL_AMOUNT=$amounts JACKDAW_STEAL=$policies '!ranks=3,workers=3' \
            '!ranks=4,workers=2' '!ranks=4,workers=3' '!ranks=8,workers=2' '!ranks=8,workers=3' ;;
    esac
}

# A tree of one node on several ranks: all but one have nothing to do.
small_trees() { # NETWORK
    ok "$1: a tree of one node on 3 ranks" on_ranks "$1" 3 examples/uts -b 0
    ok "$1: the default tree on 4 ranks" on_ranks "$1" 4 examples/uts --check --repeat=20
    ok "$1: a tree without stealing" on_ranks "$1" 2 examples/uts --tree=T1 -s 0 --check
    ok "$1: the serial search" on_ranks "$1" 2 examples/uts --tree=T1 --serial --check
}

# What a script sees: one record, and errors with status 2.
front_door() { # NETWORK
    record=$(on_ranks "$1" 2 examples/uts --tree=T1 -v 0 -T 1 -c 8 2>"$scratch/err")
    like "$record" '^ +2 +[0-9.]+ +4130071 +[0-9]+ +[0-9]+ 8 1 4\.00 19 10 3 0\.234375 +4$' \
        "$1: -v 0 prints the reference's record and nothing else"
    exits 2 "$1: an unknown option is refused" on_ranks "$1" 2 examples/uts --chekc
    is "$(grep -c 'nearest is --check' "$scratch/out")" 1 "$1: once, with the nearest name"
}

alone_on() { # NETWORK
    small_trees "$1"
    front_door "$1"
}

all_trees
each_network alone_on
done_testing
