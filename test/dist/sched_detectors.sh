#!/bin/sh
# On real networks too, each detector of JACKDAW_DETECTOR ends every collection when it
# should: trees are counted exactly, and the programs of the runtime's tests see what they
# should see, again and again, with holds, with collections that feed each other.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

ends() { # NETWORK RANKS WORKERS COMM PROGRAM ARGUMENT...
    JACKDAW_WORKERS=$3 JACKDAW_COMM=$4
    export JACKDAW_WORKERS JACKDAW_COMM
    network=$1 ranks=$2
    shift 4
    on_ranks "$network" "$ranks" "$@"
}

try() { # NETWORK: with the detector of JACKDAW_DETECTOR
    for comm in inline dedicated; do
        for program in counts holds; do
            ok "$1: $JACKDAW_DETECTOR, $program, 3 ranks x 2 workers, $comm" \
                ends "$1" 3 2 $comm test/dist/sched_$program 10
        done
    done
    [ "$1" != loop ] || return 0
    ok "$1: $JACKDAW_DETECTOR, T3 on 4 ranks" ends "$1" 4 1 auto examples/uts --tree=T3 --check
}

# Where nothing wakes a thread that sleeps, its detector must have said when it is to wake.
sleeps_at_once() {
    JACKDAW_IDLE=spin:0,yield:0,sleep:150
    export JACKDAW_IDLE
    for workers in 1 2; do
        ok "smp: $JACKDAW_DETECTOR, one rank x $workers workers, asleep at once" \
            ends smp 1 $workers inline test/dist/sched_counts 100
    done
    unset JACKDAW_IDLE
}

for JACKDAW_DETECTOR in francez safra fourcounter diffuse credit; do
    export JACKDAW_DETECTOR
    for network in smp udp; do
        has_conduit $network && try $network
    done
    has_conduit smp && sleeps_at_once
    case " $JD_TEST_ENGINES " in
    *" boost "*)
        JACKDAW_ULT=boost
        export JACKDAW_ULT
        try loop
        unset JACKDAW_ULT ;;
    esac
done
done_testing
