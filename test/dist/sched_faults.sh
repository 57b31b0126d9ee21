#!/bin/sh
# Each request for memory, a thread or a stack is refused, one in each run.  The job goes on, or
# says what is missing and ends with a status; no job crashes or hangs.  A refused injection into
# the network is only a delay.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
case " $JD_TEST_ENGINES " in
*" boost "*) ;;
*) skip_all "ranks in one process need the engine boost" ;;
esac
JD_TEST_TIMEOUT=10

clean_runs=12 # so many clean runs in a row: the requests are fewer than that number
most=600

# One run: 0 clean, 1 said so, 2 neither.
outcome() { # FAULT COMM
    status=0
    cut_off on_ranks loop 2 JACKDAW_ULT=boost JACKDAW_WORKERS=2 JACKDAW_FAULT="$1" JACKDAW_COMM="$2" \
        test/dist/sched_endings work 0 >"$scratch/out" 2>&1 || status=$?
    case $status in
    0) # Who has no stack for a loop says so, and goes on when there is one.
        grep '^jackdaw:' "$scratch/out" | grep -qv 'out of memory for a ULT stack' && return 2
        grep -q '^jackdaw:' "$scratch/out" && return 1 || return 0 ;;
    1[0-9][0-9] | 2[0-9][0-9]) return 2 ;; # a signal, the leash
    esac
    grep -q '^jackdaw: ' "$scratch/out" || return 2
    ! grep -q 'Sanitizer' "$scratch/out" || return 2
    return 1
}

# Fault number 1, 2, ... of a site, until there is none left to hit.
sweep() { # SITE COMM
    k=0 clean=0 said=0 bad=
    while [ $clean -lt $clean_runs ] && [ $k -lt $most ]; do
        k=$((k + 1)) found=0
        outcome "$1:$k" "$2" || found=$?
        case $found in
        0) clean=$((clean + 1)) ;;
        1) said=$((said + 1)) clean=0 ;;
        *)
            bad="$bad $1:$k($status)"
            clean=0
            sed 's/^/# /' "$scratch/out" | head -20 ;;
        esac
    done
    is "$bad" "" "$1, $2: each of $k faults is survived or told ($said were told)"
    ok "$1, $2: the last ones hit nothing" test $clean -eq $clean_runs
    ok "$1, $2: the first ones do" test $said -gt 0
}

for comm in inline dedicated; do
    sweep alloc $comm
    sweep thread $comm
    sweep stack $comm
    for k in 1 2 3 5 8 13 21; do
        found=0
        outcome "send:$k" $comm || found=$?
        is $found 0 "send, $comm: refusal $k is a delay"
    done
done
done_testing
