#!/bin/sh
# The head of jackdaw.h names the calls that do not take `me` first: all of them, and no other.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/meta.sh"

# The prototypes, one to a line, without directives and comments.
prototypes() {
    sed '/^#/d' include/jackdaw.h | tr '\n' ' ' | awk '{
        while ((from = index($0, "/*")) > 0) {
            rest = substr($0, from)
            $0 = substr($0, 1, from - 1) substr(rest, index(rest, "*/") + 2)
        }
        print
    }' | grep -o 'JD_PUBLIC[^;]*;'
}

violations() {
    prototypes | grep -vE '\((const )?jd_self \*me[,)]' | grep -oE '\bjd_[a-z_0-9]+\(' |
        tr -d '(' | sort -u >"$scratch/without"
    sed 's/^ \* //' include/jackdaw.h | tr '\n' ' ' | grep -oE 'Without it are only [^.;]*' |
        grep -oE '\bjd_[a-z_0-9]+' | sort -u >"$scratch/named"
    [ -n "$(prototypes)" ] || echo "include/jackdaw.h: no prototype found"
    comm -23 "$scratch/without" "$scratch/named" | sed 's/$/ has no me, and the head does not say so/'
    comm -13 "$scratch/without" "$scratch/named" | sed 's/$/ is said to have no me, but has it/'
}

tree_is_clean "the head of jackdaw.h names exactly the calls without me"
mkdir -p "$planted/include"
cat >"$planted/include/jackdaw.h" <<'END'
/*
 * Every call takes `me` first.  Without it are
 * only jd_two; jd_three takes NULL too.
 */
JD_PUBLIC int jd_one(int a); /* jd_self *me */
/* JD_PUBLIC int jd_none(void); */
JD_PUBLIC int jd_two(const jd_self *me,
                     int a);
JD_PUBLIC int jd_three(jd_self *me);
END
planted_is_found "a call without me that is not named is found" '^jd_one has no me'
planted_is_found "a call with me that is named is found" '^jd_two is said to have no me'
is "$(cd "$planted" && violations | grep -cE 'jd_(none|three)')" 0 "and no other"
done_testing
