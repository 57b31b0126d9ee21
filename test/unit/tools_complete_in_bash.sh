#!/bin/sh
# The completion of each program in a bash with a terminal, by the TAB key: what is typed in the left column becomes the
# right one.  In zsh, the files are read.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
[ "$JD_TEST_SANITIZER" = none ] || skip_all "the same without a sanitizer"
for tool in bash script; do command -v $tool >/dev/null || skip_all "there is no $tool here"; done

mkdir "$scratch/bin"
for tool in info report run tdtest top trace; do ln -s "$JD_TEST_BUILDDIR/tools/jackdaw-$tool" "$scratch/bin/"; done
ln -s "$JD_TEST_SRCDIR/tools/jackdaw-simshrink" "$scratch/bin/"
ln -s "$JD_TEST_BUILDDIR/examples/uts" "$scratch/bin/"
touch "$scratch/queens.trace"
cat >"$scratch/cases" <<'CASES'
jackdaw-run --loc|jackdaw-run --localhost
jackdaw-run -E JACKDAW_LOCAL_A|jackdaw-run -E JACKDAW_LOCAL_AMOUNT=
jackdaw-run -E JACKDAW_STEAL=succ|jackdaw-run -E JACKDAW_STEAL=success-only
jackdaw-run --network=ud|jackdaw-run --network=udp
jackdaw-trace perf|jackdaw-trace perfetto
jackdaw-trace --out|jackdaw-trace --output=
jackdaw-trace summary que|jackdaw-trace summary queens.trace
jackdaw-report --ti|jackdaw-report --title=
jackdaw-info --js|jackdaw-info --json
jackdaw-tdtest --exh|jackdaw-tdtest --exhaustive
jackdaw-tdtest --detector=saf|jackdaw-tdtest --detector=safra
jackdaw-simshrink --he|jackdaw-simshrink --help
jackdaw-top --on|jackdaw-top --once
uts --tree=T1W|uts --tree=T1WL
uts --style=as|uts --style=async
CASES
# Each line is completed, and then told instead of run: the first key (C-a) puts "say '" in front of it.
{
    printf "PS1=; PATH='%s/bin':\$PATH; cd '%s'; . '%s/tools/completion.bash'\n" \
        "$scratch" "$scratch" "$JD_TEST_SRCDIR"
    echo 'say() { echo "<$*>" >>said; }'
    # shellcheck disable=SC2028 # for bash to read
    echo 'bind "set bell-style none"; bind "\"\C-a\": beginning-of-line"; bind "\"\C-i\": complete"'
    cut -d'|' -f1 "$scratch/cases" | while IFS= read -r typed; do printf '%s\t\001say \n' "$typed"; done
    echo exit
} >"$scratch/keys"
TERM=dumb timeout 60 script -qec 'bash --norc --noprofile -i' /dev/null <"$scratch/keys" >"$scratch/seen" 2>&1
line=0
while IFS='|' read -r typed want; do
    line=$((line + 1))
    is "$(sed -n "$line{s/ *>\$/>/;p;}" "$scratch/said")" "<$want>" "$typed"
done <"$scratch/cases"
# Where nobody has zsh, bash knows at least whether each quote has its other half.
"$JD_TEST_BUILDDIR/tools/jackdaw-run" --completion=zsh >"$scratch/zsh"
ok "quotes in what zsh gets are paired" bash -n "$scratch/zsh"
! command -v zsh >/dev/null || ok "zsh reads its file" zsh -n "$JD_TEST_SRCDIR/tools/completion.zsh"
done_testing
