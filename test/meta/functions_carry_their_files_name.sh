#!/bin/sh
# An exported function says where it is: those of sched/steal/random.c begin with jdi_random,
# jdi_steal_random or jdi_sched_steal_random, those of am/am.c, which has its folder's name, with
# jdi_am.  jd_ is the public interface, wherever that is implemented.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"
. "$JD_TEST_SRCDIR/test/kit/meta.sh"

# What a folder is called in names, where that is another word.
folders='
termination td
'
# Functions with another name; the reason stands behind it.
others='
core/fault.c jdi_alloc            used like malloc, in every file
core/fault.c jdi_alloc_small      used like malloc, as well
core/fault.c jdi_zalloc           used like calloc
core/fault.c jdi_free             used like free
core/err.c jdi_panic              where JD_CHECK and JD_ASSERT of every file end
core/log.c jdi_die                the end of the job, from every file
'

# "FILE FUNCTION" from "nm -P -A" of all objects in $symbols.
exported() {
    awk '$3 == "T" {
        sub(/:$/, "", $1)
        sub(/\.o$/, ".c", $1)
        sub(/lib[a-z_]*_a-/, "", $1) # automake adds it where a library has flags of its own
        print $1, $2 }' "$symbols" | sort -u
}
violations() {
    { echo "$folders"; echo "$others"; echo "- -"; exported; } | awk '
        $1 == "-" { table = 1; next }
        NF < 2 { next }
        !table && $1 ~ /\// { other[$1] = other[$1] "|" $2; next }
        !table { word[$1] = $2; next }
        {
            n = split($1, part, "/")
            sub(/\.c$/, "", part[n])
            if (part[n] == part[n - 1]) n--
            folder = ""
            for (i = 1; i < n; i++)
                folder = folder "(" part[i] "_" (part[i] in word ? "|" word[part[i]] "_" : "") ")?"
            if ($2 !~ "^(jd_.*|jdi_" folder part[n] "(_.*)?" other[$1] ")$")
                print $1 ": " $2
        }'
}

read_objects "$scratch/nm"
symbols=$scratch/symbols
cat "$scratch"/nm/*.nm >"$symbols"
tree_is_clean "exported functions carry their file's name"
ok "there are exported functions" test "$(exported | wc -l)" -gt 400
echo "$others" | awk 'NF { print $1, $2 }' >"$scratch/others"
while read -r file name; do
    exported | grep -qx "$file $name" || echo "$file $name"
done <"$scratch/others" >"$scratch/gone"
is "$(cat "$scratch/gone")" "" "those with another name are all there"

symbols=$planted/nm
cat >"$symbols" <<'NM'
am/am.o: jdi_am_post T 0 1
am/loop.o: jdi_am_loop_new T 0 1
am/loop.o: jdi_loop T 0 1
am/loop.o: jdi_loops T 0 1
am/gasnet/libjackdaw_smp_a-exit.o: jdi_gasnet_exit_now T 0 1
am/gasnet/libjackdaw_smp_a-exit.o: jdi_am_leave T 0 1
core/fault.o: jdi_alloc T 0 1
core/log.o: jdi_alloc T 0 1
core/log.o: other t 0 1
sched/coll_api.o: jd_coll_new T 0 1
sched/coll_api.o: jdi_coll_new T 0 1
sched/coll_api.o: jdi_termination_coll_api T 0 1
termination/find.o: jdi_td_find T 0 1
termination/find.o: jdi_termination_find_at T 0 1
NM
planted_is_found "a function that is called after nothing is found" '^am/gasnet/exit\.c: jdi_am_leave$'
planted_is_found "so is one that only begins as its file" '^am/loop\.c: jdi_loops$'
planted_is_found "one that is called after another file" '^sched/coll_api\.c: jdi_coll_new$'
planted_is_found "and one that is called after another folder" '^sched/coll_api\.c: jdi_termination_coll_api$'
planted_is_found "another name is that of one file" '^core/log\.c: jdi_alloc$'
cd "$planted" && is "$(violations | wc -l)" 5 "the others are not"
done_testing
