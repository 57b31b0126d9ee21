#!/bin/sh
# Memcheck finds nothing in jobs of this runtime: it knows the stacks of tasks, on both engines.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/families.sh"
[ "$JD_TEST_SANITIZER" = none ] || skip_all "memcheck cannot run what a sanitizer watches"
valgrind=$(command -v valgrind) || skip_all "valgrind is not installed"
echo '#include <valgrind/valgrind.h>' | "$JD_TEST_CC" -E - >/dev/null 2>&1 ||
    skip_all "valgrind's header is not there"
ok "configure has found valgrind's header" \
    grep -q 'HAVE_VALGRIND_VALGRIND_H 1' "$JD_TEST_BUILDDIR/config.h"
JD_TEST_TIMEOUT=300
export JD_TEST_TIMEOUT

# Complaints of all processes; the lines that begin with -- are about valgrind itself.
complaints() { cat "$scratch"/memcheck.* | grep '^=='; }

# Threads that spin would keep the one turn that valgrind has to give.
is_clean() { # NETWORK ENGINE PROGRAM ARGUMENT...
    network=$1 engine=$2 program=$3
    shift 3
    rm -f "$scratch"/memcheck.*
    ok "$network, $engine: $program ends well" env JACKDAW_ULT="$engine" JACKDAW_WORKERS=2 "$tap_ranks" \
        "$network" 2 "$valgrind" -q --fair-sched=yes --log-file="$scratch/memcheck.%p" \
        "$JD_TEST_BUILDDIR/test/dist/sched_$program-$network" "$@"
    is "$(complaints | head -n 20)" "" "$network, $engine: and memcheck finds nothing"
}

# What each program is told: sizes that take a second or two here.
arguments_of() { # PROGRAM
    case $1 in
    arguments) echo 8 ;;
    finish_*) echo 6 ;;
    futures_* | data_*) echo 5 ;;
    *) echo 20 ;;
    esac
}

programs=$(echo "arguments|counts|holds|$finish|$futures|$data|$waiting" | tr '|' ' ')
for at in "loop boost" "smp boost" "smp argobots"; do
    network=${at% *} engine=${at#* }
    case " $JD_TEST_ENGINES " in *" $engine "*) ;; *) continue ;; esac
    case " $JD_TEST_CONDUITS loop " in *" $network "*) ;; *) continue ;; esac
    for program in $programs; do
        # shellcheck disable=SC2086 # the words are two
        is_clean $at "$program" "$(arguments_of "$program")"
    done
done

# Were it not so, the lines above would say nothing.
printf '#include <stdlib.h>\nint main(void) { volatile char *p = malloc(8); p[8] = 1; return 0; }\n' >"$scratch/fault.c"
ok "a program with a fault builds" "$JD_TEST_CC" -o "$scratch/fault" "$scratch/fault.c"
rm -f "$scratch"/memcheck.*
"$valgrind" -q --log-file="$scratch/memcheck.%p" "$scratch/fault"
like "$(complaints)" 'Invalid write of size 1' "and its fault is found"
done_testing
