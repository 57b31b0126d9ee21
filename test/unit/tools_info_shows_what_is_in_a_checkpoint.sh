#!/bin/sh
# jackdaw-info FILE: what a program has saved, for people and as JSON; a file that is damaged or missing is named.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
info=$JD_TEST_BUILDDIR/tools/jackdaw-info
JACKDAW_ULT=boost JACKDAW_WORKERS=1
export JACKDAW_ULT JACKDAW_WORKERS
cd "$scratch" || exit 99

JACKDAW_RANKS=3 ok "three ranks save" "$JD_TEST_BUILDDIR/examples/restart-loop" -f run -n 40 -s 2 -w 1
says=$("$info" run)
is $? 0 "the checkpoint is whole"
like "$says" '^checkpoint  run, version 2, generation 2$' "its generation"
like "$says" '^collection  cells, not timed, after phase 2$' "its collection"
like "$says" '^ranks       3, workers 3$' "who has saved"
like "$says" '^seeds       40 executed, 40 added, 0 pruned$' "how many seeds"
like "$says" '^tasks       step_cell$' "their tasks"
like "$says" '^memory 0    320 bytes$' "the memory"
is "$(echo "$says" | grep -c ' whole$')" 3 "a line for each share"

"$info" --json run >json
is $? 0 "as JSON"
if command -v python3 >/dev/null; then
    ok "the members are those of the manual" python3 -c '
import json
d = json.load(open("json"))
assert d["collection"] == "cells" and d["timed"] is False and d["phases"] == 2, d
assert d["memories"] == [320] and d["state"] == 16 and d["tasks"] == ["step_cell"], d
assert sum(r["executed"] for r in d["ranks"]) == 40, d
assert [r["share"] for r in d["ranks"]] == ["whole"] * 3, d
'
fi

printf 'x' | dd of=run.2.1 bs=1 seek=100 conv=notrunc 2>/dev/null
exits 1 "a damaged share is an error" "$info" run
like "$(cat out)" '^1 .*its checksum$' "in its line"
rm run.2.2
exits 1 "a missing share is one" "$info" run
like "$(cat out)" '^2 .*there is no such file$' "in its line"
exits 1 "a share is no manifest" "$info" run.2.0
like "$(cat out)" '^jackdaw-info: run\.2\.0: it is not a manifest$' "and that is said"
dd if=run of=cut bs=1 count=99 2>/dev/null
exits 1 "half a manifest is an error" "$info" cut
like "$(cat out)" '^jackdaw-info: cut: it is cut off$' "and that is said"
exits 1 "something else is an error" "$info" "$info"
like "$(cat out)" 'it is no checkpoint of Jackdaw$' "and that is said"
done_testing
