/*
 * sched_ranges.c - ranges whose argument owns memory: each half owns and frees its own copy.
 *
 * Role: jd_forasync of a task with hooks.  Every number runs once, each piece sees the whole
 *       argument, and every argument is freed; in pieces that only compute, in pieces that spawn,
 *       in cancelled and in empty ranges.
 * Owner: each row of a tally belongs to a worker; the rest is the body's.
 * Invariants: I1 every argument is a heap block, counted when it is made and when it is freed.
 *             I2 each process counts its own blocks, and the count of every process returns to 0.
 * See: doc/async.md "Ranges"; test/dist/sched_async.sh, test/sim/sched_async_under_every_law.sh.
 *
 *     sched_ranges [TIMES]     (2)
 */
#include "test/dist/sched_kit.h"

enum { LEND, BIG, MARK };
enum { N = 3000, GRAIN = 7, QUIET = 4711, SPAWNS, CANCELS, FULL = 5000 };

/* One per rank, found by its number: ranks may share a process. */
struct here {
    struct tally tally;
    _Atomic uint64_t wrong, marks;
};
static struct here *table[64];
static _Atomic int64_t boxes;
static _Atomic uint64_t made;

static struct here *here(const jd_self *me)
{
    return table[jd_rank(me) % 64];
}

/* ---- the argument: a pointer to a box, and, of the large one, bytes behind it ------------ */

struct box {
    uint64_t value;
    uint64_t again;
};

static struct box *new_box(uint64_t value)
{
    struct box *b = malloc(sizeof *b);
    if (!b)
        abort();
    *b = (struct box){value, ~value};
    atomic_fetch_add(&boxes, 1);
    atomic_fetch_add(&made, 1);
    return b;
}

static size_t box_size(const void *arg)
{
    (void)arg;
    return sizeof(uint64_t);
}

static void box_drop(void *arg)
{
    struct box *b = *(struct box **)arg;
    *b = (struct box){0, 0};
    free(b);
    atomic_fetch_sub(&boxes, 1);
}

static void box_pack(void *arg, void *to)
{
    memcpy(to, &(*(struct box **)arg)->value, sizeof(uint64_t));
    box_drop(arg);
}

static void box_unpack(void *arg, const void *from, size_t n)
{
    uint64_t value;
    if (n != sizeof value)
        abort();
    memcpy(&value, from, n);
    *(struct box **)arg = new_box(value);
}

/* The same with FULL bytes of 'x' behind the pointer, which are not packed. */
static void big_unpack(void *arg, const void *from, size_t n)
{
    box_unpack(arg, from, n);
    memset((char *)arg + sizeof(struct box *), 'x', FULL - sizeof(struct box *));
}

static const jd_task_hooks box_hooks = {box_size, box_pack, box_unpack, box_drop};
static const jd_task_hooks big_hooks = {box_size, box_pack, big_unpack, box_drop};

/* ---- tasks -------------------------------------------------------------------------- */

static void check(jd_self *me, const struct box *b)
{
    if (b->value < QUIET || b->value > CANCELS || b->again != ~b->value)
        atomic_fetch_add(&here(me)->wrong, 1);
}

static void lend(jd_self *me, void *arg)
{
    const jd_range *r = arg;
    const struct box *b = *(struct box **)r->arg;
    check(me, b);
    for (int64_t i = r->begin; i < r->end; i++)
        tally_note(me, &here(me)->tally, (uint64_t)i);
    jd_compute(me, 500);
    if (b->value == SPAWNS)
        must(me, jd_async(me, MARK, NULL, 0));
    if (b->value == CANCELS && r->begin <= N / 2 && r->end > N / 2) {
        must(me, jd_cancel(me, jd_finish_mine(me)));
        while (!jd_cancelled(me)) /* or the finish might end before it hears of it */
            jd_yield(me);
    }
    check(me, b); /* it is still there */
}

static void big(jd_self *me, void *arg)
{
    const char *bytes = ((jd_range *)arg)->arg;
    for (size_t i = sizeof(struct box *); i < FULL; i++)
        if (bytes[i] != 'x')
            atomic_fetch_add(&here(me)->wrong, 1);
    lend(me, arg);
}

static void mark(jd_self *me, void *arg)
{
    (void)arg;
    atomic_fetch_add(&here(me)->marks, 1);
}

static const jd_task_def tasks[] = {[LEND] = JD_TASK_WITH(lend, &box_hooks),
                                    [BIG] = JD_TASK_WITH(big, &big_hooks),
                                    [MARK] = JD_TASK(mark),
                                    JD_TASK_END};

/* ---- tests -------------------------------------------------------------------------- */

/* A range with numbers and one without, in a finish on each rank. */
static int run(jd_self *me, jd_task task, uint64_t value)
{
    char arg[FULL];
    size_t size = task == BIG ? FULL : sizeof(struct box *);
    jd_scope s;
    memset(arg, 'x', sizeof arg);
    must(me, jd_finish_begin(me, &s));
    for (int64_t begin = 0; begin <= N; begin += N) {
        struct box *b = new_box(value);
        memcpy(arg, &b, sizeof b);
        must(me, jd_forasync(me, task, begin, N, GRAIN, arg, size));
    }
    int error = jd_finish_end(me, &s);
    must(me, jd_barrier(me));
    return error;
}

static bool ran_once(jd_self *me)
{
    struct tally_row row = tally_take(me, &here(me)->tally);
    uint64_t got[2] = {row.ran, row.sum}, n = (uint64_t)N * jd_nranks(me);
    must(me, jd_allreduce_u64(me, got, 2, JD_SUM));
    return got[0] == n && got[1] == n * (N - 1) / 2;
}

static void all_right(jd_self *me, const char *what)
{
    ok_all(me, !atomic_load(&here(me)->wrong), "%s: arguments are whole", what);
    ok_all(me, atomic_load(&boxes) == 0, "%s: nothing is left of them", what);
}

static void test_all(jd_self *me)
{
    must(me, run(me, LEND, QUIET));
    ok_all(me, ran_once(me), "each number once");
    all_right(me, "quiet pieces");
    must(me, run(me, LEND, SPAWNS));
    ok_all(me, ran_once(me), "each number once");
    uint64_t least = (N + GRAIN - 1) / GRAIN * (uint64_t)jd_nranks(me);
    ok_all(me, sum_of(me, atomic_exchange(&here(me)->marks, 0)) >= least,
           "a task from each piece");
    all_right(me, "pieces that spawn");
    must(me, run(me, BIG, QUIET));
    ok_all(me, ran_once(me), "each number once");
    all_right(me, "large arguments");
    ok_all(me, run(me, LEND, CANCELS) == JD_ECANCELED, "a finish is cancelled");
    tally_take(me, &here(me)->tally);
    all_right(me, "cancelled");
}

static int body(jd_self *me, int argc, char **argv)
{
    struct here *mine = calloc(1, sizeof *mine);
    if (!mine)
        return 1;
    table[jd_rank(me) % 64] = mine;
    must(me, jd_barrier(me));
    for (long i = argc > 1 ? atol(argv[1]) : 2; i > 0; i--)
        test_all(me);
    if (jd_rank(me) == 0)
        diag("%llu arguments were made here", (unsigned long long)atomic_load(&made));
    must(me, jd_barrier(me));
    free(mine);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
