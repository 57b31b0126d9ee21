#!/bin/sh
# No source file has more than 600 lines, unless its first 20 lines say why.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/meta.sh"

violations() {
    files | grep -E '\.(c|h|def|sh|am|ac|m4)$|/dev$|/\.ci/run$' | while read -r f; do
        n=$(wc -l <"$f")
        if [ "$n" -gt 600 ] && ! head -20 "$f" | grep -qi 'lines because'; then
            echo "$f: $n lines; split it, or say \"... lines because ...\" at its top"
        fi
    done
}

tree_is_clean "files have at most 600 lines"
mkdir -p "$planted/core"
seq 601 >"$planted/core/long.c"
{ echo "/* 601 lines because it is a table. */"; seq 600; } >"$planted/core/excused.c"
planted_is_found "a long file is found" '^\./core/long\.c: 601 lines'
rm "$planted/core/long.c"
cd "$planted" && is "$(violations)" "" "one with a reason is not"
done_testing
