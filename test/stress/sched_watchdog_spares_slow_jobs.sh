#!/bin/sh
# 200 jobs that live, but in which nothing is seen to happen for long, eight at a time: none is called hung for certain.
# WATCHDOG_JOBS=N runs N.
. "${JD_TEST_SRCDIR:?run it by make check-stress}/test/kit/tap.sh"
subtests "jobs that live" env WATCHDOG_JOBS="${WATCHDOG_JOBS:-200}" WATCHDOG_BESIDE=8 \
    sh "$JD_TEST_SRCDIR/test/dist/sched_watchdog_spares_what_lives.sh"
done_testing
