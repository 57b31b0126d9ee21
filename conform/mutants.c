/*
 * mutants.c - see mutants.h.
 *
 * Role: hooks around the operations of `francez`, one small set for each wrong detector.
 * Owner: the test.
 * Invariants: I1 of mutants.h.
 * See: mutants.h; termination/francez.h.
 */
#include "conform/mutants.h"

#include "termination/francez.h"

#include <string.h>

struct spoiled;

/* All may be NULL. */
struct hooks {
    void (*before_enter)(struct spoiled *m, uint32_t phase);
    void (*sent)(struct spoiled *m, struct jdi_td_stamp *stamp); /* after exported */
    void (*got)(struct spoiled *m, struct jdi_td_stamp *stamp);  /* before imported */
    void (*got_it)(struct spoiled *m, struct jdi_francez_slot *s);
    void (*before_step)(struct spoiled *m, struct jdi_francez_slot *s);
    /* The phase is still open; reported: a wave number was used up. */
    void (*after_step)(struct spoiled *m, struct jdi_francez_slot *s, bool reported);
    void (*next)(struct spoiled *m, struct jdi_francez_slot *s); /* the wave begins */
    bool drop_term;
};

/* A detector with its lies. */
struct spoiled {
    struct jdi_francez f; /* first: its operations take a pointer to this */
    const struct hooks *hooks;
    struct jdi_td_env world;
    struct jdi_francez_slot real, sample;
    bool latched, sampled, zero, saved;
    int64_t late, sum;
    uint64_t pause_end;
    uint32_t stamp;
    bool stamped;
};

static struct jdi_francez_slot *slot(struct spoiled *m, uint32_t phase)
{
    return &m->f.slot[phase & 1];
}

/* ---- the wrapper -------------------------------------------------------------------- */

static void latch(struct spoiled *m)
{
    if (m->f.state != JDI_FRANCEZ_OUT && m->world.idle(m->world.ctx))
        m->latched = true;
}

static void env_send(void *ctx, uint32_t dst, const struct jdi_td_msg *msg)
{
    struct spoiled *m = ctx;
    if (!m->hooks->drop_term || msg->type != JDI_TD_TERM || m->f.rank == 0)
        m->world.send(m->world.ctx, dst, msg);
}

static const struct hooks latched_idle;

static bool env_idle(void *ctx)
{
    struct spoiled *m = ctx;
    return m->world.idle(m->world.ctx) || (m->hooks == &latched_idle && m->latched);
}

static void env_stat(void *ctx, uint64_t out[JDI_TD_STATS])
{
    struct spoiled *m = ctx;
    m->world.stat(m->world.ctx, out);
}

static void env_announce(void *ctx, uint32_t phase, const uint64_t stat[JDI_TD_STATS])
{
    struct spoiled *m = ctx;
    m->latched = m->sampled = m->zero = m->stamped = false;
    m->late = 0;
    m->world.announce(m->world.ctx, phase, stat);
}

static void start(void *td, const struct jdi_td_config *c, const struct jdi_td_env *env,
                  const struct hooks *hooks)
{
    struct spoiled *m = td;
    const struct jdi_td_env mine = {.ctx = m,
                                    .send = env_send,
                                    .idle = env_idle,
                                    .stat = env_stat,
                                    .announce = env_announce};
    memset(m, 0, sizeof *m);
    m->hooks = hooks;
    m->world = *env;
    jdi_td_francez.init(&m->f, c, &mine);
}

static void enter(void *td, uint32_t phase)
{
    struct spoiled *m = td;
    if (m->hooks->before_enter)
        m->hooks->before_enter(m, phase);
    jdi_td_francez.enter(&m->f, phase);
}

static struct jdi_td_stamp exported(void *td)
{
    struct spoiled *m = td;
    latch(m);
    struct jdi_td_stamp s = jdi_td_francez.exported(&m->f);
    if (m->hooks->sent)
        m->hooks->sent(m, &s);
    return s;
}

static bool imported(void *td, struct jdi_td_stamp stamp)
{
    struct spoiled *m = td;
    latch(m);
    if (m->hooks->got)
        m->hooks->got(m, &stamp);
    bool open = jdi_td_francez.imported(&m->f, stamp);
    if (m->hooks->got_it)
        m->hooks->got_it(m, slot(m, stamp.phase));
    return open;
}

static void message(void *td, uint32_t src, const struct jdi_td_msg *msg)
{
    struct spoiled *m = td;
    latch(m);
    jdi_td_francez.message(&m->f, src, msg);
    if (msg->type == JDI_TD_NEXT && m->hooks->next)
        m->hooks->next(m, slot(m, m->f.phase));
}

static uint64_t step(void *td, uint64_t now)
{
    struct spoiled *m = td;
    uint32_t phase = m->f.phase;
    uint64_t waves = m->f.figures.waves;
    bool paused = m->f.state == JDI_FRANCEZ_WAITING;
    latch(m);
    if (m->hooks->before_step)
        m->hooks->before_step(m, slot(m, phase));
    uint64_t wake = jdi_td_francez.step(&m->f, now);
    if (m->f.phase != phase)
        return wake;
    bool reported = m->f.figures.waves != waves;
    if (m->hooks->after_step)
        m->hooks->after_step(m, slot(m, phase), reported);
    if (reported)
        m->latched = false;
    if (m->f.rank == 0 && m->f.state == JDI_FRANCEZ_OPEN && (reported || paused) &&
        m->hooks->next)
        m->hooks->next(m, slot(m, phase));
    return wake;
}

static void figures(const void *td, struct jdi_td_figures *out)
{
    const struct spoiled *m = td;
    jdi_td_francez.figures(&m->f, out);
}

static void check(const void *td)
{
    (void)td;
}

/* ---- what the lies have in common ----------------------------------------------------- */

/* A stamp that never crosses. */
static void blind(struct spoiled *m, struct jdi_td_stamp *stamp)
{
    stamp->wave = slot(m, stamp->phase)->wave;
}

static void uncount_sent(struct spoiled *m)
{
    slot(m, m->f.phase)->sent--;
}

/* ---- no_count, giver, giver_counted, no_colour ------------------------------------------ */

static void sent_uncounted(struct spoiled *m, struct jdi_td_stamp *stamp)
{
    (void)stamp;
    uncount_sent(m);
}

static void got_uncounted_black(struct spoiled *m, struct jdi_francez_slot *s)
{
    (void)m;
    s->recv--;
    s->crossed = true;
}

static const struct hooks no_count = {.sent = sent_uncounted,
                                      .got_it = got_uncounted_black};

static void sent_black(struct spoiled *m, struct jdi_td_stamp *stamp)
{
    slot(m, stamp->phase)->crossed = true;
}

static void sent_uncounted_black(struct spoiled *m, struct jdi_td_stamp *stamp)
{
    uncount_sent(m);
    sent_black(m, stamp);
}

static void got_uncounted(struct spoiled *m, struct jdi_francez_slot *s)
{
    (void)m;
    s->recv--;
}

static const struct hooks giver = {
    .sent = sent_uncounted_black, .got = blind, .got_it = got_uncounted};
static const struct hooks giver_counted = {.sent = sent_black, .got = blind};
static const struct hooks no_colour = {.got = blind};

/* ---- zero_twice: the root fails a wave by hand unless the one before had sum 0 ---------- */

static void root_wants_zero_twice(struct spoiled *m, struct jdi_francez_slot *s)
{
    m->sum = s->kids_sum + s->sent - s->recv;
    s->crossed = m->f.rank == 0 && (!m->zero || m->sum != 0);
}

static void remember_zero(struct spoiled *m, struct jdi_francez_slot *s, bool reported)
{
    s->crossed = false;
    if (reported)
        m->zero = m->sum == 0;
}

static const struct hooks zero_twice = {
    .got = blind, .before_step = root_wants_zero_twice, .after_step = remember_zero};

/* ---- clear_at_next ---------------------------------------------------------------------- */

static void save_colour(struct spoiled *m, struct jdi_francez_slot *s)
{
    m->saved = s->crossed;
}

static void restore_colour(struct spoiled *m, struct jdi_francez_slot *s, bool reported)
{
    if (reported)
        s->crossed = m->saved;
}

static void clear_colour(struct spoiled *m, struct jdi_francez_slot *s)
{
    (void)m;
    s->crossed = false;
}

static const struct hooks clear_at_next = {
    .before_step = save_colour, .after_step = restore_colour, .next = clear_colour};

/* ---- early_sample ----------------------------------------------------------------------- */

static void take_sample(struct spoiled *m, struct jdi_francez_slot *s)
{
    m->sample = *s;
    m->sampled = true;
    s->crossed = false;
}

static void show(struct jdi_francez_slot *s, const struct jdi_francez_slot *from)
{
    s->sent = from->sent;
    s->recv = from->recv;
    s->crossed = from->crossed;
}

static void show_sample(struct spoiled *m, struct jdi_francez_slot *s)
{
    m->real = *s;
    if (m->sampled)
        show(s, &m->sample);
}

static void show_real(struct spoiled *m, struct jdi_francez_slot *s, bool reported)
{
    if (!m->sampled)
        return;
    show(s, &m->real);
    m->sampled = !reported;
}

static const struct hooks early_sample = {
    .before_step = show_sample, .after_step = show_real, .next = take_sample};

/* ---- latched_idle: see env_idle ----------------------------------------------------------- */

static const struct hooks latched_idle = {0};

/* ---- no_root, no_interior ------------------------------------------------------------------ */

static void hide(struct spoiled *m, struct jdi_francez_slot *s)
{
    m->real = *s;
    s->sent = s->recv = 0;
    s->crossed = false;
}

static void unhide(struct spoiled *m, struct jdi_francez_slot *s, bool reported)
{
    show(s, &m->real);
    if (reported)
        s->crossed = false;
}

static void hide_root(struct spoiled *m, struct jdi_francez_slot *s)
{
    if (m->f.rank == 0)
        hide(m, s);
}

static void unhide_root(struct spoiled *m, struct jdi_francez_slot *s, bool reported)
{
    if (m->f.rank == 0)
        unhide(m, s, reported);
}

static const struct hooks no_root = {.before_step = hide_root, .after_step = unhide_root};

static void hide_interior(struct spoiled *m, struct jdi_francez_slot *s)
{
    if (m->f.rank > 0 && m->f.nkids > 0)
        hide(m, s);
}

static void unhide_interior(struct spoiled *m, struct jdi_francez_slot *s, bool reported)
{
    if (m->f.rank > 0 && m->f.nkids > 0)
        unhide(m, s, reported);
}

static const struct hooks no_interior = {.before_step = hide_interior,
                                         .after_step = unhide_interior};

/* ---- old_stamp ----------------------------------------------------------------------------- */

static void keep_stamp(struct spoiled *m, struct jdi_td_stamp *stamp)
{
    m->stamp = stamp->wave;
    m->stamped = true;
}

static void inherit_stamp(struct spoiled *m, struct jdi_td_stamp *stamp)
{
    if (m->stamped)
        stamp->wave = m->stamp;
}

static const struct hooks old_stamp = {.sent = inherit_stamp, .got = keep_stamp};

/* ---- late_count ------------------------------------------------------------------------------ */

static void count_later(struct spoiled *m, struct jdi_td_stamp *stamp)
{
    (void)stamp;
    uncount_sent(m);
    m->late++;
}

static void count_now(struct spoiled *m, struct jdi_francez_slot *s, bool reported)
{
    (void)reported;
    s->sent += m->late;
    m->late = 0;
}

static const struct hooks late_count = {.sent = count_later, .after_step = count_now};

/* ---- no_forward, need_work -------------------------------------------------------------------- */

static const struct hooks no_forward = {.drop_term = true};

static void fail_without_work(struct spoiled *m, struct jdi_francez_slot *s)
{
    uint64_t own[JDI_TD_STATS];
    m->world.stat(m->world.ctx, own);
    if (m->f.rank == 0 && s->kids_stat[0] + own[0] == 0)
        s->crossed = true;
}

static const struct hooks need_work = {.before_step = fail_without_work};

/* ---- no_phase, clear_at_enter, clear_both ------------------------------------------------------ */

static void forget_phase(struct spoiled *m, struct jdi_td_stamp *stamp)
{
    stamp->phase = m->f.phase;
}

static const struct hooks no_phase = {.got = forget_phase};

static void clear_one_slot(struct spoiled *m, uint32_t phase)
{
    memset(slot(m, phase), 0, sizeof m->f.slot[0]);
}

static const struct hooks clear_at_enter = {.before_enter = clear_one_slot};

static void clear_two_slots(struct spoiled *m, uint32_t phase)
{
    clear_one_slot(m, phase);
    clear_one_slot(m, phase + 1);
}

static const struct hooks clear_both = {.before_enter = clear_two_slots};

/* ---- byte_stamp, signed_stamp, own_colour -------------------------------------------------------- */

static void compare_bytes(struct spoiled *m, struct jdi_td_stamp *stamp)
{
    uint32_t wave = slot(m, stamp->phase)->wave;
    stamp->wave = wave + ((uint8_t)stamp->wave > (uint8_t)wave);
}

static const struct hooks byte_stamp = {.got = compare_bytes};

static void compare_signed(struct spoiled *m, struct jdi_td_stamp *stamp)
{
    uint32_t wave = slot(m, stamp->phase)->wave;
    stamp->wave = wave + ((int32_t)stamp->wave > (int32_t)wave);
}

static const struct hooks signed_stamp = {.got = compare_signed};

static void forget_kids_colour(struct spoiled *m, struct jdi_francez_slot *s)
{
    (void)m;
    s->kids_crossed = false;
}

static const struct hooks own_colour = {.before_step = forget_kids_colour};

/* ---- two_steps: what comes between the reading and the clearing is lost ------------------- */

static void clear_after_import(struct spoiled *m, struct jdi_francez_slot *s)
{
    if (m->saved)
        s->crossed = false;
    m->saved = false;
}

static void clear_next_time(struct spoiled *m, struct jdi_francez_slot *s, bool reported)
{
    (void)s;
    if (reported)
        m->saved = true;
}

static const struct hooks two_steps = {.got_it = clear_after_import,
                                       .after_step = clear_next_time};

/* ---- byte_count: they have run a while already ------------------------------------------- */

static void start_high(struct spoiled *m, uint32_t phase)
{
    slot(m, phase)->sent += 254;
    slot(m, phase)->recv += 254;
}

static void wrap_sent(struct spoiled *m, struct jdi_td_stamp *stamp)
{
    slot(m, stamp->phase)->sent &= 255;
}

static void wrap_recv(struct spoiled *m, struct jdi_francez_slot *s)
{
    (void)m;
    s->recv &= 255;
}

static const struct hooks byte_count = {
    .before_enter = start_high, .sent = wrap_sent, .got_it = wrap_recv};

/* ---- stale_pause: an import at the root neither ends a pause nor makes the next one short -- */

static void save_pause(struct spoiled *m, struct jdi_td_stamp *stamp)
{
    (void)stamp;
    m->pause_end = m->f.pause_end;
}

static void restore_pause(struct spoiled *m, struct jdi_francez_slot *s)
{
    (void)s;
    m->f.pause_end = m->pause_end;
    m->f.fresh = false;
}

static const struct hooks stale_pause = {.got = save_pause, .got_it = restore_pause};

/* ---- the ops ---------------------------------------------------------------------------------------- */

#define MUTANT_OPS(mutant, text)                                                         \
    static void init_##mutant(void *td, const struct jdi_td_config *c,                   \
                              const struct jdi_td_env *env)                              \
    {                                                                                    \
        start(td, c, env, &mutant);                                                      \
    }                                                                                    \
    const struct jdi_td_ops jdi_mutant_##mutant = {.name = #mutant,                      \
                                                   .size = sizeof(struct spoiled),       \
                                                   .init = init_##mutant,                \
                                                   .enter = enter,                       \
                                                   .exported = exported,                 \
                                                   .imported = imported,                 \
                                                   .message = message,                   \
                                                   .step = step,                         \
                                                   .figures = figures,                   \
                                                   .check = check};
JDI_MUTANTS(MUTANT_OPS)
