#!/bin/sh
# Hiding latency: a map and reduce of 5000 elements that have to be fetched (Muller and Acar).
#
#     bench/latency.sh [-q] [-p "WORKERS..."] [-l "MS..."] [-w US] [-u "PLACEMENT..."] [-r ROUNDS] [-d DIR]
#
# WORKERS, simulated: 1 2 4 8 16 24 32 48 64; MS, the latencies: 50 5 1; US, the computing of an
# element: 1000; PLACEMENT, values of JACKDAW_UNBLOCK: last deque proactive; ROUNDS of real runs on 1 and 2 workers: 1,
# which takes a quarter of an hour; 0: none.  -q: the same as -r 0.  DIR: the working directory.
#
# Each element is fetched with the latency, computes and is added up.  "block" is
# JACKDAW_LATENCY=block; with the others the tasks suspend.  Writes DIR/latency.txt, a line for each point: kind (sim;
# waiting, which varies how many wait; or real), latency in ms, how it waits, workers, elements that
# wait, seconds, speed-up over one worker that blocks, the seconds over the least that the program can take
# on so many workers, and the most deques that a worker had at once.  With gnuplot and latency.gp: DIR/latency.svg.
set -e
. "$(dirname "$0")/kit.sh"
workers="1 2 4 8 16 24 32 48 64" latencies="50 5 1" work=1000 placements="last deque proactive" rounds=1 dir=.
while getopts qp:l:w:u:r:d: option; do
    case $option in
    q) rounds=0 ;;
    p) workers=$OPTARG ;;
    l) latencies=$OPTARG ;;
    w) work=$OPTARG ;;
    u) placements=$OPTARG ;;
    r) rounds=$OPTARG ;;
    d) dir=$OPTARG ;;
    *) usage ;;
    esac
done
need bench/latency bench/latency-sim
table=$dir/latency.txt
n=5000
# As in bench/scatter.sh; the seed changes which victims are chosen, and times by less than 1%.
JACKDAW_RANKS=1 JACKDAW_SEED=1 JACKDAW_SIM_TASK=50 JACKDAW_SIM_LOOK=3 JACKDAW_SIM_LOCK=65
export JACKDAW_RANKS JACKDAW_SEED JACKDAW_SIM_TASK JACKDAW_SIM_LOOK JACKDAW_SIM_LOCK
unset JACKDAW_WORKERS JACKDAW_UNBLOCK JACKDAW_LATENCY JACKDAW_SIM_LAW JACKDAW_SIM_AHEAD

# Seconds of a run; what it says of itself stays in $data/out.
run() { # KIND HOW WORKERS MS WAITING
    program=bench/latency placement=$2 latency=hide
    [ "$1" = real ] || program=bench/latency-sim
    [ "$2" != block ] || placement=last latency=block
    JACKDAW_UNBLOCK=$placement JACKDAW_LATENCY=$latency JACKDAW_WORKERS=$3 JACKDAW_STATS=1 \
        run_to "$data/out" "$program" -n "$n" -u "$5" -l $(($4 * 1000000)) -w $((work * 1000))
    awk 'NF == 6 && $1 ~ /^[0-9]+$/ { print $6 }' "$data/out"
}
most_deques() { awk '/^most deques at once/ { print $(NF - 2) }' "$data/out" "$data/.err"; }
median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# What no scheduler can be below: all that computes comes after the latency; of who blocks, all together.
line() { # KIND MS HOW WORKERS WAITING SECONDS BASE
    deques=$(most_deques)
    [ "$1" != real ] || deques=- # it is of the last run, and rounds are interleaved
    echo "$@" "$deques" | awk -v n="$n" -v w="$work" '{
        rows = int((n + $4 - 1) / $4)
        least = $3 == "block" ? rows * (1e-6 * w + 1e-3 * $2) : rows * 1e-6 * w + ($5 == n ? 1e-3 * $2 : 0)
        if ($3 != "block" && least < 1e-6 * w + 1e-3 * $2 * ($5 > 0)) least = 1e-6 * w + 1e-3 * $2 * ($5 > 0)
        printf "%s %s %s %s %s %.6f %.2f %.3f %s\n", $1, $2, $3, $4, $5, $6, $7 / $6, $6 / least, $8 }' | tee -a "$table"
}

echo "# kind ms how workers waiting seconds speed-up over-least most-deques; $n elements of $work us" | tee "$table"
for ms in $latencies; do
    base=$(run sim block 1 "$ms" "$n")
    for how in block $placements; do
        for p in $workers; do
            line sim "$ms" "$how" "$p" "$n" "$(run sim "$how" "$p" "$ms" "$n")" "$base"
        done
    done
done
# How much it matters how many wait, on 8 workers.
for how in $placements; do
    base=$(run sim block 1 5 0)
    for u in 0 1 10 100 1000 5000; do
        line waiting 5 "$how" 8 "$u" "$(run sim "$how" 8 5 "$u")" "$base"
    done
done
[ "$rounds" -gt 0 ] && for ms in $latencies; do
    rm -f "$data"/real.*
    i=0
    while [ $((i += 1)) -le "$rounds" ]; do
        for how in block $placements; do
            for p in 1 2; do
                run real "$how" "$p" "$ms" "$n" >>"$data/real.$how.$p"
            done
        done
    done
    base=$(median "$data/real.block.1")
    for how in block $placements; do
        for p in 1 2; do
            line real "$ms" "$how" "$p" "$n" "$(median "$data/real.$how.$p")" "$base"
        done
    done
done

command -v gnuplot >/dev/null || { echo "# no gnuplot: no picture" >&2; exit 0; }
gnuplot -e "table='$table'; picture='$dir/latency.svg'; latencies='$latencies'; ways='block $placements'" \
    "$(dirname "$0")/lines.gp" "$(dirname "$0")/latency.gp"
echo "# $dir/latency.svg" >&2
