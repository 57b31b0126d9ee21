/*
 * sched_finish_brings_every_argument.c
 *
 * Role: all calls that spawn inside a finish: tasks run where they were sent, with what they were
 *       given: large arguments, ranges, and arguments with hooks.
 * Owner: as sched_finish_kit.h.
 * See: doc/async.md.
 */
#include "test/dist/sched_finish_kit.h"

enum { LOCAL = OWN, BIG, RANGE };
enum { BIG_BYTES = 5000, RANGE_N = 5000, BOXES = 40 };

/* Stays at home, and so do its children. */
static void local(jd_self *me, void *arg)
{
    uint32_t *word = arg, rank = word[0], depth = word[1];
    complain(me, rank == jd_rank(me) && (uintptr_t)arg % 16 == 0);
    note(me, depth);
    for (uint32_t i = 0; depth && i < 2; i++)
        must(me, jd_async_local(me, LOCAL, (uint32_t[]){rank, depth - 1}, 8));
}

static void fill(unsigned char *to, uint64_t seed)
{
    for (size_t i = 0; i < BIG_BYTES; i++)
        to[i] = (unsigned char)(seed * 7 + i);
}

static void big(jd_self *me, void *arg)
{
    unsigned char want[BIG_BYTES], *got = arg;
    fill(want, got[0] * UINT64_C(183)); /* 183 * 7 is 1 modulo 256 */
    complain(me, !memcmp(want, got, BIG_BYTES) && (uintptr_t)arg % 16 == 0);
    note(me, 1);
}

static void range(jd_self *me, void *arg)
{
    const jd_range *r = arg;
    complain(me,
             *(uint64_t *)r->arg == 4711 && r->end > r->begin && r->end - r->begin <= 7);
    for (int64_t i = r->begin; i < r->end; i++)
        note(me, (uint64_t)i);
}

static const jd_task_def tasks[] = {SHARED_TASKS, [LOCAL] = JD_TASK(local),
                                    [BIG] = JD_TASK(big), [RANGE] = JD_TASK(range),
                                    JD_TASK_END};

static void test_places(jd_self *me)
{
    jd_scope s;
    uint32_t n = jd_nranks(me), mine = jd_rank(me);
    must(me, jd_finish_begin(me, &s));
    for (uint32_t i = 0; i < 20 * n; i++)
        must(me, jd_async_at(me, i % n, MARK, &(uint32_t){i % n}, 4));
    must(me, jd_async_local(me, LOCAL, (uint32_t[]){mine, 6}, 8));
    must(me, jd_finish_end(me, &s));
    uint64_t at = 20 * (uint64_t)n * n, below = 0;
    for (uint64_t d = 0; d <= 6; d++)
        below += d << (6 - d);
    ok_all(me, ran(me, at + n * heap_nodes(6), at + n * below), "tasks at a rank");
    ok_all(me, !atomic_load(&here(me)->wrong), "ran there");
}

static void test_big(jd_self *me)
{
    unsigned char bytes[BIG_BYTES];
    jd_scope s;
    uint32_t n = jd_nranks(me);
    must(me, jd_finish_begin(me, &s));
    for (uint32_t i = 0; i < 30; i++) {
        fill(bytes, i);
        must(me, i % 3 ? jd_async(me, BIG, bytes, sizeof bytes)
                       : jd_async_at(me, i % n, BIG, bytes, sizeof bytes));
    }
    must(me, jd_finish_end(me, &s));
    ok_all(me, ran(me, 30 * (uint64_t)n, 30 * (uint64_t)n), "large arguments");
    ok_all(me, !atomic_load(&here(me)->wrong), "arrive whole");
}

static void test_range(jd_self *me)
{
    jd_scope s;
    uint64_t n = jd_nranks(me), word = 4711;
    must(me, jd_finish_begin(me, &s));
    must(me, jd_forasync(me, RANGE, 0, RANGE_N, 7, &word, sizeof word));
    must(me, jd_forasync(me, RANGE, 5, 5, 7, &word, sizeof word));
    must(me, jd_finish_end(me, &s));
    ok_all(me, ran(me, n * RANGE_N, n * RANGE_N * (RANGE_N - 1) / 2),
           "every number of a range");
    ok_all(me, !atomic_load(&here(me)->wrong), "in pieces of at most the grain");
}

static void test_hooks(jd_self *me)
{
    jd_scope s;
    uint64_t n = jd_nranks(me);
    must(me, jd_finish_begin(me, &s));
    for (uint64_t i = 0; i < BOXES; i++) {
        uint64_t *b = new_box(me, i);
        must(me, i % 2 ? jd_async(me, BOX, &b, sizeof b)
                       : jd_async_at(me, (uint32_t)(i % n), BOX, &b, sizeof b));
    }
    must(me, jd_finish_end(me, &s));
    ok_all(me, ran(me, n * BOXES, n * BOXES * (BOXES - 1) / 2),
           "arguments with hooks travel");
}

static int body(jd_self *me, int argc, char **argv)
{
    struct here *mine = begin_counting(me);
    (void)argc, (void)argv;
    test_places(me);
    test_big(me);
    test_range(me);
    test_hooks(me);
    end_counting(me, mine);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
