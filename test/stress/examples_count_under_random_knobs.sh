#!/bin/sh
# Short jobs of the examples, each of which knows its right result, with settings that chance picks:
# ranks, workers, who polls, engines, policies, amounts, detectors, credits, waiting.  Each ends within its
# time and leaves nothing behind, and the parts of time of its threads are their lives.
#
# SOAK_JOBS=N (200) from SOAK_SEED=S (1) on: job i has the settings of the seed S + i, so one job alone is
# SOAK_JOBS=1 SOAK_SEED=S+i.  SOAK_LIMIT=SECONDS (60) is the time for a job, SOAK_NETWORKS which networks take turns.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

jobs=${SOAK_JOBS:-200} first=${SOAK_SEED:-1}
JD_TEST_TIMEOUT=${SOAK_LIMIT:-60}
export JD_TEST_TIMEOUT
networks=
for network in ${SOAK_NETWORKS:-loop smp udp}; do
    case $network:$JD_TEST_ENGINES in loop:*boost* | [!l]*) ;; *) continue ;; esac
    ! has_conduit "$network" || networks="$networks $network"
done
diag "SOAK_JOBS=$jobs SOAK_SEED=$first SOAK_LIMIT=$JD_TEST_TIMEOUT SOAK_NETWORKS='$networks'"

# A line for each job: its seed, and what on_ranks takes.
soak_jobs() {
    awk -v jobs="$jobs" -v first="$first" -v networks="$networks" -v engines="$JD_TEST_ENGINES" '
    function upto(n) { return int(n * rand()) }
    function pick(list,  n, word) { n = split(list, word, " "); return word[1 + upto(n)] }
    # Half of the jobs leave a knob as it is.
    function maybe(name, list) { return rand() < 0.5 ? "" : " JACKDAW_" name "=" pick(list) }
    function program(network, ranks,  kind) {
        kind = upto(34)
        if (kind == 0) return "examples/uts --tree=T3 --check"
        if (kind < 4) return "examples/uts --tree=default --check" (upto(2) ? " --style=async" : "")
        if (kind < 8) return "examples/nqueens --check" (upto(2) ? " --style=async " : " ") (1 + upto(10)) " " upto(6)
        if (kind < 12) return "examples/fib " upto(23) " " upto(8)
        if (kind < 15) return "examples/nested_for " (1 + upto(40)) " " (1 + upto(40)) " " (1 + upto(12))
        if (kind < 18) return "examples/pipeline --check " (1 + upto(300)) " " (1 + upto(2 * ranks))
        if (kind < 20) return "examples/map_reduce -n " (1 + upto(300)) " -l " upto(1000) " -s " pick("timer get") " -j " pick("counter finish")
        if (kind < 22) return "examples/scatter_gather -T 0.1 -n " (1 + upto(30)) " -m " (1 + upto(30))
        if (kind < 24) return "examples/kpn -n " (1 + upto(500)) " -l " upto(5) " -i " upto(100) " -c " upto(4)
        if (kind < 26) return "examples/echo_server -c " (1 + upto(60)) " -m " (1 + upto(20))
        if (kind < 28) return "examples/timers -d 2000 -t 10 -n " (1 + upto(300))
        if (kind < 30) return "examples/stages -u 1 -n " (1 + upto(500)) " -k " (1 + upto(5)) " -w " (1 + upto(4)) " -c " (1 + upto(10))
        if (kind < 32) return "examples/fetch_all -n " (1 + upto(100)) " -l " (1 + upto(20))
        return "examples/iterate --usec=10 --iterations=" (1 + upto(4)) " --restore=" pick("seed retain")
    }
    BEGIN {
        for (i = 0; i < jobs; i++) {
            srand(first + i)
            upto(1) # the first number of neighbouring seeds is about the same
            network = pick(networks)
            ranks = pick("1 1 2 2 2 3 3 4 5 6 8")
            ult = network == "loop" ? "boost" : pick(engines)
            print first + i, network, ranks, "JACKDAW_ULT=" ult, "JACKDAW_SEED=" (1 + upto(1e9)), \
                "JACKDAW_WORKERS=" pick("1 1 1 2 2 3") \
                (ranks > 1 ? maybe("COMM", "inline dedicated") : "") \
                maybe("STEAL", "random baseline success-only lifeline none local") \
                maybe("VICTIM", "random last near") maybe("STEAL_AMOUNT", "half one 2 8 50") \
                maybe("LOCAL_AMOUNT", "same half one 8") maybe("STEAL_THRESHOLD", "0 1 5") \
                maybe("STEAL_TRIES", "0 1 2 5") maybe("CYCLIC", "0 1") \
                maybe("DETECTOR", "francez safra fourcounter diffuse credit") \
                maybe("FINISH", "credit diffuse") maybe("CREDITS", "1 2 16") \
                maybe("TREE_ARITY", "1 2 4") maybe("STACK_SIZE", "64K 256K") \
                maybe("BIND", "auto none") maybe("OVERSUBSCRIBED", "no yes") \
                maybe("IDLE", "auto spin:0,yield:0,sleep:1000 spin:50,yield:0,sleep:10"), \
                program(network, ranks)
        }
    }'
}

# Where that can be had each job has a /dev/shm of its own, which is empty at its end.
alone='exec "$@"'
if unshare -m true 2>/dev/null; then
    # shellcheck disable=SC2016 # expanded inside
    alone='mount -t tmpfs -o size=500m none /dev/shm || exit 99
        status=0
        "$@" || status=$?
        [ -z "$(ls -A /dev/shm)" ] || { ls -A /dev/shm; echo "is left in /dev/shm"; exit 98; }
        exit $status'
    apart="unshare -m"
fi

# One job; what it prints is shown if it fails.
counts() { # NETWORK RANKS SETTING... PROGRAM ARGUMENT...
    conduit=$1 ranks=$2 settings=
    shift 2
    while case $1 in *=*) ;; *) false ;; esac; do
        settings="$settings $1"
        shift
    done
    soak_name=$1 soak_program=$(program_of "$1" "$conduit")
    shift
    rm -f "$scratch/parts.csv"
    # shellcheck disable=SC2086 # words
    env $settings JACKDAW_STATS=csv:"$scratch/parts.csv" ${apart-} sh -c "$alone" sh "$tap_ranks" "$conduit" "$ranks" "$soak_program" "$@" || return
    off=$(awk -f "$JD_TEST_SRCDIR/test/kit/parts.awk" "$scratch/parts.csv")
    [ -z "$off" ] || { echo "$off" && return 1; }
    # Each of the others compares by itself.
    [ "$soak_name" != examples/fib ] || grep -qF "fib($1) = $(fib_of "$1")," "$scratch/.out"
}

fib_of() { # N
    awk -v n="$1" 'BEGIN { a = 0; b = 1; while (n-- > 0) { c = a + b; a = b; b = c } print a }'
}

soak_jobs >"$scratch/jobs"
while read -r seed line; do
    # shellcheck disable=SC2086 # words
    ok "SOAK_SEED=$seed: $line" counts $line </dev/null
done <"$scratch/jobs"
done_testing
