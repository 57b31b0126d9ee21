#!/bin/sh
# On real networks too, each detector of JACKDAW_DETECTOR ends every collection at the right time.
# Trees are counted exactly, and the programs of the runtime's tests pass many times, with holds and
# with collections that feed each other.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

detectors=francez,safra,fourcounter,diffuse,credit

ends() { # NETWORK PROGRAM SETTING...
    network=$1 program=$2 ranks=3 workers=2 engine=auto
    shift 2
    [ "$program" != T3 ] || ranks=4 workers=1
    # Several ranks in one process need an engine that can be there more than once.
    [ "$network" != loop ] || engine=boost
    set -- JACKDAW_ULT=$engine JACKDAW_WORKERS=$workers "$@"
    case $program in
    T3) set -- "$@" examples/uts --tree=T3 --check ;;
    *) set -- "$@" "test/dist/sched_$program" 10 ;;
    esac
    ok "$network: $program on $ranks ranks, $*" on_ranks "$network" $ranks "$@"
}

# Where nothing wakes a thread that sleeps, its detector must have said when it is to wake.
sleeps_at_once() { # NETWORK SETTING...
    ok "$1: one rank asleep at once, $2 $3" on_ranks "$1" 1 JACKDAW_COMM=inline \
        JACKDAW_IDLE=spin:0,yield:0,sleep:150 "$2" "$3" test/dist/sched_counts 100
}

networks=
for network in smp udp; do
    ! has_conduit $network || networks=$networks$network,
done
case " $JD_TEST_ENGINES " in *" boost "*) networks=${networks}loop ;; esac
every_pair ends network="${networks%,}" program=counts,holds,T3 JACKDAW_COMM=inline,dedicated \
    JACKDAW_DETECTOR=$detectors
! has_conduit smp ||
    every_pair sleeps_at_once network=smp JACKDAW_WORKERS=1,2 JACKDAW_DETECTOR=$detectors
done_testing
