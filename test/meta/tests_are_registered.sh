#!/bin/sh
# Every file of the tests and every source file is named in a makefile, and every program that exists for
# each network in a script or in a family, which run it.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/meta.sh"

violations() {
    cat Makefile.am ./*/Makefrag.am tools/setup/conduit.sh | tr -s ' \t\\=":' '\n' | sort -u >"$scratch/named"
    files | sed 's|^\./||' | grep -E '^(core|am|termination|sched|conform|examples|bench|include|tools|test)/' |
        grep -vE '\.(md|orig|rej)$|~$|/Makefrag.am$|^tools/setup/conduit.sh$' | while read -r f; do
        grep -Fqx -e "$f" -e "${f%.c}" "$scratch/named" && continue
        # Programs that exist for each network are named without their suffix.
        case $f in *.c) grep -Fqx "${f%.c}" "$scratch/named" && continue ;; esac
        echo "$f is in no makefile"
    done
    sed -n 's,^ *test/dist/sched_\([a-z_]*\)$,\1,p' tools/setup/conduit.sh | while read -r program; do
        cat test/dist/*.sh test/kit/families.sh | tr -cs 'a-z_' '\n' |
            grep -Eqx "(sched_)?$program" || echo "test/dist/sched_$program is run by no script"
    done
    # Names say the tier's folder and a claim.
    files | grep -E '^\./test/(unit|conform|sim|stress)/.*\.c$' | xargs grep -lE '^int main\(' |
        sed 's,.*/,,; s,\.c$,,' | grep -vE '^[a-z0-9]+(_[a-z0-9]+){2,}$' |
        sed 's/$/: a name is <folder>_<noun>_<claim>/'
}

tree_is_clean "no file is forgotten by the makefiles"
mkdir -p "$planted/test/unit" "$planted/tools/setup"
echo 'unit_programs = test/unit/core_a_works' >"$planted/test/Makefrag.am"
touch "$planted/Makefile.am" "$planted/tools/setup/conduit.sh" \
    "$planted/test/unit/core_a_works.c" "$planted/test/unit/core_b_works.c"
echo "int main(void)" >"$planted/test/unit/short.c"
planted_is_found "a forgotten test is found" '^test/unit/core_b_works\.c is in no makefile'
planted_is_found "a name without a claim is found" '^short: a name'
mkdir -p "$planted/test/dist" "$planted/test/kit"
echo 'every_pair ends program=counts' >"$planted/test/dist/ends.sh"
echo "data='data_goes|data_comes'" >"$planted/test/kit/families.sh"
printf '    test/dist/sched_%s\n' counts data_goes data_stays >"$planted/tools/setup/conduit.sh"
planted_is_found "a program that no script runs is found" '^test/dist/sched_data_stays is run by no script'
cd "$planted" && case $(violations) in
*core_a_works* | *sched_counts* | *sched_data_goes*) fail "what is named is not" ;;
*) pass "what is named is not" ;;
esac
done_testing
