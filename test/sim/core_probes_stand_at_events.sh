#!/bin/sh
# Each event of core/trace.def has its probe in a program, with five numbers and a semaphore; a debugger that looks at
# the probe of tasks gets each of them, without JACKDAW_TRACE; and who looks at nothing gets the loop that records nothing.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

grep -q '^S\["JD_PROBES_TRUE"\]=""' "$JD_TEST_BUILDDIR/config.status" || skip_all "built without probes: sys/sdt.h"
command -v readelf >/dev/null || skip_all "no readelf"
program=$JD_TEST_BUILDDIR/examples/uts-sim

# NAME SEMAPHORE ARGUMENTS of each probe.
readelf -n "$program" | awk '$1 == "Provider:" { mine = $2 == "jackdaw" } mine && $1 == "Name:" { name = $2 }
    mine && /Semaphore:/ { semaphore = $NF } mine && $1 == "Arguments:" { print name, semaphore, NF - 1 }' >"$scratch/probes"
sed -n 's/^JDI_EVENT([A-Z_]*, *\([a-z]*\),.*/\1/p' "$JD_TEST_SRCDIR/core/trace.def" | sort -u >"$scratch/events"
ok "the table has events" [ -s "$scratch/events" ]
# CLOCK is about the file alone.
is "$(grep -vx clock "$scratch/events" | while read -r name; do grep -q "^$name " "$scratch/probes" || echo "$name"; done)" "" \
    "each event has its probe"
is "$(awk 'NR == FNR { event[$1]; next } !($1 in event) { print $1 }' "$scratch/events" "$scratch/probes")" "" "and each probe its event"
is "$(awk '$2 ~ /^0x0+$/ || $3 != 5' "$scratch/probes")" "" "each has a semaphore and five arguments"

# A debugger counts itself in the semaphore as bpftrace does.
if command -v gdb >/dev/null && gdb -nx -batch -ex run /bin/true 2>/dev/null | grep -q 'exited normally'; then
    cat >"$scratch/commands" <<'EOF'
set pagination off
break main
run
break -probe-stap jackdaw:task
commands
silent
printf "task %d %d %d %d\n", $_probe_arg0, $_probe_arg1, $_probe_arg2, $_probe_arg3
continue
end
continue
EOF
    JACKDAW_RANKS=2 JACKDAW_SEED=1 gdb -nx -batch -x "$scratch/commands" --args "$program" -t 0 -b 50 -q 0.1 -m 2 -r 3 >"$scratch/gdb" 2>&1
    tasks=$(sed -n 's/^Tree size = \([0-9]*\),.*/\1/p' "$scratch/gdb")
    ok "the program has come to its end: ${tasks:-no} tasks" [ "${tasks:-0}" -gt 0 ]
    is "$(grep -c '^task [01] 0 [0-9]* [0-9]*$' "$scratch/gdb")" "$tasks" "a debugger sees each task once"
fi
done_testing
