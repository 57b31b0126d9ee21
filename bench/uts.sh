#!/bin/sh
# What does the runtime cost, and how near does it come to what the machine can do?
#
#     bench/uts.sh [-n ROUNDS] [-p PROGRAM] [-c NETWORK] [-k KERNELS] [-o OPTIONS] [TREE...]
#
# In each round, one after the other and in alternating order, on the same two cores:
#
#     serial    one process, --serial: no tasks
#     ceiling   two such processes at once, each on its core: the machine's own limit
#     1x1       1 rank of 1 worker             compared with serial
#     1x2, 2x1  1 rank of 2 workers, and 2 ranks of 1 worker; compared with the ceiling
#
# Each ratio is taken within a round, because the machine's noise is in both then; the
# table has medians, and the least and the most.  Every count is checked.  Trees: T1L T3L
# unless given; ROUNDS: 7; KERNELS: "fast portable", nettle's SHA-1 with and without the
# processor's instructions; OPTIONS: more options of uts, as --parents or "-c 8".
set -e
rounds=7 program=examples/uts network=smp kernels="fast portable" more=
usage() {
    sed -n '2,18s/^# \{0,1\}//p' "$0"
    exit "$1"
}
while getopts n:p:c:k:o:h option; do
    case $option in
    n) rounds=$OPTARG ;;
    p) program=$OPTARG ;;
    c) network=$OPTARG ;;
    k) kernels=$OPTARG ;;
    o) more=$OPTARG ;;
    h) usage 0 ;;
    *) usage 2 >&2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- T1L T3L
case $rounds in *[!0-9]* | '' | 0*) echo "bench/uts.sh: -n '$rounds' is no number of rounds" >&2; exit 2 ;; esac
for kernel in $kernels; do
    case $kernel in fast | portable) ;;
    *) echo "bench/uts.sh: -k '$kernel' is neither fast nor portable" >&2; exit 2 ;; esac
done
[ -x "$program" ] || { echo "bench/uts.sh: no program $program: build it, or name it with -p" >&2; exit 2; }
ranks=$(dirname "$0")/../test/kit/ranks.sh
unset JACKDAW_WORKERS JACKDAW_STEAL_AMOUNT NETTLE_FAT_OVERRIDE

# The first two processors that this shell may use.
allowed=$(taskset -pc $$ | sed 's/.*: //' | tr ',' '\n' |
    awk -F- '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }')
core0=$(echo "$allowed" | sed -n 1p) core1=$(echo "$allowed" | sed -n 2p)
[ -n "$core1" ] || { echo "bench/uts.sh: two processors are needed, there is $core0 only" >&2; exit 2; }

data=$(mktemp -d)
trap 'rm -rf "$data"' EXIT
trap 'exit 130' HUP INT TERM

# Nodes per second of one job, the fourth field of the reference's record.
job() { # PROCESSORS RANKS WORKERS OUTPUT [OPTION]...
    processors=$1 n=$2 workers=$3 output=$4
    shift 4
    # shellcheck disable=SC2086 # $more is a list of words
    JD_TEST_TIMEOUT=0 timeout --foreground 600 taskset -c "$processors" "$ranks" "$network" "$n" \
        "$program" --tree="$tree" -v 0 --check -T "$workers" $more "$@" >"$output"
}
rate() { awk 'NR == 1 { rate = $4 } END { if (NR != 1) exit 1; print rate }' "$1"; }

measure() { # CONFIGURATION, prints nodes per second
    case $1 in
    serial) job "$core0" 1 1 "$data/a" --serial && rate "$data/a" ;;
    ceiling)
        job "$core0" 1 1 "$data/a" --serial & first=$!
        job "$core1" 1 1 "$data/b" --serial & second=$!
        status=0
        wait $first || status=1
        wait $second || status=1
        [ $status -eq 0 ] || return 1
        echo $(($(rate "$data/a") + $(rate "$data/b"))) ;;
    1x1) job "$core0" 1 1 "$data/a" && rate "$data/a" ;;
    1x2) job "$core0,$core1" 1 2 "$data/a" && rate "$data/a" ;;
    2x1) job "$core0,$core1" 2 1 "$data/a" && rate "$data/a" ;;
    esac
}

# One file for each configuration, one line for each round.
measure_rounds() { # TREE KERNEL
    tree=$1 order="serial ceiling 1x1 1x2 2x1"
    for configuration in $order; do : >"$data/$configuration"; done
    if [ "$2" = portable ]; then
        NETTLE_FAT_OVERRIDE=none
        export NETTLE_FAT_OVERRIDE
    else
        unset NETTLE_FAT_OVERRIDE
    fi
    round=0
    while [ $round -lt "$rounds" ]; do
        for configuration in $order; do
            measure "$configuration" >>"$data/$configuration" || {
                echo "bench/uts.sh: $tree, $configuration: the run failed" >&2
                exit 1
            }
        done
        order=$(echo "$order" | awk '{ for (i = NF; i > 0; i--) printf "%s ", $i }')
        round=$((round + 1))
    done
}

# Median, least and most of the numbers on standard input.
summary() {
    sort -n | awk '{ v[NR] = $1 } END {
        m = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2
        printf "%8.3f %8.3f %8.3f", m, v[1], v[NR] }'
}

table_line() { # CONFIGURATION BASE
    speed=$(awk '{ print $1 / 1e6 }' "$data/$1" | summary)
    if [ -z "$2" ]; then
        printf '%-8s %s\n' "$1" "$speed"
    else
        printf '%-8s %s   %s  of %s\n' "$1" "$speed" \
            "$(paste "$data/$1" "$data/$2" | awk '{ print $1 / $2 }' | summary)" "$2"
    fi
}

for tree in "$@"; do
    for kernel in $kernels; do
        measure_rounds "$tree" "$kernel"
        echo "$tree on $network, $kernel SHA-1, $rounds rounds${more:+, $more}"
        echo "          million nodes/s            ratio"
        echo "           median    least     most     median    least     most"
        table_line serial ""
        table_line ceiling serial
        table_line 1x1 serial
        table_line 1x2 ceiling
        table_line 2x1 ceiling
        echo
    done
done
