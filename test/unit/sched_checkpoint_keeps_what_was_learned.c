/*
 * sched_checkpoint_keeps_what_was_learned.c - a job that is started again balances as one that was never stopped.
 *
 * Role: the load model and the state of AUTO after a load: all of it with the same ranks and workers, so that AUTO asks at the
 *       same restores; with others the model, and the restores since the last plan; nothing in a collection that is not timed.
 * Owner: the bodies.
 * Invariants: I1 the state that is saved has another value in each field.
 * See: doc/checkpoint.md "What is saved"; sched/worth.h.
 */
#include "sched/checkpoint/load.h"
#include "sched/checkpoint/save.h"
#include "sched/coll.h"
#include "test/dist/sched_kit.h"
#include "test/unit/sched_checkpoint_kit.h"

enum { SEEDS = 12, RESTORES = 7, LATER = 40 };

static struct disk disk;
static bool timed;
static uint64_t asked
    [2]; /* at which of the restores after that AUTO asks: undisturbed, started again */

static void work(jd_self *me, void *arg)
{
    (void)me, (void)arg;
}

static const struct jdi_worth learned = {.since = RESTORES,
                                         .rests = 3,
                                         .pause = 4,
                                         .wrong = 1,
                                         .backoff = 16,
                                         .was = 9000,
                                         .foreseen = 5000,
                                         .plan_ns = 123456};

/* A bit for each of the next restores at which AUTO asks; nothing changes. */
static uint64_t asks_of(const jd_coll *c)
{
    struct jdi_worth w = c->worth;
    uint64_t asks = 0;
    for (int i = 0; i < LATER; i++)
        asks |= (uint64_t)jdi_worth_asks(&w) << i;
    return asks;
}

static void save_state(jd_self *me, jd_coll *c, const jd_checkpoint *what)
{
    uint64_t seed = 0;
    for (seed = 0; seed < SEEDS; seed++)
        must(me, jd_coll_add(me, c, 0, &seed, sizeof seed));
    must(me, jd_coll_process(me, c));
    if (timed) {
        must(me, jd_coll_load_model(me, c, JD_LOAD_TREND, 3));
        struct jdi_worth was = c->worth;
        c->worth = learned;
        c->worth.workers = was.workers;
        c->worth.nranks = was.nranks;
    }
    if (jd_rank(me) == 0)
        asked[0] = asks_of(c);
    must(me, jdi_save(me, c, what, &disk.files));
}

static void load_state(jd_self *me, jd_coll *c, const jd_checkpoint *what, bool same)
{
    struct jdi_worth fresh = c->worth, *w = &c->worth;
    must(me, jdi_load(me, c, what, &disk.files));
    if (jd_rank(me) == 0)
        asked[1] = asks_of(c);
    ok_all(me, w->workers == fresh.workers && w->nranks == fresh.nranks,
           "AUTO knows how large this job is");
    ok_all(me, w->since == (timed ? RESTORES : 0),
           "and the restores since the last plan");
    bool all = w->rests == learned.rests && w->pause == learned.pause &&
               w->wrong == learned.wrong && w->backoff == learned.backoff &&
               w->was == learned.was && w->foreseen == learned.foreseen &&
               w->plan_ns == learned.plan_ns;
    bool none = !w->rests && !w->pause && !w->wrong && !w->backoff && !w->was &&
                !w->foreseen && !w->plan_ns;
    ok_all(me, timed && same ? all : none, "%s",
           timed && same ? "and all that it has learned" : "and nothing else");
    ok_all(me, !timed || (c->model.kind == JD_LOAD_TREND && c->model.phases == 3),
           "the load model is the one before");
}

static int body(jd_self *me, int argc, char **argv)
{
    jd_coll *c;
    jd_coll_props props = {.name = "learned", .timed = timed};
    jd_checkpoint what = {.path = "learned"};
    (void)argc;
    must(me, jd_coll_create(me, &props, &c));
    if (!strcmp(argv[1], "save"))
        save_state(me, c, &what);
    else
        load_state(me, c, &what, !strcmp(argv[1], "same"));
    return jd_coll_destroy(me, c);
}

static void run_job(const char *ranks, const char *workers, const char *does)
{
    static const jd_task_def tasks[] = {JD_TASK(work), JD_TASK_END};
    char word[16], *argv[] = {(char[]){"learned"}, word, NULL};
    snprintf(word, sizeof word, "%s", does);
    setenv("JACKDAW_RANKS", ranks, 1);
    setenv("JACKDAW_WORKERS", workers, 1);
    ok(!jd_launch(2, argv, body, tasks), "%s ranks of %s workers: %s", ranks, workers,
       does);
}

static void run_jobs(bool with_times)
{
    timed = with_times;
    disk_init(&disk);
    run_job("3", "2", "save");
    run_job("3", "2", "same");
    is_u64(asked[1], asked[0], "AUTO asks when it would have asked");
    run_job("2", "3", "other ranks");
    run_job("3", "1", "other workers");
    disk_fini(&disk);
}

int main(void)
{
    setenv("JACKDAW_ULT", "boost", 1);
    run_jobs(true);
    run_jobs(false);
    return done_testing();
}
