#!/bin/sh
# JD_RESTORE_AUTO beside each fixed choice, in virtual time.
#
#     bench/auto.sh [-l "LOAD..."] [-r "RANKS:WORKERS..."] [-t "TASKS..."] [-m "NS..."] [-b "BYTES..."]
#                   [-u "UNEVEN..."] [-q "QUIET..."] [-i ITERATIONS] [-s SEED]
#
# Every combination of LOAD ("even stationary drifting random"), RANKS:WORKERS ("8:1 16:4 64:2"), TASKS a worker ("4
# 40"), their mean NS ("20000 200000"), BYTES of an argument ("16 4096"), UNEVEN ("0 4": the first of 4 ranks gets 4
# times as many tasks) and QUIET ("0 1": 1 is no stealing from the second iteration on).  ITERATIONS: 20.  A line for
# each: the time of all iterations but the first, with their restores, in ms, for seed retain central tree gossip auto;
# the best fixed choice, and AUTO over it.  Then the worst line.
set -e
# shellcheck source=bench/kit.sh
. "$(dirname "$0")/kit.sh"
loads="even stationary drifting random" ranks="8:1 16:4 64:2" tasks="4 40" means="20000 200000" bytes="16 4096"
uneven="0 4" quiet="0 1" iterations=20 seed=1
while getopts l:r:t:m:b:u:q:i:s: option; do
    case $option in
    l) loads=$OPTARG ;;
    r) ranks=$OPTARG ;;
    t) tasks=$OPTARG ;;
    m) means=$OPTARG ;;
    b) bytes=$OPTARG ;;
    u) uneven=$OPTARG ;;
    q) quiet=$OPTARG ;;
    i) iterations=$OPTARG ;;
    s) seed=$OPTARG ;;
    *) usage ;;
    esac
done
need bench/iterations-sim

later() { # LOAD RANKS:WORKERS TASKS MEAN BYTES UNEVEN QUIET RESTORE
    JACKDAW_RANKS=${2%:*} JACKDAW_WORKERS=${2#*:} JACKDAW_SEED=$seed run_to "$data/out" bench/iterations-sim \
        -n $((${2%:*} * ${2#*:} * $3)) -m "$4" -i "$iterations" -l "$1" -b "$5" -u "$6" -k "$7" -r "$8"
    sed -n 's/^later \(.*\) ms$/\1/p' "$data/out"
}

point() { # LOAD RANKS:WORKERS TASKS MEAN BYTES UNEVEN QUIET
    all=''
    for how in seed retain central tree gossip auto; do
        all="$all $(later "$@" "$how")"
    done
    echo "$*$all" | awk '{
        split("seed retain central tree gossip", name, " ")
        for (i = 1; i <= 5; i++) if (i == 1 || $(7 + i) < best) { best = $(7 + i); which = name[i] }
        printf "%s %s %.4f\n", $0, which, $13 / best }' | tee -a "$data/all"
}

echo "# load ranks:workers tasks ns bytes uneven quiet: ms of seed retain central tree gossip auto; best fixed, auto over it"
for l in $loads; do for r in $ranks; do for t in $tasks; do for m in $means; do
    for b in $bytes; do for u in $uneven; do for q in $quiet; do
        [ "$l:$u:$q" != even:0:0 ] || [ "$b" = 16 ] || continue # nothing moves
        point "$l" "$r" "$t" "$m" "$b" "$u" "$q"
    done; done; done
done; done; done; done
echo "# worst: $(sort -n -k 15 "$data/all" | tail -n 1)"
