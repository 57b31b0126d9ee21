#!/bin/sh
# Placement of what is unblocked: the four experiments of Vrba et al. (scatter and gather).
#
#     bench/scatter.sh [-q] [-e "1 2 3 4"] [-k "here theirs two"] [-u "PLACEMENT..."]
#         [-s SCALE] [-n RUNS] [-r ROUNDS] [-d DIR]
#
# -e: experiments; -k: where they run.  "here" is 8 simulated workers with the costs that bench/contend
# has measured on the machine of bench/README.md; "theirs" is the same with costs at which the
# published curves appear; "two" is 2 simulated workers with the costs of "here", to be held against
# "real", which is 2 workers of this machine, and not run unless asked for.  PLACEMENT, values of
# JACKDAW_UNBLOCK: last current.  SCALE: 10; simulated runs have a SCALE-th of the published rounds,
# but 20 at least.  RUNS: 9 seeds.  ROUNDS: 3; real runs have a fiftieth of the published rounds, but
# a second each; in each round one worker and the placements take turns.  -q: here and theirs, 3 seeds,
# a 100th of the rounds: some minutes.  DIR: the working directory.
#
# Writes DIR/scatter.txt, a line for each point: kind, experiment, placement, n, d, w in us, rounds,
# speed-up (median, least, most), looks at other workers a second, ULTs taken a second, both in the
# median run.  With gnuplot and scatter.gp, if all experiments ran: DIR/scatter_KIND.svg.  At the end, what
# was published.
set -e
. "$(dirname "$0")/kit.sh"
experiments="1 2 3 4" kinds="here theirs two" placements="last current" scale=10 runs=9 rounds=3 dir=.
while getopts qe:k:u:s:n:r:d: option; do
    case $option in
    q) kinds="here theirs" scale=100 runs=3 ;;
    e) experiments=$OPTARG ;;
    k) kinds=$OPTARG ;;
    u) placements=$OPTARG ;;
    s) scale=$OPTARG ;;
    n) runs=$OPTARG ;;
    r) rounds=$OPTARG ;;
    d) dir=$OPTARG ;;
    *) usage ;;
    esac
done
need bench/scatter bench/scatter-sim
table=$dir/scatter.txt
# A message there and back takes 70 ns on one real worker, with one suspension.  The settings of
# "here" are those of bench/contend.  Those of "theirs" were chosen (bench/README.md).
JACKDAW_RANKS=1 JACKDAW_STATS=1 JACKDAW_SIM_TASK=50
message=10
export JACKDAW_RANKS JACKDAW_STATS JACKDAW_SIM_TASK
unset JACKDAW_WORKERS JACKDAW_UNBLOCK JACKDAW_SIM_LAW JACKDAW_SIM_AHEAD
look_here=3 lock_here=65
look_theirs=4000 lock_theirs=1000
case " $kinds " in *" real "*) loops=$(bench/scatter -t 0) ;; esac

# Seconds, looks, ULTs taken of one run.
run_sim() { # KIND PLACEMENT WORKERS SEED N W M
    case $1 in
    here | two) look=$look_here lock=$lock_here idle=auto ;;
    theirs) look=$look_theirs lock=$lock_theirs idle=spin:1000000,yield:0,sleep:150 ;; # they never sleep
    esac
    JACKDAW_SIM_LOOK=$look JACKDAW_SIM_LOCK=$lock JACKDAW_IDLE=$idle JACKDAW_UNBLOCK=$2 \
        JACKDAW_WORKERS=$3 JACKDAW_SEED=$4 run bench/scatter-sim -n "$5" -w "$6" -m "$7" -c "$message"
}
run_real() { # KIND PLACEMENT WORKERS SEED N W M
    JACKDAW_UNBLOCK=$2 JACKDAW_WORKERS=$3 run bench/scatter -n "$5" -w "$6" -m "$7" -t "$loops"
}
run() { # COMMAND...
    "$@" >"$data/out" 2>"$data/err" || { cat "$data/out" "$data/err" >&2; exit 1; }
    awk 'FNR == NR { s = $5; next }
        /^looks at another worker for/ { looks += $(NF - 2) }
        /^ready ULTs taken from another worker/ { taken = $(NF - 2) }
        END { printf "%.9f %.0f %.0f\n", s, looks, taken }' "$data/out" "$data/err"
}

# A line of the table from the runs of one worker ($data/one) and of all ($data/all).
line() { # KIND EXPERIMENT PLACEMENT N D W M
    one=$(sort -n "$data/one" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }')
    sort -n "$data/all" | awk -v one="$one" -v point="$1 $2 $3 $4 $5 $(echo "$6" | awk '{ print $1 / 1000 }') $7" '
        { s[NR] = $1; looks[NR] = $2; taken[NR] = $3 }
        END { m = int((NR + 1) / 2)
            printf "%s %.3f %.3f %.3f %.0f %.0f\n", point, one / s[m], one / s[NR], one / s[1],
                looks[m] / s[m], taken[m] / s[m] }' | tee -a "$table"
}

point() { # KIND EXPERIMENT PLACEMENTS N D W ROUNDS
    if [ "$1" = real ]; then
        real_point "$@"
        return
    fi
    m=$(awk -v m="$7" -v s="$scale" 'BEGIN { r = int(m / s); r = r < 20 ? 20 : r; print r < m ? r : m }')
    all=8
    [ "$1" != two ] || all=2
    for placement in $3; do
        run_sim "$1" "$placement" 1 1 "$4" "$6" "$m" >"$data/one"
        seed=0
        : >"$data/all"
        while [ $((seed += 1)) -le "$runs" ]; do
            run_sim "$1" "$placement" "$all" "$seed" "$4" "$6" "$m" >>"$data/all"
        done
        line "$1" "$2" "$placement" "$4" "$5" "$6" "$m"
    done
}
# Two CPU seconds are a second on two workers.
real_point() { # KIND EXPERIMENT PLACEMENTS N D W ROUNDS
    m=$(awk -v m="$7" -v n="$4" -v w="$6" 'BEGIN {
        r = int(m / 50); least = int(2.1e9 / (n * w)) + 1; print r < least ? least : r }')
    rm -f "$data"/one* "$data"/all*
    i=0
    while [ $((i += 1)) -le "$rounds" ]; do
        run_real "$1" last 1 0 "$4" "$6" "$m" >>"$data/one"
        for placement in $3; do
            run_real "$1" "$placement" 2 0 "$4" "$6" "$m" >>"$data/all.$placement"
        done
    done
    for placement in $3; do
        mv "$data/all.$placement" "$data/all"
        line "$1" "$2" "$placement" "$4" "$5" "$6" "$m"
    done
}

# w in ns, for T seconds and the work division d.
work() { awk -v T="$1" -v d="$2" 'BEGIN { printf "%.0f\n", 1e9 * T / d }'; }
experiment() { # KIND NUMBER
    case $2 in
    1)
        for n in 50 250 500 750 1000; do
            for d in 100 1000 10000 20000 30000 40000 50000 60000 70000 80000 90000 100000; do
                point "$1" 1 "$placements" "$n" "$d" "$(work 1 "$d")" $((50 * d / n))
            done
        done ;;
    2)
        for n in 8 16 32 64 128 192 256; do
            point "$1" 2 "$placements" "$n" 10000 100000 12500
        done ;;
    3)
        for n in 16 50 250; do
            for w in 25000 50000 100000 200000 400000 800000; do
                point "$1" 3 "$placements" "$n" 10000 "$w" 12500
            done
        done ;;
    4)
        n=15
        while [ $((n += 1)) -le 48 ]; do
            point "$1" 4 last "$n" 10000 800000 12500
        done ;;
    esac
}

echo "# kind experiment placement n d w_us rounds speed-up least most looks/s taken/s" | tee "$table"
for kind in $kinds; do
    for e in $experiments; do
        experiment "$kind" "$e"
    done
done

# What the paper says of 8 processors, and the same points here.
eight=$(echo " $kinds " | sed 's/ two / /; s/ real / /')
found() { # KIND EXPERIMENT PLACEMENT N D W_US COLUMN
    awk -v k="$1" -v e="$2" -v p="$3" -v n="$4" -v d="$5" -v w="$6" -v c="$7" \
        '$1 == k && $2 == e && $3 == p && $4 == n && $5 == d && $6 == w { print $c }' "$table"
}
claim() { # TEXT PUBLISHED EXPERIMENT PLACEMENT N D W_US COLUMN
    printf '# %-46s %12s' "$1" "$2"
    shift 2
    for kind in $eight; do
        value=$(found "$kind" "$@")
        printf ' %12s' "${value:--}"
    done
    echo
}
[ "$eight" = " " ] || {
    printf '# %-46s %12s' '' published
    for kind in $eight; do printf ' %12s' "$kind"; done
    echo
    claim "looks a second, d = 10^4, n = 50, current" 420000 1 current 50 10000 100 11
    claim "the same, last" 110000 1 last 50 10000 100 11
    claim "speed-up, d = 10^5, n = 50, current" "barely 1" 1 current 50 100000 10 8
    claim "the same, last" "above 4" 1 last 50 100000 10 8
    claim "speed-up, 100 us, n = 256, current" 5.7 2 current 256 10000 100 8
    claim "the same, last" 7.6 2 last 256 10000 100 8
    claim "speed-up, 1000 us, n = 50, current" 6.9 1 current 50 1000 1000 8
    claim "the same, last" 7.1 1 last 50 1000 1000 8
    claim "speed-up, 100 us, n = 50, current" 5.3 1 current 50 10000 100 8
    claim "the same, last" 6.8 1 last 50 10000 100 8
} | tee "$dir/scatter_claims.txt"

[ "$experiments" = "1 2 3 4" ] || exit 0
command -v gnuplot >/dev/null || { echo "# no gnuplot: no picture" >&2; exit 0; }
for kind in $kinds; do
    gnuplot -e "table='$table'; kind='$kind'; picture='$dir/scatter_$kind.svg'" \
        "$(dirname "$0")/lines.gp" "$(dirname "$0")/scatter.gp"
    echo "# $dir/scatter_$kind.svg" >&2
done
