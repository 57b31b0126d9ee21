/*
 * assumes_order.c - a program with a bug that only some orders of messages show.
 *
 * Role: has the bug that sim_schedule_shrinks.sh looks for.  Three tasks go to other ranks, and the
 *       program wrongly assumes that they begin in the order in which they were sent.
 * Owner: each rank notes when one of the three tasks began there; the body collects the notes.
 * Invariants: I1 with delays of the network alone the program ends with status 0.
 * See: test/sim/sim_schedule_shrinks.sh; built on the public interface only.
 */
#include "jackdaw.h"

#include <stdio.h>

enum { STEP, FILLER };
enum { STEPS = 3, FILLERS = 60, FILLER_NS = 10000, WRONG_ORDER = 3 };

struct began {
    double at[STEPS]; /* seconds; 0: not on this rank */
};

static void step(jd_self *me, void *arg)
{
    struct began *began = jd_coll_local(jd_coll_mine(me));
    began->at[*(const int *)arg] = jd_now(me);
}

static void filler(jd_self *me, void *arg)
{
    (void)arg;
    jd_compute(me, FILLER_NS);
}

static const jd_task_def tasks[] = {
    [STEP] = JD_TASK(step), [FILLER] = JD_TASK(filler), JD_TASK_END};

/* Thieves take the oldest first: the three steps. */
static void seed(jd_self *me, jd_coll *c)
{
    for (int i = 0; i < STEPS + FILLERS; i++)
        if (jd_coll_add(me, c, i < STEPS ? STEP : FILLER, &i, sizeof i))
            jd_abort(me, 1, "no memory for a task");
}

static int body(jd_self *me, int argc, char **argv)
{
    struct began began = {{0}};
    jd_coll_props props = {.name = "steps", .local = &began};
    jd_coll *c;
    (void)argc, (void)argv;
    if (jd_coll_create(me, &props, &c))
        return 1;
    if (jd_rank(me) == 0)
        seed(me, c);
    if (jd_coll_process(me, c) || jd_allreduce_f64(me, began.at, STEPS, JD_MAX) ||
        jd_coll_destroy(me, c))
        return 1;
    if (began.at[2] >= began.at[1] || began.at[1] >= began.at[0])
        return 0;
    if (jd_rank(me) == 0)
        fprintf(stderr, "the steps began in the wrong order\n");
    return WRONG_ORDER;
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
