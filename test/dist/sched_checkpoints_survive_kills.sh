#!/bin/sh
# A program that saves its steps is killed at random moments, and started again with as many ranks or others, until it
# has come to its end.  Each start goes on after a step that was saved, never an earlier one than the start before, and
# the result is that of a run that nobody has disturbed.
#
# KILLS=N kills (6): so many of ranks in one process, half as many over smp, and with 20 or more as many over udp, with
# the seeds from KILLS_SEED=S on (1).  Half of those of a network strike one process, the others all.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
[ "$JD_TEST_SANITIZER" = none ] || skip_all "a job that is killed leaves a sanitizer's messages"
JACKDAW_WORKERS=1 JACKDAW_ULT=boost
export JACKDAW_WORKERS JACKDAW_ULT
seed=${KILLS_SEED:-1} kills=${KILLS:-6}
diag "KILLS=$kills KILLS_SEED=$seed"

# Three random numbers: below 5, below 1000, and below 2.
toss() { awk -v s="$1" 'BEGIN { srand(s); rand(); print int(rand() * 5), int(rand() * 1000), int(rand() * 2) }'; }

# run SECONDS RANKS: what the program prints; killed after SECONDS, if these are not 0.  The pipe is closed when no rank is left.
run() {
    # shellcheck disable=SC2086 # a word, or none
    JD_TEST_TIMEOUT=0 timeout $whom -s KILL "$1" "$tap_ranks" "$network" "$2" "$program" -f "$file" -n 40 -s "$steps" -w 50 2>&1 | cat
}

# Kill it, and start it again.  What a start says of its first step goes to $scratch/steps.
chain() { # KILLS LEAST-SECONDS MORE-SECONDS
    killed=0
    while [ "$killed" -lt "$1" ]; do
        seed=$((seed + 1)) killed=$((killed + 1))
        # shellcheck disable=SC2046 # words
        set -- "$1" "$2" "$3" $(toss "$seed")
        ranks=$(echo 1 2 3 5 8 | cut -d ' ' -f $(($4 + 1)))
        after=$(awk -v a="$2" -v b="$3" -v r="$5" 'BEGIN { print a + b * r / 1000 }')
        [ "$6" = 0 ] || whom=--foreground
        run "$after" "$ranks" >"$scratch/said"
        whom=
        sed -n 's/^goes on after step //p' "$scratch/said" >>"$scratch/steps"
        if grep -q ' sum ' "$scratch/said"; then # it was faster: from the beginning
            is "$(grep ' sum ' "$scratch/said")" "$result" "$network: the result after kills"
            rm -f "$file" "$file".*
            echo new >>"$scratch/steps"
        elif grep -vE '^goes on|^jackdaw: |^\*\*\*|Killed|^$' "$scratch/said" >"$scratch/strange"; then
            fail "$network: a start after a kill says what it should not"
            sed 's/^/# /' "$scratch/strange"
        fi
    done
}

survives() { # KILLS LEAST-SECONDS MORE-SECONDS STEPS
    kills=$1
    shift
    program=$(program_of examples/restart "$network") steps=$3 file=$scratch/undisturbed
    result=$(run 60 2)
    rm -f "$file" "$file".*
    like "$result" '^40 cells after [0-9]* steps: sum [0-9a-f]*$' "$network: a run that nobody disturbs"
    file=$scratch/killed
    : >"$scratch/steps"
    chain "$kills" "$1" "$2"
    is "$(run 60 3 | grep ' sum ')" "$result" "$network: $kills kills, and the result is the same"
    ok "$network: no start goes on after an earlier step than the one before" awk '
        $1 == "new" { last = 0; next }
        $1 < last { exit 1 }
        { last = $1 }' "$scratch/steps"
    diag "$network: $(grep -c '^[0-9]' "$scratch/steps") starts went on after $(sort -n "$scratch/steps" | tr '\n' ' ' | cut -c 1-200)"
    rm -f "$scratch/killed" "$scratch/killed".*
}

all=$kills whom=
network=loop
survives "$all" 0.01 0.2 30
network=smp
! has_conduit $network || survives $((all / 2)) 0.2 0.5 25
network=udp
[ "$all" -lt 20 ] || ! has_conduit $network || survives $((all / 2)) 0.3 0.6 40
done_testing
