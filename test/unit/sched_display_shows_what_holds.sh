#!/bin/sh
# JACKDAW_DISPLAY_ENV and JACKDAW_DISPLAY_BINDING: the values in force and where they come from; and the binding that the
# kernel has for each thread.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

uts=$(program_of examples/uts loop) sim=$(program_of examples/uts sim)
knobs() { sed -n 's/^JDI_KNOB_[A-Z]*([a-z_]*, *"\([A-Z_]*\)".*/JACKDAW_\1/p' "$JD_TEST_SRCDIR/core/knobs.def"; }
settings() { sed -n 's/^jackdaw: settings: \(JACKDAW_.*\)/\1/p' "$scratch/out"; }

exits 0 "settings" env JACKDAW_DISPLAY_ENV=1 JACKDAW_STACK_SIZE=65536 "$uts" -d 4
like "$(cat "$scratch/out")" '^jackdaw: settings: Jackdaw [0-9.]+, 1 rank on loop, ' "the job is named, once"
is "$(settings | sed 's/=.*//' | sort)" "$(knobs | grep -v '^JACKDAW_SIM_' | sort)" \
    "each knob has its line, but for the simulator's"
like "$(settings)" '^JACKDAW_STACK_SIZE=64K \(environment\)$' "a value that was set"
like "$(settings)" '^JACKDAW_COMM=auto \(default\)$' "and one that was not"
exits 0 "with their meaning" env JACKDAW_DISPLAY_ENV=verbose "$uts" -d 4
is "$(settings | sed 's/=.*//' | sort)" "$(knobs | sort)" "all of them"
like "$(settings)" '^JACKDAW_COMM=auto \(default\); allowed: auto, inline, dedicated; who polls' "and what they may be"
exits 0 "nobody asks" "$uts" -d 4
is "$(grep -c 'settings:\|binding:' "$scratch/out")" 0 "nothing is shown"
exits 0 "the simulator" env JACKDAW_DISPLAY_BINDING=1 JACKDAW_RANKS=9 "$sim" -d 4
is "$(grep -c 'binding:' "$scratch/out")" 0 "binds nothing"

exits 78 "a unit that is not there" env JACKDAW_BIND=list:1023 "$uts" -d 4
like "$(cat "$scratch/out")" 'JACKDAW_BIND has processing unit 1023 for thread 0, which may use [0-9]' "is an error that names it"

# Each thread of a job that runs, by the kernel, and by its lines.
# The thread that waits for SIGUSR1 is not bound.
JACKDAW_STATE=no JACKDAW_DISPLAY_BINDING=1 JACKDAW_BIND=pu JACKDAW_WORKERS=3 "$uts" --tree=T1XL >"$scratch/out" 2>&1 &
job=$!
shown() { sed -n 's/^jackdaw: binding:  .*(PU \([0-9]*\)).*/\1/p' "$scratch/out" | sort; }
# The thread sanitizer has a thread of its own, which is not bound.
other='^$'
[ "$JD_TEST_SANITIZER" != thread ] || other='[-,]'
kernels() { sed -n 's/^Cpus_allowed_list:[^0-9]*//p' /proc/$job/task/*/status | grep -v "$other" | sort; }
end=$(($(date +%s) + 20))
until [ -n "$(shown)" ] && [ "$(shown)" = "$(kernels)" ] || [ "$(date +%s)" -gt $end ]; do :; done
is "$(kernels)" "$(shown)" "the kernel has the binding that is shown"
is "$(shown | wc -l)" 4 "of three workers and the communication thread"
kill -KILL $job
wait $job 2>/dev/null
done_testing
