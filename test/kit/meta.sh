# meta.sh - what the tests of the source tree share.  To be sourced after tap.sh, by a test
# that defines violations(), which prints one line for each fault of the tree in ".".
#
#     tree_is_clean NAME                 no violation in the project, or in $project if that is set
#     planted_is_found NAME PATTERN      a violation matching PATTERN in $planted, where
#                                        the test has made a small bad tree
#     read_objects DIRECTORY             what nm says of the libraries that the build directory has,
#                                        in DIRECTORY/<network>.nm and DIRECTORY/conform.nm
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
    cd "${project:-$JD_TEST_SRCDIR}" || bail_out "no source tree"
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

# A result, too: an object that nobody looks at could do what it likes.  What needs a foreign library
# is built where that is found.
read_objects() {
    mkdir -p "$1"
    make -s -C "$JD_TEST_BUILDDIR" library-objects >"$scratch/made" || bail_out "no list of objects"
    # The makefile itself may have been made anew, which tells of itself.
    grep '^[a-z]* [^ ]*\.o ' "$scratch/made" >"$scratch/objects"
    while read -r tap_name tap_objects; do
        # shellcheck disable=SC2086 # words
        (cd "$JD_TEST_BUILDDIR" && nm -P -A $tap_objects) >"$1/$tap_name.nm" ||
            bail_out "nm cannot read the objects of $tap_name"
    done <"$scratch/objects"
    tr ' ' '\n' <"$scratch/objects" | sed -n 's/lib[a-z_]*_a-//; s/\.o$/.c/p' | sort -u >"$scratch/compiled"
    tap_found=$(cd "$JD_TEST_SRCDIR" && c_files | sed 's|^\./||' |
        grep -E '^(core|am|termination|sched|conform)/.*\.c$' | grep -vFx -f "$scratch/compiled" |
        grep -vE '^(am/gasnet/|core/ult/argobots\.c)')
    [ -n "${JD_TEST_LIST-}" ] || is "$tap_found" "" "every source file of a library has an object"
}
