/*
 * sched_finish_refuses_wrong_calls.c
 *
 * Role: calls outside of a finish, and with arguments that cannot be, return the documented code, and
 *       the job goes on as if they had not been made.
 * Owner: the body.
 * See: include/jackdaw.h.
 */
#include "test/dist/sched_kit.h"

enum { MARK, RANGE };

static void nothing(jd_self *me, void *arg)
{
    (void)me, (void)arg;
}

static const jd_task_def tasks[] = {[MARK] = {"mark", nothing, NULL, 0},
                                    [RANGE] = {"range", nothing, NULL, 0},
                                    JD_TASK_END};

static void test_refusals(jd_self *me)
{
    jd_scope s, t;
    ok_all(me, jd_async(me, MARK, NULL, 0) == JD_ESTATE, "no finish, no async");
    ok_all(me, jd_async_at(me, 0, MARK, NULL, 0) == JD_ESTATE, "nor at a rank");
    ok_all(me, jd_forasync(me, RANGE, 0, 9, 1, NULL, 0) == JD_ESTATE, "nor a range");
    ok_all(me, !jd_finish_mine(me).number && !jd_cancelled(me), "nor a name");
    must(me, jd_finish_begin(me, &s));
    ok_all(me, jd_async(me, 999, NULL, 0) == JD_EINVAL, "no such task");
    ok_all(me,
           jd_async(me, MARK, NULL, 8) == JD_EINVAL &&
               jd_async_local(me, MARK, NULL, 8) == JD_EINVAL &&
               jd_async_at(me, 0, MARK, NULL, 8) == JD_EINVAL &&
               jd_forasync(me, RANGE, 0, 9, 1, NULL, 8) == JD_EINVAL,
           "bytes from nowhere");
    ok_all(me, jd_async_at(me, jd_nranks(me), MARK, NULL, 0) == JD_EINVAL,
           "no such rank");
    ok_all(me, jd_async(me, MARK, NULL, (size_t)17 << 20) == JD_ETOOBIG, "too large");
    ok_all(me, jd_forasync(me, RANGE, 0, 9, 0, NULL, 0) == JD_EINVAL, "no grain");
    ok_all(me, jd_finish_spmd(me, nothing, NULL) == JD_ESTATE, "not inside another");
    must(me, jd_finish_begin(me, &t));
    ok_all(me, jd_finish_end(me, &s) == JD_ESTATE, "the inner one first");
    must(me, jd_finish_end(me, &t));
    must(me, jd_finish_end(me, &s));
    ok_all(me, jd_cancel(me, (jd_finish_id){0}) == JD_EINVAL, "no name to cancel");
}

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    test_refusals(me);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
