#!/bin/sh
# The way of one stolen task through the files of the library: how often does a reader turn the page?
#
#     bench/steal_path.sh [DIR]
#
# DIR: where the library is built (.).  The library of ranks in one process is compiled once more
# with -finstrument-functions, and steal_path.c run with it.  Of the trace count the entries of
# functions of .c files, not returns: on rank 0 jd_coll_add and, in jd_coll_start, the opening of the
# task; on rank 1 the turn that asks, until the message is the network's; on rank 0 the delivery of
# that request, until the tasks are the network's; on rank 1 their delivery, and from run_own to
# the task.  Prints each file with its functions in their order, and how many times the file changes.
set -e
. "$(dirname "$0")/kit.sh"
[ -f "${1:-.}/Makefile" ] || complain "nothing has been configured in ${1:-.}"
cat >"$data/make" <<'MAKE'
include Makefile
trace = $(COMPILE) -O0 -g -finstrument-functions -finstrument-functions-exclude-file-list=.h
trace_objects = $(addprefix $(data)/,$(sort $(libcommon_a_OBJECTS) $(libjackdaw_loop_a_OBJECTS)))
$(data)/steal_path: $(data)/bench/steal_path.o $(trace_objects)
	$(CC) -no-pie -o $@ $^ $(JD_LIBS)
$(data)/%.o: %.c
	@mkdir -p $(@D)
	$(trace) -c -o $@ $<
MAKE
run_to "$data/log" make -s -C "${1:-.}" -f "$data/make" data="$data" "$data/steal_path"
run_to "$data/trace" env JACKDAW_RANKS=2 JACKDAW_WORKERS=1 JACKDAW_COMM=inline JACKDAW_ULT=boost \
    JACKDAW_STEAL=random JACKDAW_BIND=none "$data/steal_path"
cut -d' ' -f2 "$data/trace" | sort -u | addr2line -a -f -e "$data/steal_path" |
    sed 's/^0x0*/0x/; s/:[0-9].*//' | paste -d' ' - - - >"$data/names"
awk '
FILENAME ~ /names$/ { name[$1] = $2; sub(/.*\/\.\.\//, "", $3); file[$1] = $3; next }
{ rank[++n] = $1; fn[n] = name[$2]; of[n] = file[$2]; step[n] = $3 }
# The nth entry (1) of f on rank r, from event i on, forwards (1) or backwards (-1).
function find(r, f, i, by, nth) {
    for (; i > 0 && i <= n; i += by)
        if (rank[i] == r && fn[i] == f && step[i] > 0 && --nth <= 0) return i
    print "steal_path.sh: no " f " in the trace" >"/dev/stderr"
    exit failed = 1
}
function take(i) {
    if (of[i] != now) { printf "%s%s:", now ? "\n" : "", now = of[i]; changes++ }
    if (!seen[now]++) files++
    printf " %s", fn[i]
}
# The call at i with all that it calls, or until it has entered `end`.
function call(i, end,    r, depth) {
    for (r = rank[i]; i <= n; i++) {
        if (rank[i] != r) continue
        if (step[i] > 0) take(i)
        if (!(depth += step[i]) || (step[i] > 0 && fn[i] == end)) return
    }
}
END {
    call(add = find(0, "jd_coll_add", 1, 1))
    call(find(0, "jdi_store_offer", add, 1))
    run = find(1, "stolen", 1, 1)
    asked = find(0, "on_steal", find(0, "jdi_transfer_send", add, 1), -1)
    for (i = 1; i <= asked; i++) nth += rank[i] == 0 && fn[i] == "on_steal" && step[i] > 0
    asks = find(1, "jdi_ask_search", find(1, "send_steal", 1, 1, nth), -1)
    take(find(1, "coll_turn", asks, -1))
    call(asks, "push_parcel")
    call(find(0, "jdi_am_deliver", asked, -1), "push_parcel")
    call(find(1, "jdi_am_deliver", find(1, "on_tasks", run, -1), -1))
    for (i = find(1, "run_own", run, -1); i < run; i++) if (rank[i] == 1 && step[i] > 0) take(i)
    printf "\n%d changes of file over %d files\n", changes - 1, files
}' "$data/names" "$data/trace"
