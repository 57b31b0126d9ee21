#!/bin/sh
# A task that was added by a task which then computes for 10 ms does not wait for these 10 ms while
# anybody has nothing to do: whether the others had nothing to do when it was added, or later.  On
# workers, and on ranks whose communication has a thread of its own.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/sim.sh"

program=$JD_TEST_BUILDDIR/test/kit/hidden_tasks

# The latest start over all seeds: WHICH of the lines in $scratch/out.
latest() { sed -n "s/^$1: the last of [0-9]* began after \([0-9]*\) us.*/\1/p" "$scratch/out" | sort -n | tail -n 1; }

starts_in_time() { # SHAPE US SETTING...
    shape=$1 behind=$2
    shift 2
    : >"$scratch/out"
    for seed in 1 2 3 4 5 6 7 8; do
        env "$@" JACKDAW_SEED=$seed JACKDAW_RANKS="${shape%x*}" JACKDAW_WORKERS="${shape#*x}" \
            timeout 60 "$program" >>"$scratch/out" 2>"$scratch/err" || cat "$scratch/err"
    done
    is "$(grep -c '^early: the last of 1 \|^late: the last of 1 \|^behind: the last of 3 ' "$scratch/out")" \
        24 "$shape, $*: all ran"
    # Others have nothing to do from 1 ms on, and 0.5 ms is enough to notice.
    ok "$shape, $*: at once, $(latest early) us" test "$(latest early)" -le 500
    ok "$shape, $*: as soon as others have nothing to do, $(latest late) us" \
        test "$(latest late)" -le 1500
    ok "$shape, $*: so do the tasks behind it, $(latest behind) us" test "$(latest behind)" -le "$behind"
}

starts_in_time 1x4 1500 JACKDAW_COMM=inline
starts_in_time 1x4 1500 JACKDAW_COMM=dedicated
for policy in random baseline success-only; do
    starts_in_time 4x1 1500 JACKDAW_COMM=dedicated JACKDAW_STEAL=$policy
    starts_in_time 2x3 1500 JACKDAW_COMM=dedicated JACKDAW_STEAL=$policy
done
# A lifeline asks one other rank every 150 us, so a short task may lie until its owner comes to it.
starts_in_time 4x1 2500 JACKDAW_COMM=dedicated JACKDAW_STEAL=lifeline
starts_in_time 2x3 2500 JACKDAW_COMM=dedicated JACKDAW_STEAL=lifeline
done_testing
