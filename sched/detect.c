/*
 * detect.c - between a collection and its detector.
 *
 * Role: the detector's env: control messages, the idle test, the announcement.
 * Owner: the communication thread.
 * Invariants: I1 what the detector sends is posted, so that no handler runs inside of it.
 * See: termination/detector.h; doc/termination.md.
 *
 * JDI_MSG_TD: arg0 = collection | type << 16 | crossed << 24 | phase << 32, arg1 = wave,
 * arg2 = sum, arg3.. = stat.  Sent once, may arrive in any order.
 */
#include "sched/detect.h"

static void send_td(void *ctx, uint32_t dst, const struct jdi_td_msg *m)
{
    jd_coll *c = ctx;
    struct jdi_am_msg out = {.type = JDI_MSG_TD, .nargs = 3 + JDI_TD_STATS};
    out.arg[0] = c->id | (uint64_t)m->type << 16 | (uint64_t)m->crossed << 24 |
                 (uint64_t)m->phase << 32;
    out.arg[1] = m->wave;
    out.arg[2] = (uint64_t)m->sum;
    for (int i = 0; i < JDI_TD_STATS; i++)
        out.arg[3 + i] = m->stat[i];
    /* Posted: a handler that ran inside would call the detector in the middle of a step. */
    if (jdi_am_post(c->rank->am, dst, &out))
        jdi_die(&c->rank->am->log, JDI_EXIT_MEMORY, "out of memory for a message");
}

static bool is_idle(void *ctx)
{
    return jdi_coll_idle(ctx);
}

static void audit(void *ctx, uint64_t out[JDI_TD_STATS])
{
    jdi_coll_audit(ctx, out);
}

static void announced(void *ctx, uint32_t phase, const uint64_t stat[JDI_TD_STATS])
{
    jd_coll *c = ctx;
    c->kind->announced(c, phase, stat);
}

void jdi_detect_open(jd_coll *c)
{
    const struct jdi_td_env env = {c, send_td, is_idle, audit, announced};
    const struct jdi_rank *r = c->rank;
    const struct jdi_td_config config = {
        .rank = r->am->rank,
        .nranks = r->am->nranks,
        .arity = (unsigned)r->knobs.tree_arity,
        .pause_min = 5000,
        .pause_max = 200000,
    };
    r->detector->init(c->td, &config, &env);
}

static void on_td(void *ctx, const struct jdi_am_in *in)
{
    struct jdi_rank *r = ctx;
    const uint64_t *arg = in->msg->arg;
    uint16_t id = (uint16_t)arg[0];
    if (id >= JDI_COLLS_MAX || !r->colls[id])
        jdi_die(&r->am->log, JDI_EXIT_BUG,
                "detector message from rank %u for collection %u", in->src, id);
    struct jdi_td_msg m = {
        .type = (enum jdi_td_type)(arg[0] >> 16 & 0xff),
        .crossed = arg[0] >> 24 & 1,
        .phase = (uint32_t)(arg[0] >> 32),
        .wave = arg[1],
        .sum = (int64_t)arg[2],
    };
    memcpy(m.stat, arg + 3, sizeof m.stat);
    jdi_rank_news(r);
    r->detector->message(r->colls[id]->td, in->src, &m);
}

void jdi_detect_init(struct jdi_rank *r)
{
    jdi_am_set_handler(r->am, JDI_MSG_TD, on_td, r);
}
