#!/bin/sh
# clang-format changes nothing in any C file.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/meta.sh"
command -v clang-format >/dev/null 2>&1 || skip_all "clang-format is not installed"

violations() {
    c_files | xargs clang-format --dry-run 2>&1 | grep 'code should be clang-formatted' |
        sed 's/:.*//' | sort | uniq -c | sed 's/^ *\([0-9]*\) \(.*\)/\2: \1 places/'
}

tree_is_clean "clang-format is a no-op"
cp "$JD_TEST_SRCDIR/.clang-format" "$planted"
printf 'int f(int x){return x ;}\n' >"$planted/bad.c"
planted_is_found "a badly formatted file is found" '^(\./)?bad\.c: [0-9]+ places'
done_testing
