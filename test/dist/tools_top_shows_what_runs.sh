#!/bin/sh
# jackdaw-top on every network: once as JSON, which fits its schema; on a terminal, where q leaves the job as it is; jobs that start
# and end while somebody looks; and what is said where there is nothing to see.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

top=$JD_TEST_BUILDDIR/tools/jackdaw-top
smp=$JD_TEST_BUILDDIR/examples/uts
T1=4130071

alive() { kill -0 "$1" 2>/dev/null; }
# seen PID: until it has an answer about the job of that process, or the process has ended.
seen() {
    while alive "$1"; do
        "$top" --once --json "$1" >"$scratch/json" 2>"$scratch/said" && return 0
    done
    return 1
}
value() { sed -n "s/^ \"$1\": \"*\([^\",]*\).*/\1/p" "$scratch/json"; }
executed() { sed -n 's/.*"executed": \([0-9]*\),.*/\1/p' "$scratch/json" | awk '{ s += $1 } END { print s + 0 }'; }
fits() { python3 "$JD_TEST_SRCDIR/test/kit/schema.py" "$JD_TEST_SRCDIR/tools/top.schema.json" "$@"; }

for network in $JD_TEST_CONDUITS; do
    (on_ranks "$network" 2 JACKDAW_WORKERS=2 examples/uts --tree=T1 --repeat=3 --check -v 0 >"$scratch/job" 2>&1; echo "status $?" >>"$scratch/job") &
    job=$!
    ok "$network: the job is seen" seen $job
    is "$(value network) $(value ranks) $(value ranks_seen) $(grep -c '"rank"' "$scratch/json")" "$network 2 2 6" "$network: all of its threads"
    first=$(executed)
    ok "$network: its tasks are counted" [ "$first" -gt 0 ]
    ok "$network: and no more than there are" [ "$first" -le $((3 * T1)) ]
    if command -v python3 >/dev/null 2>&1; then ok "$network: the JSON fits its schema" fits "$scratch/json"; fi
    wait $job
    like "$(tail -n 1 "$scratch/job")" '^status 0$' "$network: the job ends well"
done

# Several times as long as the viewer takes to begin.
JACKDAW_RANKS=2 JACKDAW_WORKERS=1 "$smp" --tree=T1 --repeat=30 --check -v 0 >"$scratch/job" 2>&1 &
job=$!
if command -v script >/dev/null 2>&1; then
    while alive $job && ! seen $job; do :; done
    printf q | TERM=vt100 script -qec "'$top' $job" "$scratch/tty" >/dev/null
    is $? 0 "q ends the viewer"
    ok "before the job ends" alive $job
    like "$(tr '\033' '~' <"$scratch/tty")" '~\[\?1049h.*uts, job ' "it has shown the job"
    like "$(tr '\033' '~' <"$scratch/tty")" '~\[\?1049l' "and gives the terminal back"
fi
if command -v python3 >/dev/null 2>&1; then
    ok "who stops the viewer gets the terminal as it was, and the table again later" \
        "$JD_TEST_LEASH" 60 python3 "$JD_TEST_SRCDIR/test/kit/viewer.py" stop "$top" $job
    ok "before the job ends" alive $job
fi
exits 2 "without a terminal" "$top"
like "$(cat "$scratch/out")" 'take --once' "the remedy is named"
wait $job
is $? 0 "the job goes on to its end"

is "$("$top" --once 2>&1 $$ | sed 's/ [0-9]* / N /')" \
    "jackdaw-top: process N is no rank of a Jackdaw job on this host, and has started none: it is another program, or the job is just starting or ending" \
    "another program"
exits 1 "a process that has ended" "$top" --once $job
exits 1 "no such name" "$top" --once no.such.job
for wrong in --jsn --json --once=1 "1 2"; do
    # shellcheck disable=SC2086 # words
    exits 2 "$wrong" "$top" $wrong
done
exits 0 "help" "$top" --help

# Jobs of one batch job have one name, and are two.
SLURM_JOB_ID=jobs JACKDAW_RANKS=2 JACKDAW_WORKERS=1 "$smp" --tree=T1 --repeat=20 -v 0 >"$scratch/job" 2>&1 &
job=$!
SLURM_JOB_ID=jobs JACKDAW_RANKS=2 JACKDAW_WORKERS=1 "$smp" --tree=T1 --repeat=20 -v 0 >"$scratch/job2" 2>&1 &
other=$!
while alive $other && ! seen $other; do :; done
is "$(value job) $(value ranks_seen) $(grep -c '"rank"' "$scratch/json")" "jobs 2 4" "the ranks of one of two jobs with one name"
exits 1 "both of them" "$top" --once jobs
like "$(cat "$scratch/out")" 'several jobs run here; name one of them: jobs \(uts, process [0-9]+\), jobs \(uts, process [0-9]+\)$' \
    "they are told apart by their processes"
kill $job $other
wait $job $other

# Where nobody reaps a process it keeps its number.
if command -v python3 >/dev/null 2>&1; then
    JACKDAW_RANKS=1 JACKDAW_WORKERS=1 sh -c '"$@" & echo $! >"$0"; exec tail -f /dev/null' "$scratch/pid" \
        "$JD_TEST_BUILDDIR/examples/uts-loop" --tree=T1 --repeat=10 -v 0 >"$scratch/job" 2>&1 &
    parent=$!
    until [ -s "$scratch/pid" ]; do :; done
    job=$(cat "$scratch/pid")
    while ! grep -q Z "/proc/$job/status" && ! seen "$job"; do :; done
    ok "the viewer says that the job has ended, and ends" \
        "$JD_TEST_LEASH" 60 python3 "$JD_TEST_SRCDIR/test/kit/viewer.py" end "$top" "$job"
    ok "nobody has reaped it" grep -q '^State:.Z' "/proc/$job/status"
    kill $parent
    wait $parent
fi

# Viewers come at any moment of short jobs.
jobs=3
[ -z "${JD_TEST_FULL-}" ] || jobs=100
bad=0
while [ $jobs -gt 0 ]; do
    jobs=$((jobs - 1))
    JACKDAW_RANKS=2 JACKDAW_WORKERS=1 "$smp" -v 0 >"$scratch/job" 2>&1 &
    job=$!
    while alive $job; do
        "$top" --once $job >"$scratch/said" 2>&1 || grep -q '^jackdaw-top: ' "$scratch/said" || bad=$((bad + 1))
    done
    wait $job || bad=$((bad + 1))
done
is $bad 0 "jobs that start and end while somebody looks"
done_testing
