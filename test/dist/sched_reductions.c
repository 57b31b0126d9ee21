/*
 * sched_reductions.c
 *
 * Role: reductions and barriers of the body give every rank the right words, for every
 *       operation and up to the largest size, also while tasks run.
 * Owner: the body.
 * Invariants: those of test/dist/sched_kit.h.
 * See: include/jackdaw.h, sched/collective.c.
 */
#include "test/dist/sched_kit.h"

#include <float.h>

enum { SPIN };
enum { MOST = 4096, BARRIERS = 200, SPINNERS = 20, SPINS = 20000 };

static void spin(jd_self *me, void *arg)
{
    (void)me, (void)arg;
    for (volatile int i = 0; i < SPINS; i++)
        ;
}

static const jd_task_def tasks[] = {[SPIN] = JD_TASK(spin), JD_TASK_END};

/* Word i of a rank; large, so that sums wrap around. */
static uint64_t word(uint32_t rank, size_t i)
{
    return (i + 1) * (rank + 3) * UINT64_C(0x9E3779B97F4A7C15);
}

static uint64_t combine(uint64_t a, uint64_t b, enum jd_op op)
{
    switch (op) {
    case JD_SUM:
        return a + b;
    case JD_MIN:
        return a < b ? a : b;
    case JD_MAX:
        return a > b ? a : b;
    case JD_XOR:
        return a ^ b;
    }
    return 0;
}

static bool words_are_right(jd_self *me, size_t n, enum jd_op op)
{
    static const size_t GUARD = 1;
    uint64_t *v = malloc((n + GUARD) * sizeof *v);
    bool right = v != NULL;
    if (!v)
        jd_abort(me, 99, "no memory");
    for (size_t i = 0; i <= n; i++)
        v[i] = word(jd_rank(me), i);
    right = jd_allreduce_u64(me, v, n, op) == 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t want = word(0, i);
        for (uint32_t r = 1; r < jd_nranks(me); r++)
            want = combine(want, word(r, i), op);
        right = right && v[i] == want;
    }
    right = right && v[n] == word(jd_rank(me), n); /* nothing behind the end */
    free(v);
    return right;
}

static bool doubles_are_right(jd_self *me, size_t n)
{
    double *v = malloc((n + 1) * sizeof *v), ranks = jd_nranks(me);
    bool right = true;
    static const enum jd_op op[] = {JD_SUM, JD_MIN, JD_MAX};
    if (!v)
        jd_abort(me, 99, "no memory");
    for (int k = 0; k < 3; k++) {
        for (size_t i = 0; i < n; i++)
            v[i] = ((double)jd_rank(me) - 2) * (double)(i + 1) * 0.25;
        right = jd_allreduce_f64(me, v, n, op[k]) == 0 && right;
        for (size_t i = 0; i < n; i++) {
            double first = -2, last = ranks - 3, each = (double)(i + 1) * 0.25;
            double want = op[k] == JD_SUM   ? (first + last) / 2 * ranks * each
                          : op[k] == JD_MIN ? first * each
                                            : last * each;
            right = right && v[i] == want; /* quarters are exact */
        }
    }
    free(v);
    return right;
}

static void test_sizes(jd_self *me)
{
    static const size_t size[] = {0, 1, 2, 7, 100, MOST};
    static const char *const name[] = {"", "sum", "min", "max", "xor"};
    for (size_t k = 0; k < sizeof size / sizeof *size; k++) {
        for (int op = JD_SUM; op <= JD_XOR; op++)
            ok_all(me, words_are_right(me, size[k], op), "%s of %zu words", name[op],
                   size[k]);
        ok_all(me, doubles_are_right(me, size[k]), "%zu doubles", size[k]);
    }
    double huge = jd_rank(me) ? 0 : DBL_MAX;
    must(me, jd_allreduce_f64(me, &huge, 1, JD_MAX));
    ok_all(me, huge == DBL_MAX, "all bits of a double");
}

static void test_refusals(jd_self *me)
{
    uint64_t word_here = 5;
    double number = 5;
    static double many[MOST + 1];
    bool right = jd_allreduce_u64(me, &word_here, MOST + 1, JD_SUM) == JD_EINVAL &&
                 jd_allreduce_f64(me, many, MOST + 1, JD_SUM) == JD_EINVAL &&
                 jd_allreduce_u64(me, &word_here, 1, (enum jd_op)0) == JD_EINVAL &&
                 jd_allreduce_u64(me, &word_here, 1, (enum jd_op)5) == JD_EINVAL &&
                 jd_allreduce_f64(me, &number, 1, JD_XOR) == JD_EINVAL &&
                 jd_allreduce_u64(me, NULL, 1, JD_SUM) == JD_EINVAL;
    ok_all(me, right && word_here == 5 && number == 5, "what makes no sense is refused");
}

/* No rank is more than one barrier ahead: a minimum after each would show it. */
static void test_barriers(jd_self *me)
{
    bool right = true;
    for (uint64_t i = 0; i < BARRIERS; i++) {
        uint64_t low = i, high = i;
        must(me, jd_barrier(me));
        must(me, jd_allreduce_u64(me, &low, 1, JD_MIN));
        must(me, jd_allreduce_u64(me, &high, 1, JD_MAX));
        right = right && low == i && high == i;
    }
    ok_all(me, right, "%d barriers", BARRIERS);
}

static void test_beside_tasks(jd_self *me)
{
    jd_coll *c;
    must(me, jd_coll_create(me, NULL, &c));
    for (int i = 0; i < SPINNERS; i++)
        must(me, jd_coll_add(me, c, SPIN, NULL, 0));
    must(me, jd_coll_start(me, c));
    bool right = true;
    for (int i = 0; i < 10; i++) {
        right = words_are_right(me, 50, JD_SUM) && right;
        must(me, jd_barrier(me));
    }
    must(me, jd_coll_wait(me, c));
    ok_all(me, right && adds_up(me, c, SPINNERS * (uint64_t)jd_nranks(me)),
           "reductions while tasks run");
    must(me, jd_coll_destroy(me, c));
}

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    test_sizes(me);
    test_refusals(me);
    test_barriers(me);
    test_beside_tasks(me);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
