/*
 * hidden_tasks.c - tasks that lie private behind a long one: for a script.
 *
 * Role: prints, in virtual us, how long a task waits that was added by a task which then computes for
 *       10 ms itself: `early`, others have nothing to do when it is added; `late`, they have
 *       nothing from 1 ms on; `behind`, as late, the last of three tasks to start.
 * Owner: the body; one thread runs all ranks, so the ranks share `begun`.
 * See: test/sim/sched_hidden_tasks_are_reached.sh; doc/transfer.md "When tasks are opened".
 */
#include "test/dist/sched_kit.h"

enum { PARENT, CHILD, SHORT };

struct shape {
    uint32_t children;
    uint64_t before_ns; /* the parent computes before it adds them */
};

enum { MS = 1000000, LONG_NS = 10 * MS, MOST = 8 };

static double begun[MOST]; /* when a child began */
static unsigned children;

static void child(jd_self *me, void *arg)
{
    (void)arg;
    begun[children++] = jd_now(me);
    jd_compute(me, LONG_NS);
}

static void short_one(jd_self *me, void *arg)
{
    (void)arg;
    jd_compute(me, MS);
}

static void parent(jd_self *me, void *arg)
{
    struct shape shape = *(struct shape *)arg;
    jd_compute(me, shape.before_ns);
    for (uint32_t i = 0; i < shape.children; i++)
        must(me, jd_coll_add(me, jd_coll_mine(me), CHILD, NULL, 0));
    jd_compute(me, LONG_NS);
}

static const jd_task_def tasks[] = {[PARENT] = JD_TASK(parent),
                                    [CHILD] = JD_TASK(child),
                                    [SHORT] = JD_TASK(short_one),
                                    JD_TASK_END};

/* How long after the start of the phase the last child begins, in us. */
static void phase(jd_self *me, const char *name, unsigned shorts, struct shape shape)
{
    jd_coll *c;
    double last = 0;
    must(me, jd_coll_create(me, NULL, &c));
    if (jd_rank(me) == 0)
        must(me, jd_coll_add(me, c, PARENT, &shape, sizeof shape));
    for (unsigned i = 0; jd_rank(me) == 0 && i < shorts; i++)
        must(me, jd_coll_add(me, c, SHORT, NULL, 0));
    children = 0;
    must(me, jd_barrier(me));
    double began = jd_now(me);
    must(me, jd_coll_process(me, c));
    double took = jd_now(me) - began;
    for (unsigned i = 0; i < children; i++)
        last = begun[i] - began > last ? begun[i] - began : last;
    if (jd_rank(me) == 0)
        printf("%s: the last of %u began after %.0f us, all ended after %.0f us\n", name,
               children, 1e6 * last, 1e6 * took);
    must(me, jd_coll_destroy(me, c));
}

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    unsigned others = jd_nranks(me) * jd_nworkers(me) - 1;
    phase(me, "early", 0, (struct shape){1, 0});
    phase(me, "late", others, (struct shape){1, MS / 2});
    phase(me, "behind", others, (struct shape){3, MS / 2});
    return 0;
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
