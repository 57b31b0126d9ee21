#!/bin/sh
# Many workers of a rank read the same few tiles through a cache that is far too small, none at all, or large enough,
# while some of them are cancelled: what they read is right, and each tile comes once if there is room.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/sim.sh"
program=$JD_TEST_BUILDDIR/test/dist/sched_data_cached_reads_are_right

for cache in 0 1K 3K 64M; do
    ok "8 workers of 3 ranks, JACKDAW_CACHE=$cache" env JACKDAW_CACHE=$cache JACKDAW_RANKS=3 JACKDAW_WORKERS=8 \
        JACKDAW_ULT=boost timeout 60 "$program-loop" 150
done
[ -x "$program-sim" ] || done_testing
for seed in 1 2 3 4 5 6; do
    for cache in 0 1K 3K 64M; do
        ok "seed $seed, JACKDAW_CACHE=$cache" env JACKDAW_CACHE=$cache JACKDAW_RANKS=$((1 + seed)) JACKDAW_WORKERS=3 \
            JACKDAW_SEED=$seed JACKDAW_SIM_LAW="$(echo uniform:5000 hold:50000 lifo:20000 | cut -d ' ' -f $((1 + seed % 3)))" \
            timeout 60 "$program-sim" 30
    done
done
done_testing
