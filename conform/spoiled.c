/*
 * spoiled.c - calls the hooks around the operations of francez.
 *
 * Role: it also stands between francez and its world, so that a hook can lie about either.
 * See: spoiled.h.
 */
#include "conform/spoiled.h"

#include <string.h>

static void latch(struct jdi_spoiled *m)
{
    if (m->f.state != JDI_FRANCEZ_OUT && m->world.idle(m->world.ctx))
        m->latched = true;
}

static void spoiled_send(void *ctx, uint32_t dst, const struct jdi_td_msg *msg)
{
    struct jdi_spoiled *m = ctx;
    struct jdi_td_msg said = *msg;
    if (m->hooks->say)
        m->hooks->say(m, dst, &said);
    if (!m->hooks->drop_term || msg->type != JDI_TD_TERM || m->f.rank == 0)
        m->world.send(m->world.ctx, dst, &said);
}

static bool spoiled_idle(void *ctx)
{
    struct jdi_spoiled *m = ctx;
    return m->world.idle(m->world.ctx) || (m->hooks->latch_idle && m->latched);
}

static void spoiled_stat(void *ctx, uint64_t out[JDI_TD_STATS])
{
    struct jdi_spoiled *m = ctx;
    m->world.stat(m->world.ctx, out);
}

static void spoiled_announce(void *ctx, uint32_t phase, const uint64_t stat[JDI_TD_STATS])
{
    struct jdi_spoiled *m = ctx;
    m->latched = m->sampled = m->zero = m->stamped = false;
    m->late = 0;
    m->world.announce(m->world.ctx, phase, stat);
    if (m->hooks->ended)
        m->hooks->ended(m, phase);
}

void jdi_spoiled_start(void *td, const struct jdi_td_config *c,
                       const struct jdi_td_env *env,
                       const struct jdi_spoiled_hooks *hooks)
{
    struct jdi_spoiled *m = td;
    const struct jdi_td_env mine = {.ctx = m,
                                    .send = spoiled_send,
                                    .idle = spoiled_idle,
                                    .stat = spoiled_stat,
                                    .announce = spoiled_announce};
    memset(m, 0, sizeof *m);
    m->hooks = hooks;
    m->world = *env;
    jdi_td_francez.init(&m->f, c, &mine);
}

void jdi_spoiled_enter(void *td, uint32_t phase)
{
    struct jdi_spoiled *m = td;
    if (m->hooks->before_enter)
        m->hooks->before_enter(m, phase);
    jdi_td_francez.enter(&m->f, phase);
}

struct jdi_td_stamp jdi_spoiled_exported(void *td)
{
    struct jdi_spoiled *m = td;
    latch(m);
    struct jdi_td_stamp s = jdi_td_francez.exported(&m->f);
    if (m->hooks->sent)
        m->hooks->sent(m, &s);
    return s;
}

bool jdi_spoiled_imported(void *td, struct jdi_td_stamp stamp)
{
    struct jdi_spoiled *m = td;
    latch(m);
    if (m->hooks->got)
        m->hooks->got(m, &stamp);
    bool open = jdi_td_francez.imported(&m->f, stamp);
    if (m->hooks->got_it)
        m->hooks->got_it(m, jdi_spoiled_slot(m, stamp.phase));
    return open;
}

void jdi_spoiled_message(void *td, uint32_t src, const struct jdi_td_msg *msg)
{
    struct jdi_spoiled *m = td;
    latch(m);
    if (msg->type == JDI_TD_ACK) /* only a lie, which nobody minds */
        return;
    jdi_td_francez.message(&m->f, src, msg);
    if (msg->type == JDI_TD_NEXT && m->hooks->next)
        m->hooks->next(m, jdi_spoiled_slot(m, m->f.phase));
}

uint64_t jdi_spoiled_step(void *td, uint64_t now)
{
    struct jdi_spoiled *m = td;
    uint32_t phase = m->f.phase;
    uint64_t waves = m->f.figures.waves;
    bool paused = m->f.state == JDI_FRANCEZ_WAITING;
    latch(m);
    if (m->hooks->before_step)
        m->hooks->before_step(m, jdi_spoiled_slot(m, phase));
    uint64_t wake =
        jdi_td_francez.step(&m->f, m->hooks->narrow_clock ? (uint32_t)now : now);
    if (m->f.phase != phase)
        return wake;
    bool reported = m->f.figures.waves != waves;
    if (m->hooks->after_step)
        m->hooks->after_step(m, jdi_spoiled_slot(m, phase), reported);
    if (reported)
        m->latched = false;
    if (m->f.rank == 0 && m->f.state == JDI_FRANCEZ_OPEN && (reported || paused) &&
        m->hooks->next)
        m->hooks->next(m, jdi_spoiled_slot(m, phase));
    return wake;
}

void jdi_spoiled_figures(const void *td, struct jdi_td_figures *out)
{
    const struct jdi_spoiled *m = td;
    jdi_td_francez.figures(&m->f, out);
    if (m->hooks->lies)
        out->failed = 0;
}

void jdi_spoiled_check(const void *td)
{
    (void)td;
}
