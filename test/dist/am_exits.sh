#!/bin/sh
# Whatever a rank does, the job's status is honest: 0 only after a clean end, the rank's own
# where it gave one; it is over within 5 seconds, with no process and no shared memory left.
# AM_EXITS_FULL=1: every way on ucx too.
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

ways() { # NETWORK VICTIM
    leaves 0 "$1" clean "$2" poll
    leaves 3 "$1" return3 "$2" poll
    leaves 1 "$1" return1000 "$2" poll
    leaves 71 "$1" exit0 "$2" poll
    leaves 3 "$1" exit3 "$2" poll
    leaves 9 "$1" end_job9 "$2" poll
    leaves 80 "$1" die80 "$2" poll
    leaves 71 "$1" thread_exit0 "$2" poll
    leaves 3 "$1" thread_exit3 "$2" poll
    leaves 9 "$1" thread_end_job9 "$2" poll
    for mode in kill9 _exit0 _exit3 abort segv thread__exit0 thread_segv; do
        leaves bad "$1" $mode "$2" poll
    done
    # A thread that may not call the network leaves while the one that may computes.
    leaves bad "$1" thread_exit3_deaf "$2" poll
}

# The others compute and do not look at the network.
deaf() { # NETWORK
    for mode in kill9 _exit0 exit3 segv end_job9 thread_exit3; do
        leaves bad "$1" $mode 2 deaf
    done
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

# ucx ends by the launcher and the exit of mpi: what differs is how it comes up.
few_ways() { # NETWORK VICTIM
    leaves 0 "$1" clean "$2" poll
    leaves 3 "$1" return3 "$2" poll
    leaves 71 "$1" exit0 "$2" poll
    leaves 80 "$1" die80 "$2" poll
    for mode in kill9 _exit0 segv; do
        leaves bad "$1" $mode "$2" poll
    done
    leaves bad "$1" kill9 "$2" deaf
}

all_ways() { # NETWORK
    if [ "$1" = ucx ] && [ -z "$AM_EXITS_FULL" ]; then
        few_ways ucx 2
        return
    fi
    ways "$1" 2
    together "$1"
    # Where the launcher is a process of its own, rank 0 is as good as any other.
    case $1 in
    smp | udp) ways "$1" 0 ;;
    *) leaves bad "$1" kill9 0 poll ;;
    esac
    deaf "$1"
}

each_network all_ways
give_up=$(($(uptime_ms) + 10000))
while [ -n "$(shared_memory)" ] && [ "$(uptime_ms)" -lt $give_up ]; do :; done
is "$(shared_memory)" "" "nothing is left in /dev/shm"
done_testing
