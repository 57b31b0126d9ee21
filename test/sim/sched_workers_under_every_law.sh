#!/bin/sh
# Finishes, futures, copies, held and repeated collections with several workers in each simulated
# rank: what waits for what crosses workers and ranks, and every run ends.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/sim.sh"

seeds="1 2"
[ "$JD_TEST_SANITIZER" = none ] || laws="none lifo:20000" seeds=1

check() { # NAME SETTING...
    name=$1
    shift
    for seed in $seeds; do
        for program in "finish 3" "torture - 2" "counts 5" "holds 10" "data 3" "futures 3"; do
            # shellcheck disable=SC2086 # words
            ok "${program%% *}: $name, seed $seed" env "$@" JACKDAW_SEED=$seed timeout 60 \
                "$JD_TEST_BUILDDIR/test/dist/sched_${program%% *}-sim" ${program#* }
        done
    done
}

for law in $laws; do
    check "4 ranks of 3, inline, $law" JACKDAW_RANKS=4 JACKDAW_WORKERS=3 JACKDAW_SIM_LAW=$law
    check "4 ranks of 3, dedicated, $law" JACKDAW_RANKS=4 JACKDAW_WORKERS=3 \
        JACKDAW_COMM=dedicated JACKDAW_SIM_LAW=$law
done
check "1 rank of 4" JACKDAW_RANKS=1 JACKDAW_WORKERS=4
check "3 ranks of 23" JACKDAW_RANKS=3 JACKDAW_WORKERS=23 JACKDAW_COMM=dedicated
check "refusals" JACKDAW_RANKS=4 JACKDAW_WORKERS=2 JACKDAW_SIM_REFUSE=40
check "one credit" JACKDAW_RANKS=4 JACKDAW_WORKERS=2 JACKDAW_COMM=dedicated JACKDAW_CREDITS=1
check "lifelines" JACKDAW_RANKS=5 JACKDAW_WORKERS=2 JACKDAW_STEAL=lifeline JACKDAW_SIM_LAW=uniform:5000
check "ahead of each other" JACKDAW_RANKS=3 JACKDAW_WORKERS=4 JACKDAW_SIM_AHEAD=3000
done_testing
