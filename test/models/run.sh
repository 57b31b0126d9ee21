#!/bin/sh
# run.sh - check the models with Spin: right ones pass, wrong variants fail.
# TAP on standard output; skipped where there is no spin.  With "all": larger sizes too.
models=$(cd "$(dirname "$0")" && pwd)
[ "${JD_TEST_SANITIZER:-none}" = none ] || { echo "1..0 # SKIP once is enough"; exit 0; }
command -v spin >/dev/null || { echo "1..0 # SKIP spin is not installed"; exit 0; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
count=0
bad=0

# check WANTED_ERRORS MODEL FLAGS
check() {
    count=$((count + 1))
    # shellcheck disable=SC2086
    if spin -a $3 "$models/$2.pml" >log 2>&1 &&
        ${CC:-cc} -O1 -w -DSAFETY -DCOLLAPSE -DVECTORSZ=2048 -DMEMLIM=3000 -o pan pan.c >>log 2>&1 &&
        timeout 300 ./pan -m100000 -n >log 2>&1 &&
        ! grep -q 'search depth too small' log; then
        errors=$(sed -n 's/.*errors: \([0-9]*\).*/\1/p' log)
    else
        errors=none
    fi
    states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' log)
    if [ "$errors" = "$1" ]; then
        echo "ok $count - $2 $3: $1 errors, ${states%.} states"
    else
        echo "not ok $count - $2 $3: errors $errors, not $1"
        sed 's/^/# /' log | head -5
        bad=1
    fi
}

check 0 francez "-DN=1 -DM=2 -DP=2"
check 0 francez "-DN=2 -DM=4"
check 0 francez "-DN=3 -DM=3"
check 0 francez "-DN=2 -DM=3 -DP=3"
check 0 francez "-DN=3 -DM=1 -DP=2"
check 0 idle "-DTASKS=3"
check 0 wake ""
three="-DWORKERS=3 -DOPENERS=2 -DOPENINGS=1 -DONCE"
check 0 wake "$three"
check 0 pry "-DTASKS=3"
check 0 deques "-DTURNS=1"
# Weights: never divided, divided once, and with and without an underflow.
check 0 credit "-DN=3 -DM=5 -DEXP=0"
check 0 credit "-DN=3 -DM=5 -DEXP=1"
check 0 credit "-DN=3 -DM=3 -DEXP=2"
check 0 credit "-DN=4 -DM=4 -DEXP=1"
if [ "$1" = all ]; then
    check 0 credit "-DN=3 -DM=8 -DEXP=0"
    check 0 credit "-DN=4 -DM=6 -DEXP=1"
    check 0 francez "-DN=3 -DM=5"
    check 0 francez "-DN=4 -DM=3"
    check 0 francez "-DN=3 -DM=3 -DP=2"
    check 0 idle "-DTASKS=6"
    check 0 pry "-DTASKS=4"
    check 0 deques "-DTURNS=2"
    check 0 deques "-DULTS=3 -DTURNS=1"
    check 0 deques "-DWORKERS=3 -DTURNS=1 -DTHIEVES=2"
    check 0 wake "-DMAILS=2"
    check 0 wake "-DAMOUNT=3"
    check 0 wake "-DOPENERS=2 -DOPENINGS=1"
fi
# The bound is tight: one wave can fail.
check 1 francez "-DN=3 -DM=3 -DFAILED=0"
for wrong in NO_COLOUR GIVER CLEAR_AT_NEXT LATCHED_IDLE; do
    check 1 francez "-DN=3 -DM=4 -DFAILED=99 -D$wrong"
done
check 1 francez "-DN=4 -DM=1 -DNO_FORWARD"
for wrong in NO_PHASE CLEAR_AT_ENTER KEPT_IDLE; do
    check 1 francez "-DN=3 -DM=3 -DP=2 -DFAILED=99 -D$wrong"
done
for wrong in IN_FIRST LANE_BY_LANE LATE_IN EARLY_OUT QUEUES_ONLY; do
    check 1 idle "-D$wrong"
done
check 1 wake "-DWORKERS=1 -DMAILS=0 -DONE_LOOK"
for wrong in KEPT_CALL KEPT_BY_ULT KEPT_BY_OWN PLAIN_LEAVE LOOK_BEFORE; do
    check 1 wake "-D$wrong"
done
check 1 wake "$three -DKEPT_BY_TAKE"
for wrong in NO_FENCE NO_LOOK LATE_LOWER NO_DRAFT; do
    check 1 pry "-DTASKS=3 -D$wrong"
done
for wrong in LATE_COUNT LOWER_FIRST NO_SETTLE; do
    check 1 deques "-D$wrong"
done
for wrong in NO_STEP FORGET_DEBT EARLY_RETURN MERGE_FOREIGN LOSE_FOREIGN; do
    check 1 credit "-DN=3 -DM=4 -DEXP=1 -D$wrong"
done
echo "1..$count"
exit $bad
