#!/bin/sh
# JACKDAW_STEAL_LOG and JACKDAW_REPLAY: the second run of a search has a tenth of the steals or fewer, is no
# slower in virtual time, and counts the same; its own log replays as well.  The log of another tree, of another
# program, rank or number of ranks: a right result, or an error that names the file.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/sim.sh"
logs=$scratch/log

search() { # SETTING... -- OPTION...: a run; its figures go to $scratch/err
    settings=
    while [ "$1" != -- ]; do settings="$settings $1" && shift; done
    shift
    # shellcheck disable=SC2086 # words
    env JACKDAW_STATS=1 $settings timeout 60 "$uts" "$@" >"$scratch/out" 2>"$scratch/err"
}
steals() { counter "steal requests that brought"; }
us() { sed -n 's/^jackdaw: simulated .*, \([0-9]*\)\.\([0-9]*\) s of virtual time.*/\1\2/p' "$scratch/err" | sed 's/^0*//'; }

# shellcheck disable=SC2086 # words
replays() { # RANKS SETTING... -- OPTION...
    ranks=$1
    shift
    what="$ranks ranks, $*"
    case $ranks in *x*) by="JACKDAW_RANKS=${ranks%x*} JACKDAW_WORKERS=${ranks#*x}" ;; *) by=JACKDAW_RANKS=$ranks ;; esac
    search $by JACKDAW_STEAL_LOG="$logs-%r" "$@"
    first=$(steals) time=$(us) nodes=$(size "$scratch/out")
    search $by JACKDAW_REPLAY="$logs-%r" JACKDAW_STEAL_LOG="$logs-b-%r" "$@"
    is "$(size "$scratch/out")" "$nodes" "$what: the same tree"
    ok "$what: $(steals) steals, not $first" test $((10 * $(steals))) -le "$first"
    # A hundredth is what waits for turns of the communication may make of it.
    ok "$what: $(us) us, not $time" test $((100 * $(us))) -le $((101 * time))
    is "$(counter "tasks of a steal log")" 0 "$what: all came that was foretold"
    search $by JACKDAW_REPLAY="$logs-b-%r" "$@"
    ok "$what: the log of a replay replays, $(steals) steals" test $((10 * $(steals))) -le "$first"
}

# shellcheck disable=SC2086 # words
other_trees() { # OPTION: with the logs of the last search on 16 ranks
    for other in "$tree" "-t 1 -a 0 -d 8 -b 4 -r 3"; do
        search JACKDAW_RANKS=1 -- $other --serial
        want=$(size "$scratch/out")
        search JACKDAW_RANKS=16 JACKDAW_REPLAY="$logs-%r" -- "$1" $other
        is "$(size "$scratch/out")" "$want" "the log of another tree: the right result for $1 $other"
    done
}

geometric="-t 1 -a 3 -d 8 -b 4 -r 19" binomial="-t 0 -b 500 -q 0.124 -m 8 -r 42"
# shellcheck disable=SC2086 # words
{
    replays 8 -- $geometric
    replays 16 -- $binomial
    replays 64 -- $binomial
    replays 8x3 JACKDAW_COMM=dedicated -- $binomial
    replays 16 JACKDAW_STEAL=success-only -- $binomial
    replays 16 JACKDAW_STEAL=lifeline -- --parents $binomial
    other_trees --parents
    replays 8 -- --style=async $geometric
    replays 64 -- --style=async $binomial
    replays 8x3 JACKDAW_COMM=dedicated -- --style=async $binomial
    replays 16 JACKDAW_STEAL=success-only -- --style=async $binomial
    other_trees --style=async
}

# Of what has no name that is said.
nested=$JD_TEST_BUILDDIR/examples/nested_for-sim
env JACKDAW_RANKS=4 JACKDAW_STEAL_LOG="$logs-n-%r" timeout 60 "$nested" 100 100 10 >"$scratch/out" 2>"$scratch/err"
is "$?" 0 "ranges with a log"
like "$(cat "$scratch/err")" "[1-9][0-9]* tasks of finishes without names have changed ranks: they are in no steal log" \
    "ranges are not in it, which is said"
env JACKDAW_RANKS=4 timeout 60 "$nested" 100 100 10 >"$scratch/out" 2>"$scratch/err"
exits 1 "but not without a log" grep -q "steal log" "$scratch/err"

info=$JD_TEST_BUILDDIR/tools/jackdaw-info
# shellcheck disable=SC2086 # words
if [ -x "$info" ]; then
    shown=$("$info" "$logs-3")
    like "$shown" "^finishes +1 +[0-9]+ +[1-9]" "jackdaw-info says what finishes have"
    search JACKDAW_RANKS=16 JACKDAW_STEAL_LOG="$logs-%r" -- $binomial
    shown=$("$info" "$logs-3")
    like "$shown" "^rank +3 of 16, workers 1$" "jackdaw-info says whose log it is"
    like "$shown" "^0 +1 +[0-9]+ +[1-9]" "and what each phase has"
    like "$("$info" --json "$logs-3")" '"collection": 0, "phase": 1, "entries": [0-9]*, "got": [1-9]' "also as JSON"
    head -c 100 "$logs-3" >"$scratch/short"
    ok "a file that is cut off is named" sh -c "! '$info' '$scratch/short' 2>'$scratch/err'"
    like "$(cat "$scratch/err")" "short: it is cut off" "and that is said"
fi

# fails TEXT SETTING...: the start says so, and names the file
fails() {
    text=$1
    shift
    search "$@" -- -t 1 -a 3 -d 4 -b 4 -r 19
    is "$?" 78 "$text: the status"
    like "$(cat "$scratch/err")" "$text" "$text"
}
rm -f "$logs"*
search JACKDAW_RANKS=4 JACKDAW_STEAL_LOG="$logs-%r" -- -t 1 -a 3 -d 6 -b 4 -r 19
fails "JACKDAW_REPLAY=.*log-[0-9]: it was written by a job of 4 ranks, and this one has 2" JACKDAW_RANKS=2 JACKDAW_REPLAY="$logs-%r"
fails "JACKDAW_REPLAY=.*log-x[0-9]: No such file or directory" JACKDAW_RANKS=8 JACKDAW_REPLAY="$logs-x%r"
mkdir "$logs-d0" "$logs-d1"
fails "JACKDAW_REPLAY=.*log-d[01]: Is a directory" JACKDAW_RANKS=2 JACKDAW_REPLAY="$logs-d%r"
rmdir "$logs-d0" "$logs-d1"
fails "put %r into the name" JACKDAW_RANKS=4 JACKDAW_REPLAY="$logs-0"
fails "put %r into the name" JACKDAW_RANKS=4 JACKDAW_STEAL_LOG="$logs-0"
fails "JACKDAW_STEAL_LOG=.*: No such file or directory" JACKDAW_RANKS=4 JACKDAW_STEAL_LOG="$scratch/none/log-%r"
fails "a file name of up to" JACKDAW_RANKS=4 JACKDAW_REPLAY="$logs-%r%x"
mv "$logs-1" "$logs-save"
cp "$logs-2" "$logs-1"
fails "log-1: it was written by rank 2, and this is rank 1" JACKDAW_RANKS=4 JACKDAW_REPLAY="$logs-%r"
head -c 100 "$logs-save" >"$logs-1"
fails "log-1: it is cut off" JACKDAW_RANKS=4 JACKDAW_REPLAY="$logs-%r"
tr '\000' '\001' <"$logs-save" >"$logs-1"
fails "log-1: it " JACKDAW_RANKS=4 JACKDAW_REPLAY="$logs-%r"
echo text >"$logs-1"
fails "log-1: it is no steal log" JACKDAW_RANKS=4 JACKDAW_REPLAY="$logs-%r"
mv "$logs-save" "$logs-1"
env JACKDAW_RANKS=4 JACKDAW_REPLAY="$logs-%r" "$JD_TEST_BUILDDIR/examples/fib-sim" 10 >"$scratch/out" 2>"$scratch/err"
is "$?" 78 "another program: the status"
like "$(cat "$scratch/err")" "it was written by a program with other tasks" "another program"
done_testing
