/*
 * fourcounter.c - Mattern's four counters on a tree: a reference detector for collections.
 *
 * Role: decide that a phase has ended on all ranks from two waves that agree.  It needs no
 *       colour and no stamp, and at least two waves.
 * Owner: the communication thread of the rank.
 * Invariants: I1 to I3 below; I4 at most one UP and one of NEXT, TERM on an edge of the tree.
 * See: Mattern, "Algorithms for distributed termination detection", Distributed Computing 2,
 *      1987; doc/termination.md section 10; conform/.
 *
 *   from     event                                   to            who        sends
 *   OUT      enter                                   OPEN          all
 *   OPEN     step: idle, all children in             WAITING       not root   UP
 *   OPEN     the same; S1 = R1 = S2 = R2             OUT, phase+1  root       TERM to children
 *   OPEN     the same; else                          WAITING       root
 *   WAITING  step: pause over                        OPEN          root       NEXT to children
 *   WAITING  NEXT                                    OPEN          not root   NEXT to children
 *   WAITING  TERM                                    OUT, phase+1  not root   TERM to children
 *
 *   message  from, to        fields                            duplicated  reordered
 *   TASK     any, any        phase                             never       against anything
 *   UP       child, parent   phase, S (wave), S - R (sum), stat  never     against anything
 *   NEXT     parent, child   phase, number of the wave         never       against anything
 *   TERM     parent, child   the same, stat of all ranks       never       against anything
 *
 * S is the number of task messages exported below, R of those imported.
 *
 * Proof.  Let c_i be the instant of the report of rank i in one wave and d_i in the next wave, and
 * t an instant between the last c_i and the first d_i.  Such a t exists, because NEXT leaves the
 * root after all c_i.  Write S(t), R(t) for the sums over all ranks at t.
 * (a) Counters only grow, so R1 = sum R_i(c_i) <= R(t) <= S(t) <= sum S_i(d_i) = S2 (I1).
 * (b) Safety.  Let R1 = S2.  Then R(t) = S(t): no message is on its way at t.  And R_i(c_i) =
 *     R_i(t) for every i, because no R_i(c_i) is larger and the sums agree.  So no rank imported
 *     between c_i and t.  Every rank was idle at c_i, so it is idle at t (A2).  Quiescent at t.
 *     S1 = R1 and S2 = R2 follow at quiescence, and are checked so that the test is that of
 *     the paper.
 * (c) Liveness.  After quiescence the counters do not change and S = R.  The wave that was open
 *     may fail.  The next wave reads the final counters but may differ from that wave.  The wave
 *     after it agrees with it: two failed waves at most.
 * (d) Phases as in termination/francez.c: with two slots, by parity.
 */
#include "termination/fourcounter.h"

#include "termination/find.h"
#include "termination/parts.h"
#include "termination/tree.h"

#include <string.h>

/* Waves are counted modulo this: enough to tell a verdict from one that comes twice, and little
 * enough for a search of all states. */
enum { WAVES = 3 };

static void fourcounter_set_state(struct jdi_fourcounter *f,
                                  enum jdi_fourcounter_state from,
                                  enum jdi_fourcounter_state to)
{
    JD_CHECK_EQ(f->state, from);
    f->state = to;
}

static struct jdi_fourcounter_slot *fourcounter_slot_of(struct jdi_fourcounter *f,
                                                        uint32_t phase)
{
    return &f->slot[phase & 1];
}

static void fourcounter_send(struct jdi_fourcounter *f, uint32_t dst,
                             const struct jdi_td_msg *m)
{
    f->figures.sent++;
    f->env.send(f->env.ctx, dst, m);
}

static void fourcounter_tell_kids(struct jdi_fourcounter *f, const struct jdi_td_msg *m)
{
    for (uint32_t i = 0; i < f->nkids; i++)
        fourcounter_send(f, f->first_kid + i, m);
}

static void fourcounter_init(void *td, const struct jdi_td_config *c,
                             const struct jdi_td_env *env)
{
    struct jdi_fourcounter *f = td;
    JD_CHECK(c->rank < c->nranks);
    JD_CHECK(c->arity > 0 && c->arity <= JDI_TD_ARITY_MOST);
    JD_CHECK(c->pause_min <= c->pause_max);
    memset(f, 0, sizeof *f);
    f->env = *env;
    f->rank = c->rank;
    f->nranks = c->nranks;
    f->parent = c->rank == 0 ? 0 : jdi_tree_parent(c->rank, c->arity);
    f->first_kid = (uint32_t)jdi_tree_first_kid(c->rank, c->arity);
    f->nkids = jdi_tree_kids(c->rank, c->arity, c->nranks);
    f->pause_min = c->pause_min;
    f->pause_max = c->pause_max;
    f->phase = 1;
    f->state = JDI_FOURCOUNTER_OUT;
}

static void fourcounter_enter(void *td, uint32_t phase)
{
    struct jdi_fourcounter *f = td;
    JD_CHECK_EQ(phase, f->phase);
    fourcounter_set_state(f, JDI_FOURCOUNTER_OUT, JDI_FOURCOUNTER_OPEN);
    fourcounter_slot_of(f, phase)->held = 0;
    memset(&f->figures, 0, sizeof f->figures);
    f->wave = 0;
    f->has_before = false;
    f->sent_before = f->recv_before = 0;
    f->futile = 0;
    f->pause_end = 0;
}

static struct jdi_td_stamp fourcounter_exported(void *td)
{
    struct jdi_fourcounter *f = td;
    JD_CHECK(f->state != JDI_FOURCOUNTER_OUT);
    fourcounter_slot_of(f, f->phase)->sent++;
    return (struct jdi_td_stamp){f->phase, 0};
}

/* What comes is of this phase, or of the next if only TERM is missing here. */
static const char *fourcounter_fault_of_phase(const struct jdi_fourcounter *f,
                                              uint32_t phase)
{
    if (phase == f->phase)
        return NULL;
    if (phase != (uint32_t)(f->phase + 1))
        return "its phase is neither the present one nor the next";
    if (f->state != JDI_FOURCOUNTER_WAITING)
        return "its phase is the next one, and this one has not ended";
    return NULL;
}

static bool fourcounter_imported(void *td, struct jdi_td_stamp stamp)
{
    struct jdi_fourcounter *f = td;
    JDI_TD_EXPECT_NONE(&f->env, JDI_TD_CALLER_KNOWS,
                       fourcounter_fault_of_phase(f, stamp.phase));
    struct jdi_fourcounter_slot *s = fourcounter_slot_of(f, stamp.phase);
    s->recv++;
    if (stamp.phase != f->phase || f->state == JDI_FOURCOUNTER_OUT) {
        s->held++;
        return false;
    }
    f->futile = 0;
    f->pause_end = 0;
    return true;
}

static const char *fourcounter_fault_of_up(struct jdi_fourcounter *f, uint32_t src,
                                           const struct jdi_td_msg *m)
{
    const char *fault = fourcounter_fault_of_phase(f, m->phase);
    if (fault)
        return fault;
    if (src - f->first_kid >= f->nkids)
        return "a report of a rank that is no child";
    if (m->phase == f->phase && f->state == JDI_FOURCOUNTER_WAITING) /* I4 */
        return "a report that nobody has asked for";
    if (fourcounter_slot_of(f, m->phase)->kids_heard & jdi_td_kid(f->first_kid, src))
        return "a second report of one wave";
    return NULL;
}

static const char *fourcounter_fault_of_verdict(struct jdi_fourcounter *f, uint32_t src,
                                                const struct jdi_td_msg *m)
{
    if (f->rank == 0 || src != f->parent)
        return "a verdict of a rank that is no parent";
    if (m->phase != f->phase || m->wave != f->wave)
        return "a verdict on another wave";
    if (f->state != JDI_FOURCOUNTER_WAITING)
        return "a verdict without a report";
    if (m->type == JDI_TD_TERM && fourcounter_slot_of(f, f->phase + 1)->held == 0 &&
        !f->env.idle(f->env.ctx))
        return "the end of a phase that has tasks here";
    return NULL;
}

static const char *fourcounter_fault_of(struct jdi_fourcounter *f, uint32_t src,
                                        const struct jdi_td_msg *m)
{
    if (m->type == JDI_TD_UP)
        return fourcounter_fault_of_up(f, src, m);
    if (m->type == JDI_TD_NEXT || m->type == JDI_TD_TERM)
        return fourcounter_fault_of_verdict(f, src, m);
    return "a message of another detector";
}

static void fourcounter_on_up(struct jdi_fourcounter *f, uint32_t src,
                              const struct jdi_td_msg *m)
{
    struct jdi_fourcounter_slot *s = fourcounter_slot_of(f, m->phase);
    s->kids_heard |= jdi_td_kid(f->first_kid, src);
    s->kids_in++;
    s->kids_sent += m->wave;
    s->kids_recv += m->wave - (uint64_t)m->sum;
    jdi_td_add_stat(s->kids_stat, m->stat);
}

static void fourcounter_next_wave(struct jdi_fourcounter *f)
{
    const struct jdi_td_msg next = {
        .type = JDI_TD_NEXT, .phase = f->phase, .wave = f->wave};
    fourcounter_tell_kids(f, &next);
    fourcounter_set_state(f, JDI_FOURCOUNTER_WAITING, JDI_FOURCOUNTER_OPEN);
}

/* The children come first: the news is on its way, whatever announce does. */
static void fourcounter_end_phase(struct jdi_fourcounter *f,
                                  const struct jdi_td_msg *term)
{
    struct jdi_fourcounter_slot *s = fourcounter_slot_of(f, f->phase);
    uint32_t phase = f->phase;
    fourcounter_tell_kids(f, term);
    JD_CHECK(fourcounter_slot_of(f, phase + 1)->held > 0 || f->env.idle(f->env.ctx));
    JD_CHECK_EQ(s->held, 0);
    JD_CHECK_EQ(s->kids_in, 0);
    memset(s, 0, sizeof *s);
    fourcounter_set_state(f, JDI_FOURCOUNTER_WAITING, JDI_FOURCOUNTER_OUT);
    f->phase++;
    f->env.announce(f->env.ctx, phase, term->stat);
}

static void fourcounter_message(void *td, uint32_t src, const struct jdi_td_msg *m)
{
    struct jdi_fourcounter *f = td;
    JDI_TD_EXPECT_NONE(&f->env, src, fourcounter_fault_of(f, src, m));
    if (m->type == JDI_TD_UP)
        fourcounter_on_up(f, src, m);
    else if (m->type == JDI_TD_NEXT)
        fourcounter_next_wave(f);
    else
        fourcounter_end_phase(f, m);
}

/* The root's half of a report. */
static uint64_t fourcounter_decide(struct jdi_fourcounter *f, struct jdi_td_msg *m,
                                   uint64_t now)
{
    uint64_t sent = m->wave, recv = m->wave - (uint64_t)m->sum;
    bool sound = !f->has_before || (sent >= f->sent_before && recv >= f->recv_before &&
                                    f->recv_before <= sent); /* I1 */
    JD_CHECK(sound || f->nkids > 0);
    if (!sound)
        jdi_td_refuse(&f->env, f->first_kid, __FILE__, __LINE__,
                      "its report, or another child's, says less than the one before");
    if (f->has_before && sent == recv && f->sent_before == sent &&
        f->recv_before == recv) {
        m->type = JDI_TD_TERM;
        m->wave = f->wave;
        fourcounter_end_phase(f, m);
        return JDI_TD_NEVER;
    }
    f->has_before = true;
    f->sent_before = sent;
    f->recv_before = recv;
    f->figures.failed++;
    f->futile += f->futile < UINT32_MAX;
    uint64_t pause = jdi_td_pause(f->futile, f->pause_min, f->pause_max);
    f->pause_end = now + pause;
    if (pause > 0)
        return f->pause_end;
    fourcounter_next_wave(f);
    /* A rank alone gets no message that would make the caller step again. */
    return f->nranks == 1 && sent == recv ? now : JDI_TD_NEVER;
}

/* From idle's answer to the end of this function is the cut. */
static uint64_t fourcounter_report(struct jdi_fourcounter *f,
                                   struct jdi_fourcounter_slot *s, uint64_t now)
{
    struct jdi_td_msg m = {.type = JDI_TD_UP, .phase = f->phase};
    f->env.stat(f->env.ctx, m.stat);
    jdi_td_add_stat(m.stat, s->kids_stat);
    m.wave = s->kids_sent + s->sent;
    m.sum = (int64_t)(m.wave - s->kids_recv - s->recv);
    s->kids_heard = 0;
    s->kids_in = 0;
    s->kids_sent = s->kids_recv = 0;
    memset(s->kids_stat, 0, sizeof s->kids_stat);
    f->figures.waves++;
    f->wave = (uint8_t)((f->wave + 1) % WAVES);
    fourcounter_set_state(f, JDI_FOURCOUNTER_OPEN, JDI_FOURCOUNTER_WAITING);
    if (f->rank == 0)
        return fourcounter_decide(f, &m, now);
    fourcounter_send(f, f->parent, &m);
    return JDI_TD_NEVER;
}

static uint64_t fourcounter_step(void *td, uint64_t now)
{
    struct jdi_fourcounter *f = td;
    struct jdi_fourcounter_slot *s = fourcounter_slot_of(f, f->phase);
    if (f->state == JDI_FOURCOUNTER_WAITING && f->rank == 0) {
        if (now < f->pause_end)
            return f->pause_end;
        fourcounter_next_wave(f);
    }
    if (f->state == JDI_FOURCOUNTER_OPEN && s->kids_in == f->nkids &&
        f->env.idle(f->env.ctx))
        return fourcounter_report(f, s, now);
    return JDI_TD_NEVER;
}

static void fourcounter_figures(const void *td, struct jdi_td_figures *out)
{
    const struct jdi_fourcounter *f = td;
    *out = f->figures;
}

static void fourcounter_check(const void *td)
{
    const struct jdi_fourcounter *f = td;
    const struct jdi_fourcounter_slot *s = &f->slot[f->phase & 1];
    const struct jdi_fourcounter_slot *other = &f->slot[~f->phase & 1];
    JD_CHECK(s->kids_in <= f->nkids && other->kids_in <= f->nkids);
    JD_CHECK_EQ(__builtin_popcountll(s->kids_heard), s->kids_in);
    JD_CHECK_EQ(__builtin_popcountll(other->kids_heard), other->kids_in);
    JD_CHECK(s->kids_in > 0 || (s->kids_sent == 0 && s->kids_recv == 0));
    if (f->state == JDI_FOURCOUNTER_OUT)
        JD_CHECK(s->sent == 0 && s->held == s->recv);
    else
        JD_CHECK_EQ(s->held, 0);
    if (f->state == JDI_FOURCOUNTER_WAITING)
        JD_CHECK_EQ(s->kids_in, 0); /* I4 */
    else
        JD_CHECK(other->recv == 0 && other->kids_in == 0);
    JD_CHECK(other->sent == 0 && other->held == other->recv);
}

const struct jdi_td_ops jdi_td_fourcounter = {
    .name = "fourcounter",
    .size = sizeof(struct jdi_fourcounter),
    .version = JDI_TD_VERSION,
    .init = fourcounter_init,
    .enter = fourcounter_enter,
    .exported = fourcounter_exported,
    .imported = fourcounter_imported,
    .message = fourcounter_message,
    .step = fourcounter_step,
    .figures = fourcounter_figures,
    .check = fourcounter_check,
};
