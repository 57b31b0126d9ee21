#!/bin/sh
# jackdaw-run --show: the line that starts a job of each network, on this machine, on lists of hosts, and in
# allocations of Slurm and PBS; a shell takes it back as it was.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

run=$JD_TEST_BUILDDIR/tools/jackdaw-run
sim=$(program_of examples/uts sim)

# shown WANTED NAME [NAME=VALUE...] ARGUMENT...: `p` stands for the program, `run` for jackdaw-run.
shown() {
    shown_want=$1 shown_name=$2 shown_env=
    shift 2
    while case $1 in [A-Z]*=*) ;; *) false ;; esac; do
        shown_env="$shown_env $1"
        shift
    done
    # shellcheck disable=SC2086 # words
    is "$(env $shown_env "$run" --show "$@" 2>&1 |
        sed "s|$JD_TEST_BUILDDIR/examples/uts[-a-z]*|p|g; s|$JD_TEST_BUILDDIR/tools/jackdaw-run|run|g
             s|--allow-run-as-root ||")" "$shown_want" "$shown_name"
}

shown 'JACKDAW_RANKS=4 p --tree=T1' "sim" -n 4 "$sim" --tree=T1
shown 'JACKDAW_RANKS=7 p' "JACKDAW_RANKS says how many" JACKDAW_RANKS=7 "$sim"
shown 'JACKDAW_RANKS=1 p -n 4' "what follows the program is the program's" "$sim" -n 4
shown 'JACKDAW_WORKERS=3 JACKDAW_RANKS=2 p' "-c" -n2 -c3 "$sim"
shown "A='b c' D=e JACKDAW_RANKS=1 p" "-E" '-EA=b c' -E D=e "$sim"
shown 'JACKDAW_TRACE=jackdaw.trace JACKDAW_STATS=1 JACKDAW_RANKS=1 p' "--trace, --stats" \
    --trace --stats "$sim"
shown 'JACKDAW_TRACE=f JACKDAW_STATS=full JACKDAW_RANKS=1 p' "and with values" \
    --trace=f --stats=full "$sim"
shown 'JACKDAW_RANKS=1 p' "machines of an allocation do not trouble the simulator" \
    'SLURM_JOB_NODELIST=n[1-3]' "$sim"
shown 'JACKDAW_RANKS=2 /bin/sh x' "a script whose network is named" --network=smp -n 2 /bin/sh x

# A program that prints what it gets, in place of the job.
cat >"$scratch/print it" <<'E2'
#!/bin/sh
echo "ranks $JACKDAW_RANKS"
for word; do echo "[$word]"; done
E2
chmod +x "$scratch/print it"
set -- "$scratch/print it" "a'b" "" '$HOME *' "two
lines" '"' '\'
direct=$("$run" -n 3 --network=sim "$@")
like "$direct" '^ranks 3$' "the settings are there"
is "$(sh -c "$("$run" -n 3 --network=sim --show "$@")")" "$direct" "the line that is shown does the same"
is "$("$run" -v -n 3 --network=sim "$@" 2>/dev/null)" "$direct" "-v also runs it"

is "$("$run" --progress --network=sim /bin/sh -c 'echo $JACKDAW_PROGRESS') $("$run" --progress=0.5 --network=sim /bin/sh -c 'echo $JACKDAW_PROGRESS')" \
    "1 0.5" "--progress is a second, or what it says"

# A tool of that name beside a copy of jackdaw-run, and the one of this build.
mkdir "$scratch/bin"
cp "$run" "$scratch/bin/jackdaw-run"
printf '#!/bin/sh\necho "report: $*"\n' >"$scratch/bin/jackdaw-report"
chmod +x "$scratch/bin/jackdaw-report"
is "$("$scratch/bin/jackdaw-run" --report=r.html --trace=t-%r --network=sim -n 2 /bin/sh -c 'echo $JACKDAW_STATS')" \
    "json:r.json
report: r.json t-0 t-1 -o r.html" "--report runs the tool after the job"
is "$("$scratch/bin/jackdaw-run" --report --network=sim /bin/sh -c 'exit 3'; echo $?)" 3 "but not after one that failed"
exits 0 "a report of a real job" "$run" --report="$scratch/page.html" --trace="$scratch/trace" -n 2 "$sim" -d 6
ok "is there" test -s "$scratch/page.html"

PATH=$scratch/bin:$PATH
if has_conduit udp; then
    udp=$(program_of examples/uts udp)
    shown 'GASNET_SPAWNFN=L p 4 x' "udp here" -n 4 "$udp" x
    shown 'p 4' "udp, and the user has named the hosts" GASNET_SSH_SERVERS=a -n 4 "$udp"
    shown 'GASNET_SPAWNFN=L p 1' "a host that is this machine" --hosts localhost "$udp"
    printf '#!/bin/sh\n' >"$scratch/bin/ssh"
    printf '#!/bin/sh\n' >"$scratch/bin/srun"
    chmod +x "$scratch/bin/ssh"
    ssh() { # SERVERS NAMES
        echo "GASNET_SPAWNFN=S GASNET_SSH_SERVERS='$1' GASNET_SSH_CMD='run --remote-shell=$2'"
    }
    shown "$(ssh 'a b b' '') p 3" "udp by ssh" --hosts a,b:2 "$udp"
    shown "$(ssh 'a a b b' '') p 4" "ranks are spread over names" -n 4 --hosts a,b "$udp"
    shown "$(ssh 'a b' '') p 2" "and over -N of them" -n 2 -N 2 --hosts a:4,b:4,c "$udp"
    shown "$(ssh 'a a' '') p 2" "or fill one after the other" -n 2 --hosts a:4,b:4 "$udp"
    shown "X=1 $(ssh 'a b' X) p 2" "ssh gets the variables of -E" -E X=1 --hosts a,b "$udp"
    printf 'x # first\n\ny slots=2\nx\n' >"$scratch/hosts"
    shown "$(ssh 'x x y y' '') p 4" "PBS" PBS_NODEFILE="$scratch/hosts" "$udp"
    shown "$(ssh 'x x y' '') p 3" "a file of hosts" -n 3 --hosts="$scratch/hosts" "$udp"
    shown 'GASNET_SPAWNFN=L p 2' "--localhost" PBS_NODEFILE="$scratch/hosts" -n 2 --localhost "$udp"
    set -- 'SLURM_JOB_NODELIST=n[08-10,3],m-x' SLURM_TASKS_PER_NODE='2(x3),1(x2)'
    shown "$(ssh 'n08 n08 n09 n09 n10 n10 n3 m-x' '') p 8" "Slurm without srun" "$@" "$udp"
    chmod +x "$scratch/bin/srun"
    shown "GASNET_SPAWNFN=C GASNET_CSPAWN_CMD='srun -N 5 -n %N %C' GASNET_WORKER_RANK=SLURM_PROCID p 8" \
        "Slurm" "$@" "$udp"
    shown "JACKDAW_WORKERS=4 GASNET_SPAWNFN=C GASNET_CSPAWN_CMD='srun -N 2 -n %N --cpus-per-task=4 %C' GASNET_WORKER_RANK=SLURM_PROCID p 2" \
        "Slurm, and a part of it" "$@" -n 2 -N 2 -c 4 "$udp"
fi
if has_conduit mpi; then
    mpi=$(program_of examples/uts mpi)
    mpirun() { # VERSION
        printf '#!/bin/sh\necho "%s"\n' "$1" >"$scratch/bin/mpirun"
        chmod +x "$scratch/bin/mpirun"
    }
    MPIRUN=$scratch/bin/mpirun
    export MPIRUN
    mpirun "mpirun (Open MPI) 4.1.4"
    shown "$MPIRUN --bind-to none --oversubscribe -n 4 p x" "Open MPI" -n 4 "$mpi" x
    shown "JACKDAW_WORKERS=2 $MPIRUN --bind-to none --oversubscribe --host a:2,b:1 -x JACKDAW_WORKERS -n 3 p" \
        "on hosts" -c 2 --hosts a:2,b "$mpi"
    mpirun "HYDRA build details"
    shown "$MPIRUN -bind-to none -hosts a:2,b:1 -n 3 p" "MPICH" --hosts a:2,b "$mpi"
    unset MPIRUN
    printf '#!/bin/sh\n' >"$scratch/bin/srun"
    chmod +x "$scratch/bin/srun"
    shown "srun --mpi=pmix --nodes=3 --ntasks=5 p" "Slurm's srun starts MPI" \
        'SLURM_JOB_NODELIST=n[1-3]' 'SLURM_TASKS_PER_NODE=2(x2),1' "$mpi"
    shown "srun --nodes=3 --ntasks=3 p" "in the way that the user has chosen" \
        'SLURM_JOB_NODELIST=n[1-3]' SLURM_MPI_TYPE=pmi2 "$mpi"
fi

for shell in bash zsh; do
    exits 0 "completion for $shell" "$run" --completion=$shell
    like "$(cat "$scratch/out")" '--localhost' "has the options"
    like "$(cat "$scratch/out")" 'JACKDAW_WORKERS=' "and the knobs"
    ! command -v $shell >/dev/null || ok "$shell reads it" $shell -n "$scratch/out"
done
is "$("$run" --version)" "jackdaw $(sed -n 's/^#define JD_VERSION *"\(.*\)"/\1/p' "$JD_TEST_SRCDIR/include/jackdaw.h")" "--version"
done_testing
