#!/bin/sh
# A job whose number of ranks is not the one that was asked for is refused, with a text that names
# the cause.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

# refused NAME TEXT COMMAND...
refused() {
    refused_name=$1 refused_text=$2
    shift 2
    exits 78 "$refused_name: status 78" "$JD_TEST_LEASH" 60 "$@"
    like "$(cat "$scratch/out")" "$refused_text" "$refused_name: says why"
}

if has_conduit smp; then
    program=$(program_of test/am/exits smp)
    for value in abc -4 0 2x 1e3 99999999999 ""; do
        refused "smp: GASNET_PSHM_NODES='$value'" "GASNET_PSHM_NODES=$value is not a number" \
            env GASNET_PSHM_NODES="$value" "$program" clean 0 poll
    done
    refused "smp: two numbers" 'JACKDAW_RANKS=3, but GASNET_PSHM_NODES=2' \
        env JACKDAW_RANKS=3 GASNET_PSHM_NODES=2 "$program" clean 0 poll
    refused "smp: below a launcher, several ranks" 'the launcher started 4 processes' \
        env OMPI_COMM_WORLD_SIZE=4 GASNET_PSHM_NODES=2 "$program" clean 0 poll
    refused "smp: too many ranks" '^jackdaw: .*300 ranks: GASNet starts at most 255 on smp' \
        env JACKDAW_RANKS=300 "$program" clean 0 poll
    refused "smp: below a launcher" 'the launcher started 4 processes' \
        env OMPI_COMM_WORLD_SIZE=4 "$program" clean 0 poll
    exits 0 "smp: below a launcher, allowed" "$JD_TEST_LEASH" 60 \
        env OMPI_COMM_WORLD_SIZE=4 JACKDAW_SINGLETON=1 "$program" clean 0 poll
    exits 0 "smp: started as it is" "$JD_TEST_LEASH" 60 "$program" clean 0 poll
    is "$(grep -v '^leaving at' "$scratch/out")" "" "smp: and nobody says a word"
    exits 0 "smp: JACKDAW_RANKS starts that many" "$JD_TEST_LEASH" 60 \
        env JACKDAW_RANKS=3 "$program" clean 2 poll
    like "$(cat "$scratch/out")" '^leaving at' "smp: so there is a rank 2"
    # As a daemon starts it: GASNet's sockets must not become standard streams.
    exits 0 "smp: standard input closed" "$JD_TEST_LEASH" 60 \
        env JACKDAW_RANKS=3 sh -c 'exec "$@" <&-' sh "$program" clean 2 poll
    exits 0 "smp: all standard streams closed" "$JD_TEST_LEASH" 60 \
        env JACKDAW_RANKS=3 sh -c 'exec "$@" <&- >&- 2>&-' sh "$program" clean 2 poll
fi
if has_conduit udp; then
    program=$(program_of test/am/exits udp)
    refused "udp: no number of ranks" 'first argument must be the number of ranks' \
        "$program"
    refused "udp: no number but a word" 'first argument must be the number of ranks' \
        "$program" clean 0 poll
    refused "udp: two numbers" 'JACKDAW_RANKS=3, but the first argument asks for 2' \
        env JACKDAW_RANKS=3 "$program" 2 clean 0 poll
    refused "udp: below a launcher" 'the launcher started 3 processes' \
        env OMPI_COMM_WORLD_SIZE=3 "$program" 2 clean 0 poll
    refused "udp: too many ranks" '^jackdaw: .*1000 ranks: GASNet starts at most [0-9]+ on udp' \
        "$program" 1000 clean 0 poll
    exits 0 "udp: all standard streams closed" "$JD_TEST_LEASH" 60 \
        sh -c 'exec "$@" <&- >&- 2>&-' sh "$program" 3 clean 2 poll
fi
if has_conduit mpi; then
    program=$(program_of test/am/exits mpi)
    exits bad "mpi: another number of ranks is refused" env JACKDAW_RANKS=3 \
        "$JD_TEST_SRCDIR/test/kit/ranks.sh" mpi 2 "$program" clean 0 poll
    like "$(cat "$scratch/out")" 'JACKDAW_RANKS=3, but the job has 2' "mpi: says why"
fi
done_testing
