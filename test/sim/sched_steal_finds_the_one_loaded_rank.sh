#!/bin/sh
# A tree of 4 million nodes on 64 simulated ranks of 23 workers.  Thieves look on without a pause
# for long enough, so that in none of 8 seeds one rank keeps nearly all of the tree: even the
# slowest run takes less than 11 ms of virtual time.  With a pause after each look it took 20.  Baseline
# with JD_TEST_FULL=1 only: it looks in the same way as success-only.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
[ "$JD_TEST_SANITIZER" = none ] || skip_all "virtual time is the same here, and takes longer"

slowest_of() { # POLICY AMOUNT: the longest of the runs, in us
    for seed in 1 2 3 4 5 6 7 8; do
        JACKDAW_STEAL=$1 JACKDAW_STEAL_AMOUNT=$2 JACKDAW_SEED=$seed JACKDAW_RANKS=64 \
            JACKDAW_WORKERS=23 JACKDAW_COMM=dedicated JACKDAW_SIM_AHEAD=1000 JACKDAW_SIM_TASK=224 \
            JACKDAW_SIM_NET=o:300,L:1000,g:100,G:0.1 JACKDAW_STATS=1 \
            timeout 60 "$JD_TEST_BUILDDIR/examples/uts-sim" --tree=T3 --check 2>&1 >/dev/null |
            sed -n 's/^jackdaw: simulated .*, \([0-9]*\)\.\([0-9]*\) s of virtual time.*/\1\2/p'
    done | sort -n | tail -n 1 | sed 's/^0*//'
}

takes_at_most() { # US POLICY AMOUNT
    us=$(slowest_of "$2" "$3")
    ok "$2, $3: the slowest of 8 runs takes $us us" test "${us:-99999}" -le "$1"
}

takes_at_most 11000 success-only half
takes_at_most 9000 success-only 8
takes_at_most 11000 random half
if [ "${JD_TEST_FULL:-0}" = 1 ]; then
    takes_at_most 11000 baseline half
    takes_at_most 9000 baseline 8
fi
done_testing
