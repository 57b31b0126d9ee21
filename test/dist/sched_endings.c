/*
 * sched_endings.c
 *
 * Role: the job ends in the way that the argument names, with the status that follows if the way
 *       has one.  The script checks the status and the text.
 * Owner: the body.
 * See: test/dist/sched_endings.sh, test/dist/sched_faults.sh.
 */
#include "jackdaw.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ABORT, EXIT, NOTHING, SPLIT, SUSPEND, SLEEP, FAULT, STRAY, WAIT, QUIT };
enum { BLOB = 500, SEEDS = 4, DEPTH = 2, LARGE = 200000, CROSSED_NS = 600000000 };

struct work {
    uint32_t depth;
    char bytes[BLOB];
};

static void require(jd_self *me, bool right, const char *what)
{
    if (!right)
        jd_abort(me, 9, "%s", what);
}

static void demand(jd_self *me, int error)
{
    if (error < 0)
        jd_abort(me, 10, "answered: %s", jd_strerror(error));
}

/* ---- tasks -------------------------------------------------------------------------- */

static void do_abort(jd_self *me, void *arg)
{
    jd_abort(me, *(int *)arg, "a task says %s after %d", "stop", 42);
}

static void do_exit(jd_self *me, void *arg)
{
    (void)me;
    exit(*(int *)arg);
}

static void nothing(jd_self *me, void *arg)
{
    (void)me, (void)arg;
}

static void publish(jd_self *me, void *arg)
{
    (void)arg;
    jd_resume(NULL, me);
}

/* In every way that takes memory: spilled arguments, in place and not, a suspension. */
static void split(jd_self *me, void *arg)
{
    const struct work *w = arg;
    struct work child = {.depth = w->depth - 1};
    jd_coll *mine = jd_coll_mine(me);
    require(me, !w->bytes[0] && !w->bytes[BLOB - 1], "an argument is damaged");
    if (w->depth == 0)
        return;
    demand(me, jd_coll_add(me, mine, SPLIT, &child, sizeof child));
    struct work *place = jd_coll_add_inplace(me, mine, SPLIT, sizeof *place);
    if (!place)
        demand(me, JD_ENOMEM);
    memset(place, 0, sizeof *place);
    place->depth = w->depth - 1;
    if (w->depth == 2)
        demand(me, jd_coll_add(me, mine, SUSPEND, NULL, 0));
}

static void suspend(jd_self *me, void *arg)
{
    (void)arg;
    jd_suspend(me, publish, NULL);
    jd_yield(me);
}

static void forget(jd_self *me, void *arg)
{
    (void)me, (void)arg;
}

static void sleep_for_ever(jd_self *me, void *arg)
{
    (void)arg;
    jd_suspend(me, forget, NULL);
}

/* Address 8 is in no mapping; the compiler must not know. */
static void do_fault(jd_self *me, void *arg)
{
    int *volatile nowhere = (int *)(uintptr_t)8;
    (void)me;
    *nowhere = *(int *)arg;
}

static void do_quit(jd_self *me, void *arg)
{
    (void)me, (void)arg;
    abort();
}

/* Nobody has suspended it. */
static void stray(jd_self *me, void *arg)
{
    (void)arg;
    jd_resume(me, me);
    jd_yield(me);
}

/* The task that faults runs on the stack of one that waits, or after it. */
static void wait_for_fault(jd_self *me, void *arg)
{
    jd_scope s;
    demand(me, jd_finish_begin(me, &s));
    demand(me, jd_async_local(me, NOTHING, NULL, 0));
    demand(me, jd_finish_end(me, &s));
    do_fault(me, arg);
}

static const jd_task_def tasks[] = {[ABORT] = JD_TASK(do_abort),
                                    [EXIT] = JD_TASK(do_exit),
                                    [NOTHING] = JD_TASK(nothing),
                                    [SPLIT] = JD_TASK(split),
                                    [SUSPEND] = JD_TASK(suspend),
                                    [SLEEP] = JD_TASK(sleep_for_ever),
                                    [FAULT] = JD_TASK(do_fault),
                                    [STRAY] = JD_TASK(stray),
                                    [WAIT] = JD_TASK(wait_for_fault),
                                    [QUIT] = JD_TASK(do_quit),
                                    JD_TASK_END};

/* ---- ways to end -------------------------------------------------------------------- */

static jd_coll *make(jd_self *me)
{
    jd_coll *c = NULL;
    demand(me, jd_coll_create(me, &(jd_coll_props){.name = "work"}, &c));
    return c;
}

/* Rank r returns status + r on the way "status", the last one only on "last". */
static int end_status(jd_self *me, int status)
{
    return status + (int)jd_rank(me);
}

static int end_last(jd_self *me, int status)
{
    return jd_rank(me) == jd_nranks(me) - 1 ? status : 0;
}

static int end_by(jd_self *me, jd_task task, int status)
{
    jd_coll *c = make(me);
    if (jd_rank(me) == 0)
        demand(me, jd_coll_add(me, c, task, &status, sizeof status));
    demand(me, jd_coll_process(me, c));
    return 0;
}

static int end_abort(jd_self *me, int status)
{
    return end_by(me, ABORT, status);
}

static int end_exit(jd_self *me, int status)
{
    return end_by(me, EXIT, status);
}

static int end_fault(jd_self *me, int status)
{
    return end_by(me, FAULT, status);
}

static int end_fault_after(jd_self *me, int status)
{
    return end_by(me, WAIT, status);
}

static int end_fault_body(jd_self *me, int status)
{
    if (jd_rank(me) == 0)
        do_fault(me, &status);
    return end_by(me, NOTHING, status);
}

static int end_quit(jd_self *me, int status)
{
    return end_by(me, QUIT, status);
}

static int end_stray(jd_self *me, int status)
{
    return end_by(me, STRAY, status);
}

static int end_abort_body(jd_self *me, int status)
{
    if (jd_rank(me) == jd_nranks(me) - 1)
        jd_abort(me, status, "the body says stop");
    demand(me, jd_barrier(me)); /* never comes back */
    return 0;
}

static int end_leftover(jd_self *me, int status)
{
    jd_coll *c = make(me);
    demand(me, jd_coll_add(me, c, NOTHING, NULL, 0));
    return status;
}

/* Nothing left in them: then a collection need not be destroyed. */
static int end_undestroyed(jd_self *me, int status)
{
    jd_coll *c = make(me);
    make(me);
    demand(me, jd_coll_add(me, c, NOTHING, NULL, 0));
    demand(me, jd_coll_process(me, c));
    return status;
}

static int end_held(jd_self *me, int status)
{
    jd_coll *c = make(me);
    demand(me, jd_coll_hold(me, c));
    demand(me, jd_coll_start(me, c));
    return status;
}

/* A small reduction needs a small stack. */
static int end_double(jd_self *me, int status)
{
    double number = 0.5;
    demand(me, jd_allreduce_f64(me, &number, 1, JD_SUM));
    return number == 0.5 * jd_nranks(me) ? status : 1;
}

/* A task waits for ever, and the body does not wait for it. */
static int end_suspended(jd_self *me, int status)
{
    jd_coll *c = make(me);
    if (jd_rank(me) == 0)
        demand(me, jd_coll_add(me, c, SLEEP, NULL, 0));
    demand(me,
           jd_coll_stealing(me, c, JD_STEAL_NONE)); /* it shall be left over on rank 0 */
    demand(me, jd_coll_start(me, c));
    demand(me, jd_barrier(me));
    return status;
}

/* A bit of everything, for the injection of failures. */
static int end_work(jd_self *me, int status)
{
    jd_coll *c = make(me);
    struct work w = {.depth = DEPTH};
    uint64_t seen = SEEDS;
    for (int i = 0; i < SEEDS; i++)
        demand(me, jd_coll_add(me, c, SPLIT, &w, sizeof w));
    demand(me, jd_coll_process(me, c));
    demand(me, jd_coll_restore(me, c, JD_RESTORE_RETAIN));
    demand(me, jd_coll_process(me, c));
    demand(me, jd_coll_restore(me, c, JD_RESTORE_SEED));
    char *large = calloc(1, LARGE);
    require(me, large, "the program's own memory");
    memcpy(large, &(struct work){.depth = 0}, sizeof w);
    demand(me, jd_coll_add(me, c, SPLIT, large, LARGE));
    free(large);
    demand(me, jd_coll_process(me, c));
    demand(me, jd_allreduce_u64(me, &seen, 1, JD_SUM));
    require(me, seen == SEEDS * (uint64_t)jd_nranks(me), "a wrong sum");
    demand(me, jd_coll_destroy(me, c));
    return status;
}

/* ---- ranks that do not call the same ------------------------------------------------- */

static int allreduce(jd_self *me, size_t n, enum jd_op op)
{
    uint64_t value[2] = {jd_rank(me), 0};
    demand(me, jd_allreduce_u64(me, value, n, op));
    return 0;
}

static int end_barrier_allreduce(jd_self *me, int status)
{
    if (jd_rank(me) != 0)
        return allreduce(me, 2, JD_MAX);
    demand(me, jd_barrier(me));
    return status;
}

static int end_lengths(jd_self *me, int status)
{
    (void)allreduce(me, jd_rank(me) ? 1 : 2, JD_SUM);
    return status;
}

/* Where the numbers of words are the same, the one must not be taken for the other. */
static int end_create_mem(jd_self *me, int status)
{
    jd_mem mem;
    if (jd_rank(me) == 0)
        make(me);
    else
        demand(me, jd_mem_create(me, NULL, 8, &mem));
    return status;
}

/* The other ranks return. */
static int end_barrier_alone(jd_self *me, int status)
{
    if (jd_rank(me) != 0)
        return status;
    demand(me, jd_barrier(me));
    return 0;
}

static int end_allreduce_alone(jd_self *me, int status)
{
    return jd_rank(me) ? status : allreduce(me, 1, JD_MAX);
}

/* The first rank returns. */
static int end_last_in_barrier(jd_self *me, int status)
{
    if (jd_rank(me) != jd_nranks(me) - 1)
        return status;
    demand(me, jd_barrier(me));
    return 0;
}

/* The last rank processes; the others return. */
static int end_process_alone(jd_self *me, int status)
{
    jd_coll *c = make(me);
    if (jd_rank(me) != jd_nranks(me) - 1)
        return status;
    demand(me, jd_coll_process(me, c));
    return 0;
}

/* Rank 0 processes; the last one returns, the others wait for the end of what they have started. */
static int end_wait_alone(jd_self *me, int status)
{
    jd_coll *c = make(me);
    if (jd_rank(me) == jd_nranks(me) - 1)
        return status;
    demand(me, jd_coll_start(me, c));
    demand(me, jd_coll_wait(me, c));
    return 0;
}

/* Rank 0 waits in a barrier; the last rank has not started what the others wait for, which they
 * started before that barrier.  So no rank calls anything out of its order but the last. */
static int end_barrier_process(jd_self *me, int status)
{
    jd_coll *c = make(me);
    bool last = jd_rank(me) == jd_nranks(me) - 1;
    if (jd_rank(me) == 0 && !last)
        demand(me, jd_coll_start(me, c));
    if (jd_rank(me) == 0 || last)
        demand(me, jd_barrier(me));
    demand(me, jd_coll_process(me, c));
    return status;
}

/* One waits for the end of the one collection, the others for that of the other one. */
static int end_processes(jd_self *me, int status)
{
    jd_coll *c = make(me), *other = NULL;
    demand(me, jd_coll_create(me, &(jd_coll_props){.name = "other"}, &other));
    demand(me, jd_coll_process(me, jd_rank(me) == 0 ? c : other));
    return status;
}

/* Out of their order, and yet nobody waits for ever. */
static int end_crossed(jd_self *me, int status)
{
    jd_coll *c = make(me), *other = NULL;
    demand(me, jd_coll_create(me, &(jd_coll_props){.name = "other"}, &other));
    bool first = jd_rank(me) == 0;
    demand(me, jd_coll_start(me, first ? c : other));
    if (!first)
        jd_compute(me, CROSSED_NS);
    demand(me, jd_coll_start(me, first ? other : c));
    demand(me, jd_coll_wait(me, first ? c : other));
    if (first)
        jd_compute(me, CROSSED_NS);
    demand(me, jd_barrier(me));
    demand(me, jd_coll_wait(me, first ? other : c));
    return status;
}

static int nested(jd_self *me, int argc, char **argv)
{
    (void)me, (void)argc, (void)argv;
    return 0;
}

static int end_again(jd_self *me, int status)
{
    char *argv[] = {(char[]){"again"}, NULL};
    int error = jd_launch(1, argv, nested, tasks);
    require(me, error == JD_ESTATE, "jd_launch in a body");
    return status;
}

static const struct way {
    const char *name;
    int (*run)(jd_self *me, int status);
} ways[] = {
    {"status", end_status},
    {"last", end_last},
    {"abort", end_abort},
    {"abort-body", end_abort_body},
    {"exit", end_exit},
    {"leftover", end_leftover},
    {"undestroyed", end_undestroyed},
    {"held", end_held},
    {"double", end_double},
    {"suspended", end_suspended},
    {"work", end_work},
    {"fault", end_fault},
    {"fault-after", end_fault_after},
    {"fault-body", end_fault_body},
    {"quit", end_quit},
    {"stray", end_stray},
    {"again", end_again},
    {"barrier-allreduce", end_barrier_allreduce},
    {"lengths", end_lengths},
    {"create-mem", end_create_mem},
    {"barrier-alone", end_barrier_alone},
    {"allreduce-alone", end_allreduce_alone},
    {"last-in-barrier", end_last_in_barrier},
    {"process-alone", end_process_alone},
    {"wait-alone", end_wait_alone},
    {"barrier-process", end_barrier_process},
    {"processes", end_processes},
    {"crossed", end_crossed},
};

static int body(jd_self *me, int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof ways / sizeof *ways; i++)
        if (!strcmp(argv[1], ways[i].name))
            return ways[i].run(me, argc > 2 ? atoi(argv[2]) : 0);
    jd_abort(me, 2, "no such way");
}

/* "hole": as an enum whose name for row 1 has lost its row. */
static const jd_task_def holed[] = {
    [0] = JD_TASK(nothing), [2] = JD_TASK(split), JD_TASK_END};

/* "tables": where each rank runs main, the second row has another name on each. */
static int launch_own_table(int argc, char **argv)
{
    static char name[32];
    snprintf(name, sizeof name, "of_%ld", (long)getpid());
    static const jd_task_def own[] = {
        JD_TASK(nothing), {name, nothing, NULL, 0}, JD_TASK_END};
    return jd_launch(argc, argv, body, own);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "tables"))
        return launch_own_table(argc, argv);
    if (argc > 1 && !strcmp(argv[1], "hole"))
        return jd_launch(argc, argv, body, holed);
    return jd_launch(argc, argv, body, tasks);
}
