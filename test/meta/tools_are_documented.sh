#!/bin/sh
# Every program that is installed has a page of section 1, each page of sections 1 and 7 has what a reader looks for, and
# the pages name each other.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/meta.sh"

violations() {
    {
        sed -n 's,^bin_PROGRAMS += tools/,,p; s,^dist_bin_SCRIPTS = tools/,,p' Makefile.am
        echo jackdaw-uts # examples/uts, which is installed for each network
    } | while read -r tool; do
        [ -f "doc/$tool.1.md" ] || echo "$tool has no page doc/$tool.1.md"
        grep -q "doc/$tool.1.md" Makefile.am || echo "$tool: its page is not installed"
        grep -q "\*\*$tool\*\*(1)" doc/jackdaw.7.md || echo "jackdaw(7) does not lead to $tool(1)"
        case $tool in jackdaw-uts) tool=uts ;; esac
        grep -qw -e "$tool" tools/completion.bash || echo "tools/completion.bash does not complete $tool"
        grep -qw -e "$tool" tools/completion.zsh || echo "tools/completion.zsh does not complete $tool"
    done
    for page in doc/*.[17].md; do
        for section in NAME EXAMPLES "SEE ALSO"; do
            grep -qx "## $section" "$page" || echo "$page has no $section"
        done
        case $page in
        *.1.md)
            for section in SYNOPSIS "EXIT STATUS" ERRORS; do
                grep -qx "## $section" "$page" || echo "$page has no $section"
            done ;;
        esac
    done
}

tree_is_clean "programs have pages, and these all that belongs there"
mkdir -p "$planted/doc" "$planted/tools"
echo 'bin_PROGRAMS += tools/jackdaw-odd' >"$planted/Makefile.am"
printf '## NAME\n\n## SYNOPSIS\n' >"$planted/doc/jackdaw-even.1.md"
touch "$planted/doc/jackdaw.7.md" "$planted/tools/completion.bash" "$planted/tools/completion.zsh"
planted_is_found "a program without a page is found" '^jackdaw-odd has no page'
planted_is_found "one that nobody leads to is found" 'does not lead to jackdaw-odd\(1\)'
planted_is_found "one that is not completed is found" 'completion.zsh does not complete jackdaw-odd'
planted_is_found "a page without examples is found" '^doc/jackdaw-even.1.md has no EXAMPLES'
planted_is_found "a page without errors is found" '^doc/jackdaw-even.1.md has no ERRORS'
done_testing
