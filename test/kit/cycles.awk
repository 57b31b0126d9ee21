# cycles.awk - files that need each other, from the lines of edges.awk: for each set of more than
# `most` files of which every one reaches every other, a line that names them, and the edges.
#
#     awk -v most=4 -f cycles.awk

!(($1, $2) in symbols) {
    next_of[$1] = next_of[$1] " " $2
    node[$1] = node[$2] = 1
}
{ symbols[$1, $2] = symbols[$1, $2] " " $3 }

function reach(from, head, tail, i, n, to) {
    queue[tail = 1] = from
    for (head = 1; head <= tail; head++) {
        n = split(next_of[queue[head]], to, " ")
        for (i = 1; i <= n; i++)
            if (!((from, to[i]) in reached)) {
                reached[from, to[i]] = 1
                queue[++tail] = to[i]
            }
    }
}

function tell(first, file, size, names, edge, end) {
    for (file in node)
        if ((first, file) in reached && (file, first) in reached) {
            both[first, file] = told[file] = 1
            names = names " " file
            size++
        }
    if (size <= most) return
    print size " files need each other:" names
    for (edge in symbols) {
        split(edge, end, SUBSEP)
        if ((first, end[1]) in both && (first, end[2]) in both)
            print "    " end[1] " -> " end[2] ":" symbols[edge] | "sort"
    }
    close("sort")
}

END {
    for (file in node) reach(file)
    for (file in node)
        if ((file, file) in reached && !(file in told)) tell(file)
}
