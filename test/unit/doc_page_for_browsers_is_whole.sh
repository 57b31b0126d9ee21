#!/bin/sh
# "make html" makes one page that needs nothing else: every link leads to something on it, every manual page and every call
# is on it, nothing is loaded from elsewhere, and no text of a page is taken for markup.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
[ "$JD_TEST_SANITIZER" = none ] || skip_all "the same without a sanitizer"
command -v "${LOWDOWN:-lowdown}" >/dev/null || skip_all "there is no lowdown"
page=$JD_TEST_BUILDDIR/doc/html/jackdaw.html
ok "make html" make -s -C "$JD_TEST_BUILDDIR" html

ids() { grep -oE ' id="[^"]*"' "$1" | sed 's/.*="//; s/"$//' | sort -u; }
lost_links() { # PAGE
    ids "$1" >"$scratch/ids"
    grep -oE 'href="#[^"]*"' "$1" | sed 's/.*#//; s/"$//' | sort -u | comm -23 - "$scratch/ids"
}
is "$(lost_links "$page")" "" "every link leads to something"
echo '<a href="#nowhere">' >"$scratch/wrong"
is "$(lost_links "$scratch/wrong")" nowhere "and one that does not is found"
is "$(grep -oE '(src|href)="[a-z]+:[^"]*"|@import|<script' "$page")" "" "nothing is loaded from elsewhere"
is "$(ls "$JD_TEST_SRCDIR"/doc/*.[17].md "$JD_TEST_SRCDIR"/doc/calls/*.3.md | sed 's:.*/::; s/\.md$//' | while read -r name; do
    grep -q "<article id=\"$name\">" "$page" || echo "$name"
done)" "" "every manual page is on it"
is "$(sed -n 's/^JD_PUBLIC.*[ *]\(jd_[a-z0-9_]*\)(.*/\1/p' "$JD_TEST_SRCDIR/include/jackdaw.h" | while read -r call; do
    grep -q "[ *]$call(" "$page" || echo "$call"
done)" "" "every call is"
for tag in article dl pre table main nav; do
    is "$(grep -oE "<${tag}[ >]" "$page" | wc -l)" "$(grep -o "</$tag>" "$page" | wc -l)" "each <$tag> ends"
done
# Markdown would take underscores for emphasis.
sed 's/<[^>]*>//g' "$page" >"$scratch/text"
is "$(cat "$JD_TEST_SRCDIR"/doc/*.[17].md "$JD_TEST_SRCDIR"/doc/calls/*.3.md | grep -oE '\b(jd|JD|JACKDAW)_[A-Za-z0-9_]*[A-Za-z0-9]' |
    sort -u | while read -r name; do grep -q "$name" "$scratch/text" || echo "$name"; done)" "" "every name is as it is"
ok "what looks like markup is text" grep -q '&#60;jackdaw.h&#62;' "$page"
done_testing
