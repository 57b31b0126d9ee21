#!/bin/sh
# chromium shows a page of jackdaw-report without an error on its console, and what it has then are the numbers of the
# figures.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/sim.sh"

browser=$(command -v chromium || command -v chromium-browser) || skip_all "chromium is not installed"
command -v python3 >/dev/null 2>&1 || skip_all "python3 is not installed"
cd "$scratch" || exit 99

# What the browser has made of a page goes to standard output, its console to standard error.
opened() { # PAGE
    HOME=$scratch timeout 60 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
        --disable-breakpad --disable-extensions --user-data-dir="$scratch/profile" --enable-logging=stderr \
        --dump-dom "file://$scratch/$1"
}
console() { grep -c 'CONSOLE' err; }

JACKDAW_STATS=json:s.json JACKDAW_TRACE=s.trace JACKDAW_RANKS=256 JACKDAW_SEED=1 "$uts" $tree >out 2>&1
"$JD_TEST_BUILDDIR/tools/jackdaw-report" -o s.html s.json s.trace
opened s.html >dom.html 2>err || skip_all "$browser does not start here: $(tail -1 err)"
is "$(console)" 0 "nothing is said on the console"
ok "the numbers in the browser are those of the figures" python3 "$JD_TEST_SRCDIR/test/kit/page.py" dom.html s.json

# The policy of the page forbids both of these, and the browser says so.
sed 's|</body>|<script>1</script><img src="http://127.0.0.1/picture" alt=""></body>|' s.html >bad.html
opened bad.html >out 2>err
ok "what does not belong there is seen on the console" [ "$(console)" -ge 2 ]
exits bad "and in the page" python3 "$JD_TEST_SRCDIR/test/kit/page.py" bad.html s.json
done_testing
