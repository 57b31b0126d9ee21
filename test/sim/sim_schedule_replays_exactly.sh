#!/bin/sh
# A saved schedule gives the same run, byte for byte, without the law that it came from; a
# schedule that cannot be right is refused with its line.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/sim.sh"

JACKDAW_RANKS=24 JACKDAW_SEED=7
export JACKDAW_RANKS JACKDAW_SEED
run() { # NAME SETTING...
    name=$1
    shift
    env JACKDAW_SIM_TRACE="$scratch/$name.trace" JACKDAW_SIM_SAVE="$scratch/$name" "$@" \
        timeout 60 "$uts" -t 1 -a 3 -d 7 -b 4 -r 19 >"$scratch/$name.out" 2>&1
}
lines() { grep -c "^$1 " "$2" || :; }

check() { # WORD SETTING...: the schedule of a run with these settings has such lines
    word=$1 what=$*
    shift
    rm -f "$scratch/a" "$scratch/b"
    ok "$what: runs" run a "$@"
    ok "$what: decisions are saved" test "$(lines "$word" "$scratch/a")" -ge 1
    ok "$what: the schedule runs" run b JACKDAW_SIM_REPLAY="$scratch/a"
    ok "$what: the same trace" cmp "$scratch/a.trace" "$scratch/b.trace"
    ok "$what: all of it was used" cmp "$scratch/a" "$scratch/b"
    grep -E '^(jackdaw-schedule|ranks|seed) ' "$scratch/a" >"$scratch/none"
    run c JACKDAW_SIM_REPLAY="$scratch/none"
    ok "$what: without its decisions another run" sh -c "! cmp -s '$scratch/a.trace' '$scratch/c.trace'"
}

for law in uniform:3000 tail:500 burst:9000 lifo:9000; do
    check delay JACKDAW_SIM_LAW=$law
done
check keep JACKDAW_SIM_LAW=hold:20000
check refuse JACKDAW_SIM_REFUSE=30
check pause JACKDAW_SIM_PAUSE=0:20000:50000
check slow JACKDAW_SIM_SLOW=0:10 JACKDAW_SIM_LAW=tail:300

refused() { # TEXT LINE...
    want=$1
    shift
    printf '%s\n' "$@" >"$scratch/bad"
    run c JACKDAW_SIM_REPLAY="$scratch/bad"
    is "$?" 78 "'$*' ends with status 78"
    ok "and is explained" grep -q "bad: $want" "$scratch/c.out"
}
h="jackdaw-schedule 1"
refused 'line 1: not' "ranks 24"
refused 'line 2: .*another JACKDAW_RANKS' "$h" "ranks 23"
refused 'line 3: .*another JACKDAW_SEED' "$h" "ranks 24" "seed 8"
refused 'line 3: .*are missing' "$h" "ranks 24" "delay 0 1 1 5"
refused 'line 4: neither' "$h" "ranks 24" "seed 7" "delay 0 1 1"
refused 'line 4: neither' "$h" "ranks 24" "seed 7" "hurry 0 1 1 5"
refused 'line 4: no such message' "$h" "ranks 24" "seed 7" "delay 0 24 1 5"
refused 'line 4: there is no such rank' "$h" "ranks 24" "seed 7" "slow 24 10"
refused 'line 4: there is no such rank' "$h" "ranks 24" "seed 7" "pause 24 1 1"
refused 'line 4: there is no such rank' "$h" "ranks 24" "seed 7" "crash 24 1"
refused 'line 5: decided twice' "$h" "ranks 24" "seed 7" "keep 0 1 1 5" "keep 0 1 1 6"
run c JACKDAW_SIM_REPLAY="$scratch/nowhere"
is "$?" 78 "a file that is not there ends with status 78"
run c JACKDAW_SIM_SAVE="$scratch/nowhere/a"
is "$?" 78 "one that cannot be written too"
done_testing
