#!/bin/sh
# The files of JACKDAW_STATS: they hold the figures of 256 ranks, JSON and CSV and the table say the same, the JSON
# fits the schema that is installed, and the parts of time add up in each thread.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/sim.sh"

run() { # STATS RANKS WORKERS
    (cd "$scratch" && JACKDAW_STATS=$1 JACKDAW_RANKS=$2 JACKDAW_WORKERS=$3 JACKDAW_SEED=1 \
        timeout 60 "$uts" $tree >out 2>err)
}

# The fields of the lines of one scope: column SCOPE NAME FILE
column() {
    awk -F, -v scope="$1" -v name="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; width = NF }
        NF != width { print "a line has " NF " columns, not " width }
        NR > 1 && $1 == scope { print at ? $at : "no column" }' "$3"
}
sum() { awk '{ s += $1 } END { printf "%d\n", s }'; }

run 1,csv:s.csv,json:s.json 256 1
is $? 0 "256 ranks"
is "$(column rank executed "$scratch/s.csv" | wc -l)" 256 "CSV: a line for each rank"
for name in executed messages ns_work ns_idle; do
    total=$(column job $name "$scratch/s.csv")
    is "$(column rank $name "$scratch/s.csv" | sum)" "$total" "CSV: ranks add up to the job in $name"
done
is "$(column job executed "$scratch/s.csv")" "$(counter "tasks executed")" "CSV and the table say the same"
is "$(column job executed "$scratch/s.csv")" "$(sed -n 's/.*"executed": {"sum": \([0-9]*\),.*/\1/p' "$scratch/s.json")" \
    "CSV and JSON say the same"

run csv:%r.csv 3 4
is "$(cat "$scratch/out" | sed -n 's/^Tree size = \([0-9]*\),.*/\1/p')" \
    "$(cat "$scratch"/[012].csv | awk -F, '$1 == "rank" { s += $6 } END { print s }')" "a file for each rank"
is "$(cat "$scratch"/[012].csv | grep -c ^worker)" 12 "with a line for each worker"
off=$(awk -f "$JD_TEST_SRCDIR/test/kit/parts.awk" "$scratch"/[012].csv)
is "$off" "" "the parts of time of each thread are its life"

exits 78 "a word that means nothing" env JACKDAW_STATS=xml:a JACKDAW_RANKS=2 "$uts" $tree
exits 75 "a file that cannot be written is an error at the start" \
    env JACKDAW_STATS=json:"$scratch/no/a" JACKDAW_RANKS=2 "$uts" $tree
exits 75 "or at the end" env JACKDAW_STATS=json:/dev/full JACKDAW_RANKS=2 "$uts" $tree
exits bad "a job that loses a rank" env JACKDAW_STATS=json:"$scratch/lost" JACKDAW_SIM_CRASH=1:1000 JACKDAW_RANKS=2 "$uts" $tree
is "$(find "$scratch" -name 'lost*')" "" "leaves no file"

# nested_for has one finish of the body.
ok "a program with finishes" env JACKDAW_STATS=json:"$scratch/f.json" JACKDAW_RANKS=2 JACKDAW_SEED=1 \
    "$JD_TEST_BUILDDIR/examples/nested_for-sim" 20 10 5
like "$(cat "$scratch/f.json")" '{"number": 1, "all_ranks": false, "began_ns": [0-9]+, "ended_ns": [1-9][0-9]*, "tasks": [1-9]' \
    "JSON: when each began and ended, and what ran meanwhile"
is "$(sed -n 's/.*"finish_tasks": {"sum": \([0-9]*\),.*/\1/p' "$scratch/f.json")" \
    "$(sed -n '/"job": {/,$s/.*"executed": {"sum": \([0-9]*\),.*/\1/p' "$scratch/f.json")" "JSON: all tasks were of finishes"

if command -v python3 >/dev/null 2>&1; then
    fits() { python3 "$JD_TEST_SRCDIR/test/kit/schema.py" "$JD_TEST_SRCDIR/tools/stats.schema.json" "$@"; }
    ok "the JSON fits its schema" fits "$scratch/s.json" "$scratch/f.json"
    cp "$uts" "$scratch/a \"name\\"
    uts="./a \"name\\"
    tree="$tree --check=\"\\"
    JACKDAW_WORKERS=2 run "full,json:$scratch/%r.json" 2 3
    ok "each rank's file, whatever the program is called" fits "$scratch/0.json" "$scratch/1.json"
    sed 's/"executed": \([0-9]*\)/"executed": -\1/' "$scratch/s.json" >"$scratch/bad.json"
    exits bad "a number that cannot be is found" fits "$scratch/bad.json"
    sed '/"host"/d' "$scratch/s.json" >"$scratch/bad.json"
    exits bad "a name that is missing is found" fits "$scratch/bad.json"
fi
done_testing
