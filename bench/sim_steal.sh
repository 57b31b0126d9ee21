#!/bin/sh
# Policies of stealing side by side on simulated ranks: Figure 1 of Kumar et al., redrawn.
#
#     bench/sim_steal.sh [-a "PROGRAM..."] [-r RANKS] [-m "RANKS..."] [-t TREE] [-s "SEED..."]
#                        [-d DIR] [fig1|policies]...
#
# fig1: each PROGRAM (T1L T3L nqueens:15; trees of uts, or queens whose first 6 rows are
# tasks) on RANKS (512) ranks, with baseline, success-only, and success-only without cycles.
# policies: TREE (T1L) on "64 512 4096" ranks (-m) with each policy.  Both by default, with
# seed 1; with several seeds the figures are means.  Virtual time: a rank is one worker, a node
# of a tree takes 224 ns, a task of the queens 3000.  LogGP of the network: o 300, L 1000, g
# 100 ns, G 0.1 ns a byte, about what is published for the Aries network of Edison.  Tables on
# standard output; with gnuplot DIR/sim_steal.png (DIR: the working directory).
set -e
programs="T1L T3L nqueens:15" ranks=512 many="64 512 4096" tree=T1L seeds=1 dir=.
net=${JACKDAW_SIM_NET:-o:300,L:1000,g:100,G:0.1}
while getopts a:r:m:t:s:d: option; do
    case $option in
    a) programs=$OPTARG ;;
    r) ranks=$OPTARG ;;
    m) many=$OPTARG ;;
    t) tree=$OPTARG ;;
    s) seeds=$OPTARG ;;
    d) dir=$OPTARG ;;
    *) sed -n '2,14s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- fig1 policies
where=${BUILD:-.}
for p in uts nqueens; do
    [ -x "$where/examples/$p-sim" ] ||
        { echo "sim_steal.sh: no program $where/examples/$p-sim: ./dev build, or BUILD=DIR" >&2; exit 2; }
done
data=$(mktemp -d)
trap 'rm -rf "$data"' EXIT

program() { # NAME
    case $1 in
    nqueens:*) JACKDAW_SIM_TASK=3000 "$where/examples/nqueens-sim" --check "${1#*:}" 6 ;;
    *) JACKDAW_SIM_TASK=224 "$where/examples/uts-sim" --tree="$1" --check ;;
    esac
}

# Means over the seeds: ms attempts steals failed occupied cyclic messages busy% and the
# percentages of searches that asked 0, 1, 2, 3, 4, more victims.
measure() { # NAME RANKS POLICY [SETTING...]
    name=$1 n=$2 policy=$3
    shift 3
    : >"$data/lines"
    for seed in $seeds; do
        (export "$@" JACKDAW_RANKS="$n" JACKDAW_STEAL="$policy" JACKDAW_SEED="$seed" \
            JACKDAW_STATS=1 JACKDAW_SIM_NET="$net"
            program "$name") >"$data/out" 2>"$data/err" ||
            { cat "$data/out" "$data/err" >&2; exit 1; }
        awk '
            /^steal requests to other/     { attempts = $(NF - 2) }
            /^steal requests that brought/ { steals = $(NF - 2) }
            /^steal requests that failed/  { failed = $(NF - 2) }
            /^steal requests turned away/  { occupied = $(NF - 2) }
            /^steal requests to a rank w/  { cyclic = $(NF - 2) }
            /^messages of steals/          { messages = $(NF - 2) }
            /^victims asked in a search/   { gsub(/[%,]/, ""); v = $7 " " $9 " " $11 " " $13 " " $15 " " $17 }
            /^time of all threads/         { gsub(/%,?/, ""); busy = $9 }
            /^jackdaw: simulated/          { ms = 1000 * $5 }
            END { print ms, attempts, steals, failed, occupied, cyclic, messages, busy, v }
        ' "$data/err" >>"$data/lines"
    done
    awk '
        { for (i = 1; i <= NF; i++) sum[i] += $i }
        END { for (i = 1; i <= NF; i++) printf "%s%.6g", (i > 1 ? " " : ""), sum[i] / NR; print "" }' "$data/lines"
}

fig1() {
    echo "# $ranks ranks of one worker, $net, seeds $seeds"
    echo "# program: ms of baseline, success-only, without cycles; baseline/success-only; failed of"
    echo "# baseline, turned away; % of searches that asked at most 1, 2, 4 victims; cyclic steals %"
    for p in $programs; do
        b=$(measure "$p" "$ranks" baseline)
        s=$(measure "$p" "$ranks" success-only)
        c=$(measure "$p" "$ranks" success-only JACKDAW_CYCLIC=0)
        echo "$p $b $s $c" | tee -a "$data/fig1" |
            awk '{ printf "%-11s %9.3f %9.3f %9.3f  %6.3f  %8d %8d  %5.1f %5.1f %5.1f  %7.4f\n",
                $1, $2, $16, $30, $2 / $16, $5, $6, $24 + $25, $24 + $25 + $26,
                $24 + $25 + $26 + $27 + $28, 100 * $21 / $18 }'
    done
}

policies() {
    echo "# $tree, $net, seeds $seeds"
    echo "# ranks policy: ms, attempts, steals, failed per steal, messages per steal, busy %"
    for n in $many; do
        for policy in random baseline success-only lifeline; do
            measure "$tree" "$n" $policy |
                awk -v n="$n" -v p=$policy '{ printf "%5d %-12s %9.3f %9d %9d %8.3f %7.2f %6.1f\n",
                    n, p, $1, $2, $3, $4 / $3, $7 / $3, $8 }'
        done
    done
}

picture() {
    command -v gnuplot >/dev/null || { echo "# no gnuplot: no picture" >&2; return; }
    gnuplot <<END
set terminal png size 1000,750
set output '$dir/sim_steal.png'
set multiplot layout 2,2 title 'Stealing on $ranks simulated ranks'
set style data histograms
set style fill solid 0.6
set yrange [0:*]
set title 'Time, ms'
plot '$data/fig1' using 2:xtic(1) title 'baseline', '' using 16 title 'success-only', \
    '' using 30 title 'without cycles'
set title 'Failed steals'
plot '$data/fig1' using 5:xtic(1) title 'baseline', '' using 19 title 'success-only'
set title 'Searches, %, by victims asked'
set yrange [0:100]
plot '$data/fig1' using 24:xtic(1) title '0', '' using 25 title '1', '' using 26 title '2', \
    '' using 27 title '3', '' using 28 title '4', '' using 29 title 'more'
set title 'Cyclic steals, %'
set yrange [0:*]
plot '$data/fig1' using (100 * \$21 / \$18):xtic(1) title 'success-only'
END
    echo "# $dir/sim_steal.png" >&2
}

for part; do
    case $part in
    fig1) fig1; picture ;;
    policies) policies ;;
    *) echo "sim_steal.sh: fig1 or policies, not '$part'" >&2; exit 2 ;;
    esac
done
