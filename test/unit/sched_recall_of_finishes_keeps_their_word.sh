#!/bin/sh
# What holds of finishes holds in a job that logs steals, and in one that begins with that log: the programs that test
# finishes, twice each, on ranks in one process.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
logs=$scratch/logs
mkdir "$logs"
for program in finish_brings_every_argument finish_in_a_collection_counts_apart finish_of_all_ranks_ends finish_refuses_wrong_calls \
    finish_that_is_cancelled_ends finish_waits_for_all_its_tasks futures_end_with_a_cancelled_finish \
    futures_start_tasks_that_await ranges scopes waiting_tasks_of_finishes_move; do
    rm -f "$logs"/*
    for how in STEAL_LOG REPLAY; do
        ok "$program, JACKDAW_$how" env "JACKDAW_$how=$logs/%r" JACKDAW_RANKS=4 JACKDAW_WORKERS=3 JACKDAW_ULT=boost timeout 100 \
            "$JD_TEST_BUILDDIR/test/dist/sched_$program-loop"
    done
    is "$(find "$logs" -name '[0-3]' | wc -l)" 4 "$program: there was a log of each rank"
done
done_testing
