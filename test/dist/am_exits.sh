#!/bin/sh
# Whatever a rank does, the job's status is right: 0 only after a clean end, and the rank's own
# status if the rank gave one.  The job ends within 5 seconds and leaves no process and no shared
# memory.  Every way is tried on every network, with rank 0 or the last rank as the one that ends;
# with JD_TEST_FULL=1 with both, and on ucx too.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

limit=5 # seconds from the rank's leaving to the end of the job

uptime_ms() { sed 's/ .*//; s/\.//; s/$/0/' /proc/uptime; }
shared_memory() { find /dev/shm -name 'GASNT*' 2>/dev/null | sort; }

# leaves STATUS NETWORK MODE VICTIM OTHERS.  The leash says 120 for a process left behind
# and 124 for a job that hangs; neither is "bad".
leaves() {
    exits "$1" "$2: rank $4 leaves by $3, others $5: status $1, no process left" \
        on_ranks "$2" 3 test/am/exits "$3" "$4" "$5"
    end=$(uptime_ms)
    start=$(sed -n 's/^leaving at \([0-9]*\) ms$/\1/p' "$scratch/out" | tail -n 1)
    took=$((end - ${start:-0}))
    ok "$2: rank $4 leaves by $3, others $5: within $limit s (${took} ms)" \
        test -n "$start" -a $took -lt $((limit * 1000))
}

# The way says the status, unless the others compute and do not look at the network ("+deaf").
leaves_by() { # NETWORK WAY VICTIM
    others=poll
    case $2 in
    *+deaf) want=bad others=deaf ;;
    clean) want=0 ;;
    return3 | exit3 | thread_exit3) want=3 ;;
    return1000) want=1 ;;
    exit0 | thread_exit0) want=71 ;;
    end_job9 | thread_end_job9) want=9 ;;
    die80) want=80 ;;
    *) want=bad ;;
    esac
    leaves $want "$1" "${2%+deaf}" "$3" $others
    # Where mpirun has started the ranks, mpirun says it.
    case $1:$2 in smp:kill9* | udp:kill9*)
        like "$(cat "$scratch/out")" "^jackdaw: rank $3 was killed by signal 9\$" \
            "$1: rank $3 leaves by ${2%+deaf}, others $others: and its guardian says so" ;;
    esac
}

# Every rank leaves at once, as when all have seen the same error: then they send each
# other the signal that the job is over, which once cost one job in ten its status.
together() { # NETWORK
    rounds=1
    [ "$1" != udp ] || rounds="1 2 3 4 5 6 7 8" # where it was seen
    for round in $rounds; do
        leaves 80 "$1" die80 all poll
        is "$(grep -c 'the test says so' "$scratch/out")" 3 "and round $round: all say why"
    done
    leaves 3 "$1" exit3 all poll
    leaves 3 "$1" thread_exit3 all poll
    leaves 9 "$1" end_job9 all deaf
}

each_way() {
    # By thread_exit3_deaf a thread that may not call the network leaves, while the one that may
    # computes.
    few="clean return3 exit0 die80 kill9 _exit0 segv kill9+deaf"
    others="return1000 exit3 end_job9 thread_exit0 thread_exit3 thread_end_job9 _exit3 abort
        thread__exit0 thread_segv thread_exit3_deaf
        _exit0+deaf exit3+deaf segv+deaf end_job9+deaf thread_exit3+deaf"
    set --
    # ucx ends by the launcher and the exit of mpi: what differs is how it comes up.
    [ "${JD_TEST_FULL:-0}" = 1 ] || for way in $others; do
        set -- "$@" "!network=ucx,way=$way"
    done
    every_pair_on_networks leaves_by way="$(echo $few $others | tr ' ' ,)" victim=2,0 "$@"
}

each_way
[ "${JD_TEST_FULL:-0}" = 1 ] || JD_TEST_CONDUITS=$(echo " $JD_TEST_CONDUITS " | sed 's/ ucx / /')
each_network together
give_up=$(($(uptime_ms) + 10000))
while [ -n "$(shared_memory)" ] && [ "$(uptime_ms)" -lt $give_up ]; do :; done
is "$(shared_memory)" "" "nothing is left in /dev/shm"
done_testing
