/*
 * sched_retain_lists_lie_where_they_ran.c
 *
 * Role: after RETAIN each worker finds on its own shelf the seeds that it ran, and would run them in
 *       the same order; thieves take from the end of that order.  Again and again, with arguments
 *       that lie in the slot and that do not.  A list whose worker does not come goes to where
 *       tasks from other ranks land, but not at once.  The ids close.  Of a timed collection each worker
 *       runs its own seeds, too, the long ones first, and the others in the same order.
 * Owner: one thread.
 * See: sched/retain.h; doc/transfer.md "Seeds that are retained".
 */
#include "test/unit/sched_rank_kit.h"

enum { SEEDS = 60, WORKERS = 3, LONG = 200, AT_ONCE = 1000, LATE = 1000000000 };

static uint64_t (*time_of)(uint64_t number); /* in a timed collection */

static uint64_t number_of(const jd_coll *c, struct jdi_task *t)
{
    uint64_t number;
    memcpy(&number, jdi_coll_arg(c, t), sizeof number);
    return number;
}

static void add(jd_self *me, jd_coll *c, uint64_t number)
{
    int error;
    size_t size = number % 7 ? sizeof number : LONG;
    struct jdi_task *t = jdi_coll_new_task(me, c, 0, size, &error);
    if (!t)
        bail_out("no task: %s", jd_strerror(error));
    memcpy(jdi_coll_arg(c, t), &number, sizeof number);
    jdi_store_put(jdi_coll_shelf(me, c));
}

/* Worker `i` runs the task, as plain_run does, or as timed_run. */
static uint64_t run(jd_coll *c, unsigned i, struct jdi_task *t)
{
    struct jdi_account *a = &c->seat[i].account;
    struct jdi_stopwatch watch = {.at = a->kept.used, .owner = i};
    uint64_t number = number_of(c, t);
    if (jdi_record_add(&a->kept, t, NULL) ||
        (c->history &&
         !jdi_history_ran(c->history, i, &a->kept, &watch, time_of(number), NULL)))
        bail_out("no memory");
    jdi_account_starts(a, t->id);
    if (t->flags & JDI_TASK_SPILLED)
        jdi_free(jdi_task_spill(t));
    jdi_account_out(a, 1);
    return number;
}

/* Worker i runs what lies on its shelf.  Is that `from`, `from` + 1 and so on, n of them? */
static bool runs_in_order(jd_coll *c, unsigned i, uint64_t from, uint64_t n)
{
    uint64_t next = from;
    for (struct jdi_task *t; (t = jdi_store_pop(&c->seat[i].shelf)); next++)
        if (run(c, i, t) != next)
            return false;
    return next == from + n;
}

static bool closes(jd_coll *c)
{
    uint64_t words[JDI_TD_STATS];
    jdi_coll_audit(c, words);
    return jdi_coll_idle(c) && words[0] == words[1] && !words[2] && !words[3];
}

static void restore(struct kit_rank *k, jd_coll *c)
{
    kit_close(c);
    jdi_coll_set_state(c, JDI_COLL_DONE, JDI_COLL_SEEDING);
    if (jdi_coll_reseed(&k->body, c, JD_RESTORE_RETAIN) ||
        jdi_coll_note_seeds(&k->body, c))
        bail_out("no memory");
    kit_open(c);
}

/* The first phase: the body's seeds, of which each worker runs as many, the first one those with the least numbers. */
static void first_phase(struct kit_rank *k, jd_coll *c, uint64_t seeds)
{
    for (uint64_t n = seeds; n > 0; n--)
        add(&k->body, c, n - 1);
    if (jdi_coll_note_seeds(&k->body, c))
        bail_out("no memory");
    kit_open(c);
    for (uint64_t n = 0; n < seeds; n++)
        (void)run(c, (unsigned)(n / (seeds / WORKERS)), jdi_store_pop(&c->seat[0].shelf));
}

static void test_order(struct kit_rank *k, jd_coll *c)
{
    const uint64_t share = SEEDS / WORKERS;
    for (int round = 0; round < 3; round++) {
        restore(k, c);
        is_u64(c->info.seeded, SEEDS, "all were kept");
        ok(!jdi_coll_idle(c), "a rank whose lists wait is not idle");
        bool right = true;
        for (unsigned i = 0; i < WORKERS; i++) {
            right = right && jdi_coll_has_own(c, i);
            jdi_retain_fetch(c, &c->seat[i]);
            right = right && runs_in_order(c, i, i * share, share);
        }
        ok(right, "each worker runs its own seeds in the same order");
        ok(closes(c), "each once");
    }
}

static void test_thief(struct kit_rank *k, jd_coll *c)
{
    struct jdi_claim claim;
    uint64_t rng = 1;
    restore(k, c);
    jdi_retain_fetch(c, &c->seat[1]);
    if (!jdi_store_claim(&c->store, &rng, 1, 1, &claim))
        bail_out("nothing is open");
    struct jdi_task *taken =
        (struct jdi_task *)(uintptr_t)(const void *)jdi_claim_slot(&claim, 0);
    is_u64(run(c, 2, taken), 2 * SEEDS / WORKERS - 1, "a thief gets what was run last");
    jdi_store_finish(&claim);
    ok(runs_in_order(c, 1, SEEDS / WORKERS, SEEDS / WORKERS - 1),
       "the owner runs the others as before");
}

static void test_late(jd_coll *c)
{
    c->opened_at = AT_ONCE;
    jdi_retain_turn(c, AT_ONCE - 1); /* a turn that began before the phase */
    jdi_retain_turn(c, 2 * AT_ONCE);
    ok(!jdi_store_local(&c->store), "a worker has time to come for its list");
    jdi_retain_turn(c, LATE);
    ok(!jdi_coll_has_own(c, 0) && !jdi_coll_has_own(c, 2),
       "a list whose worker does not come goes elsewhere");
    struct jdi_shelf *landing = jdi_coll_landing(c);
    uint64_t n = 0;
    for (struct jdi_task *t; (t = jdi_store_pop(landing)); n++)
        (void)run(c, 1, t);
    is_u64(n, 2 * SEEDS / WORKERS, "to where tasks from other ranks land");
    ok(closes(c), "each once");
}

/* ---- timed ---------------------------------------------------------------------------- */

enum { MANY = 900 };

/* Many have the same time; some end in the same digits as shorter ones. */
static uint64_t some_long(uint64_t number)
{
    return 1000 + number * 7 % 5 * 256 + number % 3 * 8000;
}

/* Hardly two are the same, and two of each worker are long. */
static uint64_t few_long(uint64_t number)
{
    return 1000 + number * 37 % 100 + (number % 150 == 7 ? number * 100 + 20000 : 0);
}

static uint64_t long_is_more_than;

/* Does `later` come after `sooner` where long ones are first, the longest of all before them, and what is not long, or as
 * long, is in the order of its numbers? */
static bool is_after(uint64_t sooner, uint64_t later)
{
    uint64_t a = time_of(sooner), b = time_of(later);
    a = a > long_is_more_than ? a : 0;
    b = b > long_is_more_than ? b : 0;
    return a != b ? a > b : sooner < later;
}

/* Each worker runs what is on its shelf; how many ran where and when they should. */
static uint64_t run_in_turn(jd_coll *c, uint64_t share)
{
    uint64_t right = 0;
    for (unsigned i = 0; i < WORKERS; i++) {
        uint64_t last = 0, n = 0;
        jdi_retain_fetch(c, &c->seat[i]);
        for (struct jdi_task *t; (t = jdi_store_pop(&c->seat[i].shelf)); n++) {
            uint64_t number = run(c, i, t);
            right += number / share == i && (!n || is_after(last, number));
            last = number;
        }
    }
    return right;
}

static void test_timed(struct kit_rank *k, uint64_t seeds, uint64_t (*time)(uint64_t),
                       uint64_t limit)
{
    jd_coll_props props = {.timed = 1};
    jd_coll *c;
    time_of = time;
    long_is_more_than = limit;
    if (jdi_coll_new(&k->rank, &jdi_plain_timed, &props, &c))
        bail_out("no collection");
    first_phase(k, c, seeds);
    for (int round = 0; round < 3; round++) {
        restore(k, c);
        is_u64(run_in_turn(c, seeds / WORKERS), seeds,
               "timed: each on its worker, long ones first, then in the same order");
        ok(closes(c), "each once");
    }
    kit_close(c);
    jdi_coll_free(c);
}

int main(void)
{
    static struct kit_rank k;
    jd_coll *c;
    kit_rank_init(&k, 1, 2, WORKERS);
    k.rank.place.apart = true;
    if (jdi_coll_new(&k.rank, &jdi_plain_kind, NULL, &c))
        bail_out("no collection");
    first_phase(&k, c, SEEDS);
    test_order(&k, c);
    test_thief(&k, c);
    test_late(c);
    kit_close(c);
    jdi_coll_free(c);
    test_timed(&k, SEEDS, some_long, 0);
    test_timed(&k, MANY, few_long, 2000);
    return done_testing();
}
