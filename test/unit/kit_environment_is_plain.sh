#!/bin/sh
# A test sees no setting of whoever starts it: neither a script nor, below make check, a C program.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

planted="JACKDAW_WORKERS=abc JACKDAW_SIM_LAW=lifo:1 GASNET_PSHM_NODES=7 GASNET_SUPERNODE_MAXSIZE=1
    OMPI_COMM_WORLD_SIZE=4 OMPI_MCA_btl=self PMIX_RANK=3 SLURM_NTASKS=9 UCX_TLS=none SSH_SERVERS=far
    ABT_THREAD_STACKSIZE=1 HWLOC_XMLFILE=none DESTDIR=/nowhere MAKELEVEL=3"
names=$(printf '%s\n' "$planted" | tr -s ' ' '\n' | sed -n 's/=.*//p')

# seen COMMAND...: which of the planted variables are there for COMMAND, which prints its own.
seen() {
    # shellcheck disable=SC2086 # words
    env $planted "$@" >"$scratch/seen"
    for name in $names; do
        grep -q "^$name=" "$scratch/seen" && printf '%s ' "$name"
    done
}

is "$(seen env)" "$(printf '%s ' $names)" "settings are handed down"
is "$(seen sh -c ". '$JD_TEST_SRCDIR/test/kit/plain.sh'; env")" "" "plain.sh takes them away"
is "$(seen sh -c ". '$JD_TEST_SRCDIR/test/kit/tap.sh'; env")" "" "so a script does not see them"
is "$(seen make -s -C "$JD_TEST_BUILDDIR" tests-environment)" "" "nor does a test of make check"
ok "which sees what scripts are told" grep -q '^JD_TEST_LEASH=/' "$scratch/seen"
is "$(sed -n 's/^LC_ALL=//p' "$scratch/seen")" C "and the locale C"
is "$(JD_TEST_KEEP="UCX_TLS PMIX_RANK" seen sh -c ". '$JD_TEST_SRCDIR/test/kit/plain.sh'; env")" \
    "PMIX_RANK UCX_TLS " "what JD_TEST_KEEP names stays"
is "$(A_JACKDAW_WORKERS=1 sh -c ". '$JD_TEST_SRCDIR/test/kit/plain.sh'; echo \"\$A_JACKDAW_WORKERS\"")" 1 \
    "so does what only looks like a knob"
done_testing
