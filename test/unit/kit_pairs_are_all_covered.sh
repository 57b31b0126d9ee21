#!/bin/sh
# Every pair of values of two settings is in the combinations that every_pair tries, none that is
# forbidden, and they are few; JD_TEST_FULL=1 tries all.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

pairs() { awk -f "$JD_TEST_SRCDIR/test/kit/pairs.awk" "$@"; }

# in_lines <LINES: each pair of values in them, with their columns.
in_lines() {
    awk '{ for (i = 1; i <= NF; i++) for (j = i + 1; j <= NF; j++) print i, $i, j, $j }' | sort -u
}

# What pairs.awk does not make: loops, and a filter that says what is permitted.
product() {
    for ranks in 1 2 3 8; do for workers in 1 2 3; do for comm in inline dedicated; do
        for steal in half one; do for law in none lifo:9 hold:50; do
            echo "$ranks $workers $comm $steal $law"
        done; done
    done; done; done
}
permitted() { grep -vE '^1 . dedicated|^8 3 .* hold:50$'; }
settings="ranks=1,2,3,8 workers=1,2,3 comm=inline,dedicated steal=half,one law=none,lifo:9,hold:50"
forbidden="!ranks=1,comm=dedicated !law=hold:50,ranks=8,workers=3"

# shellcheck disable=SC2086 # $settings and $forbidden are words
{
    product | sort >"$scratch/product"
    pairs -v all=1000 -- $settings | sort >"$scratch/all"
    ok "all combinations" cmp "$scratch/product" "$scratch/all"
    product | permitted | sort >"$scratch/product"
    in_lines <"$scratch/product" >"$scratch/wanted"
    pairs -v all=1000 -- $settings $forbidden | sort >"$scratch/all"
    ok "all combinations but the forbidden ones" cmp "$scratch/product" "$scratch/all"
    for seed in 1 2 3 4 5 6; do
        pairs -v seed=$seed -- $settings $forbidden | sort >"$scratch/lines$seed"
        in_lines <"$scratch/lines$seed" >"$scratch/held"
        ok "seed $seed: every pair" diff "$scratch/wanted" "$scratch/held"
        is "$(comm -13 "$scratch/product" "$scratch/lines$seed")" "" "seed $seed: nothing forbidden"
        n=$(wc -l <"$scratch/lines$seed")
        ok "seed $seed: $n lines of $(wc -l <"$scratch/product")" test "$n" -ge 12 -a "$n" -le 16
    done
    pairs -v seed=2 -- $settings $forbidden | sort >"$scratch/again"
}
ok "the same seed, the same lines" cmp "$scratch/lines2" "$scratch/again"
ok "another seed, other lines" sh -c "! cmp -s '$scratch/lines1' '$scratch/lines2'"
# Otherwise the comparison above could not fail.
grep -v '^3 2' "$scratch/lines1" | in_lines >"$scratch/held"
is "$(diff "$scratch/wanted" "$scratch/held" | grep '^<.*1 3 2 2')" "< 1 3 2 2" "a missing pair is seen"

is "$(pairs -- a=1,2,3 '!a=2' | tr '\n' ' ')" "1 3 " "one setting alone: each value"
is "$(pairs -- a=1,2 b=1,2 '!a=1,b=2' '!a=2,b=1' | sort | tr '\n' ' ')" "1 1 2 2 " "two that go together"
n=$(pairs -- a=1,2,3,4,5,6,7,8 b=1,2,3,4,5 c=1,2,3,4 d=1,2,3,4 e=1,2,3 f=1,2 g=1,2 h=1,2 | wc -l)
ok "of 15360 combinations $n, where 40 are the least" test "$n" -ge 40 -a "$n" -le 44

n=$(pairs -v all=15359 -- a=1,2,3,4,5,6,7,8 b=1,2,3,4,5 c=1,2,3,4 d=1,2,3,4 e=1,2,3 f=1,2 g=1,2 h=1,2 | wc -l)
ok "all are too many: $n" test "$n" -le 44
# A value of three parts costs no more lines than another; they take turns.
shape="b=1,2,3 c=1,2,3,4 d=1,2"
# shellcheck disable=SC2086 # words
{
    pairs -- "a=p|q|r,s" $shape >"$scratch/parts"
    sed 's/^[pqr] /p|q|r /' "$scratch/parts" >"$scratch/whole"
    pairs -- "a=P,s" $shape | sed 's/^P /p|q|r /' >"$scratch/wanted"
    ok "parts of a value: the lines of one value" cmp "$scratch/wanted" "$scratch/whole"
    is "$(sed -n 's/^\([pqr]\) .*/\1/p' "$scratch/parts" | head -6 | tr -d '\n')" pqrpqr "in turn"
    pairs -v all=100 -- "a=p|q|r,s" $shape | sort >"$scratch/all"
    pairs -v all=100 -- a=p,q,r,s $shape | sort >"$scratch/wanted"
    ok "all combinations have all parts" cmp "$scratch/wanted" "$scratch/all"
}
is "$(pairs -v all=9 -- 'A_KNOB=1|2,' x=3 | sort | tr '\n' ',')" "3,A_KNOB=1 3,A_KNOB=2 3," \
    "parts of a setting of the environment"
is "$(pairs -- x=1,2 A_KNOB=,9 | sort | tr '\n' ',')" "1,1 A_KNOB=9,2,2 A_KNOB=9," \
    "settings of the environment have their names, empty ones are left away"

refused() { # TEXT ARGUMENT...
    refused_text=$1
    shift
    exits 2 "refused: $*" pairs -- "$@"
    like "$(cat "$scratch/out")" "$refused_text" "and why is said"
}
refused 'no setting'
refused "'a' is not NAME=VALUE" a
refused "'a=' has no value" a=
refused 'has an empty value, or one twice' a=1,1
refused 'has an empty value, or one twice' a=1,,2
refused "there are two 'a'" a=1 a=2
refused 'has an empty part' 'a=p||q'
refused 'a combination without any word' A=,1 B=,2
refused "'b=1' of '!a=1,b=1' is no value" a=1 '!a=1,b=1'
refused "'a=2' of '!a=2' is no value" a=1 '!a=2'
refused 'every combination is forbidden' a=1 '!a=1'

# every_pair inside of every_pair, with a command that would read what it should not.
inner() { tried="$tried $outer$1$(cat)"; }
outer() {
    outer=$1$2
    every_pair inner x=p,q
}
tried=
every_pair outer a=1,2 b=3,4
is "$(printf '%s\n' "$tried" | tr ' ' '\n' | sort | tr '\n' ' ')" " 13p 13q 14p 14q 23p 23q 24p 24q " \
    "every_pair hands the values on"
count() { n=$((n + 1)); }
n=0
every_pair count a=1,2,3 b=1,2,3 c=1,2,3
ok "$n combinations of 27" test $n -ge 9 -a $n -le 11
cat >"$scratch/inner.sh" <<'S'
. "$JD_TEST_SRCDIR/test/kit/tap.sh"
job() { pass "$*"; }
every_pair_on_networks job ranks=1,2 workers=1,2 '!network=udp,ranks=2' '!network=mpi,ranks=2'
done_testing
S
ok "networks are a setting" env JD_TEST_CONDUITS="smp udp ucx" sh "$scratch/inner.sh"
is "$(sed -n 's/^ok .* - //p' "$scratch/.out" | cut -d' ' -f1,2 | sort -u | tr '\n' ' ')" \
    "smp 1 smp 2 ucx 1 ucx 2 udp 1 " "but one that is not built, and forbidden ones"
n=0
JD_TEST_FULL=1
every_pair count a=1,2,3 b=1,2,3 c=1,2,3
is $n 27 "JD_TEST_FULL=1 tries all of them"
cat >"$scratch/inner.sh" <<'S'
. "$JD_TEST_SRCDIR/test/kit/tap.sh"
pass "one"
every_pair pass a=
done_testing
S
exits 255 "settings that cannot be meant end the test" sh "$scratch/inner.sh"
done_testing
