/*
 * sched_data_copies_end_when_they_say.c
 *
 * Role: copies that nobody waits for are complete when their jd_done says so, and one that fails is
 *       told once; a put that has returned is seen by every task that starts as a consequence.
 * Owner: the body.
 * See: include/jackdaw.h, doc/data.md.
 */
#include "test/dist/sched_data_kit.h"

enum { SEER, PUTTER };
enum { MANY = 40, SEEN = 20 };

/* Starts after its spawner has put: must see it in its own memory. */
static void seer(jd_self *me, void *arg)
{
    const struct job j = *(const struct job *)arg;
    const unsigned char *mine = jd_mem_local(me, j.mem, NULL);
    if (!filled(mine + j.offset, 64, j.number))
        jd_abort(me, 98, "rank %u does not see put %u of rank %u", jd_rank(me), j.number,
                 j.from);
}

/* Its transfers belong to the finish. */
static void putter(jd_self *me, void *arg)
{
    const struct job j = *(const struct job *)arg;
    unsigned char bytes[64];
    fill(bytes, sizeof bytes, j.number);
    for (uint32_t r = 0; r < jd_nranks(me); r++)
        must(me, jd_put_nb(me, j.mem, r, j.offset, bytes, sizeof bytes, JD_IN_FINISH));
}

static const jd_task_def tasks[] = {
    [SEER] = JD_TASK(seer), [PUTTER] = JD_TASK(putter), JD_TASK_END};

static void test_under_way(jd_self *me)
{
    uint32_t n = jd_nranks(me);
    size_t each = 500;
    jd_mem mem = make(me, NULL, MANY * each * n);
    unsigned char *mine = jd_mem_local(me, mem, NULL), source[500];
    jd_done done = JD_DONE_INIT;
    ok_all(me, jd_done_test(&done) && !jd_done_wait(me, &done), "nothing is under way");
    for (uint32_t i = 0; i < MANY; i++) {
        fill(source, each, i);
        for (uint32_t r = 0; r < n; r++)
            must(me, jd_put_nb(me, mem, r, (jd_rank(me) * MANY + i) * each, source, each,
                               &done));
        memset(source, 0xee, each); /* it is ours again at once */
    }
    must(me, jd_done_wait(me, &done));
    ok_all(me, jd_done_test(&done), "%d puts at once are complete", MANY);
    must(me, jd_barrier(me));
    bool right = true;
    for (uint32_t i = 0; i < MANY * n; i++)
        right = right && filled(mine + i * each, each, i % MANY);
    ok_all(me, right, "and have brought what their sources held");
    unsigned char *back = space(me, MANY * each);
    for (uint32_t i = 0; i < MANY; i++)
        must(me, jd_get_nb(me, mem, i % n, i * each, back + i * each, each, &done));
    must(me, jd_copy_nb(me, mem, 0, 0, n - 1, 0, each, &done)); /* onto the same */
    while (!jd_done_test(&done))
        jd_yield(me);
    must(me, jd_done_wait(me, &done));
    for (uint32_t i = 0; i < MANY; i++)
        right = right && filled(back + i * each, each, i);
    ok_all(me, right, "gets too, without being waited for");
    if (n > 1) {
        must(me, jd_get_nb(me, mem, right_of(me, 1), 0, back, each, &done));
        must(me, jd_get_nb(me, mem, right_of(me, 1), MANY * each * n, back, 1, &done));
        must(me, jd_get_nb(me, mem, right_of(me, 1), 0, back, each, &done));
    }
    ok_all(me, jd_done_wait(me, &done) == (n > 1 ? JD_EINVAL : 0),
           "one of them may fail");
    ok_all(me, jd_done_wait(me, &done) == 0, "and is told once");
    free(back);
    must(me, jd_mem_destroy(me, mem));
}

static void test_visible(jd_self *me)
{
    uint32_t n = jd_nranks(me);
    jd_mem mem = make(me, NULL, (size_t)64 * SEEN * n);
    jd_scope scope;
    unsigned char bytes[64];
    must(me, jd_finish_begin(me, &scope));
    for (uint32_t i = 0; i < SEEN; i++)
        for (uint32_t r = 0; r < n; r++) {
            struct job j = {mem, jd_rank(me), i, 64 * ((uint64_t)jd_rank(me) * SEEN + i)};
            fill(bytes, sizeof bytes, i);
            must(me, jd_put(me, mem, r, j.offset, bytes, sizeof bytes));
            must(me, jd_async_at(me, r, SEER, &j, sizeof j));
        }
    must(me, jd_finish_end(me, &scope));
    ok_all(me, true, "a task that starts after a put sees it");
    must(me, jd_mem_destroy(me, mem));
}

static void test_in_finish(jd_self *me)
{
    uint32_t n = jd_nranks(me), next = right_of(me, 1);
    size_t each = 64;
    jd_mem mem = make(me, NULL, each * SEEN * n);
    unsigned char *mine = jd_mem_local(me, mem, NULL), *back = space(me, each * SEEN * n);
    jd_scope scope;
    must(me, jd_finish_begin(me, &scope));
    for (uint32_t i = 0; i < SEEN; i++) {
        struct job j = {mem, jd_rank(me), i, each * ((uint64_t)jd_rank(me) * SEEN + i)};
        must(me, jd_async(me, PUTTER, &j, sizeof j));
    }
    must(me, jd_finish_end(me, &scope));
    must(me, jd_barrier(me));
    bool right = true;
    for (uint32_t i = 0; i < SEEN * n; i++)
        right = right && filled(mine + i * each, each, i % SEEN);
    ok_all(me, right, "a finish waits for the transfers of its tasks");
    must(me, jd_finish_begin(me, &scope));
    must(me, jd_get_nb(me, mem, next, 0, back, each * SEEN * n, JD_IN_FINISH));
    must(me, jd_copy_nb(me, mem, 0, 0, n - 1, 0, each, JD_IN_FINISH)); /* onto the same */
    must(me, jd_finish_end(me, &scope));
    for (uint32_t i = 0; i < SEEN * n; i++)
        right = right && filled(back + i * each, each, i % SEEN);
    ok_all(me, right, "and for those of its body");
    ok_all(me, n == 1 || jd_get_nb(me, mem, next, 0, back, 1, JD_IN_FINISH) == JD_ESTATE,
           "outside of a finish there are none");
    must(me, jd_barrier(me));
    free(back);
    must(me, jd_mem_destroy(me, mem));
}

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    test_under_way(me);
    test_visible(me);
    test_in_finish(me);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
