#!/bin/sh
# A path that a comment or a document cites exists.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/meta.sh"

# Words with a known folder before a slash are paths; a * in them is a pattern.
folders='core|am|termination|sched|conform|include|examples|test|bench|doc|tools|m4|\.ci'
violations() {
    { c_files; files | grep -E '\.(md|def|am|ac|m4|sh)$|/dev$|/\.ci/run$' | grep -v '^\./test/meta/'; } |
        xargs grep -noE "(^|[^a-zA-Z0-9_./<>\${}-])($folders)/[a-zA-Z0-9_./*-]*" /dev/null |
        sed -E "s/^([^:]*:[0-9]*:)[^a-z.]?(.*)/\1\2/" | sed -E 's/[.,:;-]*$//' |
        while IFS=: read -r file line path; do
            case $path in
            build/* | */build/* | *.a | *.o | *.so) continue ;;
            # A * at the end of a sentence ("test/unit/core_idle_*") or inside is a pattern.
            *\**) set -- $path ;;
            */*) case ${path##*/} in
                *.*) set -- "$path" ;;
                '') set -- "$path" ;;
                *) continue ;; # examples/uts: a program, which no source tree has
                esac ;;
            esac
            [ -e "$1" ] || echo "$file:$line: $path does not exist"
        done
    # Names of documents in the project's root.
    { c_files; files | grep -E '\.md$'; } | xargs grep -noE '\b[A-Z]{4,}\.md\b' /dev/null |
        while IFS=: read -r file line name; do
            [ -e "$name" ] || [ -e "${file%/*}/$name" ] || echo "$file:$line: $name does not exist"
        done
}

tree_is_clean "cited paths exist"
mkdir -p "$planted/core" "$planted/test/unit"
cat >"$planted/core/a.c" <<'C'
/* See: core/a.c, test/unit/core_a_*, core/gone.h, doc/nothing_*. */
C
touch "$planted/test/unit/core_a_works.c"
echo 'as MISSING.md says, and (core/lost.c)' >"$planted/README.md"
planted_is_found "a missing file is found" '^\./core/a\.c:1: core/gone\.h does not exist'
planted_is_found "a pattern that matches nothing is found" '^\./core/a\.c:1: doc/nothing_\* '
planted_is_found "a missing document is found" '^\./README\.md:1: MISSING\.md '
planted_is_found "a path in brackets is found" '^\./README\.md:1: core/lost\.c '
cd "$planted" && is "$(violations | wc -l)" 4 "what exists is not"
done_testing
