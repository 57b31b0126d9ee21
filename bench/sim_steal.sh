#!/bin/sh
# Policies of stealing side by side on simulated ranks: Figure 1 of Kumar et al., redrawn.
#
#     bench/sim_steal.sh [-a "PROGRAM..."] [-r "RANKS..."] [-w WORKERS] [-c "CHUNK..."]
#                        [-m "RANKS..."] [-t "PROGRAM..."] [-s "SEED..."] [-j JOBS] [-k FILE]
#                        [-n] [-d DIR] [fig1|policies]...
#
# fig1: each PROGRAM (T1 T3 T1L T3L nqueens:16; trees of uts, or queens whose first 6 rows are
# tasks) on "64 128 256 512" RANKS of WORKERS (23) workers and one for communication, with baseline,
# success-only, and success-only without cycles; WORKERS 0: of one worker that does both.  CHUNK
# ("8:1 half:half"): how many tasks a steal takes from another rank, and from another worker.
# policies: PROGRAMs (-t: T1L nested_for:2000, so many loops of so many leaves of 10 us) on "64 512
# 4096" ranks (-m) of one worker with each policy.  Both by default; fig1 with the SEEDs 1 to 8,
# policies with 1.  A figure is the median of the seeds.  JOBS (1) runs at a time.
# FILE keeps a line for each run, and what it has is not run again; -n: runs nothing, and tells of
# what FILE has.
# Virtual time: a node of a tree takes 224 ns, a board of the queens 10, a task 100.  LogGP of the
# network: o 300, L 1000, g 100 ns, G 0.1 ns a byte, about what is published for the Aries
# network of Edison.  Inside a rank it takes 150 ns to take tasks or to notice that there are
# some; workers may be AHEAD (JACKDAW_SIM_AHEAD, 1000) ns ahead of each other.  Tables on
# standard output; with gnuplot DIR/sim_steal.svg (DIR: the working directory).
set -e
programs="T1 T3 T1L T3L nqueens:16" ranks="64 128 256 512" workers=23 chunks="8:1 half:half"
many="64 512 4096" trees="T1L nested_for:2000" seeds='' jobs=1 dir=. keep='' dry=''
net=${JACKDAW_SIM_NET:-o:300,L:1000,g:100,G:0.1} ahead=${JACKDAW_SIM_AHEAD:-1000}
while getopts a:r:w:c:m:t:s:j:k:nd: option; do
    case $option in
    a) programs=$OPTARG ;;
    r) ranks=$OPTARG ;;
    w) workers=$OPTARG ;;
    c) chunks=$OPTARG ;;
    m) many=$OPTARG ;;
    t) trees=$OPTARG ;;
    s) seeds=$OPTARG ;;
    j) jobs=$OPTARG ;;
    k) keep=$OPTARG ;;
    n) dry=1 ;;
    d) dir=$OPTARG ;;
    *) sed -n '2,25s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- fig1 policies
where=${BUILD:-.}
for p in uts nqueens nested_for; do
    [ -x "$where/examples/$p-sim" ] ||
        { echo "sim_steal.sh: no program $where/examples/$p-sim: ./dev build, or BUILD=DIR" >&2; exit 2; }
done
data=$(mktemp -d)
trap 'rm -rf "$data"' EXIT
keep=${keep:-$data/runs}
touch "$keep"

program() { # NAME
    case $1 in
    nqueens:*) JACKDAW_SIM_TASK=100 "$where/examples/nqueens-sim" --board=10 --check "${1#*:}" 6 ;;
    nested_for:*) "$where/examples/nested_for-sim" "${1#*:}" "${1#*:}" 10 ;;
    *) JACKDAW_SIM_TASK=224 "$where/examples/uts-sim" --tree="$1" --check ;;
    esac
}

# One run, and its line in $keep: the arguments, then ms attempts steals failed occupied cyclic
# messages busy% and the percentages of searches that asked 0, 1, 2, 3, 4, more victims.
run() { # NAME RANKS WORKERS POLICY CYCLIC CHUNK SEED
    out=$data/$(echo "$*" | tr ' :' '..')
    (case $3 in
    0) export JACKDAW_WORKERS=1 ;;
    *) export JACKDAW_WORKERS="$3" JACKDAW_COMM=dedicated JACKDAW_SIM_AHEAD="$ahead" ;;
    esac
    export JACKDAW_RANKS="$2" JACKDAW_STEAL="$4" JACKDAW_CYCLIC="$5" JACKDAW_SEED="$7" \
        JACKDAW_STEAL_AMOUNT="${6%:*}" JACKDAW_LOCAL_AMOUNT="${6#*:}" \
        JACKDAW_STATS=1 JACKDAW_SIM_NET="$net"
    program "$1") >"$out.out" 2>"$out.err" ||
        { cat "$out.out" "$out.err" >&2; : >"$data/failed"; return 1; }
    echo "# $*: $(sed -n 's/^jackdaw: simulated //p' "$out.err")" >&2
    awk -v key="$*" '
        /^steal requests to other/     { attempts = $(NF - 2) }
        /^steal requests that brought/ { steals = $(NF - 2) }
        /^steal requests that failed/  { failed = $(NF - 2) }
        /^steal requests turned away/  { occupied = $(NF - 2) }
        /^steal requests to a rank w/  { cyclic = $(NF - 2) }
        /^messages of steals/          { messages = $(NF - 2) }
        /^victims asked in a search/   { gsub(/[%,]/, ""); v = $7 " " $9 " " $11 " " $13 " " $15 " " $17 }
        /^time of all threads/         { gsub(/%,?/, ""); busy = $9 }
        /^jackdaw: simulated/          { ms = 1000 * $5 }
        END { print key, ms, attempts, steals, failed, occupied, cyclic, messages, busy, v }
    ' "$out.err" >>"$keep"
}

running=0
finish() {
    wait
    running=0
    [ ! -e "$data/failed" ] || exit 1
}

# Runs for all seeds, up to $jobs at a time, but for those that are known.
start() { # NAME RANKS WORKERS POLICY CYCLIC CHUNK
    [ -z "$dry" ] || return 0
    for seed in $seeds; do
        ! grep -q "^$* $seed " "$keep" || continue
        [ $running -lt "$jobs" ] || finish
        run "$@" "$seed" &
        running=$((running + 1))
    done
}

# The lines of $keep with a chosen seed, gathered by the first six words: for each figure i of them
# the median M(i), the least and the most.
# shellcheck disable=SC2016
gather='
    function key_of() { return $1 " " $2 " " $3 " " $4 " " $5 " " $6 }
    function M(k, i,    j, l, v, n, t) { # the median of figure i of key k; LEAST, MOST
        n = count[k]
        for (j = 1; j <= n; j++) {
            t = figure[k, j, i]
            for (l = j; l > 1 && v[l - 1] > t; l--) v[l] = v[l - 1]
            v[l] = t
        }
        LEAST = v[1]; MOST = v[n]
        return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
    }
    BEGIN { split(seeds, chosen, " "); for (i in chosen) wanted[chosen[i]] = 1 }
    $7 in wanted {
        k = key_of()
        n = ++count[k]
        for (i = 8; i <= NF; i++) figure[k, n, i - 7] = $i
    }'

# In how many percent of all pairs of a run of a and a run of b the one of a took longer: 50 if
# chance alone decides.
# shellcheck disable=SC2016
pairs='
    function pairs(a, b,    i, j, n) {
        for (i = 1; i <= count[a]; i++)
            for (j = 1; j <= count[b]; j++)
                n += figure[a, i, 1] > figure[b, j, 1] ? 1 : figure[a, i, 1] == figure[b, j, 1] ? .5 : 0
        return 100 * n / (count[a] * count[b])
    }'

tell() { # CHUNK
    awk -v seeds="$seeds" -v programs="$programs" -v ranks="$ranks" -v w="$workers" -v chunk="$1" \
        -v points="$data/points.$1" "$gather $pairs"'
        function range(k,    m) { m = M(k, 1); return sprintf("%7.3f (%.3f-%.3f)", m, LEAST, MOST) }
        END {
            np = split(programs, p, " ")
            nr = split(ranks, r, " ")
            for (i = 1; i <= np; i++) for (j = 1; j <= nr; j++) {
                at = p[i] " " r[j] " " w
                b = at " baseline 1 " chunk
                s = at " success-only 1 " chunk
                c = at " success-only 0 " chunk
                if (!count[b] || !count[s]) continue
                printf "%-10s %4d %2d %-26s %-26s %5.3f %3.0f%%  %4.1f %4.1f  %6d (%4.1f%%) %5d  %6d  %4.1f %4.1f %4.1f %4.1f  %6.3f",
                    p[i], r[j], count[s], range(b), range(s), M(b, 1) / M(s, 1), pairs(b, s), M(b, 8), M(s, 8),
                    M(b, 4), 100 * M(b, 4) / M(b, 2), M(b, 5), M(s, 3), M(s, 9), M(s, 10), M(s, 11),
                    M(s, 12) + M(s, 13) + M(s, 14), 100 * M(s, 6) / M(s, 3)
                if (count[c])
                    printf "  %s %5.3f %3.0f%%", range(c), M(c, 1) / M(s, 1), pairs(c, s)
                print ""
                m = M(b, 1)
                print p[i], r[j], m, LEAST, MOST, M(s, 1), m / M(s, 1), M(b, 4), 100 * M(s, 6) / M(s, 3),
                    M(s, 9), M(s, 10), M(s, 11), M(s, 12), M(s, 13), M(s, 14),
                    count[c] ? M(c, 1) / M(s, 1) : "-" >points
            }
        }' "$keep"
}

fig1() {
    seeds=$1
    what="ranks of one worker"
    [ "$workers" -eq 0 ] || what="ranks of $workers workers and one that communicates"
    for c in $chunks; do
        for p in $programs; do
            for n in $ranks; do
                start "$p" "$n" "$workers" baseline 1 "$c"
                start "$p" "$n" "$workers" success-only 1 "$c"
                start "$p" "$n" "$workers" success-only 0 "$c"
            done
        done
    done
    finish
    for c in $chunks; do
        echo "# $what, chunk $c, $net; medians, and the least and the most"
        echo "# program ranks seeds: ms of baseline, of success-only; baseline / success-only, and in how many pairs"
        echo "# baseline took longer; busy % of both; baseline: failed (of its requests), turned away; success-only:"
        echo "# steals, % of searches that asked 0, 1, 2, more victims, cyclic steals %; without cycles: ms, that /"
        echo "# with cycles, and in how many pairs it took longer"
        tell "$c"
    done
}

each_policy() { # FUNCTION
    for p in $trees; do
        for n in $many; do
            for policy in random baseline success-only lifeline; do
                "$1" "$p" "$n" 0 $policy 1 half:half
            done
        done
    done
}
tell_policy() {
    awk -v seeds="$seeds" -v one="$*" "$gather"'
        END {
            split(one, a, " ")
            if (count[one])
                printf "%-15s %5d %-12s %9.3f %9d %9d %8.3f %7.2f %6.1f\n", a[1], a[2], a[4], M(one, 1), M(one, 2),
                    M(one, 3), M(one, 4) / M(one, 3), M(one, 7) / M(one, 3), M(one, 8)
        }' "$keep"
}

policies() {
    seeds=$1
    echo "# $net, seeds $seeds"
    echo "# program ranks policy: ms, attempts, steals, failed per steal, messages per steal, busy %"
    each_policy start
    finish
    each_policy tell_policy
}

picture() { # CHUNK
    command -v gnuplot >/dev/null || { echo "# no gnuplot: no picture" >&2; return; }
    [ -s "$data/points.$1" ] || return 0
    most=$(awk '$2 > most { most = $2 } END { print most }' "$data/points.$1")
    awk -v most="$most" '$2 == most' "$data/points.$1" >"$data/largest"
    gnuplot "$(dirname "$0")/lines.gp" - <<END
set terminal svg size 1100,1050 background rgb 'white'
set output '$dir/sim_steal.svg'
set multiplot layout 3,2 title 'Stealing: $what; tasks a steal takes outside:inside of a rank: $1'
set style data linespoints
set key outside right top
set logscale x 2
set xrange [$(echo "$ranks" | tr ' ' '\n' | sort -n | sed -n '1p') / 1.2 : $most * 1.2]
set xtics ($(echo "$ranks" | tr ' ' ,))
set xlabel 'ranks'
names = '$programs'
set title 'Time of baseline, ms: median, least, most'
set logscale y
plot for [p in names] '$data/points.$1' using ((stringcolumn(1) eq p) ? \$2 : NaN):3:4:5 with yerrorlines title p noenhanced
set title 'Failed steals of baseline'
plot for [p in names] '$data/points.$1' using ((stringcolumn(1) eq p) ? \$2 : NaN):8 title p noenhanced
unset logscale y
set title 'Time of baseline / success-only, medians'
set yrange [0.9:1.15]
plot for [p in names] '$data/points.$1' using ((stringcolumn(1) eq p) ? \$2 : NaN):7 title p noenhanced, 1 with lines lc 'gray' notitle
set title 'Time without cycles / with cycles, medians'
plot for [p in names] '$data/points.$1' using ((stringcolumn(1) eq p) ? \$2 : NaN):16 title p noenhanced, 1 with lines lc 'gray' notitle
set title 'Cyclic steals, %'
set yrange [0:*]
plot for [p in names] '$data/points.$1' using ((stringcolumn(1) eq p) ? \$2 : NaN):9 title p noenhanced
set title 'Searches on $most ranks, %, by victims asked'
unset logscale x
unset xlabel
set xrange [*:*]
set style data histograms
set xtics autofreq norangelimit rotate by -20
set yrange [0:100]
plot '$data/largest' using 10:xtic(1) title '0', '' using 11 title '1', '' using 12 title '2', \
    '' using 13 title '3', '' using 14 title '4', '' using 15 title 'more'
END
    echo "# $dir/sim_steal.svg" >&2
}

for part; do
    case $part in
    fig1) fig1 "${seeds:-1 2 3 4 5 6 7 8}"; picture "${chunks%% *}" ;;
    policies) policies "${seeds:-1}" ;;
    *) echo "sim_steal.sh: fig1 or policies, not '$part'" >&2; exit 2 ;;
    esac
done
