#!/bin/sh
# jackdaw-tdtest: right detectors pass each layer, wrong ones fail with a schedule that fails
# again; detectors of somebody else; figures; wrong options.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

tool=$JD_TEST_BUILDDIR/tools/jackdaw-tdtest
out=$scratch/out
few=3000 many=250000
[ "$JD_TEST_SANITIZER" = none ] || few=300 many=100000 # the same code, ten times as slow

for detector in francez safra fourcounter diffuse; do
    exits 0 "$detector passes" "$tool" --detector=$detector --scripts --exhaustive --ranks=1,2,64 \
        --walks=$few --timed --seeds=1
    is "$(grep -c '^not ok' "$out")" 0 "$detector: nothing is not ok"
    ok "$detector: the walks of every number of ranks are counted" \
        grep -q "^ok .* $detector: $few random walks" "$out"
done

# What --replay understands is the last quoted text of a failure.
schedule() { sed -n "s/^# jackdaw-tdtest .*--replay='\(.*\)'\$/\1/p" "$out"; }

for wrong in no_colour giver_counted clear_at_next latched_idle safra_giver never at_once; do
    exits 1 "$wrong fails" "$tool" --detector=$wrong --ranks=3 --walks=20000 --max-failed=1000
    ok "$wrong: a rule is named" grep -qE '^# rule O[1-6]: [a-z]' "$out"
    ok "$wrong: a chart is drawn" grep -qE '^#  +[0-9]+ .*step' "$out"
    again=$(schedule)
    exits 1 "$wrong: the schedule fails again" "$tool" --detector=$wrong --replay="$again"
    exits 0 "$wrong: francez survives it" "$tool" --replay="$again"
done
ok "at_once: the schedule is as short as it goes" \
    test "$(printf '%s\n' "$again" | tr ';' '\n' | wc -l)" -le 3

# One walk in eight is of two collections: the first of those that convicts.
seed=7
while [ $seed -lt 2000 ] && "$tool" --detector=no_count --ranks=3 --seed=$seed --walks=1 \
    --max-failed=1000 >"$out" 2>&1; do
    seed=$((seed + 8))
done
ok "two collections: no_count fails with seed $seed" grep -q 'colls=2' "$out"
again=$(schedule)
exits 1 "two collections: the schedule fails again" "$tool" --detector=no_count --replay="$again"
exits 0 "two collections: francez survives it" "$tool" --replay="$again"
both="ranks=4 colls=2 sends=2: enter 0 4; enter 1 0; enter 2 3; enter 3 0"
exits 0 "a held collection takes tasks of another, then both end" \
    "$tool" --replay="$both; feed 0; drop 2; finish 0; finish 2"
ok "the task is fed" grep -q ' feed' "$out"
exits 2 "half a rank is refused" "$tool" --replay="ranks=3 colls=2: enter 0 1"

exits 1 "an exhaustive search finds a fault" "$tool" --detector=no_root --exhaustive --ranks=3
ok "it is the shortest one" grep -qE '^#   10 .*ENDS 1' "$out"

# Walk i has seed S + i, whoever walks it.
"$tool" --walks=$many --jobs=1 | grep random >"$scratch/one"
"$tool" --walks=$many --jobs=3 | grep random >"$scratch/three"
ok "the number of processes changes nothing" cmp "$scratch/one" "$scratch/three"

# A long run can be interrupted, and goes on where it was.
exits 130 "an interrupt ends the walks" timeout --preserve-status -s INT 2 "$tool" \
    --walks=1000000000 --save="$scratch/walks"
ok "what is left is said" grep -q '^# interrupted; the first [0-9]* of 1000000000 walks have passed' "$out"
saved() { echo "jackdaw-tdtest walks: detector francez seed $1 walks 250000 done $2" >"$scratch/walks"; }
saved 1 200000
exits 0 "the rest of a run is walked" "$tool" --walks=250000 --save="$scratch/walks"
ok "all are counted" grep -q '^ok 1 - francez: 250000 random walks' "$out"
ok "those of before are told" grep -q '^# 200000 of them in earlier runs' "$out"
ok "the file is gone" test ! -e "$scratch/walks"
saved 2 200000
exits 2 "another seed is refused" "$tool" --walks=250000 --save="$scratch/walks"
echo nonsense >"$scratch/walks"
exits 2 "another file is refused" "$tool" --walks=250000 --save="$scratch/walks"

"$tool" --detector=safra --exhaustive --timed --ranks=1,2,16 --seeds=1 --jobs=1 >"$scratch/one"
"$tool" --detector=safra --exhaustive --timed --ranks=1,2,16 --seeds=1 --jobs=3 >"$scratch/three"
ok "nor does it in other layers" cmp "$scratch/one" "$scratch/three"

# Latency of francez: hops until all know, worst of the row, with constant delays.
"$tool" --timed --ranks=16,256,4096 --seeds=1 --data="$scratch/data" >"$out"
worst() { awk -v n="$1" '$2 == n && $3 == "constant" { print int($6) }' "$scratch/data"; }
for n in 16 256 4096; do
    height=$(awk -v n=$n 'BEGIN { for (h = 0; (4 ^ (h + 1) - 1) / 3 < n; h++); print h }')
    ok "$n ranks: at most four times up or down the tree, $(worst $n) hops" \
        test "$(worst $n)" -le $((4 * height * 6 / 5 + 1))
done
is "$(awk '{ n += $12 } END { print n + 0 }' "$scratch/data")" 0 "no busy rank sends a report"
"$tool" --detector=diffuse --timed --ranks=16 --seeds=1 --data="$scratch/diffuse" >"$out"
ok "those of diffuse do" test "$(awk '{ n += $12 } END { print n + 0 }' "$scratch/diffuse")" -gt 0

# Somebody else's detector, from what is installed.
mkdir "$scratch/jackdaw"
cp "$JD_TEST_SRCDIR/termination/detector.h" "$scratch/jackdaw"
build() { # OUTPUT FLAGS...
    built=$scratch/$1
    shift
    # shellcheck disable=SC2086
    $JD_TEST_CC $JD_TEST_CFLAGS -std=c11 -Wall -Wextra -Werror -shared -fPIC -I"$scratch" "$@" -o "$built"
}
ok "the example builds" build star.so "$JD_TEST_SRCDIR/examples/detector.c"
ok "the wrong one too" build wrong.so -DONE_ROUND "$JD_TEST_SRCDIR/examples/detector.c"
exits 0 "the example passes" "$tool" --detector="$scratch/star.so" --scripts --exhaustive \
    --ranks=2,16 --walks=20000 --timed --seeds=1
exits 1 "with one round it fails" "$tool" --detector="$scratch/wrong.so" --walks=20000
sed -e '/^\/\* Optional: what it costs/,/^}$/d' "$JD_TEST_SRCDIR/examples/detector.c" >"$scratch/plain.c"
ok "without options too" build plain.so "$scratch/plain.c"
echo 'int nothing;' >"$scratch/nothing.c"
build nothing.so "$scratch/nothing.c"
exits 2 "an object without a detector" "$tool" --detector="$scratch/nothing.so"
ok "it is told" grep -q 'no object jackdaw_detector' "$out"
printf '#include <jackdaw/detector.h>\nconst struct jdi_td_ops jackdaw_detector = {.size = 8};\n' >"$scratch/old.c"
build old.so "$scratch/old.c" -Wno-missing-field-initializers
exits 2 "a detector of another version" "$tool" --detector="$scratch/old.so"
ok "that is told" grep -q 'another version' "$out"
exits 2 "a file that is not there" "$tool" --detector="$scratch/gone.so"

# The line of each layer can be pasted: a command that fails by the same rule.
pasted() { sed -n "s/^# \(jackdaw-tdtest --detector=.*\)\$/\1/p" "$out" | sed -n 1p; }
has() { case $1 in *"$2"*) ;; *) return 1 ;; esac }
paste() { (PATH=$JD_TEST_BUILDDIR/tools:$PATH && eval "$1"); }
for layer in --walks=20000 "--exhaustive --ranks=2" "--timed --ranks=16"; do
    # shellcheck disable=SC2086
    exits 1 "$layer rejects it" "$tool" --detector="$scratch/wrong.so" $layer
    line=$(pasted)
    rule=$(sed -n 's/^# rule \(O[1-6]\): .*/\1/p' "$out" | sed -n 1p)
    ok "$layer: the line has the object: $line" has "$line" "$scratch/wrong.so"
    exits 1 "$layer: the line fails again" paste "$line"
    ok "$layer: by the same rule, $rule" grep -q "^# rule $rule: " "$out"
    ok "$layer: with a chart" grep -qE '^#  *[0-9]+ .*step' "$out"
done
ok "in virtual time too" has "$line" "timed ranks="
exits 2 "a number that the object cannot begin with" "$tool" --detector="$scratch/plain.so" --replay='wave=2 :'
ok "is no fault of its" grep -q 'jackdaw_detector_start' "$out"
exits 0 "with the hook it can" "$tool" --detector="$scratch/star.so" --replay='phase=4294967295 phases=3 :'
exits 1 "without its limits the star is too dear" "$tool" --detector="$scratch/plain.so" --timed --ranks=64 --seeds=1
ok "that is said" grep -q '^# O4: rank 0 sends [0-9]* messages after quiescence' "$out"
exits 0 "a bound can be given" "$tool" --detector="$scratch/plain.so" --timed --ranks=64 --seeds=1 --max-sent=189
exits 1 "and one for hops" "$tool" --timed --ranks=64 --seeds=1 --max-hops=3

exits 3 "what was not decided is no success" "$tool" --exhaustive --ranks=3 --sends=4 --max-states=1000
ok "it is not ok" grep -q '^not ok 1 - .*not decided: more states than --max-states' "$out"
exits 3 "nor is a layer without a size" "$tool" --exhaustive --ranks=64
exits 0 "else fewer messages are searched" "$tool" --detector=safra --exhaustive --ranks=2 --max-states=5000
ok "which is said" grep -q 'every state of 2 ranks, arity 2, [23] messages, 1 phases' "$out"
exits 0 "walks with so many messages" "$tool" --sends=100 --ranks=3 --walks=300
ok "are longer" test "$(sed -n 's/^ok.* \([0-9]*\) actions$/\1/p' "$out")" -gt 50000

exits 2 "an unknown option" "$tool" --exhastive
ok "the nearest is named" grep -q 'did you mean --exhaustive?' "$out"
exits 2 "an unknown detector" "$tool" --detector=franzez
ok "the nearest is named" grep -q 'did you mean francez?' "$out"
# shellcheck disable=SC2258
for bad in --max-states=0 --save= --walks --walks= --walks=0 --walks=1x --ranks=0 --ranks=1,,2 --ranks=2, --seeds=257 \
    --pause=5 --pause=5,4 --exhaustive=1 --detector= -h extra; do
    exits 2 "$bad is refused" "$tool" "$bad"
done
exits 2 "a bad schedule is refused" "$tool" --replay='enter 0 1; fly 0'
exits 2 "and a bad field" "$tool" --replay='ranks=10: enter 0 1'
exits 0 "--help" "$tool" --help
for option in $(grep -o -- '--[a-z-]*' "$out" | sort -u); do
    ok "$option is in the manual page" grep -q -e "\\*\\*$option" "$JD_TEST_SRCDIR/doc/jackdaw-tdtest.1.md"
done
exits 0 "--version" "$tool" --version
exits 0 "--list" "$tool" --list
done_testing
