#!/bin/sh
# Whatever the policy of stealing and the network, the tree is counted exactly, every run ends,
# and the messages of steals follow the formula of doc/transfer.md.  Success-only never fails.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/sim.sh"

want=$(tree_size) seeds="1 2"

ok "the tree has a size" test "${want:-0}" -gt 1000
for policy in random baseline success-only lifeline; do
    for law in $laws; do
        counts_exactly "33 ranks, $law" $policy JACKDAW_RANKS=33 JACKDAW_SIM_LAW=$law
    done
    counts_exactly "two ranks" $policy JACKDAW_RANKS=2 JACKDAW_SIM_LAW=lifo:9000
    counts_exactly "refusals" $policy JACKDAW_RANKS=17 JACKDAW_SIM_REFUSE=40
    counts_exactly "one credit" $policy JACKDAW_RANKS=17 JACKDAW_CREDITS=1 JACKDAW_SIM_LAW=uniform:9000
    counts_exactly "no cycles" $policy JACKDAW_RANKS=33 JACKDAW_CYCLIC=0 JACKDAW_SIM_LAW=lifo:20000
    counts_exactly "hosts, near" $policy JACKDAW_RANKS=32 JACKDAW_SIM_HOST_RANKS=8 JACKDAW_VICTIM=near
    counts_exactly "last, one task" $policy JACKDAW_RANKS=9 JACKDAW_VICTIM=last JACKDAW_STEAL_AMOUNT=one
    counts_exactly "a slow rank" $policy JACKDAW_RANKS=9 JACKDAW_SIM_SLOW=3:100 JACKDAW_STEAL_THRESHOLD=3
    counts_exactly "again and again" $policy JACKDAW_RANKS=9 JACKDAW_STEAL_TRIES=0 JACKDAW_SIM_LAW=tail:3000
done

# Cycles are there to be forbidden: the counter sees them.
env JACKDAW_STEAL=success-only JACKDAW_RANKS=33 JACKDAW_SEED=1 JACKDAW_STATS=1 \
    "$uts" $tree >"$scratch/out" 2>"$scratch/err"
ok "cyclic steals are counted" test "$(counter "steal requests to a rank waiting")" -gt 0
env JACKDAW_STEAL=success-only JACKDAW_RANKS=33 JACKDAW_SEED=1 JACKDAW_STATS=1 JACKDAW_CYCLIC=0 \
    "$uts" $tree >"$scratch/out" 2>"$scratch/err"
is "$(counter "steal requests to a rank waiting")" 0 "and there are none when forbidden"
done_testing
