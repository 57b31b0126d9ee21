#!/bin/sh
# run.sh SRCDIR BUILDDIR SECONDS - search for bytes that make the readers of checkpoints crash.
#
# Builds test/fuzz/checkpoint.c with AFL++ (Debian: afl++), the address and the undefined behaviour sanitizer, and assertions;
# makes seeds by the example restart and takes the corpus of test/fuzz/checkpoint; then searches in one process.  It ends with 1 if there was a
# crash or a hang, and says where its input is.  A new one goes into the corpus, with the mend.
set -e
src=$(cd "${1:?the source directory}" && pwd) build=$(cd "${2:?the build directory}" && pwd) seconds=${3:-3600}
out=$build/fuzz/checkpoint
rm -rf "$out"
mkdir -p "$out/seeds"
cp "$src"/test/fuzz/checkpoint/* "$out/seeds"
(
    cd "$out"
    for ranks in 1 3; do
        JACKDAW_ULT=boost JACKDAW_RANKS=$ranks JACKDAW_WORKERS=$ranks "$build/examples/restart-loop" -f run -n 7 -s 2 -w 1
        cat run run.*.* >"seeds/restart-$ranks"
        rm run run.*.*
    done
)
checkpoint=$src/sched/checkpoint
AFL_USE_ASAN=1 AFL_USE_UBSAN=1 AFL_QUIET=1 afl-clang-fast -std=gnu11 -D_GNU_SOURCE -DHAVE_CONFIG_H -DJDI_DEBUG=1 -O1 -g \
    -fsanitize=fuzzer -I"$src" -I"$src/include" -I"$build" -o "$out/reads" "$src/test/fuzz/checkpoint.c" \
    "$checkpoint/read.c" "$checkpoint/head.c" "$checkpoint/manifest.c" "$checkpoint/share.c" "$checkpoint/files.c" \
    "$src/sched/record.c" "$src/core/checksum.c" "$src/core/fault.c" "$src/core/grow.c" "$src/core/err.c" "$src/core/log.c"
export AFL_NO_UI=1 AFL_SKIP_CPUFREQ=1 AFL_NO_AFFINITY=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1
export ASAN_OPTIONS=abort_on_error=1:symbolize=0:allocator_may_return_null=1:detect_leaks=0
export UBSAN_OPTIONS=halt_on_error=1:abort_on_error=1:symbolize=0
nice -n 19 afl-fuzz -i "$out/seeds" -o "$out/found" -m none -t 2000 -V "$seconds" -- "$out/reads" >"$out/log"
stats=$out/found/default/fuzzer_stats
grep -E '^(run_time|execs_done|edges_found|saved_crashes|saved_hangs)' "$stats"
found=$(find "$out/found/default/crashes" "$out/found/default/hangs" -name 'id*')
[ -z "$found" ] || { echo "$found"; exit 1; }
