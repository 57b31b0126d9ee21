/*
 * sched_data_refuses_what_is_not_there.c
 *
 * Role: ranges, memory and ranks that are not there are refused, and nothing is written; a task may
 *       not do what only the body may.
 * Owner: the body.
 * See: include/jackdaw.h, doc/data.md.
 */
#include "test/dist/sched_data_kit.h"

enum { ASKER };

/* What only the body may do. */
static void asker(jd_self *me, void *arg)
{
    const struct job j = *(const struct job *)arg;
    jd_mem fresh;
    if (jd_mem_create(me, NULL, 1, &fresh) != JD_ESTATE ||
        jd_mem_destroy(me, j.mem) != JD_ESTATE)
        jd_abort(me, 98, "a task may create or destroy memory");
}

static const jd_task_def tasks[] = {[ASKER] = JD_TASK(asker), JD_TASK_END};

/* Ranges that are not there, each kind of call. */
static bool out_of_range(jd_self *me, jd_mem mem, uint32_t rank, uint64_t offset,
                         size_t n, unsigned char *bytes)
{
    uint32_t other = (rank + 1) % jd_nranks(me);
    return jd_put(me, mem, rank, offset, bytes, n) == JD_EINVAL &&
           jd_get(me, mem, rank, offset, bytes, n) == JD_EINVAL &&
           jd_copy(me, mem, rank, offset, other, 0, n) == JD_EINVAL &&
           jd_copy(me, mem, other, 0, rank, offset, n) == JD_EINVAL &&
           jd_copy(me, mem, rank, 0, rank, offset, n) == JD_EINVAL;
}

static void test_ranges(jd_self *me)
{
    enum { SIZE = 1 << 20 }; /* several pieces */
    uint32_t n = jd_nranks(me);
    jd_mem mem = make(me, NULL, SIZE);
    unsigned char *bytes = space(me, SIZE + 1);
    memset(bytes, 0xcc, SIZE + 1);
    bool refused = true;
    for (uint32_t r = 0; r < n; r++)
        refused = refused && out_of_range(me, mem, r, 1, SIZE, bytes) &&
                  out_of_range(me, mem, r, 0, SIZE + 1, bytes) &&
                  out_of_range(me, mem, r, SIZE + 1, 0, bytes) &&
                  out_of_range(me, mem, r, UINT64_MAX, 1, bytes) &&
                  out_of_range(me, mem, r, UINT64_MAX - 3, 8, bytes);
    ok_all(me, refused, "ranges that are not there are refused");
    ok_all(me, blank(jd_mem_local(me, mem, NULL), SIZE), "and nothing was written");
    bool fine = true;
    for (uint32_t r = 0; r < n; r++)
        fine = fine && !jd_put(me, mem, r, SIZE, NULL, 0) &&
               !jd_get(me, mem, r, 0, NULL, 0) && !jd_copy(me, mem, r, 0, r, SIZE, 0);
    ok_all(me, fine, "no bytes at the very end are a range");
    free(bytes);
    must(me, jd_mem_destroy(me, mem));
}

static void test_names(jd_self *me)
{
    uint32_t n = jd_nranks(me), word = 0;
    jd_mem none = {0}, gone = make(me, NULL, 8), mem = make(me, NULL, 8);
    must(me, jd_mem_destroy(me, gone));
    bool refused = true;
    for (uint32_t r = 0; r < n; r++)
        refused = refused && jd_put(me, none, r, 0, &word, 4) == JD_EINVAL &&
                  jd_get(me, gone, r, 0, &word, 4) == JD_EINVAL &&
                  jd_copy(me, gone, r, 0, 0, 0, 4) == JD_EINVAL &&
                  jd_put(me, mem, r, 0, NULL, 4) == JD_EINVAL;
    ok_all(me, refused, "memory that is not, or no longer, there is refused");
    ok_all(me,
           jd_put(me, mem, n, 0, &word, 4) == JD_EINVAL &&
               jd_get(me, mem, UINT32_MAX, 0, &word, 4) == JD_EINVAL &&
               jd_copy(me, mem, 0, 0, n, 0, 4) == JD_EINVAL &&
               jd_mem_destroy(me, gone) == JD_EINVAL && !jd_mem_local(me, gone, NULL),
           "ranks that are not there too");
    jd_scope scope;
    struct job j = {.mem = mem};
    must(me, jd_finish_begin(me, &scope));
    must(me, jd_async(me, ASKER, &j, sizeof j));
    must(me, jd_finish_end(me, &scope));
    ok_all(me, true, "only the body creates and destroys");
    must(me, jd_mem_destroy(me, mem));
}

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    test_ranges(me);
    test_names(me);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
