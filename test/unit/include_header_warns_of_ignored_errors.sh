#!/bin/sh
# In C and in C++, the compiler warns of each call whose ignored error would be a wrong result, and of no
# other.  Each call of the header that returns an error stands in one of the two lists.
. "${JD_TEST_SRCDIR:?run it by make check}/test/kit/tap.sh"

must="jd_launch(0, 0, 0, 0)
jd_barrier(me)
jd_allreduce_u64(me, 0, 0, JD_SUM)
jd_allreduce_f64(me, 0, 0, JD_SUM)
jd_stats(me, JD_STATS_RANK, 0, 0, 0)
jd_coll_create(me, 0, 0)
jd_coll_add(me, c, 0, 0, 0)
jd_coll_add_inplace(me, c, 0, 0)
jd_coll_process(me, c)
jd_coll_start(me, c)
jd_coll_wait(me, c)
jd_coll_hold(me, c)
jd_coll_release(me, c)
jd_coll_restore(me, c, JD_RESTORE_SEED)
jd_coll_save(me, c, 0)
jd_coll_load(me, c, 0)
jd_coll_stealing(me, c, JD_STEAL_ALL)
jd_coll_get_info(me, c, 0)
jd_coll_get_load(me, c, 0)
jd_coll_load_model(me, c, JD_LOAD_LAST, 0)
jd_coll_each_time(me, c, 0, 0)
jd_finish(me, 0, 0)
jd_finish_begin(me, 0)
jd_finish_end(me, 0)
jd_finish_spmd(me, 0, 0)
jd_async(me, 0, 0, 0)
jd_async_local(me, 0, 0, 0)
jd_async_at(me, 0, 0, 0, 0)
jd_async_inplace(me, 0, 0)
jd_async_await(me, 0, 0, 0, 0, 0)
jd_async_await_at(me, 0, 0, 0, 0, 0, 0)
jd_then(me, f, 0, 0, 0)
jd_async_after(me, 0, 0, 0, 0)
jd_forasync(me, 0, 0, 0, 0, 0, 0)
jd_mem_create(me, 0, 0, 0)
jd_put(me, m, 0, 0, 0, 0)
jd_get_cached(me, m, 0, 0, 0, 0)
jd_borrow(me, m, 0, 0, 0, 0)
jd_mem_freeze(me, m, 1)
jd_get(me, m, 0, 0, 0, 0)
jd_copy(me, m, 0, 0, 0, 0, 0)
jd_put_nb(me, m, 0, 0, 0, 0, 0)
jd_get_nb(me, m, 0, 0, 0, 0, 0)
jd_copy_nb(me, m, 0, 0, 0, 0, 0, 0)
jd_accumulate(me, m, 0, 0, 0, 0)
jd_accumulate_nb(me, m, 0, 0, 0, 0, 0)
jd_done_wait(me, 0)
jd_done_wait_until(me, 0, 0)
jd_future_create(me, 0)
jd_future_set(me, f, 0, 0)
jd_future_get(me, f, 0, 0)
jd_future_wait(me, f, 0)
jd_future_ready(me, f)
jd_future_get_until(me, f, 0, 0, 0)
jd_future_wait_until(me, f, 0, 0)
jd_futures_create(me, 0, 0)
jd_channel_create(me, 0, 0, 0)
jd_channel_send(me, h, 0, JD_NOW)
jd_channel_receive(me, h, 0, JD_FOREVER)
jd_channel_reserve(me, h, JD_FOREVER)
jd_channel_commit(me, h, 0)
jd_event_create(me, 0, 0)
jd_event_wait(me, e, JD_FOREVER)
jd_event_get_key(me, e, 0)
jd_foreign_enter(me, 0, 0)
jd_select(me, 0, 0, 0, JD_NOW)
jd_mutex_lock(me, 0, JD_FOREVER)
jd_cond_wait(me, 0, 0, JD_FOREVER)
jd_phaser_create(me, 0, 0)
jd_async_phased(me, 0, 0, 0, 0, 0)
jd_phaser_next(me, p, JD_FOREVER)
jd_phaser_signal(me, p)
jd_phaser_wait(me, p, JD_FOREVER)
jd_wait_fd(me, 0, JD_IN, JD_NOW)"

# A program that is about to end, or that changes nothing, may ignore these.
may="jd_task_find(me, 0)
jd_coll_destroy(me, c)
jd_cancel(me, n)
jd_task_null(me)
jd_progress(me, 1, 2)
jd_cancelled(me)
jd_mem_destroy(me, m)
jd_forget(me, m)
jd_done_test(0)
jd_future_destroy(me, f)
jd_futures_destroy(me, a)
jd_sleep_until(me, 0)
jd_sleep(me, 0)
jd_channel_release(me, h)
jd_channel_close(me, h)
jd_channel_destroy(me, h)
jd_event_signal(me, e, 1)
jd_event_signal_key(k, 1)
jd_event_reset(me, e, 1)
jd_foreign_leave(t)
jd_event_destroy(me, e)
jd_mutex_unlock(me, 0)
jd_phaser_drop(me, p)
jd_phaser_destroy(me, p)
jd_fd_forget(me, 0)"

names() { sed 's/(.*//' | sort; }
is "$(printf '%s\n' "$must" "$may" | grep -v inplace | names)" \
    "$(sed -n 's/^JD_PUBLIC int \(jd_[a-z0-9_]*\)(.*/\1/p' "$JD_TEST_SRCDIR/include/jackdaw.h" |
        sort)" "each call that returns an error is in one list"

write_calls() { # FILE
    echo '#include "jackdaw.h"
void ignore(jd_self *me, jd_coll *c, jd_mem m, jd_future f, jd_finish_id n, jd_channel h, jd_event e,
    jd_event_key k, jd_futures a, jd_phaser p, jd_foreign t);
void ignore(jd_self *me, jd_coll *c, jd_mem m, jd_future f, jd_finish_id n, jd_channel h, jd_event e,
    jd_event_key k, jd_futures a, jd_phaser p, jd_foreign t) {' >"$1"
    printf '%s;\n' "$must" | sed 's/)$/);/' >>"$1"
    printf '%s;\n}\n' "$may" | sed 's/)$/);/' >>"$1"
}
warned() { # COMPILER FILE: the calls of whose result a warning speaks
    $1 -Wall -I"$JD_TEST_SRCDIR/include" -c -o "$scratch/out.o" "$2" >"$scratch/said" 2>&1 ||
        cat "$scratch/said"
    sed -n "s|^$2:\([0-9]*\):.*Wunused-result.*|\1|p" "$scratch/said" | while read -r line; do
        sed -n "${line}p" "$2"
    done | names
}
write_calls "$scratch/calls.c"
cp "$scratch/calls.c" "$scratch/calls.cc"
is "$(warned "$JD_TEST_CC" "$scratch/calls.c")" "$(printf '%s\n' "$must" | names)" "in C"
is "$(warned "${CXX:-g++}" "$scratch/calls.cc")" "$(printf '%s\n' "$must" | names)" "in C++"
done_testing
