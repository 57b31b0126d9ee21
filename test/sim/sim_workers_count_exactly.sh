#!/bin/sh
# With several workers in each simulated rank the tree is counted exactly, whatever the policy, the
# network and who communicates; the messages of steals follow the formula of doc/transfer.md.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/sim.sh"

want=$(tree_size) seeds="1 2"
[ "$JD_TEST_SANITIZER" = none ] || seeds=1

ok "the tree has a size" test "${want:-0}" -gt 1000
for policy in random baseline success-only lifeline; do
    for workers in 2 3 7 23; do
        for comm in inline dedicated; do
            counts_exactly "$workers workers, $comm" $policy JACKDAW_RANKS=5 JACKDAW_WORKERS=$workers \
                JACKDAW_COMM=$comm JACKDAW_SIM_LAW=uniform:5000
        done
    done
    for law in tail:1000 burst:20000 lifo:20000 hold:50000; do
        counts_exactly "$law" $policy JACKDAW_RANKS=9 JACKDAW_WORKERS=3 JACKDAW_COMM=dedicated \
            JACKDAW_SIM_LAW=$law
    done
    counts_exactly "one rank" $policy JACKDAW_RANKS=1 JACKDAW_WORKERS=5 JACKDAW_COMM=dedicated
    counts_exactly "dedicated to one worker" $policy JACKDAW_RANKS=9 JACKDAW_COMM=dedicated
    counts_exactly "no cycles" $policy JACKDAW_RANKS=9 JACKDAW_WORKERS=4 JACKDAW_CYCLIC=0 JACKDAW_SIM_LAW=lifo:20000
    counts_exactly "refusals" $policy JACKDAW_RANKS=9 JACKDAW_WORKERS=2 JACKDAW_SIM_REFUSE=40
    counts_exactly "one credit, one task" $policy JACKDAW_RANKS=9 JACKDAW_WORKERS=2 JACKDAW_CREDITS=1 \
        JACKDAW_STEAL_AMOUNT=one
    counts_exactly "a slow rank" $policy JACKDAW_RANKS=5 JACKDAW_WORKERS=3 JACKDAW_SIM_SLOW=3:100
    counts_exactly "a pause" $policy JACKDAW_RANKS=5 JACKDAW_WORKERS=3 JACKDAW_SIM_PAUSE=0:20000:500000
    counts_exactly "takes for nothing" $policy JACKDAW_RANKS=5 JACKDAW_WORKERS=3 JACKDAW_SIM_TAKE=0
    counts_exactly "ahead of each other" $policy JACKDAW_RANKS=5 JACKDAW_WORKERS=7 JACKDAW_SIM_AHEAD=5000
done
done_testing
