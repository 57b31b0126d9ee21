#!/bin/sh
# jackdaw-info: versions, every knob with its origin, the placement, warnings and bad values;
# JSON that parses; wrong options.  The network is never started.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

info=$JD_TEST_BUILDDIR/tools/jackdaw-info
[ -x "$info" ] || skip_all "jackdaw-info is linked with smp, which was not built"

# with NAME=VALUE... -- ARGUMENT...: the tool in an environment with these knobs only.
with() {
    tap_env=
    while [ "$1" != -- ]; do tap_env="$tap_env $1"; shift; done
    shift
    # shellcheck disable=SC2086 # words
    env $tap_env "$info" "$@"
}
# line_of PATTERN: the line of the last output, blanks squeezed.
line_of() { grep -E -e "$1" "$scratch/out" | tr -s ' '; }

exits 0 "without knobs all is well" with --
like "$(line_of '^jackdaw ')" '^jackdaw [0-9]+\.[0-9]+\.[0-9]+$' "the version is there"
like "$(line_of '^conduit ')" 'smp, .' "so is the conduit's"
is "$(line_of '^networks ')" "networks $JD_TEST_CONDUITS" "so are the networks of this build"
if has_conduit ucx; then
    like "$(line_of '^ucx ')" '^ucx UCX [0-9]+\.[0-9.]+: each start warns if this is older' \
        "the version of UCX, which prints warnings, is there and says so"
else
    is "$(line_of '^ucx ')" "" "nothing is said of UCX where there is no ucx"
fi
like "$(line_of '^engines ')" ' (argobots|boost).*, default (argobots|boost)' "so are the engines"
like "$(line_of '^guards ')" '^guards of stacks: (in page tables .*, for all|mappings .*, for the first [0-9]+ )' \
    "how stacks are guarded"
knobs=$(sed -n 's/^JDI_KNOB_[A-Z]*([a-z_]*, *"\([A-Z_]*\)".*/JACKDAW_\1/p' "$JD_TEST_SRCDIR/core/knobs.def")
for knob in $knobs; do
    like "$(line_of "^$knob ")" "^$knob .* default .*[a-z]" "$knob has its line"
done
like "$(line_of 'placement')" 'rank 0 of 1 here: [0-9]+ workers?, communication inline' "the placement"
like "$(line_of ' worker 0 ')" 'core [0-9]+ \(PUs? [0-9,-]+\)|anywhere in [0-9]' "where worker 0 goes"

exits 0 "knobs are read" with JACKDAW_WORKERS=3 JACKDAW_RANKS=2 JACKDAW_COMM=dedicated JACKDAW_STACK_SIZE=64K --
like "$(line_of '^JACKDAW_WORKERS ')" '^JACKDAW_WORKERS 3 environment 0 ' "value and origin"
like "$(line_of '^JACKDAW_STACK_SIZE ')" '^JACKDAW_STACK_SIZE 64K environment 256K ' "a size"
like "$(line_of 'placement')" 'rank 0 of 2 here: 3 workers, communication dedicated' "they are used"
is "$(grep -cE '^  (worker [0-2]|communication) ' "$scratch/out")" 4 "each thread has its place"

exits 0 "an unknown variable is a warning" with JACKDAW_WORKRES=3 JACKDAW_NOTHING_LIKE_IT=1 --
like "$(line_of WORKRES)" '^warning: JACKDAW_WORKRES: no such knob; did you mean JACKDAW_WORKERS\?$' "with the nearest"
like "$(line_of NOTHING)" '^warning: JACKDAW_NOTHING_LIKE_IT: no such knob$' "if one is near"

exits 1 "bad values are errors" with JACKDAW_WORKERS=abc JACKDAW_COMM=foo JACKDAW_CREDITS=7 --
like "$(line_of '^error.*WORKERS')" 'JACKDAW_WORKERS=abc: not a number; allowed: 0 to 1024$' "the first is named"
like "$(line_of '^error.*COMM')" 'JACKDAW_COMM=foo: allowed: auto, inline, dedicated$' "and the second"
like "$(line_of '^JACKDAW_WORKERS ')" '^JACKDAW_WORKERS 0 refused 0 ' "the default is shown as such"
like "$(line_of '^JACKDAW_CREDITS ')" '^JACKDAW_CREDITS 7 environment 16 ' "good ones still count"

if command -v python3 >/dev/null 2>&1; then
    with JACKDAW_RANKS=2 'JACKDAW_A"\é=1' JACKDAW_STEAL=x -- --json >"$scratch/json"
    is $? 1 "JSON has the same status"
    ok "JSON parses and says the same" python3 -c '
import json, sys
d = json.load(open(sys.argv[1], "rb"))
knobs = {k["name"]: k for k in d["knobs"]}
assert knobs["JACKDAW_RANKS"]["value"] == "2", knobs
assert knobs["JACKDAW_RANKS"]["origin"] == "environment", knobs
assert knobs["JACKDAW_STEAL"]["origin"] == "refused", knobs
assert knobs["JACKDAW_COMM"]["allowed"] == "auto, inline, dedicated", knobs
assert d["networks"] == sys.argv[2].split(), d
assert ("ucx" in d) == ("ucx" in d["networks"]), d
assert d["guards"]["made_by"] == "MADV_GUARD_INSTALL" or d["guards"]["stacks"] > 0, d
assert d["conduit"]["name"] == "smp" and d["engines"]["default"] in d["engines"]["built_in"]
p = d["placement"]
roles = [t["role"] for t in p["threads"]]
assert p["ranks"] == 2 and roles.count("worker") == p["workers"] >= 1, p
assert len(d["errors"]) == 1 and "JACKDAW_STEAL=x" in d["errors"][0], d
assert any(w.startswith("JACKDAW_A\"\\") for w in d["warnings"]), d
' "$scratch/json" "$JD_TEST_CONDUITS"
fi

exits 0 "--version" with -- --version
like "$(cat "$scratch/out")" '^jackdaw [0-9.]+$' "is one line"
exits 0 "--help" with JACKDAW_WORKERS=abc -- --help
like "$(cat "$scratch/out")" '^usage: jackdaw-info' "is there whatever the knobs are"
exits 2 "an unknown option is refused" with -- --jsn
like "$(cat "$scratch/out")" '^jackdaw-info: --jsn: no such option; did you mean --json\?$' "with the nearest"
exits 2 "another one" with -- --colour
like "$(cat "$scratch/out")" 'no such option; try --help$' "without"
exits 1 "a word is the name of a file" with -- --json no/such
like "$(cat "$scratch/out")" "^jackdaw-info: no/such: there is no such file\$" "which is not there"
exits 2 "a second one is refused" with -- smp udp
exits 1 "what cannot be written is an error" sh -c "'$info' >/dev/full"
done_testing
