/*
 * probe.c - the env that writes down.
 *
 * See: probe.h.
 */
#include "conform/probe.h"

#include <string.h>

static void probe_send(void *ctx, uint32_t dst, const struct jdi_td_msg *m)
{
    struct jdi_probe *p = ctx;
    p->dst[p->nsent % JDI_PROBE_SENT] = dst;
    p->msg[p->nsent++ % JDI_PROBE_SENT] = *m;
}

static bool probe_idle(void *ctx)
{
    const struct jdi_probe *p = ctx;
    return p->idle;
}

static void probe_stat(void *ctx, uint64_t out[JDI_TD_STATS])
{
    const struct jdi_probe *p = ctx;
    memcpy(out, p->stat, sizeof p->stat);
}

static void probe_announce(void *ctx, uint32_t phase, const uint64_t stat[JDI_TD_STATS])
{
    struct jdi_probe *p = ctx;
    p->announced++;
    p->phase = phase;
    p->sent_before = p->nsent;
    memcpy(p->result, stat, sizeof p->result);
}

void jdi_probe_init(struct jdi_probe *p, const struct jdi_td_ops *ops,
                    const struct jdi_td_config *c)
{
    const struct jdi_td_env env = {.ctx = p,
                                   .send = probe_send,
                                   .idle = probe_idle,
                                   .stat = probe_stat,
                                   .announce = probe_announce};
    memset(p, 0, sizeof *p);
    JD_CHECK(ops->size <= JDI_PROBE_TD);
    p->ops = ops;
    p->idle = true;
    ops->init(p->td, c, &env);
}

uint64_t jdi_probe_step(struct jdi_probe *p, uint64_t now)
{
    uint64_t wake = p->ops->step(p->td, now);
    p->ops->check(p->td);
    return wake;
}

void jdi_probe_message(struct jdi_probe *p, uint32_t src, struct jdi_td_msg m)
{
    p->ops->message(p->td, src, &m);
    p->ops->check(p->td);
}

const struct jdi_td_msg *jdi_probe_sent(const struct jdi_probe *p, unsigned i)
{
    JD_CHECK(i < p->nsent && p->nsent - i <= JDI_PROBE_SENT);
    return &p->msg[i % JDI_PROBE_SENT];
}
