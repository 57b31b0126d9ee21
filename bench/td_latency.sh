#!/bin/sh
# How long after the end does everybody know it, and what does that cost?
#
#     bench/td_latency.sh [-s SEEDS] [-r RANKS,RANKS,...] [-p TOOL] [-d DIRECTORY] [DETECTOR...]
#
# jackdaw-tdtest in virtual time: each detector at 2 to 65,536 ranks (RANKS), with six work
# loads and SEEDS (3) seeds, under constant, uniform and heavy-tailed delays.  Tables go to
# standard output, figures to DIRECTORY/td_latency.dat (bench-out); with gnuplot there are
# two pictures: td_latency.svg, the worst latency, and td_messages.svg, control messages
# after quiescence.  No network, no clock: the same figures on every machine.
set -e
seeds=3 tool=tools/jackdaw-tdtest out=bench-out
ranks=2,4,8,16,32,64,128,256,512,1024,2048,4096,8192,16384,32768,65536
usage() {
    sed -n '2,12s/^# \{0,1\}//p' "$0"
    exit "$1"
}
while getopts s:r:p:d:h option; do
    case $option in
    s) seeds=$OPTARG ;;
    r) ranks=$OPTARG ;;
    p) tool=$OPTARG ;;
    d) out=$OPTARG ;;
    h) usage 0 ;;
    *) usage 2 >&2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- francez safra fourcounter diffuse credit
[ -x "$tool" ] || { echo "bench/td_latency.sh: no program $tool: build it, or name it with -p" >&2; exit 2; }
mkdir -p "$out"
data=$out/td_latency.dat
: >"$data"
for detector; do
    "$tool" --detector="$detector" --timed --ranks="$ranks" --seeds="$seeds" --data="$data"
done

command -v gnuplot >/dev/null || { echo "# no gnuplot: no pictures"; exit 0; }
# Columns: detector ranks delays root all worst waves fail before after ...
picture() { # FILE COLUMN TITLE LABEL
    {
        printf 'set terminal svg size 900,600 background rgb "white"\nset output "%s"\n' "$out/$1"
        printf 'set title "%s"\nset ylabel "%s"\nset xlabel "ranks"\n' "$3" "$4"
        printf 'set logscale x 2\nset logscale y\nset key below\nset grid\nplot'
        comma=
        for detector; do
            case $detector in "$1" | "$2" | "$3" | "$4") continue ;; esac
            printf '%s "< awk %s %s" using 2:%s with linespoints title "%s"' "$comma" \
                "'\$1 == \\\"$detector\\\" && \$3 == \\\"constant\\\"'" "$data" "$2" "$detector"
            comma=,
        done
        echo
    } >"$out/${1%.svg}.gp"
    gnuplot "$(dirname "$0")/lines.gp" "$out/${1%.svg}.gp"
    echo "# $out/$1"
}
picture td_latency.svg 6 "From quiescence until every rank knows, constant delays" "hops, worst run" "$@"
picture td_messages.svg 10 "Control messages after quiescence, constant delays" "messages" "$@"
