#!/bin/sh
# Whatever the network does to messages, every finish ends, and none before its last task.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/sim.sh"

finish=$JD_TEST_BUILDDIR/test/dist/sched_finish-sim
torture=$JD_TEST_BUILDDIR/test/dist/sched_torture-sim
ranges=$JD_TEST_BUILDDIR/test/dist/sched_ranges-sim
scopes=$JD_TEST_BUILDDIR/test/dist/sched_scopes-sim

check() { # NAME SETTING...
    name=$1
    shift
    for seed in 1 2; do
        ok "finishes, $name, seed $seed" \
            env "$@" JACKDAW_SEED=$seed timeout 60 "$finish" 5
        ok "ranges with hooks, $name, seed $seed" \
            env "$@" JACKDAW_SEED=$seed timeout 60 "$ranges" 1
        ok "torture, $name, seed $seed" \
            env "$@" JACKDAW_SEED=$seed timeout 60 "$torture" - 2
    done
}

for law in $laws; do
    check "8 ranks, $law" JACKDAW_RANKS=8 JACKDAW_SIM_LAW=$law
    check "8 ranks, $law, diffuse" JACKDAW_RANKS=8 JACKDAW_SIM_LAW=$law JACKDAW_FINISH=diffuse
done
check "17 ranks" JACKDAW_RANKS=17 JACKDAW_SIM_LAW=uniform:9000
check "refusals" JACKDAW_RANKS=8 JACKDAW_SIM_REFUSE=40
check "one credit" JACKDAW_RANKS=8 JACKDAW_CREDITS=1 JACKDAW_SIM_LAW=uniform:9000
check "refusals, diffuse" JACKDAW_RANKS=8 JACKDAW_SIM_REFUSE=40 JACKDAW_FINISH=diffuse
check "one credit, diffuse" JACKDAW_RANKS=8 JACKDAW_CREDITS=1 JACKDAW_SIM_LAW=uniform:9000 \
    JACKDAW_FINISH=diffuse
check "a slow rank" JACKDAW_RANKS=5 JACKDAW_SIM_SLOW=3:100
check "a rank that pauses" JACKDAW_RANKS=5 JACKDAW_SIM_PAUSE=0:20000:5000000
check "one task per steal" JACKDAW_RANKS=8 JACKDAW_STEAL_AMOUNT=one
check "a deep tree of ranks" JACKDAW_RANKS=20 JACKDAW_TREE_ARITY=1 JACKDAW_SIM_LAW=tail:300
for policy in baseline success-only lifeline; do
    check "$policy" JACKDAW_RANKS=8 JACKDAW_STEAL=$policy JACKDAW_SIM_LAW=uniform:5000
done
for rule in credit diffuse; do
    for law in none tail:1000 lifo:20000 hold:50000; do
        ok "$rule costs what it says, $law" env JACKDAW_RANKS=9 JACKDAW_SIM_LAW=$law \
            JACKDAW_FINISH=$rule JACKDAW_SEED=1 timeout 60 "$scopes" 3
    done
done
done_testing
