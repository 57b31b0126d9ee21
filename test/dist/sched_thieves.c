/*
 * sched_thieves.c - a remembered thief gets tasks when its victim has some.
 *
 * Role: with JACKDAW_STEAL=lifeline and JACKDAW_STEAL_TRIES=0 a rank asks only ranks that
 *       will remember it, and asks none again until it is fed.  All work begins on rank 0, and
 *       grows until every rank has had some or a deadline has passed.  So a forgotten rank is
 *       detected.
 * Owner: every rank is a thread of this process; `seen` belongs to all ranks.
 * See: doc/transfer.md "Giving"; test/dist/sched_runtime.sh.
 */
#include "test/dist/sched_kit.h"

enum { FIRST = 40, TASK_NS = 50000, DEADLINE_S = 20, PHASES = 6 };

enum { SEED, DELAY, WORK };

static _Atomic uint64_t seen; /* a bit for each rank that has run a task in this phase */

struct life {
    double until;
    uint64_t all;
};

static void work(jd_self *me, void *arg)
{
    struct life life = *(struct life *)arg;
    uint64_t bit = (uint64_t)1 << jd_rank(me);
    uint64_t have = atomic_fetch_or_explicit(&seen, bit, memory_order_relaxed) | bit;
    if (have == life.all || jd_now(NULL) > life.until)
        return;
    jd_compute(me, TASK_NS);
    for (int i = 0; i < 2;
         i++) /* more and more: sooner or later everybody has to spare */
        must(me, jd_coll_add(me, jd_coll_mine(me), WORK, &life, sizeof life));
}

/* The rank is busy and has nothing to spare while its thieves come; then it makes the tasks. */
static void delay(jd_self *me, void *arg)
{
    struct life life = *(struct life *)arg;
    bool over = jd_now(NULL) > life.until;
    life.until += over ? DEADLINE_S : 0;
    jd_compute(me, TASK_NS);
    for (int i = 0; i < (over ? FIRST : 1); i++)
        must(me,
             jd_coll_add(me, jd_coll_mine(me), over ? WORK : DELAY, &life, sizeof life));
}

static void seed(jd_self *me, void *arg)
{
    struct life life = {jd_now(NULL) + 5e-3, ((uint64_t)1 << jd_nranks(me)) - 1};
    (void)arg;
    must(me, jd_coll_add(me, jd_coll_mine(me), DELAY, &life, sizeof life));
}

static const jd_task_def tasks[] = {[SEED] = JD_TASK(seed),
                                    [DELAY] = JD_TASK(delay),
                                    [WORK] = JD_TASK(work),
                                    JD_TASK_END};

static int body(jd_self *me, int argc, char **argv)
{
    jd_coll *c;
    (void)argc, (void)argv;
    must(me, jd_coll_create(me, NULL, &c));
    if (jd_rank(me) == 0)
        must(me, jd_coll_add(me, c, SEED, NULL, 0));
    for (int phase = 0; phase < PHASES; phase++) {
        if (phase)
            must(me, jd_coll_restore(me, c, JD_RESTORE_SEED));
        atomic_store_explicit(&seen, 0, memory_order_relaxed);
        must(me, jd_barrier(me));
        must(me, jd_coll_process(me, c));
        jd_coll_info info;
        must(me, jd_coll_get_info(me, c, &info));
        ok_all(me, info.executed > 0, "phase %d: every rank got tasks", phase);
    }
    must(me, jd_coll_destroy(me, c));
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
