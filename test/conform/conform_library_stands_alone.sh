#!/bin/sh
# What make install puts into a prefix is enough to embed the suite: the example at the top of
# conform.h is built with pkg-config alone, and judges the example detector, right and wrong.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
[ "$JD_TEST_SANITIZER" = none ] || skip_all "the .pc files do not speak of sanitizers"

prefix=$scratch/prefix
ok "the library and its headers are installed" \
    make -s -C "$JD_TEST_BUILDDIR" install-libLIBRARIES install-data prefix="$prefix"
PKG_CONFIG_PATH=$prefix/lib/pkgconfig
export PKG_CONFIG_PATH
pkg=${PKG_CONFIG:-pkg-config}

# Only public and hidden names may be in the way of a program's own.
is "$(nm -g --defined-only "$prefix/lib/libjackdaw-conform.a" |
    awk 'NF == 3 && $3 !~ /^jdi?_/ { print $3 }')" "" "the library defines no foreign names"

sed -n '1,/\*\//s/^ \*     //p' "$prefix/include/jackdaw/conform.h" | grep -v pkg-config >"$scratch/main.c"
ok "the header has a program" grep -q '^int main' "$scratch/main.c"
cd "$scratch" || exit 99
build() { # PROGRAM FLAGS...: the detector of examples/ is "mine" there
    program=$1
    shift
    # shellcheck disable=SC2046
    $JD_TEST_CC -std=c11 -Wall -Wextra -Werror "$@" -Djackdaw_detector=mine -o "$program" \
        $($pkg --cflags jackdaw-conform) main.c "$JD_TEST_SRCDIR/examples/detector.c" \
        $($pkg --libs jackdaw-conform)
}
ok "it builds" build right
exits 0 "a right detector is right" ./right
ok "with one round too" build wrong -DONE_ROUND
exits 1 "that is wrong" ./wrong
ok "the schedule is written" grep -q '^ranks=.*: enter ' out
ok "and the rule" grep -q '^rule O[12]: ' out

printf '#include <jackdaw/conform.h>\nint main() { return jd_conform_name_at(0) == nullptr; }\n' >cxx.cc
ok "the header is good C++" \
    sh -c "${CXX:-g++} -Wall -Wextra -Werror -c cxx.cc $($pkg --cflags jackdaw-conform)"
done_testing
