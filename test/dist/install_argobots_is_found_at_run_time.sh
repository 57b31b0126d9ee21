#!/bin/sh
# An Argobots outside the system of which only pkg-config knows: configure takes it, and a program
# that is linked as ours are runs with it without LD_LIBRARY_PATH.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
[ "$JD_TEST_SANITIZER" = none ] || skip_all "configure is not another one with a sanitizer"
flag() { sed -n "s/^ABT_$1 = .*-$2\\([^ ]*\\).*/\\1/p" "$JD_TEST_BUILDDIR/Makefile"; } # VARIABLE LETTER
include=$(flag CPPFLAGS I) lib=$(flag LIBS L)
if [ -z "$include" ] || [ ! -f "$lib/libabt.so" ]; then
    skip_all "there is no Argobots outside the system"
fi

mkdir -p "$scratch/abt" "$scratch/build"
cp -a "$lib"/libabt.so* "$scratch/abt/"
cat >"$scratch/abt/argobots.pc" <<EOF
Name: Argobots
Description: the one of this build, elsewhere
Version: 1.2
Libs: -L$scratch/abt -labt
Cflags: -I$include
EOF

cd "$scratch/build" || exit 99
ok "configure takes it" env PKG_CONFIG_PATH="$scratch/abt" "$JD_TEST_SRCDIR/configure" --quiet \
    --with-gasnet=no --with-ult=argobots CC="$JD_TEST_CC"
libs=$(sed -n 's/^ABT_LIBS = //p' Makefile)
like "$libs" "-L$scratch/abt " "it is the one that pkg-config names"
printf '#include <abt.h>\nint main(int n, char **v) { return ABT_init(n, v) || ABT_finalize(); }\n' >uses.c
# shellcheck disable=SC2086 # words
ok "a program is linked with it" $JD_TEST_CC -I"$include" uses.c -o uses $libs
ok "it runs" env LD_LIBRARY_PATH= ./uses
like "$(env LD_LIBRARY_PATH= ldd ./uses)" "libabt.*=> $scratch/abt/" "with that Argobots"
done_testing
