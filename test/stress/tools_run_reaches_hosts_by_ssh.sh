#!/bin/sh
# jackdaw-run with udp over ssh, as between machines: two network namespaces, each with a real sshd and a host
# name of its own.  Needs root, ip and sshd (Debian: openssh-server), which SSHD may name.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

sshd=${SSHD:-/usr/sbin/sshd} run=$JD_TEST_BUILDDIR/tools/jackdaw-run
has_conduit udp || skip_all "no udp"
[ "$(id -u)" -eq 0 ] || skip_all "network namespaces need root"
[ -x "$sshd" ] || skip_all "there is no sshd: install openssh-server"
for tool in ip ssh ssh-keygen unshare; do
    command -v $tool >/dev/null || skip_all "there is no $tool"
done
uts=$(program_of examples/uts udp) exits=$(program_of test/am/exits udp)
mine=jd$$

# Namespace N has the address 10.97.0.N; this machine is 10.97.0.100, on a bridge.
end_hosts() {
    for n in 1 2; do
        # shellcheck disable=SC2046 # numbers
        kill $(ip netns pids "$mine-$n" 2>/dev/null) 2>/dev/null
        ip netns del "$mine-$n" 2>/dev/null
    done
    ip link del "$mine" 2>/dev/null
    rm -rf "$scratch"
}
trap end_hosts EXIT
ip link add "$mine" type bridge 2>/dev/null || skip_all "no network namespaces here"
ip addr add 10.97.0.100/24 dev "$mine"
ip link set "$mine" up
ssh-keygen -q -t ed25519 -N '' -f "$scratch/key"
ssh-keygen -q -t ed25519 -N '' -f "$scratch/host"
chmod 700 "$scratch"
cat >"$scratch/sshd_config" <<E2
HostKey $scratch/host
AuthorizedKeysFile $scratch/key.pub
PasswordAuthentication no
PermitRootLogin yes
StrictModes no
PidFile none
E2
# Privileges are separated by a user and a folder that only an installed sshd has.
{ grep -v '^sshd:' /etc/passwd; echo 'sshd:x:65533:65534::/run/sshd:/bin/false'; } >"$scratch/passwd"
cat >"$scratch/serve" <<E2
hostname $mine-\$1
mount --bind "$scratch/passwd" /etc/passwd
mkdir -p "$scratch/empty"
mount --bind "$scratch" /run 2>/dev/null
mkdir -p /run/sshd
exec "$sshd" -D -e -f "$scratch/sshd_config"
E2
for n in 1 2; do
    ip netns add "$mine-$n"
    ip link add "$mine.$n" type veth peer name eth0 netns "$mine-$n"
    ip link set "$mine.$n" master "$mine" up
    ip -n "$mine-$n" addr add 10.97.0.$n/24 dev eth0
    ip -n "$mine-$n" link set eth0 up
    ip -n "$mine-$n" link set lo up
    ip netns exec "$mine-$n" unshare --uts sh "$scratch/serve" $n 2>"$scratch/sshd.$n" &
done
GASNET_MASTERIP=10.97.0.100
GASNET_SSH_OPTIONS="-i $scratch/key -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o BatchMode=yes"
export GASNET_MASTERIP GASNET_SSH_OPTIONS
# shellcheck disable=SC2086 # words
reached() {
    end=$(($(date +%s) + 10))
    while [ "$(date +%s)" -lt $end ]; do
        ssh $GASNET_SSH_OPTIONS -o StrictHostKeyChecking=no -o ConnectionAttempts=3 10.97.0.$1 true && return
    done
    return 1
}
ok "the first host is there" reached 1
ok "so is the second" reached 2
# ranks_are some|none: wait until it is so on the two hosts.
ranks_are() {
    end=$(($(date +%s) + 10))
    while [ "$(date +%s)" -lt $end ]; do
        found=$(for n in 1 2; do ip netns pids "$mine-$n"; done | xargs -r ps -o comm= -p | grep -c '^uts-udp')
        case $1:$found in none:0 | some:[1-9]*) return 0 ;; esac
    done
    return 1
}

hosts=10.97.0.1:2,10.97.0.2:2
exits 0 "UTS on two hosts" "$JD_TEST_LEASH" 60 "$run" -E JACKDAW_VERBOSE=2 --hosts $hosts "$uts" -d 8 -v 1
like "$(cat "$scratch/out")" '4 ranks' "with four ranks"
exits 3 "the status of a rank is the job's" "$JD_TEST_LEASH" 60 "$run" --hosts $hosts "$exits" exit3 3 poll
exits 78 "a host that refuses ends the job" "$JD_TEST_LEASH" 60 \
    "$run" --hosts 10.97.0.1,10.97.0.77 "$uts"
like "$(cat "$scratch/out")" 'ssh to 10\.97\.0\.77 has failed: "ssh 10\.97\.0\.77 true" must work' "and is named"
for signal in HUP TERM KILL; do
    "$run" --hosts $hosts "$uts" --tree=T1XL >"$scratch/out" 2>&1 &
    job=$!
    ok "ranks run on the hosts" ranks_are some
    kill -$signal $job
    wait $job 2>/dev/null
    ok "after SIG$signal of jackdaw-run none is left there" ranks_are none
done
done_testing
