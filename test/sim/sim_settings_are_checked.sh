#!/bin/sh
# Bad settings of the simulator are refused with name, value and range; a crash ends the job.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

uts=$JD_TEST_BUILDDIR/examples/uts-sim
refused() { # SETTING TEXT
    env "$1" JACKDAW_RANKS=4 timeout 20 "$uts" -d 4 >"$scratch/out" 2>"$scratch/err"
    is "$?" 78 "$1 ends with status 78"
    ok "$1 is explained" grep -q "$1:.*allowed: $2" "$scratch/err"
    is "$(grep -c jackdaw: "$scratch/err")" 1 "$1 is said once"
}

refused JACKDAW_SIM_NET=fast 'o:NS,L:NS'
refused JACKDAW_SIM_HOST=o:1,L:2,g:3 'o:NS,L:NS'
refused JACKDAW_SIM_LAW=uniform 'none, or uniform'
refused JACKDAW_SIM_LAW=burst:0 'none, or uniform'
refused JACKDAW_SIM_REFUSE=100 '0 to 99'
refused JACKDAW_SIM_TAKE=dear '0 to 1000000000'
refused JACKDAW_SIM_LOOK=1ns '0 to 1000000000'
refused JACKDAW_SIM_LOCK=1000000001 '0 to 1000000000'
refused JACKDAW_SIM_AHEAD=-1 '0 to 1000000000'
for bad in x 4:10 -1:10 1.5:10 1e0:10 1:0 1: 1:10: 18446744073709551617:10; do
    refused "JACKDAW_SIM_SLOW=$bad" 'RANK:FACTOR, FACTOR from 1, RANK below 4'
done
for bad in 1:2 4:1:2 1:1:0 1:2:3:4; do
    refused "JACKDAW_SIM_PAUSE=$bad" 'RANK:AT:FOR in ns, FOR from 1, RANK below 4'
done
for bad in 4:1000 9:1000 1:0 1:x; do
    refused "JACKDAW_SIM_CRASH=$bad" 'RANK:AT in ns, AT from 1, RANK below 4'
done

no_file() { # SETTING
    env "$1=$scratch/none/file" JACKDAW_RANKS=4 timeout 20 "$uts" -d 4 >"$scratch/out" 2>"$scratch/err"
    is "$?" 78 "$1 without its folder ends with status 78"
    is "$(grep jackdaw: "$scratch/err" | sed 's/.*jackdaw: //')" \
        "$1=$scratch/none/file: No such file or directory" "and names itself, the file and the reason"
}
no_file JACKDAW_SIM_TRACE
no_file JACKDAW_SIM_SAVE
no_file JACKDAW_SIM_REPLAY

JACKDAW_RANKS=4 JACKDAW_SIM_CRASH=2:1000 timeout 20 "$uts" --tree=T1 >"$scratch/out" 2>"$scratch/err"
is "$?" 70 "a crash ends the job with status 70"
ok "and says which rank" grep -q "rank 2 has crashed" "$scratch/err"
JACKDAW_RANKS=3 timeout 20 "$JD_TEST_BUILDDIR/test/dist/sched_endings-sim" exit 0 \
    >"$scratch/out" 2>"$scratch/err"
is "$?" 71 "exit(0) in a task is no success"
done_testing
