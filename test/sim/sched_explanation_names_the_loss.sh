#!/bin/sh
# JACKDAW_STATS=explain after jobs that are slow on purpose: each rule names what was wrong with its job, and none speaks of one
# that had nothing wrong.  Simulated, but for the one about processors, which virtual time has no lack of.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

examples=$JD_TEST_BUILDDIR/examples
tree="-t 0 -b 1000 -q 0.12 -m 8 -r 3"
[ "$JD_TEST_SANITIZER" = none ] || skip_all "virtual time is the same here, and takes longer"
[ -x "$examples/uts-sim" ] || skip_all "uts needs nettle"

explains() { # NAME WORDS SETTING=VALUE... PROGRAM ARGUMENT...
    name=$1 words=$2
    shift 2
    exits 0 "$name" env JACKDAW_SEED=1 JACKDAW_STATS=explain "$@"
    like "$(cat "$scratch/out")" "$words" "$name: it is explained"
}

# shellcheck disable=SC2086 # words
explains "nothing is wrong" "^The workers ran tasks for 9[0-9]% .* little to gain" \
    JACKDAW_RANKS=2 JACKDAW_WORKERS=1 "$examples/uts-sim" $tree
explains "one long task" "while worker 0 of rank 0 worked for (100|9[0-9])% of its own" \
    JACKDAW_RANKS=4 JACKDAW_WORKERS=1 "$examples/nested_for-sim" 1 1 5000
explains "three tasks on four ranks" "5 tasks of [0-9.]* ms on average ran on 4 workers. Split the tasks" \
    JACKDAW_RANKS=4 JACKDAW_WORKERS=1 "$examples/nested_for-sim" 3 1 5000
explains "each task sleeps" "216 waits in 200 tasks stopped these" \
    JACKDAW_RANKS=2 JACKDAW_WORKERS=2 "$examples/map_reduce-sim" -n 200
# shellcheck disable=SC2086 # words
explains "many thieves" "of [0-9]{4,} steal requests between ranks [0-9]+ brought tasks" \
    JACKDAW_RANKS=64 JACKDAW_WORKERS=1 JACKDAW_STEAL=random "$examples/uts-sim" $tree
# shellcheck disable=SC2086 # words
explains "a small tree on many ranks" "there was too little work for 64 workers" \
    JACKDAW_RANKS=64 JACKDAW_WORKERS=1 JACKDAW_STEAL=lifeline "$examples/uts-sim" $tree
# shellcheck disable=SC2086 # words
explains "a slow network" "^The network took [0-9]+% of the time of the workers" \
    JACKDAW_RANKS=2 JACKDAW_WORKERS=1 JACKDAW_SIM_NET=o:20000,L:1000,g:50,G:0.1 "$examples/uts-sim" $tree

core=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)
if [ -x "$examples/uts-loop" ] && command -v taskset >/dev/null 2>&1; then
    explains "four workers on one core" "^The workers were awake and had no processor for [0-9]+% .*: 4 workers" \
        JACKDAW_RANKS=1 JACKDAW_WORKERS=4 taskset -c "$core" "$examples/nested_for-loop" 200 1 1000
fi
done_testing
