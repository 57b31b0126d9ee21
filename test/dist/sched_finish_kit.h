/*
 * sched_finish_kit.h - what the programs that test finishes share.
 *
 * Role: a count of what ran on each rank; trees of tasks, boxes with hooks, tasks without end.
 * Owner: each row of a tally belongs to a worker; the rest is the body's.
 * Invariants: I1 every rank runs the same tests in the same order.
 * See: doc/async.md; test/dist/sched_kit.h.
 */
#ifndef JDI_TEST_DIST_SCHED_FINISH_KIT_H
#define JDI_TEST_DIST_SCHED_FINISH_KIT_H

#include "test/dist/sched_kit.h"

/* Rows of every program's table; the first that is its own. */
enum { TREE, MARK, BOX, STOP, SPIN, OWN };

/* One per rank, found by its number: ranks may share a process. */
struct here {
    struct tally tally;
    _Atomic uint64_t wrong;
};
static struct here *table[64];

static inline struct here *here(const jd_self *me)
{
    return table[jd_rank(me) % 64];
}

static inline void note(jd_self *me, uint64_t number)
{
    tally_note(me, &here(me)->tally, number);
}

static inline void complain(jd_self *me, bool right)
{
    if (!right)
        atomic_fetch_add(&here(me)->wrong, 1);
}

/* This rank's count, from here to the end of the job.  Collective. */
static inline struct here *begin_counting(jd_self *me)
{
    struct here *mine = calloc(1, sizeof *mine);
    if (!mine)
        jd_abort(me, 99, "no memory");
    table[jd_rank(me) % 64] = mine;
    must(me, jd_barrier(me));
    return mine;
}

static inline void end_counting(jd_self *me, struct here *mine)
{
    ok_all(me, !atomic_load(&mine->wrong), "no task has complained");
    must(me, jd_barrier(me));
    free(mine);
}

/* What ran on all ranks since the last time is n tasks with these numbers in sum. */
static inline bool ran(jd_self *me, uint64_t n, uint64_t sum)
{
    must(me, jd_barrier(me)); /* the finishes of the other ranks are over too */
    struct tally_row row = tally_take(me, &here(me)->tally);
    uint64_t got[2] = {row.ran, row.sum};
    must(me, jd_allreduce_u64(me, got, 2, JD_SUM));
    if (got[0] != n || got[1] != sum)
        fprintf(stderr, "# ran %llu of %llu, sum %llu of %llu\n",
                (unsigned long long)got[0], (unsigned long long)n,
                (unsigned long long)got[1], (unsigned long long)sum);
    return got[0] == n && got[1] == sum;
}

/* ---- trees -------------------------------------------------------------------------- */

/* The nodes of a heap; two kinds of argument passing. */
static inline void tree(jd_self *me, void *arg)
{
    uint64_t *node = arg, depth = node[0], name = node[1];
    note(me, name);
    complain(me, !jd_coll_mine(me));
    if (!depth)
        return;
    must(me, jd_async(me, TREE, (uint64_t[]){depth - 1, 2 * name}, 16));
    uint64_t *next = jd_async_inplace(me, TREE, 16);
    if (!next)
        jd_abort(me, 99, "no memory");
    next[0] = depth - 1;
    next[1] = 2 * name + 1;
}

static inline void mark(jd_self *me, void *arg)
{
    uint32_t rank = *(uint32_t *)arg;
    complain(me, rank == jd_rank(me));
    note(me, 1);
}

static inline uint64_t heap_nodes(uint64_t depth)
{
    return (UINT64_C(2) << depth) - 1;
}
static inline uint64_t heap_sum(uint64_t depth)
{
    uint64_t n = heap_nodes(depth);
    return n * (n + 1) / 2;
}

static inline void spawn_tree(jd_self *me, void *arg)
{
    uint64_t depth = *(uint64_t *)arg;
    must(me, jd_async(me, TREE, (uint64_t[]){depth, 1}, 16));
}

/* ---- boxes -------------------------------------------------------------------------- */

/* An argument that is a pointer to a heap block with a number. */
static inline size_t box_size(const void *arg)
{
    (void)arg;
    return sizeof(uint64_t);
}

static inline void box_pack(void *arg, void *to)
{
    uint64_t **box = arg;
    memcpy(to, *box, sizeof **box);
    free(*box);
}

static inline void box_unpack(void *arg, const void *from, size_t n)
{
    uint64_t **box = arg;
    *box = malloc(n);
    if (*box)
        memcpy(*box, from, n);
}

static inline void box_drop(void *arg)
{
    free(*(uint64_t **)arg);
}

static const jd_task_hooks box_hooks = {box_size, box_pack, box_unpack, box_drop};

static inline uint64_t *new_box(jd_self *me, uint64_t value)
{
    uint64_t *box = malloc(sizeof *box);
    if (!box)
        jd_abort(me, 99, "no memory");
    *box = value;
    return box;
}

static inline void box(jd_self *me, void *arg)
{
    uint64_t *mine = *(uint64_t **)arg;
    note(me, *mine);
    free(mine);
}

/* ---- tasks without end --------------------------------------------------------------- */

/* Cancels; without it the others would go on for ever. */
static inline void stop(jd_self *me, void *arg)
{
    (void)arg;
    must(me, jd_cancel(me, jd_finish_mine(me)));
}

static inline void spin(jd_self *me, void *arg)
{
    uint64_t round = *(uint64_t *)arg + 1;
    note(me, 1);
    if (jd_cancelled(me))
        return;
    must(me, jd_async(me, SPIN, &round, sizeof round));
    if (round % 64)
        return; /* or the network would drown in them */
    uint64_t *b = new_box(me, 1);
    must(me, jd_async_at(me, (jd_rank(me) + 1) % jd_nranks(me), BOX, &b, sizeof b));
}

#define SHARED_TASKS                                                                     \
    [TREE] = JD_TASK(tree), [MARK] = JD_TASK(mark),                                      \
    [BOX] = JD_TASK_WITH(box, &box_hooks), [STOP] = JD_TASK(stop),                       \
    [SPIN] = JD_TASK(spin)

#endif
