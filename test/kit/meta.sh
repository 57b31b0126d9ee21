# meta.sh - what the tests of the source tree share.  To be sourced after tap.sh, by a test
# that defines violations(), which prints one line for each fault of the tree in ".".
#
#     tree_is_clean NAME                 no violation in the project
#     planted_is_found NAME PATTERN      a violation matching PATTERN in $planted, where
#                                        the test has made a small bad tree
#
# With JD_TEST_LIST=1 the test prints the violations of the project, and no more.
# shellcheck shell=sh

planted=$scratch/planted
mkdir -p "$planted"

# The files of the tree that people write, "./" before each name; build results are left out.
files() {
    find . \( -name .git -o -name .deps -o -path './build*' -o -path ./_build -o -path ./_inst \
        -o -name autom4te.cache -o -path './jackdaw-[0-9]*' \) -prune -o -type f \
        ! -path './tools/setup/conduit-*.am' ! -name 'configure*~' ! -path ./configure \
        ! -path ./aclocal.m4 ! -path ./Makefile.in ! -path './config.h*' ! -name '*.swp' \
        ! -name '*.o' ! -name '*.log' ! -name '*.trs' -print | sort
}
c_files() { files | grep -E '\.[ch]$'; }

tree_is_clean() {
    cd "$JD_TEST_SRCDIR" || bail_out "no source tree"
    if [ -n "${JD_TEST_LIST-}" ]; then
        violations
        exit
    fi
    tap_found=$(violations)
    is "$tap_found" "" "$1"
    cd "$scratch" || exit 99
}

planted_is_found() {
    cd "$planted" || exit 99
    like "$(violations)" "$2" "$1"
    cd "$scratch" || exit 99
}
