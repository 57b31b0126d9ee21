#!/bin/sh
# Print the manual page made from a NAME.SECTION.md:  man.sh FILE VERSION
#
# A first line "# name(section)" becomes the page's title and the other headings move up,
# so that the same file reads well as Markdown.
set -e
file=$1 version=$2
name=${file##*/}
name=${name%.md}
section=${name##*.}
name=${name%.*}
sed -e '1{/^# .*([0-9])/d;}' -e 's/^##/#/' "$file" |
    "${LOWDOWN:-lowdown}" -s -t man --out-no-smarty -M title="$(echo "$name" | tr '[:lower:]' '[:upper:]')" \
        -M section="$section" -M source="jackdaw $version" -M volume=Jackdaw
