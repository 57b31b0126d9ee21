#!/bin/sh
# ranks.sh asks each network for the right number of ranks and refuses nonsense.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
ranks=$JD_TEST_SRCDIR/test/kit/ranks.sh

cat >"$scratch/show" <<'E2'
#!/bin/sh
echo "$* nodes=$GASNET_PSHM_NODES spawn=$GASNET_SPAWNFN ucx=$GASNET_UCX_SPAWNER" \
    "segment=$GASNET_MAX_SEGSIZE loop=$JACKDAW_RANKS"
exit "${SHOW_STATUS:-0}"
E2
chmod +x "$scratch/show"
MPIRUN=$scratch/show
export MPIRUN

is "$("$ranks" smp 4 "$scratch/show" a "b c")" \
    "a b c nodes=4 spawn= ucx= segment=8MB/P loop=" "smp"
is "$("$ranks" udp 3 "$scratch/show" a)" "3 a nodes= spawn=L ucx= segment=10MB/P loop=" "udp"
is "$("$ranks" loop 2 "$scratch/show" a)" "a nodes= spawn= ucx= segment= loop=2" "loop"
like "$("$ranks" mpi 5 "$scratch/show" a)" "-n 5 $scratch/show a nodes= spawn= ucx= " "mpi"
like "$("$ranks" ucx 64 "$scratch/show" a)" "-n 64 $scratch/show a .*ucx=mpi segment=1MB/P" "ucx"
is "$(GASNET_MAX_SEGSIZE=2MB/P "$ranks" smp 1 "$scratch/show")" \
    " nodes=1 spawn= ucx= segment=2MB/P loop=" "settings of the caller win"
like "$(JD_TEST_SHOW=1 "$ranks" loop 2 "$scratch/show" 2>&1)" "^\+ JACKDAW_RANKS=2 $scratch/show" \
    "it says what it runs"

SHOW_STATUS=9
export SHOW_STATUS
exits 9 "the status is the program's" "$ranks" smp 2 "$scratch/show"
exits 9 "also on the leash" env JD_TEST_TIMEOUT=20 "$ranks" smp 2 "$scratch/show"
exits 124 "the leash ends a job that hangs" env JD_TEST_TIMEOUT=0.2 "$ranks" loop 2 /bin/sleep 77
exits 2 "no ranks" "$ranks" smp 0 "$scratch/show"
exits 2 "ranks that are no number" "$ranks" smp abc "$scratch/show"
exits 2 "an unknown network" "$ranks" tcp 2 "$scratch/show"
exits 2 "no program" "$ranks" smp 2
done_testing
