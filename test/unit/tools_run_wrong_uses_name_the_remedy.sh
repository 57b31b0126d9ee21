#!/bin/sh
# jackdaw-run: whatever is wrong ends before a job is started, with a message that says what to do.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

run=$JD_TEST_BUILDDIR/tools/jackdaw-run
sim=$(program_of examples/uts sim)

# wrong STATUS PATTERN [NAME=VALUE...] ARGUMENT...: the message matches, and names a remedy.
wrong() {
    wrong_status=$1 wrong_text=$2 wrong_env=
    shift 2
    while case $1 in [A-Z]*=*) ;; *) false ;; esac; do
        wrong_env="$wrong_env $1"
        shift
    done
    # shellcheck disable=SC2086 # words
    exits "$wrong_status" "$wrong_env $(echo "$*" | sed "s|$JD_TEST_BUILDDIR/||g"): refused" \
        env $wrong_env "$run" "$@"
    like "$(cat "$scratch/out")" "^jackdaw-run: .*$wrong_text" "and the remedy is named"
}

# ---- the program
wrong 2 'no program: jackdaw-run -n 4 ./program' -n 4
wrong 78 'nothing_like_it is not in PATH: give its path, as ./nothing_like_it' nothing_like_it
wrong 78 'No such file or directory: build it first, or correct the path' ./nothing/like/it
wrong 78 'is a directory: name the program in it' "$scratch"
: >"$scratch/plain"
wrong 78 'plain may not be executed: chmod \+x ' "$scratch/plain"
wrong 78 'is not a Jackdaw program: link it with .*, or, for a script .* --network=NAME' /bin/sh
printf '\177ELF\2\1\1' >"$scratch/short"
head -c 4096 "$sim" >"$scratch/cut"
chmod +x "$scratch/short" "$scratch/cut"
wrong 78 'short is not a Jackdaw program' "$scratch/short"
exits 0 "a file that ends in its middle is read no further" "$run" --show --network=sim "$scratch/cut"
wrong 2 '--network=udp, but .* is linked with sim: leave --network out' --network=udp "$sim"
wrong 2 "the network 'tcp' is none of smp, udp, mpi, ucx, sim: .*correct --network" --network=tcp /bin/sh

# ---- options
wrong 2 '--rnaks: no such option; did you mean --ranks\?' --rnaks=4 "$sim"
wrong 2 '-x: no such option; try --help' -x "$sim"
wrong 2 "-n: 'l4' is not a number from 1 to 1048576: write -n 4" -nl4 "$sim"
wrong 2 "-n: '0' is not a number" -n 0 "$sim"
wrong 2 '--hosts needs a value: write --hosts=LIST' --hosts
wrong 2 '--localhost has no value' --localhost=yes "$sim"
wrong 2 '-n 2 and -n 3: leave one of them out' -n 2 -n 3 "$sim"
wrong 2 '-E NOTHING_LIKE_IT: that variable is not set: write NOTHING_LIKE_IT=VALUE' -E NOTHING_LIKE_IT "$sim"
wrong 2 '-E 7=8: not the name of a variable: write NAME or NAME=VALUE' -E 7=8 "$sim"
wrong 2 '--completion=fish: only bash and zsh' --completion fish

# ---- what contradicts itself
wrong 2 '-n asks for 4 ranks, but JACKDAW_RANKS for 3: leave one' JACKDAW_RANKS=3 -n 4 "$sim"
wrong 2 'JACKDAW_RANKS=x is no number of ranks: unset' JACKDAW_RANKS=x "$sim"
wrong 2 '-c 2, but JACKDAW_WORKERS=3: leave one' JACKDAW_WORKERS=3 -c 2 "$sim"
wrong 2 '--localhost and --hosts=a,b: leave one' --localhost --hosts a,b "$sim"
wrong 2 '-N 2, but sim is for one machine: link with' -N 2 -n 2 "$sim"
wrong 2 '--hosts names other machines, but sim is for this one: link with' --hosts=far "$sim"
wrong 78 'a launcher has started jackdaw-run 4 times .*: start it once' OMPI_COMM_WORLD_SIZE=4 "$sim"

# Without jackdaw-report beside it.
cp "$run" "$scratch/alone"
exits 78 "--report without jackdaw-report" env PATH="$scratch" "$scratch/alone" --report "$sim"
like "$(cat "$scratch/out")" '--report needs jackdaw-report.*: install it, or take --stats' "and the remedy is named"

if has_conduit smp; then
    smp=$(program_of examples/uts smp)
    wrong 2 '300 ranks: a job on smp has at most 255; take fewer' -n 300 "$smp"
    wrong 2 '-n asks for 4 ranks, but GASNET_PSHM_NODES for 2: leave one' GASNET_PSHM_NODES=2 -n 4 "$smp"
    wrong 2 'SLURM_JOB_NODELIST has 3 machines, but smp is for one: .*--localhost' \
        'SLURM_JOB_NODELIST=n[1-3]' "$smp"
fi
if has_conduit udp; then
    udp=$(program_of examples/uts udp)
    wrong 2 '-N 2, but only this machine is known: name the others with --hosts' -N 2 -n 2 "$udp"
    wrong 2 '-N 2: 1 rank cannot be on 2 machines' -N 2 -n 1 --hosts a,b "$udp"
    wrong 2 '-N 3, but --hosts has 2 machines: name more, or ask for fewer' -N 3 -n 4 --hosts a,b "$udp"
    wrong 2 '9 ranks, but --hosts has room for 5 on 2 machines: ask for fewer' -n 9 --hosts a:4,b "$udp"
    wrong 2 "--hosts: 'a b' is no host: write a,b:4" "--hosts=a b" "$udp"
    wrong 78 'No such file or directory: it should name a host in each line' --hosts=/nothing/like/it "$udp"
    : >"$scratch/empty"
    wrong 78 'names no host' --hosts="$scratch/empty" "$udp"
    wrong 78 'SLURM_JOB_NODELIST=n\[1- cannot be read: name the machines with --hosts' 'SLURM_JOB_NODELIST=n[1-' "$udp"
    wrong 78 'ssh is not in PATH.*: install it .*, or say --localhost' PATH="$scratch" --hosts far "$udp"
fi
if has_conduit mpi; then
    mpi=$(program_of examples/uts mpi)
    wrong 78 'mpirun is not in PATH: install MPI .*MPIRUN=PATH' PATH="$scratch" -n 2 "$mpi"
    wrong 78 '/nothing/mpirun is not in PATH: install MPI' MPIRUN=/nothing/mpirun -n 2 "$mpi"
fi
done_testing
