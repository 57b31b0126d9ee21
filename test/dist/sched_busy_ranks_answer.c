/*
 * sched_busy_ranks_answer.c
 *
 * Role: a rank all of whose workers are in tasks that do not end takes part in all the same: it
 *       answers jd_get and jd_put, lets a phase of another collection end, gives away what its tasks
 *       make, and its tasks see a cancellation.  Each of these tasks ends only when that has
 *       happened, so a rank that does not answer hangs the job.
 * Owner: the body; tasks of the rank write its counters.
 * Invariants: I1 the last rank is busy, with as many tasks as it has workers.
 * See: ARCHITECTURE.md "Life of a steal"; sched/comm.c, nap.
 */
#include "test/dist/sched_kit.h"

enum { BUSY, SMALL, MAKER, MADE, STUBBORN };
enum { GETS = 50, SMALL_TASKS = 20, MAKERS = 10 };

/* Registered, so that other ranks read and write it. */
struct shared {
    _Atomic uint64_t arrived; /* tasks that have begun here */
    _Atomic uint64_t go;      /* they may end; writer: another rank */
    _Atomic uint64_t small;   /* tasks that have ended here */
};

struct test {
    struct shared s;
    jd_mem mem;
    uint32_t busy; /* the rank */
};

static uint64_t word_of(jd_self *me, struct test *t, uint64_t offset)
{
    uint64_t word;
    must(me, jd_get(me, t->mem, t->busy, offset, &word, sizeof word));
    return word;
}

static void let_go(jd_self *me, struct test *t, uint32_t rank, uint64_t value)
{
    must(me, jd_put(me, t->mem, rank, offsetof(struct shared, go), &value, sizeof value));
}

/* Not with jd_yield: nobody else gets this worker. */
static void spin_until(_Atomic uint64_t *word, uint64_t value)
{
    while (atomic_load(word) < value)
        tap_breathe();
}

static void busy(jd_self *me, void *arg)
{
    struct test *t = jd_local(me);
    (void)arg;
    atomic_fetch_add(&t->s.arrived, 1);
    spin_until(&t->s.go, 1);
}

static void small(jd_self *me, void *arg)
{
    struct test *t = jd_local(me);
    (void)arg;
    atomic_fetch_add(&t->s.small, 1);
}

struct made {
    uint32_t rank;
    uint64_t number;
};

static void made(jd_self *me, void *arg)
{
    const struct made *m = arg;
    let_go(me, jd_local(me), m->rank, m->number);
}

/* Waits for a task that it has made, and that only others can run. */
static void maker(jd_self *me, void *arg)
{
    struct test *t = jd_local(me);
    struct made m = {.rank = jd_rank(me), .number = *(uint64_t *)arg};
    must(me, jd_coll_add(me, jd_coll_mine(me), MADE, &m, sizeof m));
    spin_until(&t->s.go, m.number);
}

static void stubborn(jd_self *me, void *arg)
{
    struct test *t = jd_local(me);
    (void)arg;
    atomic_fetch_add(&t->s.arrived, 1);
    while (!jd_cancelled(me))
        tap_breathe();
}

/* ---- a phase of one collection beside tasks of another -------------------------------- */

static void wait_until_busy(jd_self *me, struct test *t)
{
    while (word_of(me, t, offsetof(struct shared, arrived)) < jd_nworkers(me))
        jd_yield(me);
}

static bool reads(jd_self *me, struct test *t)
{
    bool right = true;
    for (int i = 0; i < GETS; i++)
        right =
            right && word_of(me, t, offsetof(struct shared, arrived)) == jd_nworkers(me);
    return right;
}

static void phases(jd_self *me, struct test *t)
{
    jd_coll *long_ones, *short_ones;
    bool right = true;
    must(me, jd_coll_create(me, NULL, &long_ones));
    must(me, jd_coll_create(me, NULL, &short_ones));
    must(me, jd_coll_stealing(me, long_ones, JD_STEAL_LOCAL));
    if (jd_rank(me) == t->busy)
        for (unsigned i = 0; i < jd_nworkers(me); i++)
            must(me, jd_coll_add(me, long_ones, BUSY, NULL, 0));
    for (int i = 0; jd_rank(me) == 0 && i < SMALL_TASKS; i++)
        must(me, jd_coll_add(me, short_ones, SMALL, NULL, 0));
    must(me, jd_coll_start(me, short_ones));
    must(me, jd_coll_start(me, long_ones));
    if (jd_rank(me) == 0) {
        wait_until_busy(me, t);
        right = reads(me, t);
        must(me, jd_coll_wait(me, short_ones));
        let_go(me, t, t->busy, 1);
    } else if (jd_rank(me) != t->busy) {
        must(me, jd_coll_wait(me, short_ones));
    }
    must(me, jd_coll_wait(me, long_ones));
    if (jd_rank(me) == t->busy)
        must(me, jd_coll_wait(me, short_ones));
    ok_all(me, right, "a busy rank answers jd_get");
    uint64_t ran = sum_of(me, atomic_load(&t->s.small));
    ok_all(me, ran == SMALL_TASKS, "a phase ends beside its long tasks");
    must(me, jd_coll_destroy(me, short_ones));
    must(me, jd_coll_destroy(me, long_ones));
}

/* ---- tasks of long tasks --------------------------------------------------------------- */

static void steals(jd_self *me, struct test *t)
{
    jd_coll *c;
    must(me, jd_coll_create(me, NULL, &c));
    for (uint64_t i = 0; i < MAKERS; i++) {
        atomic_store(&t->s.go, 0);
        must(me, jd_barrier(me));
        uint64_t number = i + 1;
        if (jd_rank(me) == t->busy)
            must(me, jd_coll_add(me, c, MAKER, &number, sizeof number));
        must(me, jd_coll_process(me, c));
    }
    ok_all(me, true, "what a long task makes runs elsewhere");
    must(me, jd_coll_destroy(me, c));
}

/* ---- cancelling ------------------------------------------------------------------------ */

static void cancel_when_busy(jd_self *me, void *arg)
{
    struct test *t = arg;
    for (unsigned i = 0; i < jd_nworkers(me); i++)
        must(me, jd_async_at(me, t->busy, STUBBORN, NULL, 0));
    wait_until_busy(me, t);
    must(me, jd_cancel(me, jd_finish_mine(me)));
}

static void cancels(jd_self *me, struct test *t)
{
    int error = JD_ECANCELED;
    atomic_store(&t->s.arrived, 0);
    must(me, jd_barrier(me));
    if (jd_rank(me) == 0)
        error = jd_finish(me, cancel_when_busy, t);
    must(me, jd_barrier(me));
    ok_all(me, error == JD_ECANCELED, "long tasks see a cancellation");
}

static int body(jd_self *me, int argc, char **argv)
{
    struct test t = {.busy = jd_nranks(me) - 1};
    (void)argc;
    (void)argv;
    jd_set_local(me, &t);
    must(me, jd_mem_create(me, &t.s, sizeof t.s, &t.mem));
    if (jd_nranks(me) > 1) {
        phases(me, &t);
        steals(me, &t);
        cancels(me, &t);
    }
    must(me, jd_mem_destroy(me, t.mem));
    ok_all(me, true, "the end");
    return end_of_tests(me);
}

static const jd_task_def tasks[] = {
    [BUSY] = JD_TASK(busy), [SMALL] = JD_TASK(small),       [MAKER] = JD_TASK(maker),
    [MADE] = JD_TASK(made), [STUBBORN] = JD_TASK(stubborn), JD_TASK_END};

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
