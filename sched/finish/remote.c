/*
 * remote.c - a finish between ranks: the communication hand's part and its detector.
 *
 * Role: the env of a rooted detector; making and ending what ties a part to other ranks.
 * Owner: the communication hand.
 * Invariants: I1 and I2 of remote.h.
 *             I3 everything is sent by jdi_am_post, so no handler runs inside.
 * See: remote.h; doc/async.md; termination/rooted.c and its rules.
 */
#include "sched/finish/remote.h"

#include "sched/finish/pool.h"

struct jdi_remote *jdi_remote_find(const struct jdi_rank *r, jd_finish_id id)
{
    JD_ASSERT(jdi_rank_is_comm(r));
    const struct jdi_pool *a = jdi_pool_of(r);
    return (struct jdi_remote *)(void *)jdi_keyed_find(&a->remote, id.number, id.home);
}

static void send_return(void *ctx, uint32_t dst, const struct jdi_rooted_return *m)
{
    const struct jdi_part *p = ctx;
    struct jdi_am *am = p->hand->rank->am;
    struct jdi_am_msg out = {.type = JDI_MSG_SCOPE, .nargs = 3};
    out.arg[0] = p->root->id.number;
    out.arg[1] = p->root->id.home;
    out.arg[2] = m->weight;
    p->hand->rank->stats->answers++;
    if (jdi_am_post(am, dst, &out))
        jdi_die(&am->log, JDI_EXIT_MEMORY, "out of memory for a message");
}

static bool part_is_idle(void *ctx)
{
    const struct jdi_part *p = ctx;
    return p->live == 0;
}

static void no_words(void *ctx, uint64_t out[JDI_TD_STATS])
{
    (void)ctx;
    memset(out, 0, JDI_TD_STATS * sizeof *out);
}

/* Nothing to do, because jdi_remote_ended asks the detector. */
static void done(void *ctx, const uint64_t stat[JDI_TD_STATS])
{
    (void)ctx, (void)stat;
}

static struct jdi_remote *new_away(struct jdi_part *p)
{
    JD_ASSERT(jdi_hand_is_mine(p->hand));
    struct jdi_rank *r = p->hand->rank;
    struct jdi_remote *w = jdi_zalloc(&r->am->fault, sizeof *w);
    if (!w)
        jdi_die(&r->am->log, JDI_EXIT_MEMORY, "out of memory for a finish");
    w->part = p;
    w->key.key[0] = p->root->id.number;
    w->key.key[1] = p->root->id.home;
    jdi_keyed_put(&jdi_pool_of(r)->remote, &w->key);
    p->remote = w;
    JD_ASSERT(jdi_remote_find(r, p->root->id) == w); /* I2 */
    return w;
}

struct jdi_remote *jdi_remote_of(struct jdi_part *p)
{
    if (p->remote)
        return p->remote;
    struct jdi_remote *w = new_away(p);
    const struct jdi_rooted_env env = {p, send_return, part_is_idle, no_words, done};
    const struct jdi_rank *r = p->hand->rank;
    jdi_rooted_init(&w->rooted, r->am->rank, p->root->id.home, jdi_remote_rule(r), &env);
    w->rooted.max_exponent = jdi_remote_exponent(r);
    return w;
}

struct jdi_remote *jdi_remote_all(struct jdi_part *p)
{
    struct jdi_remote *w = new_away(p);
    w->all = true;
    return w;
}

void jdi_remote_free(struct jdi_remote *w)
{
    jdi_keyed_remove(&jdi_pool_of(w->part->hand->rank)->remote, &w->key);
    w->part->remote = NULL;
    jdi_free(w);
}

bool jdi_remote_ended(struct jdi_part *p)
{
    JD_ASSERT(jdi_hand_is_mine(p->hand));
    struct jdi_remote *w = p->remote;
    if (w->all)
        return false;
    jdi_rooted_step(&w->rooted);
    if (jdi_rooted_engaged(&w->rooted))
        return false;
    jdi_remote_free(w);
    return true;
}

static void on_scope(void *ctx, const struct jdi_am_in *in)
{
    struct jdi_rank *r = ctx;
    jd_finish_id id = {.number = JDI_GET(in->msg, SCOPE, number),
                       .home = (uint32_t)JDI_GET(in->msg, SCOPE, home)};
    struct jdi_remote *w = jdi_pool_of(r) ? jdi_remote_find(r, id) : NULL;
    struct jdi_rooted_return m = {.weight = JDI_GET(in->msg, SCOPE, weight)};
    const char *fault = w ? jdi_rooted_fault_of_return(&w->rooted, &m)
                          : "it is for no finish that this rank has given tasks of";
    if (fault)
        jdi_am_refuse(in, fault);
    jdi_rank_news(r);
    jdi_rooted_returned(&w->rooted, &m);
    if (w->part->live == 0)
        jdi_part_zero(w->part);
}

void jdi_remote_init(struct jdi_rank *r)
{
    jdi_am_set_handler(r->am, JDI_MSG_SCOPE, on_scope, r);
}
