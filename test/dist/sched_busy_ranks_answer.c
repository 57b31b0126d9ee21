/*
 * sched_busy_ranks_answer.c
 *
 * Role: a rank all of whose workers are in tasks that do not end takes part in all the same: it
 *       answers jd_get, lets a phase of a collection end, gives away what its tasks make, and its
 *       tasks see a cancellation.  Each of these tasks ends only when that has happened, so a rank
 *       that does not answer hangs the job.
 * Owner: the body; tasks of the rank write its counters.
 * Invariants: I1 the last rank is busy, with as many tasks as it has workers.
 * See: ARCHITECTURE.md "Life of a steal"; sched/comm.c, nap.
 */
#include "test/dist/sched_kit.h"

enum { BUSY, SMALL, MAKER, MADE };
enum { GETS = 50, SMALL_TASKS = 20, MAKERS = 10, WORKERS_MOST = 64 };

struct test {
    uint64_t word; /* registered, and constant while others read it */
    jd_mem mem;
    uint32_t busy; /* the rank */
    jd_coll *small;
    _Atomic uint64_t ran; /* tasks of `small` that have ended here */
    bool right;
};

/* Not with jd_yield: nobody else gets this worker. */
static void spin_until_cancelled(jd_self *me)
{
    while (!jd_cancelled(me))
        tap_breathe();
}

static void busy(jd_self *me, void *arg)
{
    must(me, jd_future_set(me, *(jd_future *)arg, NULL, 0)); /* it has begun */
    spin_until_cancelled(me);
}

static void small(jd_self *me, void *arg)
{
    struct test *t = jd_local(me);
    (void)arg;
    atomic_fetch_add(&t->ran, 1);
}

/* ---- a phase of a collection beside long tasks ------------------------------------------- */

static void begin_long_tasks(jd_self *me, const struct test *t, unsigned n)
{
    jd_future begun[WORKERS_MOST];
    for (unsigned i = 0; i < n; i++) {
        must(me, jd_future_create(me, &begun[i]));
        must(me, jd_async_at(me, t->busy, BUSY, &begun[i], sizeof begun[i]));
    }
    for (unsigned i = 0; i < n; i++) {
        must(me, jd_future_wait(me, begun[i], NULL));
        must(me, jd_future_destroy(me, begun[i]));
    }
}

static bool reads(jd_self *me, const struct test *t)
{
    bool right = true;
    for (int i = 0; i < GETS; i++) {
        uint64_t word = 0;
        must(me, jd_get(me, t->mem, t->busy, 0, &word, sizeof word));
        right = right && word == t->busy + 1000;
    }
    return right;
}

/* The hold keeps the phase open until the other rank is busy. */
static void end_phase_beside_long_tasks(jd_self *me, void *arg)
{
    struct test *t = arg;
    begin_long_tasks(me, t, jd_nworkers(me));
    t->right = reads(me, t);
    must(me, jd_coll_release(me, t->small));
    must(me, jd_coll_wait(me, t->small));
    must(me, jd_cancel(me, jd_finish_mine(me)));
}

static void phases(jd_self *me, struct test *t)
{
    must(me, jd_coll_create(me, NULL, &t->small));
    for (int i = 0; jd_rank(me) == 0 && i < SMALL_TASKS; i++)
        must(me, jd_coll_add(me, t->small, SMALL, NULL, 0));
    t->right = true;
    if (jd_rank(me) == 0)
        must(me, jd_coll_hold(me, t->small));
    must(me, jd_coll_start(me, t->small));
    must(me, jd_barrier(me)); /* the busy rank's body has begun the phase, too */
    int error = JD_ECANCELED;
    if (jd_rank(me) == 0)
        error = jd_finish(me, end_phase_beside_long_tasks, t);
    else
        must(me, jd_coll_wait(me, t->small));
    ok_all(me, error == JD_ECANCELED, "long tasks see a cancellation");
    ok_all(me, t->right, "their rank answers jd_get");
    uint64_t ran = sum_of(me, atomic_load(&t->ran));
    ok_all(me, ran == SMALL_TASKS, "a phase of a collection ends beside them");
    must(me, jd_coll_destroy(me, t->small));
}

/* ---- tasks that long tasks make ---------------------------------------------------------- */

/* Waits for a task that it has made, and that only others can run. */
static void maker(jd_self *me, void *arg)
{
    (void)arg;
    must(me, jd_async(me, MADE, NULL, 0));
    spin_until_cancelled(me);
}

static void made(jd_self *me, void *arg)
{
    (void)arg;
    must(me, jd_cancel(me, jd_finish_mine(me)));
}

static void make(jd_self *me, void *arg)
{
    const struct test *t = arg;
    must(me, jd_async_at(me, t->busy, MAKER, NULL, 0));
}

static void steals(jd_self *me, struct test *t)
{
    int ended = 0;
    for (int i = 0; jd_rank(me) == 0 && i < MAKERS; i++)
        ended += jd_finish(me, make, t) == JD_ECANCELED;
    must(me, jd_barrier(me));
    ok_all(me, jd_rank(me) || ended == MAKERS, "what long tasks make runs elsewhere");
}

static int body(jd_self *me, int argc, char **argv)
{
    struct test t = {.word = jd_rank(me) + 1000, .busy = jd_nranks(me) - 1};
    (void)argc;
    (void)argv;
    jd_set_local(me, &t);
    must(me, jd_mem_create(me, &t.word, sizeof t.word, &t.mem));
    if (jd_nranks(me) > 1 && jd_nworkers(me) <= WORKERS_MOST) {
        phases(me, &t);
        steals(me, &t);
    }
    must(me, jd_mem_destroy(me, t.mem));
    ok_all(me, true, "the end");
    return end_of_tests(me);
}

static const jd_task_def tasks[] = {[BUSY] = JD_TASK(busy),
                                    [SMALL] = JD_TASK(small),
                                    [MAKER] = JD_TASK(maker),
                                    [MADE] = JD_TASK(made),
                                    JD_TASK_END};

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
