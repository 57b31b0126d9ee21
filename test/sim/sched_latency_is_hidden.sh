#!/bin/sh
# A map and reduce whose elements have to be fetched takes as long as its work and the longest way
# through it, under each placement, however many of its elements wait; no worker has more deques than one
# above the number of those.  A scheduler that blocks takes every latency after the other.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/sim.sh"

program=$JD_TEST_BUILDDIR/examples/map_reduce-sim
n=500 work=100 latency=5000

run() { # WORKERS U SETTING...
    workers=$1 width=$2
    shift 2
    env "$@" JACKDAW_RANKS=1 JACKDAW_WORKERS="$workers" JACKDAW_STATS=1 JACKDAW_SEED=1 timeout 60 "$program" \
        -n $n -w $work -l $latency -U "$width" >"$scratch/out" 2>&1 || cat "$scratch/out"
    us=$(awk '/^[0-9]* elements/ { for (i = 1; i < NF; i++) if ($i == "workers:") print int(1e6 * $(i + 1)) }' "$scratch/out")
    deques=$(awk '/^most deques at once/ { print $(NF - 2) }' "$scratch/out")
}

# The work on all workers and the longest way, and a tenth more: a greedy scheduler may come to an element that
# has to be fetched last.
most() { # WORKERS U
    rows=$((work * ((n + $1 - 1) / $1))) span=$work
    [ "$2" = 0 ] || span=$((latency + work))
    echo $((11 * (rows + span) / 10))
}

hides() { # WORKERS U PLACEMENT
    run "$1" "$2" JACKDAW_UNBLOCK="$3"
    ok "$3, $1 workers, $2 of $n wait: ${us:-no} us, not over $(most "$1" "$2")" test "${us:-999999}" -le "$(most "$1" "$2")"
    ok "$3, $1 workers, $2 of $n wait: ${deques:-no} deques" test "${deques:-999999}" -le $(($2 + 1))
}
every_pair hides workers=1,8,64 width=0,1,10,100,500 placement=last,current,deque,proactive

for workers in 1 8; do
    run $workers $n JACKDAW_LATENCY=block
    ok "blocked, $workers workers: ${us:-no} us" test "${us:-0}" -ge $((n / workers * (work + latency)))
done
done_testing
