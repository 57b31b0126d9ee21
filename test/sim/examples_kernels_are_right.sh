#!/bin/sh
# The two kernels with real tasks.  hf finds the energy of beryllium that a plain program finds: above the limit for
# one atom, twice that for two atoms far apart, the same when all is turned.  tce contracts as plain loops over all
# elements do.  Both on 1 to 8 ranks, with every policy, whatever the network does.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/sim.sh"
examples=$JD_TEST_BUILDDIR/examples

energy() { # OPTION...
    JACKDAW_RANKS=3 timeout 60 "$examples/hf-sim" "$@" | sed -n 's/^total energy \([-0-9.]*\)$/\1/p'
}
plain() { "$examples/hf_serial" "$@" | sed -n 's/^total energy \([-0-9.]*\) .*/\1/p'; }
# Two numbers differ by 2e-8 or less: what is left out is smaller than 1e-11 each.
close() { awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(a < 0 && d < 2e-8 && d > -2e-8) }'; }

one=$(energy -n 1 -t 4)
ok "one atom ($one) is above the Hartree-Fock limit, by less than 1e-5" \
    awk -v e="$one" 'BEGIN { exit !(e > -14.573023 && e < -14.573013) }'
ok "and has the energy that the plain program finds" close "$one" "$(plain 1)"
two=$(energy -n 2 -t 7)
ok "so have two atoms ($two)" close "$two" "$(plain 2)"
far=$(energy -n 2 -d 10000 -t 20)
ok "two that are far apart ($far) have twice the energy of one" close "$far" "$(echo "$one" | awk '{ printf "%.10f", 2 * $1 }')"
ok "the energy stays when all is turned" close "$two" "$(energy -n 2 -t 7 -a 77)"
ok "and with tiles of another size" close "$two" "$(energy -n 2 -t 200 -r seed)"

ok "and with tiles of 20 and of 40, of which the last is not full" close "$(energy -n 3 -t 20)" "$(energy -n 3 -t 40)"

# Null tasks are found in the first iteration and are gone in the next ones; iterations differ by rounding only, whoever runs what.
iterations() { # OPTION...: a line for each, of tasks, null tasks and energy
    timeout 60 "$examples/hf-sim" "$@" | awk '$1 ~ /^[0-9]+$/ && NF == 8 { print $3, $4, $7 }'
}
JACKDAW_RANKS=1 JACKDAW_WORKERS=1 iterations -n 3 -t 6 -d 600 >"$scratch/one"
for how in seed retain central tree gossip auto; do
    JACKDAW_RANKS=5 JACKDAW_WORKERS=3 iterations -n 3 -t 6 -d 600 -r $how >"$scratch/many"
    ok "$how: null tasks are pruned after the first iteration" awk '
        NR == 1 { left = $1 - $2; null = $2 } NR > 1 { bad += $1 != left || $2 } END { exit bad || !null || NR < 3 }' "$scratch/many"
    ok "$how: each iteration has the energy that it has on one rank" sh -c 'paste -d " " "$1" "$2" | awk "
        { d = \$3 - \$6; bad += NF != 6 || \$1 != \$4 || d > 1e-9 || d < -1e-9 } END { exit bad || NR < 3 }"' - "$scratch/one" "$scratch/many"
done

# What ranks move, by the counters of the library and by hf's own count of different tiles: each byte comes once.
moves_little() { # RANKS OPTION...
    ranks=$1
    shift
    env JACKDAW_RANKS="$ranks" JACKDAW_WORKERS=2 JACKDAW_STATS=1 timeout 60 "$examples/hf-sim" "$@" >"$scratch/out" 2>"$scratch/err" || return 1
    sent=$(counter "payload bytes sent") different=$(sed -n 's/^remote bytes .* of different tiles \([0-9]*\):.*/\1/p' "$scratch/out")
    diag "$ranks ranks: $(sed -n 's/^remote/remote/p' "$scratch/out"); in all messages $sent; cached reads: $(counter "cached reads that found") \
found, $(counter "cached reads that waited") waited, $(counter "cached reads that got") fetched"
    [ "$different" -gt 0 ] && [ $((10 * sent)) -le $((12 * different)) ]
}
for ranks in 2 3 4 5 6 7 8; do
    ok "hf moves at most 1.2 times the bytes of its different tiles on $ranks ranks" moves_little $ranks -n 3 -t 6
done
JACKDAW_CACHE=0
export JACKDAW_CACHE
exits bad "and more without a cache" moves_little 4 -n 3 -t 6
unset JACKDAW_CACHE

# The settings are followed by the way in which tasks come back.
hf() { how=$1; shift; close "$two" "$(env "$@" timeout 60 "$examples/hf-sim" -n 2 -t 6 -r "$how" | sed -n 's/^total energy \([-0-9.]*\)$/\1/p')"; }
tce() { how=$1; shift; env "$@" timeout 60 "$examples/tce-sim" -f 40 -t 3 -c dense -r "$how" >"$scratch/out" || { cat "$scratch/out"; return 1; }; }
kernel() { # hf|tce SETTING...
    program=$1
    shift
    "$program" "$@"
}
check() { kernel=${1#program=}; shift; ok "$kernel $*" kernel "$kernel" "$@"; }
every_pair check "program=hf|tce" restore=retain,seed,central,tree,gossip,auto JACKDAW_RANKS=1,2,3,5,8 JACKDAW_WORKERS=1,3 \
    JACKDAW_STEAL=random,baseline,success-only,lifeline JACKDAW_SIM_LAW="$laws" JACKDAW_SEED=1,2
done_testing
