#!/bin/sh
# Check for, and as root install, the Debian packages that Jackdaw is built with.
#
#     deps.sh [build|test|ci]
#
# build: what ./dev build needs; test: what ./dev test uses as well; ci: what .ci/run
# uses as well.  Status 1 if a package that is needed is missing and cannot be installed.
set -e
cd "$(dirname "$0")/../.."

needed="gcc g++ libc6-dev make autoconf automake pkg-config libhwloc-dev
    libboost-context-dev nettle-dev libxxhash-dev openmpi-bin libopenmpi-dev libucx-dev"
wanted="lowdown"
case ${1:-build} in
build) ;;
test) wanted="$wanted clang-format valgrind systemtap-sdt-dev libopenblas-pthread-dev" ;;
ci) wanted="$wanted clang clang-format xz-utils spin shellcheck valgrind systemtap-sdt-dev libopenblas-pthread-dev" ;;
*) echo "usage: deps.sh [build|test|ci]" >&2; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "deps.sh: this is not Debian; configure will say what is missing" >&2
    exit 0
fi

# A package is there if it, or one that provides it (pkgconf for pkg-config), is installed.
installed=" $(dpkg-query -W -f '${db:Status-Abbrev}|${Package} ${Provides}\n' 2>/dev/null |
    sed -n 's/^ii *|//p' | sed 's/([^)]*)//g; s/,/ /g' | tr '\n' ' ' | tr -s ' ') "
missing_of() {
    for package in $1; do
        case $installed in *" $package "*) ;; *) printf ' %s' "$package" ;; esac
    done
}
missing=$(missing_of "$needed")
optional=$(missing_of "$wanted")

if [ -z "$missing$optional" ]; then
    exit 0
fi
# Optional packages that could not be had are not asked for again and again.
tried=.deps/packages-tried
if [ -z "$missing" ] && [ "$(cat $tried 2>/dev/null)" = "$optional" ]; then
    exit 0
fi
if [ "$(id -u)" -ne 0 ]; then
    if [ -n "$missing" ]; then
        echo "deps.sh: missing packages:$missing" >&2
        echo "deps.sh: install them as root: apt-get install$missing" >&2
        exit 1
    fi
    # Without the optional ones only man pages or single tests are left out.
    exit 0
fi

install_packages() {
    DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Dpkg::Use-Pty=0 install \
        --no-install-recommends "$@"
}
mkdir -p .deps && echo "$optional" >$tried
echo "deps.sh: installing$missing$optional" >&2
if ! apt-get -q update; then
    echo "deps.sh: apt-get update failed; trying with the package lists of before" >&2
fi
# The lists are words to split.
# shellcheck disable=SC2086
try_all() { install_packages $missing $optional; }
# shellcheck disable=SC2086
try_needed() { install_packages $missing; }
# One by one, optional packages that this release does not have do no harm.
if ! try_all; then
    if [ -n "$missing" ] && ! try_needed; then
        echo "deps.sh: apt-get could not install:$missing" >&2
        exit 1
    fi
    for package in $optional; do
        install_packages "$package" || echo "deps.sh: going on without $package" >&2
    done
fi
