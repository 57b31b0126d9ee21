#!/bin/sh
# Whichever detector JACKDAW_DETECTOR names, and whatever the network does to messages: trees
# are counted exactly, collections are used again and again without a barrier, held and fed
# by each other, and all of it ends.  The audit at each announcement is the oracle.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/sim.sh"

want=$(tree_size)

counts() { # SETTING...: and the tree is the right one
    # shellcheck disable=SC2086 # words
    env "$@" timeout 60 "$uts" $tree >"$scratch/tree" 2>&1 && [ "$(size "$scratch/tree")" = "$want" ] || {
        cat "$scratch/tree"
        return 1
    }
}

ends() { # PROGRAM SETTING...
    program=$1
    shift
    case $program in
    tree) ok "tree: $*" counts "$@" ;;
    iterate) ok "iterate: $*" env "$@" timeout 60 "$JD_TEST_BUILDDIR/examples/iterate-sim" ;;
    *) ok "$program: $*" env "$@" timeout 60 "$JD_TEST_BUILDDIR/test/dist/sched_$program-sim" 20 ;;
    esac
}

# Otherwise the knob does nothing, and all of the above is as good as one detector.
differs() { # DETECTOR
    for detector in francez "$1"; do
        env JACKDAW_DETECTOR="$detector" JACKDAW_SEED=1 JACKDAW_RANKS=9 \
            JACKDAW_SIM_TRACE="$scratch/$detector" timeout 60 "$uts" -d 4 || return 1
    done
    ! cmp -s "$scratch/francez" "$scratch/$1"
}

is "$want" 193585 "the tree has its size"
every_pair ends program=tree,counts,holds,iterate JACKDAW_DETECTOR=francez,safra,fourcounter,diffuse,credit \
    JACKDAW_RANKS=1,2,3,5,9,17,33 JACKDAW_SIM_LAW=$laws JACKDAW_SIM_REFUSE=,40 JACKDAW_CREDITS=,1 \
    JACKDAW_TREE_ARITY=,1 JACKDAW_SIM_SLOW=,3:100 JACKDAW_SIM_PAUSE=,0:20000:5000000 JACKDAW_SEED=1,2,3 \
    '!JACKDAW_RANKS=1,JACKDAW_SIM_SLOW=3:100' '!JACKDAW_RANKS=2,JACKDAW_SIM_SLOW=3:100' \
    '!JACKDAW_RANKS=3,JACKDAW_SIM_SLOW=3:100'
for detector in safra fourcounter diffuse credit; do
    ok "$detector: another trace than francez" differs $detector
done
done_testing
