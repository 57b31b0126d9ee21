#!/bin/sh
# A rank that has nothing to do takes at most 20 KiB of memory, looking for work or not, and each
# further worker of it 12 KiB.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

[ "$JD_TEST_SANITIZER" = none ] || skip_all "a sanitizer's own memory is not ours"
uts=$JD_TEST_BUILDDIR/examples/uts-sim
peak() { # RANKS OPTION...: KiB
    n=$1
    shift
    JACKDAW_RANKS=$n JACKDAW_SEED=1 JACKDAW_VERBOSE=2 timeout 300 "$uts" "$@" 2>&1 >/dev/null |
        sed -n 's/^jackdaw: .* \([0-9]*\) KiB of memory at most.*/\1/p'
}
check() { # NAME OPTION...
    name=$1
    shift
    few=$(peak 64 "$@") many=$(peak 4096 "$@")
    like "$few:$many" '^[0-9]+:[0-9]+$' "$name: the simulator says how much memory it took"
    each=$((1024 * (${many:-0} - ${few:-0}) / 4032))
    ok "$name: a rank takes at most 20480 bytes ($each)" test "$each" -le 20480
    ok "$name: and at least the 4096 of one page" test "$each" -ge 4096
}

# Of each worker beyond the first: 960 on 64 ranks.
workers() { # NAME OPTION...
    name=$1
    shift
    few=$(peak 64 "$@") many=$(JACKDAW_WORKERS=16 peak 64 "$@")
    each=$((1024 * (${many:-0} - ${few:-0}) / 960))
    ok "$name: a worker takes at most 12288 bytes ($each)" test "$each" -le 12288
    ok "$name: and at least the 4096 of one page" test "$each" -ge 4096
}

check "a tree of one node" -t 0 -b 0 -r 1
workers "a tree of one node" -t 0 -b 0 -r 1
workers "a small tree, for which all look" -t 1 -a 3 -d 4 -b 4 -r 19
check "a small tree, for which all look" -t 1 -a 3 -d 4 -b 4 -r 19
done_testing
