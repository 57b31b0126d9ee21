#!/bin/sh
# Speed-up of UTS on simulated ranks, for several latencies of the network.
#
#     bench/sim_speedup.sh [-t TREE] [-r "RANKS..."] [-l "MICROSECONDS..."] [-n NS] [-d DIR]
#
# TREE: T1L; RANKS: 1 to 16384 by fours, and 2304; MICROSECONDS of latency: 100 10 1; NS that
# a node takes: 224, the rate of one core in the published runs (shared figures: 4.47 million
# nodes a second).  The overhead per message is a tenth of the latency, at most 500 ns; gap
# and gap per byte are those of a 100 Gb/s network: g = o, G = 0.08 ns.  Writes a table to
# standard output and DIR/sim_speedup.txt and, with gnuplot and sim_speedup.gp, the picture
# DIR/sim_speedup.svg (DIR: the working directory).
set -e
. "$(dirname "$0")/kit.sh"
tree=T1L ranks="1 4 16 64 256 1024 2304 4096 16384" lat="100 10 1" ns=224 dir=.
while getopts t:r:l:n:d: option; do
    case $option in
    t) tree=$OPTARG ;;
    r) ranks=$OPTARG ;;
    l) lat=$OPTARG ;;
    n) ns=$OPTARG ;;
    d) dir=$OPTARG ;;
    *) usage ;;
    esac
done
uts=${UTS:-examples/uts-sim}
need "$uts"

echo "# $tree, $ns ns a node; ranks, then for $lat us: virtual ms, speed-up, efficiency in percent" |
    tee "$dir/sim_speedup.txt"
for n in $ranks; do
    line=$n
    for l in $lat; do
        o=$((l * 100 < 500 ? l * 100 : 500))
        run_to "$data/out" env JACKDAW_RANKS="$n" JACKDAW_SEED=1 JACKDAW_SIM_TASK="$ns" \
            JACKDAW_SIM_NET="o:$o,L:$((l * 1000)),g:$o,G:0.08" \
            "$uts" --tree="$tree" --check
        s=$(sed -n 's/^Wallclock time = \([0-9.]*\) sec, performance = \([0-9]*\).*/\2/p' "$data/out")
        t=$(seconds "$data/out")
        line="$line  $(awk -v s="$s" -v t="$t" -v n="$n" -v ns="$ns" \
            'BEGIN { x = s * ns / 1e9; printf "%9.3f %9.1f %5.1f", 1000 * t, x, 100 * x / n }')"
    done
    echo "$line" | tee -a "$dir/sim_speedup.txt"
done

command -v gnuplot >/dev/null || { echo "# no gnuplot: no picture" >&2; exit 0; }
gnuplot -e "table='$dir/sim_speedup.txt'; picture='$dir/sim_speedup.svg'; tree='$tree'; ns=$ns; latencies='$lat'" \
    "$(dirname "$0")/lines.gp" "$(dirname "$0")/sim_speedup.gp"
echo "# $dir/sim_speedup.svg" >&2
