#!/bin/sh
# Jobs that live, but in which nothing is seen to happen for long, end as without a watchdog: what waits is woken by a
# clock, a thread, a descriptor, a hold that is released late, or the only task that runs, on more ranks than cores.
# None is called hung for certain.
#
# WATCHDOG_JOBS=N jobs (24), WATCHDOG_BESIDE=N at a time (4).
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
JD_TEST_TIMEOUT=120
export JD_TEST_TIMEOUT
beside=${WATCHDOG_BESIDE:-4}
ways='slow relay thread pipe coarse held'

lives() { # NUMBER WAY
    exits 0 "job $1, $2: ends well" \
        on_ranks "$network" $((1 + $1 % 5)) JACKDAW_WATCHDOG=0.04,report JACKDAW_SEED="$1" JACKDAW_WORKERS=$((1 + $1 % 3)) \
        test/dist/sched_hangs "$2"
    is "$(grep -c 'the job hangs' "$scratch/out")" 0 "job $1, $2: is not called hung for certain"
}
# One job in `beside`, from the first on.
share() { # FIRST
    n=0
    while [ $n -lt "${WATCHDOG_JOBS:-24}" ]; do
        for way in $ways; do
            n=$((n + 1))
            [ $((n % beside)) -ne "$1" ] || lives $n "$way"
        done
    done
}
network=${JD_TEST_CONDUITS%% *}
first=0
while [ $first -lt "$beside" ]; do
    aside share $first
    first=$((first + 1))
done
joined
done_testing
