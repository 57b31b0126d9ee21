#!/bin/sh
# What test/sim/sched_waiting_under_many_seeds.sh plays, on real threads, and with a thread of the program that
# wakes tasks: in one process with knobs from the seed, and over smp with each engine.  With each placement of
# what is woken.  TORTURES=N plays N / 100 games instead of 200 in process, TORTURES_SEED=S begins with the seed S.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
games=$((${TORTURES:-20000} / 100)) seed=${TORTURES_SEED:-1}
program=test/dist/sched_waiting_survives_torture
JD_TEST_TIMEOUT=800
export JD_TEST_TIMEOUT

in_process() { # PLACEMENT
    ok "loop: $games games from seed $seed on, $1" env JACKDAW_ULT=boost JACKDAW_UNBLOCK="$1" \
        "$JD_TEST_BUILDDIR/$program-loop" jobs foreign "$games" "$seed"
}

on_smp() { # PLACEMENT ENGINE RANKS WORKERS
    ok "smp: $((games / 4)) games from seed $seed on, $1, $2, $3 ranks x $4 workers" \
        on_ranks smp "$3" JACKDAW_UNBLOCK="$1" JACKDAW_ULT="$2" JACKDAW_WORKERS="$4" \
        $program foreign "$((games / 4))" "$seed"
}

for placement in last current deque proactive; do
    case " $JD_TEST_ENGINES " in *" boost "*) in_process $placement ;; esac
    case " $JD_TEST_CONDUITS " in *" smp "*) ;; *) continue ;; esac
    for engine in $JD_TEST_ENGINES; do
        on_smp $placement "$engine" 1 4
        on_smp $placement "$engine" 2 2
        on_smp $placement "$engine" 3 1
    done
done
done_testing
