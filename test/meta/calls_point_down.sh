#!/bin/sh
# Calls point down, as test/kit/floors.txt has it, and no more than four files of the library need
# each other.  nm reads the objects, so calls through an inline function of a header count.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/meta.sh"

most_in_a_cycle=4

# The edges of all libraries in ".", from <library>.nm of each one.  A network defines jdi_conduit,
# which am/am.h declares: who names it asks am, and does not know which network answers.
edges() {
    for symbols in *.nm; do
        awk -f "$JD_TEST_SRCDIR/test/kit/edges.awk" "$symbols"
    done | sed 's| [^ ]* jdi_conduit$| am/am.h jdi_conduit|' | sort -u
}
violations() {
    edges >"$scratch/edges"
    awk '{ print $1, $2, $1 " -> " $2 ": " $3 }' "$scratch/edges" |
        awk -f "$JD_TEST_SRCDIR/test/kit/floors.awk" "$JD_TEST_SRCDIR/test/kit/floors.txt" -
    awk -v most=$most_in_a_cycle -f "$JD_TEST_SRCDIR/test/kit/cycles.awk" "$scratch/edges"
}

project=$scratch/project
read_objects "$project"
tree_is_clean "calls point down"
ok "the edges of every library are known" test "$(wc -l <"$scratch/edges")" -gt 500

object() { # FILE CODE
    mkdir -p "$planted/${1%/*}"
    echo "$2" >"$planted/$1"
    (cd "$planted" && $JD_TEST_CC -c -o "${1%.c}.o" "$1") || bail_out "no compiler"
}
object core/log.c 'extern int jdi_x; int jdi_worker_run(int); int jdi_log(void) { return jdi_worker_run(jdi_x); }'
object core/err.c 'int jdi_x;'
object sched/worker.c 'int jdi_log(void); int jdi_worker_run(int a) { return a + jdi_log(); }'
object am/sim/run.c 'const int jdi_conduit = 1;'
object sched/launch/launch.c 'extern const int jdi_conduit; int jdi_launch(void) { return jdi_conduit; }'
(cd "$planted" && nm -P -A -- */*.o */*/*.o >sim.nm)
planted_is_found "core that calls sched is found" \
    '^core/log\.c -> sched/worker\.c: jdi_worker_run .*core does not see sched'
cd "$planted" && is "$(violations | wc -l)" 1 "what it may call is not, nor is a cycle of two"

# Cycles of 4, 5 and 6 files beside each other.
rm sim.nm
ring() { # NAME SIZE
    seq "$2" | awk -v n="$2" -v name="$1" '{
        print "am/" name $1 ".o: jdi_" name $1 " T 0 1"
        print "am/" name $1 ".o: jdi_" name ($1 % n + 1) " U" }'
}
{ ring a 5; ring b 4; ring c 6; } >loop.nm
planted_is_found "a cycle of five files is found" '^5 files need each other:.* am/a3\.c'
planted_is_found "so are its calls" '^    am/a5\.c -> am/a1\.c: jdi_a1$'
planted_is_found "so is another cycle" '^6 files need each other:.* am/c3\.c'
cd "$planted" && is "$(violations | wc -l)" 13 "a cycle of four is not"
done_testing
