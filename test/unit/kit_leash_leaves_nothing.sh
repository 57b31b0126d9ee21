#!/bin/sh
# The leash keeps the status of what it runs, ends what hangs and finds what is left.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
leash=$JD_TEST_LEASH
export JD_LEASH_GRACE=0.3

exits 0 "success is success" "$leash" 10 true
exits 7 "a status is kept" "$leash" 10 sh -c 'exit 7'
exits 137 "a signal is 128 + its number" "$leash" 10 sh -c 'kill -9 $$'
exits 127 "a command that does not exist" "$leash" 10 "$scratch/nothing"
exits 124 "time runs out" "$leash" 0.2 sh -c 'sleep 77'
exits 124 "a process that ignores SIGTERM is killed" \
    "$leash" 0.2 sh -c 'trap "" TERM; while :; do sleep 1; done'
exits 125 "no time given" "$leash" true

# The orphan writes its number, leaves the session and stays.
# shellcheck disable=SC2016
orphan='setsid sh -c "echo \$\$ >\$0; exec sleep 77" "$0" & while ! [ -s "$0" ]; do :; done'
exits 120 "a success that leaves an orphan is none" "$leash" 10 sh -c "$orphan" "$scratch/pid"
like "$(cat "$scratch/out")" 'left behind: process [0-9]+ \(sleep\)' "the orphan is named"
if kill -0 "$(cat "$scratch/pid")" 2>/dev/null; then
    fail "the orphan is gone"
else
    pass "the orphan is gone"
fi
rm -f "$scratch/pid"
exits 3 "a bad status is kept although an orphan was left" \
    "$leash" 10 sh -c "$orphan; exit 3" "$scratch/pid"
done_testing
