# parts.awk: of a file of JACKDAW_STATS=csv:FILE, each line whose five parts of time are not within 1% of the life
# of its threads, or that lacks a column.
BEGIN { FS = ","; n = split("work steal idle progress detect", part, " ") }
$1 == "scope" { split("", at); for (i = 1; i <= NF; i++) at[$i] = i; width = NF; next }
{
    all = 0
    for (i = 1; i <= n; i++) all += $at["ns_" part[i]]
    life = $at["ns_life"]
    off = all - life
    if (NF != width || !("ns_life" in at) || off > life / 100 || off < -life / 100)
        print $1 " " $2 " " $3 ": parts of " all " ns in a life of " life " ns"
    lines++
}
END { if (!lines) print "no line" }
