/*
 * phase.c - a phase of a collection at one rank: its begin, tasks that come early, its end.
 *
 * Role: the steps in their order, around what only the kind knows.
 * Owner: the communication thread.
 * Invariants: I1 of phase.h.
 * See: phase.h; sched/coll_api.c, which begins phases; sched/plain.c, which ends them.
 */
#include "sched/phase.h"

#include "sched/ask.h"
#include "sched/recall.h"
#include "sched/traces.h"
#include "sched/unblock.h"

/* ---- the begin ---------------------------------------------------------------------- */

static void land_held(jd_coll *c)
{
    for (; c->held; c->nheld--) {
        struct jdi_held *h = c->held;
        c->held = h->next;
        c->kind->land(c, h->src, &h->m);
        jdi_free(h);
    }
    JD_ASSERT(!c->nheld); /* as many have landed as were kept */
}

/* From one field of a struct to before another one. */
#define SPAN(at, first, end)                                                             \
    {                                                                                    \
        &(at)->first,                                                                    \
            offsetof(__typeof__(*(at)), end) - offsetof(__typeof__(*(at)), first)        \
    }
#define SPAN_TO_END(at, first)                                                           \
    {                                                                                    \
        &(at)->first, sizeof *(at)-offsetof(__typeof__(*(at)), first)                    \
    }

/* What most turns use until another phase begins, and little else, because to fetch what is not used takes
 * as long as to fetch what is. */
static void name_hot(const jd_coll *c)
{
    const struct jdi_rank *r = c->rank;
    const struct jdi_am_hot hot[] = {
        SPAN(c, rank, steal.count),    SPAN_TO_END(c, load),
        {c->seat, sizeof *c->seat},    {c->td, r->detector->size},
        SPAN(r->workers, rank, stats), SPAN_TO_END(r->workers, stats.sleeps),
        {&r->am, sizeof r->am},        SPAN(r, place, rng),
        SPAN(r, ncolls, loads),        SPAN_TO_END(r, epoch),
    };
    memcpy(r->am->hot + 2, hot, sizeof hot);
}

void jdi_phase_begin(jd_coll *c)
{
    JD_ASSERT(jdi_rank_is_comm(c->rank));
    struct jdi_rank *r = c->rank;
    jdi_coll_begin(c);
    c->phase++;
    jdi_traces_comm(r, JDI_TRACE_BEGIN, c->id, 0, c->phase);
    c->began = jdi_rank_now(r);
    jdi_ask_begin(c);
    jdi_coll_set_state(c, JDI_COLL_SEEDING, JDI_COLL_OPEN);
    jdi_retain_begin(c, jdi_rank_now(r));
    jdi_recall_begin(c);
    land_held(c); /* before the first idle test (rule R9) */
    r->detector->enter(c->td, c->phase);
    jdi_coll_activate(c);
    JD_AUDIT(jdi_coll_check(c));
    jdi_rank_news(r);
    name_hot(c);
}

/* ---- tasks that come early ---------------------------------------------------------- */

static void hold(jd_coll *c, uint32_t src, const struct jdi_am_msg *m)
{
    struct jdi_held *h = jdi_alloc(&c->rank->am->fault, sizeof *h + m->len);
    if (!h)
        jdi_die(&c->rank->am->log, JDI_EXIT_MEMORY,
                "out of memory for %u bytes of tasks of %s", m->len, c->name);
    *h = (struct jdi_held){.next = c->held, .src = src, .m = *m};
    memcpy(h->bytes, m->data, m->len);
    h->m.data = h->bytes;
    c->held = h;
    c->nheld++;
}

bool jdi_phase_arrived(jd_coll *c, const struct jdi_am_in *in)
{
    const struct jdi_am_msg *m = in->msg;
    JD_ASSERT(jdi_rank_is_comm(c->rank));
    const struct jdi_td_ops *detector = c->rank->detector;
    struct jdi_td_stamp stamp = {(uint32_t)JDI_GET(m, TASKS, phase),
                                 (uint32_t)JDI_GET(m, TASKS, wave)};
    bool now = detector->imported(c->td, stamp);
    JD_AUDIT(detector->check(c->td));
    if (!now)
        hold(c, in->src, m);
    return now;
}

/* ---- the end ------------------------------------------------------------------------ */

static void count_phase(struct jdi_stats *s, const jd_coll_info *info)
{
    s->stolen_in += info->stolen_in;
    s->stolen_out += info->stolen_out;
    s->waves += info->waves;
}

void jdi_phase_end(jd_coll *c, uint32_t phase, uint64_t all_executed)
{
    JD_ASSERT(jdi_rank_is_comm(c->rank));
    struct jdi_rank *r = c->rank;
    JD_CHECK_EQ(phase, c->phase);
    jdi_traces_comm(r, JDI_TRACE_END, c->id, 0, phase);
    struct jdi_td_figures figures;
    r->detector->figures(c->td, &figures);
    jdi_coll_deactivate(c);
    jdi_ask_end(c);
    jdi_coll_end(c);
    jdi_recall_end(c);
    c->info.all_executed = all_executed;
    c->info.waves = figures.waves;
    count_phase(r->stats, &c->info);
    if (r->on_phase_end)
        r->on_phase_end(c);
    jdi_coll_set_state(c, JDI_COLL_OPEN, JDI_COLL_DONE);
    jdi_rank_news(r);
    JD_ASSERT(!jdi_store_local(&c->store));
    jd_self *waiter = c->waiter;
    c->waiter = NULL;
    JD_AUDIT(jdi_coll_check(c));
    if (waiter) {
        jdi_standstill_leave(r);
        jdi_unblock(NULL, waiter);
    }
}
