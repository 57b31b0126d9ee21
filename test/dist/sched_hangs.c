/*
 * sched_hangs.c
 *
 * Role: hangs in the way that the argument names, or lives slowly.  The script asks what it waits for.
 * Owner: the body.
 * See: test/dist/sched_hangs_are_named.sh, test/dist/sched_watchdog_proves_hangs.sh.
 */
#include "jackdaw.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WAIT_FOR, VISIT, SLEEP, SPIN, SET };

static void must(jd_self *me, int error)
{
    if (error < 0)
        jd_abort(me, 9, "answered: %s", jd_strerror(error));
}

/* ---- tasks ------------------------------------------------------------------------------ */

static void wait_for(jd_self *me, void *arg)
{
    uint64_t x;
    must(me, jd_future_get(me, *(jd_future *)arg, &x, sizeof x));
}

static void visit(jd_self *me, void *arg)
{
    (void)me, (void)arg;
}

static void publish_to_nobody(jd_self *me, void *arg)
{
    (void)me, (void)arg;
}

static void sleep_for_ever(jd_self *me, void *arg)
{
    (void)arg;
    jd_suspend(me, publish_to_nobody, NULL);
}

static void spin(jd_self *me, void *arg)
{
    (void)me;
    for (_Atomic int *stop = arg; !atomic_load_explicit(stop, memory_order_relaxed);)
        continue;
}

static void set_it(jd_self *me, void *arg)
{
    must(me, jd_future_set(me, *(jd_future *)arg, &(uint64_t){1}, sizeof(uint64_t)));
}

/* ---- what hangs ------------------------------------------------------------------------- */

/* A task waits for a future that nobody sets. */
static void unset_future(jd_self *me)
{
    jd_future f;
    jd_scope s;
    if (jd_rank(me))
        return;
    must(me, jd_future_create(me, &f));
    must(me, jd_finish_begin(me, &s));
    must(me, jd_async_local(me, WAIT_FOR, &f, sizeof f));
    must(me, jd_finish_end(me, &s));
}

/* A collection whose hold nobody releases. */
static void unreleased_hold(jd_self *me)
{
    jd_coll *c;
    must(me, jd_coll_create(me, &(jd_coll_props){.name = "held"}, &c));
    must(me, jd_coll_add(me, c, VISIT, NULL, 0));
    if (jd_rank(me) + 1 == jd_nranks(me))
        must(me, jd_coll_hold(me, c));
    must(me, jd_coll_process(me, c));
}

/* A suspended task whose handle nobody has. */
static void suspended(jd_self *me)
{
    jd_coll *c;
    must(me, jd_coll_create(me, &(jd_coll_props){.name = "asleep"}, &c));
    if (jd_rank(me) + 1 == jd_nranks(me))
        must(me, jd_coll_add(me, c, SLEEP, NULL, 0));
    must(me, jd_coll_process(me, c));
}

/* The finish of each of two ranks waits for a future that the other one sets when its finish is over. */
static void circle(jd_self *me)
{
    jd_futures row;
    jd_scope s;
    uint32_t rank = jd_rank(me), next = rank ^ 1;
    must(me, jd_futures_create(me, 1, &row));
    if (next < jd_nranks(me)) {
        jd_future mine = jd_futures_at(row, rank, 0);
        must(me, jd_finish_begin(me, &s));
        must(me, jd_async_local(me, WAIT_FOR, &mine, sizeof mine));
        must(me, jd_finish_end(me, &s));
        jd_future its = jd_futures_at(row, next, 0);
        set_it(me, &its);
    }
    must(me, jd_barrier(me));
}

/* Rank 1 sets a future of rank 0; the script lets that message be lost. */
static void lost(jd_self *me)
{
    jd_futures row;
    must(me, jd_futures_create(me, 1, &row));
    jd_future f = jd_futures_at(row, 0, 0);
    if (jd_rank(me) == 1)
        set_it(me, &f);
    if (jd_rank(me) == 0)
        wait_for(me, &f);
    must(me, jd_barrier(me));
}

/* A task of the last rank never returns. */
static void endless(jd_self *me)
{
    static const int never = 0;
    jd_coll *c;
    must(me, jd_coll_create(me, &(jd_coll_props){.name = "endless"}, &c));
    if (jd_rank(me) + 1 == jd_nranks(me))
        must(me, jd_coll_add(me, c, SPIN, &never, sizeof never));
    must(me, jd_coll_process(me, c));
}

/* ---- what lives -------------------------------------------------------------------------- */

/* A task after the other, each after a while, from rank to rank: most of the time nobody does anything. */
static void slow(jd_self *me)
{
    jd_futures row;
    uint64_t x;
    must(me, jd_futures_create(me, 16, &row));
    for (uint32_t i = 0; i < 16; i++) {
        jd_future f = jd_futures_at(row, i % jd_nranks(me), i);
        if (jd_rank(me) == (i + 1) % jd_nranks(me)) {
            must(me, jd_sleep(me, 30000000));
            set_it(me, &f);
        }
        must(me, jd_future_get(me, f, &x, sizeof x));
    }
    must(me, jd_barrier(me));
}

/* ---- all --------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*run)(jd_self *me);
} ways[] = {{"future", unset_future},
            {"hold", unreleased_hold},
            {"suspend", suspended},
            {"circle", circle},
            {"lost", lost},
            {"endless", endless},
            {"slow", slow}};

static int body(jd_self *me, int argc, char **argv)
{
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (argc == 2 && !strcmp(argv[1], ways[i].name)) {
            must(me, jd_barrier(me));
            if (jd_rank(me) == 0)
                fprintf(stderr, "begins\n");
            ways[i].run(me);
            return 0;
        }
    return 2;
}

static const jd_task_def tasks[] = {
    [WAIT_FOR] = JD_TASK(wait_for),    [VISIT] = JD_TASK(visit),
    [SLEEP] = JD_TASK(sleep_for_ever), [SPIN] = JD_TASK(spin),
    [SET] = JD_TASK(set_it),           JD_TASK_END};

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
