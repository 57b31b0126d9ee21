#!/bin/sh
# No two files of the library have a static function of the same name: a profile and a debugger show
# it without its file.
#
# Names are read from the sources, because a compiler leaves no symbol of a function that is inlined
# everywhere, and from the objects, because only these have the names that macros make.  The objects
# of the networks of GASNet are left out: its headers have static functions of their own.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/meta.sh"

# "NAME FILE" for each function that begins with "static" in the first column.
of_sources() {
    c_files | grep -E '^\./(core|am|termination|sched|conform)/' | sed 's|^\./||' | xargs awk '
        !/^static .*\(/ { next }
        {
            gsub(/__attribute__\(\([^)]*\)+/, "")
            sub(/ *\(.*/, "")
            if (/=/) next
            sub(/.*[ *]/, "")
            print $0, FILENAME
        }'
}
# The same of "nm -P -A" in $symbols, without what the compiler adds: "run.part.0" is of run,
# "_sub_I_00099_1" and "asan.module_ctor" are of nobody.
of_objects() {
    awk '$3 == "t" && $2 !~ /^_|\.module_/ {
        sub(/:$/, "", $1)
        sub(/\.o$/, ".c", $1)
        sub(/\..*/, "", $2)
        print $2, $1 }' "$symbols"
}
# An inline function of a header is in the object of each file that includes it, and an exported one
# may leave a part of itself: neither is a name of that object.
violations() {
    {
        of_sources
        awk '$3 == "T" { print $2, "-" }' "$symbols"
        echo "- -"
        of_objects
    } | awk '
        $1 == "-" { objects = 1; next }
        objects && ($1 in shared) { next }
        $2 == "-" || (!objects && $2 ~ /\.h$/) { shared[$1] = 1 }
        $2 != "-" && !(($1, $2) in has) { has[$1, $2] = 1; n[$1]++; files[$1] = files[$1] " " $2 }
        END { for (name in n) if (n[name] > 1) print name " is in" files[name] }' | sort
}

read_objects "$scratch/nm"
symbols=$scratch/symbols
cat "$scratch/nm/loop.nm" "$scratch/nm/sim.nm" "$scratch/nm/conform.nm" >"$symbols"
tree_is_clean "no static name stands in two files"
ok "there are static functions" test "$(cd "$JD_TEST_SRCDIR" && of_sources | wc -l)" -gt 500
ok "objects have some of them" test "$(of_objects | wc -l)" -gt 300

mkdir -p "$planted/core" "$planted/sched"
cat >"$planted/core/log.h" <<'C'
static inline int jdi_log_level(int a)
static inline int line(void)
C
cat >"$planted/core/log.c" <<'C'
static int twice(int (*fn)(void))
static const struct ops *find(void);
static const struct ops *find(void)
static int (*table[])(void) = {twice(0)};
static struct what once = {0};
static JD_NORETURN void line(const char *text)
C
cat >"$planted/sched/worker.c" <<'C'
static __attribute__((noinline)) int twice(void)
static int once(void)
C
cat >"$planted/nm" <<'NM'
core/log.o: find t 0 1
core/log.o: jdi_log_level t 0 1
core/log.o: find.part.0 t 0 1
core/log.o: jdi_log_line.cold t 0 1
core/log.o: jdi_log_line T 0 1
core/log.o: _sub_I_00099_1 t 0 1
core/log.o: made_init.isra.0 t 0 1
core/log.o: state d 0 1
sched/worker.o: jdi_log_level t 0 1
sched/worker.o: _sub_I_00099_1 t 0 1
sched/worker.o: made_init t 0 1
sched/worker.o: state d 0 1
sched/coll.o: jdi_log_line.part.0 t 0 1
NM
symbols=$planted/nm
planted_is_found "a name in two sources is found" '^twice is in core/log\.c sched/worker\.c$'
planted_is_found "a header's name in a source is found" '^line is in core/log\.c core/log\.h$'
planted_is_found "a name that macros made is found" '^made_init is in core/log\.c sched/worker\.c$'
cd "$planted" && is "$(violations | wc -l)" 3 "the others are not"
done_testing
