#!/bin/sh
# What runs aside is told as if it had run here: its failures too, and that it broke off.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

# The first two wait for the third, so all run at one time.
cat >"$scratch/inner.sh" <<'END'
. "$JD_TEST_SRCDIR/test/kit/tap.sh"
flag=$scratch/flag
waiting() { ok "first of $1" true; until [ -e "$flag" ]; do :; done; ok "second of $1" "$2"; }
releasing() { : >"$flag"; is x y "aside"; }
broken() { ok "before" true; exit 0; }
ok "one here" true
aside waiting a false
aside waiting b true
aside releasing
aside broken
joined
aside releasing
joined
ok "last here" true
done_testing
END
exits 1 "a failure aside is a failure" sh "$scratch/inner.sh"
grep -E '^(ok|not ok|1\.\.)' "$scratch/out" >"$scratch/told"
cat >"$scratch/wanted" <<'END'
ok 1 - one here
ok 2 - first of a
not ok 3 - second of a
ok 4 - first of b
ok 5 - second of b
not ok 6 - aside
ok 7 - before
not ok 8 - what ran aside came to its end
not ok 9 - aside
ok 10 - last here
1..10
END
ok "all are told, in order" diff "$scratch/wanted" "$scratch/told"
done_testing
