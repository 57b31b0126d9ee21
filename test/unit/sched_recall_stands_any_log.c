/*
 * sched_recall_stands_any_log.c - whatever a steal log says, each task of the job that begins with it runs once.
 *
 * Role: logs that pass the check of the file and that no run has left: names of the job's tasks with ways taken by
 *       chance, several for a task, and a row of more tasks than a table can have. A promise that an earlier phase has left.
 * Owner: the bodies; rank 0 writes `program`.
 * See: doc/steallog.md "A phase that replays"; sched/recall.h.
 */
#include "core/random.h"
#include "sched/coll.h"
#include "sched/name.h"
#include "sched/self.h"
#include "sched/steallog.h"
#include "test/dist/sched_kit.h"

#include <unistd.h>

enum { NODE, KEEPER };
enum { RANKS = 3, SEEDS = 20, DEPTH = 6, KIDS = 2, ROWS = 400, LOGS = 20 };
enum { BELOW = (1 << DEPTH) - 1 }; /* nodes of a seed's tree */

static uint64_t program; /* hash of the task table */
static char folder[] = "/tmp/jackdaw-any-log-XXXXXX";

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
    (void)arg;
    must(me, jd_coll_add(me, jd_coll_mine(me), NODE, &depth, sizeof depth));
    if (jdi_store_private(&me->seat->shelf) != 1)
        jd_abort(me, 99, "the child has gone");
    me->seat->promised = jdi_store_youngest(&me->seat->shelf, 0)->id;
}

static const jd_task_def tasks[] = {
    [NODE] = JD_TASK(node), [KEEPER] = JD_TASK(keeper), JD_TASK_END};

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
    must(me, jd_coll_stealing(
                 me, c,
                 JD_STEAL_NONE)); /* so nothing is foretold, and nobody takes the child */
    must(me, jd_coll_add(me, c, KEEPER, NULL, 0));
    process(me, c, t, RANKS, "a promise of an earlier phase is none");
    must(me, jd_coll_destroy(me, c));
    if (jd_rank(me) == 0)
        program = me->rank->registry.hash;
    free(t);
    return 0;
}

/* ---- logs ----------------------------------------------------------------------------- */

/* The name of a task of the job: some way down from a seed. */
static uint64_t any_name(uint64_t *rng)
{
    uint64_t name = jdi_name_seed(0, jdi_random_below(rng, SEEDS));
    for (uint32_t down = jdi_random_below(rng, DEPTH); down; down--)
        name = jdi_name_children(name) + jdi_random_below(rng, KIDS);
    return name;
}

static void make_rows(uint64_t *rng, uint32_t rank, struct jdi_steallog *l)
{
    struct jdi_steallog_run *run = calloc(ROWS, sizeof *run);
    if (!run)
        bail_out("no memory");
    for (int i = 0; i < ROWS; i++) {
        uint32_t to = (rank + 1 + jdi_random_below(rng, RANKS - 1)) % RANKS;
        uint32_t got = jdi_random_below(rng, 2) ? JDI_STEALLOG_GOT : 0;
        uint32_t first = jdi_random_below(rng, 3) ? 0 : JDI_STEALLOG_BATCH;
        run[i] = (struct jdi_steallog_run){any_name(rng), 1 + jdi_random_below(rng, 3),
                                           to | got | first};
    }
    run[ROWS - 1].first = 1;
    run[ROWS - 1].count = UINT32_MAX;
    *l = (struct jdi_steallog){.run = run, .n = ROWS, .waited = 1000000};
}

static void path_of(uint32_t rank, char *path, size_t room)
{
    snprintf(path, room, "%s/%u", folder, rank);
}

static void write_file(uint64_t *rng, uint32_t rank)
{
    struct jdi_steallog l;
    struct jdi_steallog_bytes b = {0};
    struct jdi_steallog_head h = {program, RANKS, rank, 1, .nparts = 1};
    unsigned char head[JDI_STEALLOG_HEAD];
    char path[64];
    make_rows(rng, rank, &l);
    if (jdi_steallog_write(&b, &l, 0, 1, NULL))
        bail_out("no memory");
    h.bytes = b.used;
    jdi_steallog_seal(&h, b.at, head);
    path_of(rank, path, sizeof path);
    FILE *f = fopen(path, "w");
    if (!f || fwrite(head, sizeof head, 1, f) != 1 || fwrite(b.at, b.used, 1, f) != 1 ||
        fclose(f))
        bail_out("no log");
    jdi_free(b.at);
    free(l.run);
}

int main(int argc, char **argv)
{
    uint64_t rng = 1;
    char path[64];
    setenv("JACKDAW_ULT", "boost", 1);
    setenv("JACKDAW_RANKS", "3", 1), setenv("JACKDAW_WORKERS", "2", 1);
    ok(!jd_launch(argc, argv, body, tasks), "a job without a log has ended well");
    if (!mkdtemp(folder))
        bail_out("no folder");
    snprintf(path, sizeof path, "%s/%%r", folder);
    setenv("JACKDAW_REPLAY", path, 1);
    for (int i = 0; i < LOGS; i++) {
        for (uint32_t rank = 0; rank < RANKS; rank++)
            write_file(&rng, rank);
        ok(!jd_launch(argc, argv, body, tasks), "log %d: the job has ended well", i);
    }
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        path_of(rank, path, sizeof path);
        unlink(path);
    }
    rmdir(folder);
    return done_testing();
}
