#!/bin/sh
# Every command in the EXAMPLES of the pages of programs and settings is run, in the order of its page.  What needs other machines,
# a batch system or an hour runs in a form that is written down here, in `instead`.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
[ "$JD_TEST_SANITIZER" = none ] || skip_all "the build without a sanitizer runs them"
for network in smp udp mpi; do has_conduit $network || skip_all "$network was not built"; done

# Trees that take a second become small ones, other machines this one; who looks at the result is not asked to.
instead() {
    sed -E -e 's/--tree=T[13]( |;|$)/--tree=default\1/g' -e 's/-d 10 -b 4 -r 19/-d 6 -b 4 -r 19/' \
        -e 's/for n in 1 2 4 8;/for n in 1 2;/; s/for i in 1 2 3;/for i in 1;/; s/uts-8-1/uts-2-1/' \
        -e 's/--(walks|seed)=[0-9]+/--\1=1000/; s/--exhaustive/--ranks=1 --exhaustive/; s/--mutants --seeds=1/--list/' \
        -e 's/--hosts [^ ]*/-n 2 --localhost/; s/^salloc [^j]*/env /' \
        -e 's/mpirun -n ([0-9]) (--host a,b,c,d|--map-by socket)/mpirun --allow-run-as-root --oversubscribe -n \1/' \
        -e 's/^(.* )?jackdaw-top.*/jackdaw-top --help/' -e 's/-n 4096/-n 64/; s/seq 1000/seq 1/; s/ gdb / env /; s/gnuplot -p/true/'
}

mkdir "$scratch/bin" "$scratch/here"
for tool in info report run tdtest trace top; do
    [ ! -x "$JD_TEST_BUILDDIR/tools/jackdaw-$tool" ] || ln -s "$JD_TEST_BUILDDIR/tools/jackdaw-$tool" "$scratch/bin/"
done
ln -s "$JD_TEST_SRCDIR/tools/jackdaw-simshrink" "$scratch/bin/"
for suffix in '' -udp -mpi -sim; do
    ln -s "$JD_TEST_BUILDDIR/examples/uts$suffix" "$scratch/bin/"
    ln -s "$JD_TEST_BUILDDIR/examples/uts$suffix" "$scratch/here/prog$suffix"
done
ln -s "$JD_TEST_BUILDDIR/examples/uts" "$scratch/here/uts"
# What jackdaw-simshrink is for: a program that fails, here always.  test/sim/sim_schedule_shrinks.sh has a real one.
printf '#!/bin/sh\nuts-sim --tree=default >/dev/null\nexit 3\n' >"$scratch/here/program"
chmod +x "$scratch/here/program"
PATH=$scratch/bin:$PATH
cd "$scratch/here" || exit 99
# The checkpoint that jackdaw-info shows.
JACKDAW_RANKS=2 "$JD_TEST_BUILDDIR/examples/restart" -n 10 -s 1 -f run.jdc >/dev/null 2>&1

# Paragraphs of code of EXAMPLES: a file each.
for page in "$JD_TEST_SRCDIR"/doc/*.[17].md; do
    name=${page##*/} name=${name%.md}
    rm -f "$scratch"/block.*
    awk -v to="$scratch/block." '/^## / { here = $0 == "## EXAMPLES" } !here { next }
        /^    / { if (!open) n++; open = 1; sub(/^    /, ""); print >(to sprintf("%02d", n)); next } { open = 0 }' "$page"
    for block in "$scratch"/block.*; do
        [ -f "$block" ] || { fail "$name: no example"; continue; }
        instead <"$block" >"$scratch/command"
        # The program takes no word ARGUMENT; and a grep that finds nothing is right here.
        sed -i 's/ ARGUMENT$/ --tree=default/; /grep -E .*error/s/$/ || true/' "$scratch/command"
        # The last command of these fails because what it runs is wrong.
        sed -i -e '/giver_counted/s/$/ || test $? = 1/' -e '/bad.min/s/$/ || test $? = 3/' "$scratch/command"
        first=$(head -n 1 "$block") shell=sh
        case $first in *=bash*) shell=bash ;; esac
        command -v $shell >/dev/null || continue
        ok "$name: $first" "$JD_TEST_LEASH" 60 $shell -e "$scratch/command"
    done
done
done_testing
