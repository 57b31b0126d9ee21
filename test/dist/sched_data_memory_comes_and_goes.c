/*
 * sched_data_memory_comes_and_goes.c
 *
 * Role: each rank has its own part of registered memory, which is there from create to destroy; as
 *       many as are allowed may be there at once, and another one takes the place of one that went.
 * Owner: the body.
 * See: include/jackdaw.h, doc/data.md.
 */
#include "test/dist/sched_data_kit.h"

enum { MEMS = 64 };

static const jd_task_def tasks[] = {JD_TASK_END};

static void test_parts(jd_self *me)
{
    uint64_t words[4] = {jd_rank(me), 1, 2, 3};
    size_t size = 0, n = 1000 * (size_t)jd_rank(me);
    jd_mem given = make(me, words, sizeof words), own = make(me, NULL, n);
    ok_all(me, jd_mem_local(me, given, &size) == words && size == sizeof words,
           "memory of the program is where it was");
    unsigned char *mine = jd_mem_local(me, own, &size);
    ok_all(me, mine && size == n && blank(mine, n),
           "the library's is zeroed, of any size");
    uint64_t got = 99;
    must(me, jd_get(me, given, right_of(me, 1), 0, &got, sizeof got));
    ok_all(me, got == right_of(me, 1), "each rank has its own part");
    must(me, jd_mem_destroy(me, given));
    must(me, jd_mem_destroy(me, own));
}

static void test_many(jd_self *me)
{
    jd_mem mem[MEMS], more;
    for (int i = 0; i < MEMS; i++)
        mem[i] = make(me, NULL, 16);
    ok_all(me, jd_mem_create(me, NULL, 16, &more) == JD_ENOMEM, "no more than %d", MEMS);
    must(me, jd_mem_destroy(me, mem[5]));
    more = make(me, NULL, 8);
    uint64_t word = jd_rank(me), got = 99;
    must(me, jd_put(me, more, right_of(me, 1), 0, &word, sizeof word));
    must(me, jd_barrier(me));
    must(me, jd_get(me, more, right_of(me, 1), 0, &got, sizeof got));
    ok_all(me, got == word && jd_get(me, mem[5], 0, 0, &got, 8) == JD_EINVAL,
           "one that takes another's place is not the other");
    must(me, jd_mem_destroy(me, more));
    for (int i = 0; i < MEMS; i++)
        if (i != 5 && i != 6) /* one is left to the end of the job */
            must(me, jd_mem_destroy(me, mem[i]));
    /* A rank that cannot fails on all, and nothing is left of it. */
    size_t huge = jd_rank(me) == jd_nranks(me) - 1 ? SIZE_MAX : 8;
    ok_all(me, jd_mem_create(me, NULL, huge, &more) == JD_ENOMEM,
           "no memory on one rank");
    more = make(me, NULL, 8);
    must(me, jd_mem_destroy(me, more));
}

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    test_parts(me);
    test_many(me);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
