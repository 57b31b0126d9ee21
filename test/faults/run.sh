#!/bin/sh
# Do our assertions stop a fault before it becomes a wrong result?  Plants the faults of faults.tsv
# one at a time in a copy of the tree, builds what a job in one process needs with --enable-debug,
# and runs the jobs below until one of them does not end well.
#
#     run.sh SRCDIR BUILDDIR [FIRST [LAST]]      the lines of the table, from 1
#
# One line for each fault: how the first run that noticed it ended, and which run.
#
#     assertion   a broken invariant, a bad message, an audit: it names the place
#     wrong       the program compared, or ended by a signal or a status of its own
#     hang        nothing had happened when the time was over
#     unseen      every run ended well
#     unfit       the text is not there, or does not compile: mend the table
#
# Ends with the number of each, and status 0 if nine of ten stopped at an assertion.  JOBS=N builds with
# N jobs, SECONDS_EACH=N is how long a run may take, KEEP=DIR is where the copy is made and left.
set -u
srcdir=$(cd "$1" && pwd) builddir=$(cd "$2" && pwd) first=${3:-1} last=${4:-1000}
jobs=${JOBS:-2} seconds=${SECONDS_EACH:-20}
table=$srcdir/test/faults/faults.tsv
scratch=${KEEP:-$(mktemp -d)}
[ -n "${KEEP:-}" ] || trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/tree" "$scratch/build"
tree=$scratch/tree
# shellcheck source=/dev/null
. "$srcdir/test/kit/families.sh"
names() { echo "$*" | tr '|' ' ' | sed 's/[^ ][^ ]*/sched_&/g'; }
# shellcheck disable=SC2154 # families.sh
sim=$(names counts "$data" "$finish" torture scopes holds ranges)
# shellcheck disable=SC2154
loop=$(names "$waiting" counts "$finish" torture thieves holds)
units="core_keyed_finds_what_was_put sched_deque_follows_the_model sched_coll_ids_close
    sched_part_counts_across_hands sched_codec_refuses_what_it_did_not_write
    am_fragments_arrive_in_any_order am_credits_come_back sched_phase_early_tasks_land_when_it_begins
    sched_steal_policies_answer_every_request sched_cancel_names_go_when_scopes_end"

programs() {
    echo examples/uts-sim test/am/behaviour-loop
    for p in $sim; do echo "test/dist/$p-sim"; done
    for p in $loop; do echo "test/dist/$p-loop"; done
    for p in $units; do echo "test/unit/$p"; done
}

# Every run, a line each: settings, then a program of the build directory.
runs() {
    tree="-t 0 -b 200 -q 0.124 -m 8 -r 42"
    echo "JACKDAW_RANKS=5 JACKDAW_STEAL=random counts examples/uts-sim $tree"
    echo "JACKDAW_RANKS=9 JACKDAW_STEAL=success-only JACKDAW_SIM_LAW=tail:1000 counts examples/uts-sim $tree"
    echo "JACKDAW_RANKS=5 JACKDAW_WORKERS=3 JACKDAW_COMM=dedicated JACKDAW_STEAL=lifeline JACKDAW_SIM_LAW=lifo:20000 JACKDAW_SIM_REFUSE=40 JACKDAW_CREDITS=1 counts examples/uts-sim $tree"
    echo "JACKDAW_RANKS=3 JACKDAW_WORKERS=2 JACKDAW_STEAL=baseline JACKDAW_SIM_LAW=uniform:5000 counts examples/uts-sim $tree"
    for law in none lifo:20000; do
        for p in $sim; do
            case $p in
            sched_finish_*) a="5" ;; sched_torture) a="- 2" ;; sched_scopes) a=3 ;; sched_ranges) a=1 ;; *) a= ;;
            esac
            w="JACKDAW_RANKS=5"
            [ $law = none ] || w="JACKDAW_RANKS=8 JACKDAW_WORKERS=2 JACKDAW_FINISH=diffuse JACKDAW_TREE_ARITY=2"
            [ "$p" != sched_scopes ] || w="JACKDAW_RANKS=9"
            echo "$w JACKDAW_SIM_LAW=$law test/dist/$p-sim $a"
        done
    done
    echo "JACKDAW_RANKS=5 JACKDAW_SIM_LAW=hold:50000 JACKDAW_SIM_SLOW=3:100 test/dist/sched_counts-sim"
    echo "JACKDAW_RANKS=3 JACKDAW_ULT=boost test/am/behaviour-loop"
    for p in $loop; do
        case $p in sched_finish_*) a=3 ;; sched_torture) a="- 2" ;; *) a= ;; esac
        echo "JACKDAW_RANKS=3 JACKDAW_WORKERS=2 JACKDAW_ULT=boost test/dist/$p-loop $a"
    done
    # Who resumes whom is chance: more workers.
    for p in $(names "$waiting"); do
        echo "JACKDAW_RANKS=1 JACKDAW_WORKERS=4 JACKDAW_ULT=boost test/dist/$p-loop"
    done
    for p in $units; do echo "test/unit/$p"; done
}

# Replaces once, in the first line behind the anchor that has the text.
plant() { # FILE ANCHOR FROM TO
    A=$2 F=$3 T=$4 awk '
        !seen && index($0, ENVIRON["A"]) { seen = 1 }
        seen && !done && (i = index($0, ENVIRON["F"])) {
            $0 = substr($0, 1, i - 1) ENVIRON["T"] substr($0, i + length(ENVIRON["F"]))
            done = 1
        }
        { print }
        END { exit !done }' "$srcdir/$1" >"$scratch/planted" && cat "$scratch/planted" >"$tree/$1"
}

# shellcheck disable=SC2046 # words
make_all() { make -s -j"$jobs" -C "$scratch/build" $(programs) >"$scratch/make" 2>&1; }

# One line of `runs`; sets `how`, empty if it ended well.
run_one() { # SETTING... PROGRAM ARGUMENT...
    how='' counts='' settings=''
    while :; do
        case $1 in
        *=*) settings="$settings $1"; shift ;;
        counts) counts=1; shift ;;
        *) break ;;
        esac
    done
    program=$1
    shift
    # shellcheck disable=SC2086 # words
    (cd "$scratch/build" && env $settings JACKDAW_SEED=1 timeout -k 1 "$seconds" "./$program" "$@" 2>"$scratch/err") \
        >"$scratch/out" 2>/dev/null
    status=$?
    [ $status != 0 ] || [ -z "$counts" ] || grep -q "^Tree size = $size," "$scratch/out" || status=1
    [ $status != 0 ] || return 0
    text=$(grep -hE -m1 'broken invariant|bad message from|tasks lost or doubled|was sent to nobody|more has come of|francez: rank|ends with tasks|came whole' \
        "$scratch/err" "$scratch/out")
    if [ -n "$text" ]; then
        how="assertion: $text"
    elif [ $status = 124 ] || [ $status = 137 ]; then
        how=hang
    else
        how="wrong: status $status: $(grep -hE -m1 '^not ok|jackdaw:' "$scratch/out" "$scratch/err")"
    fi
}

judge() {
    runs >"$scratch/runs"
    while read -r line; do
        # shellcheck disable=SC2086 # its words
        run_one $line </dev/null
        [ -z "$how" ] || { echo "$how	[$line]"; return; }
    done <"$scratch/runs"
    echo unseen
}

# ---- a copy of the tree, and its build -----------------------------------------------
# Without what has been built in it.
leave=$(cd "$srcdir" && for d in */; do [ ! -f "$d/config.status" ] || echo "--exclude=./${d%/}"; done)
# shellcheck disable=SC2086 # words
(cd "$srcdir" && tar cf - --exclude=./.git --exclude=./.deps --exclude='*.[oa]' $leave .) | (cd "$tree" && tar xf -)
chmod -R u+w "$tree"
# What an earlier run has planted may be in objects that are younger than the file.
grep -v '^#' "$table" | cut -f1 | sort -u | (cd "$tree" && xargs touch)
if [ ! -f "$scratch/build/Makefile" ]; then
    args=$("$builddir/config.status" --config)
    (cd "$scratch/build" && eval "$tree/configure --quiet $args --enable-debug CFLAGS=-O1\ -g") >"$scratch/make" 2>&1 ||
        { cat "$scratch/make"; exit 2; }
fi
make_all || { cat "$scratch/make"; exit 2; }
size=$(cd "$scratch/build" && JACKDAW_RANKS=1 examples/uts-sim -t 0 -b 200 -q 0.124 -m 8 -r 42 --serial |
    sed -n 's/^Tree size = \([0-9]*\),.*/\1/p')
clean=$(judge)
[ "$clean" = unseen ] || { echo "without a fault: $clean"; exit 2; }

# ---- the table -----------------------------------------------------------------------
n=0
tab=$(printf '\t')
: >"$scratch/report"
grep -v '^#' "$table" >"$scratch/table"
while IFS=$tab read -r file anchor from to what; do
    n=$((n + 1))
    [ $n -ge "$first" ] && [ $n -le "$last" ] || continue
    if ! plant "$file" "$anchor" "$from" "$to" || ! make_all </dev/null; then
        verdict=unfit
    else
        verdict=$(judge)
    fi
    cp "$srcdir/$file" "$tree/$file"
    printf '%d %s: %s\n    %s\n' $n "$file" "$what" "$verdict"
    echo "$verdict" | sed 's/[:	 ].*//' >>"$scratch/report"
done <"$scratch/table"
sort "$scratch/report" | uniq -c
awk '/^assertion/ { a++ } END { exit !(NR && 10 * a >= 9 * NR) }' "$scratch/report"
