/*
 * sched_refusals_of_one_collection_more.c
 *
 * Role: 64 collections may be there at once, and work at once, but not one more; they may be created
 *       and destroyed as often as one likes.  Argument: how often.
 * Owner: as sched_refusals_kit.h.
 * See: include/jackdaw.h.
 */
#include "test/dist/sched_refusals_kit.h"

enum { NOTHING };
enum { COLLS = 64 };

static const jd_task_def tasks[] = {[NOTHING] = JD_TASK(nothing), JD_TASK_END};

static void test_many_colls(jd_self *me)
{
    jd_coll *c[COLLS], *more = NULL;
    for (int i = 0; i < COLLS; i++)
        c[i] = make(me, NULL);
    ok_all(me, jd_coll_create(me, NULL, &more) == JD_ENOMEM && !more, "65 collections");
    for (int i = 0; i < COLLS; i++)
        for (int k = 0; k < i; k++)
            must(me, jd_coll_add(me, c[i], NOTHING, NULL, 0));
    for (int i = 0; i < COLLS; i++)
        must(me, jd_coll_start(me, c[i]));
    for (int i = COLLS - 1; i >= 0; i--)
        must(me, jd_coll_wait(me, c[i]));
    uint64_t wrong = 0;
    for (int i = 0; i < COLLS; i++)
        wrong += !adds_up(me, c[i], (uint64_t)i * jd_nranks(me));
    ok_all(me, !wrong, "64 of them at work at once");
    must(me, jd_coll_destroy(me, c[COLLS / 2]));
    ok_all(me, jd_coll_create(me, NULL, &c[COLLS / 2]) == 0, "room for one more again");
    for (int i = 0; i < COLLS; i++)
        must(me, jd_coll_destroy(me, c[i]));
}

static void test_create_again(jd_self *me, long times)
{
    double start = tap_seconds();
    for (long i = 0; i < times; i++) {
        jd_coll *c = make(me, &(jd_coll_props){.name = i % 2 ? "odd" : NULL});
        if (i % 3 == 0) {
            must(me, jd_coll_add(me, c, NOTHING, NULL, 0));
            must(me, jd_coll_process(me, c));
        }
        must(me, jd_coll_destroy(me, c));
    }
    ok_all(me, true, "create and destroy %ld times", times);
    if (jd_rank(me) == 0)
        diag("%.2f s", tap_seconds() - start);
}

static int body(jd_self *me, int argc, char **argv)
{
    test_many_colls(me);
    test_create_again(me, argc > 1 ? atol(argv[1]) : 50);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
