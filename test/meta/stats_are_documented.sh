#!/bin/sh
# Every row of the table of counters has its line in the manual page, in the table's order, and the page
# explains no row that does not exist.  The schema of the JSON has exactly their names.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/meta.sh"

# A row of the page is "**text** (`name`)" alone on its line, then ": " and what it means.  Classes of counts
# stand below the table.
violations() {
    page=doc/jackdaw-stats.7.md schema=tools/stats.schema.json
    sed -nE 's/^JDI_(STAT|MOST)\(([a-z_]*), *"(.*)"\).*/\3 (\2)/p' core/stats.def >"$scratch/rows"
    sed -n 's/^JDI_CLASSES(\([a-z_]*\),.*/\1/p' core/stats.def | sort >"$scratch/classes"
    [ -s "$scratch/rows" ] || echo "core/stats.def: no row found"
    # Only what stands between the sections TASKS and LINES BELOW THE TABLE is a row.
    sed -n '/^## TASKS/,/^## LINES/s/^\*\*\(.*\)\*\* (`\([a-z_]*\)`)$/\1 (\2)/p' "$page" >"$scratch/said"
    sed -n '/^## LINES/,$s/^\*\*.*\*\* (`\([a-z_]*\)`)$/\1/p' "$page" | sort >"$scratch/said_classes"
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
    # The schema has each name five times: as what a counter may be called, as what the job and a thread must
    # have, and where it says of what shape that is.
    sed -nE 's/^JDI_(STAT|MOST|CLASSES)\(([a-z_]*),.*/\2/p' core/stats.def | while read -r name; do
        n=$(grep -o "\"$name\"" "$schema" | wc -l)
        [ "$n" -eq 5 ] || echo "$name stands $n times in $schema, not 5 times"
    done
}

tree_is_clean "doc/jackdaw-stats.7.md has exactly the rows of core/stats.def"
mkdir -p "$planted/core" "$planted/doc" "$planted/tools"
cat >"$planted/core/stats.def" <<'DEF'
JDI_STAT(a, "things that happened")
JDI_MOST(b, "things that did not")
JDI_CLASSES(ages, 6)
DEF
for name in a b ages; do printf '"%s" "%s" "%s" "%s" "%s"\n' $name $name $name $name $name; done \
    >"$planted/tools/stats.schema.json"
plant() { printf '## TASKS\n\n%s\n\n## LINES\n\n**age** (`ages`)\n: Ages. Worker. Old.\n' "$1" >"$planted/doc/jackdaw-stats.7.md"; }
good='**things that happened** (`a`)
: What. Who. Many.

**things that did not** (`b`)
: What. Who. Few.'
plant "$good"
cd "$planted" && is "$(violations)" "" "a page with all rows is clean"
plant "${good%%

*}"
planted_is_found "a row without its line is found" '^things that did not .b. is not documented'
plant "$good

"'**things that nobody counts** (`c`)
: What. Who. Few.'
planted_is_found "a line without its row is found" '^things that nobody counts .c. is documented but no row'
plant '**things that did not** (`b`)
: What. Who. Few.

**things that happened** (`a`)
: What. Who. Many.'
planted_is_found "another order is found" 'the rows are not in the order'
plant '**things that happened** (`a`)
: What. Who.

**things that did not** (`b`)
: What. Who. Few.'
planted_is_found "a line that says too little is found" '^things that happened .* lacks'
echo 'JDI_CLASSES(heights, 6)' >>"$planted/core/stats.def"
plant "$good"
planted_is_found "classes without a line are found" '^heights are not documented'
sed -i 1d "$planted/tools/stats.schema.json"
planted_is_found "a name that the schema lacks is found" '^a stands 0 times in'
done_testing
