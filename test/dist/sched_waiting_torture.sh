#!/bin/sh
# What test/sim/sched_waiting_under_many_seeds.sh plays, on real threads, and with threads of the program that
# wake tasks and signal events: in one process with knobs from the seed, and over smp with each engine.  With each
# placement of what is woken.  TORTURES=N plays N / 100 games instead of 200 in process, TORTURES_SEED=S begins with
# the seed S.  The game with every call that waits has a quarter as many.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
games=$((${TORTURES:-20000} / 100)) seed=${TORTURES_SEED:-1}
of_all=$((games / 4))
JD_TEST_TIMEOUT=800
export JD_TEST_TIMEOUT

in_process() { # PLACEMENT PROGRAM GAMES
    ok "loop: $2, $3 games from seed $seed on, $1" env JACKDAW_ULT=boost JACKDAW_UNBLOCK="$1" \
        "$JD_TEST_BUILDDIR/test/dist/sched_$2-loop" jobs foreign "$3" "$seed"
}

on_smp() { # PLACEMENT PROGRAM GAMES ENGINE RANKS WORKERS
    ok "smp: $2, $(($3 / 4)) games from seed $seed on, $1, $4, $5 ranks x $6 workers" \
        on_ranks smp "$5" JACKDAW_UNBLOCK="$1" JACKDAW_ULT="$4" JACKDAW_WORKERS="$6" \
        "test/dist/sched_$2" foreign "$(($3 / 4))" "$seed"
}

for placement in last current deque proactive; do
    case " $JD_TEST_ENGINES " in
    *" boost "*)
        in_process $placement waiting_survives_torture "$games"
        in_process $placement every_wait_ends_once "$of_all" ;;
    esac
    case " $JD_TEST_CONDUITS " in *" smp "*) ;; *) continue ;; esac
    for engine in $JD_TEST_ENGINES; do
        on_smp $placement waiting_survives_torture "$games" "$engine" 1 4
        on_smp $placement waiting_survives_torture "$games" "$engine" 2 2
        on_smp $placement waiting_survives_torture "$games" "$engine" 3 1
        on_smp $placement every_wait_ends_once "$of_all" "$engine" 2 2
    done
done
done_testing
