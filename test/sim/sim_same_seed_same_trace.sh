#!/bin/sh
# The same seed and settings give the same run, byte for byte; another seed gives another run.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/sim.sh"

trace() { # FILE SEED LAW [RANKS]
    JACKDAW_SIM_TRACE=$scratch/$1 JACKDAW_SEED=$2 JACKDAW_SIM_LAW=$3 JACKDAW_RANKS=${4:-24} \
        "$uts" -t 1 -a 3 -d 7 -b 4 -r 19 >"$scratch/$1.out" 2>&1
}

plan 14
for law in none uniform:3000 tail:500 hold:20000; do
    ok "$law runs" trace a 7 $law
    trace b 7 $law
    ok "$law: the same trace twice" cmp "$scratch/a" "$scratch/b"
    trace c 8 $law
    ok "$law: another seed, another trace" sh -c "! cmp -s '$scratch/a' '$scratch/c'"
done
# From 1,025 ranks on the simulation fetches what comes next.
ok "1100 ranks run" trace a 7 none 1100
trace b 7 none 1100
ok "1100 ranks: the same trace twice" cmp "$scratch/a" "$scratch/b"
done_testing
