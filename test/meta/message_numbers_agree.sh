#!/bin/sh
# The numbers of messages that am/sim.c and jackdaw-simshrink know, which cannot include
# sched/rank.h, are those that it gives, and jackdaw-simshrink has a name for each.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/meta.sh"

# "NUMBER NAME" of every message type; enums are counted as C does.
given() {
    cat am/am.h am/core.h sched/rank.h | awk '
    { text = text " " $0 }
    END {
        gsub(/\/\*[^*]*\*+([^\/*][^*]*\*+)*\//, "", text)
        while (match(text, /enum[ a-z_]*[{][^}]*[}]/)) {
            body = substr(text, RSTART, RLENGTH)
            text = substr(text, RSTART + RLENGTH)
            sub(/^[^{]*[{]/, "", body)
            sub(/[}]$/, "", body)
            types = body ~ /JDI_MSG_|JDI_AM_ALL/ # the transport has its own
            n = split(body, item, ",")
            next_value = 0
            for (i = 1; i <= n; i++) {
                gsub(/[ \t]/, "", item[i])
                if (item[i] == "") continue
                k = split(item[i], part, "=")
                if (k == 2) next_value = part[2] in value ? value[part[2]] : part[2] + 0
                value[part[1]] = next_value
                name = part[1]
                sub(/^JDI_(MSG|AM)_/, "", name)
                if (types && name != "ALL") print next_value, name
                next_value++
            }
        }
    }'
}

violations() {
    given >"$scratch/given"
    grep -q ' TASKS$' "$scratch/given" || echo "sched/rank.h: no types of messages found"
    # 255 is a word that was read, and no message.
    sed -n '/split("/,/, n, " ")/p' tools/jackdaw-simshrink | grep -oE '[0-9]+ [A-Z]+' |
        grep -v '^255 WORD$' >"$scratch/named"
    sort "$scratch/given" >"$scratch/a"
    sort "$scratch/named" >"$scratch/b"
    comm -23 "$scratch/a" "$scratch/b" | sed 's/$/ is not in tools\/jackdaw-simshrink/'
    comm -13 "$scratch/a" "$scratch/b" | sed 's/$/ is in tools\/jackdaw-simshrink only/'
    grep -oE '[A-Z]+_TYPE = [0-9]+' am/sim.c | sed 's/\(.*\)_TYPE = \(.*\)/\2 \1/' >"$scratch/sim"
    [ -s "$scratch/sim" ] || echo "am/sim.c: no types found"
    while read -r type; do
        grep -Fqx "$type" "$scratch/given" || echo "$type is in am/sim.c only"
    done <"$scratch/sim"
}

tree_is_clean "am/sim.c and jackdaw-simshrink know the types of sched/rank.h"
mkdir -p "$planted/am" "$planted/sched" "$planted/tools"
plant() { # TABLE NUMBER: of the tool, and of TASKS in am/sim.c
    echo 'enum { JDI_AM_ARGS = 7, JDI_AM_TYPES = 32 };' >"$planted/am/am.h"
    echo 'enum { JDI_AM_CREDIT = JDI_AM_TYPES, JDI_AM_FRAG, JDI_AM_ALL };' >"$planted/am/core.h"
    printf '%s\n' 'enum jdi_msg_type {' '    JDI_MSG_STEAL = 8, /* thief, = 3 */' \
        '    JDI_MSG_TASKS, /* more' '* lines */' '};' >"$planted/sched/rank.h"
    printf '%s\n' '    split("8 STEAL '"$1"' " \' '        "33 FRAG 255 WORD", n, " ")' \
        >"$planted/tools/jackdaw-simshrink"
    echo "enum { TASKS_TYPE = $2 };" >"$planted/am/sim.c"
}
plant "9 TASKS 32 CREDIT" 9
cd "$planted" && is "$(violations)" "" "a tree in which all agree is clean"
plant "9 TASKS" 9
planted_is_found "a type without a name is found" '^32 CREDIT is not in tools'
plant "10 TASKS 32 CREDIT" 9
planted_is_found "another number is found" '^10 TASKS is in tools/jackdaw-simshrink only'
plant "9 TASKS 32 CREDIT" 11
planted_is_found "another number in am/sim.c is found" '^11 TASKS is in am/sim.c only'
done_testing
