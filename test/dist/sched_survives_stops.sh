#!/bin/sh
# While chance stops ranks for up to 200 ms, trees are counted exactly, collections that are
# held and feed each other end when they should, and no job hangs: over smp, over udp, and
# over udp without shared memory whose datagrams come late, out of order, twice or never.
#
# About 20 s.  STOPS_SEEDS=N runs N seeds of each (1), STOPS_SEED=S says the first (1).
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
[ "$JD_TEST_SANITIZER" = none ] || skip_all "a sanitizer wants to be preloaded first"
stutter=$JD_TEST_BUILDDIR/test/kit/stutter
lossy=$JD_TEST_BUILDDIR/test/kit/lossy.so
JD_TEST_TIMEOUT=60
export JD_TEST_TIMEOUT

# ranks.sh puts its own leash around what it starts; the stutter goes in between.
job() { # SEED NETWORK RANKS PROGRAM ARGUMENT...
    seed=$1 network=$2 ranks=$3 program=$(program_of "$4" "$2")
    shift 4
    JD_TEST_TIMEOUT=0 JACKDAW_SEED=$seed STUTTER_TELL=$scratch/stops "$JD_TEST_LEASH" 60 \
        "$stutter" "$seed" "$tap_ranks" "$network" "$ranks" "$program" "$@"
}

each() { # NETWORK NAME
    for seed in $seeds; do
        ok "$2, seed $seed: T3 on 4 ranks" job "$seed" "$1" 4 examples/uts --tree=T3 --check
        ok "$2, seed $seed: holds" job "$seed" "$1" 3 test/dist/sched_holds 20
        ok "$2, seed $seed: counts" job "$seed" "$1" 2 test/dist/sched_counts 20
    done
}

seeds=$(awk -v n="${STOPS_SEEDS:-1}" -v s="${STOPS_SEED:-1}" 'BEGIN { while (n-- > 0) print s++ }')
diag "STOPS_SEED=${STOPS_SEED:-1} STOPS_SEEDS=${STOPS_SEEDS:-1}"
: >"$scratch/stops"
tried=
for network in smp udp; do
    has_conduit $network || continue
    tried=yes
    each $network "$network"
done
[ -n "$tried" ] || skip_all "neither smp nor udp is built"
ok "processes were stopped" awk '{ n += $1 } END { exit n < 10 }' "$scratch/stops"
if has_conduit udp && [ -f "$lossy" ]; then
    GASNET_SUPERNODE_MAXSIZE=1 LD_PRELOAD=$lossy LOSSY_SEED=${STOPS_SEED:-1} LOSSY_DROP=5 \
        LOSSY_DOUBLE=5 LOSSY_LATE=30 LOSSY_LATE_US=5000 LOSSY_TELL=$scratch/told
    export GASNET_SUPERNODE_MAXSIZE LD_PRELOAD LOSSY_SEED LOSSY_DROP LOSSY_DOUBLE LOSSY_LATE \
        LOSSY_LATE_US LOSSY_TELL
    each udp "udp, late datagrams"
    unset LD_PRELOAD
    ok "datagrams were late" awk '{ n += $7 } END { exit n < 100 }' "$scratch/told"
fi
done_testing
