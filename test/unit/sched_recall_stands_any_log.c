/*
 * sched_recall_stands_any_log.c - whatever a steal log says, each task of the job that begins with it runs once.
 *
 * Role: logs that pass the check of the file and that no run has left: names of the job's tasks, of a collection and of nested
 *       finishes, with ways taken by chance, several for a task, and a row of more tasks than a table can have. The tasks of
 *       finishes have arguments in and outside of their slots, are spawned in place and for a rank, yield, and open finishes, some of
 *       which are cancelled. A promise that an earlier phase has left.
 * Owner: the bodies; rank 0 writes `logs.program`.
 * See: doc/steallog.md "A phase that replays"; sched/recall.h.
 */
#include "core/random.h"
#include "sched/coll.h"
#include "test/unit/sched_recall_kit.h"

enum { NODE, KEEPER, BRANCH };
enum { RANKS = 3, SEEDS = 20, DEPTH = 6, KIDS = 2, ROWS = 400, LOGS = 20 };
enum { BELOW = (1 << DEPTH) - 1 }; /* nodes of a seed's tree */
enum { LIMBS = 4, HEIGHT = 4, LONG = 200 };
enum {
    LEAVES = (LIMBS * LIMBS * LIMBS * LIMBS - 1) / (LIMBS - 1)
}; /* of a finish's tree */

static struct recall_logs logs;

static void node(jd_self *me, void *arg)
{
    uint32_t depth = *(uint32_t *)arg - 1;
    jd_coll *mine = jd_coll_mine(me);
    tally_note(me, jd_coll_local(mine), depth);
    jd_compute(me, 2000);
    for (int i = 0; depth && i < KIDS; i++)
        must(me, jd_coll_add(me, mine, NODE, &depth, sizeof depth));
}

/* Its last child was promised in another phase, as if the maker of a task of that name had waited there. */
static void keeper(jd_self *me, void *arg)
{
    uint32_t depth = 1;
    uint64_t name = me->child;
    (void)arg;
    must(me, jd_coll_add(me, jd_coll_mine(me), NODE, &depth, sizeof depth));
    me->seat->promised = name;
}

/* ---- finishes ------------------------------------------------------------------------- */

static struct tally *leaves[RANKS]; /* ranks are threads of this process */

struct branch {
    uint32_t height, limb;
    unsigned char rest[LONG];
};

static size_t size_of(uint32_t limb)
{
    return limb % 2 ? sizeof(struct branch) : offsetof(struct branch, rest);
}

/* The limbs differ in how they are spawned. */
static void spawn_limbs(jd_self *me, void *arg)
{
    struct branch b = {.height = *(const uint32_t *)arg};
    memset(b.rest, (int)b.height, LONG);
    for (b.limb = 0; b.limb < LIMBS; b.limb++) {
        size_t size = size_of(b.limb);
        if (b.limb == 0) {
            must(me, jd_async_at(me, (jd_rank(me) + 1) % RANKS, BRANCH, &b, size));
        } else if (b.limb == 1) {
            must(me, jd_async(me, BRANCH, &b, size));
        } else {
            struct branch *at = jd_async_inplace(me, BRANCH, size);
            if (!at)
                jd_abort(me, 99, "no memory");
            memcpy(at, &b, size);
            if (b.limb == 2 && b.height % 2)
                jd_yield(me);
        }
    }
}

static void cancel_limbs(jd_self *me, void *arg)
{
    spawn_limbs(me, arg);
    must(me, jd_cancel(me, jd_finish_mine(me)));
    spawn_limbs(me, arg);
}

static void branch(jd_self *me, void *arg)
{
    struct branch b;
    memcpy(&b, arg, offsetof(struct branch, rest));
    memcpy(&b, arg, size_of(b.limb));
    for (size_t i = 0; size_of(b.limb) == sizeof b && i < LONG; i++)
        if (b.rest[i] != b.height)
            jd_abort(me, 99, "an argument has changed on its way");
    tally_note(me, leaves[jd_rank(me)], 1);
    jd_compute(me, 2000);
    if (!--b.height)
        return;
    if (b.limb == 3)
        must(me, jd_finish(me, spawn_limbs, &b.height));
    else
        spawn_limbs(me, &b.height);
}

static const jd_task_def tasks[] = {[NODE] = JD_TASK(node),
                                    [KEEPER] = JD_TASK(keeper),
                                    [BRANCH] = JD_TASK(branch),
                                    JD_TASK_END};

static void grow_trees(jd_self *me, void *arg)
{
    uint32_t height = HEIGHT;
    (void)arg;
    spawn_limbs(me, &height);
}

static void test_finishes(jd_self *me)
{
    uint32_t low = 1;
    struct tally *t = leaves[jd_rank(me)] = calloc(1, sizeof *t);
    must(me, jd_barrier(me));
    must(me, jd_finish_spmd(me, grow_trees, NULL));
    if (jd_rank(me) == 0)
        must(me, jd_finish(me, grow_trees, NULL));
    must(me, jd_barrier(me));
    uint64_t ran = sum_of(me, tally_take(me, t).ran);
    ok_all(me, ran == (RANKS + 1) * (uint64_t)LIMBS * LEAVES,
           "each task of a finish has run once");
    int error = jd_finish(me, cancel_limbs, &low);
    ok_all(me, !error || error == JD_ECANCELED, "a finish that is cancelled ends");
    must(me, jd_barrier(me));
    free(t);
}

/* ---- collections ---------------------------------------------------------------------- */

static void process(jd_self *me, jd_coll *c, struct tally *t, uint64_t nodes,
                    const char *what)
{
    must(me, jd_coll_process(me, c));
    uint64_t ran = sum_of(me, tally_take(me, t).ran);
    jd_coll_info info = info_of(me, c);
    ok_all(me, ran == nodes && info.all_executed >= nodes, "%s", what);
}

static int body(jd_self *me, int argc, char **argv)
{
    struct tally *t = calloc(1, sizeof *t);
    jd_coll_props props = {.local = t, .recall = 1};
    uint32_t depth = DEPTH;
    jd_coll *c;
    (void)argc, (void)argv;
    must(me, jd_coll_create(me, &props, &c));
    for (int i = 0; jd_rank(me) == 0 && i < SEEDS; i++)
        must(me, jd_coll_add(me, c, NODE, &depth, sizeof depth));
    process(me, c, t, SEEDS * BELOW, "each task has run once");
    /* Nothing is foretold then, and no other rank takes the child. */
    must(me, jd_coll_stealing(me, c, JD_STEAL_NONE));
    must(me, jd_coll_add(me, c, KEEPER, NULL, 0));
    process(me, c, t, RANKS, "a promise of an earlier phase is none");
    must(me, jd_coll_destroy(me, c));
    test_finishes(me);
    if (jd_rank(me) == 0)
        logs.program = me->rank->registry.hash;
    free(t);
    return 0;
}

/* ---- logs ----------------------------------------------------------------------------- */

/* The name of a task of the job: some way down from a seed, or from what a body has spawned. */
static uint64_t any_name(uint64_t *rng, bool finishes)
{
    uint64_t name = finishes ? jdi_name_body(jdi_random_below(rng, RANKS)) +
                                   jdi_random_below(rng, 2 * LIMBS)
                             : jdi_name_seed(0, jdi_random_below(rng, SEEDS));
    uint32_t most = finishes ? HEIGHT : DEPTH, kids = finishes ? LIMBS : KIDS;
    for (uint32_t down = jdi_random_below(rng, most); down; down--)
        name = jdi_name_children(name) + jdi_random_below(rng, kids);
    return name;
}

static struct jdi_steallog make_log(uint64_t *rng, uint32_t rank, bool finishes)
{
    struct jdi_steallog_run *run = calloc(ROWS, sizeof *run);
    if (!run)
        bail_out("no memory");
    for (int i = 0; i < ROWS; i++) {
        uint32_t to = (rank + 1 + jdi_random_below(rng, RANKS - 1)) % RANKS;
        uint32_t got = jdi_random_below(rng, 2) ? JDI_STEALLOG_GOT : 0;
        uint32_t first = jdi_random_below(rng, 3) ? 0 : JDI_STEALLOG_BATCH;
        run[i] = (struct jdi_steallog_run){
            any_name(rng, finishes), 1 + jdi_random_below(rng, 3), to | got | first};
    }
    run[ROWS - 1].first = 1;
    run[ROWS - 1].count = UINT32_MAX;
    return (struct jdi_steallog){.run = run, .n = ROWS, .waited = 1000000};
}

static void write_logs(uint64_t *rng)
{
    static const uint32_t coll[] = {0, JDI_STEALLOG_FINISHES};
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        const struct jdi_steallog log[] = {make_log(rng, rank, false),
                                           make_log(rng, rank, true)};
        recall_write(&logs, rank, log, coll, 2);
        free(log[0].run);
        free(log[1].run);
    }
}

int main(int argc, char **argv)
{
    uint64_t rng = 1;
    recall_init(&logs, RANKS);
    setenv("JACKDAW_WORKERS", "2", 1);
    ok(!jd_launch(argc, argv, body, tasks), "a job without a log has ended well");
    recall_use(&logs);
    for (int i = 0; i < LOGS; i++) {
        write_logs(&rng);
        ok(!jd_launch(argc, argv, body, tasks), "log %d: the job has ended well", i);
    }
    recall_fini(&logs);
    return done_testing();
}
