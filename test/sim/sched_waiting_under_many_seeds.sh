#!/bin/sh
# Tasks that wait in every way, and are woken by tasks, messages and deadlines, beside steals, finishes and
# collections: none is forgotten, none is woken twice, nothing ends early.  So does a game with every call that waits,
# and cancellations.  With each placement of what is woken, 400 games by seed of each (150 with a sanitizer), in jobs
# whose ranks, workers, policies, detectors and laws come from the seed, too.
# TORTURES=N plays N games instead (check-long: 100,000), TORTURES_SEED=S begins with the seed S.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
games=400 seed=${TORTURES_SEED:-1}
[ "$JD_TEST_SANITIZER" = none ] || games=150 # each takes six times as long
games=${TORTURES:-$games}

for placement in last current deque proactive; do
    for program in waiting_survives_torture every_wait_ends_once; do
        ok "$program, $games games from seed $seed on, $placement" env JACKDAW_UNBLOCK=$placement \
            "$JD_TEST_BUILDDIR/test/dist/sched_$program-sim" jobs sim "$games" "$seed"
    done
done
done_testing
