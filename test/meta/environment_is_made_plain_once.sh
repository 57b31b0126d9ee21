#!/bin/sh
# test/kit/plain.sh gives every test its environment: make check and tap.sh source it, and a script
# unsets by hand only what it has set itself.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/meta.sh"

violations() {
    files | grep -E '^\./test/.*\.sh$' | grep -vE '/(plain|environment_is_made_plain_once)\.sh$' | xargs awk '
    FNR == 1 { split("", set); text = "" }
    /^ *#/ { next }
    { text = text $0 }
    /\\$/ { sub(/\\$/, "", text); next }
    {
        line = text
        text = ""
        rest = line
        while (match(rest, /[A-Za-z_][A-Za-z0-9_]*(=| in )/)) {
            name = substr(rest, RSTART, RLENGTH)
            sub(/(=| in )$/, "", name)
            set[name] = 1
            rest = substr(rest, RSTART + RLENGTH)
        }
        if (match(line, /(^|[;&|( ])unset [^;&|)]*/)) {
            n = split(substr(line, RSTART, RLENGTH), word, /[^A-Za-z0-9_]+/)
            for (i = 1; i <= n; i++)
                if (word[i] ~ /^[A-Z][A-Z0-9_]*$/ && !(word[i] in set))
                    print FILENAME ":" FNR ": unset " word[i] ", which the script has not set"
        }
        if (line ~ /(^|[;&|( ])env (.* )?-u/) print FILENAME ":" FNR ": env -u"
    }'
    grep -q '^AM_TESTS_ENVIRONMENT = \. .*/test/kit/plain\.sh' test/Makefrag.am ||
        echo "test/Makefrag.am: tests are started without test/kit/plain.sh"
    grep -q '^\. .*/test/kit/plain\.sh' test/kit/tap.sh || echo "test/kit/tap.sh: without test/kit/plain.sh"
}

tree_is_clean "the environment is made plain at one place"
mkdir -p "$planted/test/dist" "$planted/test/kit"
cat >"$planted/test/dist/bad.sh" <<'S'
unset JACKDAW_RANKS \
    JACKDAW_COMM
JACKDAW_STEAL=random
unset JACKDAW_STEAL
[ -z "$1" ] || unset JACKDAW_IDLE # unset JACKDAW_STEAL
for JACKDAW_FINISH in credit; do unset JACKDAW_FINISH; done
env -u JACKDAW_SEED true
S
echo '. plain.sh' >"$planted/test/kit/tap.sh"
echo 'AM_TESTS_ENVIRONMENT = A=1' >"$planted/test/Makefrag.am"
for name in RANKS COMM IDLE; do
    planted_is_found "unsetting JACKDAW_$name by hand is found" "^\./test/dist/bad\.sh:[25]: unset JACKDAW_$name,"
done
planted_is_found "so is env -u" '^\./test/dist/bad\.sh:7: env -u'
planted_is_found "so is a make check that forgets it" '^test/Makefrag\.am: '
planted_is_found "so is a kit that forgets it" '^test/kit/tap\.sh: '
cd "$planted" && is "$(violations | wc -l)" 6 "what the script has set itself is not"
done_testing
