#!/bin/sh
# uts counts the sample trees exactly on every network, whatever the numbers of ranks and
# workers, the way of polling, the engine and the amount that a steal takes.
#
# Make check runs each tree and each setting at least once on each network.  With
# UTS_TREES_FULL=1 it runs every combination, and T1L: hours.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

# uts --check ends with 1 when nodes, depth or leaves differ, or tasks made and run do.
count_tree() { # NETWORK RANKS WORKERS COMM ENGINE AMOUNT TREE [OPTION]...
    JACKDAW_COMM=$4 JACKDAW_ULT=$5 JACKDAW_STEAL_AMOUNT=$6
    export JACKDAW_COMM JACKDAW_ULT JACKDAW_STEAL_AMOUNT
    network=$1 ranks=$2 workers=$3 tree=$7
    shift 7
    on_ranks "$network" "$ranks" examples/uts -T "$workers" --tree="$tree" --check "$@"
}

tree_is_right() { # the same
    ok "$1: $7 on $2 ranks x $3 workers, $4, $5, ${JACKDAW_STEAL:+$JACKDAW_STEAL }steals of $6${8:+, $8}" count_tree "$@"
}

default_engine=${JD_TEST_ENGINES%% *}

# Each policy meets another tree than the others, and both ways of polling; on the networks
# that a launcher starts, where a run takes longest, one run must do.
each_policy() { # NETWORK
    for policy in baseline success-only lifeline; do
        JACKDAW_STEAL=$policy
        export JACKDAW_STEAL
        case $policy in baseline) tree=T1 ;; success-only) tree=T2 ;; lifeline) tree=T5 ;; esac
        tree_is_right "$1" 4 1 inline "$default_engine" half T3
        case $1 in mpi | ucx) continue ;; esac
        tree_is_right "$1" 2 1 inline "$default_engine" half $tree
        tree_is_right "$1" 3 2 dedicated "$default_engine" half T3
    done
    unset JACKDAW_STEAL
}

short_matrix() { # NETWORK
    for tree in T1 T2 T4 T5; do
        tree_is_right "$1" 2 1 auto "$default_engine" half $tree
    done
    # T3 is the deepest: every setting that could lose a node meets it.
    for shape in "1 1" "1 2" "1 3" "2 1" "2 2" "3 1" "3 2" "4 1" "8 1"; do
        # shellcheck disable=SC2086 # two words
        tree_is_right "$1" $shape auto "$default_engine" half T3
    done
    for comm in inline dedicated; do
        tree_is_right "$1" 2 2 $comm "$default_engine" half T3
    done
    for amount in one 8 50; do
        tree_is_right "$1" 3 1 auto "$default_engine" $amount T3
    done
    for engine in $JD_TEST_ENGINES; do
        tree_is_right "$1" 2 2 auto "$engine" half T3 --repeat=2
    done
    tree_is_right "$1" 2 1 auto "$default_engine" half T3 --parents
}

full_matrix() { # NETWORK
    for tree in T1 T2 T3 T4 T5 T1L; do
        for ranks in 1 2 3 4 8; do
            for workers in 1 2 3; do
                for comm in inline dedicated; do
                    for engine in $JD_TEST_ENGINES; do
                        for amount in half one 8 50; do
                            tree_is_right "$1" $ranks $workers $comm "$engine" $amount $tree
                        done
                    done
                done
            done
        done
    done
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

all_of() { # NETWORK
    case ${UTS_TREES_FULL:-0} in
    1) full_matrix "$1" ;;
    *) short_matrix "$1" ;;
    esac
    unset JACKDAW_COMM JACKDAW_ULT JACKDAW_STEAL_AMOUNT
    each_policy "$1"
    unset JACKDAW_COMM JACKDAW_ULT JACKDAW_STEAL_AMOUNT
    small_trees "$1"
    front_door "$1"
}

each_network all_of
done_testing
