#!/bin/sh
# stutter hands on the status of what it runs, does stop and wake it, and leaves no process
# stopped.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

stutter=$JD_TEST_BUILDDIR/test/kit/stutter
exits 7 "the status is the command's" "$stutter" 1 sh -c 'exit 7'
exits 137 "a signal too" "$stutter" 1 sh -c 'kill -9 $$'
exits 127 "no such command" "$stutter" 1 "$scratch/none"
exits 125 "no command" "$stutter" 1

# Runs until it has been stopped five times: nobody else sends SIGCONT.
cat >"$scratch/counter" <<'EOF'
n=0
trap 'n=$((n + 1))' CONT
while [ $n -lt 5 ]; do :; done
EOF
STUTTER_TELL=$scratch/told
export STUTTER_TELL
exits 0 "it is stopped and goes on" "$JD_TEST_LEASH" 50 "$stutter" 3 sh "$scratch/counter"
ok "the stops are told" awk '{ n += $1 } END { exit n < 5 }' "$scratch/told"
done_testing
