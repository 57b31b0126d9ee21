#!/bin/sh
# Run a program of one network with N ranks on this machine:
#
#     ranks.sh CONDUIT N PROGRAM [ARGUMENT...]         (CONDUIT: smp udp mpi ucx loop)
#
# The exit status is the job's.  With JD_TEST_TIMEOUT=SECONDS, which the tests set, the job is ended
# after that time (status 124) and leaves nothing behind.  With JD_TEST_SHOW=1 the script prints the
# command that it runs.  Settings of the caller win.
set -e
if [ $# -lt 3 ]; then
    echo "usage: ranks.sh CONDUIT N PROGRAM [ARGUMENT...]" >&2
    exit 2
fi
conduit=$1 ranks=$2 program=$3
shift 3
case $program in */*) ;; *) program=./$program ;; esac

case $ranks in
*[!0-9]* | '' | 0*) echo "ranks.sh: '$ranks' is no number of ranks" >&2; exit 2 ;;
esac

# What to put before the program's arguments, and the settings that were made here.
settings=
set_default() { # NAME VALUE
    given=
    eval "given=\${$1+yes}"
    [ "$given" = yes ] && return
    export "$1=$2"
    settings="$settings $1=$2"
}

case $conduit in
smp)
    set_default GASNET_PSHM_NODES "$ranks"
    set -- "$program" "$@" ;;
udp)
    set_default GASNET_SPAWNFN L
    set -- "$program" "$ranks" "$@" ;;
mpi | ucx)
    if [ "$conduit" = ucx ]; then
        set_default GASNET_UCX_SPAWNER mpi
    fi
    # Open MPI refuses root and more ranks than cores unless told; and binds to cores,
    # which would put all workers of a rank on one.
    set -- "${MPIRUN:-mpirun}" --allow-run-as-root --oversubscribe --bind-to none \
        --mca btl_vader_single_copy_mechanism none -n "$ranks" "$program" "$@" ;;
loop)
    set_default JACKDAW_RANKS "$ranks"
    set -- "$program" "$@" ;;
*)
    echo "ranks.sh: unknown network '$conduit' (smp udp mpi ucx loop)" >&2
    exit 2 ;;
esac

if [ "$conduit" != loop ]; then
    # A container's /dev/shm has 64 MB; the segments of all ranks share half of it.
    segment=$((32 / ranks))
    set_default GASNET_MAX_SEGSIZE "$((segment > 1 ? segment : 1))MB/P"
    set_default GASNET_QUIET 1
    set_default GASNET_HOST_DETECT hostname
fi

if [ "${JD_TEST_SHOW:-0}" = 1 ]; then
    echo "+${settings} $*" >&2
fi
case ${JD_TEST_TIMEOUT:-0} in
0) exec "$@" ;;
*) exec "${JD_TEST_LEASH:-$(dirname "$0")/leash}" "$JD_TEST_TIMEOUT" "$@" ;;
esac
