#!/bin/sh
# Every call and every type of the header has its page in doc/calls/, and the page has a prototype of it, an example
# that uses it and prints something, ERRORS with each code that the comments in the header name, and SEE ALSO.
# Every error code is in doc/jackdaw.7.md with its value and its text, and every status with which a job ends.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/meta.sh"
calls=$JD_TEST_SRCDIR/tools/setup/calls.awk

section() { awk -v name="$2" '/^## / { here = $0 == "## " name } here' "$1"; }
names_of() { section "$1" NAME | sed '1d; s/ - .*//' | tr -s ', ' '\n\n' | grep -E '^(jd|JD)_'; }
codes() { grep -oE 'JD_E[A-Z]+' | sort -u; }

# A line each.
prototypes() {
    sed 's/^    //' | awk '!open && /^[a-z].*[ *]jd_[a-z0-9_]+\(/ && !/^typedef/ { open = 1; text = "" }
        open { text = text " " $0; if (/;/) { print text; open = 0 } }'
}

check_page() { # PAGE
    page=$1 name=${1##*/} name=${name%.3.md}
    awk -f "$calls" include/jackdaw.h "$page" >"$scratch/made"
    section "$scratch/made" SYNOPSIS | prototypes >"$scratch/prototypes"
    cat "$scratch/prototypes" >>"$scratch/all.c"
    section "$page" EXAMPLES >"$scratch/examples"
    [ "$(grep -c '^```' "$scratch/examples")" = 4 ] || echo "$page: EXAMPLES are a program and what it prints"
    section "$page" "SEE ALSO" | grep -q '([1-9])' || echo "$page: no SEE ALSO"
    grep -q "\*\*$name\*\*(3)" doc/jackdaw.7.md || echo "doc/jackdaw.7.md does not lead to $name(3)"
    grep -q "doc/calls/$name\.3\.md" Makefile.am || echo "$page: Makefile.am does not install it"
    names_of "$page" | grep -qx "$name" || echo "$page: NAME lacks $name itself"
    names_of "$page" | while read -r n; do
        grep -qE " $n\$" "$scratch/header" || { echo "$page: the header has no $n"; continue; }
        grep -q "^call $n\$" "$scratch/header" || continue
        grep -q "[ *]$n(" "$scratch/prototypes" || echo "$page: no prototype of $n"
        case $n in jd_case_about) continue ;; esac # what the other cases are made of
        grep -q "\b$n(" "$scratch/examples" || echo "$page: the example does not use $n"
    done
    awk -v what=text -f "$calls" include/jackdaw.h "$page" | codes >"$scratch/named"
    section "$page" ERRORS >"$scratch/errors"
    codes <"$scratch/errors" >"$scratch/told"
    comm -23 "$scratch/named" "$scratch/told" | sed "s,^,$page: ERRORS lacks ,"
    [ -s "$scratch/errors" ] || echo "$page: no ERRORS"
}

violations() {
    awk -v what=names -f "$calls" include/jackdaw.h >"$scratch/header"
    cat /dev/null doc/calls/*.3.md >/dev/null || echo "there are no pages"
    for page in doc/calls/*.3.md; do names_of "$page"; done | sort >"$scratch/paged"
    sed -n 's/^call //p; s/^type //p' "$scratch/header" | sort -u >"$scratch/wanted"
    comm -23 "$scratch/wanted" "$scratch/paged" | sed 's/$/ has no page/'
    uniq -d "$scratch/paged" | sed 's/$/ has two pages/'
    echo '#include "include/jackdaw.h"' >"$scratch/all.c"
    for page in doc/calls/*.3.md; do check_page "$page"; done
    # The compiler compares what the pages declare with what the header does.
    "${JD_TEST_CC:-cc}" -fsyntax-only -I. "$scratch/all.c" 2>&1 | grep 'error:' | sed 's/.*error:/a page and the header:/'
    sed -n 's/^ *X(\(JD_E[A-Z]*\), *\(-[0-9]*\), *\("[^"]*"\)).*/\1|\2|\3/p' include/jackdaw.h | while IFS='|' read -r code value text; do
        grep -qF "**$code** ($value, $text)" doc/jackdaw.7.md || echo "doc/jackdaw.7.md: no line **$code** ($value, $text)"
    done
    sed -n 's/^ *JDI_EXIT_[A-Z_]* = \([0-9]*\).*/\1/p' core/log.h | while read -r status; do
        grep -q "^| $status | " doc/jackdaw.7.md || echo "doc/jackdaw.7.md: no row of status $status"
    done
}

tree_is_clean "every call, type and error code has its page"
mkdir -p "$planted/include" "$planted/doc/calls" "$planted/core"
touch "$planted/Makefile.am"
echo "    JDI_EXIT_ODD = 99," >"$planted/core/log.h"
cat >"$planted/include/jackdaw.h" <<'C'
#define ODD(X) \\
    X(JD_EODD, -99, "odd")
#define JD_PUBLIC
#define JD_MUST_CHECK
typedef int jd_self;

/* The first; JD_EODD: it is odd. */
JD_PUBLIC int jd_first(jd_self *me,
                       int x) JD_MUST_CHECK;

/* The second. */
JD_PUBLIC void jd_second(void);
C
cat >"$planted/doc/calls/jd_first.3.md" <<'M'
## NAME

jd_first, jd_third - numbers

## ERRORS

None.

## EXAMPLES

    jd_second();
M
echo "**JD_EODD** (-98, \"odd\")" >"$planted/doc/jackdaw.7.md"
planted_is_found "a call without a page is found" '^jd_second has no page'
planted_is_found "a page of no call is found" 'jd_first.3.md: the header has no jd_third'
planted_is_found "a call without an example is found" 'jd_first.3.md: the example does not use jd_first'
planted_is_found "a page without a program is found" 'jd_first.3.md: EXAMPLES are a program'
planted_is_found "a code that ERRORS lacks is found" 'jd_first.3.md: ERRORS lacks JD_EODD'
planted_is_found "a page that leads nowhere is found" 'jd_first.3.md: no SEE ALSO'
planted_is_found "a page that nobody leads to is found" '7.md does not lead to jd_first\(3\)'
planted_is_found "a page that is not installed is found" 'jd_first.3.md: Makefile.am does not install it'
planted_is_found "a code with another value is found" 'no line .*JD_EODD.* \(-99, "odd"\)'
planted_is_found "a status without a row is found" 'no row of status 99'
sed 's/sub(.^JD_PUBLIC ., "", line)/sub(\/^JD_PUBLIC int\/, "long", line)/' "$calls" >"$scratch/wrong.awk"
calls=$scratch/wrong.awk
planted_is_found "a prototype that differs is found" 'a page and the header: conflicting types for .jd_first'
done_testing
