/*
 * detector.c - a termination detector of your own, for jackdaw-tdtest.
 *
 * Role: the smallest detector that is right: every rank reports to rank 0, which asks again
 *       until two rounds agree.  Slow with many ranks, but it shows every operation.
 * Owner: the communication thread of the rank calls; nothing here is shared.
 * Invariants: I1 a round has one report of each rank; rank 0 sends NEXT only after all.
 *             I2 counters only grow within a phase.
 * See: jackdaw-tdtest(1), <jackdaw/detector.h>.
 *
 *     cc -std=c11 -shared -fPIC $(pkg-config --cflags jackdaw) -o mine.so detector.c
 *     jackdaw-tdtest --detector=./mine.so
 *
 * Why two rounds: what is sent after one rank's report and received before another's looks
 * as if it were not under way.  If the sums of two rounds are the same, nothing was received
 * between them, so at the instant between them all ranks were idle and nothing was under way.
 * With -DONE_ROUND it stops after one, and jackdaw-tdtest shows what happens then.
 */
#include <jackdaw/detector.h>

#include <stdlib.h>
#include <string.h>

struct star {
    struct jdi_td_env env;
    struct jdi_td_figures figures;
    uint32_t rank, nranks, phase;
    bool open;  /* between enter and announce */
    bool asked; /* has to report; a phase begins so */
    uint64_t sent, recv,
        recv_next; /* recv_next: of the next phase, kept by the runtime */
    /* Rank 0: this round, and the sums of the one before. */
    uint32_t reports;
    uint64_t all_sent, all_recv, stat[JDI_TD_STATS];
    uint64_t sent_before, recv_before;
    bool has_before;
};

static void init(void *td, const struct jdi_td_config *c, const struct jdi_td_env *env)
{
    struct star *s = td;
    memset(s, 0, sizeof *s); /* the suite compares states by their bytes */
    s->env = *env;
    s->rank = c->rank;
    s->nranks = c->nranks;
    s->phase = 1;
    s->asked = true;
}

static void enter(void *td, uint32_t phase)
{
    struct star *s = td;
    s->phase = phase;
    s->open = true;
    memset(&s->figures, 0, sizeof s->figures);
}

static struct jdi_td_stamp exported(void *td)
{
    struct star *s = td;
    s->sent++;
    return (struct jdi_td_stamp){.phase = s->phase};
}

/* A rank that has not heard of the end of a phase may get tasks of the next one. */
static bool imported(void *td, struct jdi_td_stamp stamp)
{
    struct star *s = td;
    if (stamp.phase != s->phase)
        s->recv_next++;
    else
        s->recv++;
    return s->open && stamp.phase == s->phase;
}

static void send(struct star *s, uint32_t dst, const struct jdi_td_msg *m)
{
    s->figures.sent++;
    s->env.send(s->env.ctx, dst, m);
}

static void tell_all(struct star *s, const struct jdi_td_msg *m)
{
    for (uint32_t r = 1; r < s->nranks; r++)
        send(s, r, m);
}

/* Everything that the next phase must not see is cleared before anybody can call enter. */
static void end_phase(struct star *s, const uint64_t stat[JDI_TD_STATS])
{
    uint32_t phase = s->phase++;
    s->open = false;
    s->asked = true;
    s->sent = 0;
    s->recv = s->recv_next;
    s->recv_next = 0;
    s->has_before = false;
    s->sent_before = s->recv_before = 0;
    s->env.announce(s->env.ctx, phase, stat);
}

/* A report, rank 0's own included.  The last word of stat is xor-ed, the others are summed. */
static void collect(struct star *s, uint64_t sent, uint64_t recv, const uint64_t stat[])
{
    s->reports++;
    s->all_sent += sent;
    s->all_recv += recv;
    for (int i = 0; i < JDI_TD_STATS - 1; i++)
        s->stat[i] += stat[i];
    s->stat[JDI_TD_STATS - 1] ^= stat[JDI_TD_STATS - 1];
}

/* Rank 0 has all reports: the end, or another round. */
static void decide(struct star *s)
{
    struct jdi_td_msg m = {.phase = s->phase};
    bool ended = s->all_sent == s->all_recv;
#ifndef ONE_ROUND
    ended = ended && s->has_before && s->sent_before == s->all_sent &&
            s->recv_before == s->all_recv;
#endif
    s->has_before = true;
    s->sent_before = s->all_sent;
    s->recv_before = s->all_recv;
    memcpy(m.stat, s->stat, sizeof m.stat);
    s->reports = 0;
    s->all_sent = s->all_recv = 0;
    memset(s->stat, 0, sizeof s->stat);
    m.type = ended ? JDI_TD_TERM : JDI_TD_NEXT;
    tell_all(s, &m); /* before announce: it may be the last thing that happens here */
    if (ended) {
        end_phase(s, m.stat);
    } else {
        s->figures.failed++;
        s->asked = true;
    }
}

static void message(void *td, uint32_t src, const struct jdi_td_msg *m)
{
    struct star *s = td;
    (void)src;
    if (m->type == JDI_TD_UP)
        collect(s, m->wave, (uint64_t)m->sum, m->stat);
    else if (m->type == JDI_TD_NEXT)
        s->asked = true;
    else
        end_phase(s, m->stat);
}

/* Reports are made here only, right after idle has said true. */
static uint64_t step(void *td, uint64_t now)
{
    struct star *s = td;
    struct jdi_td_msg m = {.type = JDI_TD_UP, .phase = s->phase};
    if (!s->open)
        return JDI_TD_NEVER;
    if (s->asked && s->env.idle(s->env.ctx)) {
        s->asked = false;
        s->figures.waves++;
        s->env.stat(s->env.ctx, m.stat);
        if (s->rank == 0) {
            collect(s, s->sent, s->recv, m.stat);
        } else {
            m.wave = s->sent;
            m.sum = (int64_t)s->recv;
            send(s, 0, &m);
        }
    }
    if (s->rank == 0 && s->reports == s->nranks)
        decide(s);
    /* Alone, no message will call for the next round. */
    return s->open && s->nranks == 1 && s->asked && s->sent == s->recv &&
                   s->env.idle(s->env.ctx)
               ? now
               : JDI_TD_NEVER;
}

static void figures(const void *td, struct jdi_td_figures *out)
{
    const struct star *s = td;
    *out = s->figures;
}

/* What one rank can see to be wrong; whatever aborts is a failure with rule O6. */
static void check(const void *td)
{
    const struct star *s = td;
    if (s->reports > s->nranks || (!s->open && s->sent > 0))
        abort();
}

const struct jdi_td_ops jackdaw_detector = {
    .name = "star",
    .size = sizeof(struct star),
    .version = JDI_TD_VERSION,
    .init = init,
    .enter = enter,
    .exported = exported,
    .imported = imported,
    .message = message,
    .step = step,
    .figures = figures,
    .check = check,
};

/* Optional: what it costs after quiescence.  Rank 0 tells every rank, in up to three rounds. */
const struct jdi_td_limits jackdaw_detector_limits = {.failed = 2, .sent = 3};

/* Optional: for numbers that no run reaches; it numbers no rounds. */
void jackdaw_detector_start(void *td, uint32_t phase, uint64_t wave);
void jackdaw_detector_start(void *td, uint32_t phase, uint64_t wave)
{
    struct star *s = td;
    (void)wave;
    s->phase = phase;
}

/* Optional: what has no influence is zeroed, so that --exhaustive finds equal states equal. */
void jackdaw_detector_forget(void *td);
void jackdaw_detector_forget(void *td)
{
    struct star *s = td;
    memset(&s->figures, 0, sizeof s->figures);
}
