#!/bin/sh
# jackdaw-report makes one page of the figures and the trace of a run: its numbers are theirs, whatever the number of
# ranks; it needs nothing from elsewhere; and of input that is not right it names the file and the place.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/sim.sh"

report=$JD_TEST_BUILDDIR/tools/jackdaw-report
command -v python3 >/dev/null 2>&1 && python=1 || python=
cd "$scratch" || exit 99

# run NAME RANKS WORKERS PROGRAM ARGUMENT...: leave NAME.json and NAME.trace.
run() {
    run_name=$1 run_ranks=$2 run_workers=$3
    shift 3
    JACKDAW_STATS=json:$run_name.json JACKDAW_TRACE=$run_name.trace JACKDAW_RANKS=$run_ranks JACKDAW_WORKERS=$run_workers \
        JACKDAW_SEED=1 timeout 60 "$@" >out 2>err
}
right() { # NAME PAGE RUN.json...
    right_name=$1
    shift
    if [ "$python" ]; then
        ok "$right_name" python3 "$JD_TEST_SRCDIR/test/kit/page.py" "$@"
    fi
}

ok "2 ranks" run two 2 3 "$uts" $tree
ok "their page" "$report" -o two.html two.json two.trace
right "has their numbers" two.html two.json
ok "256 ranks" run many 256 1 "$uts" $tree
ok "their page, under a name" "$report" --title='a <b> & "c"' --output=many.html many.trace many.json
right "has their numbers, too" many.html many.json
ok "the trace of 256 ranks as a picture" "$JD_TEST_BUILDDIR/tools/jackdaw-trace" --output=many.perfetto perfetto many.trace
like "$("$JD_TEST_BUILDDIR/test/kit/perfetto" many.perfetto)" '^[0-9]+ slices' "is well formed"
like "$(cat many.html)" '<h1>a &lt;b&gt; &amp; &quot;c&quot;</h1>' "and the name, without its meaning in HTML"
like "$(cat many.html)" "$(JACKDAW_STATS=explain JACKDAW_RANKS=2 JACKDAW_WORKERS=3 JACKDAW_SEED=1 "$uts" $tree 2>&1 >/dev/null |
    grep '^The workers' | cut -c 1-30)|The workers" "and an explanation"
ok "tasks that wait" run waits 4 2 "$JD_TEST_BUILDDIR/examples/map_reduce-sim" -n 40
"$report" waits.json waits.trace >waits.html
right "are on a page" waits.html waits.json
"$report" two.json >short.html
right "a page without a trace is right" short.html two.json

# Several runs, and the files of each rank of one.
ok "1 rank" run one 1 3 "$uts" $tree
ok "2 ranks with another seed" env JACKDAW_SEED=2 JACKDAW_STATS=json:two2.json JACKDAW_RANKS=2 JACKDAW_WORKERS=3 "$uts" $tree
"$report" two.json two.trace one.json two2.json ./two.json two.trace >scaling.html
right "efficiency is that of the times, of each file once" scaling.html two.json one.json two2.json
ok "a file of each rank" env JACKDAW_STATS=json:%r.json JACKDAW_SEED=1 JACKDAW_RANKS=2 JACKDAW_WORKERS=3 "$uts" $tree
"$report" 1.json 0.json >each.html
is "$(sed -n 's/.*id="executed" value="\([0-9]*\)".*/\1/p' each.html)" "$(sed -n 's/.*id="executed" value="\([0-9]*\)".*/\1/p' two.html)" \
    "together they are the whole run"

# wrong STATUS TEXT NAME ARGUMENT...: an error with the text, and no page.
wrong() {
    wrong_status=$1 wrong_text=$2 wrong_name=$3
    shift 3
    exits "$wrong_status" "$wrong_name" "$report" -o page.html "$@"
    like "$(cat "$scratch/out")" "$wrong_text" "it says so"
    is "$(ls page.html page.html.part 2>/dev/null)" "" "there is no page"
}
head -c 2000 two.json >cut.json
wrong 1 'cut\.json:[0-9]+:[0-9]+: it is no JSON: ' "half a file" cut.json
echo '{"format": "other"}' >other.json
wrong 1 'other\.json:1: it is JSON, and not of' "other JSON" other.json
sed 's/"version": 1,/"version": 2,/' two.json >next.json
wrong 1 'next\.json:3: version is another than 1' "another version" next.json
sed 's/"ns_work": [0-9]*, //' two.json >less.json
wrong 1 'less\.json:[0-9]+: ns_work is missing' "a part of time less" less.json
sed 's/"executed": \([0-9]\)/"executed": -\1/' two.json >minus.json
wrong 1 'minus\.json:[0-9]+: executed is no count' "a number that cannot be" minus.json
wrong 1 'nothing\.json: No such file' "no file" nothing.json
wrong 1 "two: Is a directory" "a folder" "$(mkdir two; echo two)"
head -c 20000 two.trace >cut.trace
wrong 1 'cut\.trace: it is cut off: it ends after 20000 bytes' "half a trace" two.json cut.trace
wrong 1 'many\.trace is not of the run two\.json: its run is [0-9a-f]{16}, and that of the figures' "a trace of another run" two.json many.trace
mv one.trace once.trace
JACKDAW_SEED=3 JACKDAW_RANKS=1 JACKDAW_WORKERS=3 JACKDAW_TRACE=one.trace "$uts" $tree >/dev/null 2>&1
wrong 1 'one\.trace is not of the run one\.json' "of the same program, with as many ranks" one.json one.trace
wrong 1 'once\.trace and the other files are of different runs' "traces of two runs" one.json once.trace one.trace
ok "its own trace" "$report" -o one.html one.json once.trace
wrong 1 'traces alone' "traces alone" two.trace
wrong 1 '0\.json: it has 1 of the 2 ranks' "the file of one rank of two" 0.json
wrong 2 'did you mean --title=TEXT' "an option that does not exist" --titel=x two.json
wrong 2 'no file' "no file at all"
cp two.html page.html
exits 1 "who cannot write" "$report" -o /nowhere/page.html two.json
exits 1 "or cannot read" "$report" -o page.html cut.json
ok "keeps the page that was there" cmp two.html page.html
exits 1 "a full disk" sh -c "'$report' two.json >/dev/full"
like "$("$report" --version)" '^[0-9]+\.[0-9]+\.[0-9]+$' "--version"
like "$("$report" --help)" '^usage: jackdaw-report' "--help"
done_testing
