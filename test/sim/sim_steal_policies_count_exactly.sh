#!/bin/sh
# Whatever the policy of stealing and the network, the tree is counted exactly, every run ends,
# and the messages of steals follow the formula of doc/transfer.md.  Success-only never fails.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/sim.sh"

want=$(tree_size)
ok "the tree has a size" test "${want:-0}" -gt 1000
every_pair counts_exactly JACKDAW_STEAL=random,baseline,success-only,lifeline \
    JACKDAW_RANKS=2,9,17,33 JACKDAW_SIM_LAW=$laws JACKDAW_SIM_REFUSE=,40 JACKDAW_CREDITS=,1 \
    JACKDAW_CYCLIC=,0 JACKDAW_SIM_HOST_RANKS=,8 JACKDAW_VICTIM=,near,last JACKDAW_STEAL_AMOUNT=,one \
    JACKDAW_SIM_SLOW=,3:100 JACKDAW_STEAL_THRESHOLD=,3 JACKDAW_STEAL_TRIES=,0 JACKDAW_SEED=1,2 \
    '!JACKDAW_RANKS=2,JACKDAW_SIM_SLOW=3:100'
# What came in the poll after the communication thread's last look did not keep it awake.
counts_exactly JACKDAW_STEAL=lifeline JACKDAW_RANKS=33 JACKDAW_SIM_LAW=uniform:5000 \
    JACKDAW_SIM_REFUSE=40 JACKDAW_CREDITS=1 JACKDAW_VICTIM=last JACKDAW_STEAL_AMOUNT=one \
    JACKDAW_SIM_SLOW=3:100 JACKDAW_STEAL_TRIES=0 JACKDAW_SEED=1

# Cycles are there to be forbidden: the counter sees them.
env JACKDAW_STEAL=success-only JACKDAW_RANKS=33 JACKDAW_SEED=1 JACKDAW_STATS=1 \
    "$uts" $tree >"$scratch/out" 2>"$scratch/err"
ok "cyclic steals are counted" test "$(counter "steal requests to a rank waiting")" -gt 0
env JACKDAW_STEAL=success-only JACKDAW_RANKS=33 JACKDAW_SEED=1 JACKDAW_STATS=1 JACKDAW_CYCLIC=0 \
    "$uts" $tree >"$scratch/out" 2>"$scratch/err"
is "$(counter "steal requests to a rank waiting")" 0 "and there are none when forbidden"
done_testing
