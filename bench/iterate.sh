#!/bin/sh
# Iterations on real ranks: steals for each worker, and times, by the way in which tasks come back.
#
#     bench/iterate.sh [-e "EXAMPLE..."] [-c "NETWORK..."] [-n "RANKS..."] [-r "RESTORE..."] [-i ITERATIONS] [-R ROUNDS]
#                      [-d DIR] [-u]
#
# EXAMPLE ("hf tce iterate") on NETWORK ("smp udp") with RANKS ("2 4") of one worker, RESTORE ("seed retain central tree
# gossip auto"), ITERATIONS (10).  In each of the ROUNDS (3) every RESTORE runs once, so that what else the machine does is
# shared; times are ratios to retain in the same round.  A table on standard output: a line for each example, network,
# number of ranks and restore.  With gnuplot DIR/iterate.svg (DIR: the working directory): steals that brought tasks,
# by iterations, of the last network and number of ranks.  -u: no table, but DIR/utilisation.svg: which part of the
# workers runs a task over time, of the last EXAMPLE on smp with the last number of RANKS, for the first two RESTORE.
set -e
# shellcheck source=bench/kit.sh
. "$(dirname "$0")/kit.sh"
examples="hf tce iterate" networks="smp udp" ranks="2 4" restores="seed retain central tree gossip auto" iterations=10
rounds=3 dir=. over_time='' here=$(dirname "$0")
while getopts e:c:n:r:i:R:d:u option; do
    case $option in
    e) examples=$OPTARG ;;
    c) networks=$OPTARG ;;
    n) ranks=$OPTARG ;;
    r) restores=$OPTARG ;;
    i) iterations=$OPTARG ;;
    R) rounds=$OPTARG ;;
    d) dir=$OPTARG ;;
    u) over_time=1 ;;
    *) usage ;;
    esac
done

# A job, and its lines in $data/runs: example network ranks restore round iteration ms restore-ms, then requests to
# other ranks and those that brought tasks: means for each worker, and standard deviations.
run() { # EXAMPLE NETWORK RANKS RESTORE ROUND
    program=examples/$1
    [ "$2" = smp ] || program=$program-$2
    key="$1 $2 $3 $4 $5"
    case $1 in
    hf) options="-n 6 -t 6 -i $iterations -s 1 -r $4" ;;
    tce) options="-f 10 -t 6 -c none -i $iterations -s 1 -r $4" ;;
    iterate) options="--tasks=100 --usec=200 --iterations=$iterations --steals --restore=$4" ;;
    *) complain "hf, tce or iterate, not '$1'" ;;
    esac
    need "$program"
    # hf ends with status 1 if it has not converged, which is not asked for here.
    # shellcheck disable=SC2086
    JACKDAW_WORKERS=1 sh "$here/../test/kit/ranks.sh" "$2" "$3" "$program" $options >"$data/out" 2>"$data/err" || [ "$1" = hf ] ||
        { cat "$data/out" "$data/err" >&2; exit 1; }
    awk -v key="$key" '$1 == "steals" { print key, $2, $4, $6, $8, $9, $11, $12; n++ } END { exit !n }' "$data/out" >>"$data/runs" ||
        { cat "$data/out" "$data/err" >&2; exit 1; }
}

tell() {
    echo "# steal requests a worker, mean/deviation over ranks, in iterations 1, 2, 5 and the last (hf may end before); the same of those that"
    echo "# brought tasks; ms of an iteration from the third on, median; that over retain's (least-most of the rounds);"
    echo "# ms of a restore"
    awk -v last="$iterations" -v points="$data/points" '
        function median(list,    v, n, j, l, t) {
            n = split(list, v, " ")
            for (j = 2; j <= n; j++) for (l = j; l > 1 && v[l - 1] + 0 > v[l] + 0; l--) { t = v[l]; v[l] = v[l - 1]; v[l - 1] = t }
            LEAST = v[1]; MOST = v[n]
            return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
        }
        {
            k = $1 " " $2 " " $3 " " $4
            if (!(k in seen)) { seen[k] = 1; order[++n] = k }
            if ($6 > final[k]) final[k] = $6
            for (f = 7; f <= 12; f++) all[k, $6, f] = all[k, $6, f] " " $f
            if ($6 > 2) { later[k, $5] = later[k, $5] " " $7; restore[k] = restore[k] " " $8 }
            if ($5 > rounds) rounds = $5
        }
        function pair(k, i, f) { return !((k, i, f) in all) ? "-" : sprintf("%.1f/%.1f", median(all[k, i, f]), median(all[k, i, f + 1])) }
        function four(k, f) { return pair(k, 1, f) " " pair(k, 2, f) " " pair(k, 5, f) " " pair(k, final[k], f) }
        END {
            for (p = 1; p <= n; p++) {
                k = order[p]; base = k; sub(/ [a-z]*$/, " retain", base); ratios = ms = ""
                for (r = 1; r <= rounds; r++) {
                    m = median(later[k, r]); ms = ms " " m
                    b = (base in seen) ? median(later[base, r]) : 0
                    if (b > 0) ratios = ratios " " m / b
                }
                ratio = ratios == "" ? "-" : sprintf("%.3f (%.3f-%.3f)", median(ratios), LEAST, MOST)
                printf "%-7s %s %d %-8s %-42s %-38s %8.2f %s %.3f\n", substr(k, 1, index(k, " ") - 1), part(k, 2), part(k, 3),
                    part(k, 4), four(k, 9), four(k, 11), median(ms), ratio, median(restore[k])
                for (i = 1; i <= last; i++) if ((k, i, 11) in all) print k, i, median(all[k, i, 11]), median(all[k, i, 12]) >points
            }
        }
        function part(k, i,    a) { split(k, a, " "); return a[i] }' "$data/runs"
}

picture() {
    command -v gnuplot >/dev/null || { echo "# no gnuplot: no picture" >&2; return 0; }
    network=${networks##* } n=${ranks##* }
    gnuplot "$here/lines.gp" - <<END
set terminal svg size 900,$((40 + 260 * $(echo "$examples" | wc -w))) background rgb 'white'
set output '$dir/iterate.svg'
set multiplot layout $(echo "$examples" | wc -w),1 title 'Steals that brought tasks, for each worker: $network, $n ranks'
set style data linespoints
set key outside right top
set xlabel 'iteration'
set xrange [0.5:$iterations + 0.5]
set xtics 1
set yrange [0:*]
pick(e, s) = (stringcolumn(1) eq e && stringcolumn(2) eq '$network' && column(3) == $n && stringcolumn(4) eq s) ? column(6) : NaN
$(for e in $examples; do
        echo "set title '$e'"
        echo "plot for [s in '$restores'] '$data/points' using 5:(pick('$e', s)) title s"
    done)
END
    echo "# $dir/iterate.svg" >&2
}

draw_utilisation() {
    need tools/jackdaw-trace
    e=${examples##* } n=${ranks##* } plot=''
    for r in $(echo "$restores" | cut -d ' ' -f 1-2); do
        JACKDAW_TRACE=$data/trace
        export JACKDAW_TRACE
        run "$e" smp "$n" "$r" 1
        unset JACKDAW_TRACE
        tools/jackdaw-trace --output="$data/csv" csv "$data/trace"
        utilisation "$data/csv" "$n" >"$data/$r"
        rm -f "$data/trace" "$data/csv"
        plot="$plot${plot:+, }'$data/$r' using 1:2 title '$r'"
    done
    gnuplot "$here/lines.gp" - <<END
set terminal svg size 900,420 background rgb 'white'
set output '$dir/utilisation.svg'
set title 'Workers that run a task, %: $e, $n ranks of one worker, smp, $iterations iterations'
set style data lines
set key outside right top
set xlabel 'ms'
set yrange [0:105]
plot $plot
END
    echo "# $dir/utilisation.svg" >&2
}

[ -z "$over_time" ] || { draw_utilisation; exit; }
for round in $(seq "$rounds"); do
    for e in $examples; do for c in $networks; do for n in $ranks; do for r in $restores; do
        run "$e" "$c" "$n" "$r" "$round"
        echo "# $e $c $n $r $round" >&2
    done; done; done; done
done
tell
picture
