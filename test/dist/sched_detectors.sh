#!/bin/sh
# On real networks too, each detector of JACKDAW_DETECTOR ends every collection when it
# should: trees are counted exactly, and the programs of the runtime's tests see what they
# should see, again and again, with holds, with collections that feed each other.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

detectors=francez,safra,fourcounter,diffuse,credit

ends() { # DETECTOR NETWORK PROGRAM COMM
    engine=auto
    # Several ranks in one process need an engine that can be there more than once.
    [ "$2" != loop ] || engine=boost
    case $3 in
    T3) set -- "$@" 4 1 examples/uts --tree=T3 --check ;;
    *) set -- "$@" 3 2 "test/dist/sched_$3" 10 ;;
    esac
    detector=$1 network=$2 program=$3 comm=$4 ranks=$5 workers=$6
    shift 6
    ok "$network: $detector, $program, $ranks ranks x $workers workers, $comm" \
        on_ranks "$network" "$ranks" JACKDAW_ULT=$engine JACKDAW_WORKERS="$workers" \
        JACKDAW_COMM="$comm" JACKDAW_DETECTOR="$detector" "$@"
}

# Where nothing wakes a thread that sleeps, its detector must have said when it is to wake.
sleeps_at_once() { # DETECTOR WORKERS
    ok "smp: $1, one rank x $2 workers, asleep at once" \
        on_ranks smp 1 JACKDAW_WORKERS="$2" JACKDAW_COMM=inline JACKDAW_DETECTOR="$1" \
        JACKDAW_IDLE=spin:0,yield:0,sleep:150 test/dist/sched_counts 100
}

networks=
for network in smp udp; do
    ! has_conduit $network || networks=$networks$network,
done
case " $JD_TEST_ENGINES " in *" boost "*) networks=${networks}loop ;; esac
every_pair ends detector=$detectors network="${networks%,}" program=counts,holds,T3 \
    comm=inline,dedicated
! has_conduit smp || every_pair sleeps_at_once detector=$detectors workers=1,2
done_testing
