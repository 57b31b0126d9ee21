#!/bin/sh
# A trace of very many events: the file is as large as it may be, the summary says exactly how many events were lost, and
# its reader needs no more memory than the file asks for.  EVENTS_TREE=T1 has four million tasks, T1L a hundred million;
# EVENTS_SIZE (8M) bounds the file.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

tool=$JD_TEST_BUILDDIR/tools/jackdaw-trace trace=$scratch/trace size=${EVENTS_SIZE:-8M}
case $size in *M) bytes=$((${size%M} << 20)) ;; *) bail_out "EVENTS_SIZE=$size: as 8M" ;; esac
network=${JD_TEST_CONDUITS%% *}

exits 0 "a tree with its trace" on_ranks "${network:-loop}" 1 JACKDAW_WORKERS=1 JACKDAW_TRACE="$trace" JACKDAW_TRACE_SIZE="$size" \
    examples/uts --tree="${EVENTS_TREE:-T1}"
nodes=$(sed -n 's/^Tree size = \([0-9]*\),.*/\1/p' "$scratch/out")
diag "$nodes tasks, $(wc -c <"$trace") bytes"
ok "the file is not larger than that" [ "$(wc -c <"$trace")" -le "$bytes" ]
ok "but nearly" [ "$(wc -c <"$trace")" -ge $((bytes / 3)) ]
# 24 bytes of an event become up to 88 of pieces and spawns.
exits 0 "the summary, in little memory" sh -c "ulimit -v $((bytes / 1024 * 8 + 200000)) && '$tool' '$trace'"
lost=$(sed -n 's/^\([0-9]*\) of the oldest events were written over.*/\1/p' "$scratch/out")
"$tool" csv "$trace" | awk -F, '$4 == "task" { tasks++ } $4 == "spawn" { spawns++ } $4 != "clock" { all++ }
    END { print tasks + 0, spawns + 0, all + 0 }' >"$scratch/kept"
read -r tasks spawns all <"$scratch/kept"
diag "kept $all: $tasks tasks, $spawns spawns; lost $lost"
ok "there are tasks" [ "$tasks" -gt 1000 ]
# A task is one event, with one more if it has added tasks.
ok "what is lost and what is there are all tasks" [ $((lost + all)) -ge "$nodes" ]
ok "and not more" [ $((lost + all)) -le $((2 * nodes + 1000)) ]
done_testing
