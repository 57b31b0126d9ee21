/*
 * mutants_francez.c - the hooks of each wrong detector, and its operations.
 *
 * See: mutants_francez.h, spoiled.h.
 */
#include "conform/mutants_francez.h"

#include "conform/spoiled.h"

#include <string.h>

/* ---- what the lies have in common ----------------------------------------------------- */

/* A stamp that never crosses. */
static void blind(struct jdi_spoiled *m, struct jdi_td_stamp *stamp)
{
    stamp->wave = jdi_spoiled_slot(m, stamp->phase)->wave;
}

static void uncount_sent(struct jdi_spoiled *m)
{
    jdi_spoiled_slot(m, m->f.phase)->sent--;
}

/* ---- no_count, giver, giver_counted, no_colour ------------------------------------------ */

static void sent_uncounted(struct jdi_spoiled *m, struct jdi_td_stamp *stamp)
{
    (void)stamp;
    uncount_sent(m);
}

static void got_uncounted_black(struct jdi_spoiled *m, struct jdi_francez_slot *s)
{
    (void)m;
    s->recv--;
    s->crossed = true;
}

static const struct jdi_spoiled_hooks no_count = {.sent = sent_uncounted,
                                                  .got_it = got_uncounted_black};

static void sent_black(struct jdi_spoiled *m, struct jdi_td_stamp *stamp)
{
    jdi_spoiled_slot(m, stamp->phase)->crossed = true;
}

static void sent_uncounted_black(struct jdi_spoiled *m, struct jdi_td_stamp *stamp)
{
    uncount_sent(m);
    sent_black(m, stamp);
}

static void got_uncounted(struct jdi_spoiled *m, struct jdi_francez_slot *s)
{
    (void)m;
    s->recv--;
}

static const struct jdi_spoiled_hooks giver = {
    .sent = sent_uncounted_black, .got = blind, .got_it = got_uncounted};
static const struct jdi_spoiled_hooks giver_counted = {.sent = sent_black, .got = blind};
static const struct jdi_spoiled_hooks no_colour = {.got = blind};

/* ---- zero_twice: the root fails a wave by hand unless the one before had sum 0 ---------- */

static void root_wants_zero_twice(struct jdi_spoiled *m, struct jdi_francez_slot *s)
{
    m->sum = s->kids_sum + s->sent - s->recv;
    s->crossed = m->f.rank == 0 && (!m->zero || m->sum != 0);
}

static void remember_zero(struct jdi_spoiled *m, struct jdi_francez_slot *s,
                          bool reported)
{
    s->crossed = false;
    if (reported)
        m->zero = m->sum == 0;
}

static const struct jdi_spoiled_hooks zero_twice = {
    .got = blind, .before_step = root_wants_zero_twice, .after_step = remember_zero};

/* ---- clear_at_next ---------------------------------------------------------------------- */

static void save_colour(struct jdi_spoiled *m, struct jdi_francez_slot *s)
{
    m->saved = s->crossed;
}

static void restore_colour(struct jdi_spoiled *m, struct jdi_francez_slot *s,
                           bool reported)
{
    if (reported)
        s->crossed = m->saved;
}

static void clear_colour(struct jdi_spoiled *m, struct jdi_francez_slot *s)
{
    (void)m;
    s->crossed = false;
}

static const struct jdi_spoiled_hooks clear_at_next = {
    .before_step = save_colour, .after_step = restore_colour, .next = clear_colour};

/* ---- early_sample ----------------------------------------------------------------------- */

static void take_sample(struct jdi_spoiled *m, struct jdi_francez_slot *s)
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

static void show_sample(struct jdi_spoiled *m, struct jdi_francez_slot *s)
{
    m->real = *s;
    if (m->sampled)
        show(s, &m->sample);
}

static void show_real(struct jdi_spoiled *m, struct jdi_francez_slot *s, bool reported)
{
    if (!m->sampled)
        return;
    show(s, &m->real);
    m->sampled = !reported;
}

static const struct jdi_spoiled_hooks early_sample = {
    .before_step = show_sample, .after_step = show_real, .next = take_sample};

/* ---- latched_idle ----------------------------------------------------------- */

static const struct jdi_spoiled_hooks latched_idle = {.latch_idle = true};

/* ---- no_root, no_interior ------------------------------------------------------------------ */

static void hide(struct jdi_spoiled *m, struct jdi_francez_slot *s)
{
    m->real = *s;
    s->sent = s->recv = 0;
    s->crossed = false;
}

static void unhide(struct jdi_spoiled *m, struct jdi_francez_slot *s, bool reported)
{
    show(s, &m->real);
    if (reported)
        s->crossed = false;
}

static void hide_root(struct jdi_spoiled *m, struct jdi_francez_slot *s)
{
    if (m->f.rank == 0)
        hide(m, s);
}

static void unhide_root(struct jdi_spoiled *m, struct jdi_francez_slot *s, bool reported)
{
    if (m->f.rank == 0)
        unhide(m, s, reported);
}

static const struct jdi_spoiled_hooks no_root = {.before_step = hide_root,
                                                 .after_step = unhide_root};

static void hide_interior(struct jdi_spoiled *m, struct jdi_francez_slot *s)
{
    if (m->f.rank > 0 && m->f.nkids > 0)
        hide(m, s);
}

static void unhide_interior(struct jdi_spoiled *m, struct jdi_francez_slot *s,
                            bool reported)
{
    if (m->f.rank > 0 && m->f.nkids > 0)
        unhide(m, s, reported);
}

static const struct jdi_spoiled_hooks no_interior = {.before_step = hide_interior,
                                                     .after_step = unhide_interior};

/* ---- old_stamp ----------------------------------------------------------------------------- */

static void keep_stamp(struct jdi_spoiled *m, struct jdi_td_stamp *stamp)
{
    m->stamp = stamp->wave;
    m->stamped = true;
}

static void inherit_stamp(struct jdi_spoiled *m, struct jdi_td_stamp *stamp)
{
    if (m->stamped)
        stamp->wave = m->stamp;
}

static const struct jdi_spoiled_hooks old_stamp = {.sent = inherit_stamp,
                                                   .got = keep_stamp};

/* ---- late_count ------------------------------------------------------------------------------ */

static void count_later(struct jdi_spoiled *m, struct jdi_td_stamp *stamp)
{
    (void)stamp;
    uncount_sent(m);
    m->late++;
}

static void count_now(struct jdi_spoiled *m, struct jdi_francez_slot *s, bool reported)
{
    (void)reported;
    s->sent += m->late;
    m->late = 0;
}

static const struct jdi_spoiled_hooks late_count = {.sent = count_later,
                                                    .after_step = count_now};

/* ---- no_forward, need_work -------------------------------------------------------------------- */

static const struct jdi_spoiled_hooks no_forward = {.drop_term = true};

static void fail_without_work(struct jdi_spoiled *m, struct jdi_francez_slot *s)
{
    uint64_t own[JDI_TD_STATS];
    m->world.stat(m->world.ctx, own);
    if (m->f.rank == 0 && s->kids_stat[0] + own[0] == 0)
        s->crossed = true;
}

static const struct jdi_spoiled_hooks need_work = {.before_step = fail_without_work};

/* ---- no_phase, clear_at_enter, clear_both ------------------------------------------------------ */

static void forget_phase(struct jdi_spoiled *m, struct jdi_td_stamp *stamp)
{
    stamp->phase = m->f.phase;
}

static const struct jdi_spoiled_hooks no_phase = {.got = forget_phase};

static void clear_one_slot(struct jdi_spoiled *m, uint32_t phase)
{
    memset(jdi_spoiled_slot(m, phase), 0, sizeof m->f.slot[0]);
}

static const struct jdi_spoiled_hooks clear_at_enter = {.before_enter = clear_one_slot};

static void clear_two_slots(struct jdi_spoiled *m, uint32_t phase)
{
    clear_one_slot(m, phase);
    clear_one_slot(m, phase + 1);
}

static const struct jdi_spoiled_hooks clear_both = {.before_enter = clear_two_slots};

/* ---- byte_stamp, signed_stamp, own_colour -------------------------------------------------------- */

static void compare_bytes(struct jdi_spoiled *m, struct jdi_td_stamp *stamp)
{
    uint32_t wave = jdi_spoiled_slot(m, stamp->phase)->wave;
    stamp->wave = wave + ((uint8_t)stamp->wave > (uint8_t)wave);
}

static const struct jdi_spoiled_hooks byte_stamp = {.got = compare_bytes};

static void compare_signed(struct jdi_spoiled *m, struct jdi_td_stamp *stamp)
{
    uint32_t wave = jdi_spoiled_slot(m, stamp->phase)->wave;
    stamp->wave = wave + ((int32_t)stamp->wave > (int32_t)wave);
}

static const struct jdi_spoiled_hooks signed_stamp = {.got = compare_signed};

static void forget_kids_colour(struct jdi_spoiled *m, struct jdi_francez_slot *s)
{
    (void)m;
    s->kids_crossed = false;
}

static const struct jdi_spoiled_hooks own_colour = {.before_step = forget_kids_colour};

/* ---- two_steps: what comes between the reading and the clearing is lost ------------------- */

static void clear_after_import(struct jdi_spoiled *m, struct jdi_francez_slot *s)
{
    if (m->saved)
        s->crossed = false;
    m->saved = false;
}

static void clear_next_time(struct jdi_spoiled *m, struct jdi_francez_slot *s,
                            bool reported)
{
    (void)s;
    if (reported)
        m->saved = true;
}

static const struct jdi_spoiled_hooks two_steps = {.got_it = clear_after_import,
                                                   .after_step = clear_next_time};

/* ---- byte_count: they have run a while already ------------------------------------------- */

static void start_high(struct jdi_spoiled *m, uint32_t phase)
{
    jdi_spoiled_slot(m, phase)->sent += 254;
    jdi_spoiled_slot(m, phase)->recv += 254;
}

static void wrap_sent(struct jdi_spoiled *m, struct jdi_td_stamp *stamp)
{
    jdi_spoiled_slot(m, stamp->phase)->sent &= 255;
}

static void wrap_recv(struct jdi_spoiled *m, struct jdi_francez_slot *s)
{
    (void)m;
    s->recv &= 255;
}

static const struct jdi_spoiled_hooks byte_count = {
    .before_enter = start_high, .sent = wrap_sent, .got_it = wrap_recv};

/* ---- stale_pause: an import at the root neither ends a pause nor makes the next one short -- */

static void save_pause(struct jdi_spoiled *m, struct jdi_td_stamp *stamp)
{
    (void)stamp;
    m->pause_end = m->f.pause_end;
}

static void restore_pause(struct jdi_spoiled *m, struct jdi_francez_slot *s)
{
    (void)s;
    m->f.pause_end = m->pause_end;
    m->f.fresh = false;
}

static const struct jdi_spoiled_hooks stale_pause = {.got = save_pause,
                                                     .got_it = restore_pause};

/* ---- the ops ---------------------------------------------------------------------------- */

JDI_MUTANTS_FRANCEZ(JDI_SPOILED_OPS)
