# calls.awk - a manual page of calls, from the header and what is written by hand:
#
#     awk -f calls.awk include/jackdaw.h doc/calls/jd_coll.3.md
#
# Prints Markdown.  The page's NAME section lists calls and types.  Behind that section come SYNOPSIS and DESCRIPTION,
# which are the declarations of these in the header, and the comments that stand there: so they cannot
# differ from the header.  With -v what=names it prints what the header declares, a line each: kind and name; with
# -v what=text the comments that belong to the page.  Outside of code an underscore inside of a word is escaped, because lowdown
# would take it for emphasis, and fenced blocks become indented ones.

function flush_item(    i) {
    if (code == "") return
    n_items++
    comment_of[n_items] = comment
    code_of[n_items] = code
    heading_of[n_items] = declared
    comment = code = declared = ""
    comment_used = 0
}

function declare(kind, name) {
    if (what == "names") print kind, name
    declared = declared (declared == "" ? "" : " ") name
    item_of[name] = n_items + 1
}

# What a line at the left margin declares.
function look(line,    name) {
    if (line ~ /^(JD_PUBLIC|static inline) /) {
        name = line
        sub(/\(.*/, "", name)
        sub(/.*[ *]/, "", name)
        declare("call", name)
    } else if (match(line, /^typedef .*\(\*jd_[a-z_]+\)/)) {
        name = line
        sub(/.*\(\*/, "", name); sub(/\).*/, "", name)
        declare("type", name)
    } else if (line ~ /^(typedef .* |} )jd_[a-z0-9_]+;/) {
        name = line
        sub(/;.*/, "", name); sub(/.* /, "", name)
        declare("type", name)
    } else if (line ~ /^enum jd_[a-z_]+ /) {
        split(line, word, " ")
        declare("type", word[2])
    } else if (line ~ /^#define JD_[A-Z]/) {
        split(line, word, /[ (]/)
        declare("macro", word[2])
    }
}

# ---- the header ------------------------------------------------------------------------
FNR == 1 { file++ }
file == 1 && /^\/\* clang-format/ { next }
file == 1 && (/^\/\* ----/ || /^#ifdef __cplusplus/) { flush_item(); comment = ""; next }
file == 1 && /^\/\*/ { if (code != "") flush_item(); inside = 1; sub(/^\/\* ?/, ""); begun = 1 }
file == 1 && inside {
    line = $0
    if (line ~ /\*\/ *$/) { inside = 0; sub(/ *\*\/ *$/, "", line) }
    if (!begun) sub(/^ \* ?/, "", line)
    begun = 0
    comment = comment line "\n"
    if (!inside) comment = comment "\n"
    next
}
file == 1 && (/^#(define JD_ERROR_ENUM|undef|if|else|endif|include)/ || /^ +__attribute__/) { next }
file == 1 && /^ +;$/ { sub(/\n$/, ";\n", code); next }
file == 1 && $0 == "" { apart = 1; next }
file == 1 {
    # What stands apart and has no comment is an item, too.
    if (apart && comment_used) flush_item()
    apart = 0
    comment_used = 1
    look($0)
    # Of an inline call, what one calls is enough.
    if ($0 ~ /^static inline/) in_body = 1
    if (in_body == 2) { if ($0 ~ /^}/) in_body = 0; next }
    if (in_body && $0 ~ /^{/) { sub(/\n$/, ";\n", code); in_body = 2; next }
    line = $0
    # What goes at the left goes from the lines below, too.
    if (line !~ /^ /) outdent = ""
    if (sub(/^JD_PUBLIC /, "", line)) outdent = "          "
    if (sub(/^static inline /, "", line)) outdent = "              "
    if (outdent != "" && index(line, outdent) == 1) line = substr(line, length(outdent) + 1)
    sub(/ *JD_MUST_CHECK;/, ";", line)
    sub(/ JD_NORETURN$/, "", line)
    code = code line "\n"
}
file == 1 { next }

# ---- the page --------------------------------------------------------------------------
function escape(line,    out, parts, n, i) {
    n = split(line, parts, "`")
    out = ""
    for (i = 1; i <= n; i++) {
        if (i % 2) {
            gsub(/\\_/, "_", parts[i])
            while (match(parts[i], /[A-Za-z0-9]_[A-Za-z0-9<*]/)) {
                out = out substr(parts[i], 1, RSTART) "\\_"
                parts[i] = substr(parts[i], RSTART + 2)
            }
        }
        out = out parts[i] (i < n ? "`" : "")
    }
    return out
}

# A comment: prose, and code that is indented, which Markdown wants apart.
function prose(text,    n, lines, i, was, is) {
    n = split(text, lines, "\n")
    was = "blank"
    for (i = 1; i <= n; i++) {
        is = lines[i] == "" ? "blank" : lines[i] ~ /^    / ? "code" : "text"
        if (is != "blank" && was != "blank" && is != was) print ""
        if (is == "text") { gsub(/[*<]/, "\\\\&", lines[i]); lines[i] = escape(lines[i]) }
        print lines[i]
        was = is
    }
}

function from_header(    i, n, names, k, lines, heads) {
    flush_item()
    n = split(name_section, names, /[ ,]+/)
    for (k = 1; k <= n; k++)
        if (names[k] in item_of) wanted[item_of[names[k]]] = 1
    if (what == "text") {
        for (i = 1; i <= n_items; i++) if (i in wanted) print comment_of[i]
        return
    }
    print "## SYNOPSIS\n\n    #include <jackdaw.h>\n"
    for (i = 1; i <= n_items; i++) if (i in wanted) {
        n = split(code_of[i], lines, "\n")
        for (k = 1; k < n; k++) print "    " lines[k]
        print ""
    }
    print "## DESCRIPTION\n"
    for (i = 1; i <= n_items; i++) if (i in wanted && comment_of[i] != "") {
        n = split(heading_of[i], heads, " ")
        printf "### "
        for (k = 1; k <= n; k++) printf "%s%s", (k > 1 ? ", " : ""), escape(heads[k])
        print "\n"
        prose(comment_of[i])
    }
}

what == "names" { next }
/^## / && in_name { in_name = 0; from_header() }
/^## NAME/ { in_name = 1 }
in_name && !/^#/ { name_section = name_section " " $0 }
what == "text" { next }
/^```/ { fenced = !fenced; next }
{ print fenced ? ($0 == "" ? "" : "    " $0) : /^    / ? $0 : escape($0) }
END { if (what == "names") flush_item() }
