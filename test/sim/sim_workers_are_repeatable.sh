#!/bin/sh
# With several workers in a rank too the same seed gives the same run, and a saved schedule replays.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

JACKDAW_RANKS=7 JACKDAW_WORKERS=4 JACKDAW_STATS=1
export JACKDAW_RANKS JACKDAW_WORKERS JACKDAW_STATS
uts() { # NAME SETTING...
    name=$1
    shift
    env JACKDAW_SIM_TRACE="$scratch/$name.trace" JACKDAW_SIM_SAVE="$scratch/$name" "$@" timeout 60 \
        "$JD_TEST_BUILDDIR/examples/uts-sim" -t 1 -a 3 -d 7 -b 4 -r 19 >"$scratch/$name.out" 2>&1 ||
        return 1
    # All counters and virtual times, but not how long it took and how much memory.
    sed -i 's/ of virtual time in [^:]*:/:/; s/, [0-9]* KiB.*//' "$scratch/$name.out"
}

for comm in inline dedicated; do
    for law in none uniform:3000 hold:20000; do
        what="$comm, $law"
        export JACKDAW_COMM=$comm
        ok "$what: runs" uts a JACKDAW_SEED=7 JACKDAW_SIM_LAW=$law
        ok "$what: again" uts b JACKDAW_SEED=7 JACKDAW_SIM_LAW=$law
        ok "$what: the same trace" cmp "$scratch/a.trace" "$scratch/b.trace"
        ok "$what: the same figures" cmp "$scratch/a.out" "$scratch/b.out"
        ok "$what: with another seed" uts b JACKDAW_SEED=8 JACKDAW_SIM_LAW=$law
        ok "$what: another trace" sh -c "! cmp -s '$scratch/a.trace' '$scratch/b.trace'"
        ok "$what: replayed" uts b JACKDAW_SEED=7 JACKDAW_SIM_REPLAY="$scratch/a"
        ok "$what: the same trace" cmp "$scratch/a.trace" "$scratch/b.trace"
        ok "$what: all decisions were used" cmp "$scratch/a" "$scratch/b"
    done
done
done_testing
