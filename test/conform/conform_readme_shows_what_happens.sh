#!/bin/sh
# The worked example of conform/README.md: each command, run with the example detector, prints the
# lines that stand below it there; a line with "..." in it stands for others.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
[ "$JD_TEST_SANITIZER" = none ] || skip_all "the walks would take minutes"

tool=$JD_TEST_BUILDDIR/tools/jackdaw-tdtest
readme=$JD_TEST_SRCDIR/conform/README.md
mkdir "$scratch/jackdaw"
cp "$JD_TEST_SRCDIR/termination/detector.h" "$scratch/jackdaw"
cd "$scratch" || exit 99
build() { # OUTPUT FLAGS...
    output=$1
    shift
    # shellcheck disable=SC2086
    $JD_TEST_CC $JD_TEST_CFLAGS -std=c11 -shared -fPIC -I. "$@" -o "$output" "$JD_TEST_SRCDIR/examples/detector.c"
}
ok "the example builds" build star.so
ok "the hasty one too" build hasty.so -DONE_ROUND

# One file for each command: the command, then what it shows.
awk '/^    \$ jackdaw-tdtest / { n++; sub(/^    \$ jackdaw-tdtest /, ""); print >"block" n; inside = 1; next }
     !/^    / { inside = 0 }
     inside { print substr($0, 5) >"block" n }' "$readme"
ok "there are six commands and more" test -f block6

schedule=
for block in block[1-9]*; do
    command=$(sed -n 1p "$block")
    # Cut short in the text: the schedule that the command before has found.
    case $command in *"--replay="*) set -- "${command%% *}" "--replay=$schedule" ;; *)
        # shellcheck disable=SC2086
        set -- $command ;;
    esac
    "$tool" "$@" >shown 2>&1
    schedule=$(sed -n "s/^# jackdaw-tdtest .*--replay='\(.*\)'\$/\1/p" shown)
    sed -e 1d -e '/\.\.\./d' "$block" >expected
    is "$(grep -Fxvf shown expected)" "" "$command"
    ok "it shows something" test -s expected
done
done_testing
