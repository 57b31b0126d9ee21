/* AUTO asks only when it may be worth it: an even load is left alone for longer and longer, a plan has to save more
 * than it costs, and two wrong predictions make it back off.  All of it follows from numbers that all ranks have. */
#include "sched/worth.h"
#include "test/kit/tap.h"

enum { RANKS = 4, WORKERS = 2 };

static struct jdi_worth fresh(void)
{
    return (struct jdi_worth){.workers = WORKERS, .nranks = RANKS};
}

/* Figures of a session; loads in us. */
static struct jdi_balance_figures figures(uint64_t before, uint64_t after, bool kept)
{
    return (struct jdi_balance_figures){.tasks = 100,
                                        .sum = RANKS * UINT64_C(10000000),
                                        .largest = 1000,
                                        .most_before = 1000 * before,
                                        .most_after = 1000 * after,
                                        .moved = 10,
                                        .moved_bytes = 1000,
                                        .planned = after < before,
                                        .kept = kept};
}

/* Restores until it asks again. */
static unsigned rests(struct jdi_worth *w)
{
    unsigned n = 0;
    while (!jdi_worth_asks(w))
        n++;
    return n;
}

static void test_rests(void)
{
    struct jdi_worth w = fresh();
    struct jdi_balance_figures even = figures(10000, 10000, false);
    static const unsigned want[] = {1, 2, 4, 8, 16, 32, 64, 64};
    bool right = rests(&w) == 0;
    for (unsigned i = 0; i < JDI_ARRAY_LEN(want); i++) {
        jdi_worth_ended(&w, &even, 20000);
        right = right && rests(&w) == want[i];
    }
    ok(right, "it rests for longer and longer while there is nothing to do");
    struct jdi_balance_figures uneven = figures(20000, 10000, true);
    jdi_worth_ended(&w, &uneven, 20000);
    ok(rests(&w) == 0, "and asks each time when there was");
}

static void test_prices(void)
{
    struct jdi_worth w = fresh();
    (void)jdi_worth_asks(&w);
    struct jdi_balance_figures f = figures(10020, 10010, false);
    ok(!jdi_worth_goes(&w, JDI_BALANCE_PLAN, &f), "10 us are not worth a plan of 22 us");
    f = figures(10100, 10010, false);
    ok(jdi_worth_goes(&w, JDI_BALANCE_MOVES, &f), "45 us are worth moves of 0.8 us");
    f.moved_bytes = 1000000; /* a quarter of it at each rank */
    ok(!jdi_worth_goes(&w, JDI_BALANCE_MOVES, &f), "but not 1 MB more");
    for (int i = 0; i < 30; i++)
        (void)jdi_worth_asks(&w);
    ok(jdi_worth_goes(&w, JDI_BALANCE_PLAN, &f) &&
           jdi_worth_goes(&w, JDI_BALANCE_MOVES, &f),
       "in 30 more iterations both are");
    f = figures(10100, 10010, true);
    jdi_worth_ended(&w, &f, 1000000000);
    ok(!jdi_worth_goes(&w, JDI_BALANCE_PLAN, &f), "what a plan has taken is remembered");
    f.largest = f.most_before;
    is_u64(jdi_worth_loss(&w, &f), 0, "nothing is lost by a task that is the whole load");
}

static void test_backs_off(void)
{
    struct jdi_worth w = fresh();
    struct jdi_balance_figures f = figures(20000, 10000, true);
    static const unsigned want[] = {0, 0, 1, 0, 0, 2, 0, 0, 4};
    bool right = rests(&w) == 0;
    for (unsigned i = 0; i < JDI_ARRAY_LEN(want); i++) { /* it never comes out */
        jdi_worth_ended(&w, &f, 20000);
        right = right && rests(&w) == want[i];
    }
    ok(right, "two wrong predictions and it backs off");
    struct jdi_balance_figures half = figures(14000, 10000, true);
    w = fresh();
    jdi_worth_ended(&w, &f, 20000);
    jdi_worth_ended(&w, &f, 20000);
    jdi_worth_ended(&w, &half, 20000);
    jdi_worth_ended(&w, &f, 20000);
    ok(rests(&w) == 0, "not if a right one was between them");
}

/* A plan that is made again costs as much as the first one: what it must save it must save in as many iterations as the
 * last one has lasted. */
static void test_expected(void)
{
    struct jdi_worth w = fresh();
    struct jdi_balance_figures f = figures(10100, 10010, true);
    for (int i = 0; i < 40; i++)
        (void)jdi_worth_asks(&w);
    is_u64(jdi_worth_expected(&w), 40, "before the first plan: what has passed");
    jdi_worth_ended(&w, &f, 200000);
    (void)jdi_worth_asks(&w);
    is_u64(jdi_worth_expected(&w), 1, "then what has passed since the last one");
    ok(!jdi_worth_goes(&w, JDI_BALANCE_PLAN, &f), "50 us do not pay for 200 at once");
    for (int i = 0; i < 4; i++)
        (void)jdi_worth_asks(&w);
    ok(jdi_worth_goes(&w, JDI_BALANCE_PLAN, &f), "but when they were lost five times");
}

/* Restores that pass after a first look for nothing. */
static unsigned first_rest(const struct jdi_balance_figures *f)
{
    struct jdi_worth w = fresh();
    (void)jdi_worth_asks(&w);
    jdi_worth_ended(&w, f, 20000);
    return rests(&w);
}

static void test_missing(void)
{
    /* 3 of 50 us are lost each time; a plan of 45 us is paid by fifteen times that. */
    struct jdi_balance_figures f = figures(106, 106, false);
    f.sum = RANKS * UINT64_C(100000);
    f.tasks = 1000;
    is_u64(first_rest(&f), 7, "it looks again when half of what is missing will be lost");
    f.most_before = 100000;
    is_u64(first_rest(&f), 19, "later where short iterations lose nothing");
    f.sum *= 1000;
    f.most_before *= 1000;
    is_u64(first_rest(&f), 1, "soon where they are long");
}

/* Where times foretell nothing, promises are believed as far as they have been kept. */
static void test_doubts(void)
{
    struct jdi_balance_figures f = figures(20000, 10000, true);
    struct jdi_worth w = fresh();
    (void)jdi_worth_asks(&w);
    jdi_worth_ended(&w, &f, 1000000);
    (void)jdi_worth_asks(&w);
    jdi_worth_ended(&w, &f, 1000000); /* nothing came of it */
    (void)jdi_worth_asks(&w);
    ok(w.doubt > 0.4 && w.doubt < 0.6, "a promise that was not kept is half a doubt");
    for (int i = 0; i < 5; i++)
        jdi_worth_ended(&w, &f, 1000000);
    w.since = 1;
    f = figures(12200, 10000, true);
    ok(!jdi_worth_goes(&w, JDI_BALANCE_PLAN, &f), "after six, 1.1 ms do not pay for one");
    w.trusts = true;
    jdi_worth_ended(&w, &f, 1000000);
    w.since = 1;
    ok(jdi_worth_goes(&w, JDI_BALANCE_PLAN, &f), "they do where times come true");
}

int main(void)
{
    test_rests();
    test_prices();
    test_backs_off();
    test_expected();
    test_missing();
    test_doubts();
    return done_testing();
}
