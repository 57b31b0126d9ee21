#!/bin/sh
# What tasks of all ranks do with the same futures at once: set, get until a deadline, destroy, await, cancel.
# 20,000 games by seed in the simulator and 1,000 on real threads, with each placement of what was woken.
# GAMES=N plays N games instead, and N / 20 on threads; SEED=S begins with the seed S.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
JD_TEST_TIMEOUT=800
export JD_TEST_TIMEOUT
games=${GAMES:-20000} seed=${SEED:-1}

for placement in last current deque proactive; do
    for law in none uniform:20000 lifo:20000; do
        ok "sim: $games games from seed $seed on, $placement, $law" env JACKDAW_RANKS=3 JACKDAW_WORKERS=2 \
            JACKDAW_UNBLOCK=$placement JACKDAW_SIM_LAW=$law \
            "$JD_TEST_BUILDDIR/test/dist/sched_futures_survive_torture-sim" "$games" "$seed"
    done
    case " $JD_TEST_ENGINES " in
    *" boost "*)
        for workers in 1 3; do
            ok "loop: $((games / 20)) games from seed $seed on, $placement, $workers workers" \
                on_ranks loop 2 JACKDAW_ULT=boost JACKDAW_WORKERS=$workers JACKDAW_UNBLOCK=$placement \
                test/dist/sched_futures_survive_torture $((games / 20)) "$seed"
        done ;;
    esac
done
done_testing
