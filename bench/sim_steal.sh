#!/bin/sh
# Policies of stealing side by side on simulated ranks: Figure 1 of Kumar et al., redrawn.
#
#     bench/sim_steal.sh [-a "PROGRAM..."] [-r RANKS] [-w WORKERS] [-m "RANKS..."] [-t "PROGRAM..."]
#                        [-s "SEED..."] [-j JOBS] [-d DIR] [fig1|policies]...
#
# fig1: each PROGRAM (T1L T3L nqueens:16; trees of uts, or queens whose first 6 rows are tasks) on
# RANKS (512) ranks of WORKERS (23) workers and one for communication, with baseline,
# success-only, and success-only without cycles; WORKERS 0: of one worker that does both.
# policies: PROGRAMs (-t: T1L nested_for:2000, so many loops of so many leaves of 10 us) on "64 512
# 4096" ranks (-m) of one worker with each policy.  Both by default, with seed 1; with several
# seeds the figures are means.  JOBS (1) runs at a time.
# Virtual time: a node of a tree takes 224 ns, a board of the queens 10, a task 100.  LogGP of the
# network: o 300, L 1000, g 100 ns, G 0.1 ns a byte, about what is published for the Aries
# network of Edison.  Inside a rank it takes 150 ns to take tasks or to notice that there are
# some; workers may be AHEAD (JACKDAW_SIM_AHEAD, 1000) ns ahead of each other.  Tables on
# standard output; with gnuplot DIR/sim_steal.svg (DIR: the working directory).
set -e
programs="T1L T3L nqueens:16" ranks=512 workers=23 many="64 512 4096" seeds=1 jobs=1 dir=.
trees="T1L nested_for:2000"
net=${JACKDAW_SIM_NET:-o:300,L:1000,g:100,G:0.1} ahead=${JACKDAW_SIM_AHEAD:-1000}
while getopts a:r:w:m:t:s:j:d: option; do
    case $option in
    a) programs=$OPTARG ;;
    r) ranks=$OPTARG ;;
    w) workers=$OPTARG ;;
    m) many=$OPTARG ;;
    t) trees=$OPTARG ;;
    s) seeds=$OPTARG ;;
    j) jobs=$OPTARG ;;
    d) dir=$OPTARG ;;
    *) sed -n '2,20s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
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

program() { # NAME
    case $1 in
    nqueens:*) JACKDAW_SIM_TASK=100 "$where/examples/nqueens-sim" --board=10 --check "${1#*:}" 6 ;;
    nested_for:*) "$where/examples/nested_for-sim" "${1#*:}" "${1#*:}" 10 ;;
    *) JACKDAW_SIM_TASK=224 "$where/examples/uts-sim" --tree="$1" --check ;;
    esac
}

# One run; its figures go to $data/KEY.SEED: ms attempts steals failed occupied cyclic messages busy%
# and the percentages of searches that asked 0, 1, 2, 3, 4, more victims.
run() { # KEY SEED NAME RANKS POLICY [SETTING...]
    key=$1.$2 seed=$2 name=$3 n=$4 policy=$5
    shift 5
    (export "$@" JACKDAW_RANKS="$n" JACKDAW_STEAL="$policy" JACKDAW_SEED="$seed" \
        JACKDAW_STATS=1 JACKDAW_SIM_NET="$net"
        program "$name") >"$data/$key.out" 2>"$data/$key.err" ||
        { cat "$data/$key.out" "$data/$key.err" >&2; : >"$data/failed"; return 1; }
    echo "# $name $policy $*: $(sed -n 's/^jackdaw: simulated //p' "$data/$key.err")" >&2
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
    ' "$data/$key.err" >"$data/$key"
}

running=0
finish() {
    wait
    running=0
    [ ! -e "$data/failed" ] || exit 1
}

# Runs for all seeds, up to $jobs at a time.
start() { # KEY NAME RANKS POLICY [SETTING...]
    key=$1
    shift
    for seed in $seeds; do
        [ $running -lt "$jobs" ] || finish
        run "$key" "$seed" "$@" &
        running=$((running + 1))
    done
}

# The means of what `start` with this key has found.
means() { # KEY
    for seed in $seeds; do
        cat "$data/$1.$seed" || exit 1
    done | awk '
        { for (i = 1; i <= NF; i++) sum[i] += $i }
        END { for (i = 1; i <= NF; i++) printf "%s%.6g", (i > 1 ? " " : ""), sum[i] / NR; print "" }'
}

fig1() {
    set --
    what="$ranks ranks of one worker"
    if [ "$workers" -gt 0 ]; then
        set -- JACKDAW_WORKERS="$workers" JACKDAW_COMM=dedicated JACKDAW_SIM_AHEAD="$ahead"
        what="$ranks ranks of $workers workers and one that communicates"
    fi
    echo "# $what, $net, seeds $seeds"
    echo "# program: ms of baseline, success-only, without cycles; baseline/success-only; busy % of both;"
    echo "# failed of baseline, turned away; steals of success-only; % of searches that asked at most"
    echo "# 1, 2, 4 victims; cyclic steals %"
    for p in $programs; do
        start "$p.b" "$p" "$ranks" baseline JACKDAW_CYCLIC=1 "$@"
        start "$p.s" "$p" "$ranks" success-only JACKDAW_CYCLIC=1 "$@"
        start "$p.c" "$p" "$ranks" success-only JACKDAW_CYCLIC=0 "$@"
    done
    finish
    for p in $programs; do
        echo "$p $(means "$p.b") $(means "$p.s") $(means "$p.c")" | tee -a "$data/fig1" |
            awk '{ printf "%-11s %9.3f %9.3f %9.3f  %6.3f  %5.1f %5.1f  %8d %8d %8d  %5.1f %5.1f %5.1f  %7.4f\n",
                $1, $2, $16, $30, $2 / $16, $9, $23, $5, $6, $18, $24 + $25, $24 + $25 + $26,
                $24 + $25 + $26 + $27 + $28, 100 * $21 / $18 }'
    done
}

each_policy() { # FUNCTION
    for p in $trees; do
        for n in $many; do
            for policy in random baseline success-only lifeline; do
                "$1" "$p" "$n" $policy
            done
        done
    done
}
start_policy() { start "$1.$2.$3" "$1" "$2" "$3" JACKDAW_WORKERS=1; }
tell_policy() {
    means "$1.$2.$3" |
        awk -v a="$1" -v n="$2" -v p="$3" '{ printf "%-15s %5d %-12s %9.3f %9d %9d %8.3f %7.2f %6.1f\n",
            a, n, p, $1, $2, $3, $4 / $3, $7 / $3, $8 }'
}

policies() {
    echo "# $net, seeds $seeds"
    echo "# program ranks policy: ms, attempts, steals, failed per steal, messages per steal, busy %"
    each_policy start_policy
    finish
    each_policy tell_policy
}

picture() {
    command -v gnuplot >/dev/null || { echo "# no gnuplot: no picture" >&2; return; }
    gnuplot <<END
set terminal svg size 1000,750 background rgb 'white'
set output '$dir/sim_steal.svg'
set multiplot layout 2,2 title 'Stealing: $what'
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
    echo "# $dir/sim_steal.svg" >&2
}

for part; do
    case $part in
    fig1) fig1; picture ;;
    policies) policies ;;
    *) echo "sim_steal.sh: fig1 or policies, not '$part'" >&2; exit 2 ;;
    esac
done
