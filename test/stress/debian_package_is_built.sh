#!/bin/sh
# debian/ makes source and binary packages of the tarball, lintian has nothing to say against them, and what
# they install is enough for a program.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
for tool in dpkg-buildpackage dh lintian dpkg-deb; do
    command -v $tool >/dev/null || skip_all "there is no $tool: apt-get install debhelper lintian"
done
[ -d "$JD_TEST_SRCDIR/debian" ] || skip_all "the tarball has no debian/"
[ "$JD_TEST_SANITIZER" = none ] || skip_all "packages have no sanitizer"

version=$(sed -n 's/^#define JD_VERSION *"\(.*\)"/\1/p' "$JD_TEST_SRCDIR/include/jackdaw.h")
ok "make dist" make -s -C "$JD_TEST_BUILDDIR" dist
cp "$JD_TEST_BUILDDIR/jackdaw-$version.tar.xz" "$scratch/jackdaw_$version.orig.tar.xz"
cd "$scratch" || exit 99
tar xf "jackdaw_$version.orig.tar.xz"
cp -r "$JD_TEST_SRCDIR/debian" "jackdaw-$version/"
cd "jackdaw-$version" || exit 99

# Where GASNet-EX is Debian's package, it is a build dependency like any other.
JACKDAW_GASNET=$(sed -n 's/^GASNET_PREFIX = //p' "$JD_TEST_BUILDDIR/Makefile")
export JACKDAW_GASNET
[ "$JACKDAW_GASNET" = /usr ] || DEB_BUILD_PROFILES=pkg.jackdaw.gasnet
DEB_BUILD_OPTIONS="nocheck parallel=$(getconf _NPROCESSORS_ONLN)"
export DEB_BUILD_PROFILES DEB_BUILD_OPTIONS
ok "dpkg-buildpackage" dpkg-buildpackage -us -uc
cd "$scratch" || exit 99
for package in jackdaw libjackdaw-dev jackdaw-doc; do
    ok "$package is there" sh -c "ls ${package}_${version}-*.deb"
done
# Two things that only who uploads it can give: an address of the maintainers, and the number of the request for a package.
ok "lintian is content" lintian --fail-on error,warning --allow-root \
    --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog,initial-upload-closes-no-bugs jackdaw_"$version"-*.changes

mkdir root
for package in ./*.deb; do dpkg-deb -x "$package" root; done
like "$(root/usr/bin/jackdaw-run --version)" "$version" "what is installed runs"
ok "calls have pages" test -e root/usr/share/man/man3/jd_future_get.3.gz
ok "the manual is there for browsers" test -s root/usr/share/doc/jackdaw/html/jackdaw.html
PKG_CONFIG_PATH=$(echo "$scratch"/root/usr/lib/*/pkgconfig) PKG_CONFIG_SYSROOT_DIR=$scratch/root
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
awk '/^```c queens.c/ { inside = 1; next } /^```/ { inside = 0 } inside' "$JD_TEST_SRCDIR/doc/tutorial.md" >queens.c
# shellcheck disable=SC2046 # words
ok "a program is built with the package" "$JD_TEST_CC" queens.c $(${PKG_CONFIG:-pkg-config} --cflags --libs jackdaw-smp) -o queens
is "$(root/usr/bin/jackdaw-run -n 2 ./queens 8)" "8 queens: 92 solutions" "and runs"
done_testing
