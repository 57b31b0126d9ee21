#!/bin/sh
# With 20% of the datagrams lost and 10% doubled, counts stay exact (faults F1 and F2).  With 1%
# lost and 10% doubled, transfers of many datagrams of 64 KiB bring what was sent.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

lossy=$JD_TEST_BUILDDIR/test/kit/lossy.so
case " $JD_TEST_CONDUITS " in *' udp '*) ;; *) skip_all "udp is not built" ;; esac
[ "$JD_TEST_SANITIZER" = none ] || skip_all "a sanitizer wants to be preloaded first"
[ -f "$lossy" ] || skip_all "no preloadable library could be built"

run() { # RANKS PERCENT PROGRAM [ARGUMENT...]
    ranks=$1 drop=$2
    shift 2
    GASNET_SUPERNODE_MAXSIZE=1 LD_PRELOAD=$lossy LOSSY_SEED=$ranks LOSSY_DROP=$drop \
        LOSSY_DOUBLE=10 LOSSY_TELL=$scratch/told "$tap_ranks" udp "$ranks" "$@"
}
lost() { awk '{ n += $3 } END { print n + 0 }' "$scratch/told"; }

want=$("$JD_TEST_BUILDDIR/examples/uts" -t 1 -a 3 -d 8 -b 4 -r 19 --serial | sed -n 's/^Tree size = \([0-9]*\),.*/\1/p')
plan 9
ok "the tree has a size" test "${want:-0}" -gt 1000
for ranks in 2 3 4; do
    run $ranks 20 "$JD_TEST_BUILDDIR/examples/uts-udp" -t 1 -a 3 -d 8 -b 4 -r 19 -v 1 \
        >"$scratch/out" 2>&1
    is "$?:$(sed -n 's/^Tree size = \([0-9]*\),.*/\1/p' "$scratch/out")" "0:$want" \
        "$ranks ranks count exactly"
done
dropped=$(lost)
doubled=$(awk '{ n += $5 } END { print n + 0 }' "$scratch/told")
ok "datagrams were lost" test "$dropped" -gt 0
ok "datagrams were doubled" test "$doubled" -gt 0
rm "$scratch/told"
for ranks in 2 3; do
    ok "data between $ranks ranks" run $ranks 1 "$JD_TEST_BUILDDIR/test/dist/sched_data_copies_bring_every_byte-udp" 2
done
ok "of these datagrams too some were lost" test "$(lost)" -gt 0
done_testing
