#!/bin/sh
# Obtain GASNet-EX and print the directory for configure's --with-gasnet.
#
# The system's libgasnet-dev is taken if it is installed (prints /usr).  Else Debian's
# newest packages are unpacked into .deps/gasnet, by apt from the machine's own mirror:
# nothing of the system is changed, and the mirror's address is not kept.
set -e
cd "$(dirname "$0")/../.."
deps=$PWD/.deps
gasnet=$deps/gasnet

say() { echo "gasnet.sh: $*" >&2; }

if dpkg-query -W -f '${db:Status-Abbrev}' libgasnet-dev 2>/dev/null | grep -q '^ii'; then
    echo /usr
    exit 0
fi
if [ -f "$gasnet/complete" ]; then
    echo "$gasnet/usr"
    exit 0
fi
for tool in apt-get dpkg-deb; do
    if ! command -v $tool >/dev/null 2>&1; then
        say "GASNet-EX is not here and there is no $tool to get Debian's;"
        say "install GASNet-EX (seq, static) and configure with --with-gasnet=DIR"
        exit 1
    fi
done

# The mirror of this Debian release: neither its updates nor its security suite.
mirror_of_system() {
    # shellcheck disable=SC2016
    apt-get indextargets --format '$(REPO_URI)|$(LABEL)|$(CODENAME)' |
        awk -F'|' '$2 == "Debian" && $3 !~ /-(updates|security|backports)/ { print $1; exit }'
}
mirror=$(mirror_of_system)
if [ -z "$mirror" ] && [ "$(id -u)" -eq 0 ]; then
    apt-get -q update >&2 || true
    mirror=$(mirror_of_system)
fi
if [ -z "$mirror" ]; then
    say "apt knows no Debian mirror yet; as root: apt-get update"
    exit 1
fi
for keyring in /usr/share/keyrings/debian-archive-keyring.gpg \
    /usr/share/keyrings/debian-archive-keyring.pgp; do
    [ -f "$keyring" ] && break
done
if [ ! -f "$keyring" ]; then
    say "Debian's keyring is missing; as root: apt-get install debian-archive-keyring"
    exit 1
fi

apt=$deps/apt
work=$deps/gasnet.new
rm -rf "$apt" "$work" "$gasnet"
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/parts" "$work/debs"
# The addresses live only as long as this script runs.
trap 'rm -rf "$apt" "$work"' EXIT
trap 'exit 1' HUP INT TERM

apt_here() {
    apt-get -q -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts="$apt/parts" \
        -o Dir::State="$apt" -o Dir::State::status=/var/lib/dpkg/status \
        -o Dir::Cache="$apt/cache" -o APT::Sandbox::User= -o Acquire::Languages=none \
        -o Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled=false "$@"
}
download() { # SUITE [apt's options]
    echo "deb [signed-by=$keyring] $mirror $1 main" >"$apt/sources.list"
    shift
    apt_here "$@" update >"$apt/log" 2>&1 &&
        (cd "$work/debs" && apt_here download libgasnet-dev gasnet) >>"$apt/log" 2>&1
}
found=
for suite in forky sid; do
    say "looking into Debian's $suite"
    if download $suite; then
        found=$suite
        break
    fi
    # A mirror that is not kept up to date is still signed: it has older packages, no others.
    if grep -q 'is expired' "$apt/log" && say "the mirror is out of date; going on" &&
        download $suite -o Acquire::Check-Valid-Until=false; then
        found=$suite
        break
    fi
    sed -n 's/^[EW]:/gasnet.sh: apt:/p' "$apt/log" | head -5 >&2
done
if [ -z "$found" ]; then
    say "the mirror that apt uses offers no libgasnet-dev in forky or sid;"
    say "install GASNet-EX (seq, static) and configure with --with-gasnet=DIR"
    exit 1
fi
for deb in "$work"/debs/*.deb; do
    dpkg-deb -x "$deb" "$work"
done

# gasnetrun_* look for their perl scripts beside themselves; the package moved those.
for script in "$work"/usr/share/gasnet/*.pl; do
    ln -s "../share/gasnet/${script##*/}" "$work/usr/bin/${script##*/}"
done
ls "$work/debs" >"$work/complete"
rm -rf "$work/debs"
mv "$work" "$gasnet"
say "GASNet-EX from $found is in .deps/gasnet: $(tr '\n' ' ' <"$gasnet/complete")"
echo "$gasnet/usr"
