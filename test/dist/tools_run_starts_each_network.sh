#!/bin/sh
# jackdaw-run starts UTS on each network, with more ranks than cores; the status is the job's; and what ends
# jackdaw-run ends the job, of which no process is left: the leash would say so by status 120.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

run=$JD_TEST_BUILDDIR/tools/jackdaw-run
bin=$scratch/bin # of all that run aside
mkdir "$bin"

# A stand-in for ssh: hosts whose name begins with "gone" refuse, those with "bare" do not have the program, the
# others are this machine.  Nothing of the environment gets to them.
cat >"$bin/ssh" <<'E2'
#!/bin/sh
while case $1 in -*) ;; *) false ;; esac; do
    case $1 in -[op]) shift ;; esac
    shift
done
host=$1
shift
case $host in
gone*) echo "ssh: connect to host $host: refused" >&2; exit 255 ;;
bare*) echo "no such file" >&2; exit 127 ;;
esac
exec env -i PATH="$PATH" sh -c "$*"
E2
chmod +x "$bin/ssh"

searched() { # NAME ARGUMENT...
    searched_name=$1
    shift
    exits 0 "$searched_name: UTS" "$JD_TEST_LEASH" 60 "$run" "$@" -v 1
    like "$(cat "$scratch/out")" ' using 3 ranks of 1 workers' "$searched_name: on three ranks of one worker"
    like "$(cat "$scratch/out")" '^Tree size = 1732,' "$searched_name: and it counts the nodes"
}

# ends SIGNAL NAME ARGUMENT...: once it runs, jackdaw-run gets the signal.
ends() {
    ends_signal=$1 ends_name=$2
    shift 2
    # The shell would wait for a job that is not stopped, and the leash for what is left of it.
    exits 0 "$ends_name: SIG$ends_signal leaves nothing behind" "$JD_TEST_LEASH" 60 sh -c '
        signal=$1 out=$2
        shift 2
        "$@" >"$out" 2>&1 &
        until grep -q "Load balance" "$out"; do kill -0 $! || exit 1; done
        kill -$signal $!
        wait $!
        [ $? -gt 0 ]' sh "$ends_signal" "$scratch/job" "$run" "$@" -v 1 --tree=T1XL
}

on_network() { # NETWORK
    uts=$(program_of examples/uts "$1") exits=$(program_of test/am/exits "$1")
    searched "$1" -n 3 -c 1 "$uts"
    case $1 in
    smp) ends KILL smp -n 3 "$uts" ;;
    udp) ends TERM udp -n 2 "$uts" ;;
    mpi)
        exits 3 "$1: the status of a rank is the job's" "$JD_TEST_LEASH" 60 \
            "$run" -n 3 "$exits" exit3 2 poll
        ends KILL mpi -n 3 "$uts" ;;
    esac
}

by_ssh() {
    uts=$(program_of examples/uts udp) exits=$(program_of test/am/exits udp)
    PATH=$bin:$PATH
    searched "udp by ssh" -c 1 --hosts far:2,near "$uts"
    exits 3 "udp by ssh: the status of a rank is the job's" "$JD_TEST_LEASH" 60 \
        "$run" --hosts far:2,near "$exits" exit3 2 poll
}

# Beside the others, because GASNet's ranks that have started wait for two seconds.
by_ssh_in_vain() {
    uts=$(program_of examples/uts udp)
    PATH=$bin:$PATH
    exits 78 "udp by ssh: a host that refuses" "$JD_TEST_LEASH" 60 "$run" --hosts far,gone "$uts"
    like "$(cat "$scratch/out")" 'jackdaw-run: ssh to gone has failed: "ssh gone true" must work' "is named"
    exits 78 "udp by ssh: a host without the program" "$JD_TEST_LEASH" 60 "$run" --hosts far,bare "$uts"
    like "$(cat "$scratch/out")" 'bare does not find the program: it must have the same path' "is named"
}
by_ssh_killed() {
    PATH=$bin:$PATH
    ends KILL "udp by ssh" --hosts far:2,near "$(program_of examples/uts udp)"
}

# The variables of -E, which need no network.
is "$(PATH=$bin:$PATH WORD="it's here" "$run" --remote-shell=WORD,NONE -p 1 far 'echo "$WORD"')" "it's here" \
    "ssh brings variables to the other machine"
exits 254 "and a program's status 255 is not ssh's" \
    env PATH="$bin:$PATH" "$run" --remote-shell= far 'exit 255'
if has_conduit udp; then
    aside by_ssh
    aside by_ssh_in_vain
    aside by_ssh_killed
fi
each_network on_network
done_testing
