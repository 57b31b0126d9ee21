/*
 * sched_data_accumulates_lose_nothing.c
 *
 * Role: whatever tasks of whatever ranks add to the same elements at a time, each element has the sum
 *       afterwards; a range that is refused has nothing.  Argument: how many tasks add on each rank.
 * Owner: the body; elements belong to whoever adds until all know that the adding is over.
 * Invariants: I1 all that is added is a whole number, and so are the sums: they are exact.
 * See: include/jackdaw.h, doc/data.md.
 */
#include "sched/worker.h" /* how large a piece is here: no public call says it */
#include "test/dist/sched_data_kit.h"

#include <math.h>

enum { ADDER, LATE };
enum { ELEMENTS = 40, WAYS = 3, WINDOW = 16, LATE_TASKS = 30 };

static double *doubles(jd_self *me, size_t n)
{
    return (double *)(void *)space(me, n * sizeof(double));
}

static double *own_part(jd_self *me, jd_mem mem)
{
    return jd_mem_local(me, mem, NULL);
}

/* Adds 1, 2, 3, ... to the elements of every rank, in each way that there is. */
static void adder(jd_self *me, void *arg)
{
    const struct job j = *(const struct job *)arg;
    double more[ELEMENTS];
    jd_done done = JD_DONE_INIT;
    for (int i = 0; i < ELEMENTS; i++)
        more[i] = i + 1;
    for (uint32_t r = 0; r < jd_nranks(me); r++) {
        must(me, jd_accumulate(me, j.mem, r, 0, more, ELEMENTS));
        must(me, jd_accumulate_nb(me, j.mem, r, 0, more, ELEMENTS, &done));
        for (int i = 0; i < ELEMENTS; i++)
            must(me, jd_accumulate_nb(me, j.mem, r, 8 * (uint64_t)i, &more[i], 1,
                                      JD_IN_FINISH));
    }
    memset(more, 0, sizeof more); /* the transfers have copies */
    must(me, jd_done_wait(me, &done));
}

/* Adds 1 if it runs, and says that it did. */
static void late(jd_self *me, void *arg)
{
    const struct job j = *(const struct job *)arg;
    _Atomic uint64_t *ran = jd_local(me);
    for (uint32_t r = 0; r < jd_nranks(me); r++)
        must(me, jd_accumulate_nb(me, j.mem, r, 0, (double[]){1}, 1, JD_IN_FINISH));
    atomic_fetch_add(ran, 1);
    if (j.number == 3)
        must(me, jd_cancel(me, jd_finish_mine(me)));
    while (j.number == 3 && !jd_cancelled(me))
        jd_yield(me);
}

static const jd_task_def tasks[] = {
    [ADDER] = JD_TASK(adder), [LATE] = JD_TASK(late), JD_TASK_END};

static void test_tasks(jd_self *me, uint32_t ntasks)
{
    jd_mem mem = make(me, NULL, ELEMENTS * sizeof(double));
    jd_scope scope;
    must(me, jd_finish_begin(me, &scope));
    struct job j = {.mem = mem};
    for (uint32_t i = 0; i < ntasks; i++)
        must(me, jd_async(me, ADDER, &j, sizeof j));
    must(me, jd_finish_end(me, &scope));
    must(me, jd_barrier(me));
    bool right = true;
    for (int i = 0; i < ELEMENTS; i++)
        right = right &&
                own_part(me, mem)[i] == (double)WAYS * ntasks * jd_nranks(me) * (i + 1);
    ok_all(me, right, "%u tasks on each rank add to the same elements", ntasks);
    must(me, jd_mem_destroy(me, mem));
}

/* All ranks add n elements, of which the first and the last of the part are none, to each rank. */
static bool adds(jd_self *me, jd_mem mem, size_t n, size_t all, const double *more)
{
    double *mine = own_part(me, mem);
    jd_done done = JD_DONE_INIT;
    bool right = true;
    memset(mine, 0, all * sizeof *mine);
    must(me, jd_barrier(me));
    for (uint32_t r = 0; r < jd_nranks(me); r++)
        must(me, jd_accumulate_nb(me, mem, r, 8, more, n, &done));
    must(me, jd_done_wait(me, &done));
    must(me, jd_barrier(me));
    for (size_t i = 0; i < n; i++)
        right = right && mine[1 + i] == more[i] * jd_nranks(me);
    right = right && mine[0] == 0 && mine[1 + n] == 0;
    must(me, jd_barrier(me));
    return right;
}

static void test_pieces(jd_self *me)
{
    size_t piece = me->rank->am->max_data / sizeof(double), all = WINDOW * piece + 3;
    jd_mem mem = make(me, NULL, all * sizeof(double));
    double *more = doubles(me, all);
    for (size_t i = 0; i < all; i++)
        more[i] = (double)(1 + i % 1000003);
    static const uint32_t pieces[] = {0, 1, 2, WINDOW};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        size_t n = pieces[i] * piece;
        bool right =
            (!n || adds(me, mem, n - 1, all, more)) && adds(me, mem, n, all, more);
        right = adds(me, mem, n + 1, all, more) && right;
        ok_all(me, right, "%u pieces and a double less or more", pieces[i]);
    }
    own_part(me, mem)[0] = INFINITY;
    must(me, jd_barrier(me));
    must(me, jd_accumulate(me, mem, right_of(me, 1), 0, (double[]){-INFINITY}, 1));
    must(me, jd_accumulate(me, mem, right_of(me, 1), 0, (double[]){1}, 1));
    must(me, jd_barrier(me));
    ok_all(me, isnan(own_part(me, mem)[0]), "what is no number is added to as well");
    free(more);
    must(me, jd_mem_destroy(me, mem));
}

static void test_refusals(jd_self *me)
{
    enum { SIZE = 1 << 17 }; /* several pieces */
    size_t bytes = SIZE * sizeof(double);
    double *more = doubles(me, SIZE + 1);
    unsigned char *crooked = space(me, 1 + 16);
    jd_mem mem = make(me, NULL, bytes), none = {0}, odd = make(me, crooked + 1, 16);
    bool refused = true;
    for (size_t i = 0; i <= SIZE; i++)
        more[i] = 1;
    for (uint32_t r = 0; r < jd_nranks(me); r++)
        refused = refused && jd_accumulate(me, mem, r, 8, more, SIZE) == JD_EINVAL &&
                  jd_accumulate(me, mem, r, 0, more, SIZE + 1) == JD_EINVAL &&
                  jd_accumulate(me, mem, r, bytes + 8, more, 0) == JD_EINVAL &&
                  jd_accumulate(me, mem, r, UINT64_MAX - 7, more, 1) == JD_EINVAL &&
                  jd_accumulate(me, mem, r, 0, more, SIZE_MAX / 8 + 2) == JD_EINVAL &&
                  jd_accumulate(me, mem, r, 0, NULL, 1) == JD_EINVAL &&
                  jd_accumulate(me, none, r, 0, more, 1) == JD_EINVAL &&
                  jd_accumulate(me, mem, jd_nranks(me) + r, 0, more, 1) == JD_EINVAL;
    ok_all(me, refused, "ranges that are not there are refused");
    for (uint32_t r = 0; r < jd_nranks(me); r++)
        for (uint64_t at = 1; at < 8; at++)
            refused = refused && jd_accumulate(me, mem, r, at, more, 1) == JD_EINVAL;
    for (uint32_t r = 0; r < jd_nranks(me); r++)
        refused = refused && jd_accumulate(me, odd, r, 0, more, 1) == JD_EINVAL;
    ok_all(me, refused, "and what does not lie as doubles do");
    must(me, jd_barrier(me));
    ok_all(me, blank(jd_mem_local(me, mem, NULL), bytes) && blank(crooked, 17),
           "and nothing was added");
    ok_all(me, jd_accumulate(me, mem, 0, bytes, NULL, 0) == 0, "to add none is no error");
    must(me, jd_mem_destroy(me, odd));
    must(me, jd_mem_destroy(me, mem));
    free(crooked);
    free(more);
}

static void test_cancelled(jd_self *me)
{
    _Atomic uint64_t ran = 0;
    jd_mem mem = make(me, NULL, sizeof(double));
    jd_scope scope;
    jd_set_local(me, &ran);
    must(me, jd_barrier(me));
    must(me, jd_finish_begin(me, &scope));
    for (uint32_t i = 0; i < LATE_TASKS; i++) {
        struct job j = {.mem = mem, .number = i};
        must(me, jd_async(me, LATE, &j, sizeof j));
    }
    int ended = jd_finish_end(me, &scope);
    must(me, jd_barrier(me));
    ok_all(me, ended == JD_ECANCELED, "a finish whose tasks add is cancelled");
    uint64_t all = sum_of(me, ran);
    ok_all(me, own_part(me, mem)[0] == (double)all,
           "what its tasks had begun to add is there");
    must(me, jd_mem_destroy(me, mem));
}

static int body(jd_self *me, int argc, char **argv)
{
    test_tasks(me, argc > 1 ? (uint32_t)atol(argv[1]) : 10);
    test_pieces(me);
    test_refusals(me);
    test_cancelled(me);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
