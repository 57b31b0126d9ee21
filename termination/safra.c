/*
 * safra.c - Safra's token on a ring: a reference detector for collections.
 *
 * Role: decide that a phase has ended on all ranks, with n messages in sequence per round.
 *       `francez` is measured against it; its latency grows with n, not with log n.
 * Owner: the communication thread of the rank.
 * Invariants: I1 to I4 below; I5 a rank has the token of one phase at most.
 * See: Dijkstra, "Shmuel Safra's version of termination detection", EWD998, 1987;
 *      doc/termination.md section 10; conform/.
 *
 * The ring goes 0, n-1, n-2, ... 1, 0.  A rank keeps sent - recv and a colour: black since
 * an import, white since the token left it.
 *
 *   state            event                            sends
 *   out              enter                            -        rank 0 makes the token
 *   open, no token   TOKEN                            -        the token is here
 *   open, token      step: idle, not rank 0           TOKEN    sum += sent - recv, black |=
 *   open, token      step: idle, rank 0               TOKEN    a new round, all white
 *   open, token      the same, round done: sum 0, all white   TERM   the phase has ended
 *   open             TERM, not rank 0                 TERM     unless next is rank 0
 *
 *   message  from, to         fields                        duplicated  reordered
 *   TASK     any, any         phase                         never       against anything
 *   TOKEN    before, next     phase, round (wave), sum, crossed, stat  never  against anything
 *   TERM     before, next     phase, stat of all ranks      never       against anything
 *
 * Proof.  Let the token be at rank t in a round; the ranks t+1 .. n-1 have been visited and
 * q is its sum, B the number of task messages on their way, b_i = sent - recv of rank i.
 * (a) P0: the sum of all b_i is B, always.
 * (b) One of these holds at any time of a round:
 *     P1: the visited ranks are idle and q is the sum of their b_i;
 *     P2: q + the sum of b_i over the ranks not visited (0 .. t) is > 0;
 *     P3: one of the ranks 0 .. t is black;
 *     P4: the token is black.
 *     P1 holds at the start.  Only a task message m that activates a visited rank breaks P1.  By
 *     P0 and P1 before that, q + b_0 + ... + b_t = B > 0: P2 holds.  Only an import at one of 0
 *     .. t breaks P2, and turns that rank black: P3.  Only the token's leaving a black rank
 *     breaks P3, and blackens the token: P4, which lasts to the end of the round.  A visit of an
 *     idle white rank keeps P1 and P2.
 * (c) Safety.  Rank 0 announces if it is idle and white and has a white token with
 *     q + b_0 = 0 (t = 0): not P2, not P3, not P4.  So P1: all ranks are idle, and by P0 B = 0.
 * (d) Liveness.  After quiescence nobody turns black.  The round that was open may fail.  The
 *     next round whitens every rank, and its sum is 0, but it may find ranks black.  The round
 *     after that announces: two failed rounds at most.
 * (e) Phases as in termination/francez.c: rank 0 announces p only when all have passed the
 *     token in p, so nobody has left p or runs p+1 before, and TOKEN and tasks of p+1 wait in
 *     the other slot.  With n = 1 a round is a look at the rank's own counter.
 */
#include "termination/safra.h"

#include "termination/find.h"
#include "termination/parts.h"

#include <string.h>

/* Rounds are 1, 2, ... ROUNDS, 1, ...: enough to tell a token from one that comes twice, and few
 * enough for a search of all states. */
enum { ROUNDS = 3 };

static uint8_t round_after(uint8_t round)
{
    return round == ROUNDS ? 1 : (uint8_t)(round + 1);
}

static struct jdi_safra_slot *safra_slot_of(struct jdi_safra *f, uint32_t phase)
{
    return &f->slot[phase & 1];
}

static void safra_send(struct jdi_safra *f, const struct jdi_td_msg *m)
{
    f->figures.sent++;
    f->env.send(f->env.ctx, f->next, m);
}

static void safra_init(void *td, const struct jdi_td_config *c,
                       const struct jdi_td_env *env)
{
    struct jdi_safra *f = td;
    JD_CHECK(c->rank < c->nranks);
    JD_CHECK(c->pause_min <= c->pause_max);
    memset(f, 0, sizeof *f);
    f->env = *env;
    f->rank = c->rank;
    f->nranks = c->nranks;
    f->next = c->rank == 0 ? c->nranks - 1 : c->rank - 1;
    f->before = c->rank + 1 == c->nranks ? 0 : c->rank + 1;
    f->pause_min = c->pause_min;
    f->pause_max = c->pause_max;
    f->phase = 1;
}

static void safra_enter(void *td, uint32_t phase)
{
    struct jdi_safra *f = td;
    struct jdi_safra_slot *s = safra_slot_of(f, phase);
    JD_CHECK_EQ(phase, f->phase);
    JD_CHECK(!f->open);
    f->open = true;
    s->held = 0;
    if (f->rank == 0)
        s->token = true;
    memset(&f->figures, 0, sizeof f->figures);
    f->futile = 0;
    f->pause_end = 0;
}

static struct jdi_td_stamp safra_exported(void *td)
{
    struct jdi_safra *f = td;
    JD_CHECK(f->open);
    safra_slot_of(f, f->phase)->sent++;
    return (struct jdi_td_stamp){f->phase, 0};
}

/* What comes is of this phase, or of the next if only TERM is missing here. */
static const char *safra_fault_of_phase(const struct jdi_safra *f, uint32_t phase)
{
    if (phase == f->phase)
        return NULL;
    if (phase != (uint32_t)(f->phase + 1))
        return "its phase is neither the present one nor the next";
    if (!f->open)
        return "its phase is the next one, and this one has not begun";
    return NULL;
}

static bool safra_imported(void *td, struct jdi_td_stamp stamp)
{
    struct jdi_safra *f = td;
    JDI_TD_EXPECT_NONE(&f->env, JDI_TD_CALLER_KNOWS,
                       safra_fault_of_phase(f, stamp.phase));
    struct jdi_safra_slot *s = safra_slot_of(f, stamp.phase);
    s->recv++;
    s->black = true;
    if (stamp.phase != f->phase || !f->open) {
        s->held++;
        return false;
    }
    f->futile = 0;
    f->pause_end = 0;
    return true;
}

static const char *safra_fault_of_term(struct jdi_safra *f, const struct jdi_td_msg *m)
{
    if (f->rank == 0)
        return "the end, which rank 0 decides";
    if (m->phase != f->phase || !f->open)
        return "the end of another phase";
    if (safra_slot_of(f, f->phase)->token)
        return "the end, while the token is here";
    if (safra_slot_of(f, f->phase + 1)->held == 0 && !f->env.idle(f->env.ctx))
        return "the end of a phase that has tasks here";
    return NULL;
}

static const char *safra_fault_of(struct jdi_safra *f, uint32_t src,
                                  const struct jdi_td_msg *m)
{
    if (src != f->before || f->nranks == 1)
        return "its sender is not the one before in the ring";
    if (m->type == JDI_TD_TERM)
        return safra_fault_of_term(f, m);
    if (m->type != JDI_TD_TOKEN)
        return "a message of another detector";
    const char *fault = safra_fault_of_phase(f, m->phase);
    if (!fault && (f->slot[0].token || f->slot[1].token)) /* I5 */
        fault = "a token, and there is one here";
    uint8_t seen = safra_slot_of(f, m->phase)->rounds;
    if (!fault && m->wave != (f->rank == 0 ? seen : round_after(seen)))
        fault = "a token of another round";
    return fault;
}

static void on_token(struct jdi_safra *f, const struct jdi_td_msg *m)
{
    struct jdi_safra_slot *s = safra_slot_of(f, m->phase);
    s->token = true;
    s->rounds = (uint8_t)m->wave;
    s->round = f->rank == 0;
    s->token_sum = m->sum;
    s->token_black = m->crossed;
    memcpy(s->token_stat, m->stat, sizeof s->token_stat);
}

/* The next rank comes first: the news is on its way, whatever announce does. */
static void safra_end_phase(struct jdi_safra *f, const struct jdi_td_msg *term)
{
    struct jdi_safra_slot *s = safra_slot_of(f, f->phase);
    uint32_t phase = f->phase;
    if (f->next != 0)
        safra_send(f, term);
    JD_CHECK(safra_slot_of(f, phase + 1)->held > 0 || f->env.idle(f->env.ctx));
    JD_CHECK(f->open);
    JD_CHECK_EQ(s->held, 0);
    memset(s, 0, sizeof *s);
    f->open = false;
    f->phase++;
    f->env.announce(f->env.ctx, phase, term->stat);
}

static void safra_message(void *td, uint32_t src, const struct jdi_td_msg *m)
{
    struct jdi_safra *f = td;
    JDI_TD_EXPECT_NONE(&f->env, src, safra_fault_of(f, src, m));
    if (m->type == JDI_TD_TOKEN)
        on_token(f, m);
    else
        safra_end_phase(f, m);
}

/* The token leaves and takes along what the rank has counted; the rank is white. */
static void pass_token(struct jdi_safra *f, struct jdi_safra_slot *s)
{
    struct jdi_td_msg m = {.type = JDI_TD_TOKEN, .phase = f->phase};
    if (f->rank != 0) {
        m.sum = s->token_sum + s->sent - s->recv;
        m.crossed = s->token_black || s->black;
        f->env.stat(f->env.ctx, m.stat);
        jdi_td_add_stat(m.stat, s->token_stat);
    }
    if (f->rank == 0)
        s->rounds = round_after(s->rounds);
    m.wave = s->rounds;
    s->black = false;
    s->token = s->round = false;
    f->figures.waves++;
    safra_send(f, &m);
}

/* In a job of one rank the token does not travel: it comes back at once. */
static void pass_to_myself(struct jdi_safra *f, struct jdi_safra_slot *s)
{
    s->black = false;
    s->round = true;
    f->figures.waves++;
}

/* Rank 0 has the token back: true if the phase has ended. */
static bool concludes(struct jdi_safra *f, struct jdi_safra_slot *s)
{
    struct jdi_td_msg m = {.type = JDI_TD_TERM, .phase = f->phase};
    if (s->token_black || s->black || s->token_sum + s->sent != s->recv)
        return false;
    f->env.stat(f->env.ctx, m.stat);
    jdi_td_add_stat(m.stat, s->token_stat);
    safra_end_phase(f, &m);
    return true;
}

/* Rank 0: the end, or a pause, or another round. */
static uint64_t probe(struct jdi_safra *f, struct jdi_safra_slot *s, uint64_t now)
{
    if (s->round) {
        if (concludes(f, s))
            return JDI_TD_NEVER;
        s->round = false;
        f->figures.failed++;
        f->futile += f->futile < UINT32_MAX;
        uint64_t pause = jdi_td_pause(f->futile, f->pause_min, f->pause_max);
        f->pause_end = now + pause;
        if (pause > 0)
            return f->pause_end;
    }
    if (f->nranks > 1) {
        pass_token(f, s);
        return JDI_TD_NEVER;
    }
    pass_to_myself(f, s);
    if (s->sent == s->recv)
        concludes(f, s);
    return JDI_TD_NEVER;
}

static uint64_t safra_step(void *td, uint64_t now)
{
    struct jdi_safra *f = td;
    struct jdi_safra_slot *s = safra_slot_of(f, f->phase);
    if (!f->open || !s->token)
        return JDI_TD_NEVER;
    if (now < f->pause_end)
        return f->pause_end;
    if (!f->env.idle(f->env.ctx))
        return JDI_TD_NEVER;
    if (f->rank == 0)
        return probe(f, s, now);
    pass_token(f, s);
    return JDI_TD_NEVER;
}

static void safra_figures(const void *td, struct jdi_td_figures *out)
{
    const struct jdi_safra *f = td;
    *out = f->figures;
}

static void safra_check(const void *td)
{
    const struct jdi_safra *f = td;
    const struct jdi_safra_slot *s = &f->slot[f->phase & 1];
    const struct jdi_safra_slot *other = &f->slot[~f->phase & 1];
    JD_CHECK(s->sent >= 0 && s->recv >= 0);
    JD_CHECK(!s->black || s->recv > 0);
    JD_CHECK(!(s->token && other->token)); /* I5 */
    JD_CHECK(!s->round || (s->token && f->rank == 0));
    if (!f->open)
        JD_CHECK(s->sent == 0 && (int64_t)s->held == s->recv);
    else
        JD_CHECK_EQ(s->held, 0);
    JD_CHECK(other->sent == 0 && (int64_t)other->held == other->recv);
    JD_CHECK(f->open || other->recv == 0);
}

const struct jdi_td_ops jdi_td_safra = {
    .name = "safra",
    .size = sizeof(struct jdi_safra),
    .version = JDI_TD_VERSION,
    .init = safra_init,
    .enter = safra_enter,
    .exported = safra_exported,
    .imported = safra_imported,
    .message = safra_message,
    .step = safra_step,
    .figures = safra_figures,
    .check = safra_check,
};
