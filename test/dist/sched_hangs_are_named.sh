#!/bin/sh
# A job that hangs says what it waits for when its launcher, or one of its ranks, gets SIGUSR1, and goes on: over each
# network and both engines, with a future that nobody sets, a hold, a suspended task, a circle, a lost message, a task
# that never returns, and finishes that tasks of other ranks hold.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

run=$JD_TEST_BUILDDIR/tools/jackdaw-run
JD_TEST_TIMEOUT=60
export JD_TEST_TIMEOUT

# The leash ends the script, and what it has started, if the text never comes.
seen='
    who=$1 out=$2 pattern=$3
    shift 3
    : >"$out"
    "$@" >"$out" 2>&1 &
    job=$! ended=0
    until grep -q "^begins" "$out"; do kill -0 $job || exit 1; done
    until [ "$ended" -gt 0 ] && grep -Eq -e "$pattern" "$out"; do
        target=$job
        [ "$who" = launcher ] ||
            target=$(sed -n "s/^jackdaw: rank $who: process \([0-9]*\).*/\1/p" "$out" | tail -1)
        kill -USR1 "${target:-$job}" || exit 2
        before=$ended turns=0
        until [ "$ended" -gt "$before" ] || [ $turns -ge 400 ]; do
            kill -0 $job || exit 3
            ended=$(grep -Ec "^jackdaw: end of the state|waiting: " "$out")
            turns=$((turns + 1))
        done
    done
    kill -0 $job || exit 4
    kill -TERM $job
    wait $job
    [ $? -gt 0 ]'

pattern_of() { # WAY
    case $1 in
    future) echo 'rank 0: task wait_for waits for future [0-9]+ of rank 0.*finish [0-9]+ of rank 0' ;;
    hold) echo 'rank 2: collection held: .* 1 hold not released' ;;
    suspend) echo 'rank [0-2]: task sleep_for_ever waits for jd_resume.*woken by whoever has its handle' ;;
    circle) echo 'rank 1: task wait_for waits for future [0-9]+ of rank 1' ;;
    lost) echo 'messages on the way:.* 1 FUTURE' ;;
    endless) echo 'rank [0-2]: worker [0-9]+: in task spin for [0-9]' ;;
    away) echo 'rank 2: finish [0-9]+ of rank 0: opened elsewhere; held by a task that waits here' ;;
    spins) echo 'rank 2: finish [0-9]+ of rank 0: opened elsewhere; held by a task that runs here' ;;
    all) echo 'rank 2: the finish of all ranks: opened here, and who has opened it waits .*; held by a task that waits here' ;;
    esac
}

named() { # NETWORK RANKS WAY WHO SETTING=VALUE...
    network=$1 ranks=$2 way=${3#*=} who=${4#*=}
    shift 4
    ok "$network, $way, asked by $who, $*: named, and it goes on" \
        cut_off env JACKDAW_FAULT="$([ "$way" != lost ] || echo lose:1)" "$@" "$JD_TEST_LEASH" 60 \
        sh -c "$seen" sh "$who" "$scratch/job" "$(pattern_of "$way")" \
        "$run" -n "$ranks" -c 1 "$(program_of test/dist/sched_hangs "$network")" "$way"
}

engines=$(echo "$JD_TEST_ENGINES" | tr ' ' ,)
every_pair_on_networks named ranks=3 'way=future|suspend|lost|away,hold|circle|endless|spins|all' who=launcher,0 \
    JACKDAW_ULT="$engines" JACKDAW_COMM=inline,dedicated

# Who holds a finish is said of both sides of it.
holds() { # WAY PATTERN
    ok "$1: '$2'" cut_off "$JD_TEST_LEASH" 60 sh -c "$seen" sh launcher "$scratch/job" "$2" \
        "$run" -n 3 -c 1 "$(program_of test/dist/sched_hangs smp)" "$1"
}
# A stack has the names of static functions.
stacks() { # ULT
    ok "$1: stacks are shown by name where that is asked for" cut_off "$JD_TEST_LEASH" 60 sh -c "$seen" sh launcher "$scratch/job" \
        'its stack: jd_future_get < wait_for < .*jdi_' \
        env JACKDAW_STATE=stacks JACKDAW_ULT="$1" "$run" -n 2 -c 1 "$(program_of test/dist/sched_hangs smp)" future
    like "$(cat "$scratch/job")" '^jackdaw: rank 0: finish [0-9]+ of rank 0: opened here(, and .*)?; held by a task that waits here$' \
        "$1: and the finish, with what holds it"
}
if has_conduit smp; then
    holds away 'rank 0: finish [0-9]+ of rank 0: opened here, and who .* waits for its end; held by tasks that have gone to other ranks$'
    holds all 'rank 0: finishes: 0 tasks queued, the finish of all ranks is open; detector: [0-9]+ waves.*; idle here$'
    for engine in $JD_TEST_ENGINES; do stacks "$engine"; done
    ok "without that nobody asks for stacks" cut_off "$JD_TEST_LEASH" 60 sh -c "$seen" sh launcher "$scratch/job" 'wait_for waits' \
        "$run" -n 2 -c 1 "$(program_of test/dist/sched_hangs smp)" future
    is "$(grep -c 'stack:' "$scratch/job")" 0 "and none is shown"
fi

# A rank alone has no thread that could answer for it: it shows its state by itself.
alone() { # NETWORK
    ok "$1: a rank whose communication thread is in the endless task shows that" \
        cut_off "$JD_TEST_LEASH" 60 sh -c "$seen" sh launcher "$scratch/job" \
        'rank 0: worker 0: in task spin for [0-9]' \
        env JACKDAW_COMM=inline "$run" -n 1 -c 1 "$(program_of test/dist/sched_hangs "$1")" endless
}
for network in $JD_TEST_CONDUITS; do
    [ "$network" != smp ] || alone smp
done

# Whoever does not want it has the signal for itself.
ok "with JACKDAW_STATE=no the signal ends the job" cut_off "$JD_TEST_LEASH" 60 sh -c '
    out=$1
    shift
    : >"$out"
    JACKDAW_STATE=no "$@" >"$out" 2>&1 &
    until grep -q "^begins" "$out"; do kill -0 $! || exit 1; done
    kill -USR1 $!
    wait $!
    [ $? -gt 0 ] && ! grep -q "the state of" "$out"' sh "$scratch/job" \
    "$run" -n 2 "$(program_of test/dist/sched_hangs "${JD_TEST_CONDUITS%% *}")" future

# In virtual time nobody listens.
ok "the signal ends a simulation at once" cut_off env JACKDAW_RANKS=2 "$JD_TEST_LEASH" 60 sh -c '
    out=$1
    shift
    : >"$out"
    "$@" >"$out" 2>&1 &
    until grep -q "^begins" "$out"; do kill -0 $! || exit 1; done
    kill -USR1 $!
    wait $!
    [ $? -eq 138 ]' sh "$scratch/job" "$JD_TEST_BUILDDIR/test/dist/sched_hangs-sim" endless
done_testing
