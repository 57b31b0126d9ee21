#!/bin/sh
# Settings are combined by every_pair, not by loops inside of loops, and each script that does so is
# one of cover_scripts, for check-long.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/meta.sh"

violations() {
    files | grep -E '^\./test/(dist|sim|stress)/.*\.sh$' >"$scratch/scripts"
    xargs awk '
    FNR == 1 { depth = fors = 0 }
    /^ *(for|while|until) / && !/done$/ {
        is_for[++depth] = /^ *for /
        fors += is_for[depth]
        if (fors == 3) print FILENAME ":" FNR ": three loops: every_pair tries fewer jobs"
    }
    /^ *done/ { fors -= is_for[depth--] }' <"$scratch/scripts"
    # Joins what a \ continues.
    sed -e ':a' -e '/\\$/{N; s/\\\n//; ba' -e '}' test/Makefrag.am |
        sed -n 's/^cover_scripts *= *//p' | tr -s ' \t' '\n' | grep . | sort >"$scratch/covers"
    xargs grep -lE '(^|[ ;])every_pair' <"$scratch/scripts" | sed 's,^\./,,' | sort |
        comm -3 - "$scratch/covers" | tr -d '\t' | sed 's/$/: either in cover_scripts or without every_pair/'
}

tree_is_clean "settings are combined by every_pair"
mkdir -p "$planted/test/dist" "$planted/test/sim"
cat >"$planted/test/dist/product.sh" <<'S'
for a in 1 2; do
    while read -r b; do
        for c in 1 2; do
            for d in 1 2; do :; done
            for d in 1 2; do
                try $a $b $c $d
            done
        done
    done
done
S
cat >"$planted/test/dist/two.sh" <<'S'
for a in 1 2; do
    for b in 1 2; do
        try $a $b
    done
done
for c in 1 2; do
    :
done
S
echo 'every_pair try a=1,2' >"$planted/test/sim/forgotten.sh"
echo 'every_pair try a=1,2' >"$planted/test/sim/known.sh"
printf 'cover_scripts = \\\n\ttest/sim/gone.sh \\\n\ttest/sim/known.sh\n' >"$planted/test/Makefrag.am"
planted_is_found "three loops are found" '^\./test/dist/product\.sh:5: three loops'
planted_is_found "a script that check-long does not know is found" '^test/sim/forgotten\.sh: '
planted_is_found "one that has no every_pair is found" '^test/sim/gone\.sh: '
cd "$planted" && is "$(violations | wc -l)" 3 "two loops, and one that is known, are not"
done_testing
