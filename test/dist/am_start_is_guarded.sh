#!/bin/sh
# While a job starts, too, it ends with a status that is not 0, says why, and leaves neither a process
# nor a segment: if a rank is killed, if the process is killed that started the ranks or the job, if a
# rank stands still, if there is no room in /dev/shm, or too few descriptors.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

dies=$JD_TEST_BUILDDIR/test/kit/dies.so
[ "$JD_TEST_SANITIZER" = none ] || skip_all "a sanitizer wants to be preloaded first"
[ -f "$dies" ] || skip_all "no preloadable library could be built"
unshare -m true 2>/dev/null || skip_all "needs a /dev/shm of its own, and root for that"
export JD_TEST_TIMEOUT=30

# What stays in a /dev/shm of MEGABYTES that nobody else uses is the job's.  The keeper may need a
# moment more than the job.
within() { # MEGABYTES COMMAND...
    megabytes=$1
    shift
    # shellcheck disable=SC2016 # expanded inside
    unshare -m sh -c '
        mount -t tmpfs -o size='"$megabytes"'m none /dev/shm || exit 99
        "$@"
        status=$?
        end=$(($(date +%s) + 5))
        while [ -n "$(ls /dev/shm)" ] && [ "$(date +%s)" -lt $end ]; do :; done
        ls /dev/shm >'"$scratch/left"'
        exit $status' sh "$@"
}

exits=$JD_TEST_BUILDDIR/test/am/exits
dying() { # WAY CALL
    rm -f "$scratch/once"
    echo "LD_PRELOAD=$dies DIES_AT=$2 DIES_BY=$1 DIES_ONCE=$scratch/once"
}

# ends STATUS NAME PATTERN COMMAND...
ends() {
    ends_name=$2 ends_text=$3 ends_status=$1
    shift 3
    exits "$ends_status" "$ends_name: status $ends_status, no process left" within "$@"
    [ -z "$ends_text" ] || like "$(cat "$scratch/out")" "$ends_text" "$ends_name: says why"
    is "$(cat "$scratch/left")" "" "$ends_name: no segment is left"
}

on_network() {
    says='was killed by signal 9'
    [ "$1" != mpi ] || says='signal 9'
    # The process that started the rank may have collected it before the guardian has looked.
    [ "$1" != udp ] || says="$says|is gone"
    # shellcheck disable=SC2046 # words
    for call in 1 2 3; do
        ends bad "$1: a rank is killed at its segment $call" "$says" 100 \
            env $(dying kill $call) "$tap_ranks" "$1" 4 "$exits-$1" clean 0 poll
        ok "$1: and it was" test -e "$scratch/once"
    done
    # On smp the parent is the guardian when rank 0 is first, as it is for the first segment.
    # shellcheck disable=SC2046
    [ "$1" = mpi ] || for call in 1 2; do
        ends bad "$1: its parent is killed at its segment $call" '' 100 \
            env $(dying parent $call) "$tap_ranks" "$1" 4 "$exits-$1" clean 0 poll
    done
    # shellcheck disable=SC2046
    ends 78 "$1: a rank stands still" JACKDAW_START_TIMEOUT 100 \
        env JACKDAW_START_TIMEOUT=2 $(dying stop 2) "$tap_ranks" "$1" 4 "$(program_of examples/fib "$1")" 5
    ends 78 "$1: no room" '/dev/shm has 16.78 MB free, but 4 ranks .* need 16.84 MB' 16 \
        "$tap_ranks" "$1" 4 "$exits-$1" clean 0 poll
}

for network in smp udp mpi; do
    ! has_conduit $network || on_network $network
done
if has_conduit smp; then
    for files in 3 4 5 6 7; do
        # shellcheck disable=SC2016
        ends bad "smp: $files descriptors" '' 100 env GASNET_PSHM_NODES=3 "$JD_TEST_LEASH" 30 \
            sh -c 'ulimit -n $1; exec "$2" clean 0 poll' sh $files "$exits-smp"
    done
fi
done_testing
