#!/bin/sh
# Every event of core/trace.def has its paragraph in the manual page of jackdaw-trace, in the table's order, and the
# page explains no event that does not exist.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/meta.sh"

violations() {
    page=doc/jackdaw-trace.1.md
    # TASK_LONG is called as TASK is.
    sed -n 's/^JDI_EVENT([A-Z_]*, *\([a-z]*\),.*/\1/p' core/trace.def | uniq >"$scratch/events"
    [ -s "$scratch/events" ] || echo "core/trace.def: no event found"
    sed -n '/^## EVENTS/,/^## EXIT/s/^\*\*\([a-z]*\)\*\*$/\1/p' "$page" >"$scratch/told"
    sort "$scratch/events" >"$scratch/events_sorted"
    sort "$scratch/told" >"$scratch/told_sorted"
    comm -23 "$scratch/events_sorted" "$scratch/told_sorted" | sed 's/$/ is not documented/'
    comm -13 "$scratch/events_sorted" "$scratch/told_sorted" | sed 's/$/ is documented but no event/'
    if cmp -s "$scratch/events_sorted" "$scratch/told_sorted" && ! cmp -s "$scratch/events" "$scratch/told"; then
        echo "$page: the events are not in the order of core/trace.def"
    fi
}

tree_is_clean "doc/jackdaw-trace.1.md has exactly the events of core/trace.def"
mkdir -p "$planted/core" "$planted/doc"
printf '%s\n' 'JDI_EVENT(A, ends, "", "", "", "it ends")' 'JDI_EVENT(B, runs, "", "", "", "it runs")' \
    'JDI_EVENT(B_LONG, runs, "", "", "", "for long")' >"$planted/core/trace.def"
plant() { printf '## EVENTS\n\n%s\n\n## EXIT STATUS\n' "$1" >"$planted/doc/jackdaw-trace.1.md"; }
plant '**ends**

**runs**'
cd "$planted" && is "$(violations)" "" "a page with all events is clean"
plant '**ends**'
planted_is_found "an event without its paragraph is found" '^runs is not documented'
plant '**ends**

**runs**

**jumps**'
planted_is_found "a paragraph without its event is found" '^jumps is documented but no event'
plant '**runs**

**ends**'
planted_is_found "another order is found" 'the events are not in the order'
done_testing
