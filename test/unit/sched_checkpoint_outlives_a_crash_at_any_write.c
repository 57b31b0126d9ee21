/*
 * sched_checkpoint_outlives_a_crash_at_any_write.c - whenever the machine stops, a whole checkpoint is there.
 *
 * Role: two ranks save a few times onto a disk that keeps a journal.  For each prefix of it, the disk that a crash
 *       could leave is loaded: what no sync has covered is lost, kept, or tossed for.
 * Owner: the bodies; rank 0 makes the disks, between barriers.
 * Invariants: I1 a save that has returned 0 is never lost; a load never finds a mixture.
 * See: doc/checkpoint.md "Saving"; test/unit/sched_checkpoint_kit.h.
 */
#include "sched/checkpoint/load.h"
#include "sched/checkpoint/save.h"
#include "test/dist/sched_kit.h"
#include "test/unit/sched_checkpoint_kit.h"

enum { RANKS = 2, SAVES = 3, SEEDS = 5, CELLS = 9, TOSSES = 3 };

static struct {
    struct disk disk, left;       /* what was written; what a crash leaves */
    unsigned returned[SAVES + 1]; /* steps when a save had returned 0 on some rank */
    uint64_t rng;
    unsigned loads, last, next, none, wrong;
} all;

static struct part {
    uint64_t state, cell[CELLS];
} part[RANKS];

static void work(jd_self *me, void *arg)
{
    (void)me, (void)arg;
}

static void fill(jd_self *me, uint64_t version)
{
    struct part *p = &part[jd_rank(me)];
    p->state = version;
    for (unsigned i = 0; i < CELLS; i++)
        p->cell[i] = version << 32 | (jd_rank(me) * CELLS + i);
}

static bool is_filled(jd_self *me, uint64_t version)
{
    const struct part *p = &part[jd_rank(me)];
    bool right = p->state == version;
    for (unsigned i = 0; i < CELLS; i++)
        right = right && p->cell[i] == (version << 32 | (jd_rank(me) * CELLS + i));
    return right;
}

static void save_versions(jd_self *me, jd_coll *c, const jd_checkpoint *what)
{
    for (uint64_t i = 0; i < SEEDS; i++)
        must(me, jd_coll_add(me, c, 0, &i, sizeof i));
    for (unsigned v = 1; v <= SAVES; v++) {
        must(me, jd_coll_process(me, c));
        fill(me, v);
        must(me, jdi_save(me, c, what, &all.disk.files));
        pthread_mutex_lock(&all.disk.lock);
        if (!all.returned[v])
            all.returned[v] = all.disk.nsteps;
        pthread_mutex_unlock(&all.disk.lock);
        must(me, jd_coll_restore(me, c, JD_RESTORE_RETAIN));
    }
    must(me, jd_coll_process(me, c));
}

/* Load what is left after n steps: the last version whose save had returned, or the next one. */
static void load_what_is_left(jd_self *me, jd_coll *c, const jd_checkpoint *what,
                              unsigned n)
{
    unsigned last = 0;
    jd_coll_info info;
    for (unsigned v = 1; v <= SAVES; v++)
        last += all.returned[v] <= n;
    fill(me, 99);
    int error = jdi_load(me, c, what, &all.left.files);
    must(me, jd_coll_get_info(me, c, &info));
    bool is_last =
        last ? !error && is_filled(me, last) : error == JD_ENOENT && is_filled(me, 99);
    bool is_next = !error && is_filled(me, last + 1);
    bool whole = error || sum_of(me, info.retained) == RANKS * SEEDS;
    uint64_t right[2] = {whole && is_last, whole && is_next};
    must(me, jd_allreduce_u64(me, right, 2, JD_MIN));
    if (jd_rank(me) != 0)
        return;
    all.loads++;
    all.last += right[0] && last;
    all.next += right[1] != 0;
    all.none += right[0] && !last;
    all.wrong += !right[0] && !right[1];
    if (!right[0] && !right[1])
        diag("after %u of %u steps: %s", n, all.disk.nsteps, jd_strerror(error));
}

static void crash_everywhere(jd_self *me, jd_coll *c, const jd_checkpoint *what)
{
    for (unsigned n = 0; n <= all.disk.nsteps; n++)
        for (unsigned loss = 0; loss < DISK_TOSSES + TOSSES; loss++) {
            enum disk_loss how = loss < DISK_TOSSES ? (enum disk_loss)loss : DISK_TOSSES;
            if (jd_rank(me) == 0)
                disk_crash(&all.disk, n, how, &all.rng, &all.left);
            must(me, jd_barrier(me));
            load_what_is_left(me, c, what, n);
            must(me, jd_barrier(me));
            if (jd_rank(me) == 0)
                disk_fini(&all.left);
        }
}

static int body(jd_self *me, int argc, char **argv)
{
    struct part *p = &part[jd_rank(me)];
    jd_mem mem;
    jd_coll *c;
    (void)argc, (void)argv;
    must(me, jd_mem_create(me, p->cell, sizeof p->cell, &mem));
    must(me, jd_coll_create(me, NULL, &c));
    jd_checkpoint what = {.path = "disk/run",
                          .mem = &mem,
                          .mems = 1,
                          .state = &p->state,
                          .state_size = sizeof p->state};
    save_versions(me, c, &what);
    must(me, jd_barrier(me));
    crash_everywhere(me, c, &what);
    must(me, jd_coll_destroy(me, c));
    return jd_mem_destroy(me, mem);
}

int main(int argc, char **argv)
{
    static const jd_task_def tasks[] = {JD_TASK(work), JD_TASK_END};
    setenv("JACKDAW_ULT", "boost", 1);
    setenv("JACKDAW_RANKS", "2", 1), setenv("JACKDAW_WORKERS", "1", 1);
    const char *seed = getenv("SEED");
    all.rng = seed ? strtoull(seed, NULL, 10) | 1 : 20261119;
    disk_init(&all.disk);
    ok(!jd_launch(argc, argv, body, tasks), "the job has ended well");
    ok(all.loads == (all.disk.nsteps + 1) * (DISK_TOSSES + TOSSES) &&
           all.disk.nsteps > 40,
       "every prefix of the journal was tried");
    is_u64(all.wrong, 0, "each load finds the last version that was saved, or the next");
    ok(all.last && all.next && all.none, "all three ends have come");
    is_u64(disk_count(&all.disk), 1 + RANKS, "one checkpoint is left");
    diag("%u loads: %u the last, %u the next, %u none", all.loads, all.last, all.next,
         all.none);
    disk_fini(&all.disk);
    return done_testing();
}
