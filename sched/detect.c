/*
 * detect.c - between a collection and its detector.
 *
 * Role: the detector's env: control messages, the idle test, the announcement.
 * Owner: the communication thread.
 * Invariants: I1 what the detector sends is posted, so no handler runs inside the detector.
 * See: termination/detector.h; doc/termination.md.
 *
 * Each TD message (am/messages.def) is sent once; they may arrive in any order.
 */
#include "sched/detect.h"

#include "sched/traces.h"

static void send_td(void *ctx, uint32_t dst, const struct jdi_td_msg *m)
{
    jd_coll *c = ctx;
    JD_ASSERT(jdi_rank_is_comm(c->rank));
    if (m->type == JDI_TD_UP)
        jdi_traces_comm(c->rank, JDI_TRACE_WAVE, c->id, m->wave, 0);
    struct jdi_am_msg out = {.type = JDI_MSG_TD, .nargs = 3 + JDI_TD_STATS};
    out.arg[0] = c->id | (uint64_t)m->type << 16 | (uint64_t)m->crossed << 24 |
                 (uint64_t)m->phase << 32;
    out.arg[1] = m->wave;
    out.arg[2] = (uint64_t)m->sum;
    for (int i = 0; i < JDI_TD_STATS; i++)
        out.arg[3 + i] = m->stat[i];
    /* Posted, because a handler that ran here would call the detector inside its own step. */
    if (jdi_am_post(c->rank->am, dst, &out))
        jdi_die(&c->rank->am->log, JDI_EXIT_MEMORY, "out of memory for a message");
}

static bool coll_is_idle(void *ctx)
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

/* A stamp comes with tasks; the handler of these knows the sender. */
static void impossible(void *ctx, uint32_t src, const char *text)
{
    const jd_coll *c = ctx;
    struct jdi_am *am = c->rank->am;
    const struct jdi_am_in *in = jdi_am_handling(am);
    bool known = in && src == JDI_TD_CALLER_KNOWS;
    jdi_am_peer_fault(am, known ? in->src : src, known ? in->msg->type : JDI_MSG_TD,
                      "%s: %s", c->name, text);
}

void jdi_detect_open(jd_coll *c)
{
    JD_ASSERT(jdi_rank_is_comm(c->rank));
    const struct jdi_td_env env = {c,     send_td,   coll_is_idle,
                                   audit, announced, impossible};
    const struct jdi_rank *r = c->rank;
    const struct jdi_td_config config = {
        .rank = r->am->rank,
        .nranks = r->am->nranks,
        .arity = (unsigned)r->knobs->tree_arity,
        .pause_min = 5000,
        .pause_max = 200000,
    };
    r->detector->init(c->td, &config, &env);
}

static void on_td(void *ctx, const struct jdi_am_in *in)
{
    struct jdi_rank *r = ctx;
    jd_coll *c = r->colls[JDI_GET(in->msg, TD, collection)];
    if (!c)
        jdi_am_refuse(in, "a collection that is not here");
    struct jdi_td_msg m = {
        .type = (enum jdi_td_type)JDI_GET(in->msg, TD, type),
        .crossed = JDI_GET(in->msg, TD, crossed),
        .phase = (uint32_t)JDI_GET(in->msg, TD, phase),
        .wave = JDI_GET(in->msg, TD, wave),
        .sum = (int64_t)JDI_GET(in->msg, TD, sum),
    };
    memcpy(m.stat, in->msg->arg + JDI_ARG_TD_stat0, sizeof m.stat);
    jdi_rank_news(r);
    jdi_rank_measure(r, r->turning, JDI_ACT_PROGRESS);
    r->detector->message(c->td, in->src, &m);
    jdi_rank_measure(r, r->turning, JDI_ACT_DETECT);
    JD_AUDIT(r->detector->check(c->td));
}

void jdi_detect_init(struct jdi_rank *r)
{
    jdi_am_set_handler(r->am, JDI_MSG_TD, on_td, r);
}
