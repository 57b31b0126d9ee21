#!/bin/sh
# No file names the host of a package registry or mirror: such addresses are the
# machine's business and are asked of its tools when they are needed.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/meta.sh"

# A registry is known by what its host is called, or by being the one this machine uses.
words='deb|debs|apt|ftp|mirrors?|archive|snapshot|registry|packages|repo|pypi|crates|npmjs|rubygems'
hosts_of_apt=$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null |
    sed -n 's|^[a-z+]*://\([^/]*\)/.*|\1|p' | sort -u)

violations() {
    files | xargs grep -HnEI "(https?|ftp)://([a-z0-9-]+\.)*($words)\.[a-z]" | grep -v '/hosts_of_registries'
    for host in $hosts_of_apt; do
        files | xargs grep -HnFI "$host"
    done
}

tree_is_clean "no registry is named"
host=deb
echo "wget http://$host.example.org/pool" >"$planted/fetch.sh"
planted_is_found "a mirror is found" '^\./fetch\.sh:1:'
hosts_of_apt=some.host.example
echo "see some.host.example" >"$planted/README.md"
planted_is_found "the machine's own mirror is found" '^\./README\.md:1:'
done_testing
