/*
 * sched_coll_restore_brings_the_same_seeds.c
 *
 * Role: SEED puts onto the body's shelf exactly the tasks that the body once added; RETAIN puts onto
 *       the workers' shelves exactly the tasks that each of them kept.  Functions and arguments are
 *       the same, ids are new, and tasks created by tasks are not among them.
 * Owner: one thread.
 * See: sched/coll.c, jdi_coll_note_seeds and jdi_coll_reseed; sched/retain.c.
 */
#include "test/unit/sched_rank_kit.h"

enum { SEEDS = 100, WORKERS = 3, LONG = 200 };

/* The argument is the number, long for every seventh task. */
static size_t size_of(uint64_t number)
{
    return number % 7 ? sizeof number : LONG;
}

static uint64_t number_of(struct jdi_task *t)
{
    uint64_t number;
    memcpy(&number, jdi_task_arg(t), sizeof number);
    return t->fn == number % KIT_TASKS && t->len == size_of(number) ? number : UINT64_MAX;
}

static void add(jd_self *me, jd_coll *c, uint64_t number)
{
    int error;
    struct jdi_task *t =
        jdi_coll_new_task(me, c, (jd_task)(number % KIT_TASKS), size_of(number), &error);
    if (!t)
        bail_out("no task: %s", jd_strerror(error));
    memcpy(jdi_task_arg(t), &number, sizeof number);
    jdi_store_put(jdi_coll_shelf(me, c));
}

static void forget(struct jdi_task *t)
{
    if (t->flags & JDI_TASK_SPILLED)
        jdi_free(jdi_task_spill(t));
}

/* What ran, and whether all of it was as it should be. */
struct ran {
    bool seen[2 * SEEDS], right;
    uint64_t count;
};

/* Runs all tasks of one shelf on the workers in turn.  They are kept where they run. */
static void run_shelf(jd_coll *c, struct jdi_shelf *s, struct ran *ran)
{
    for (struct jdi_task *t; (t = jdi_store_pop(s)); ran->count++) {
        struct jdi_account *a = &c->seat[ran->count % WORKERS].account;
        uint64_t number = number_of(t);
        jdi_account_starts(a, t->id);
        ran->right = ran->right && number < 2 * SEEDS && t->flags & JDI_TASK_SEED &&
                     !ran->seen[number] && !jdi_record_add(&a->kept, t, NULL);
        if (ran->right)
            ran->seen[number] = true;
        forget(t);
        jdi_account_out(a, 1);
    }
}

/* Were the seeds the numbers given by `wanted`, each once? */
static bool run_all(jd_coll *c, const bool wanted[2 * SEEDS])
{
    struct ran ran = {.right = true};
    for (unsigned i = 0; i < WORKERS; i++) {
        jdi_retain_fetch(c, &c->seat[i]);
        run_shelf(c, &c->seat[i].shelf, &ran);
    }
    return ran.right && !memcmp(ran.seen, wanted, sizeof ran.seen) && jdi_coll_idle(c);
}

static void start(struct kit_rank *k, jd_coll *c)
{
    if (jdi_coll_note_seeds(&k->body, c))
        bail_out("no memory");
    kit_open(c);
}

static void restore(struct kit_rank *k, jd_coll *c, enum jd_restore how)
{
    jdi_coll_set_state(c, JDI_COLL_DONE, JDI_COLL_SEEDING);
    if (jdi_coll_reseed(&k->body, c, how))
        bail_out("no memory");
}

/* Of what was kept, this rank is to have run the even ones only: the others "left". */
static void keep_even(jd_coll *c, bool wanted[2 * SEEDS])
{
    for (unsigned i = 0; i < WORKERS; i++) {
        struct jdi_record even = {0};
        for (const struct jdi_task *t = NULL;
             (t = jdi_record_next(&c->seat[i].account.kept, t));) {
            uint64_t number;
            memcpy(&number, t->arg, sizeof number);
            wanted[number] = number % 2 == 0;
            if (number % 2 == 0 && jdi_record_add(&even, t, NULL))
                bail_out("no memory");
        }
        jdi_record_free(&c->seat[i].account.kept);
        c->seat[i].account.kept = even;
    }
}

/* The first phases: as added, as added again, and as kept beside a new one. */
static void test_seed_and_retain(struct kit_rank *k, jd_coll *c, bool all[2 * SEEDS])
{
    bool even[2 * SEEDS] = {false};
    for (uint64_t i = 0; i < SEEDS; i++) {
        add(&k->body, c, i);
        all[i] = true;
    }
    start(k, c);
    is_u64(c->info.seeded, SEEDS, "all are seeds");
    is_u64(c->seeds.count, SEEDS, "and on record");
    ok(run_all(c, all), "they run, on several workers");
    kit_close(c);
    is_u64(c->info.retained, SEEDS, "which keep them");

    restore(k, c, JD_RESTORE_SEED);
    /* A thief may still be looking at it since the last phase. */
    is_u64(jdi_store_movable(&c->store), 0, "no thief finds a seed before the start");
    start(k, c);
    ok(run_all(c, all), "SEED: the same, each once");
    is_u64(c->seeds.count, SEEDS, "on record once");
    kit_close(c);

    keep_even(c, even);
    restore(k, c, JD_RESTORE_RETAIN);
    add(&k->body, c, SEEDS + 4); /* beside them, a new one */
    even[SEEDS + 4] = true;
    start(k, c);
    is_u64(c->info.seeded, SEEDS / 2 + 1,
           "RETAIN: as many as were kept, and the new one");
    ok(run_all(c, even), "the same, each once");
    kit_close(c);
    is_u64(c->seeds.count, SEEDS + 1, "the new one is on record too");
}

/* Then all that were ever added, and at last a new seeding. */
static void test_new_seeding(struct kit_rank *k, jd_coll *c, const bool all[2 * SEEDS])
{
    bool more[2 * SEEDS];
    restore(k, c, JD_RESTORE_SEED);
    memcpy(more, all, sizeof more);
    more[SEEDS + 4] = true;
    start(k, c);
    ok(run_all(c, more), "SEED after RETAIN: all that were ever added");
    kit_close(c);

    add(&k->body, c, 3);
    start(k, c);
    is_u64(c->seeds.count, 1, "adding without restore begins a new record");
    memset(more, 0, sizeof more);
    more[3] = true;
    ok(run_all(c, more), "with the new seed alone");
    kit_close(c);
}

int main(void)
{
    static struct kit_rank k;
    bool all[2 * SEEDS] = {false};
    jd_coll *c;
    kit_rank_init(&k, 1, 2, WORKERS);
    if (jdi_coll_new(&k.rank, &jdi_plain_kind, NULL, &c))
        bail_out("no collection");
    test_seed_and_retain(&k, c, all);
    test_new_seeding(&k, c, all);
    jdi_coll_free(c);
    return done_testing();
}
