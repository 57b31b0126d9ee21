#!/bin/sh
# Whichever process of a job is struck by which of the usual signals, at any moment from its start on, the
# job ends within 5 s, its status is not 0, and neither a process nor a segment is left.
#
# Each network gets a quarter of STRIKES=N signals (16), from STRIKES_SEED=S on (1).  Where other work is
# going on, STRIKE_LIMIT=SECONDS allows more than 5 s.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
[ "$JD_TEST_SANITIZER" = none ] || skip_all "sanitizers take their time to end"
unshare -m true 2>/dev/null || skip_all "needs a /dev/shm of its own, and root for that"
strike=$JD_TEST_BUILDDIR/test/kit/strike
first=${STRIKES_SEED:-1} each=$(((${STRIKES:-16} + 3) / 4))
diag "STRIKES=${STRIKES:-16} STRIKES_SEED=$first"

# What the ranks do meanwhile, for longer than the strike takes: tasks, messages, or neither.
job() { # SEED NETWORK
    case $(($1 % 3)) in
    0) echo "$(program_of examples/uts "$2") --tree=T1XL" ;;
    1) echo "$JD_TEST_BUILDDIR/test/am/exits-$2 kill9 9 poll" ;;
    2) echo "$JD_TEST_BUILDDIR/test/am/exits-$2 kill9 9 deaf" ;;
    esac
}

# struck NAME NETWORK [SETTING=VALUE]
struck() {
    struck_name=$1 network=$2
    shift 2
    seed=$first
    while [ "$seed" -lt $((first + each)) ]; do
        ok_strike=0
        # shellcheck disable=SC2046,SC2016 # words; expanded inside
        JD_TEST_TIMEOUT=0 "$JD_TEST_LEASH" 60 env ${1+"$1"} unshare -m sh -c '
            mount -t tmpfs -o size=500m none /dev/shm && exec "$@"' sh "$strike" "$seed" \
            "$tap_ranks" "$network" 4 $(job "$seed" "$network") >"$scratch/struck" 2>&1 ||
            ok_strike=$?
        says=$(grep -aE '^(good|BAD) seed' "$scratch/struck")
        if [ $ok_strike -eq 0 ]; then
            pass "$struck_name: $says"
        else
            fail "$struck_name: $says"
            sed 's/^/# /' "$scratch/struck"
        fi
        seed=$((seed + 1))
    done
}

for network in smp udp mpi; do
    ! has_conduit $network || struck $network $network
done
! has_conduit udp || struck "udp without shared memory" udp GASNET_SUPERNODE_MAXSIZE=1
done_testing
