/*
 * sched_waiting_on_a_stack_of_its_own.c
 *
 * Role: a task whose row asks for a stack has that much, whatever JACKDAW_STACK_SIZE is: in a
 *       collection, in finishes inside each other, and in a range; also after it has waited, on
 *       whatever worker.
 * Owner: as sched_waiting_kit.h.
 * See: jd_task_def in jackdaw.h, sched/ownstack.c.
 */
#include "test/dist/sched_waiting_kit.h"

#include <errno.h>

enum { DEEP, LIGHT, TREE, PIECE };
enum {
    DEEP_STACK = 1 << 20, /* more than each JACKDAW_STACK_SIZE of the tests */
    FRAME = 16 << 10,
    LEVELS = 40,    /* frames of a deep task */
    DEEPS = 8,      /* such tasks at once, on each rank */
    LIGHTS = 50,    /* that have no such row */
    TREE_DEPTH = 4, /* finishes inside each other */
    PIECES = 64
};

/* A page of a frame: written before the wait, read after it. */
static void fill(volatile unsigned char *frame, size_t bytes, unsigned char with)
{
    for (size_t i = 0; i < bytes; i += 1024)
        frame[i] = (unsigned char)(with + i / 1024);
}

static bool is_filled(const volatile unsigned char *frame, size_t bytes,
                      unsigned char with)
{
    for (size_t i = 0; i < bytes; i += 1024)
        if (frame[i] != (unsigned char)(with + i / 1024))
            return false;
    return true;
}

static void wrong_if(struct shared *s, bool wrong)
{
    if (wrong)
        atomic_fetch_add_explicit(&s->moved, 1, memory_order_relaxed);
}

static __attribute__((noinline)) void descend(jd_self *me, struct shared *s, int level)
{
    volatile unsigned char frame[FRAME];
    fill(frame, FRAME, (unsigned char)level);
    if (level)
        descend(me, s, level - 1);
    else
        park_once(me, s);
    wrong_if(s, !is_filled(frame, FRAME, (unsigned char)level));
}

/* Functions of their own, because a compiler may keep the address of errno across a wait. */
static __attribute__((noinline)) void set_errno(int to)
{
    errno = to;
}

static __attribute__((noinline)) int get_errno(void)
{
    return errno;
}

static void deep(jd_self *me, void *arg)
{
    struct shared *s = shared_of(me);
    uint64_t number = *(const uint64_t *)arg;
    set_errno((int)number + 1);
    descend(me, s, LEVELS);
    wrong_if(s, get_errno() != (int)number + 1 || *(const uint64_t *)arg != number);
    atomic_fetch_add_explicit(&s->done, 1, memory_order_relaxed);
}

static void branch(jd_self *me, void *arg)
{
    int below = *(const int *)arg - 1;
    for (int i = 0; i < 2; i++)
        must(me, jd_async(me, TREE, &below, sizeof below));
}

/* Half of the stack, then a finish, which runs other such tasks on this one or elsewhere. */
static void tree(jd_self *me, void *arg)
{
    volatile unsigned char frame[DEEP_STACK / 2];
    struct shared *s = jd_local(me);
    int depth = *(const int *)arg;
    fill(frame, sizeof frame, (unsigned char)depth);
    if (depth > 1)
        must(me, jd_finish(me, branch, &depth));
    else
        jd_yield(me);
    wrong_if(s, !is_filled(frame, sizeof frame, (unsigned char)depth) ||
                    depth != *(const int *)arg);
    atomic_fetch_add_explicit(&s->done, 1, memory_order_relaxed);
}

static void piece(jd_self *me, void *arg)
{
    volatile unsigned char frame[DEEP_STACK / 2];
    struct shared *s = jd_local(me);
    int64_t at = ((const jd_range *)arg)->begin;
    fill(frame, sizeof frame, (unsigned char)at);
    jd_yield(me);
    wrong_if(s, !is_filled(frame, sizeof frame, (unsigned char)at));
    atomic_fetch_add_explicit(&s->done, 1, memory_order_relaxed);
}

static const jd_task_def tasks[] = {[DEEP] = JD_TASK_STACK(deep, DEEP_STACK),
                                    [LIGHT] = JD_TASK(light),
                                    [TREE] = JD_TASK_STACK(tree, DEEP_STACK),
                                    [PIECE] = {"piece", piece, NULL, DEEP_STACK},
                                    JD_TASK_END};

static void test_deep(jd_self *me, struct shared *s)
{
    jd_coll *c = make(me, s);
    uint64_t all = DEEPS * (uint64_t)jd_nranks(me),
             lights = LIGHTS * (uint64_t)jd_nranks(me);
    add(me, c, LIGHT, LIGHTS);
    add(me, c, DEEP, DEEPS);
    must(me, jd_coll_start(me, c));
    until(me, &s->parked, all);
    until(me, &s->lights, lights);
    ok_all(me, !atomic_load(&s->done), "%d deep tasks wait on each rank, others run",
           DEEPS);
    resume_all(me, s);
    must(me, jd_coll_wait(me, c));
    ok_all(me, adds_up(me, c, all + lights) && sum_of(me, atomic_load(&s->done)) == all,
           "and go on, each on its stack");
    end(me, c, s);
}

static void spawn_tree(jd_self *me, void *arg)
{
    must(me, jd_async(me, TREE, arg, sizeof(int)));
}

static void spawn_range(jd_self *me, void *arg)
{
    (void)arg;
    must(me, jd_forasync(me, PIECE, 0, PIECES, 1, NULL, 0));
}

static void test_finishes(jd_self *me, struct shared *s)
{
    int depth = TREE_DEPTH;
    memset(s, 0, sizeof *s);
    jd_set_local(me, s);
    must(me, jd_barrier(me));
    must(me, jd_finish(me, spawn_tree, &depth));
    must(me, jd_barrier(me));
    uint64_t trees = ((1u << TREE_DEPTH) - 1) * (uint64_t)jd_nranks(me);
    ok_all(me, sum_of(me, atomic_load(&s->done)) == trees,
           "finishes of such tasks inside each other end");
    must(me, jd_finish(me, spawn_range, NULL));
    must(me, jd_barrier(me));
    uint64_t all = trees + PIECES * (uint64_t)jd_nranks(me);
    ok_all(me, sum_of(me, atomic_load(&s->done)) == all, "and ranges");
    ok_all(me, !atomic_load(&s->moved), "each had its stack for itself");
}

static int body(jd_self *me, int argc, char **argv)
{
    struct shared s;
    (void)argc, (void)argv;
    test_deep(me, &s);
    test_finishes(me, &s);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
