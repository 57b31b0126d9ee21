/*
 * mutants_late.c - the hooks of each wrong detector, and its operations.
 *
 * See: mutants_late.h, spoiled.h.
 */
#include "conform/mutants_late.h"

#include "conform/spoiled.h"

/* How many: of ranks, phases, imports, waves. */
enum {
    SIX = 6,
    NINE = 9,
    THOUSAND = 1000,
    MORE = 4000,
    LATE = 300,
    MANY = 200,
    FIFTY = 50
};

/* ---- a stamp that never crosses, once there is so much of something ----------------------- */

static void blind_if(struct jdi_spoiled *m, struct jdi_td_stamp *stamp, bool wrong)
{
    if (wrong)
        stamp->wave = jdi_spoiled_slot(m, stamp->phase)->wave;
}

static void blind_six(struct jdi_spoiled *m, struct jdi_td_stamp *stamp)
{
    blind_if(m, stamp, m->f.nranks >= SIX);
}

static void blind_nine(struct jdi_spoiled *m, struct jdi_td_stamp *stamp)
{
    blind_if(m, stamp, m->f.nranks >= NINE);
}

static void blind_thousand(struct jdi_spoiled *m, struct jdi_td_stamp *stamp)
{
    blind_if(m, stamp, m->f.nranks > THOUSAND);
}

static void blind_late(struct jdi_spoiled *m, struct jdi_td_stamp *stamp)
{
    blind_if(m, stamp, stamp->phase > LATE);
}

static void blind_word(struct jdi_spoiled *m, struct jdi_td_stamp *stamp)
{
    blind_if(m, stamp, stamp->phase > UINT16_MAX);
}

static void blind_signed(struct jdi_spoiled *m, struct jdi_td_stamp *stamp)
{
    blind_if(m, stamp, (int32_t)stamp->phase < 0);
}

static void blind_many(struct jdi_spoiled *m, struct jdi_td_stamp *stamp)
{
    blind_if(m, stamp, jdi_spoiled_slot(m, stamp->phase)->recv > MANY);
}

static const struct jdi_spoiled_hooks six_ranks = {.got = blind_six};
static const struct jdi_spoiled_hooks nine_ranks = {.got = blind_nine};
static const struct jdi_spoiled_hooks thousand_ranks = {.got = blind_thousand};
static const struct jdi_spoiled_hooks late_phase = {.got = blind_late};
static const struct jdi_spoiled_hooks word_phase = {.got = blind_word};
static const struct jdi_spoiled_hooks signed_phase = {.got = blind_signed};
static const struct jdi_spoiled_hooks many_imports = {.got = blind_many};

/* ---- more_ranks: with so many the colour of the children is lost -------------------------- */

static void lose_kids_colour(struct jdi_spoiled *m, struct jdi_francez_slot *s)
{
    if (m->f.nranks > MORE)
        s->kids_crossed = false;
}

static const struct jdi_spoiled_hooks more_ranks = {.before_step = lose_kids_colour};

/* ---- words that wrap -------------------------------------------------------------------- */

static void compare_words(struct jdi_spoiled *m, struct jdi_td_stamp *stamp)
{
    uint32_t wave = jdi_spoiled_slot(m, stamp->phase)->wave;
    stamp->wave = wave + ((uint16_t)stamp->wave > (uint16_t)wave);
}

static void compare_unsigned(struct jdi_spoiled *m, struct jdi_td_stamp *stamp)
{
    uint32_t wave = jdi_spoiled_slot(m, stamp->phase)->wave;
    stamp->wave = wave + (stamp->wave > wave);
}

static void count_word_sent(struct jdi_spoiled *m, struct jdi_td_stamp *stamp)
{
    jdi_spoiled_slot(m, stamp->phase)->sent &= UINT16_MAX;
}

static void count_word_recv(struct jdi_spoiled *m, struct jdi_francez_slot *s)
{
    (void)m;
    s->recv &= UINT16_MAX;
}

/* With 65,536 messages under way it is 0. */
static void say_word(struct jdi_spoiled *m, uint32_t dst, struct jdi_td_msg *msg)
{
    (void)m;
    (void)dst;
    if (msg->type == JDI_TD_UP)
        msg->sum = (int16_t)msg->sum;
}

static const struct jdi_spoiled_hooks word_stamp = {.got = compare_words};
static const struct jdi_spoiled_hooks unsigned_stamp = {.got = compare_unsigned};
static const struct jdi_spoiled_hooks word_count = {.sent = count_word_sent,
                                                    .got_it = count_word_recv};
static const struct jdi_spoiled_hooks word_sum = {.say = say_word};
static const struct jdi_spoiled_hooks narrow_clock = {.narrow_clock = true};

/* ---- late and dear ------------------------------------------------------------------------ */

/* The root fails fifty waves that could have been the last, and its figures do not say so. */
static void fail_fifty(struct jdi_spoiled *m, struct jdi_francez_slot *s)
{
    if (m->f.rank == 0 && m->late < FIFTY && s->kids_sum + s->sent == s->recv) {
        m->late += m->f.state == JDI_FRANCEZ_OPEN && s->kids_in == m->f.nkids;
        s->crossed = true;
    }
}

/* Its pauses go on doubling. */
static void forget_most(struct jdi_spoiled *m, struct jdi_francez_slot *s)
{
    (void)s;
    m->f.pause_max = UINT64_MAX / 4;
}

static void say_once_more(struct jdi_spoiled *m, uint32_t phase)
{
    const struct jdi_td_msg more = {.type = JDI_TD_ACK, .phase = phase};
    if (m->f.rank > 0)
        m->world.send(m->world.ctx, 0, &more);
}

/* The root sends something to every rank in each wave. */
static void tell_everybody(struct jdi_spoiled *m, uint32_t dst, struct jdi_td_msg *msg)
{
    const struct jdi_td_msg more = {.type = JDI_TD_ACK, .phase = msg->phase};
    bool is_first = m->f.rank == 0 && dst == m->f.first_kid && msg->type == JDI_TD_NEXT;
    for (uint32_t rank = 1; is_first && rank < m->f.nranks; rank++)
        m->world.send(m->world.ctx, rank, &more);
}

static const struct jdi_spoiled_hooks liar = {.before_step = fail_fifty, .lies = true};
static const struct jdi_spoiled_hooks slow = {.before_step = forget_most};
static const struct jdi_spoiled_hooks afterword = {.ended = say_once_more};
static const struct jdi_spoiled_hooks teller = {.say = tell_everybody};

/* ---- the ops ---------------------------------------------------------------------------- */

JDI_MUTANTS_LATE(JDI_SPOILED_OPS)
