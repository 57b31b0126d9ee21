#!/bin/sh
# With several workers in each simulated rank the tree is counted exactly, whatever the policy, the
# network and who communicates; the messages of steals follow the formula of doc/transfer.md.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/sim.sh"

want=$(tree_size)
ok "the tree has a size" test "${want:-0}" -gt 1000
every_pair counts_exactly JACKDAW_STEAL=random,baseline,success-only,lifeline JACKDAW_RANKS=1,5,9 \
    JACKDAW_WORKERS=1,2,3,7,23 JACKDAW_COMM=inline,dedicated JACKDAW_SIM_LAW=$laws \
    JACKDAW_SIM_REFUSE=,40 JACKDAW_CREDITS=,1 JACKDAW_STEAL_AMOUNT=,one JACKDAW_CYCLIC=,0 \
    JACKDAW_SIM_SLOW=,3:100 JACKDAW_SIM_PAUSE=,0:20000:500000 JACKDAW_SIM_TAKE=,0 \
    JACKDAW_SIM_AHEAD=,5000 JACKDAW_SEED=1,2 '!JACKDAW_RANKS=1,JACKDAW_SIM_SLOW=3:100'
# A worker ended the last task between the communication thread's last look and its sleep.
every_pair counts_exactly JACKDAW_STEAL=baseline JACKDAW_RANKS=3 JACKDAW_COMM=dedicated \
    JACKDAW_SIM_REFUSE=40 JACKDAW_SEED=1,2,3
done_testing
