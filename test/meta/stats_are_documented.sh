#!/bin/sh
# Every row of the table of counters has its line in the manual page, in the table's order, and the page
# explains no row that does not exist.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/meta.sh"

# A row of the page is "**text**" alone on its line, then ": " and what it means; classes of counts stand
# in brackets behind such a text.
violations() {
    page=doc/jackdaw-stats.7.md
    sed -nE 's/^JDI_(STAT|MOST)\([a-z_]*, *"(.*)"\).*/\2/p' core/stats.def >"$scratch/rows"
    sed -n 's/^JDI_CLASSES(\([a-z_]*\),.*/\1/p' core/stats.def | sort >"$scratch/classes"
    [ -s "$scratch/rows" ] || echo "core/stats.def: no row found"
    # Only what stands between the sections TASKS and LINES BELOW THE TABLE is a row.
    sed -n '/^## TASKS/,/^## LINES/s/^\*\*\(.*\)\*\*$/\1/p' "$page" >"$scratch/said"
    sed -n 's/^\*\*.*\*\* (`\([a-z_]*\)`)$/\1/p' "$page" | sort >"$scratch/said_classes"
    sort "$scratch/rows" >"$scratch/rows_sorted"
    sort "$scratch/said" >"$scratch/said_sorted"
    comm -23 "$scratch/rows_sorted" "$scratch/said_sorted" | sed 's/$/ is not documented/'
    comm -13 "$scratch/rows_sorted" "$scratch/said_sorted" | sed 's/$/ is documented but no row/'
    comm -23 "$scratch/classes" "$scratch/said_classes" | sed 's/$/ are not documented/'
    comm -13 "$scratch/classes" "$scratch/said_classes" | sed 's/$/ are documented but no classes/'
    if cmp -s "$scratch/rows_sorted" "$scratch/said_sorted" && ! cmp -s "$scratch/rows" "$scratch/said"; then
        echo "$page: the rows are not in the order of core/stats.def"
    fi
    # An explanation has three sentences at least: what, by whom, what a large value means.
    sed -n '/^## TASKS/,/^## LINES/p' "$page" | awk '
        /^\*\*/ { row = $0; gsub(/\*/, "", row); next }
        /^: / { sentences = 0; inside = 1 }
        inside { sentences += gsub(/\.( |$)/, "") }
        inside && /^$/ { inside = 0; if (sentences < 3) print row " lacks what, by whom or what it means" }'
}

tree_is_clean "doc/jackdaw-stats.7.md has exactly the rows of core/stats.def"
mkdir -p "$planted/core" "$planted/doc"
cat >"$planted/core/stats.def" <<'DEF'
JDI_STAT(a, "things that happened")
JDI_MOST(b, "things that did not")
JDI_CLASSES(ages, 6)
DEF
plant() { printf '## TASKS\n\n%s\n\n## LINES\n\n**age** (`ages`)\n: Ages. Worker. Old.\n' "$1" >"$planted/doc/jackdaw-stats.7.md"; }
good='**things that happened**
: What. Who. Many.

**things that did not**
: What. Who. Few.'
plant "$good"
cd "$planted" && is "$(violations)" "" "a page with all rows is clean"
plant "${good%%

*}"
planted_is_found "a row without its line is found" '^things that did not is not documented'
plant "$good

**things that nobody counts**
: What. Who. Few."
planted_is_found "a line without its row is found" '^things that nobody counts is documented but no row'
plant "**things that did not**
: What. Who. Few.

**things that happened**
: What. Who. Many."
planted_is_found "another order is found" 'the rows are not in the order'
plant "**things that happened**
: What. Who.

**things that did not**
: What. Who. Few."
planted_is_found "a line that says too little is found" '^things that happened lacks'
echo 'JDI_CLASSES(heights, 6)' >>"$planted/core/stats.def"
plant "$good"
planted_is_found "classes without a line are found" '^heights are not documented'
done_testing
