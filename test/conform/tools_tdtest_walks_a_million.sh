#!/bin/sh
# What each release is measured by: every small state of francez, a million walks (with JD_TEST_FULL=1 three), and
# every known-wrong detector rejected.  Under a sanitizer 30,000 walks, and the states of three ranks at most.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

tool=$JD_TEST_BUILDDIR/tools/jackdaw-tdtest
walks=1000000 ranks= waves=1
[ "${JD_TEST_FULL:-0}" != 1 ] || walks=3000000
[ "$JD_TEST_SANITIZER" = none ] || walks=30000 ranks=--ranks=1,2,3 waves=0

begin=$(date +%s)
exits 0 "francez passes" "$tool" --scripts --exhaustive --walks=$walks $ranks
diag "$(($(date +%s) - begin)) s"
grep -E '^ok .*(states|walks)' "$scratch/out" | sed 's/^ok [0-9]* - /# /'
[ "$ranks" ] || ok "four ranks with three messages are among the states" \
    grep -q '^ok .* every state of 4 ranks, arity 2, 3 messages' "$scratch/out"
ok "at most so many waves failed after quiescence: $waves" \
    grep -q "^# at most $waves waves failed after quiescence" "$scratch/out"

exits 0 "every known-wrong detector is rejected" "$tool" --mutants --seeds=1
is "$(grep -c '^not ok' "$scratch/out")" 0 "all of them"
ok "there are sixty and more" test "$(grep -c '^ok' "$scratch/out")" -ge 60
diag "$(($(date +%s) - begin)) s in all"
done_testing
