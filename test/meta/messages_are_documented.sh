#!/bin/sh
# The table of messages in doc/am.md is that of am/messages.def, row for row, and
# jackdaw-simshrink, which cannot include it, has a name for each number.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/meta.sh"

# The rows of am/messages.def as doc/am.md has them.
rows() {
    awk '
    function row() { if (number != "") print head (args == "" ? "-" : args) tail }
    function clean(s) { gsub(/^[ ,()]+|[ ,()]+$/, "", s); gsub(/JDI_AM_/, "", s); return s }
    /^JDI_MESSAGE\(/ {
        row()
        split($0, quoted, "\"")
        split(clean(substr(quoted[1], 12)), first, /, */)
        split(clean(quoted[5]), rest, /, */)
        number = first[1]
        args = ""
        last = -1
        head = "| " number " | " first[2] " | " quoted[6] " | " quoted[2] " -> " quoted[4] " | " \
            tolower(first[3]) " | "
        few = rest[1]
        payload = rest[4] == "0" ? "-" : rest[3] " .. " rest[4]
        tail = " | " payload " | " tolower(rest[5]) " |"
    }
    /^JDI_FIELD/ {
        kind = $0
        sub(/\(.*/, "", kind)
        sub(/^[A-Z_]*\(/, "")
        split(clean($0), f, /, */)
        text = f[2]
        if (kind == "JDI_FIELD" && f[6] == "0" && f[7] == "0") text = "0"
        if (f[5] != 64) text = text ":" f[5]
        if (kind == "JDI_FIELD" && text !~ /^0/) text = text " (" f[6] " .. " f[7] ")"
        if (kind == "JDI_FIELD_BELOW") text = text " (" f[6] " .. " f[7] "-1)"
        if (f[3] != last && f[3] >= few) text = "[" text "]"
        args = args (args == "" ? "" : f[3] == last ? ", " : "; ") text
        last = f[3]
    }
    END { row() }' am/messages.def
}

violations() {
    rows >"$scratch/rows"
    [ -s "$scratch/rows" ] || echo "am/messages.def: no messages found"
    sed -n '/^## .*All messages/,/^## /p' doc/am.md | grep -E '^\| [0-9]+ \|' >"$scratch/told"
    diff "$scratch/rows" "$scratch/told" |
        sed -n 's/^< /doc\/am.md does not have: /p; s/^> /doc\/am.md only has: /p'
    sed 's/^| \([0-9]*\) | \([A-Z]*\) |.*/\1 \2/' "$scratch/rows" | sort >"$scratch/a"
    # 255 is a word that was read, and no message.
    sed -n '/split("/,/, n, " ")/p' tools/jackdaw-simshrink | grep -oE '[0-9]+ [A-Z]+' |
        grep -v '^255 WORD$' | sort >"$scratch/b"
    comm -23 "$scratch/a" "$scratch/b" | sed 's/$/ is not in tools\/jackdaw-simshrink/'
    comm -13 "$scratch/a" "$scratch/b" | sed 's/$/ is in tools\/jackdaw-simshrink only/'
}

tree_is_clean "doc/am.md and jackdaw-simshrink know the messages of am/messages.def"
mkdir -p "$planted/am" "$planted/doc" "$planted/tools"
plant() { # MOST NAMES: of a field as documented, and what jackdaw-simshrink knows
    cat >"$planted/am/messages.def" <<'END'
JDI_MESSAGE(8, STEAL, REQUEST, "thief, who asks", "victim", 1, 2, 0, 0, FATAL, "asks, and waits")
JDI_FIELD_BELOW(STEAL, collection, 0, 0, 16, 1, COLLS)
JDI_FIELD(STEAL, rest0, 0, 16, 48, 0, 0)
JDI_FIELD(STEAL, manner, 1, 0, 64, 1, 3)
JDI_MESSAGE(9, TASKS, EITHER, "victim", "thief", 0, 0, 16, JDI_AM_TASKS_BYTES, FATAL, "brings tasks")
END
    cat >"$planted/doc/am.md" <<END
## 7. All messages
| 8 | STEAL | asks, and waits | thief, who asks -> victim | request | collection:16 (1 .. COLLS-1), 0:48; [manner (1 .. $1)] | - | fatal |
| 9 | TASKS | brings tasks | victim -> thief | either | - | 16 .. TASKS_BYTES | fatal |
END
    printf '%s\n' '    split("'"$2"' 255 WORD", n, " ")' >"$planted/tools/jackdaw-simshrink"
}
plant 3 "8 STEAL 9 TASKS"
cd "$planted" && is "$(violations)" "" "a tree in which all agree is clean"
plant 4 "8 STEAL 9 TASKS"
planted_is_found "another range in the document is found" '^doc/am.md does not have: | 8 | STEAL'
plant 3 "8 STEAL"
planted_is_found "a message without a name is found" '^9 TASKS is not in tools'
plant 3 "8 STEAL 10 TASKS"
planted_is_found "another number is found" '^10 TASKS is in tools/jackdaw-simshrink only'
done_testing
