#!/bin/sh
# Traces of ranks on several hosts: the clocks of the hosts differ by seconds and run at different speeds, and the reader finds
# by how much, as exactly as it says; nobody gets tasks before they were given away.  The hosts are processes that a
# preloaded library gives clocks of their own (test/kit/skewed.c).
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

skewed=$JD_TEST_BUILDDIR/test/kit/skewed.so tool=$JD_TEST_BUILDDIR/tools/jackdaw-trace
has_conduit udp || skip_all "without udp"
[ -f "$skewed" ] || skip_all "no preloadable library could be built"
# The sanitizers want to be the first library of a program.
nm "$JD_TEST_BUILDDIR/examples/uts-udp" | grep -q ' __[at]san_init$' && skip_all "with a sanitizer"

exits 0 "a tree on 3 hosts" on_ranks udp 3 GASNET_SUPERNODE_MAXSIZE=1 LD_PRELOAD="$skewed" SKEWED_FILE="$scratch/skew" \
    JACKDAW_WORKERS=1 JACKDAW_TRACE="$scratch/trace-%r" examples/uts -t 0 -b 2000 -q 0.12 -m 8 -r 3
exits 0 "the summary" "$tool" "$scratch"/trace-[012]
cp "$scratch/out" "$scratch/summary"
is "$(ls "$scratch"/skew.* | wc -l)" 3 "each rank has a clock of its own"

# ahead RANK: how far the library has set its clock, ns.
ahead() {
    ahead_pid=$(tr '\0' '\n' <"$scratch/trace-$1" | grep -a "^rank $1 " | head -1 | awk '{ print $6 }')
    cat "$scratch/skew.$ahead_pid"
}
for rank in 1 2; do
    line=$(grep "^the clock of rank $rank's host was" "$scratch/summary")
    like "$line" 'right within [0-9.]+ (ns|us|ms)$' "rank $rank: its clock was compared at the start and at the end"
    is "$(echo "$line" | awk -v true="$(($(ahead $rank) - $(ahead 0)))" '
        function ns(x, unit) { return x * (unit == "s" ? 1e9 : unit == "ms" ? 1e6 : unit == "us" ? 1e3 : 1) }
        { for (i = 1; i < NF; i++) {
              if ($i == "was") said = ns($(i + 1), $(i + 2))
              if ($i == "behind") sign = -1
              if ($i == "within") doubt = ns($(i + 1), $(i + 2)) }
          said *= sign ? sign : 1
          off = said > true ? said - true : true - said
          # The library said it a moment earlier: up to 60 millionths of that.
          print off <= doubt + 20000 ? "right" : "said " said ", is " true ", within " doubt }')" right \
        "rank $rank: by as much as it is"
done

# A thief asks before the victim gives, and gets after that, within what both may be wrong.
doubt=$(awk '/right within/ { for (i = 1; i < NF; i++) if ($i == "within") { x = $(i + 1); u = $(i + 2)
    x *= u == "ms" ? 1e6 : u == "us" ? 1e3 : 1; if (x > most) most = x } } END { printf "%d", 2 * most + 2 }' "$scratch/summary")
"$tool" csv "$scratch"/trace-[012] | sort -t, -k3,3n >"$scratch/events"
is "$(awk -F, -v doubt="$doubt" '
    $4 == "give" { gives[$1 " " $6, ++given[$1 " " $6]] = $3 }
    $4 == "given" { gets[$6 " " $1, ++got[$6 " " $1]] = $3 }
    END { for (pair in got) for (i = 1; i <= got[pair]; i++) { n++; if (gets[pair, i] + doubt < gives[pair, i]) early++ }
          print (n ? "some" : "none"), early + 0 }' "$scratch/events")" "some 0" "nobody gets tasks before they were given"
ok "and the doubt is below 20 ms" [ "$doubt" -lt 40000000 ]
done_testing
