/*
 * sched_hangs.c
 *
 * Role: hangs in the way that the argument names, or lives slowly.  The script asks what it waits for.
 * Owner: the body.
 * See: test/dist/sched_hangs_are_named.sh, test/dist/sched_watchdog_proves_hangs.sh.
 */
#include "jackdaw.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_FOR, VISIT, SLEEP, SPIN, SET, GO_ROUND, TAKE_LONG, RELEASE };

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

/* The finish of rank 0 waits for a task of the last rank, which waits for a future that nobody sets; or never returns. */
static void away(jd_self *me, jd_task task)
{
    static const int never = 0;
    jd_futures row;
    jd_scope s;
    must(me, jd_futures_create(me, 1, &row));
    jd_future f = jd_futures_at(row, jd_nranks(me) - 1, 0);
    const void *arg = task == SPIN ? (const void *)&never : &f;
    if (jd_rank(me) == 0) {
        must(me, jd_finish_begin(me, &s));
        must(me, jd_async_at(me, jd_nranks(me) - 1, task, arg,
                             task == SPIN ? sizeof never : sizeof f));
        must(me, jd_finish_end(me, &s));
    }
    must(me, jd_barrier(me));
}
static void waits_away(jd_self *me)
{
    away(me, WAIT_FOR);
}
static void spins_away(jd_self *me)
{
    away(me, SPIN);
}

/* The same in the finish of all ranks. */
static void await_in_all(jd_self *me, void *arg)
{
    if (jd_rank(me) == 0)
        must(me, jd_async_at(me, jd_nranks(me) - 1, WAIT_FOR, arg, sizeof(jd_future)));
}
static void waits_in_all(jd_self *me)
{
    jd_futures row;
    must(me, jd_futures_create(me, 1, &row));
    jd_future f = jd_futures_at(row, jd_nranks(me) - 1, 0);
    must(me, jd_finish_spmd(me, await_in_all, &f));
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

static void compute(uint64_t ns)
{
    uint64_t end = jd_clock(NULL) + ns;
    while (jd_clock(NULL) < end)
        continue;
}

/* One task at a time, on one rank after the other: all others have nothing, and no clock wakes them. */
static void go_round(jd_self *me, void *arg)
{
    int left = *(int *)arg - 1;
    compute(5000000);
    if (left > 0)
        must(me, jd_async_at(me, (jd_rank(me) + 1) % jd_nranks(me), GO_ROUND, &left,
                             sizeof left));
}
static void relay(jd_self *me)
{
    int steps = 60;
    if (jd_rank(me) == 0)
        must(me, jd_finish(me, go_round, &steps));
    must(me, jd_barrier(me));
}

/* A thread of the program wakes a task, long after all has come to rest. */
struct other {
    jd_foreign handle;
    jd_event_key key;
    int fd;
};
static void *wake_later(void *arg)
{
    const struct other *o = arg;
    nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    if (o->fd < 0)
        (void)!jd_event_signal_key(o->key, 1);
    else
        (void)!write(o->fd, "x", 1);
    (void)!jd_foreign_leave(o->handle);
    return NULL;
}
static void start_other(jd_self *me, struct other *o, pthread_t *thread)
{
    must(me, jd_foreign_enter(me, "other", &o->handle));
    if (pthread_create(thread, NULL, wake_later, o))
        jd_abort(me, 9, "no thread");
}
static void by_thread(jd_self *me)
{
    if (jd_rank(me) + 1 == jd_nranks(me)) {
        jd_event e;
        pthread_t thread;
        struct other o = {.fd = -1};
        must(me, jd_event_create(me, 1, &e));
        must(me, jd_event_get_key(me, e, &o.key));
        start_other(me, &o, &thread);
        must(me, jd_event_wait(me, e, JD_FOREVER));
        pthread_join(thread, NULL);
        must(me, jd_event_destroy(me, e));
    }
    must(me, jd_barrier(me));
}
static void by_pipe(jd_self *me)
{
    if (jd_rank(me) + 1 == jd_nranks(me)) {
        int fds[2];
        pthread_t thread;
        if (pipe(fds))
            jd_abort(me, 9, "no pipe");
        struct other o = {.fd = fds[1]};
        start_other(me, &o, &thread);
        must(me, jd_wait_fd(me, fds[0], JD_IN, JD_FOREVER));
        pthread_join(thread, NULL);
        close(fds[0]);
        close(fds[1]);
    }
    must(me, jd_barrier(me));
}

/* Few tasks, of very different lengths, that are stolen; at the end a single one runs. */
static void take_long(jd_self *me, void *arg)
{
    (void)me;
    compute(*(uint64_t *)arg);
}
static void coarse(jd_self *me)
{
    jd_coll *c;
    must(me, jd_coll_create(me, NULL, &c));
    for (uint64_t i = 0; i < 9 && jd_rank(me) == 0; i++)
        must(me, jd_coll_add(me, c, TAKE_LONG, &(uint64_t){300000000 >> i}, sizeof i));
    must(me, jd_coll_process(me, c));
    must(me, jd_coll_destroy(me, c));
}

/* Nothing is left to do but that a hold is released, by a task that another rank sends late. */
static void release_hold(jd_self *me, void *arg)
{
    (void)arg;
    must(me, jd_coll_release(me, jd_local(me)));
}
static void come_late(jd_self *me, void *arg)
{
    (void)arg;
    compute(250000000);
    must(me, jd_async_at(me, jd_nranks(me) - 1, RELEASE, NULL, 0));
}
static void hold_for_long(jd_self *me)
{
    jd_coll *c;
    must(me, jd_coll_create(me, NULL, &c));
    jd_set_local(me, c);
    if (jd_rank(me) + 1 == jd_nranks(me))
        must(me, jd_coll_hold(me, c));
    must(me, jd_barrier(me));
    if (jd_rank(me) == 0)
        must(me, jd_finish(me, come_late, NULL));
    must(me, jd_coll_process(me, c));
    must(me, jd_coll_destroy(me, c));
}

/* ---- all --------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*run)(jd_self *me);
} ways[] = {{"future", unset_future}, {"hold", unreleased_hold},
            {"suspend", suspended},   {"circle", circle},
            {"lost", lost},           {"endless", endless},
            {"away", waits_away},     {"spins", spins_away},
            {"all", waits_in_all},    {"slow", slow},
            {"relay", relay},         {"thread", by_thread},
            {"pipe", by_pipe},        {"coarse", coarse},
            {"held", hold_for_long}};

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

static const jd_task_def tasks[] = {[WAIT_FOR] = JD_TASK(wait_for),
                                    [VISIT] = JD_TASK(visit),
                                    [SLEEP] = JD_TASK(sleep_for_ever),
                                    [SPIN] = JD_TASK(spin),
                                    [SET] = JD_TASK(set_it),
                                    [GO_ROUND] = JD_TASK(go_round),
                                    [TAKE_LONG] = JD_TASK(take_long),
                                    [RELEASE] = JD_TASK(release_hold),
                                    JD_TASK_END};

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
