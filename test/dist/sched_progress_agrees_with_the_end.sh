#!/bin/sh
# JACKDAW_PROGRESS on every network: the last line has the tasks, steals and requests of JACKDAW_STATS=1; on a terminal a
# line is written over the one before; a wrong interval is an error that is said once.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

tree="-t 0 -b 1000 -q 0.12 -m 8 -r 3" # some ten thousand nodes

counter() { sed -n "s/^$1 *\([0-9]*\) .*/\1/p" "$scratch/out"; }

for network in $JD_TEST_CONDUITS; do
    # shellcheck disable=SC2086 # words
    exits 0 "$network: a job" on_ranks "$network" 2 JACKDAW_WORKERS=2 JACKDAW_PROGRESS=0.1 JACKDAW_STATS=1 examples/uts $tree
    is "$(sed -n 's/.*s\] \([0-9]*\) tasks .*| ended$/\1/p' "$scratch/out")" "$(counter "tasks executed")" \
        "$network: the last line has all tasks"
done

smp=$JD_TEST_BUILDDIR/examples/uts
exits 78 "an interval that costs too much" env JACKDAW_RANKS=2 JACKDAW_PROGRESS=0.01 "$smp" $tree
is "$(grep -c 'JACKDAW_PROGRESS=0.01: 0.1 seconds is the least' "$scratch/out")" 1 "is refused, once"
for wrong in -1 1s 0.0 1e3 . 1. 86401 99999999999999999999999; do
    exits 78 "JACKDAW_PROGRESS=$wrong" env JACKDAW_RANKS=2 JACKDAW_PROGRESS=$wrong "$smp" $tree
    like "$(cat "$scratch/out")" 'JACKDAW_PROGRESS=.*: allowed: 0, or seconds' "and the range is named"
done

# script(1) makes a terminal.
if command -v script >/dev/null 2>&1 && [ "$JD_TEST_SANITIZER" = none ]; then
    TERM=vt100 JACKDAW_RANKS=1 JACKDAW_WORKERS=1 JACKDAW_PROGRESS=0.1 \
        script -qec "stty cols 40; '$smp' -v 0 --tree=T1 --repeat=3" /dev/null >"$scratch/tty" 2>&1
    is $? 0 "a job on a terminal"
    like "$(tr '\r\033' '@~' <"$scratch/tty")" '@\[[0-9.]*s\] [0-9.M]* tasks [^@]*~\[K@\[' "lines are written over each other"
    is "$(tr '\r\033' '\n~' <"$scratch/tty" | sed -n 's/~\[K.*//p' | awk 'length > 39')" "" "none is longer than the terminal is wide"
    like "$(tr '\r\033' '@~' <"$scratch/tty")" '4130071 tasks [^@]*~\[K@?$|12390213 tasks [^@]*~\[K@?$|12.4M tasks [^@]*~\[K@?$' "the last one ends"
fi
done_testing
