#!/bin/sh
# Every knob is in the manual page, and the page names no knob that does not exist.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/meta.sh"

violations() {
    sed -n 's/^JDI_KNOB_[A-Z]*([a-z_]*, *"\([A-Z_]*\)".*/JACKDAW_\1/p' core/knobs.def | sort -u >"$scratch/knobs"
    [ -s "$scratch/knobs" ] || echo "core/knobs.def: no knob found"
    grep -oE '\bJACKDAW_[A-Z_]*[A-Z]\b' doc/jackdaw-env.7.md 2>/dev/null | sort -u >"$scratch/documented"
    comm -23 "$scratch/knobs" "$scratch/documented" | sed 's/$/ is not documented/'
    comm -13 "$scratch/knobs" "$scratch/documented" | sed 's/$/ is documented but no knob/'
}

tree_is_clean "doc/jackdaw-env.7.md has exactly the knobs of core/knobs.def"
mkdir -p "$planted/core" "$planted/doc"
echo 'JDI_KNOB_INT(a, "A_KNOB", 0, 0, 1,' >"$planted/core/knobs.def"
echo '**JACKDAW_OTHER**' >"$planted/doc/jackdaw-env.7.md"
planted_is_found "a knob without documentation is found" '^JACKDAW_A_KNOB is not documented'
planted_is_found "documentation without a knob is found" '^JACKDAW_OTHER is documented but no knob'

# Markdown takes underscores for emphasis, so the page that is made is looked at too.
lost() { # SCRIPT
    sh "$1" "$JD_TEST_SRCDIR/doc/jackdaw-env.7.md" 0 | sed 's/\\f.//g' >"$scratch/page"
    while read -r knob; do grep -q "\\b$knob\\b" "$scratch/page" || echo "$knob"; done <"$scratch/names"
}
if command -v "${LOWDOWN:-lowdown}" >/dev/null; then
    sed -n 's/^JDI_KNOB_[A-Z]*([a-z_]*, *"\([A-Z_]*\)".*/JACKDAW_\1/p' "$JD_TEST_SRCDIR/core/knobs.def" >"$scratch/names"
    is "$(lost "$JD_TEST_SRCDIR/tools/setup/man.sh")" "" "the page that is made has every name as it is"
    sed 's/^    -e .*"$file"/    "$file"/' "$JD_TEST_SRCDIR/tools/setup/man.sh" >"$scratch/plain.sh"
    like "$(lost "$scratch/plain.sh")" '^JACKDAW_STACK_SIZE$' "and a page that lost one is found"
fi
done_testing
