#!/bin/sh
# Workers of a simulated rank do in parallel what one does alone: twice as many take half the time.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

uts=$JD_TEST_BUILDDIR/examples/uts-sim
small="-t 0 -b 200 -q 0.124 -m 8 -r 42" # 194 thousand nodes, or 541:
tree="-t 0 -b 2000 -q 0.124 -m 8 -r 42"
[ "$JD_TEST_SANITIZER" = none ] || tree=$small

# Virtual microseconds of all of it.
# shellcheck disable=SC2086 # words
us() { # SETTING...
    env JACKDAW_SEED=1 "$@" JACKDAW_VERBOSE=2 timeout 100 "$uts" $tree 2>&1 >/dev/null |
        sed -n 's/^jackdaw: simulated .*, \([0-9]*\)\.\([0-9]*\) s of virtual.*/\1\2/p' | sed 's/^0*//'
}

share() { # NAME WORKERS MORE SETTING...: the time is what one worker takes by WORKERS, and MORE %
    name=$1 workers=$2 more=$3
    shift 3
    took=$(us "$@")
    ideal=$((alone / workers))
    ok "$name: $took us, at best $ideal" \
        test "${took:-0}" -ge $ideal -a "${took:-0}" -le $((ideal + ideal * more / 100))
}

alone=$(us JACKDAW_RANKS=1)
like "$alone" '^[1-9][0-9]+$' "one worker alone: $alone us"
for n in 2 3 8; do
    share "$n workers" "$n" 10 JACKDAW_RANKS=1 JACKDAW_WORKERS=$n
done
share "2 ranks of 2" 4 50 JACKDAW_RANKS=2 JACKDAW_WORKERS=2
share "2 ranks of 2 and a communication worker" 4 50 JACKDAW_RANKS=2 JACKDAW_WORKERS=2 \
    JACKDAW_COMM=dedicated
share "8 workers that may be a little ahead" 8 10 JACKDAW_RANKS=1 JACKDAW_WORKERS=8 JACKDAW_SIM_AHEAD=1000
# Otherwise taking is for nothing, and the knob too.
cheap=$(us JACKDAW_RANKS=1 JACKDAW_WORKERS=8 JACKDAW_SIM_TAKE=0)
dear=$(us JACKDAW_RANKS=1 JACKDAW_WORKERS=8 JACKDAW_SIM_TAKE=100000)
ok "dear takes take longer: $dear us, for nothing $cheap" test "$dear" -gt $((cheap + 200))
# Ranks that have more workers ask each other for work no less: 256 workers, not 64.  So short a
# run takes a third longer or less by chance, so it is five of them.
tree=$small
five() { # SETTING...
    for seed in 1 2 3 4 5; do us JACKDAW_SEED=$seed "$@"; done | awk '{ sum += $1 } END { print sum }'
}
one=$(five JACKDAW_RANKS=64) four=$(five JACKDAW_RANKS=64 JACKDAW_WORKERS=4 JACKDAW_COMM=dedicated)
ok "64 ranks of 4 are quicker (5 times, $four us) than 64 of 1 ($one us)" test "${four:-0}" -lt $((one * 3 / 4))
done_testing
