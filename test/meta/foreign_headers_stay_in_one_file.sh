#!/bin/sh
# Each foreign library is seen by one file, and atomics only through C11.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/meta.sh"

# Pattern of the header, and the files that may include it.
violations() {
    while read -r header allowed; do
        c_files | xargs grep -HnE "^ *# *include *[<\"]$header" 2>/dev/null |
            grep -vE "^\./$allowed:" | sed 's/$/   (foreign header)/'
    done <<'TABLE'
gasnet am/gasnet/[a-z_0-9]*\.[ch]
abt\.h (core/ult/argobots|bench/(async|switch)_abt)\.c
boost/ core/ult/boost\.c
hwloc core/topo\.c
mpi\.h none
xxhash core/checksum\.c
nettle/ examples/uts[a-z_]*\.[ch]
TABLE
    # Boost.Context's C entry points have no C header; core/ult/boost.c declares them.
    c_files | xargs grep -HnE '\b(jump|make|ontop)_fcontext\b' |
        grep -vE '^\./core/ult/(boost|argobots)\.c:' | grep -vE ':[0-9]+: \*|/\*'
}

tree_is_clean "foreign libraries are seen by one file each"
mkdir -p "$planted/sched" "$planted/am/gasnet"
echo '#include <gasnetex.h>' >"$planted/sched/worker.c"
echo '#include <gasnetex.h>' >"$planted/am/gasnet/gasnet.c"
echo '    jump_fcontext(to, 0);' >"$planted/sched/self.c"
planted_is_found "GASNet in the scheduler is found" '^\./sched/worker\.c:1:.*gasnetex'
planted_is_found "Boost.Context in the scheduler is found" '^\./sched/self\.c:1:'
cd "$planted" && case $(violations) in
*am/gasnet/gasnet.c*) fail "GASNet in am/gasnet/gasnet.c is allowed" ;;
*) pass "GASNet in am/gasnet/gasnet.c is allowed" ;;
esac
done_testing
