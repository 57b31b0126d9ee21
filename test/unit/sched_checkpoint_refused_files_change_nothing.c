/*
 * sched_checkpoint_refused_files_change_nothing.c - each operation on a file fails once, and files that do not fit.
 *
 * Role: when an operation of a save is refused, all ranks get JD_ESYS, and the checkpoint before is there, or, once
 *       the manifest has its name, the new one.  When one of a load is refused, or a file is not what the call expects, all
 *       ranks get the same error, and collection, memory and state are as they were.
 * Owner: the bodies; rank 0 changes the disk, between barriers.
 * Invariants: none of its own.
 * See: doc/checkpoint.md; test/unit/sched_checkpoint_kit.h.
 */
#include "sched/checkpoint/load.h"
#include "sched/checkpoint/save.h"
#include "test/dist/sched_kit.h"
#include "test/unit/sched_checkpoint_kit.h"

enum { RANKS = 2, SEEDS = 4, CELLS = 3 };

static struct disk disk;

struct job {
    jd_coll *c;
    uint64_t state, cell[CELLS];
    jd_mem mem;
    jd_checkpoint what;
};

static void work(jd_self *me, void *arg)
{
    (void)me, (void)arg;
}

static void other(jd_self *me, void *arg)
{
    (void)me, (void)arg;
}

static void fill(struct job *j, uint64_t version)
{
    j->state = version;
    for (unsigned i = 0; i < CELLS; i++)
        j->cell[i] = version * 100 + i;
}

static bool is_filled(const struct job *j, uint64_t version)
{
    bool right = j->state == version;
    for (unsigned i = 0; i < CELLS; i++)
        right = right && j->cell[i] == version * 100 + i;
    return right;
}

/* The disk refuses the k-th operation from now on; 0: none. */
static void refuse(jd_self *me, unsigned k)
{
    must(me, jd_barrier(me));
    if (jd_rank(me) == 0)
        disk.refuse = k ? disk.operations + k : 0;
    must(me, jd_barrier(me));
}

/* The version that is found, or the error. */
static int version_of(jd_self *me, struct job *j)
{
    fill(j, 99);
    int error = jdi_load(me, j->c, &j->what, &disk.files);
    return error                                              ? error
           : is_filled(j, j->state) && sum_of(me, 1) == RANKS ? (int)j->state
                                                              : -1000;
}

static void test_saves(jd_self *me, struct job *j)
{
    unsigned refused = 0, old = 0, new = 0, k = 0;
    bool right = true, went = false;
    while (right && !went && ++k < 200) {
        fill(j, 1);
        must(me, jdi_save(me, j->c, &j->what, &disk.files));
        fill(j, 2);
        refuse(me, k);
        int error = jdi_save(me, j->c, &j->what, &disk.files);
        must(me, jd_barrier(me));
        went = disk.operations < disk.refuse;
        refuse(me, 0);
        unsigned files = disk_count(&disk);
        int found = version_of(me, j);
        right =
            true_on_all(me,
                        (error == JD_ESYS && found == 1 && files == 1 + RANKS) ||
                            (error == JD_ESYS && found == 2) || (!error && found == 2),
                        "the old one or the new one", __LINE__);
        refused += error == JD_ESYS;
        old += found == 1;
        new += error &&found == 2;
    }
    ok_all(me, right && went && refused > 15 && old >= 15 && new >= 1,
           "a refused operation of a save leaves a checkpoint, and all ranks the same "
           "error");
    ok_all(me, disk_count(&disk) == 1 + RANKS, "the next save removes what has stayed");
}

static void test_loads(jd_self *me, struct job *j)
{
    unsigned refused = 0;
    int error = JD_ESYS;
    bool right = true;
    for (unsigned k = 1; error && right; k++) {
        fill(j, 5);
        refuse(me, k);
        error = jdi_load(me, j->c, &j->what, &disk.files);
        refuse(me, 0);
        right =
            true_on_all(me, error ? error == JD_ESYS && is_filled(j, 5) : is_filled(j, 2),
                        "all or nothing", __LINE__);
        refused += error != 0;
    }
    ok_all(me, right && refused > 8, "a refused operation of a load changes nothing");
}

/* The call is refused as JD_EFILE, and all is as it was. */
static void test_misfit(jd_self *me, struct job *j, jd_coll *c, const jd_checkpoint *what,
                        const char *name)
{
    fill(j, 6);
    int error = jdi_load(me, c, what, &disk.files);
    ok_all(me, error == JD_EFILE && is_filled(j, 6), "%s is refused", name);
}

static void test_misfits(jd_self *me, struct job *j)
{
    jd_coll_props timed = {.name = "one", .timed = 1}, named = {.name = "two"};
    jd_checkpoint none = {.path = "none"}, few = j->what, small = j->what, more = j->what;
    jd_mem larger;
    jd_coll *c;
    fill(j, 6);
    ok_all(me, jdi_load(me, j->c, &none, &disk.files) == JD_ENOENT && is_filled(j, 6),
           "a file that is not there is told apart");
    must(me, jd_mem_create(me, NULL, CELLS * 8 + (jd_rank(me) == 1), &larger));
    few.mems = 0;
    small.state_size = 4;
    more.mem = &larger;
    test_misfit(me, j, j->c, &few, "another number of memories");
    test_misfit(me, j, j->c, &small, "another size of state");
    test_misfit(me, j, j->c, &more, "another size of memory");
    must(me, jd_coll_create(me, &timed, &c));
    test_misfit(me, j, c, &j->what, "a collection that is timed");
    must(me, jd_coll_destroy(me, c));
    must(me, jd_coll_create(me, &named, &c));
    test_misfit(me, j, c, &j->what, "a collection with another name");
    must(me, jd_coll_destroy(me, c));
    must(me, jd_mem_destroy(me, larger));
}

/* One rank's file is damaged, then missing: all ranks are told. */
static void test_damage(jd_self *me, struct job *j)
{
    unsigned last = 0;
    for (unsigned i = 0; i < DISK_NAMES; i++)
        last = strstr(disk.name[i].name, ".1") ? i : last;
    struct disk_file *f = &disk.file[disk.name[last].file];
    must(me, jd_barrier(me));
    if (jd_rank(me) == 0)
        f->bytes[f->n / 2] ^= 4;
    must(me, jd_barrier(me));
    test_misfit(me, j, j->c, &j->what, "a damaged share");
    if (jd_rank(me) == 0)
        disk.name[last].name[0] = 0;
    must(me, jd_barrier(me));
    test_misfit(me, j, j->c, &j->what, "a missing share");
}

static int body(jd_self *me, int argc, char **argv)
{
    struct job j = {.state = 0};
    jd_coll_props props = {.name = "one"};
    (void)argc, (void)argv;
    must(me, jd_mem_create(me, j.cell, sizeof j.cell, &j.mem));
    must(me, jd_coll_create(me, &props, &j.c));
    j.what = (jd_checkpoint){"d/r", &j.mem, 1, &j.state, sizeof j.state};
    for (uint64_t i = 0; i < SEEDS; i++)
        must(me, jd_coll_add(me, j.c, 1, &i, sizeof i));
    must(me, jd_coll_process(me, j.c));
    test_saves(me, &j);
    test_loads(me, &j);
    test_misfits(me, &j);
    /* What was refused has left the seeds. */
    must(me, jd_coll_restore(me, j.c, JD_RESTORE_RETAIN));
    must(me, jd_coll_process(me, j.c));
    jd_coll_info info;
    must(me, jd_coll_get_info(me, j.c, &info));
    ok_all(me, info.all_executed == RANKS * SEEDS, "the seeds are there");
    test_damage(me, &j);
    must(me, jd_coll_destroy(me, j.c));
    return jd_mem_destroy(me, j.mem);
}

/* A task of the checkpoint is not in the program, or has moved in its table. */
static int another_body(jd_self *me, int argc, char **argv)
{
    jd_coll_props props = {.name = "one"};
    jd_checkpoint what = {.path = "d/t"};
    jd_coll_info info;
    jd_coll *c;
    must(me, jd_coll_create(me, &props, &c));
    if (!strcmp(argv[1], "save")) {
        must(me, jd_coll_add(me, c, 0, NULL, 0));
        must(me, jd_coll_process(me, c));
        must(me, jdi_save(me, c, &what, &disk.files));
    } else if (!strcmp(argv[1], "moved")) {
        ok_all(me, !jdi_load(me, c, &what, &disk.files), "a table with moved rows fits");
        must(me, jd_coll_restore(me, c, JD_RESTORE_SEED));
        must(me, jd_coll_process(me, c));
        must(me, jd_coll_get_info(me, c, &info));
        ok_all(me, info.all_executed == RANKS, "and its tasks run");
    } else {
        ok_all(me, jdi_load(me, c, &what, &disk.files) == JD_EFILE,
               "a table without the task does not fit");
    }
    (void)argc;
    return jd_coll_destroy(me, c);
}

static void stop(jd_self *me, void *arg)
{
    (void)arg;
    jd_abort(me, 1, "the wrong task runs");
}

int main(int argc, char **argv)
{
    static const jd_task_def tasks[] = {JD_TASK(other), JD_TASK(work), JD_TASK_END};
    static const jd_task_def moved[] = {JD_TASK(stop), JD_TASK(work), JD_TASK(other),
                                        JD_TASK_END};
    static const jd_task_def without[] = {JD_TASK(work), JD_TASK_END};
    char *save[] = {argv[0], (char[]){"save"}, NULL},
         *load[] = {argv[0], (char[]){"moved"}, NULL},
         *none[] = {argv[0], (char[]){"none"}, NULL};
    setenv("JACKDAW_ULT", "boost", 1);
    setenv("JACKDAW_RANKS", "2", 1), setenv("JACKDAW_WORKERS", "1", 1);
    disk_init(&disk);
    ok(!jd_launch(argc, argv, body, tasks), "the job has ended well");
    ok(!jd_launch(2, save, another_body, tasks), "a job saves");
    ok(!jd_launch(2, load, another_body, moved), "a job with another table loads");
    ok(!jd_launch(2, none, another_body, without), "another job is refused");
    disk_fini(&disk);
    return done_testing();
}
