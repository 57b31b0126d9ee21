#!/bin/sh
# With several workers in each simulated rank the tree is counted exactly, whatever the policy, the
# network and who communicates; the messages of steals follow the formula of doc/transfer.md.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

uts=$JD_TEST_BUILDDIR/examples/uts-sim
tree="-t 0 -b 200 -q 0.124 -m 8 -r 42"
size() { sed -n 's/^Tree size = \([0-9]*\),.*/\1/p' "$1"; }
# shellcheck disable=SC2086 # $tree is a list of words
JACKDAW_RANKS=1 "$uts" $tree --serial >"$scratch/serial"
want=$(size "$scratch/serial")
seeds="1 2"
[ "$JD_TEST_SANITIZER" = none ] || seeds=1

# The sum of the counter whose text begins like that, from the table in $scratch/err.
counter() { sed -n "s/^$1[^0-9]* \([0-9]*\) .*/\1/p" "$scratch/err"; }

# What the formula leaves over: "0 0", and for success-only a third 0.
account() { # POLICY
    attempts=$(counter "steal requests to other ranks") second=$(counter "steal requests that waited")
    messages=$(counter "messages of steals") steals=$(counter "steal requests that brought")
    failed=$(counter "steal requests that failed") occupied=$(counter "steal requests turned away")
    crossed=$(counter "steal requests that crossed") unserved=$(counter "steal requests forgotten")
    echo "$((messages - 2 * attempts - second))" \
        "$((attempts - steals - failed - occupied - crossed - unserved))" \
        "$([ "$1" != success-only ] || echo $((failed + occupied)))"
}

check() { # NAME POLICY SETTING...
    name=$1 policy=$2
    shift 2
    for seed in $seeds; do
        # shellcheck disable=SC2086 # $tree is a list of words
        env "$@" JACKDAW_STEAL="$policy" JACKDAW_SEED=$seed JACKDAW_STATS=1 timeout 60 \
            "$uts" $tree >"$scratch/out" 2>"$scratch/err"
        status=$?
        rest=$(account "$policy")
        case "$status:$(size "$scratch/out"):$rest" in
        "0:$want:0 0 " | "0:$want:0 0 0") pass "$policy, $name, seed $seed" ;;
        *) fail "$policy, $name, seed $seed"
            diag "status $status, $(size "$scratch/out") nodes of $want, left over: $rest"
            sed 's/^/# /' "$scratch/err" ;;
        esac
    done
}

ok "the tree has a size" test "${want:-0}" -gt 1000
for policy in random baseline success-only lifeline; do
    for workers in 2 3 7 23; do
        for comm in inline dedicated; do
            check "$workers workers, $comm" $policy JACKDAW_RANKS=5 JACKDAW_WORKERS=$workers \
                JACKDAW_COMM=$comm JACKDAW_SIM_LAW=uniform:5000
        done
    done
    for law in tail:1000 burst:20000 lifo:20000 hold:50000; do
        check "$law" $policy JACKDAW_RANKS=9 JACKDAW_WORKERS=3 JACKDAW_COMM=dedicated \
            JACKDAW_SIM_LAW=$law
    done
    check "one rank" $policy JACKDAW_RANKS=1 JACKDAW_WORKERS=5 JACKDAW_COMM=dedicated
    check "dedicated to one worker" $policy JACKDAW_RANKS=9 JACKDAW_COMM=dedicated
    check "no cycles" $policy JACKDAW_RANKS=9 JACKDAW_WORKERS=4 JACKDAW_CYCLIC=0 JACKDAW_SIM_LAW=lifo:20000
    check "refusals" $policy JACKDAW_RANKS=9 JACKDAW_WORKERS=2 JACKDAW_SIM_REFUSE=40
    check "one credit, one task" $policy JACKDAW_RANKS=9 JACKDAW_WORKERS=2 JACKDAW_CREDITS=1 \
        JACKDAW_STEAL_AMOUNT=one
    check "a slow rank" $policy JACKDAW_RANKS=5 JACKDAW_WORKERS=3 JACKDAW_SIM_SLOW=3:100
    check "a pause" $policy JACKDAW_RANKS=5 JACKDAW_WORKERS=3 JACKDAW_SIM_PAUSE=0:20000:500000
    check "takes for nothing" $policy JACKDAW_RANKS=5 JACKDAW_WORKERS=3 JACKDAW_SIM_TAKE=0
    check "ahead of each other" $policy JACKDAW_RANKS=5 JACKDAW_WORKERS=7 JACKDAW_SIM_AHEAD=5000
done
done_testing
