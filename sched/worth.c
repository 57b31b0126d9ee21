/*
 * worth.c - AUTO: is a session of a balancer worth its price?
 *
 * Role: compares what is saved in the iterations that are expected with what it costs.
 * Invariants: I1 of worth.h.
 * See: worth.h; doc/balance.md section 8.
 */
#include "sched/worth.h"

enum {
    PLAN_NS = 20000, /* of a plan, as long as none was measured */
    PLAN_SEED_NS = 25,
    MOVE_NS = 300,    /* of a seed that moves */
    BYTES_NS = 4,     /* of its bytes, in one ns */
    LOOK_NS = 10000,  /* of a session without a plan */
    LOOK_SHARE = 100, /* of an iteration, at most, is what looks may take at first */
    LOSS_SHARE = 20,  /* of an iteration: less than this part is little */
    PAUSE_MOST = 64,
    DOUBT_SHARE = 10, /* of the doubt goes when a session has nothing to judge */
    BACKOFF_LEAST = 1,
    BACKOFF_MOST = 64,
    WRONG_MOST = 2
};

static uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

bool jdi_worth_asks(struct jdi_worth *w)
{
    w->since++;
    if (!w->rests)
        return true;
    w->rests--;
    return false;
}

uint64_t jdi_worth_expected(const struct jdi_worth *w)
{
    return w->since > 1 ? w->since : 1;
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

/* Is `saved` in each iteration that is expected, as far as it is likely to come, more than `price`?  By the quotient,
 * because a product may overflow. */
static bool pays(const struct jdi_worth *w, uint64_t saved, uint64_t price)
{
    uint64_t likely = w->doubt > 0 ? (uint64_t)((1 - w->doubt) * (double)saved) : saved;
    return likely > price / jdi_worth_expected(w);
}

/* What the moves take, ns.  Ranks send at the same time, so it is what the one takes that gives most: as many seeds of
 * average length as its load is to fall by, and at least its share of all.  It is a guess on the low side, because what a
 * session has really taken, with its moves, is the price of the next plan. */
static uint64_t move_price(const struct jdi_worth *w, const struct jdi_balance_figures *f)
{
    double all = (double)f->moved, least = all / w->nranks;
    double falls = (double)(f->most_before - f->most_after);
    double most = f->sum ? falls * (double)f->tasks / (double)f->sum : all;
    double part = most < least ? least : most < all ? most : all;
    double each = MOVE_NS + (f->moved ? (double)f->moved_bytes / all / BYTES_NS : 0);
    return (uint64_t)(part * each);
}

/* What a plan takes where none was measured, ns. */
static uint64_t plan_price(const struct jdi_balance_figures *f)
{
    return PLAN_NS + PLAN_SEED_NS * f->tasks;
}

bool jdi_worth_goes(const struct jdi_worth *w, enum jdi_balance_question q,
                    const struct jdi_balance_figures *f)
{
    if (q == JDI_BALANCE_MOVES)
        return pays(w, jdi_worth_gain(w, f), move_price(w, f));
    return pays(w, jdi_worth_loss(w, f), w->plan_ns ? w->plan_ns : plan_price(f));
}

/* How much of what was foreseen has come: 0 to 1. */
static double share_of(const struct jdi_worth *w)
{
    if (w->brought <= 0 || !w->promised)
        return 0;
    double share = (double)w->brought / (double)w->promised;
    return share < 1 ? share : 1;
}

/* Where times do not foretell the next ones, a plan evens out numbers of seeds, and steals may undo that at once. */
static void learn_doubt(struct jdi_worth *w)
{
    if (w->trusts)
        w->doubt = 0;
    else if (w->judged)
        w->doubt = (w->doubt + 1 - share_of(w)) / 2;
    else
        w->doubt -= w->doubt / DOUBT_SHARE;
}

/* What became of the last plan: its phase has run. */
static void judge_last(struct jdi_worth *w, const struct jdi_balance_figures *f)
{
    w->judged = w->was != 0;
    if (!w->judged)
        return;
    w->promised = (w->was - w->foreseen) / w->workers;
    w->brought = ((int64_t)w->was - (int64_t)f->most_before) / (int64_t)w->workers;
    /* What drifts away is lost whatever the plan was; it was right if it is no worse than before. */
    int64_t least = w->drifts ? -(int64_t)w->promised : (int64_t)w->promised;
    bool right = 2 * w->brought >= least;
    w->wrong = right ? 0 : w->wrong + 1;
    w->backoff = right ? 0 : w->backoff;
}

/* It has rested, because predictions were wrong.  If that has cost half as much again, then loads drift, and the plans
 * were better than none. */
static void judge_rest(struct jdi_worth *w, const struct jdi_balance_figures *f)
{
    if (!w->loss_with_plans)
        return;
    w->drifts = 2 * jdi_worth_loss(w, f) >= 3 * w->loss_with_plans;
    w->backoff = w->drifts ? 0 : w->backoff;
    w->loss_with_plans = 0;
}

/* How many restores pass before the next look, at least.  Where iterations are short, looks are rare.  Where something is
 * lost, the next one comes when half of what is missing for a plan to pay will be lost.  By the price that was not
 * measured, because each rank's clock says something else (I1). */
static uint32_t least_pause(const struct jdi_worth *w,
                            const struct jdi_balance_figures *f)
{
    uint64_t iteration = f->sum / w->nranks / w->workers + 1;
    uint64_t pause = (uint64_t)LOOK_SHARE * LOOK_NS / iteration;
    uint64_t loss = jdi_worth_loss(w, f);
    if (loss > iteration / LOSS_SHARE) {
        uint64_t all = plan_price(f) / loss, passed = jdi_worth_expected(w);
        uint64_t half = all > passed ? (all - passed) / 2 : 0;
        pause = half < pause ? half : pause;
    }
    return pause < 1 ? 1 : pause < PAUSE_MOST ? (uint32_t)pause : PAUSE_MOST;
}

/* The same, after a look that was for nothing. */
static uint32_t next_pause(const struct jdi_worth *w, const struct jdi_balance_figures *f)
{
    uint32_t least = least_pause(w, f), more = min_u32(2 * w->pause, PAUSE_MOST);
    return least > more ? least : more;
}

void jdi_worth_ended(struct jdi_worth *w, const struct jdi_balance_figures *f,
                     uint64_t ns)
{
    judge_rest(w, f);
    judge_last(w, f);
    learn_doubt(w);
    w->was = f->kept ? f->most_before : 0;
    w->foreseen = f->most_after;
    w->plan_ns = f->planned ? ns : w->plan_ns;
    w->pause = f->kept ? 0 : next_pause(w, f);
    w->since = f->kept ? 0 : w->since;
    w->rests = w->pause;
    if (w->wrong < WRONG_MOST)
        return;
    w->backoff = w->backoff ? min_u32(2 * w->backoff, BACKOFF_MOST) : BACKOFF_LEAST;
    w->rests = w->backoff;
    w->wrong = 0;
    w->drifts = false;
    w->loss_with_plans = jdi_worth_loss(w, f);
    w->was = 0; /* what is measured after so long says nothing of this plan */
}
