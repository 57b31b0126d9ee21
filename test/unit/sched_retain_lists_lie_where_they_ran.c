/*
 * sched_retain_lists_lie_where_they_ran.c
 *
 * Role: after RETAIN each worker finds on its own shelf the seeds that it ran, and would run them in
 *       the same order; thieves take from the end of that order.  Again and again, with arguments
 *       that lie in the slot and that do not.  A list whose worker does not come goes to where
 *       tasks from other ranks land, but not at once.  The ids close.  Of a timed collection each worker
 *       runs its own seeds, too, those that took longest first, and those of the same time in the same order.
 * Owner: one thread.
 * See: sched/retain.h; doc/transfer.md "Seeds that are retained".
 */
#include "test/unit/sched_rank_kit.h"

enum { SEEDS = 60, WORKERS = 3, LONG = 200, AT_ONCE = 1000, LATE = 1000000000 };

static uint64_t number_of(struct jdi_task *t)
{
    uint64_t number;
    memcpy(&number, jdi_task_arg(t), sizeof number);
    return number;
}

static void add(jd_self *me, jd_coll *c, uint64_t number)
{
    int error;
    size_t size = number % 7 ? sizeof number : LONG;
    struct jdi_task *t = jdi_coll_new_task(me, c, 0, size, &error);
    if (!t)
        bail_out("no task: %s", jd_strerror(error));
    memcpy(jdi_task_arg(t), &number, sizeof number);
    jdi_store_put(jdi_coll_shelf(me, c));
}

/* Worker `i` runs the task, as plain_run does. */
static uint64_t run(jd_coll *c, unsigned i, struct jdi_task *t)
{
    struct jdi_account *a = &c->seat[i].account;
    uint64_t number = number_of(t);
    if (jdi_record_add(&a->kept, t, NULL))
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

/* The first phase: the body's seeds, of which worker i runs 20 * i and up. */
static void first_phase(struct kit_rank *k, jd_coll *c)
{
    for (uint64_t n = SEEDS; n > 0; n--)
        add(&k->body, c, n - 1);
    if (jdi_coll_note_seeds(&k->body, c))
        bail_out("no memory");
    kit_open(c);
    for (unsigned n = 0; n < SEEDS; n++)
        (void)run(c, n / (SEEDS / WORKERS), jdi_store_pop(&c->seat[0].shelf));
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

/* Many have the same time, and 8 times as long ones lie in other bins, although they end in the same digits. */
static uint64_t time_of(uint64_t number)
{
    return 1000 + number * 7 % 5 * 256 + number % 3 * 8000;
}

/* The seed on worker `i`'s shelf that it would run next has run there; its number. */
static uint64_t run_timed(jd_coll *c, unsigned i, const struct jdi_task *t)
{
    struct jdi_account *a = &c->seat[i].account;
    struct jdi_stopwatch watch = {.at = a->kept.used, .owner = i};
    uint64_t number;
    memcpy(&number, (const char *)t->arg + sizeof(struct jdi_origin), sizeof number);
    jdi_account_starts(a, t->id);
    if (jdi_record_add(&a->kept, t, NULL) ||
        !jdi_history_ran(c->history, i, &a->kept, &watch, time_of(number), NULL))
        bail_out("no memory");
    jdi_account_out(a, 1);
    return number;
}

static void add_timed(jd_self *me, jd_coll *c, uint64_t number)
{
    int error;
    struct jdi_task *t = jdi_coll_new_task(me, c, 0, sizeof number, &error);
    if (!t)
        bail_out("no task: %s", jd_strerror(error));
    memcpy(jdi_coll_arg(c, t), &number, sizeof number);
    jdi_store_put(jdi_coll_shelf(me, c));
}

/* Does `later` come after `sooner` where the longest are first, and the others in the order of their numbers? */
static bool is_after(uint64_t sooner, uint64_t later)
{
    uint64_t a = time_of(sooner), b = time_of(later);
    return a != b ? a > b : sooner < later;
}

static void test_timed(struct kit_rank *k)
{
    const uint64_t share = SEEDS / WORKERS;
    jd_coll_props props = {.timed = 1};
    jd_coll *c;
    if (jdi_coll_new(&k->rank, &jdi_plain_timed, &props, &c))
        bail_out("no collection");
    for (uint64_t n = SEEDS; n > 0; n--)
        add_timed(&k->body, c, n - 1);
    if (jdi_coll_note_seeds(&k->body, c))
        bail_out("no memory");
    kit_open(c);
    for (uint64_t n = 0; n < SEEDS; n++)
        (void)run_timed(c, (unsigned)(n / share), jdi_store_pop(&c->seat[0].shelf));
    for (int round = 0; round < 3; round++) {
        unsigned ran = 0, right = 0;
        restore(k, c);
        for (unsigned i = 0; i < WORKERS; i++) {
            uint64_t last = 0, number;
            jdi_retain_fetch(c, &c->seat[i]);
            for (const struct jdi_task *t; (t = jdi_store_pop(&c->seat[i].shelf));
                 ran++) {
                number = run_timed(c, i, t);
                right += number / share == i &&
                         (!ran || ran % share == 0 || is_after(last, number));
                last = number;
            }
        }
        is_u64(ran, SEEDS, "timed: each once");
        is_u64(right, SEEDS, "on its worker, the longest first, then in the same order");
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
    first_phase(&k, c);
    test_order(&k, c);
    test_thief(&k, c);
    test_late(c);
    kit_close(c);
    jdi_coll_free(c);
    test_timed(&k);
    return done_testing();
}
