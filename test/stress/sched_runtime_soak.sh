#!/bin/sh
# The programs of the runtime's tests, over and over, in settings that chance picks, with
# work of chance sizes; and a few sizes that make check has no time for.  SOAK_RUNS=N says
# how many, SOAK_SEED=N which ones; a run that fails shows its settings.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/families.sh"
JD_TEST_TIMEOUT=120
export JD_TEST_TIMEOUT

networks="$JD_TEST_CONDUITS"
case " $JD_TEST_ENGINES " in *" boost "*) networks="loop loop loop $networks" ;; esac
runs=${SOAK_RUNS:-300} seed=${SOAK_SEED:-$$}
diag "SOAK_SEED=$seed"

programs="counts $refusals $waiting arguments holds reductions $data $futures"
programs=$(echo "$programs" | tr '|' ' ')

# A line of settings for each run.
settings() {
    awk -v runs="$runs" -v seed="$seed" -v networks="$networks" -v programs="$programs" '
    function pick(list,  n, word) { n = split(list, word, " "); return word[1 + int(n * rand())] }
    BEGIN {
        srand(seed)
        for (i = 0; i < runs; i++)
            print pick(networks), 1 + int(8 * rand()), 1 + int(3 * rand()), \
                pick("inline dedicated"), pick("half one 2 8 50 1000"), 1 + int(1e9 * rand()), \
                pick("1 2 16"), pick(programs), \
                5 + int(100 * rand())
    }'
}

run_setting() { # NETWORK RANKS WORKERS COMM AMOUNT SEED CREDITS PROGRAM SIZE
    JACKDAW_WORKERS=$3 JACKDAW_COMM=$4 JACKDAW_STEAL_AMOUNT=$5 JACKDAW_SEED=$6 JACKDAW_CREDITS=$7
    export JACKDAW_WORKERS JACKDAW_COMM JACKDAW_STEAL_AMOUNT JACKDAW_SEED JACKDAW_CREDITS
    [ "$1" != loop ] || export JACKDAW_ULT=boost
    on_ranks "$1" "$2" "test/dist/sched_$8" "$9" </dev/null # mpirun would read our settings
    status=$?
    unset JACKDAW_ULT
    return $status
}

settings >"$scratch/settings"
while read -r line; do
    # shellcheck disable=SC2086 # words
    ok "$line" run_setting $line
done <"$scratch/settings"

for network in $(echo "$networks" | tr ' ' '\n' | sort -u); do
    ok "$network: process() 10000 times" run_setting "$network" 2 1 inline half 0 16 counts 10000
    ok "$network: 5000 tasks suspended at once" \
        run_setting "$network" 2 2 inline half 0 16 waiting_keeps_the_phase_open 5000
    ok "$network: 2000 collections" run_setting "$network" 2 2 inline half 0 16 refusals_of_one_collection_more 2000
    ok "$network: 1000 spilled arguments" run_setting "$network" 3 1 inline half 0 16 arguments 1000
done
done_testing
