/*
 * sched_data_copies_bring_every_byte.c
 *
 * Role: a put writes its bytes and no others, a get returns them, and a copy brings them from any
 *       rank to any other, by tasks and bodies, of every size around the ends of pieces.  Argument:
 *       how many tasks move data at once on each rank.
 * Owner: the body; each task has a range of its own on every rank.
 * Invariants: I1 of sched_data_kit.h.
 *             I2 nobody writes the byte before an area and the byte after it.
 * See: include/jackdaw.h, doc/data.md.
 */
#include "sched/worker.h" /* how large a piece is here: no public call says it */
#include "test/dist/sched_data_kit.h"

enum { MOVER };
enum {
    RANGE = 3000,
    LARGE = (3 << 20) + 77,
    COPIED = 700,
    WINDOW = 16, /* pieces on their way: doc/data.md */
    PUTS = 0,    /* areas of test_pieces */
    SOURCE,
    COPIES,
    AREAS
};

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

static const jd_task_def tasks[] = {[MOVER] = JD_TASK(mover), JD_TASK_END};

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

static int body(jd_self *me, int argc, char **argv)
{
    test_tasks(me, argc > 1 ? (uint32_t)atol(argv[1]) : 10);
    test_large(me);
    test_pieces(me);
    test_copy(me);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
