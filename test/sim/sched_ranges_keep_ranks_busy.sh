#!/bin/sh
# Nested loops with leaves of 10 us, on simulated ranks.  Whatever the policy, a rank that runs a
# long range hears of hungry ranks, asks for no more tasks, and gives away the other tasks on its
# shelf.  On many ranks the home of the finish is not flooded with answers.  Time is virtual, so
# the shares are the same on every machine.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

nested_for=$JD_TEST_BUILDDIR/examples/nested_for-sim

# keeps_busy LEAST RANKS OUTER INNER [SETTING...]: so many percent of them.
keeps_busy() {
    least=$1 ranks=$2 outer=$3 inner=$4
    shift 4
    share=$(env "$@" JACKDAW_RANKS="$ranks" timeout 100 "$nested_for" "$outer" "$inner" 2>/dev/null |
        sed -n "s/^$((outer * inner)) leaves .* workers busy \([0-9]*\)\.[0-9]*%\$/\1/p")
    ok "$ranks ranks, $*" test "${share:-0}" -ge "$least"
}

seeds="1 2 3"
[ "$JD_TEST_SANITIZER" = none ] || seeds=1
for policy in random baseline success-only lifeline; do
    for seed in $seeds; do
        keeps_busy 93 64 200 500 JACKDAW_STEAL=$policy JACKDAW_SEED=$seed
    done
    [ "$JD_TEST_SANITIZER" != none ] || keeps_busy 94 512 1000 1000 JACKDAW_STEAL=$policy
done
[ "$JD_TEST_SANITIZER" != none ] || keeps_busy 40 2048 500 500 JACKDAW_STEAL=random
done_testing
