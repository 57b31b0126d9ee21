/*
 * francez.c - stamped, counted tree waves: the detector of collections.
 *
 * Role: decide that a phase of a collection has ended on all ranks.  Rule numbers are
 *       those of doc/termination.md, which has the messages and the runtime's duties.
 * Owner: the communication thread of the rank.
 * Invariants: I1-I9 of doc/termination.md section 6.
 * See: Francez and Rodeh, IEEE TSE SE-8(3) 1982; conform/, test/models/francez.pml.
 *
 * States.  Whatever is not in the table is a broken invariant.
 *
 *   from     event                                to            who        sends
 *   OUT      enter (R9)                           OPEN          all
 *   OPEN     step: idle, all children in (R4)     WAITING       not root   UP
 *   OPEN     the same; sum 0, not crossed         OUT, phase+1  root       TERM to children
 *   OPEN     the same; wave failed                WAITING       root
 *   WAITING  step: pause over (R6)                OPEN          root       NEXT to children
 *   WAITING  NEXT (R7)                            OPEN          not root   NEXT to children
 *   WAITING  TERM (R8)                            OUT, phase+1  not root   TERM to children
 *
 * Proof.  Let c_i(w) be the instant of report w at rank i, its cut.
 * (a) NEXT w is sent after all reports w, so every c_i(w) comes before every c_j(w+1); two
 *     wave numbers differ by at most 1 (I1).
 * (b) Call a message backward for wave w if it was sent after c_src(w) and imported before
 *     c_dst(w).  Its stamp is >= w, the receiver's wave is w-1: `crossed` is set, and only
 *     report w clears it.  If wave w is not crossed, no message was backward.
 * (c) The sum of sent - recv over the cuts is the number of messages sent before the cut of
 *     their source and imported after that of their destination, less the backward ones.
 * (d) Safety.  Let wave w announce: all ranks were idle at their cuts, no message is backward,
 *     so with sum 0 none crosses the cuts forward.  Take the earliest activation of a rank
 *     after its cut.  It imports a task message (A2) whose sender was idle at its own cut and
 *     has not been active since; so the message was sent before that cut and crosses it
 *     forward.  There is none: nothing happens after the cuts.
 * (e) Liveness.  Let the phase become quiescent while wave w is open.  The other ranks report,
 *     w may fail.  The cuts of w+1 all see the quiescent state, so the sum of w+1 is 0, and a
 *     crossing would need a stamp w+1 imported before, when nobody had reported w+1.  So w+1
 *     announces: one wave fails at most.
 * (f) Phases.  A rank is in p+1 after TERM p only, so p was quiescent: no message of p meets a
 *     rank beyond p, and none of p+2 exists before all ranks have reported in p+1 (I8).
 * The proof assumes nothing about the order or the delay of messages.
 */
#include "termination/francez.h"

#include "termination/parts.h"
#include "termination/tree.h"

#include <string.h>

/* Failed waves in a row before the root pauses (R12): the first may have been open at
 * quiescence, the second may be the wave that sees the last message arrive. */
enum { FREE_WAVES = 2 };

static const char *state_name(enum jdi_francez_state s)
{
    switch (s) {
    case JDI_FRANCEZ_OUT:
        return "out";
    case JDI_FRANCEZ_OPEN:
        return "open";
    case JDI_FRANCEZ_WAITING:
        return "waiting";
    }
    return "no state";
}

static void expect_state(const struct jdi_francez *f, enum jdi_francez_state want)
{
    if (JDI_UNLIKELY(f->state != want))
        jdi_panic(__FILE__, __LINE__, "francez: rank %u in phase %u is %s, not %s",
                  (unsigned)f->rank, (unsigned)f->phase, state_name(f->state),
                  state_name(want));
}

static void francez_set_state(struct jdi_francez *f, enum jdi_francez_state from,
                              enum jdi_francez_state to)
{
    expect_state(f, from);
    f->state = to;
}

static struct jdi_francez_slot *francez_slot_of(struct jdi_francez *f, uint32_t phase)
{
    return &f->slot[phase & 1];
}

static bool is_root(const struct jdi_francez *f)
{
    return f->rank == 0;
}

static void francez_send(struct jdi_francez *f, uint32_t dst, const struct jdi_td_msg *m)
{
    f->figures.sent++;
    f->env.send(f->env.ctx, dst, m);
}

static void francez_tell_kids(struct jdi_francez *f, const struct jdi_td_msg *m)
{
    for (uint32_t i = 0; i < f->nkids; i++)
        francez_send(f, f->first_kid + i, m);
}

/* The last word is xor-ed, the others are summed. */
static void add_stat(uint64_t to[JDI_TD_STATS], const uint64_t more[JDI_TD_STATS])
{
    for (int i = 0; i < JDI_TD_STATS - 1; i++)
        to[i] += more[i];
    to[JDI_TD_STATS - 1] ^= more[JDI_TD_STATS - 1];
}

static void francez_init(void *td, const struct jdi_td_config *c,
                         const struct jdi_td_env *env)
{
    struct jdi_francez *f = td;
    JD_CHECK(c->rank < c->nranks);
    JD_CHECK(c->arity > 0 && c->arity <= JDI_TD_ARITY_MOST);
    JD_CHECK(c->pause_min <= c->pause_max);
    memset(f, 0, sizeof *f);
    f->env = *env;
    f->rank = c->rank;
    f->nranks = c->nranks;
    f->arity = c->arity;
    f->parent = c->rank == 0 ? 0 : jdi_tree_parent(c->rank, c->arity);
    f->first_kid = (uint32_t)jdi_tree_first_kid(c->rank, c->arity);
    f->nkids = jdi_tree_kids(c->rank, c->arity, c->nranks);
    f->pause_min = c->pause_min;
    f->pause_max = c->pause_max;
    f->phase = 1;
    f->state = JDI_FRANCEZ_OUT;
}

/* R9.  The slot may hold what arrived early, so it is not cleared here (R10). */
static void francez_enter(void *td, uint32_t phase)
{
    struct jdi_francez *f = td;
    JD_CHECK_EQ(phase, f->phase);
    francez_set_state(f, JDI_FRANCEZ_OUT, JDI_FRANCEZ_OPEN);
    francez_slot_of(f, phase)->held = 0;
    memset(&f->figures, 0, sizeof f->figures);
    f->futile = 0;
    f->fresh = false;
    f->failed_sum = 0;
    f->pause_end = 0;
}

/* R1. */
static struct jdi_td_stamp francez_exported(void *td)
{
    struct jdi_francez *f = td;
    struct jdi_francez_slot *s = francez_slot_of(f, f->phase);
    JD_CHECK(f->state != JDI_FRANCEZ_OUT);
    s->sent++;
    return (struct jdi_td_stamp){f->phase, s->wave};
}

/* I8: what comes is of this phase, or of the next if only TERM is missing here. */
static const char *francez_fault_of_phase(const struct jdi_francez *f, uint32_t phase)
{
    if (phase == f->phase)
        return NULL;
    if (phase != (uint32_t)(f->phase + 1))
        return "its phase is neither the present one nor the next";
    if (f->state != JDI_FRANCEZ_WAITING)
        return "its phase is the next one, and this one has not ended";
    return NULL;
}

static const char *francez_fault_of_stamp(struct jdi_francez *f,
                                          struct jdi_td_stamp stamp)
{
    const char *fault = francez_fault_of_phase(f, stamp.phase);
    if (fault)
        return fault;
    if ((int32_t)(stamp.wave - francez_slot_of(f, stamp.phase)->wave) > 1) /* I5 */
        return "its stamp is more than a wave ahead";
    return NULL;
}

/* R2. */
static bool francez_imported(void *td, struct jdi_td_stamp stamp)
{
    struct jdi_francez *f = td;
    JDI_TD_EXPECT_NONE(&f->env, JDI_TD_CALLER_KNOWS, francez_fault_of_stamp(f, stamp));
    struct jdi_francez_slot *s = francez_slot_of(f, stamp.phase);
    s->recv++;
    if ((int32_t)(stamp.wave - s->wave) > 0)
        s->crossed = true;
    if (stamp.phase != f->phase || f->state == JDI_FRANCEZ_OUT) {
        s->held++;
        return false;
    }
    /* R12: there is news, so the root's pause ends. */
    f->fresh = true;
    f->pause_end = 0;
    return true;
}

static const char *francez_fault_of_up(struct jdi_francez *f, uint32_t src,
                                       const struct jdi_td_msg *m)
{
    const struct jdi_francez_slot *s = francez_slot_of(f, m->phase);
    const char *fault = francez_fault_of_phase(f, m->phase);
    if (fault)
        return fault;
    if (src - f->first_kid >= f->nkids)
        return "a report of a rank that is no child";
    if (m->wave != (uint32_t)(s->wave + 1))
        return "a report of another wave";
    /* A rank that waits has not sent NEXT, so its children have nothing to report (I2). */
    if (m->phase == f->phase && f->state == JDI_FRANCEZ_WAITING)
        return "a report that nobody has asked for";
    if (s->kids_heard & jdi_td_kid(f->first_kid, src))
        return "a second report of one wave";
    return NULL;
}

/* What NEXT and TERM have in common: they answer this rank's last report. */
static const char *francez_fault_of_verdict(struct jdi_francez *f, uint32_t src,
                                            const struct jdi_td_msg *m)
{
    if (is_root(f) || src != f->parent)
        return "a verdict of a rank that is no parent";
    if (m->phase != f->phase || m->wave != francez_slot_of(f, f->phase)->wave)
        return "a verdict on another wave";
    if (f->state != JDI_FRANCEZ_WAITING)
        return "a verdict without a report";
    /* I7.  Tasks kept for the next phase may make idle say false, see detector.h. */
    if (m->type == JDI_TD_TERM && francez_slot_of(f, f->phase + 1)->held == 0 &&
        !f->env.idle(f->env.ctx))
        return "the end of a phase that has tasks here";
    return NULL;
}

static const char *francez_fault_of(struct jdi_francez *f, uint32_t src,
                                    const struct jdi_td_msg *m)
{
    switch (m->type) {
    case JDI_TD_UP:
        return francez_fault_of_up(f, src, m);
    case JDI_TD_NEXT:
    case JDI_TD_TERM:
        return francez_fault_of_verdict(f, src, m);
    case JDI_TD_TOKEN:
    case JDI_TD_ACK:
    default:
        return "a message of another detector";
    }
}

/* R5. */
static void francez_on_up(struct jdi_francez *f, uint32_t src, const struct jdi_td_msg *m)
{
    struct jdi_francez_slot *s = francez_slot_of(f, m->phase);
    s->kids_heard |= jdi_td_kid(f->first_kid, src);
    s->kids_in++;
    s->kids_sum += m->sum;
    s->kids_crossed |= m->crossed;
    add_stat(s->kids_stat, m->stat);
}

/* R6 at the root, R7 elsewhere. */
static void francez_next_wave(struct jdi_francez *f, const struct jdi_td_msg *next)
{
    francez_tell_kids(f, next);
    francez_set_state(f, JDI_FRANCEZ_WAITING, JDI_FRANCEZ_OPEN);
}

/* R8.  The children come first: the news is on its way, whatever announce does. */
static void francez_end_phase(struct jdi_francez *f, const struct jdi_td_msg *term)
{
    struct jdi_francez_slot *s = francez_slot_of(f, f->phase);
    uint32_t phase = f->phase;
    francez_tell_kids(f, term);
    /* I7.  Tasks kept for the next phase may make idle say false, see detector.h. */
    JD_CHECK(francez_slot_of(f, phase + 1)->held > 0 || f->env.idle(f->env.ctx));
    JD_CHECK_EQ(s->held, 0);
    JD_CHECK_EQ(s->kids_in, 0);
    memset(s, 0, sizeof *s);
    francez_set_state(f, JDI_FRANCEZ_WAITING, JDI_FRANCEZ_OUT);
    f->phase++;
    f->env.announce(f->env.ctx, phase, term->stat);
}

static void francez_message(void *td, uint32_t src, const struct jdi_td_msg *m)
{
    struct jdi_francez *f = td;
    JDI_TD_EXPECT_NONE(&f->env, src, francez_fault_of(f, src, m));
    if (m->type == JDI_TD_UP)
        francez_on_up(f, src, m);
    else if (m->type == JDI_TD_NEXT)
        francez_next_wave(f, m);
    else
        francez_end_phase(f, m);
}

/* R12: how long to wait after a failed wave. */
static uint64_t pause_after(struct jdi_francez *f, const struct jdi_td_msg *up)
{
    bool futile = !up->crossed && !f->fresh && up->sum == f->failed_sum;
    f->futile = futile ? f->futile + (f->futile < UINT32_MAX) : 1;
    f->fresh = false;
    f->failed_sum = up->sum;
    if (f->futile <= FREE_WAVES)
        return 0;
    unsigned doublings = f->futile - FREE_WAVES - 1;
    if (doublings >= 64 || f->pause_min > f->pause_max >> doublings)
        return f->pause_max;
    return f->pause_min << doublings;
}

/* The root's half of R4: the report of the whole tree is in `m`. */
static uint64_t francez_decide(struct jdi_francez *f, struct jdi_td_msg *m, uint64_t now)
{
    JD_CHECK(m->crossed || m->sum >= 0 || f->nkids > 0); /* I6 */
    if (!m->crossed && m->sum < 0)
        jdi_td_refuse(
            &f->env, f->first_kid, __FILE__, __LINE__,
            "its report, or another child's, is of more messages than were sent");
    if (m->sum == 0 && !m->crossed) {
        m->type = JDI_TD_TERM;
        francez_end_phase(f, m);
        return JDI_TD_NEVER;
    }
    f->figures.failed++;
    uint64_t pause = pause_after(f, m);
    f->pause_end = now + pause;
    if (pause > 0)
        return f->pause_end;
    m->type = JDI_TD_NEXT;
    francez_next_wave(f, m);
    return JDI_TD_NEVER;
}

/* R4, after idle has said true: from there to the end of this function is the cut. */
static uint64_t francez_report(struct jdi_francez *f, struct jdi_francez_slot *s,
                               uint64_t now)
{
    struct jdi_td_msg m = {.type = JDI_TD_UP, .phase = f->phase};
    JD_CHECK_EQ(s->held, 0); /* I4 */
    f->env.stat(f->env.ctx, m.stat);
    add_stat(m.stat, s->kids_stat);
    m.sum = s->kids_sum + s->sent - s->recv;
    m.crossed = s->kids_crossed || s->crossed;
    s->crossed = false;
    s->kids_heard = 0;
    s->kids_in = 0;
    s->kids_sum = 0;
    s->kids_crossed = false;
    memset(s->kids_stat, 0, sizeof s->kids_stat);
    m.wave = ++s->wave;
    f->figures.waves++;
    francez_set_state(f, JDI_FRANCEZ_OPEN, JDI_FRANCEZ_WAITING);
    if (is_root(f))
        return francez_decide(f, &m, now);
    francez_send(f, f->parent, &m);
    return JDI_TD_NEVER;
}

static uint64_t francez_step(void *td, uint64_t now)
{
    struct jdi_francez *f = td;
    struct jdi_francez_slot *s = francez_slot_of(f, f->phase);
    if (f->state == JDI_FRANCEZ_WAITING && is_root(f)) {
        if (now < f->pause_end)
            return f->pause_end;
        const struct jdi_td_msg next = {
            .type = JDI_TD_NEXT, .phase = f->phase, .wave = s->wave};
        francez_next_wave(f, &next);
    }
    /* The idle test is expensive, so it comes last. */
    if (f->state == JDI_FRANCEZ_OPEN && s->kids_in == f->nkids && f->env.idle(f->env.ctx))
        return francez_report(f, s, now);
    return JDI_TD_NEVER;
}

static void francez_figures(const void *td, struct jdi_td_figures *out)
{
    const struct jdi_francez *f = td;
    *out = f->figures;
}

static void check_slot(const struct jdi_francez *f, const struct jdi_francez_slot *s)
{
    JD_CHECK(s->sent >= 0 && s->recv >= 0);
    JD_CHECK(s->kids_in <= f->nkids);
    JD_CHECK_EQ(__builtin_popcountll(s->kids_heard), s->kids_in);
    JD_CHECK(s->kids_in > 0 || (s->kids_sum == 0 && !s->kids_crossed));
    for (int i = 0; i < JDI_TD_STATS; i++)
        JD_CHECK(s->kids_in > 0 || s->kids_stat[i] == 0);
    JD_CHECK(!s->crossed || (s->recv > 0 && f->nranks > 1)); /* I5 */
}

static void francez_check(const void *td)
{
    const struct jdi_francez *f = td;
    const struct jdi_francez_slot *s = &f->slot[f->phase & 1];
    const struct jdi_francez_slot *other = &f->slot[~f->phase & 1];
    JD_CHECK(f->state >= JDI_FRANCEZ_OUT && f->state <= JDI_FRANCEZ_WAITING);
    check_slot(f, s);
    check_slot(f, other);
    if (f->state == JDI_FRANCEZ_OUT)
        JD_CHECK(s->sent == 0 && (int64_t)s->held == s->recv);
    else
        JD_CHECK_EQ(s->held, 0);
    if (f->state == JDI_FRANCEZ_WAITING)
        JD_CHECK_EQ(s->kids_in, 0); /* I2 */
    else
        JD_CHECK(other->recv == 0 && other->kids_in == 0); /* I8 */
    /* The other slot belongs to the next phase, in which this rank has done nothing. */
    JD_CHECK(other->sent == 0 && other->wave == 0);
    JD_CHECK((int64_t)other->held == other->recv);
    JD_CHECK(f->figures.failed <= f->figures.waves);
}

const struct jdi_td_ops jdi_td_francez = {
    .name = "francez",
    .size = sizeof(struct jdi_francez),
    .version = JDI_TD_VERSION,
    .init = francez_init,
    .enter = francez_enter,
    .exported = francez_exported,
    .imported = francez_imported,
    .message = francez_message,
    .step = francez_step,
    .figures = francez_figures,
    .check = francez_check,
};
