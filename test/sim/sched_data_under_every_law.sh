#!/bin/sh
# Whatever the network does to messages, bytes and futures arrive as they were sent, tasks that
# await start once and not too early, cancelled waits end, and refusals are the same.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/sim.sh"
. "$JD_TEST_SRCDIR/test/kit/families.sh"

run() { # PROGRAM SETTING...
    program=$1
    shift
    case $program in
    pipeline) set -- "$@" timeout 60 "$JD_TEST_BUILDDIR/examples/pipeline-sim" --check 60 ;;
    *) set -- "$@" timeout 60 "$JD_TEST_BUILDDIR/test/dist/sched_$program-sim" 4 ;;
    esac
    env "$@" >"$scratch/out" 2>&1 && return
    grep -v '^ok' "$scratch/out"
    return 1
}

check() { ok "$*" run "$@"; } # PROGRAM SETTING...

every_pair check program="$data,$futures,pipeline" JACKDAW_RANKS=1,2,4,5,6 JACKDAW_SIM_LAW=$laws \
    JACKDAW_SIM_REFUSE=,40 JACKDAW_CREDITS=,1 JACKDAW_CACHE=,0,2K JACKDAW_SIM_SLOW=,3:100 \
    JACKDAW_SIM_PAUSE=,0:20000:5000000 JACKDAW_STEAL=random,lifeline JACKDAW_SEED=1,2,3 \
    '!JACKDAW_RANKS=1,JACKDAW_SIM_SLOW=3:100' '!JACKDAW_RANKS=2,JACKDAW_SIM_SLOW=3:100'
every_pair check program="$futures,pipeline" JACKDAW_RANKS=33 JACKDAW_SEED=1 \
    JACKDAW_SIM_LAW=hold:50000,uniform:5000

# Pieces are messages of the network: type 33 is a fragment, 26 and 27 are PUT and GET.
whole() {
    env JACKDAW_RANKS=3 JACKDAW_SEED=1 JACKDAW_SIM_TRACE="$scratch/trace" timeout 60 \
        "$JD_TEST_BUILDDIR/test/dist/sched_data_copies_bring_every_byte-sim" 2 >&2 || return 1
    awk '$4 == 33 { bad++ } ($4 == 26 || $4 == 27) && $6 > 60000 { large++ }
        END { print bad + 0, "fragments,", large + 0, "large pieces"; exit bad || !large }' "$scratch/trace"
}
ok "no transfer travels in fragments" whole

# Otherwise the laws do nothing to these messages.
moves() { # LAW
    for law in none "$1"; do
        env JACKDAW_RANKS=3 JACKDAW_SEED=1 JACKDAW_SIM_LAW="$law" \
            JACKDAW_SIM_TRACE="$scratch/trace-$law" timeout 60 \
            "$JD_TEST_BUILDDIR/examples/pipeline-sim" --check 20 >&2 || return 1
    done
    ! cmp -s "$scratch/trace-none" "$scratch/trace-$1"
}
ok "a law changes the trace" moves lifo:20000
done_testing
