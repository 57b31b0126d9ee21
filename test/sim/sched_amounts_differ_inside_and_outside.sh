#!/bin/sh
# JACKDAW_LOCAL_AMOUNT holds inside a rank, JACKDAW_STEAL_AMOUNT between ranks, and in both places if
# that is all that is said.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/sim.sh"

# Tasks and takes inside a rank, tasks and steals between ranks.
run() { # SETTING...
    env JACKDAW_RANKS=3 JACKDAW_WORKERS=4 JACKDAW_COMM=dedicated JACKDAW_SEED=1 JACKDAW_STATS=1 "$@" \
        timeout 60 "$uts" $tree >/dev/null 2>"$scratch/err"
    inside=$(counter "tasks taken from another worker") takes=$(counter "takes from another worker")
    outside=$(counter "tasks that came from other ranks") steals=$(counter "steal requests that brought")
}

run JACKDAW_LOCAL_AMOUNT=one JACKDAW_STEAL_AMOUNT=8
ok "one inside: $inside tasks in $takes takes" test "$takes" -gt 0 -a "$inside" -eq "$takes"
ok "up to 8 outside: $outside tasks in $steals steals" \
    test "$outside" -gt $((2 * steals)) -a "$outside" -le $((8 * steals))
run JACKDAW_LOCAL_AMOUNT=8 JACKDAW_STEAL_AMOUNT=one
ok "up to 8 inside: $inside tasks in $takes takes" \
    test "$inside" -gt $((2 * takes)) -a "$inside" -le $((8 * takes))
ok "one outside: $outside tasks in $steals steals" test "$steals" -gt 0 -a "$outside" -eq "$steals"
run JACKDAW_STEAL_AMOUNT=one
ok "one in both: $inside in $takes, $outside in $steals" \
    test "$inside" -eq "$takes" -a "$outside" -eq "$steals" -a "$takes" -gt 0
done_testing
