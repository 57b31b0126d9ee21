#!/bin/sh
# The other examples compute the right result on every network.  The example iterate shows its
# point: under retain, tasks stay at the ranks that stole them.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
JACKDAW_WORKERS=1
export JACKDAW_WORKERS

# Column $1 of the table's line of iteration $2.
cell() { awk -v column="$1" -v iteration="$2" '$1 == iteration { print $column }' "$scratch/table"; }

# hf finds that energy, but for what it leaves out.
energy_is() { # ENERGY NETWORK RANKS OPTION...
    want=$1 on=$2 ranks=$3
    shift 3
    on_ranks "$on" "$ranks" examples/hf "$@" >"$scratch/energy" || return 1
    sed -n 's/^total energy \(.*\)$/\1/p' "$scratch/energy" |
        awk -v want="$want" '{ d = $1 - want; found += d < 2e-8 && d > -2e-8 } END { exit found != 1 }'
}

few_examples() { # NETWORK
    network=$1
    ok "$network: 12 queens on 3 ranks" on_ranks "$network" 3 examples/nqueens --check 12 5
    ok "$network: T3 on 2 ranks, async" on_ranks "$network" 2 examples/uts --style=async --tree=T3 --check
    ok "$network: a range of ranges on 3 ranks" on_ranks "$network" 3 examples/nested_for 50 20 10
    ok "$network: fib(27) on 2 ranks" on_ranks "$network" 2 examples/fib 27 10
    ok "$network: a pipeline on 3 ranks" on_ranks "$network" 3 examples/pipeline --check 200 5
    ok "$network: elements by timers on 2 ranks" on_ranks "$network" 2 examples/map_reduce -n 300 -l 500 -w 5
    ok "$network: elements by jd_get on 3 ranks" on_ranks "$network" 3 examples/map_reduce -n 100 -s get -w 5
    ok "$network: elements from a process that answers late" on_ranks "$network" 2 examples/map_reduce -n 200 -s pipe -l 500 -w 5
    ok "$network: scatter and gather on 2 ranks" on_ranks "$network" 2 examples/scatter_gather -n 9 -m 20 -k compute -T 0.1
    ok "$network: process networks" on_ranks "$network" 2 examples/kpn -n 500 -l 3 -i 100
    ok "$network: a rod cools down" on_ranks "$network" 2 examples/heat -n 20 -k 5 -s 50
    ok "$network: the energy of two atoms on 3 ranks" energy_is "$(examples/hf_serial 2 | cut -d ' ' -f 3)" "$network" 3 -n 2 -t 7
    ok "$network: a contraction on 3 ranks" on_ranks "$network" 3 examples/tce -f 40 -t 3 -c dense
    ok "$network: every request of 100 connections is answered" on_ranks "$network" 2 examples/echo_server -c 100 -m 10
}

more_examples() { # NETWORK
    network=$1
    ok "$network: 11 queens on 1 rank" on_ranks "$network" 1 examples/nqueens --check 11
    ok "$network: one queen: more ranks than tasks" on_ranks "$network" 4 examples/nqueens --check 1
    ok "$network: 12 queens on 3 ranks, async" on_ranks "$network" 3 examples/nqueens --check --style=async 12
    exits 2 "$network: nested_for refuses a bad number" on_ranks "$network" 2 examples/nested_for 5x
    ok "$network: fib(0) on 2 ranks" on_ranks "$network" 2 examples/fib 0
    exits 2 "$network: nqueens refuses a bad size" on_ranks "$network" 2 examples/nqueens 21
    exits 2 "$network: fib refuses a bad number" on_ranks "$network" 2 examples/fib 5x
    ok "$network: a pipeline on 1 rank" on_ranks "$network" 1 examples/pipeline --check 200
    exits 2 "$network: pipeline refuses a bad number" on_ranks "$network" 2 examples/pipeline 0
    ok "$network: elements on more ranks than there are" on_ranks "$network" 3 examples/map_reduce -n 2 -U 1
    ok "$network: elements joined by finishes" on_ranks "$network" 2 examples/map_reduce -n 200 -j finish -U 50
    exits 2 "$network: map_reduce refuses a bad number" on_ranks "$network" 2 examples/map_reduce -n 0
    ok "$network: map_reduce says what it takes" on_ranks "$network" 1 examples/map_reduce --help
    ok "$network: scatter and gather" on_ranks "$network" 1 examples/scatter_gather -n 10 -m 20 -T 0.1
    exits 2 "$network: scatter_gather refuses a bad kind" on_ranks "$network" 2 examples/scatter_gather -k none
    ok "$network: process networks without capacity" on_ranks "$network" 1 examples/kpn -n 300 -l 2 -i 50 -c 0
    exits 2 "$network: echo_server refuses a number that is missing" on_ranks "$network" 2 examples/echo_server -c
    ok "$network: a rod of small strips, for no time" on_ranks "$network" 1 examples/heat -n 2 -k 3 -s 0
    exits 2 "$network: heat refuses a strip of one cell" on_ranks "$network" 2 examples/heat -n 1
    ok "$network: one atom in one tile, by seeds" energy_is "$(examples/hf_serial 1 | cut -d ' ' -f 3)" "$network" 2 -n 1 -t 200 -r seed
    exits 1 "$network: hf says that an energy is none yet" on_ranks "$network" 1 examples/hf -n 2 -i 1
    exits 2 "$network: hf refuses a bad word" on_ranks "$network" 2 examples/hf -r keep
    ok "$network: hf says what it takes" on_ranks "$network" 1 examples/hf -h
    ok "$network: a contraction on 1 rank, not checked" on_ranks "$network" 1 examples/tce -f 60 -t 7 -c none -i 1
    exits 2 "$network: tce refuses what is too large to check" on_ranks "$network" 2 examples/tce -f 10 -c dense
    exits 2 "$network: tce refuses too many tiles" on_ranks "$network" 2 examples/tce -f 1 -t 1
    exits 2 "$network: tce refuses a bad number" on_ranks "$network" 2 examples/tce -t 33
    exits 2 "$network: kpn refuses a number that is missing" on_ranks "$network" 2 examples/kpn -n
    ok "$network: timers fire, are stopped and are cancelled" on_ranks "$network" 2 examples/timers -n 200 -d 5000 -t 10
    exits 2 "$network: timers refuses a number that is missing" on_ranks "$network" 2 examples/timers -n
    ok "$network: stages that are stopped and cancelled" on_ranks "$network" 1 examples/stages -n 500 -u 1
    ok "$network: stages with room for one" on_ranks "$network" 2 examples/stages -n 100 -k 2 -w 1 -c 1 -u 1
    exits 2 "$network: stages refuses a bad number" on_ranks "$network" 2 examples/stages -k 101
    ok "$network: every page is fetched once" on_ranks "$network" 2 examples/fetch_all -n 100
    ok "$network: pages are fetched until enough have come" on_ranks "$network" 1 examples/fetch_all -e 20
    exits 2 "$network: fetch_all refuses a bad number" on_ranks "$network" 2 examples/fetch_all -l 0
    exits 2 "$network: iterate refuses a bad option" on_ranks "$network" 2 examples/iterate --usec=0
    ok "$network: iterate with a balancer" on_ranks "$network" 2 JACKDAW_STEAL=none examples/iterate --tasks=64 --restore=central
    ok "$network: iterate under seed" on_ranks "$network" 2 examples/iterate --iterations=3 --restore=seed --timed --null=3
}

keeps_tasks() { # NETWORK
    network=$1
    on_ranks "$network" 2 examples/iterate --iterations=8 --restore=retain >"$scratch/table"
    is "$?" 0 "$network: iterate under retain"
    is "$(cell 3 1) $(cell 3 8)" "400 400" "$network: every task runs in every iteration"
    # Steals fall as the ranks keep what they ran; when other programs take a core away for a
    # while, tasks move in that iteration all the same.
    first=$(cell 4 1)
    least=$(for i in 2 3 4 5 6 7 8; do cell 4 $i; done | sort -n | head -n 1)
    ok "$network: half as many tasks or fewer are stolen later ($least) than at first ($first)" \
        test "$((2 * ${least:-1}))" -le "${first:-0}"
}

examples() { # NETWORK
    few_examples "$1"
    # A job of mpirun takes seconds; what an example computes does not depend on that.
    case ${JD_TEST_FULL:-0}$1 in 0mpi | 0ucx) ;; *) more_examples "$1" ;; esac
    keeps_tasks "$1"
}

each_network examples
done_testing
