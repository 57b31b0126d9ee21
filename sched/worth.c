/*
 * worth.c - AUTO: is a session of a balancer worth its price?
 *
 * Role: compares what is saved in the iterations that are expected with what it costs.
 * Invariants: I1 of worth.h.
 * See: worth.h; doc/balance.md section 8.
 */
#include "sched/worth.h"

enum {
    PLAN_NS = 50000, /* of a plan, as long as none was measured */
    PLAN_SEED_NS = 200,
    MOVE_NS = 1000, /* of a seed that moves; its bytes take 1 ns each */
    PAUSE_MOST = 32,
    BACKOFF_LEAST = 8,
    BACKOFF_MOST = 64,
    WRONG_MOST = 2
};

static uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

bool jdi_worth_asks(struct jdi_worth *w)
{
    w->restores++;
    if (!w->rests)
        return true;
    w->rests--;
    return false;
}

uint64_t jdi_worth_expected(const struct jdi_worth *w)
{
    return w->restores > 1 ? w->restores - 1 : 1;
}

uint64_t jdi_worth_loss(const struct jdi_worth *w, const struct jdi_balance_figures *f)
{
    uint64_t mean = (f->sum + w->nranks - 1) / w->nranks;
    uint64_t least = mean > f->largest ? mean : f->largest;
    return f->most_before > least ? (f->most_before - least) / w->workers : 0;
}

uint64_t jdi_worth_gain(const struct jdi_worth *w, const struct jdi_balance_figures *f)
{
    return (f->most_before - f->most_after) / w->workers;
}

/* Is `saved` in each iteration that is expected more than `price`?  By the quotient, because a product may
 * overflow. */
static bool pays(const struct jdi_worth *w, uint64_t saved, uint64_t price)
{
    return saved > price / jdi_worth_expected(w);
}

bool jdi_worth_goes(const struct jdi_worth *w, enum jdi_balance_question q,
                    const struct jdi_balance_figures *f)
{
    if (q == JDI_BALANCE_MOVES)
        return pays(w, jdi_worth_gain(w, f), MOVE_NS * f->moved + f->moved_bytes);
    return pays(w, jdi_worth_loss(w, f),
                w->plan_ns ? w->plan_ns : PLAN_NS + PLAN_SEED_NS * f->tasks);
}

/* What became of the last plan: its phase has run. */
static void judge_last(struct jdi_worth *w, const struct jdi_balance_figures *f)
{
    w->judged = w->was != 0;
    if (!w->judged)
        return;
    w->promised = (w->was - w->foreseen) / w->workers;
    w->brought = ((int64_t)w->was - (int64_t)f->most_before) / (int64_t)w->workers;
    bool right = 2 * w->brought >= (int64_t)w->promised;
    w->wrong = right ? 0 : w->wrong + 1;
    w->backoff = right ? 0 : w->backoff;
}

void jdi_worth_ended(struct jdi_worth *w, const struct jdi_balance_figures *f,
                     uint64_t ns)
{
    judge_last(w, f);
    w->was = f->kept ? f->most_before : 0;
    w->foreseen = f->most_after;
    w->plan_ns = f->planned ? ns : w->plan_ns;
    w->pause = f->kept ? 0 : w->pause ? min_u32(2 * w->pause, PAUSE_MOST) : 1;
    w->rests = w->pause;
    if (w->wrong < WRONG_MOST)
        return;
    w->backoff = w->backoff ? min_u32(2 * w->backoff, BACKOFF_MOST) : BACKOFF_LEAST;
    w->rests = w->backoff;
    w->wrong = 0;
    w->was = 0; /* what is measured after so long says nothing of this plan */
}
