/*
 * sched_coll_ids_close.c
 *
 * Role: tasks are made and run at random on several ranks and workers, and travel between these.
 *       The audit words of all ranks then say that each task ran once.  A task that is lost, runs
 *       twice, or runs in the place of another is detected.
 * Owner: one thread; the seeds are fixed.
 * See: sched/coll.c, jdi_coll_audit.
 */
#include "test/unit/sched_rank_kit.h"

#include <stdlib.h>

enum { RANKS = 3, WORKERS = 3, PHASES = 3, STEPS = 3000, MOST = 4096 };

struct world {
    struct kit_rank rank[RANKS];
    jd_coll *coll[RANKS];
    struct jdi_task pool[MOST]; /* tasks that nobody runs yet, heads only */
    unsigned npool;
    uint64_t id[PHASES * STEPS]; /* of all that were ever created */
    uint64_t rng, created;
};

static uint64_t below(struct world *w, uint64_t n)
{
    return jdi_random_below(&w->rng, (uint32_t)n);
}

static void create(struct world *w)
{
    unsigned r = (unsigned)below(w, RANKS), i = (unsigned)below(w, WORKERS);
    jd_coll *c = w->coll[r];
    jd_self *me = &w->rank[r].self[i];
    int error;
    jdi_coll_sit(me, c);
    struct jdi_task *t = jdi_coll_new_task(me, c, 0, 0, &error);
    if (!t)
        bail_out("no task");
    me->coll = NULL;
    w->pool[w->npool++] = *t;
    if (w->created < JDI_ARRAY_LEN(w->id))
        w->id[w->created] = t->id;
    w->created++;
    jdi_store_put(jdi_coll_shelf(me, c));
    (void)jdi_store_pop(&c->seat[i].shelf); /* it lies in the pool now */
}

/* Any task, on any worker of any rank. */
static void run(struct world *w)
{
    unsigned r = (unsigned)below(w, RANKS), i = (unsigned)below(w, WORKERS);
    unsigned k = (unsigned)below(w, w->npool);
    struct jdi_account *a = &w->coll[r]->seat[i].account;
    jdi_account_starts(a, w->pool[k].id);
    jdi_account_out(a, 1);
    w->pool[k] = w->pool[--w->npool];
}

/* Summed, the last word xor-ed, as the detector does. */
static void audit(const struct world *w, uint64_t sum[JDI_TD_STATS])
{
    memset(sum, 0, JDI_TD_STATS * sizeof *sum);
    for (int r = 0; r < RANKS; r++) {
        uint64_t one[JDI_TD_STATS];
        jdi_coll_audit(w->coll[r], one);
        for (int i = 0; i < JDI_TD_STATS - 1; i++)
            sum[i] += one[i];
        sum[JDI_TD_STATS - 1] ^= one[JDI_TD_STATS - 1];
    }
}

static bool closes(const struct world *w)
{
    uint64_t sum[JDI_TD_STATS];
    audit(w, sum);
    return sum[0] == sum[1] && !sum[2] && !sum[3];
}

static int order(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Has no task the id of another, over all phases? */
static bool ids_differ(struct world *w)
{
    bool differ = w->created <= JDI_ARRAY_LEN(w->id);
    qsort(w->id, w->created, sizeof *w->id, order);
    for (uint64_t i = 1; differ && i < w->created; i++)
        differ = w->id[i - 1] != w->id[i];
    return differ;
}

static void open_world(struct world *w, uint64_t seed)
{
    memset(w, 0, sizeof *w);
    w->rng = seed;
    for (uint32_t r = 0; r < RANKS; r++) {
        kit_rank_init(&w->rank[r], r, RANKS, WORKERS);
        if (jdi_coll_new(&w->rank[r].rank, &jdi_plain_kind, NULL, &w->coll[r]))
            bail_out("no collection");
    }
}

static void close_world(struct world *w)
{
    for (uint32_t r = 0; r < RANKS; r++)
        jdi_coll_free(w->coll[r]);
}

/* A phase that leaves nothing over; `steps` of making and running. */
static void play(struct world *w, unsigned steps)
{
    for (int r = 0; r < RANKS; r++)
        kit_open(w->coll[r]);
    while (steps-- > 0)
        if (w->npool < MOST && (!w->npool || below(w, 2)))
            create(w);
        else
            run(w);
    while (w->npool > 0)
        run(w);
}

static void end_phase(struct world *w)
{
    for (int r = 0; r < RANKS; r++) {
        kit_close(w->coll[r]);
        jdi_coll_set_state(w->coll[r], JDI_COLL_DONE, JDI_COLL_SEEDING);
    }
}

static void test_phases_close(struct world *w)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        bool right = true;
        open_world(w, seed * 77777);
        for (unsigned phase = 0; phase < PHASES; phase++) {
            uint64_t before = w->created, sum[JDI_TD_STATS];
            play(w, (unsigned)below(w, STEPS));
            audit(w, sum);
            right = right && closes(w) && sum[0] == w->created - before;
            end_phase(w);
        }
        ok(right && ids_differ(w), "seed %llu: the books of %d phases close",
           (unsigned long long)seed, PHASES);
        close_world(w);
    }
}

/* What must not happen does, after a phase that was right. */
static void test_faults_are_seen(struct world *w)
{
    uint64_t sum[JDI_TD_STATS];
    unsigned lost = 0, twice = 0, swapped = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        open_world(w, seed * 99991);
        play(w, STEPS / 3);
        create(w);
        lost += !closes(w);
        struct jdi_task t = w->pool[0];
        run(w);
        struct jdi_account *a = &w->coll[1]->seat[0].account;
        jdi_account_starts(a, t.id);
        jdi_account_out(a, 1);
        audit(w, sum);
        twice += sum[0] != sum[1];
        /* Another is not run, so that the numbers agree, but not the ids. */
        create(w);
        audit(w, sum);
        swapped += sum[0] == sum[1] && (sum[2] || sum[3]);
        close_world(w);
    }
    is_u64(lost, 20, "a task that does not run is seen");
    is_u64(twice, 20, "one that runs twice is seen");
    is_u64(swapped, 20, "and one that runs in the place of another");
}

int main(void)
{
    struct world *w = jdi_zalloc(NULL, sizeof *w);
    if (!w)
        bail_out("no memory");
    test_phases_close(w);
    test_faults_are_seen(w);
    jdi_free(w);
    return done_testing();
}
