#!/bin/sh
# Every command of doc/tutorial.md, in its order, in an empty directory: files are written as they are shown, and after each
# block of commands comes what is shown there; "..." stands for anything.  What is built and installed is this build; with
# TUTORIAL_CLONE=1, as check-long has it, a fresh clone of the repository, by the tutorial's own commands.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
[ "$JD_TEST_SANITIZER" = none ] || skip_all "the .pc files do not speak of sanitizers"
for network in smp udp; do has_conduit $network || skip_all "$network was not built"; done

# Blocks as files: NUMBER.sh, NUMBER.text, NUMBER.file with the name of the file in its first line.
mkdir "$scratch/blocks" "$scratch/home" "$scratch/work"
awk -v to="$scratch/blocks/" '
    /^```/ && inside { inside = 0; close(file); next }
    /^```(sh|text|c) *[a-z.]*$/ { inside = 1; kind = substr($1, 4); n++
        file = sprintf("%s%03d.%s", to, n, kind == "c" ? "file" : kind)
        printf "%s", kind == "c" ? $2 "\n" : "" >file; next }
    /^```/ { print "a block of another kind: " $0 | "cat >&2"; exit 1 }
    inside { print >file }' "$JD_TEST_SRCDIR/doc/tutorial.md" || bail_out "the tutorial has blocks that nobody runs"

shows() { # TEXT-FILE: what the last commands printed is that
    awk -v said="$1" '
        function squeezed(file,    line, text) {
            while ((getline line <file) > 0) { gsub(/[ \t]+/, " ", line); text = text line "\n" }
            return text
        }
        BEGIN {
            want = squeezed(said); got = squeezed(ARGV[1])
            # Piece by piece: each is found behind the one before it, the first at the beginning.
            n = split(want, piece, /\.\.\./)
            for (i = 1; i <= n; i++) {
                at = index(got, piece[i])
                # What stands behind the last "..." is the end.
                if (i == n && n > 1 && length(got) >= length(piece[i])) {
                    at = length(got) - length(piece[i]) + 1
                    if (substr(got, at) != piece[i]) at = 0
                }
                if (!at || i == 1 && at != 1) { print "not found: " piece[i]; exit 1 }
                got = substr(got, at + length(piece[i]))
            }
            exit got != ""
        }' "$scratch/said" || { cat "$scratch/said"; return 1; }
}

install() {
    if [ "${TUTORIAL_CLONE-}" = 1 ]; then
        git clone -q "$JD_TEST_SRCDIR" "$scratch/clone" && cd "$scratch/clone" && . "$1"
    else
        make -s -C "$JD_TEST_BUILDDIR" install prefix="$HOME/jackdaw"
    fi
}

HOME=$scratch/home
export HOME
cd "$scratch/work" || exit 99
first=yes
for block in "$scratch"/blocks/*; do
    number=${block##*/} number=${number%%.*}
    case $block in
    *.file) sed 1d "$block" >"$(head -n 1 "$block")" ;;
    *.text) ok "block $number: that is shown" shows "$block" ;;
    *.sh)
        status=0
        if [ -n "$first" ]; then
            (install "$block") >"$scratch/said" 2>&1 || status=$?
            first=
        else
            . "$block" >"$scratch/said" 2>&1 || status=$?
        fi
        is $status 0 "block $number: $(head -n 1 "$block")"
        [ $status -eq 0 ] || sed 's/^/# /' "$scratch/said" ;;
    esac
done
ok "the report is a page" grep -q '</html>' queens.html
like "$(find "$scratch/blocks" -name '*.sh' | wc -l)" '^ *[0-9][0-9]$' "there were ten blocks of commands or more"
done_testing
