#!/bin/sh
# JACKDAW_TRACE records what ran, on every network and in the simulator, and jackdaw-trace shows it: each task once, in
# well-formed files; also of a rank that was killed, and when the file was too small for all.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

tool=$JD_TEST_BUILDDIR/tools/jackdaw-trace
tree="-t 0 -b 1000 -q 0.12 -m 8 -r 3" # some ten thousand nodes

# uts NETWORK RANKS [SETTING=VALUE...]: search the tree, and leave in $nodes how many nodes it has.
uts() {
    uts_network=$1 uts_ranks=$2
    shift 2
    # shellcheck disable=SC2086 # words
    exits 0 "$uts_network: a tree on $uts_ranks ranks" on_ranks "$uts_network" "$uts_ranks" JACKDAW_WORKERS=1 "$@" examples/uts $tree
    nodes=$(sed -n 's/^Tree size = \([0-9]*\),.*/\1/p' "$scratch/out")
}

# within SECONDS COMMAND...: COMMAND succeeds once in that time.
within() {
    within_end=$(($(date +%s) + $1))
    shift
    until "$@"; do
        [ "$(date +%s)" -lt $within_end ] || return 1
    done
}

# How many events of a kind the last file has; of tasks named $2.
count() { "$tool" csv "$trace" | awk -F, -v kind="$1" -v name="\"${2-}\"" \
    '$4 == kind && (name == "\"\"" || $5 == name) { n++ } END { print n + 0 }'; }

live_has_tasks() {
    [ -s "$trace" ] && [ "$(count task visit)" -gt 1000 ] && "$tool" "$trace" >"$scratch/live" &&
        grep -q '^rank 1 (process' "$scratch/live"
}

# Processor time of a process, in ticks; has it had more since `before`?
time_of() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f12; }
has_gone_on() {
    now=$(time_of "$1")
    [ "${now:-0}" -gt $((${before:-0} + 20)) ]
}

# Perfetto's messages and Paje's lines, without the code of either.
well_formed() { # NAME SLICES
    ok "$1: perfetto is written" "$tool" --output="$scratch/p" perfetto "$trace"
    like "$("$JD_TEST_BUILDDIR/test/kit/perfetto" "$scratch/p")" "^$2 slices" "$1: its messages are whole, its slices nested"
    "$tool" paje "$trace" | awk '
        /^%|^[0-4] / { next }
        { if ($2 < at) wrong = wrong " time goes back in line " NR; at = $2 }
        $1 == 5 { depth[$4]++; if (NF != 5) wrong = wrong " line " NR }
        $1 == 6 { if (--depth[$4] < 0) wrong = wrong " nothing to end in line " NR; if (NF != 4) wrong = wrong " line " NR }
        END { for (t in depth) if (depth[t]) wrong = wrong " open in " t; print wrong ? wrong : "well" }' >"$scratch/paje"
    is "$(head -c 300 "$scratch/paje")" well "$1: so are the states of Paje"
    is "$("$tool" csv "$trace" | awk -F, 'NF != 7' | wc -l)" 0 "$1: and each line of CSV has seven columns"
}

on_network() { # NETWORK
    trace=$scratch/trace # networks may have their turns side by side
    uts "$1" 2 JACKDAW_TRACE="$trace"
    is "$(count task visit)" "$nodes" "$1: each task is recorded once"
    ok "$1: messages have come" [ "$(count poll)" -gt 0 ]
    exits 0 "$1: the summary" "$tool" "$trace"
    like "$(cat "$scratch/out")" "^2 ranks, [46] threads, network $1," "$1: it names the network"
    like "$(cat "$scratch/out")" "^visit +$nodes " "$1: and the tasks"
    is "$(grep -c 'not come to its end\|written over\|not ended' "$scratch/out")" 0 "$1: nothing is missing"
}

each_network on_network
trace=$scratch/trace

# Waits, steals, finishes and transfers, in virtual time with 3 workers.
sim() { # PROGRAM [ARGUMENT...]
    program=$1
    shift
    ok "$program in virtual time" simulated "$program" "$@"
}
simulated() {
    simulated=$1
    shift
    JACKDAW_RANKS=4 JACKDAW_WORKERS=3 JACKDAW_SEED=5 JACKDAW_TRACE="$trace" "$JD_TEST_BUILDDIR/examples/$simulated-sim" "$@"
}
if [ -x "$JD_TEST_BUILDDIR/examples/nqueens-sim" ]; then
    sim nqueens --check 8
    well_formed nqueens '[0-9]+'
    "$tool" csv "$trace" | awk -F, '$4 == "task"' >"$scratch/first"
    sim nqueens --check 8
    ok "the same seed: the same tasks at the same times" sh -c \
        "'$tool' csv '$trace' | awk -F, '\$4 == \"task\"' | cmp - '$scratch/first'"
    sim map_reduce -n 40
    is "$(count task map)" 40 "each element is one task, however often it waits"
    ok "and has stopped" [ "$(count stop map)" -ge 40 ]
    is "$(count stop)" "$(count go)" "who stops goes on"
    like "$("$tool" "$trace")" '^sleep +40 ' "each element waited for its timer, and the summary says so"
    well_formed map_reduce '[0-9]+'
    sim nested_for 20 10 5
    is "$(count open)" "$(count close)" "each finish that is opened is closed"
    like "$("$tool" "$trace")" "^ +0 .* $(count task | tr -d " ") .* on rank [0-3]$" "the summary has the finish with its tasks"
    well_formed nested_for '[0-9]+'
    is "$(count async)" "$(count task)" "each task of a finish was spawned once"
    is "$("$tool" csv "$trace" | awk -F, '$4 == "async" && $5 !~ /^"[0-3]"$/' | wc -l)" 0 "into a finish of a rank"
    like "$("$JD_TEST_BUILDDIR/test/kit/perfetto" "$scratch/p")" ', [1-9][0-9]* arrows$' "arrows lead to tasks of finishes"
    like "$("$tool" "$trace")" '^the critical path of the first of them: [0-9]+ [a-z]+ ' "and the summary has a critical path"
    like "$("$tool" "$trace")" 'from request to the first of them that ran: half up to' "and says when stolen tasks ran"
    sim nqueens --check 8 && before=$(count task)
    JACKDAW_TRACE_TASKS=no
    export JACKDAW_TRACE_TASKS
    sim nqueens --check 8
    unset JACKDAW_TRACE_TASKS
    is "$(count task) $(count begin)" "0 4" "there are none, but phases"
    ok "there were some" [ "$before" -gt 0 ]
fi

# The columns have names for gnuplot.
if command -v gnuplot >/dev/null; then
    "$tool" csv "$trace" >"$scratch/csv"
    printf '%s\n' "set terminal dumb" "set datafile separator comma" "set output '$scratch/plot'" \
        "plot '$scratch/csv' using (strcol('event') eq 'begin' ? column('ns') : NaN):(1) with points" >"$scratch/script"
    ok "gnuplot reads the values" gnuplot "$scratch/script"
    ok "and draws" [ -s "$scratch/plot" ]
fi

# A small file keeps the last events, and says so.
first_network=${JD_TEST_CONDUITS%% *}
uts "${first_network:-loop}" 2 JACKDAW_TRACE="$trace" JACKDAW_TRACE_SIZE=64K
ok "a small file is as small as that" [ "$(wc -c <"$trace")" -le 65536 ]
like "$("$tool" "$trace")" '^[0-9]+ of the oldest events were written over' "the summary says what is lost"
is "$("$tool" csv "$trace" | awk -F, '$4 == "end"' | wc -l)" 2 "the last events are there: the end of the phase, twice"

# A file of each rank; a live one; a rank that is killed.
if has_conduit smp; then
    uts smp 3 JACKDAW_TRACE="$trace-%r"
    is "$("$tool" csv "$scratch"/trace-[012] | grep -c ',task,')" "$nodes" "all tasks are in them together"
    rm "$scratch"/trace-*
    uts smp 3 JOB_ID=17 JACKDAW_TRACE="$trace-%h-%j"
    is "$("$tool" csv "$trace-$(uname -n | cut -c-63)-17" | grep -c ',task,')" "$nodes" "all tasks of a host are in its file"
    rm "$scratch"/trace-*
    rm -f "$trace"
    on_ranks smp 2 JACKDAW_WORKERS=1 JACKDAW_TRACE="$trace" examples/uts --tree=T1L >"$scratch/job" 2>&1 &
    job=$!
    ok "a job that runs can be looked at" within 30 live_has_tasks
    victim=$(sed -n 's/^rank 1 (process \([0-9]*\) .*/\1/p' "$scratch/live")
    ok "its rank 1 is process ${victim:-unknown}" [ -n "$victim" ]
    before=$(time_of "$victim")
    kill -USR2 "$victim"
    ok "SIGUSR2 does not end it" within 30 has_gone_on "$victim"
    kill -KILL "$victim"
    wait $job
    like "$("$tool" "$trace")" "^rank 1 \(process $victim on .*\) has not come to its end" "what is left of it is read"
    ok "with its tasks" [ "$(count task visit)" -gt 1000 ]
fi

# Wrong use.
JACKDAW_WORKERS=1
export JACKDAW_WORKERS
exits 78 "a file that cannot be made ends the job" on_ranks "${first_network:-loop}" 2 JACKDAW_TRACE=/nowhere/file examples/fib 5
like "$(cat "$scratch/out")" 'JACKDAW_TRACE=/nowhere/file: it cannot be made: No such file' "and is named"
exits 78 "so does another percent" on_ranks "${first_network:-loop}" 2 JACKDAW_TRACE="$scratch/%d" examples/fib 5
like "$(cat "$scratch/out")" 'JACKDAW_TRACE=.*: a file name .* in which %r is the rank' "with what is allowed"
exits 1 "a file that is not there" "$tool" "$scratch/nothing"
like "$(cat "$scratch/out")" 'nothing: No such file' "is named"
echo text >"$scratch/text"
exits 1 "another file is no trace" "$tool" "$scratch/text"
exits 1 "nor is a larger one" "$tool" "$tool"
head -c 5000 "$trace" >"$scratch/cut"
like "$("$tool" "$scratch/cut")" 'cut is cut off: it ends after 5000 bytes' "one that was not copied to its end is said to be so"
exits 2 "an option that does not exist" "$tool" --outptu=x "$trace"
like "$(cat "$scratch/out")" 'did you mean --output=FILE' "the nearest one is named"
exits 2 "no file at all" "$tool" perfetto
exits 0 "--help" "$tool" --help
like "$("$tool" --version)" '^[0-9]+\.[0-9]+\.[0-9]+$' "--version"
done_testing
