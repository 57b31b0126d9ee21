#!/bin/sh
# A search on simulated ranks, and the same search with the steal log of the first run.
#
#     bench/sim_replay.sh [-r RANKS] [-w WORKERS] [-s "SEEDS..."] [-n NS] [-o OPTIONS] TREE...
#
# RANKS: 64, of WORKERS: 1; SEEDS of the simulator: 1 to 8; NS that a node takes: 224.  The network has o = 0.3 us,
# L = 1 us, g = 0.1 us, G = 0.1 ns a byte.  OPTIONS go to uts: --style=async is a search in a finish.  Prints, for each
# tree, the medians over the seeds of both runs, with the smallest and the largest: virtual ms, steals, tasks between
# ranks, and bytes of a rank's log.
set -e
. "$(dirname "$0")/kit.sh"
ranks=64 workers=1 seeds="1 2 3 4 5 6 7 8" ns=224 options=
while getopts r:w:s:n:o: option; do
    case $option in
    r) ranks=$OPTARG ;;
    w) workers=$OPTARG ;;
    s) seeds=$OPTARG ;;
    n) ns=$OPTARG ;;
    o) options=$OPTARG ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- T1 T3
uts=${UTS:-examples/uts-sim}
need "$uts"

search() { # TREE SEED SETTING: a row of figures
    # shellcheck disable=SC2086 # words
    run_to "$data/out" env JACKDAW_RANKS="$ranks" JACKDAW_WORKERS="$workers" JACKDAW_SEED="$2" \
        JACKDAW_SIM_TASK="$ns" JACKDAW_SIM_NET=o:300,L:1000,g:100,G:0.1 JACKDAW_STATS=1 "$3" \
        "$uts" --tree="$1" --check $options
    ms=$(sed -n 's/^jackdaw: simulated .*, \([0-9.]*\) s of virtual time.*/\1/p' "$data/.err" | awk '{ print 1000 * $1 }')
    awk -v ms="$ms" '/^steal requests that brought/ { steals = $(NF - 2) } /^tasks that came from other ranks/ { tasks = $(NF - 2) }
        END { print ms, steals, tasks }' "$data/.err"
}

# The median of a column, with the smallest and the largest.
middle() { # FILE COLUMN
    sort -n -k "$2,$2" "$1" | awk -v c="$2" '{ v[NR] = $c } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 " (" v[1] "-" v[NR] ")" }'
}

for tree; do
    : >"$data/first" && : >"$data/second"
    for seed in $seeds; do
        rm -f "$data"/log-*
        row=$(search "$tree" "$seed" JACKDAW_STEAL_LOG="$data/log-%r")
        # shellcheck disable=SC2012 # the names are ours
        echo "$row $(ls -l "$data"/log-* | awk '{ n += $5 } END { print int(n / NR) }')" >>"$data/first"
        search "$tree" "$seed" JACKDAW_REPLAY="$data/log-%r" >>"$data/second"
    done
    echo "$tree, $ranks ranks of $workers: $(middle "$data/first" 1) ms, $(middle "$data/first" 2) steals of" \
        "$(middle "$data/first" 3) tasks, log $(middle "$data/first" 4) bytes a rank;" \
        "replay $(middle "$data/second" 1) ms, $(middle "$data/second" 2) steals, $(middle "$data/second" 3) tasks"
done
