#!/bin/sh
# Whichever detector JACKDAW_DETECTOR names, and whatever the network does to messages: trees
# are counted exactly, collections are used again and again without a barrier, held and fed
# by each other, and all of it ends.  The audit at each announcement is the oracle.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/sim.sh"

sizes="1 2 9 33" seeds="1 2 3" want=$(tree_size)
# A sanitizer looks for other faults, and takes ten times as long.
[ "$JD_TEST_SANITIZER" = none ] || sizes="1 9" laws="none hold:50000" seeds=1

run() { # DETECTOR SETTING... -- PROGRAM ARGUMENT...
    JACKDAW_DETECTOR=$1
    shift
    settings=
    while [ "$1" != -- ]; do
        settings="$settings $1"
        shift
    done
    shift
    # shellcheck disable=SC2086 # words
    env JACKDAW_DETECTOR="$JACKDAW_DETECTOR" $settings timeout 60 "$@"
}

counts() { # DETECTOR SETTING...: and the tree is the right one
    # shellcheck disable=SC2086 # words
    run "$@" -- "$uts" $tree >"$scratch/tree" 2>&1 && [ "$(size "$scratch/tree")" = "$want" ] || {
        cat "$scratch/tree"
        return 1
    }
}

try() { # DETECTOR
    for ranks in $sizes; do
        for law in $laws; do
            ok "$1: $ranks ranks, $law" counts "$1" JACKDAW_SEED=1 JACKDAW_RANKS=$ranks \
                JACKDAW_SIM_LAW=$law
        done
    done
    ok "$1: refusals" counts "$1" JACKDAW_SEED=2 JACKDAW_RANKS=17 JACKDAW_SIM_REFUSE=40
    ok "$1: one credit" counts "$1" JACKDAW_SEED=2 JACKDAW_RANKS=17 JACKDAW_CREDITS=1
    ok "$1: ranks in a chain" counts "$1" JACKDAW_SEED=2 JACKDAW_RANKS=20 \
        JACKDAW_TREE_ARITY=1 JACKDAW_SIM_LAW=tail:300
    ok "$1: a slow rank" counts "$1" JACKDAW_SEED=2 JACKDAW_RANKS=9 JACKDAW_SIM_SLOW=3:100
    ok "$1: a pause of the root" counts "$1" JACKDAW_SEED=2 JACKDAW_RANKS=9 \
        JACKDAW_SIM_PAUSE=0:20000:5000000
    for seed in $seeds; do
        for law in none hold:50000 lifo:20000; do
            for program in counts holds; do
                ok "$1: sched_$program, $law, seed $seed" run "$1" JACKDAW_SEED=$seed \
                    JACKDAW_RANKS=$((seed * 2 + 1)) JACKDAW_SIM_LAW=$law -- \
                    "$JD_TEST_BUILDDIR/test/dist/sched_$program-sim" 20
            done
        done
    done
    ok "$1: the same work again and again" run "$1" JACKDAW_SEED=1 JACKDAW_RANKS=8 -- \
        "$JD_TEST_BUILDDIR/examples/iterate-sim"
}

# Otherwise the knob does nothing, and all of the above is one test five times.
differs() { # DETECTOR
    for detector in francez "$1"; do
        run "$detector" JACKDAW_SEED=1 JACKDAW_RANKS=9 \
            JACKDAW_SIM_TRACE="$scratch/$detector" -- "$uts" -d 4 || return 1
    done
    ! cmp -s "$scratch/francez" "$scratch/$1"
}

is "$want" 193585 "the tree has its size"
for detector in francez safra fourcounter diffuse credit; do
    try $detector
    [ $detector = francez ] || ok "$detector: another trace than francez" differs $detector
done
done_testing
