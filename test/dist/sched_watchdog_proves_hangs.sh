#!/bin/sh
# JACKDAW_WATCHDOG: a hang that can be proved is said at once and ends the job with status 72 where that is wanted; what
# somebody might wake is suspected only.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
JD_TEST_TIMEOUT=60
export JD_TEST_TIMEOUT

# A proof does not wait for the interval.
proves() { # NETWORK RANKS WAY SETTING=VALUE...
    network=$1 ranks=$2 way=${3#*=}
    shift 3
    exits 72 "$network, $way, $*: ends with a status of its own" \
        on_ranks "$network" "$ranks" JACKDAW_WATCHDOG=2,abort "$@" test/dist/sched_hangs "$way"
    like "$(cat "$scratch/out")" 'watchdog: the job hangs, and this is proved' "$network, $way: by a proof"
    like "$(cat "$scratch/out")" 'rank [0-2]: (task wait_for waits for future|collection held: .* 1 hold not)' \
        "$network, $way: and what it waits for is named"
}

suspects() { # NETWORK RANKS WAY PATTERN SETTING=VALUE...
    network=$1 ranks=$2 way=$3 pattern=$4
    shift 4
    exits 72 "$network, $way: ends after the last suspicion" \
        on_ranks "$network" "$ranks" JACKDAW_WATCHDOG=0.1,abort "$@" test/dist/sched_hangs "$way"
    like "$(cat "$scratch/out")" "watchdog: the job may hang: .*$pattern" "$network, $way: is suspected, and why"
    is "$(grep -c 'watchdog: the job hangs' "$scratch/out")" 0 "$network, $way: nothing is said to be proved"
    is "$(grep -c 'watchdog: the job may hang' "$scratch/out")" 5 "$network, $way: five times, and no more"
}

engines=$(echo "$JD_TEST_ENGINES" | tr ' ' ,)
every_pair_on_networks proves ranks=3 'way=future|circle|away,hold|all' JACKDAW_ULT="$engines" JACKDAW_COMM=inline,dedicated
for network in $JD_TEST_CONDUITS; do
    [ "$network" = smp ] || continue
    suspects smp 3 suspend 'handle of a jd_suspend'
    suspects smp 3 lost 'messages are on the way, or lost' JACKDAW_FAULT=lose:1
    suspects smp 3 endless 'a task runs or is ready'
    suspects smp 3 spins 'a task runs or is ready'
done
done_testing
