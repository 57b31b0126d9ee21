#!/bin/sh
# The one list of behaviours holds on every network, also where ranks of one host talk over
# the network instead of through shared memory.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

for ranks in 1 2 3 5; do
    subtests "loop, $ranks ranks" on_ranks loop $ranks test/am/behaviour
done
for network in $JD_TEST_CONDUITS; do
    for ranks in 1 2 4; do
        subtests "$network, $ranks ranks" on_ranks "$network" $ranks test/am/behaviour
    done
    case $network in
    udp | mpi | ucx)
        subtests "$network, no shared memory" \
            on_ranks "$network" 3 GASNET_SUPERNODE_MAXSIZE=1 test/am/behaviour ;;
    esac
done
done_testing
