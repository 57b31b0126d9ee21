/*
 * sched_checkpoint_needs_all_to_be_quiet.c - what is open on one rank refuses the save on all.
 *
 * Role: an open finish, a collection that is started, a hold, a seed that did not run, a request that is not answered: each on
 *       rank 1 only, where one rank can have it alone.  Nothing is written.  And frozen memory, which is not loaded.
 * Owner: the bodies.
 * Invariants: I1 the disk is touched by saves that are not refused only.
 * See: jd_coll_save in jackdaw.h; sched/checkpoint/meet.h.
 */
#include "sched/checkpoint/load.h"
#include "sched/checkpoint/save.h"
#include "sched/data/data.h"
#include "sched/rank.h"
#include "sched/self.h"
#include "test/dist/sched_kit.h"
#include "test/unit/sched_checkpoint_kit.h"

static struct disk disk;
static const jd_checkpoint what = {.path = "q"};

static void work(jd_self *me, void *arg)
{
    (void)me, (void)arg;
}

static void is_refused(jd_self *me, jd_coll *c, const char *why)
{
    int saved = jdi_save(me, c, &what, &disk.files);
    int loaded = jdi_load(me, c, &what, &disk.files);
    ok_all(me, saved == JD_ESTATE && loaded == JD_ESTATE && !disk.operations, "%s", why);
}

static void test_open(jd_self *me, jd_coll *c)
{
    bool one = jd_rank(me) == 1;
    jd_scope scope;
    jd_coll *d;
    if (one)
        must(me, jd_finish_begin(me, &scope));
    is_refused(me, c, "a finish is open");
    if (one)
        must(me, jd_finish_end(me, &scope));
    if (one)
        must(me, jd_coll_hold(me, c));
    is_refused(me, c, "the collection is held");
    if (one)
        must(me, jd_coll_release(me, c));
    if (one)
        me->rank->data->requests.n++; /* as if an answer were still to come */
    is_refused(me, c, "a request is open");
    if (one)
        me->rank->data->requests.n--;
    must(me, jd_coll_create(me, NULL, &d));
    must(me, jd_coll_hold(me, d));
    must(me, jd_coll_start(me, d));
    is_refused(me, c, "another collection is started");
    must(me, jd_coll_release(me, d));
    must(me, jd_coll_wait(me, d));
    must(me, jd_coll_destroy(me, d));
}

/* Ranks may keep what they have cached of it. */
static void test_frozen(jd_self *me, jd_coll *c)
{
    jd_mem mem;
    uint64_t *own;
    must(me, jd_mem_create(me, NULL, sizeof *own, &mem));
    own = jd_mem_local(me, mem, NULL);
    const jd_checkpoint with = {.path = "m", .mem = &mem, .mems = 1};
    *own = 1;
    must(me, jdi_save(me, c, &with, &disk.files));
    *own = 2;
    must(me, jd_mem_freeze(me, mem, 1));
    ok_all(me, jdi_load(me, c, &with, &disk.files) == JD_ESTATE && *own == 2,
           "frozen memory is not loaded");
    ok_all(me, !jdi_save(me, c, &with, &disk.files), "but it is saved");
    must(me, jd_mem_freeze(me, mem, 0));
    ok_all(me, !jdi_load(me, c, &with, &disk.files) && *own == 2,
           "and loaded when it is not frozen any more");
    must(me, jd_mem_destroy(me, mem));
}

static int body(jd_self *me, int argc, char **argv)
{
    jd_coll_props no_record = {.no_restore = 1};
    jd_coll *c;
    (void)argc, (void)argv;
    must(me, jd_coll_create(me, NULL, &c));
    ok_all(me, jdi_save(me, c, &what, &disk.files) == JD_ESTATE,
           "before the first phase there is nothing to save");
    must(me, jd_coll_add(me, c, 0, NULL, 0));
    ok_all(me, jdi_load(me, c, &what, &disk.files) == JD_ESTATE,
           "seeds that did not run are not lost by a load");
    must(me, jd_coll_process(me, c));
    test_open(me, c);
    must(me, jd_coll_restore(me, c, JD_RESTORE_RETAIN));
    is_refused(me, c, "seeds were restored and did not run");
    must(me, jd_coll_process(me, c));
    jd_checkpoint wrong = {.path = jd_rank(me) ? "q" : "p"};
    ok_all(me, jdi_save(me, c, &wrong, &disk.files) == JD_EMISMATCH && !disk.operations,
           "the ranks name different files");
    ok_all(me, jdi_save(me, c, &(jd_checkpoint){.path = "d/"}, &disk.files) == JD_EINVAL,
           "a path needs a name");
    ok_all(me, !jdi_save(me, c, &what, &disk.files), "when all is quiet it is saved");
    test_frozen(me, c);
    must(me, jd_barrier(me));
    must(me, jd_coll_destroy(me, c));
    must(me, jd_coll_create(me, &no_record, &c));
    must(me, jd_coll_process(me, c));
    ok_all(me, jdi_save(me, c, &what, &disk.files) == JD_ESTATE,
           "without a record of seeds there is nothing to save");
    return jd_coll_destroy(me, c);
}

int main(int argc, char **argv)
{
    static const jd_task_def tasks[] = {JD_TASK(work), JD_TASK_END};
    setenv("JACKDAW_ULT", "boost", 1);
    setenv("JACKDAW_RANKS", "2", 1), setenv("JACKDAW_WORKERS", "1", 1);
    disk_init(&disk);
    ok(!jd_launch(argc, argv, body, tasks), "the job has ended well");
    disk_fini(&disk);
    return done_testing();
}
