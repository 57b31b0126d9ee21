#!/bin/sh
# The two kernels of iterative programs compute the right result on every network, however their tasks come back,
# and with every policy of stealing.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
JACKDAW_WORKERS=1
export JACKDAW_WORKERS
two_atoms=$(examples/hf_serial 2 | cut -d ' ' -f 3)

# hf finds that energy, but for what it leaves out.
energy_is_right() { # NETWORK RANKS RESTORE SETTING...
    on=$1 ranks=$2 restore=$3
    shift 3
    on_ranks "$on" "$ranks" "$@" examples/hf -n 2 -t 7 -r "$restore" >"$scratch/energy" || return 1
    sed -n 's/^total energy \(.*\)$/\1/p' "$scratch/energy" |
        awk -v want="$two_atoms" '{ d = $1 - want; found += d < 2e-8 && d > -2e-8 } END { exit found != 1 }'
}

contraction_is_right() { # NETWORK RANKS RESTORE SETTING...
    on=$1 ranks=$2 restore=$3
    shift 3
    on_ranks "$on" "$ranks" "$@" examples/tce -f 60 -t 3 -i 4 -c dense -r "$restore"
}

kernel() { # NETWORK RANKS RESTORE EXAMPLE SETTING...
    case $4 in
    hf) right=energy_is_right ;;
    tce) right=contraction_is_right ;;
    esac
    network=$1 n=$2 how=$3 example=$4
    shift 4
    ok "$network: $example on $n ranks, $how, $*" "$right" "$network" "$n" "$how" "$@"
}

every_pair_on_networks kernel ranks=1,2,3,5,8 restore=seed,retain,central,tree,gossip,auto example=hf,tce \
    JACKDAW_STEAL=random,baseline,success-only,lifeline,none
done_testing
