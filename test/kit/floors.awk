# floors.awk - what goes against the table of floors:
#
#     awk -f floors.awk floors.txt - <<'EDGES'
#     core/log.c sched/worker.h core/log.c:1: #include "sched/worker.h"
#     EDGES
#
# A line is a file, another file that the first one includes or calls, and a text, which is printed
# if the folder of the first file must not see the folder of the second.

function folder(file) {
    sub(/\/[^\/]*$/, "", file)
    return file
}

/^#/ || NF == 0 { next }

FNR == NR {
    floor[$1] = sees[$1, $1] = 1
    for (i = 2; i <= NF; i++) {
        if ($i != "+") {
            sees[$1, $i] = 1
            continue
        }
        i++
        for (f in floor)
            if (($i, f) in sees) sees[$1, f] = 1
    }
    next
}

!((folder($1), folder($2)) in sees) {
    text = $0
    sub(/^[^ ]* [^ ]* /, "", text)
    print text "   (" folder($1) " does not see " folder($2) ")"
}
