/*
 * count.c - see count.h; jd_stats.
 *
 * Role: counts a thread, a rank, or the job for the public call.
 * Owner: the communication thread; the ULT that asks waits for it.
 * Invariants: I1 of count.h.
 *             I2 all ranks reduce all counters, whichever each of them has asked for.
 * Order: see count.h.
 * See: count.h; include/jackdaw.h.
 */
#include "sched/live/count.h"

#include "sched/ask.h"
#include "sched/collective.h"
#include "sched/finish/pools.h"
#include "sched/unblock.h"

#include <string.h>

/* ---- a thread --------------------------------------------------------------------------- */

/* While the thread runs, its life is what was booked, and its processor time is not known. */
static void add_clock(struct jdi_stats *s, const struct jdi_clock *c, bool ended)
{
    uint64_t ns[JDI_ACTIVITIES], all = 0;
    for (unsigned i = 0; i < JDI_ACTIVITIES; i++)
        all += ns[i] = jdi_stats_get(&c->ns[i]);
    s->ns_work += ns[JDI_ACT_WORK];
    s->ns_steal += ns[JDI_ACT_STEAL];
    s->ns_idle += ns[JDI_ACT_IDLE];
    s->ns_progress += ns[JDI_ACT_PROGRESS];
    s->ns_detect += ns[JDI_ACT_DETECT];
    s->ns_life += ended ? c->life : all;
    s->ns_cpu += ended ? c->cpu : 0;
}

/* What collection c has not yet added to the counters of thread i. */
static void add_coll(const jd_coll *c, unsigned i, struct jdi_stats *s)
{
    struct jdi_account_sums live = {0};
    jdi_account_live(&c->seat[i].account, &live);
    if (i + 1 == c->nowners) {
        s->stolen_in += live.in;
        s->stolen_out += live.out;
        jdi_ask_count(c, s);
        return;
    }
    s->created += live.in;
    s->executed += live.out;
    if (!c->kind->visible)
        s->finish_tasks += live.out;
}

void jdi_count_thread(struct jdi_rank *r, unsigned i, bool ended, struct jdi_stats *out)
{
    bool comm = i == r->nworkers;
    JD_ASSERT(jdi_rank_is_comm(r));
    *out = (struct jdi_stats){0};
    if (!comm)
        jdi_stats_read(out, &r->workers[i].stats);
    else if (r->place.apart) /* else these are in worker 0's */
        *out = *r->stats;
    if (comm)
        jdi_am_count(r->am, out);
    add_clock(out, comm ? &r->clock : &r->workers[i].clock, ended);
    out->finishes_opened += jdi_pools_opened(r, i);
    for (unsigned k = 0; k < r->ncolls; k++)
        if (r->colls[k])
            add_coll(r->colls[k], i, out);
}

/* ---- the public call -------------------------------------------------------------------- */

struct stats_call {
    struct jdi_collective all;
    struct jdi_stats sum, most;
    enum jd_stats_of of;
    unsigned worker;
};

static void count_some(struct jdi_rank *r, struct stats_call *s)
{
    struct jdi_stats one;
    for (unsigned i = 0; i <= r->nworkers; i++) {
        if (s->of == JD_STATS_WORKER && i != s->worker)
            continue;
        jdi_count_thread(r, i, false, &one);
        jdi_stats_add(&s->sum, &one);
    }
}

static void add_ranks(struct jdi_collective *all)
{
    struct stats_call *s = jdi_container_of(all, struct stats_call, all);
    if (all->stepped) {
        jdi_collective_done(all, 0);
        return;
    }
    all->stepped = true;
    jdi_collective_reduce(all, (uint64_t *)(void *)&s->most, JDI_STATS_COUNT, JDI_AM_U64,
                          JD_MAX);
}

static void run_stats(struct jdi_rank *r, struct jdi_call *call)
{
    struct jdi_collective *all = jdi_container_of(call, struct jdi_collective, call);
    struct stats_call *s = jdi_container_of(all, struct stats_call, all);
    count_some(r, s);
    if (s->of != JD_STATS_JOB) {
        jdi_unblock(NULL, all->me);
        return;
    }
    s->most = s->sum;
    all->reduced = add_ranks;
    jdi_collective_reduce(all, (uint64_t *)(void *)&s->sum, JDI_STATS_COUNT, JDI_AM_U64,
                          JD_SUM);
}

/* Of classes: how many there are in all. */
static uint64_t value_for(const struct jdi_stats_row *row, const struct stats_call *s)
{
    bool most = s->of == JD_STATS_JOB && row->kind == JDI_STATS_KIND_MOST;
    const uint64_t *words = jdi_stats_words(most ? &s->most : &s->sum) + row->at;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < row->n; i++)
        sum += words[i];
    return sum;
}

const char *jd_stats_name(size_t i)
{
    const struct jdi_stats_row *row = jdi_stats_row(i);
    return row ? row->name : NULL;
}

int jd_stats(jd_self *me, enum jd_stats_of of, const char *const *name, size_t n,
             uint64_t *value)
{
    struct stats_call s = {
        .all = {.me = me, .call.run = run_stats}, .of = of, .worker = me->worker->index};
    for (size_t i = 0; i < n; i++)
        if (!name || !value || !name[i] || !jdi_stats_find(name[i]))
            return JD_EINVAL;
    if (of == JD_STATS_JOB) {
        s.all.what = JDI_COLLECTIVE_STATS;
        int error = jdi_collective(me, &s.all, run_stats);
        if (error)
            return error;
    } else if (of == JD_STATS_WORKER || of == JD_STATS_RANK) {
        jdi_self_call(me, &jdi_self_asks_comm, &s.all.call);
    } else {
        return JD_EINVAL;
    }
    for (size_t i = 0; i < n; i++)
        value[i] = value_for(jdi_stats_find(name[i]), &s);
    return 0;
}
