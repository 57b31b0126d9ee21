#!/bin/sh
# In virtual time the examples whose tasks wait take as long as they must: elements that come late cost the latency
# once, rounds of messages keep all workers busy, and a process network has one result.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
JACKDAW_RANKS=1
export JACKDAW_RANKS
examples=$JD_TEST_BUILDDIR/examples

# 2000 elements of 100 us that come after 5 ms: no less than W/P + latency, and no more than 3% and 0.2 ms over it.
hidden() { # WORKERS SETTING...
    workers=$1
    shift
    env JACKDAW_WORKERS="$workers" "$@" timeout 60 "$examples/map_reduce-sim" -n 2000 -l 5000 -w 100 >"$scratch/out" || return 1
    sed 's/^/# /' "$scratch/out"
    sed 's/.* workers: \([0-9.]*\) s;.*/\1/' "$scratch/out" | awk -v p="$workers" '
        { least = 0.2 / p + 0.005; exit !($1 >= least - 1e-9 && $1 <= 1.03 * least + 0.0002) }'
}
for workers in 1 4 16; do
    ok "$workers workers hide the latency" hidden $workers
done
ok "so do they with a deque for each row of waits" hidden 4 JACKDAW_UNBLOCK=deque

# With 16 workers of p0, 8 of the rank are busy but for the messages.
ok "rounds of messages keep 8 workers busy" sh -c "JACKDAW_WORKERS=8 timeout 60 '$examples/scatter_gather-sim' -k compute \
    -n 16 -m 200 | tee /dev/stderr | sed 's/.*speed-up //' | awk '{ exit !(\$1 > 7.5 && \$1 <= 8) }'"

digests() { # WORKERS CAPACITY SEED
    JACKDAW_WORKERS=$1 JACKDAW_SEED=$3 timeout 60 "$examples/kpn-sim" -n 500 -l 4 -i 100 -c "$2" | sed 's/, in .*//'
}
digests 1 8 1 >"$scratch/want"
ok "a process network has results" test "$(wc -l <"$scratch/want")" = 2
for capacity in 0 1 100; do
    is "$(digests 3 $capacity 2; digests 4 $capacity 3)" "$(cat "$scratch/want" "$scratch/want")" \
        "they are the same with channels of $capacity"
done

# Virtual times are the same in each run, and nobody else takes the cores away.
twice_the_same() { # PATTERN PROGRAM ARGUMENT...
    pattern=$1
    shift
    JACKDAW_WORKERS=4 timeout 60 "$@" >"$scratch/first" && JACKDAW_WORKERS=4 timeout 60 "$@" >"$scratch/second" || return 1
    sed 's/^/# /' "$scratch/first"
    cmp "$scratch/first" "$scratch/second" && grep -q "$pattern" "$scratch/first"
}
ok "timers have their times" twice_the_same '^500 requests of 3 steps were in time, 500 not: late by' "$examples/timers-sim"
ok "so have stages" twice_the_same '^to the end: 2000 made, 2000 delivered, 0 inside, 0 dropped' "$examples/stages-sim"
exits 2 "fetch_all says that it needs real time" "$examples/fetch_all-sim"
exits 2 "echo_server says that it needs real time" "$examples/echo_server-sim"
done_testing
