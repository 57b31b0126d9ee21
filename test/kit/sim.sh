# sim.sh - what the tests of the simulator share.  To be sourced after tap.sh:
#
#     $uts             uts-sim
#     $tree            its options for a small tree
#     $laws            one of each kind of late messages, with commas between them
#     tree_size        the nodes of $tree, as counted without the runtime's help
#     size FILE        what a run of uts has counted, from its standard output
#     counter TEXT     the sum of the counter whose text begins so, from $scratch/err, where the
#                      standard error of a run with JACKDAW_STATS=1 is
#     account POLICY   what the formula of doc/transfer.md leaves over there: "0 0 ", and for
#                      success-only "0 0 0"
#     counts_exactly SETTING...
#                      a test: a run of uts on $tree counts $want nodes, and the formula leaves
#                      nothing over
# shellcheck shell=sh disable=SC2034,SC2086 # all of these are for who sources it; $tree is words

uts=$JD_TEST_BUILDDIR/examples/uts-sim
tree="-t 0 -b 200 -q 0.124 -m 8 -r 42"
laws=none,uniform:5000,tail:1000,burst:20000,lifo:20000,hold:50000

size() { sed -n 's/^Tree size = \([0-9]*\),.*/\1/p' "$1"; }

tree_size() {
    JACKDAW_RANKS=1 "$uts" $tree --serial >"$scratch/serial"
    size "$scratch/serial"
}

counter() { sed -n "s/^$1[^0-9]* \([0-9]*\) .*/\1/p" "$scratch/err"; }

account() {
    attempts=$(counter "steal requests to other ranks") second=$(counter "steal requests that waited")
    messages=$(counter "messages of steals") steals=$(counter "steal requests that brought")
    failed=$(counter "steal requests that failed") occupied=$(counter "steal requests turned away")
    crossed=$(counter "steal requests that crossed") unserved=$(counter "steal requests forgotten")
    echo "$((messages - 2 * attempts - second))" \
        "$((attempts - steals - failed - occupied - crossed - unserved))" \
        "$([ "$1" != success-only ] || echo $((failed + occupied)))"
}

counts_exactly() {
    policy=$(printf '%s\n' "$@" | sed -n 's/^JACKDAW_STEAL=//p')
    env "$@" JACKDAW_STATS=1 timeout 60 "$uts" $tree >"$scratch/out" 2>"$scratch/err"
    status=$?
    rest=$(account "$policy")
    case "$status:$(size "$scratch/out"):$rest" in
    "0:$want:0 0 " | "0:$want:0 0 0") pass "$*" ;;
    *) fail "$*"
        diag "status $status, $(size "$scratch/out") nodes of $want, left over: $rest"
        sed 's/^/# /' "$scratch/err" ;;
    esac
}
