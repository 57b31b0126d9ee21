#!/bin/sh
# What 4 ranks of one network have saved, 1, 2, 3, 5 and 8 ranks of the same and of other networks load: they go on after the
# last step, and end with the result of a run that was never stopped.  So does a chain from network to network.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
JACKDAW_WORKERS=1
export JACKDAW_WORKERS
networks=loop
for network in smp udp mpi; do
    ! has_conduit $network || networks="$networks $network"
done

# run NETWORK RANKS FOLDER STEPS: its result.  Engines of threads have room for one rank in a process.
run() {
    engine=
    [ "$1" != loop ] || engine=JACKDAW_ULT=boost
    # shellcheck disable=SC2086 # a word, or none
    on_ranks "$1" "$2" $engine examples/restart -f "$scratch/$3/run" -n 41 -s "$4" -w 1 2>"$scratch/err"
}

mkdir "$scratch/whole" "$scratch/four" "$scratch/chain"
want=$(run loop 2 whole 9)
like "$want" '^41 cells after 9 steps: sum [0-9a-f]*$' "a run that was never stopped"
# The last network saves first, so that others have to load from it.
for from in $networks; do :; done
like "$(run "$from" 4 four 4)" '^41 cells after 4 steps' "4 ranks on $from save"

# goes_on NETWORK RANKS: from a copy of what the 4 ranks have saved.
goes_on() {
    rm -rf "$scratch/copy" && cp -r "$scratch/four" "$scratch/copy"
    is "$(run "$1" "$2" copy 9)" "goes on after step 4
$want" "$2 ranks on $1 go on from a file of 4 on $from"
}
turn=$networks
for ranks in 1 2 3 5 8; do
    goes_on "${turn%% *}" $ranks
    turn="${turn#* } ${turn%% *}"
done

# From network to network, each time with other ranks.
step=0 ranks=4
for network in $networks smp; do
    [ "$network" = loop ] || has_conduit "$network" || continue
    said=$(run "$network" $ranks chain $((step + 2)))
    like "$said" "41 cells after $((step + 2)) steps" "step $((step + 1)) and $((step + 2)) on $ranks ranks on $network"
    [ $step = 0 ] || like "$said" "^goes on after step $step\$" "after what the network before has saved"
    step=$((step + 2)) ranks=$((ranks % 5 + 1))
done
mkdir "$scratch/last"
like "$said" "$(run loop 2 last $step)" "and the result is the same"
like "$said" "41 cells after $step steps: sum" "which is one"
done_testing
