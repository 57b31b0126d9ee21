/*
 * sched_refusals_of_calls_out_of_turn.c
 *
 * Role: a call of the body in a state of the collection that does not permit it returns the documented
 *       code on every rank, and the collection is as it was.
 * Owner: as sched_refusals_kit.h.
 * See: include/jackdaw.h.
 */
#include "test/dist/sched_refusals_kit.h"

enum { NOTHING };

static const jd_task_def tasks[] = {[NOTHING] = JD_TASK(nothing), JD_TASK_END};

/* A collection that is open although it has no task here. */
static void test_from_the_body(jd_self *me)
{
    jd_coll_info info;
    jd_coll *c = make(me, NULL);
    ok_all(me, jd_coll_wait(me, c) == JD_ESTATE, "wait before start");
    ok_all(me, jd_coll_restore(me, c, JD_RESTORE_SEED) == JD_ESTATE,
           "restore of a new one");
    ok_all(me, jd_coll_release(me, c) == JD_ESTATE, "release without a hold");
    must(me, jd_coll_hold(me, c));
    must(me, jd_coll_start(me, c));
    ok_all(me, jd_coll_start(me, c) == JD_ESTATE, "start of a started one");
    ok_all(me, jd_coll_process(me, c) == JD_ESTATE, "process of a started one");
    ok_all(me, jd_coll_restore(me, c, JD_RESTORE_SEED) == JD_ESTATE, "restore of it");
    ok_all(me, jd_coll_destroy(me, c) == JD_ESTATE, "destroy of it");
    ok_all(me, jd_coll_get_info(me, c, &info) == JD_ESTATE, "info of it");
    ok_all(me, jd_coll_hold(me, c) == 0 && jd_coll_release(me, c) == 0,
           "under a hold another hold is fine");
    ok_all(me, jd_coll_add(me, c, NOTHING, NULL, 0) == 0, "and so is an add");
    must(me, jd_coll_release(me, c));
    must(me, jd_coll_wait(me, c));
    ok_all(me, adds_up(me, c, jd_nranks(me)) && info_of(me, c).retained == 0,
           "what was added then is no seed");
    ok_all(me, jd_coll_restore(me, c, (enum jd_restore)9) == JD_EINVAL,
           "an unknown restore");
    ok_all(me, jd_coll_restore(me, c, JD_RESTORE_SEED) == 0, "restore");
    ok_all(me, jd_coll_restore(me, c, JD_RESTORE_SEED) == JD_ESTATE, "and again at once");
    must(me, jd_coll_process(me, c));
    must(me, jd_coll_add(me, c, NOTHING, NULL, 0));
    ok_all(me, jd_coll_restore(me, c, JD_RESTORE_RETAIN) == JD_ESTATE,
           "restore after adds");
    must(me, jd_coll_process(me, c));
    ok_all(me, adds_up(me, c, jd_nranks(me)), "which are there still");
    must(me, jd_coll_destroy(me, c));

    c = make(me, &(jd_coll_props){.no_restore = 1});
    must(me, jd_coll_add(me, c, NOTHING, NULL, 0));
    must(me, jd_coll_process(me, c));
    ok_all(me, jd_coll_restore(me, c, JD_RESTORE_SEED) == JD_ESTATE,
           "restore without records");
    must(me, jd_coll_destroy(me, c));
}

static void test_destroy_with_tasks(jd_self *me)
{
    bool last = jd_rank(me) == jd_nranks(me) - 1;
    jd_coll *c = make(me, NULL);
    if (last)
        must(me, jd_coll_add(me, c, NOTHING, NULL, 0));
    ok_all(me, jd_coll_destroy(me, c) == JD_ESTATE, "destroy with a task on one rank");
    must(me, jd_coll_process(me, c));
    ok_all(me, adds_up(me, c, 1), "which runs all the same");
    if (last)
        must(me, jd_coll_hold(me, c));
    ok_all(me, jd_coll_destroy(me, c) == JD_ESTATE, "destroy with a hold on one rank");
    if (last)
        must(me, jd_coll_release(me, c));
    ok_all(me, jd_coll_destroy(me, c) == 0, "destroy of what is at rest");
}

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    test_from_the_body(me);
    test_destroy_with_tasks(me);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
