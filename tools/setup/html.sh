#!/bin/sh
# Print one page of HTML with all manual pages:  html.sh VERSION FILE.md...
#
# FILE is NAME.SECTION.md, whole: what calls.awk makes of the pages of calls.  The page has all in itself, and follows
# the browser in light and dark.  A name such as **jd_coll**(3) becomes a link to where it is.
set -e
version=$1
shift
cat <<EOT
<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Jackdaw $version: manual</title>
<style>
:root { color-scheme: light dark; --back: #fdfdfb; --text: #1c1e21; --soft: #5b6470; --line: #d9dce1; --code: #f1f2f4; --link: #0a58a8; }
@media (prefers-color-scheme: dark) {
  :root { --back: #16181b; --text: #dfe2e6; --soft: #99a2ae; --line: #33383f; --code: #1f2328; --link: #7db7f5; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.55 system-ui, sans-serif; display: flex; }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; flex: 0 0 15rem; padding: 1rem; border-right: 1px solid var(--line); font-size: .9rem; }
nav h2 { font-size: .8rem; margin: 1rem 0 .2rem; color: var(--soft); text-transform: uppercase; letter-spacing: .05em; }
nav a { display: block; padding: .05rem 0; text-decoration: none; overflow-wrap: anywhere; }
main { flex: 1 1 auto; min-width: 0; max-width: 56rem; padding: 1rem 2rem 6rem; }
a { color: var(--link); }
article { border-bottom: 1px solid var(--line); padding-bottom: 2rem; margin-bottom: 2rem; }
h1 { font-size: 1.6rem; } article > h2 { font-size: 1rem; color: var(--soft); letter-spacing: .05em; margin: 1.8rem 0 .4rem; }
h3 { font-size: 1.05rem; margin: 1.4rem 0 .3rem; overflow-wrap: anywhere; }
pre { background: var(--code); padding: .7rem .9rem; overflow-x: auto; border-radius: 4px; font-size: .85rem; line-height: 1.45; }
code { font-family: ui-monospace, monospace; } dt { font-weight: 600; margin-top: .5rem; } dd { margin-left: 1.5rem; } dd p { margin: .2rem 0; }
table { border-collapse: collapse; display: block; overflow-x: auto; } td, th { border: 1px solid var(--line); padding: .25rem .6rem; text-align: left; vertical-align: top; }
@media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; max-height: 40vh; border-right: 0; border-bottom: 1px solid var(--line); } main { padding: 1rem; } }
@media print { nav { display: none; } }
</style></head><body>
<nav aria-label="pages"><strong>Jackdaw $version</strong>
EOT
title() { page=${1##*/}; page=${page%.md}; echo "${page%.*}($(echo "$page" | sed 's/.*\.//'))"; }
links() { # TITLE SECTION FILE...
    echo "<h2>$1</h2>"
    for file in "$@"; do
        case $file in *."$2".md) page=${file##*/} page=${page%.md}; echo "<a href=\"#$page\">$(title "$file")</a>" ;; esac
    done
}
links "Concepts, settings" 7 "$@"
links "Calls" 3 "$@"
links "Programs" 1 "$@"
echo "</nav><main>"
pages=
for file in "$@"; do page=${file##*/}; pages="$pages ${page%.md}"; done
for section in 7 3 1; do
    for file in "$@"; do
        case $file in *."$section".md) ;; *) continue ;; esac
        page=${file##*/} page=${page%.md}
        echo "<article id=\"$page\">"
        # Headings of pages have the same words, so their anchors say the page.
        sed -E -e '/^    /!{' -e ':a' -e 's/^(([^`]*`[^`]*`)*[^`]*[A-Za-z0-9])_([A-Za-z0-9])/\1\\_\3/' -e 'ta' -e '}' "$file" |
            "${LOWDOWN:-lowdown}" -t html --html-no-skiphtml --out-no-smarty 2>/dev/null |
            sed -E "s/<h([1-6]) id=\"[^\"]*\">/<h\1>/; s/<h3>(jd_[a-z0-9_]+)/<h3 id=\"\1\">\1/" |
            sed -E "s|<strong>([a-z][A-Za-z_-]*)</strong>\(([1-9])\)|<a href=\"#\1.\2\">\1(\2)</a>|g"
        echo "</article>"
    done
done | awk -v pages="$pages" '
    # A link leads to a page that is here; the page of a call is that of its topic.
    BEGIN { n = split(pages, p, " "); for (i = 1; i <= n; i++) here[p[i]] = 1 }
    { line = $0; out = ""
      while (match(line, /<a href="#[a-z_-]+\.[1-9]">[^<]*<\/a>/)) {
          link = substr(line, RSTART, RLENGTH); name = link
          sub(/^<a href="#/, "", name); sub(/".*/, "", name)
          if (!(name in here)) { sub(/^<a [^>]*>/, "", link); sub(/<\/a>$/, "", link) }
          out = out substr(line, 1, RSTART - 1) link
          line = substr(line, RSTART + RLENGTH)
      }
      print out line }'
echo "</main></body></html>"
