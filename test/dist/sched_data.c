/*
 * sched_data.c
 *
 * Role: registered memory and copies between ranks: a put writes its bytes and no others, a get
 *       returns the bytes, and what is not allowed is refused.  Argument: how many tasks move
 *       data at once on each rank.
 * Owner: the body; each task has a range of its own on every rank.
 * Invariants: I1 the value of a byte follows from its place and its writer (pattern).
 *             I2 nobody writes the byte before an area and the byte after it.
 * See: include/jackdaw.h, doc/data.md.
 */
#include "sched/worker.h" /* how large a piece is here: no public call says it */
#include "test/dist/sched_kit.h"

enum { MOVER, SEER, ASKER };
enum {
    RANGE = 3000,
    LARGE = (3 << 20) + 77,
    MANY = 40,
    MEMS = 64,
    SEEN = 20,
    COPIED = 700,
    WINDOW = 16, /* pieces on their way: doc/data.md */
    PUTS = 0,    /* areas of test_pieces */
    SOURCE,
    COPIES,
    AREAS
};

struct job {
    jd_mem mem;
    uint32_t from, number;
    uint64_t offset;
};

static unsigned char pattern(uint64_t who, uint64_t i)
{
    uint64_t mix = (who * 1000003 + i) * UINT64_C(0x9E3779B97F4A7C15);
    return (unsigned char)(mix >> 56);
}

static void fill(unsigned char *p, size_t n, uint64_t who)
{
    for (size_t i = 0; i < n; i++)
        p[i] = pattern(who, i);
}

static bool filled(const unsigned char *p, size_t n, uint64_t who)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] != pattern(who, i))
            return false;
    return true;
}

static bool blank(const unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i])
            return false;
    return true;
}

static unsigned char *space(jd_self *me, size_t n)
{
    unsigned char *p = calloc(n ? n : 1, 1);
    if (!p)
        jd_abort(me, 99, "no memory for the test");
    return p;
}

static uint32_t right_of(jd_self *me, uint32_t by)
{
    return (jd_rank(me) + by) % jd_nranks(me);
}

static jd_mem make(jd_self *me, void *ptr, size_t size)
{
    jd_mem mem = {0};
    must(me, jd_mem_create(me, ptr, size, &mem));
    return mem;
}

/* ---- tasks -------------------------------------------------------------------------- */

/* Writes its range on every rank, some bytes of it at a time, and reads it again. */
static void mover(jd_self *me, void *arg)
{
    const struct job j = *(const struct job *)arg;
    unsigned char *mine = space(me, RANGE), *back = space(me, RANGE);
    uint64_t who = (uint64_t)j.from << 32 | j.number;
    fill(mine, RANGE, who);
    for (uint32_t r = 0; r < jd_nranks(me); r++) {
        for (uint64_t at = 0, n; at < RANGE; at += n) {
            n = 1 + pattern(who, at) * 7 % (RANGE - at);
            must(me, jd_put(me, j.mem, r, j.offset + at, mine + at, n));
        }
        memset(back, 0, RANGE);
        must(me, jd_get(me, j.mem, r, j.offset, back, RANGE));
        if (!filled(back, RANGE, who))
            jd_abort(me, 98, "task %u of rank %u reads something else", j.number, j.from);
    }
    free(mine);
    free(back);
}

/* Starts after its spawner has put: must see it in its own memory. */
static void seer(jd_self *me, void *arg)
{
    const struct job j = *(const struct job *)arg;
    const unsigned char *mine = jd_mem_local(me, j.mem, NULL);
    if (!filled(mine + j.offset, 64, j.number))
        jd_abort(me, 98, "rank %u does not see put %u of rank %u", jd_rank(me), j.number,
                 j.from);
}

/* What only the body may do. */
static void asker(jd_self *me, void *arg)
{
    const struct job j = *(const struct job *)arg;
    jd_mem fresh;
    if (jd_mem_create(me, NULL, 1, &fresh) != JD_ESTATE ||
        jd_mem_destroy(me, j.mem) != JD_ESTATE)
        jd_abort(me, 98, "a task may create or destroy memory");
}

static const jd_task_def tasks[] = {[MOVER] = JD_TASK(mover),
                                    [SEER] = JD_TASK(seer),
                                    [ASKER] = JD_TASK(asker),
                                    JD_TASK_END};

/* ---- tests -------------------------------------------------------------------------- */

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

static void test_tasks(jd_self *me, uint32_t ntasks)
{
    uint32_t nranks = jd_nranks(me);
    jd_mem mem = make(me, NULL, (size_t)RANGE * ntasks * nranks);
    jd_scope scope;
    must(me, jd_finish_begin(me, &scope));
    for (uint32_t i = 0; i < ntasks; i++) {
        struct job j = {mem, jd_rank(me), i,
                        ((uint64_t)jd_rank(me) * ntasks + i) * RANGE};
        must(me, jd_async(me, MOVER, &j, sizeof j));
    }
    must(me, jd_finish_end(me, &scope));
    must(me, jd_barrier(me));
    const unsigned char *mine = jd_mem_local(me, mem, NULL);
    bool right = true;
    for (uint32_t i = 0; i < ntasks * nranks; i++)
        right = right && filled(mine + (size_t)i * RANGE, RANGE,
                                (uint64_t)(i / ntasks) << 32 | i % ntasks);
    ok_all(me, right, "%u tasks on each rank put and get, each range is its task's",
           ntasks);
    must(me, jd_mem_destroy(me, mem));
}

static void test_large(jd_self *me)
{
    jd_mem mem = make(me, NULL, LARGE);
    unsigned char *buffer = space(me, LARGE), *mine = jd_mem_local(me, mem, NULL);
    uint32_t to = right_of(me, 1), from = right_of(me, jd_nranks(me) - 1);
    fill(buffer, LARGE, jd_rank(me));
    must(me, jd_put(me, mem, to, 0, buffer, LARGE));
    must(me, jd_barrier(me));
    ok_all(me, filled(mine, LARGE, from), "a put of %d bytes in pieces", LARGE);
    memset(buffer, 0, LARGE);
    must(me, jd_get(me, mem, to, 0, buffer, LARGE));
    ok_all(me, filled(buffer, LARGE, jd_rank(me)), "and a get");
    must(me, jd_barrier(me));
    /* Rank 1's part to the last rank, asked for by rank 0 alone. */
    uint32_t last = jd_nranks(me) - 1, second = jd_nranks(me) > 1;
    if (jd_rank(me) == 0)
        must(me, jd_copy(me, mem, second, 0, last, 0, LARGE));
    must(me, jd_barrier(me));
    ok_all(me, jd_rank(me) != last || filled(mine, LARGE, second ? 0 : from),
           "and a copy between two others");
    free(buffer);
    must(me, jd_mem_destroy(me, mem));
}

/* ---- around the ends of pieces ------------------------------------------------------- */

struct areas {
    jd_mem mem;
    uint64_t each; /* bytes of an area with its two guards */
    unsigned char *mine, *ours, *back;
};

static bool area_holds(const struct areas *a, int area, size_t n, uint64_t who)
{
    const unsigned char *p = a->ours + (uint64_t)area * a->each;
    return filled(p + 1, n, who) && blank(p, 1) &&
           blank(p + 1 + n, (size_t)a->each - 1 - n);
}

/* All ranks at once: a put to the right neighbour, a get from it, and a copy from it to the
 * next but one, which is the own rank where there are two. */
static bool moves(jd_self *me, struct areas *a, size_t n)
{
    uint32_t right = right_of(me, 1), two = right_of(me, 2), last = jd_nranks(me) - 1;
    uint64_t from = SOURCE * a->each + 1;
    jd_done done = JD_DONE_INIT;
    memset(a->ours + PUTS * a->each, 0, (size_t)a->each);
    memset(a->ours + COPIES * a->each, 0, (size_t)a->each);
    memset(a->back, 0, n + 1);
    must(me, jd_barrier(me));
    must(me, jd_get_nb(me, a->mem, right, from, a->back, n, &done));
    must(me, jd_put_nb(me, a->mem, right, PUTS * a->each + 1, a->mine, n, &done));
    must(me, jd_copy_nb(me, a->mem, right, from, two, COPIES * a->each + 1, n, &done));
    must(me, jd_done_wait(me, &done));
    bool got = filled(a->back, n, right) && blank(a->back + n, 1);
    must(me, jd_barrier(me));
    bool right_puts = area_holds(a, PUTS, n, 100 + right_of(me, last));
    return area_holds(a, COPIES, n, right_of(me, last)) && right_puts && got;
}

static void test_pieces(jd_self *me)
{
    size_t piece = me->rank->am->max_data, most = WINDOW * piece + 1;
    struct areas a = {.each = most + 2, .mine = space(me, most)};
    a.mem = make(me, NULL, (size_t)(AREAS * a.each));
    a.ours = jd_mem_local(me, a.mem, NULL);
    a.back = space(me, most + 1);
    fill(a.mine, most, 100 + jd_rank(me));
    fill(a.ours + SOURCE * a.each + 1, most, jd_rank(me));
    static const uint32_t pieces[] = {0, 1, 2, WINDOW - 1, WINDOW};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        size_t n = pieces[i] * piece;
        bool right = (!n || moves(me, &a, n - 1)) && moves(me, &a, n);
        right = moves(me, &a, n + 1) && right;
        ok_all(me, right, "%u pieces and a byte less or more, all ways at once",
               pieces[i]);
    }
    free(a.mine);
    free(a.back);
    must(me, jd_mem_destroy(me, a.mem));
}

/* Each rank in turn copies between all pairs; then a range to one that overlaps it. */
static void test_copy(jd_self *me)
{
    uint32_t n = jd_nranks(me);
    jd_mem mem = make(me, NULL, (size_t)COPIED * (n + 1) * n);
    unsigned char *mine = jd_mem_local(me, mem, NULL);
    bool right = true;
    for (uint32_t turn = 0; turn < n; turn++) {
        memset(mine, 0, (size_t)COPIED * (n + 1));
        fill(mine, COPIED, 7 + jd_rank(me));
        must(me, jd_barrier(me));
        for (uint32_t k = 0; turn == jd_rank(me) && k < n * n; k++)
            must(me, jd_copy(me, mem, k / n, 0, k % n, (k / n + 1) * COPIED, COPIED));
        must(me, jd_barrier(me));
        for (uint32_t r = 0; r < n; r++)
            right = right && filled(mine + (size_t)(r + 1) * COPIED, COPIED, 7 + r);
        must(me, jd_barrier(me));
    }
    ok_all(me, right, "any rank copies between any two");
    fill(mine, COPIED, jd_rank(me));
    must(me, jd_barrier(me));
    must(me, jd_copy(me, mem, right_of(me, 1), 0, right_of(me, 1), 3, COPIED));
    must(me, jd_barrier(me));
    ok_all(me, filled(mine + 3, COPIED, jd_rank(me)), "ranges that overlap too");
    must(me, jd_mem_destroy(me, mem));
}

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

/* ---- refusals ----------------------------------------------------------------------- */

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
    test_parts(me);
    test_tasks(me, argc > 1 ? (uint32_t)atol(argv[1]) : 10);
    test_large(me);
    test_pieces(me);
    test_copy(me);
    test_under_way(me);
    test_visible(me);
    test_ranges(me);
    test_names(me);
    test_many(me);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
