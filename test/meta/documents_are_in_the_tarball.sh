#!/bin/sh
# Every text in doc/ is named in the makefile, so that the tarball has it and it is installed.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/meta.sh"

violations() {
    files | sed -n 's|^\./\(doc/.*\.md\)$|\1|p' >"$scratch/texts"
    [ -s "$scratch/texts" ] || echo "doc/: no text found"
    while read -r text; do
        grep -qE "^	$text( \\\\)?\$" Makefile.am || echo "$text is not in Makefile.am"
    done <"$scratch/texts"
}

tree_is_clean "Makefile.am names every text of doc/"
mkdir -p "$planted/doc/calls"
printf 'doc_sources = \\\n\tdoc/one.md \\\n\tdoc/calls/two.md\n' >"$planted/Makefile.am"
touch "$planted/doc/one.md" "$planted/doc/calls/two.md"
cd "$planted" && is "$(violations)" "" "a makefile with all of them is clean"
touch "$planted/doc/on.md"
planted_is_found "a text that it does not name is found" '^doc/on.md is not in Makefile.am'
done_testing
