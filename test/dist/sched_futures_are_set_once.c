/*
 * sched_futures_are_set_once.c
 *
 * Role: one of all who set a future is the first, and its value is what everybody gets, of every size
 *       that is allowed; another size is refused.  A future may be left to the end of the job.
 * Owner: the body.
 * See: include/jackdaw.h, doc/data.md.
 */
#include "test/dist/sched_futures_kit.h"

enum { LARGEST = 16 << 20 };

static const jd_task_def tasks[] = {JD_TASK_END};

static void test_set_once(jd_self *me)
{
    jd_future f = share(me, jd_nranks(me) - 1);
    uint64_t value = 100 + jd_rank(me), got[1] = {0};
    int error = jd_future_set(me, f, &value, sizeof value);
    ok_all(me, error == 0 || error == JD_ESTATE, "a second set is JD_ESTATE");
    ok_all(me, sum_of(me, error == 0) == 1, "one of all is the first");
    must(me, jd_future_get(me, f, got, sizeof got));
    ok_all(me, sum_of(me, error == 0 ? value : 0) == *got, "and it is its value");
    unshare(me, f);
}

static void test_sizes(jd_self *me)
{
    static const size_t sizes[] = {0, 1, 4096, 100001, LARGEST};
    unsigned char *bytes = malloc(LARGEST + 1);
    if (!bytes)
        jd_abort(me, 99, "no memory for the test");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        jd_future f = share(me, 0);
        size_t n = sizes[i], told = 99;
        memset(bytes, (int)i + 1, n);
        if (jd_rank(me) == jd_nranks(me) - 1)
            must(me, jd_future_set(me, f, bytes, n));
        must(me, jd_future_wait(me, f, &told));
        memset(bytes, 0, n + 1);
        bool small = n > 0 && jd_future_get(me, f, bytes, n - 1) != JD_EINVAL;
        bool wrong = small || jd_future_get(me, f, bytes, n + 1) != JD_EINVAL;
        ok_all(me, told == n && !wrong && !bytes[0], "%zu bytes: another size is refused",
               n);
        must(me, jd_future_get(me, f, n ? bytes : NULL, n));
        bool right = !bytes[n];
        for (size_t k = 0; k < n; k++)
            right = right && bytes[k] == i + 1;
        ok_all(me, right, "%zu bytes", n);
        unshare(me, f);
    }
    jd_future f = share(me, 0);
    ok_all(me, jd_future_set(me, f, bytes, LARGEST + 1) == JD_ETOOBIG, "and no more");
    ok_all(me, jd_future_set(me, f, NULL, 1) == JD_EINVAL, "bytes from nowhere");
    unshare(me, f);
    free(bytes);
}

static int body(jd_self *me, int argc, char **argv)
{
    uint64_t word = 4711;
    (void)argc, (void)argv;
    test_set_once(me);
    test_sizes(me);
    jd_future left; /* to the end of the job, set or not */
    must(me, jd_future_create(me, &left));
    must(me, jd_future_set(me, left, &word, sizeof word));
    must(me, jd_future_create(me, &left));
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
