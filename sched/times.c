/*
 * times.c - the public calls on times of tasks.
 *
 * Role: the load of all ranks, the seeds of this one by their time, tasks that had nothing to do.
 * Owner: the body; jd_task_null: the task.
 * Invariants: I1 a history is read only while its phase is over and nothing was restored.
 * See: include/jackdaw.h; sched/history.h; doc/history.md.
 */
#include "sched/collective.h"
#include "sched/stopwatch.h"

int jd_task_null(jd_self *me)
{
    if (!me->watch)
        return JD_ESTATE;
    me->watch->null = true;
    return 0;
}

/* ---- the load of all ranks ---------------------------------------------------------- */

/* What is reduced by minimum; of what is to be the most, the complement. */
enum { LEAST_RANK, MOST_RANK, LEAST_WORKER, MOST_WORKER, LONGEST, EXTREMES };

struct load_call {
    struct jdi_collective all;
    uint64_t extreme[EXTREMES];
    uint64_t sum[2]; /* load, workers */
};

static void least_is_known(struct jdi_collective *all)
{
    struct load_call *l = jdi_container_of(all, struct load_call, all);
    all->reduced = NULL;
    jdi_collective_reduce(all, l->sum, 2, JDI_AM_U64, JD_SUM);
}

static void run_load(struct jdi_rank *r, struct jdi_call *call)
{
    struct load_call *l = jdi_container_of(call, struct load_call, all.call);
    const struct jdi_history *h = l->all.coll->history;
    uint64_t *extreme = l->extreme;
    for (unsigned i = 0; i < EXTREMES; i++)
        extreme[i] = UINT64_MAX;
    l->sum[0] = l->all.coll->info.load;
    l->sum[1] = r->nworkers;
    for (unsigned i = 0; i < r->nworkers; i++) {
        const struct jdi_sheet *s = &h->sheet[i];
        if (s->load < extreme[LEAST_WORKER])
            extreme[LEAST_WORKER] = s->load;
        if (~s->load < extreme[MOST_WORKER])
            extreme[MOST_WORKER] = ~s->load;
        if (~s->longest < extreme[LONGEST])
            extreme[LONGEST] = ~s->longest;
    }
    extreme[LEAST_RANK] = l->sum[0];
    extreme[MOST_RANK] = ~l->sum[0];
    jdi_collective_reduce(&l->all, extreme, EXTREMES, JDI_AM_U64, JD_MIN);
}

static jd_spread spread_of(uint64_t least, uint64_t most, uint64_t sum, uint64_t n)
{
    jd_spread s = {least, most, (double)sum / (double)n, 1};
    if (sum)
        s.imbalance = (double)most / s.mean;
    return s;
}

int jd_coll_get_load(jd_self *me, jd_coll *coll, jd_coll_spread *out)
{
    if (!coll || !out)
        return JD_EINVAL;
    if (!me->is_body || !coll->history || jdi_coll_state(coll) == JDI_COLL_OPEN)
        return JD_ESTATE;
    struct load_call l = {.all = {.what = JDI_COLLECTIVE_COLL_GET_LOAD,
                                  .coll = coll,
                                  .reduced = least_is_known}};
    int error = jdi_collective(me, &l.all, run_load);
    if (error)
        return error;
    const uint64_t *e = l.extreme;
    *out = (jd_coll_spread){
        .longest = ~e[LONGEST],
        .ranks = spread_of(e[LEAST_RANK], ~e[MOST_RANK], l.sum[0], me->rank->am->nranks),
        .workers = spread_of(e[LEAST_WORKER], ~e[MOST_WORKER], l.sum[0], l.sum[1])};
    return 0;
}

/* ---- what will be ------------------------------------------------------------------- */

int jd_coll_load_model(jd_self *me, jd_coll *coll, enum jd_load_model model,
                       unsigned phases)
{
    if (!coll || model < JD_LOAD_LAST || model > JD_LOAD_TREND ||
        phases > JDI_ORIGIN_TIMES)
        return JD_EINVAL;
    if (!me->is_body || !coll->history || jdi_coll_state(coll) == JDI_COLL_OPEN)
        return JD_ESTATE;
    coll->model = (struct jdi_model){model, phases ? phases : JDI_ORIGIN_TIMES};
    return 0;
}

/* ---- the seeds of this rank --------------------------------------------------------- */

_Static_assert((int)JD_TIMES_KNOWN == (int)JDI_ORIGIN_TIMES, "all are told");

static jd_seed_time time_of(const jd_coll *c, struct jdi_task *t)
{
    const struct jdi_origin *o = jdi_origin_of(t);
    jd_seed_time said = {.rank = o->rank,
                         .index = o->index,
                         .task = t->fn,
                         .worker = jdi_history_owner(c, t),
                         .arg = jdi_coll_arg(c, t),
                         .size = t->len - c->origin};
    for (unsigned i = 0; i < JDI_ORIGIN_TIMES; i++)
        said.ns[i] = jdi_origin_ns(o->time[i]);
    return said;
}

int jd_coll_each_time(const jd_self *me, jd_coll *coll,
                      int (*fn)(void *ctx, const jd_seed_time *t), void *ctx)
{
    if (!coll || !fn)
        return JD_EINVAL;
    if (!me->is_body || !coll->history || jdi_coll_state(coll) != JDI_COLL_DONE)
        return JD_ESTATE;
    int said = jdi_history_sort(coll);
    for (uint64_t i = 0; i < coll->history->nseeds && !said; i++) {
        jd_seed_time t = time_of(coll, coll->history->seed[i]);
        said = fn(ctx, &t);
    }
    return said;
}
