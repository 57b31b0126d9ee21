#!/bin/sh
# Whatever the network does to messages, the tree is counted exactly and every run ends.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/sim.sh"

want=$(tree_size)

check() { # NAME SETTING...
    name=$1
    shift
    for seed in 1 2 3; do
        # shellcheck disable=SC2086 # $tree is a list of words
        env "$@" JACKDAW_SEED=$seed timeout 60 "$uts" $tree >"$scratch/out" 2>"$scratch/err"
        status=$?
        is "$status:$(size "$scratch/out")" "0:$want" "$name, seed $seed"
        [ $status -eq 0 ] || sed 's/^/# /' "$scratch/err"
    done
}

ok "the tree has a size" test "${want:-0}" -gt 1000
for law in $laws; do
    check "33 ranks, $law" JACKDAW_RANKS=33 JACKDAW_SIM_LAW=$law
done
check "refusals" JACKDAW_RANKS=17 JACKDAW_SIM_REFUSE=40
check "one credit" JACKDAW_RANKS=17 JACKDAW_CREDITS=1 JACKDAW_SIM_LAW=uniform:9000
check "a slow rank" JACKDAW_RANKS=9 JACKDAW_SIM_SLOW=3:100
check "a rank that pauses" JACKDAW_RANKS=9 JACKDAW_SIM_PAUSE=0:20000:5000000
check "one task per steal" JACKDAW_RANKS=9 JACKDAW_STEAL_AMOUNT=one
check "a deep tree of ranks" JACKDAW_RANKS=40 JACKDAW_TREE_ARITY=1 JACKDAW_SIM_LAW=tail:300
check "hosts and sockets" JACKDAW_RANKS=32 JACKDAW_SIM_HOST_RANKS=8 JACKDAW_SIM_SOCKET_RANKS=4
check "two ranks" JACKDAW_RANKS=2 JACKDAW_SIM_LAW=lifo:9000
done_testing
