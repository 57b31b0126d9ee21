#!/bin/sh
# Every test checks something: a C test has a check and ends with done_testing or a plan,
# and so does a script.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/meta.sh"

violations() {
    files | grep -E '^\./test/(unit|sim|conform|dist|stress)/.*\.c$' | while read -r f; do
        grep -q '\bmain\b' "$f" || continue
        # A program of test/dist/ that a script runs and judges prints no TAP.
        case $f in ./test/dist/*) grep -q 'test/kit/tap\.h' "$f" || continue ;; esac
        grep -qE '\b(ok|is_u64|is_str|pass|fail)\(' "$f" || echo "$f: checks nothing"
        grep -qE '\bdone_testing\(' "$f" || echo "$f: does not end with done_testing()"
        grep -qE '\bplan\(0\)' "$f" && echo "$f: an empty plan"
    done
    files | grep -E '^\./test/(unit|sim|conform|dist|meta|stress)/.*\.sh$' | while read -r f; do
        grep -qE '^ *(ok|is|like|exits|subtests|pass|fail|tree_is_clean|planted_is_found) |[|&]{2} (pass|fail|ok|is) ' "$f" ||
            echo "$f: checks nothing"
        grep -qE '^done_testing' "$f" || echo "$f: does not end with done_testing"
    done
    # Tests wait for conditions, not for time.
    files | grep -E '^\./test/(unit|sim|conform)/.*\.c$' | xargs grep -HnE '\b(usleep|sleep)\(' |
        sed 's/$/   (sleeps)/'
}

tree_is_clean "tests have checks and an end"
mkdir -p "$planted/test/unit"
printf 'int main(void) { plan(0); usleep(3); return 0; }\n' >"$planted/test/unit/empty.c"
printf 'echo 1..1\n' >"$planted/test/unit/empty.sh"
planted_is_found "a C test without checks is found" 'empty\.c: checks nothing'
planted_is_found "one without an end is found" 'empty\.c: does not end'
planted_is_found "an empty plan is found" 'empty\.c: an empty plan'
planted_is_found "a sleep is found" 'empty\.c:1:.*sleeps'
planted_is_found "a script without checks is found" 'empty\.sh: checks nothing'
done_testing
