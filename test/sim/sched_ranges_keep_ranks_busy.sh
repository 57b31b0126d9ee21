#!/bin/sh
# Loops inside of loops, of leaves of 10 us, on 64 simulated ranks: whatever the policy, whoever
# is hungry is heard of, and a rank that runs a long range neither asks for more nor keeps to
# itself what is beside it.  Virtual time: the shares are the same on every machine.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

nested_for=$JD_TEST_BUILDDIR/examples/nested_for-sim
least=93

busy() { # SETTING...: percent, without its fraction
    env "$@" JACKDAW_RANKS=64 timeout 60 "$nested_for" 200 500 2>/dev/null |
        sed -n 's/^100000 leaves .* workers busy \([0-9]*\)\.[0-9]*%$/\1/p'
}

for policy in random baseline success-only lifeline; do
    for seed in 1 2 3; do
        share=$(busy JACKDAW_STEAL=$policy JACKDAW_SEED=$seed)
        ok "$policy, seed $seed: ${share:-not} busy" test "${share:-0}" -ge $least
    done
done
done_testing
