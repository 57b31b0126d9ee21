#!/bin/sh
# Iterations on simulated ranks: Table 2 and Figures 5 to 10 of paper 003 (Lifflander et al.), redrawn.
#
#     bench/sim_iterate.sh [-p "PROFILE..."] [-c "CORES..."] [-w WORKERS] [-r "SCHEME..."] [-s "SEED..."]
#                          [-i ITERATIONS] [-k FILE] [-n] [-d DIR] [runs|fig10]...
#
# PROFILE ("be256 be512 tce"): times of tasks, recorded by hf -p and tce -p in a job of one simulated rank, where an
# integral takes 100 ns and 10 multiplications 1 ns, and repeated until they are 213,000, 862,000 and 470,000, as in Table
# 1 of the paper.  Their mean is 0.54 ms, a thousandth of that of HF-Be256 in the paper: virtual time is expensive while
# nobody works.  CORES ("2400 4800"): nodes of WORKERS (23) workers and one core that communicates.
# SCHEME ("retain timed central"): retain is retentive stealing, and timed the same of a timed collection, which runs the long
# tasks first; central, tree and gossip are the paper's PLB: stealing in the first iteration, the same without stealing in
# the second one, from the third one on the balancer, without stealing.
# SEEDs (1 to 8), ITERATIONS (5).  FILE keeps a line for each iteration, and what it has is not run again; -n: runs nothing.
# runs: the tables, on standard output; medians of the seeds with least and most.  With gnuplot DIR/sim_iterate.svg.
# fig10: utilisation over time of retain and of the first balancer with be256, the first of CORES and the first seed:
# DIR/sim_utilisation.svg.
# Network and simulator as for bench/sim_steal.sh: o 300, L 1000, g 100 ns, G 0.1 ns a byte; AHEAD 1000 ns.
set -e
# shellcheck source=bench/kit.sh
. "$(dirname "$0")/kit.sh"
profiles="be256 be512 tce" cores="2400 4800" workers=23 schemes="retain timed central" seeds="1 2 3 4 5 6 7 8"
iterations=5 keep='' dry='' dir=. mean=540000
while getopts p:c:w:r:s:i:k:nd: option; do
    case $option in
    p) profiles=$OPTARG ;;
    c) cores=$OPTARG ;;
    w) workers=$OPTARG ;;
    r) schemes=$OPTARG ;;
    s) seeds=$OPTARG ;;
    i) iterations=$OPTARG ;;
    k) keep=$OPTARG ;;
    n) dry=1 ;;
    d) dir=$OPTARG ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- runs
[ -n "$dry" ] || need bench/iterations-sim examples/hf-sim examples/tce-sim
keep=${keep:-$data/runs}
touch "$keep"

tasks_of() {
    case $1 in
    be256) echo 213000 ;;
    be512) echo 862000 ;;
    tce) echo 470000 ;;
    *) complain "be256, be512 or tce, not '$1'" ;;
    esac
}

# The times of the tasks of a profile, in $data.
record() { # PROFILE
    case $1 in
    tce) set -- tce -f 4 -t 10 -i 1 -c none -x 10 ;;
    *) set -- hf -n 16 -i 1 -x 100 ;; # one iteration does not converge, and hf says so by its status
    esac
    times=$data/$1.times
    [ -s "$times" ] || {
        example=examples/$1-sim
        shift
        JACKDAW_RANKS=1 JACKDAW_WORKERS=1 "$example" "$@" -p "$times" >"$data/record" 2>&1 || [ -s "$times" ] ||
            { cat "$data/record" >&2; exit 1; }
    }
}

options_of() { # SCHEME
    case $1 in
    retain) echo "-r retain -k 0" ;;
    timed) echo "-r retain -k 0 -t 1" ;;
    central | tree | gossip) echo "-r $1 -k 1" ;;
    *) complain "retain, timed, central, tree or gossip, not '$1'" ;;
    esac
}

# What is told of the iterations of a profile, in $data/out.
simulate() { # PROFILE CORES SCHEME SEED
    record "$1"
    options=$(options_of "$3")
    JACKDAW_RANKS=$(($2 / (workers + 1))) JACKDAW_SEED=$4
    JACKDAW_WORKERS=$workers JACKDAW_COMM=dedicated JACKDAW_SIM_AHEAD=${JACKDAW_SIM_AHEAD:-1000}
    JACKDAW_SIM_NET=${JACKDAW_SIM_NET:-o:300,L:1000,g:100,G:0.1}
    export JACKDAW_RANKS JACKDAW_SEED JACKDAW_WORKERS JACKDAW_COMM JACKDAW_SIM_AHEAD JACKDAW_SIM_NET
    # shellcheck disable=SC2086 # words
    run_to "$data/out" bench/iterations-sim -p "$times" -n "$(tasks_of "$1")" -m "$mean" -i "$iterations" $options
}

# One run, and its lines in $keep: profile workers cores scheme seed iteration, then ms, ms of the restore, three
# means with their deviations, efficiency, imbalance of ranks.
run() { # PROFILE CORES SCHEME SEED
    key="$1 $workers $2 $3 $4"
    [ "$(grep -c "^$key " "$keep")" -lt "$iterations" ] || return 0
    simulate "$@"
    awk -v key="$key" '
        $1 == "steals" { line = key " " $2 " " $4 " " $6 " " $8 " " $9 " " $11 " " $12 " " $14 " " $15 }
        $1 == "efficiency" { print line, $3, $5 }' "$data/out" >>"$keep"
    echo "# $key" >&2
}

# The median over the chosen seeds of each figure of the kept lines, and least and most of it.
# shellcheck disable=SC2016
gather='
    function among(word, list) { return index(" " list " ", " " word " ") }
    $2 == workers && among($1, profiles) && among($3, cores) && among($4, schemes) && among($5, seeds) {
        k = $1 " " $3 " " $4 " " $6
        c = ++count[k]
        for (i = 7; i <= NF; i++) figure[k, c, i - 6] = $i
        if (!(($1, $3, $4) in seen)) { seen[$1, $3, $4] = 1; order[++points] = $1 " " $3 " " $4 }
        if ($6 > last) last = $6
    }
    function M(k, i,    j, l, v, n, t) {
        n = count[k]
        for (j = 1; j <= n; j++) {
            t = figure[k, j, i]
            for (l = j; l > 1 && v[l - 1] > t; l--) v[l] = v[l - 1]
            v[l] = t
        }
        LEAST = v[1]; MOST = v[n]
        return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
    }'

tell() {
    awk -v profiles="$profiles" -v cores="$cores" -v schemes="$schemes" -v seeds="$seeds" -v workers="$workers" \
        -v points_file="$data/points" "$gather"'
        BEGIN {
            print "# profile cores scheme iteration seeds: ms (least-most), restore ms; steals a worker: requests to other"
            print "# ranks mean/deviation, those that brought tasks mean/deviation (least-most of the means),"
            print "# takes inside of ranks mean/deviation; efficiency % (least-most); largest load of a rank over the mean"
        }
        END {
            for (p = 1; p <= points; p++) for (it = 1; it <= last; it++) {
                k = order[p] " " it
                if (!count[k]) continue
                ms = M(k, 1); ms_least = LEAST; ms_most = MOST
                ok = M(k, 5); ok_least = LEAST; ok_most = MOST
                eff = 100 * M(k, 9)
                printf "%-5s %6d %-8s %2d %2d  %9.3f (%.3f-%.3f) %7.3f  %8.2f/%-7.2f %6.3f/%-6.3f (%.3f-%.3f) %7.3f/%-6.3f  %6.2f (%.2f-%.2f) %.4f\n",
                    substr(k, 1, index(k, " ") - 1), part(k, 2), part(k, 3), it, count[k], ms, ms_least, ms_most, M(k, 2),
                    M(k, 3), M(k, 4), ok, M(k, 6), ok_least, ok_most, M(k, 7), M(k, 8),
                    eff, 100 * least(k, 9), 100 * most(k, 9), M(k, 10)
                print k, ms, eff, M(k, 3), M(k, 4), ok, M(k, 6) >points_file
            }
        }
        function part(k, i,    a) { split(k, a, " "); return a[i] }
        function least(k, i) { M(k, i); return LEAST }
        function most(k, i) { M(k, i); return MOST }' "$keep"
}

runs() {
    for p in $profiles; do
        for c in $cores; do
            for r in $schemes; do
                for s in $seeds; do
                    [ -n "$dry" ] || run "$p" "$c" "$r" "$s"
                done
            done
        done
    done
    tell
    picture
}

# Dash types and marks differ, so that the picture can be read without colours.
picture() {
    command -v gnuplot >/dev/null || { echo "# no gnuplot: no picture" >&2; return 0; }
    [ -s "$data/points" ] || return 0
    first=${profiles%% *} scheme=${schemes%% *}
    gnuplot "$(dirname "$0")/lines.gp" - <<END
set terminal svg size 1100,900 background rgb 'white'
set output '$dir/sim_iterate.svg'
set multiplot layout 2,2 title 'Iterations, $workers workers a rank; medians of the seeds'
set style data linespoints
set datafile missing NaN
set key outside right top
set logscale x 2
set xtics ($(echo "$cores" | tr ' ' ,))
set xlabel 'cores'
pick(p, s, i, v) = (stringcolumn(1) eq p && stringcolumn(3) eq s && column(4) == i) ? v : NaN
set title 'Efficiency of $scheme, % (Figure 7), $first'
plot for [i=1:$iterations] '$data/points' using 2:(pick('$first', '$scheme', i, column(6))) title 'iteration '.i
set title 'Efficiency, last iteration, % (Figures 6 and 7)'
plot for [p in '$profiles'] for [s in '$schemes'] '$data/points' \
    using 2:(pick(p, s, $iterations, column(6))) title p.' '.s noenhanced
set title 'Steal requests a worker (Figure 8), $first, $scheme'
plot for [i in '1 2 $iterations'] '$data/points' \
    using 2:(pick('$first', '$scheme', int(i), column(7))):8 with yerrorlines title 'iteration '.i
set title 'Steals that brought tasks, a worker (Figure 9), $first, $scheme'
plot for [i in '1 2 $iterations'] '$data/points' \
    using 2:(pick('$first', '$scheme', int(i), column(9))):10 with yerrorlines title 'iteration '.i
END
    echo "# $dir/sim_iterate.svg" >&2
}

fig10() {
    [ -z "$dry" ] || complain "fig10 keeps nothing: leave out -n"
    need tools/jackdaw-trace
    first=${cores%% *} balancer=$(echo "$schemes" | tr ' ' '\n' | grep -v '^retain$\|^timed$' | head -n 1) plot=''
    all_workers=$((first / (workers + 1) * workers))
    record be256 # before anything is traced
    for r in retain $balancer; do
        JACKDAW_TRACE=$data/trace
        export JACKDAW_TRACE
        simulate be256 "$first" "$r" "${seeds%% *}"
        unset JACKDAW_TRACE
        tools/jackdaw-trace --output="$data/csv" csv "$data/trace"
        utilisation "$data/csv" "$all_workers" >"$data/$r"
        rm -f "$data/trace" "$data/csv"
        plot="$plot${plot:+, }'$data/$r' using 1:2 title '$r'"
    done
    gnuplot "$(dirname "$0")/lines.gp" - <<END
set terminal svg size 900,420 background rgb 'white'
set output '$dir/sim_utilisation.svg'
set title 'Workers that run a task, %: be256, $first cores, $iterations iterations (Figure 10)'
set style data lines
set key outside right top
set xlabel 'virtual time, ms'
set yrange [0:105]
plot $plot
END
    echo "# $dir/sim_utilisation.svg" >&2
}

for part; do
    case $part in
    runs | fig10) "$part" ;;
    *) complain "runs or fig10, not '$part'" ;;
    esac
done
