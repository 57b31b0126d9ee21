#!/bin/sh
# Print the manual page made from a NAME.SECTION.md:  man.sh FILE VERSION
#
# A first line "# name(section)" becomes the page's title and the other headings move up,
# so that the same file reads well as Markdown.  Of a name such as jd_coll_add lowdown would take the
# underscores for emphasis, so outside of code they are escaped.
set -e
file=$1 version=$2
name=${file##*/}
name=${name%.md}
section=${name##*.}
name=${name%.*}
sed -E -e '1{/^# .*\([0-9]\)/d;}' -e 's/^##/#/' \
    -e '/^    /!{' -e ':a' -e 's/^(([^`]*`[^`]*`)*[^`]*[A-Za-z0-9])_([A-Za-z0-9])/\1\\_\3/' -e 'ta' -e '}' "$file" |
    "${LOWDOWN:-lowdown}" -s -t man --out-no-smarty -M title="$(echo "$name" | tr '[:lower:]' '[:upper:]')" \
        -M section="$section" -M source="jackdaw $version" -M volume=Jackdaw |
    # A name that is divided at the end of a line cannot be searched for.
    sed '/^\.TH/a\
.nh'
