#!/bin/sh
# The simulator against this machine: the same trees on real and on simulated ranks.
#
#     bench/sim_reality.sh [-n ROUNDS] [-c "NETWORK..."] [-r "RANKS..."] [-b DIR] [TREE...]
#
# ROUNDS: 7; NETWORK: smp udp; RANKS: 2 4; DIR: where the programs were built; trees: T1 T3 T1L.
#
# bench/loggp measures o, L, g and G of each network between two ranks.  A task costs what it
# costs in two jobs of one rank that run at once, each on its own core, in the same rounds; where
# there are more ranks than cores, so many times as much: the simulator has a processor for each
# rank.  Real ranks are single-threaded (inline).  Rounds take all configurations in turn; a
# simulated run differs from round to round by its seed.  Medians, and in brackets least and most;
# the deviation is that of the simulated median from the real one.
set -e
. "$(dirname "$0")/kit.sh"
rounds=7 networks="smp udp" counts="2 4" dir=.
while getopts n:c:r:b: option; do
    case $option in
    n) rounds=$OPTARG ;;
    c) networks=$OPTARG ;;
    r) counts=$OPTARG ;;
    b) dir=$OPTARG ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- T1 T3 T1L
case $rounds in *[!0-9]* | '' | 0*) complain "-n '$rounds' is no number of rounds" ;; esac
program() { case $2 in smp) echo "$dir/$1" ;; *) echo "$dir/$1-$2" ;; esac; }
for p in $networks; do
    need "$(program examples/uts "$p")" "$(program bench/loggp "$p")"
done
need "$dir/examples/uts-sim"
ranks=$(dirname "$0")/../test/kit/ranks.sh
cores=$(nproc)
# The first two processors that this shell may use.
allowed=$(taskset -pc $$ | sed 's/.*: //' | tr ',' '\n' |
    awk -F- '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }')
core0=$(echo "$allowed" | sed -n 1p) core1=$(echo "$allowed" | sed -n 2p)
[ -n "$core1" ] || complain "two processors are needed"
JACKDAW_WORKERS=1 GASNET_SUPERNODE_MAXSIZE=1
export JACKDAW_WORKERS
unset JACKDAW_SEED JACKDAW_SIM_LAW

# Of a real network; udp ranks of one host would talk through shared memory unless told.
real() { # NETWORK RANKS PROGRAM [ARGUMENT]...
    network=$1
    shift
    case $network in
    smp) JACKDAW_COMM=inline "$ranks" smp "$@" ;;
    *) JACKDAW_COMM=inline GASNET_SUPERNODE_MAXSIZE=$GASNET_SUPERNODE_MAXSIZE "$ranks" "$network" "$@" ;;
    esac
}
# seconds, steals, requests of a run of uts.
figures() {
    sed -n -e 's/^Wallclock time = \([0-9.]*\) sec.*/\1/p' \
        -e 's/^Tasks run = .* stolen in \([0-9]*\) steals of \([0-9]*\) requests.*/\1 \2/p' "$1" |
        tr '\n' ' ' | awk '{ print $1, $2, $3 }'
}
run() { # FILE COMMAND...: appends to FILE
    file=$1
    shift
    run_to "$data/out" "$@"
    figures "$data/out" >>"$file"
}
# Column $1 of the lines on standard input times $2, as "median (least-most)".
summary() { # COLUMN FACTOR FORMAT
    awk -v c="$1" -v f="$2" '{ print $c * f }' | sort -n | awk -v format="$3" '{ v[NR] = $1 }
        END { printf format " (" format "-" format ")", v[int((NR + 1) / 2)], v[1], v[NR] }'
}
middle() { # COLUMN
    awk -v c="$1" '{ print $c }' | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# One rank on the processor $1.  A single rank is not bound, and two may be put on one core;
# those of a job of two are bound to a core each.
alone() { JACKDAW_COMM=inline taskset -c "$1" "$ranks" smp 1 "$(program examples/uts smp)" --tree="$tree" --check; }
# Nanoseconds of a node in two jobs at once, each on its core.
pair() {
    alone "$core0" >"$data/a" 2>&1 & first=$!
    alone "$core1" >"$data/b" 2>&1 & second=$!
    ended=0
    wait $first || ended=$?
    wait $second || ended=$?
    [ $ended -eq 0 ] || { cat "$data/a" "$data/b" >&2; exit 1; }
    nodes=$(sed -n 's/^Tree size = \([0-9]*\),.*/\1/p' "$data/a")
    { figures "$data/a"; figures "$data/b"; } | awk -v n="$nodes" '{ s += $1 } END { print 1e9 * s / 2 / n }' >>"$data/$tree.cost"
}

echo "# $(date -u +%Y-%m-%d), $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), $cores cores, load $(cut -d' ' -f1-3 /proc/loadavg)"
for network in $networks; do
    real "$network" 2 "$(program bench/loggp "$network")" | tee "$data/loggp"
    sed -n '/^o:/p' "$data/loggp" >"$data/$network.loggp"
    [ -s "$data/$network.loggp" ] || exit 1
done
for tree in "$@"; do
    round=0
    while [ $round -lt "$rounds" ]; do
        round=$((round + 1))
        pair
        for n in $counts; do
            for network in $networks; do
                run "$data/$tree.$n.$network" real "$network" "$n" "$(program examples/uts "$network")" --tree="$tree" --check
            done
        done
    done
    for n in $counts; do
        share=$((n > cores ? n / cores : 1))
        task=$(middle 1 <"$data/$tree.cost" | awk -v s=$share '{ printf "%.0f", s * $1 }')
        for network in $networks; do
            round=0
            while [ $round -lt "$rounds" ]; do
                round=$((round + 1))
                run "$data/$tree.$n.$network.sim" env JACKDAW_RANKS="$n" JACKDAW_SEED=$round JACKDAW_SIM_TASK="$task" \
                    JACKDAW_SIM_NET="$(cat "$data/$network.loggp")" "$dir/examples/uts-sim" --tree="$tree" --check
            done
        done
    done
    echo "# $tree: ns a node in two jobs at once: $(summary 1 1 %.1f <"$data/$tree.cost")"
done

echo
echo "| tree | network | ranks | | time, ms | steals | requests |"
echo "| --- | --- | --- | --- | --- | --- | --- |"
for tree in "$@"; do
    for n in $counts; do
        for network in $networks; do
            f=$data/$tree.$n.$network
            head="| $tree | $network | $n |"
            echo "$head real | $(summary 1 1000 %.0f <"$f") | $(summary 2 1 %.0f <"$f") | $(summary 3 1 %.0f <"$f") |"
            echo "$head simulated | $(summary 1 1000 %.0f <"$f.sim") | $(summary 2 1 %.0f <"$f.sim") | $(summary 3 1 %.0f <"$f.sim") |"
            line="$head deviation"
            for column in 1 2 3; do
                line="$line | $(awk -v r="$(middle $column <"$f")" -v s="$(middle $column <"$f.sim")" \
                    'BEGIN { if (r > 0) printf "%+.0f%%", 100 * (s - r) / r; else printf "-" }')"
            done
            echo "$line |"
        done
    done
done
