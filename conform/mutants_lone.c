/*
 * mutants_lone.c - ranks that send no message of their own.
 *
 * Role: one never announces, one as soon as it is idle, one when it has also got as much as it
 *       has sent.
 * See: mutants_lone.h.
 */
#include "conform/mutants_lone.h"

#include <string.h>

/* One rank that looks at nothing but itself. */
struct lone {
    struct jdi_td_env env;
    uint32_t phase, sent, recv;
    bool open, counts;
};

static void lone_init(void *td, const struct jdi_td_config *c,
                      const struct jdi_td_env *env)
{
    struct lone *l = td;
    (void)c;
    memset(l, 0, sizeof *l);
    l->env = *env;
    l->phase = 1;
}

static void lone_init_counts(void *td, const struct jdi_td_config *c,
                             const struct jdi_td_env *env)
{
    struct lone *l = td;
    lone_init(td, c, env);
    l->counts = true;
}

static void lone_enter(void *td, uint32_t phase)
{
    struct lone *l = td;
    l->phase = phase;
    l->open = true;
}

static struct jdi_td_stamp lone_exported(void *td)
{
    struct lone *l = td;
    l->sent++;
    return (struct jdi_td_stamp){l->phase, 0};
}

static bool lone_imported(void *td, struct jdi_td_stamp stamp)
{
    struct lone *l = td;
    l->recv++;
    return l->open && stamp.phase == l->phase;
}

static void lone_message(void *td, uint32_t src, const struct jdi_td_msg *m)
{
    (void)td;
    (void)src;
    (void)m;
}

static uint64_t lone_step(void *td, uint64_t now)
{
    struct lone *l = td;
    const uint64_t none[JDI_TD_STATS] = {0};
    (void)now;
    if (l->open && l->env.idle(l->env.ctx) && (!l->counts || l->sent == l->recv)) {
        l->open = false;
        l->env.announce(l->env.ctx, l->phase++, none);
    }
    return JDI_TD_NEVER;
}

static void lone_figures(const void *td, struct jdi_td_figures *out)
{
    (void)td;
    memset(out, 0, sizeof *out);
}

static uint64_t lone_step_never(void *td, uint64_t now)
{
    (void)td;
    (void)now;
    return JDI_TD_NEVER;
}

static void lone_unchecked(const void *td)
{
    (void)td;
}

#define OPS(mutant, init_fn, step_fn)                                                    \
    const struct jdi_td_ops jdi_mutant_##mutant = {.name = #mutant,                      \
                                                   .size = sizeof(struct lone),          \
                                                   .version = JDI_TD_VERSION,            \
                                                   .init = init_fn,                      \
                                                   .enter = lone_enter,                  \
                                                   .exported = lone_exported,            \
                                                   .imported = lone_imported,            \
                                                   .message = lone_message,              \
                                                   .step = step_fn,                      \
                                                   .figures = lone_figures,              \
                                                   .check = lone_unchecked};
OPS(never, lone_init, lone_step_never)
OPS(at_once, lone_init, lone_step)
OPS(alone, lone_init_counts, lone_step)
