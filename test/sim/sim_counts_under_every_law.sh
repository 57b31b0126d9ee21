#!/bin/sh
# Whatever the network does to messages, the tree is counted exactly and every run ends.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/sim.sh"

want=$(tree_size)
ok "the tree has a size" test "${want:-0}" -gt 1000
# The last: a host has no fewer ranks than one of its sockets.
every_pair counts_exactly JACKDAW_RANKS=2,9,17,32,40 JACKDAW_SIM_LAW=$laws JACKDAW_SIM_REFUSE=,40 \
    JACKDAW_CREDITS=,1 JACKDAW_STEAL_AMOUNT=,one JACKDAW_TREE_ARITY=,1 JACKDAW_SIM_SLOW=,3:100 \
    JACKDAW_SIM_PAUSE=,0:20000:5000000 JACKDAW_SIM_HOST_RANKS=,8 JACKDAW_SIM_SOCKET_RANKS=,4 \
    JACKDAW_SEED=1,2,3 '!JACKDAW_RANKS=2,JACKDAW_SIM_SLOW=3:100' \
    '!JACKDAW_SIM_HOST_RANKS=,JACKDAW_SIM_SOCKET_RANKS=4'
done_testing
