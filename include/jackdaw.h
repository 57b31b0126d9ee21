/*
 * jackdaw.h - task programs whose work cannot be divided in advance.
 *
 * One process per node or socket ("rank"), several workers in each.  Tasks are plain C
 * functions that move, by work stealing, to where hands are free: inside a rank through
 * shared memory, between ranks through GASNet-EX active messages.  The library knows for
 * certain when all work has ended, and remembers who ended up doing what.
 *
 *     #include <jackdaw.h>
 *     enum { VISIT };
 *     static void visit(jd_self *me, void *arg)
 *     {
 *         int depth = *(int *)arg;
 *         for (int i = 0; depth > 0 && i < 2; i++)
 *             jd_coll_add(me, jd_coll_mine(me), VISIT, &(int){ depth - 1 }, sizeof
 * depth);
 *     }
 *     static int body(jd_self *me, int argc, char **argv)
 *     {
 *         jd_coll *c;
 *         if (jd_coll_create(me, NULL, &c))
 *             return 1;
 *         if (jd_rank(me) == 0)
 *             jd_coll_add(me, c, VISIT, &(int){ 20 }, sizeof(int));
 *         jd_coll_process(me, c);
 *         return jd_coll_destroy(me, c);
 *     }
 *     static const jd_task_def tasks[] = { [VISIT] = JD_TASK(visit), JD_TASK_END };
 *     int main(int argc, char **argv) { return jd_launch(argc, argv, body, tasks); }
 *
 * Every call but jd_launch and jd_strerror takes `me` first: the user-level
 * thread (ULT) that runs the caller.  It stays valid when the task suspends and goes on
 * elsewhere. Unless said otherwise a call returns 0 or a negative JD_E* code and may be
 * made from the body and from tasks.  "Collective" means: every rank's body calls it, in
 * the same order.
 *
 * Licence: BSD-3-Clause.
 */
#ifndef JACKDAW_H
#define JACKDAW_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define JD_VERSION_MAJOR 0
#define JD_VERSION_MINOR 1
#define JD_VERSION_PATCH 0
#define JD_VERSION       "0.1.0"

#if defined(__GNUC__)
#define JD_MUST_CHECK __attribute__((warn_unused_result))
#define JD_PUBLIC     __attribute__((visibility("default")))
#define JD_NORETURN   __attribute__((noreturn))
#else
#define JD_MUST_CHECK
#define JD_PUBLIC
#define JD_NORETURN
#endif

/* ---- errors -------------------------------------------------------------------------
 */

#define JD_ERRORS(X)                                                                     \
    X(JD_EINVAL, -1, "an argument is out of its range")                                  \
    X(JD_ENOMEM, -2, "out of memory")                                                    \
    X(JD_EAGAIN, -3, "not now, try again")                                               \
    X(JD_ETOOBIG, -4, "a task's argument is larger than the transport can carry")        \
    X(JD_ESTATE, -5, "not allowed in the collection's present state")                    \
    X(JD_EMISMATCH, -6, "the ranks of a collective call do not agree")                   \
    X(JD_ESYS, -7, "the operating system refused")                                       \
    X(JD_ENET, -8, "the network layer refused")

enum jd_error {
#define JD_ERROR_ENUM(name, value, text) name = value,
    JD_ERRORS(JD_ERROR_ENUM)
#undef JD_ERROR_ENUM
        JD_OK = 0
};

/* A constant English text for a code: jd_strerror(JD_ENOMEM) is "out of memory". */
JD_PUBLIC const char *jd_strerror(int code);

/* ---- tasks and life -----------------------------------------------------------------
 */

typedef struct jd_self jd_self; /* the ULT that runs the caller */
typedef struct jd_coll jd_coll; /* a task collection, one object per rank */
typedef uint16_t jd_task;       /* a portable handle: the index in the task table */

typedef void (*jd_task_fn)(jd_self *me, void *arg);

/*
 * One row of the program's task table.  The table must be the same on every rank: a hash
 * of its names, in order, is compared at start-up.  Handles are indices, so name them
 * with an enum and designated initialisers; end the table with JD_TASK_END.
 */
typedef struct jd_task_def {
    const char *name;
    jd_task_fn fn;
} jd_task_def;

#define JD_TASK(function)                                                                \
    {                                                                                    \
#function, function                                                              \
    }
#define JD_TASK_END                                                                      \
    {                                                                                    \
        NULL, NULL                                                                       \
    }

typedef int (*jd_body)(jd_self *me, int argc, char **argv);

/*
 * Start the runtime, run `body` as a ULT on every rank, stop when every body has
 * returned. Call it first thing in main: code before it may run in another process, or
 * several. The job's exit status is 0 only if every body returned 0; otherwise the
 * largest status any body returned (1 to 125 are kept, others become 1).  On GASNet it
 * does not return but ends the process; on in-process backends it returns the status, so
 * write return jd_launch(argc, argv, body, tasks); A start-up error (a bad knob, task
 * tables that differ, no memory) is printed and ends the job with status 78.
 */
JD_PUBLIC int jd_launch(int argc, char **argv, jd_body body, const jd_task_def *tasks);

JD_PUBLIC uint32_t jd_rank(const jd_self *me);   /* 0 .. jd_nranks-1 */
JD_PUBLIC uint32_t jd_nranks(const jd_self *me); /* ranks in the job */
/* The worker the caller runs on now, 0 .. jd_nworkers-1; may change across suspension. */
JD_PUBLIC unsigned jd_worker(const jd_self *me);
JD_PUBLIC unsigned jd_nworkers(const jd_self *me); /* workers of this rank */

/* Seconds from an arbitrary start, monotonic: of this rank's clock, which in the simulator
 * is a virtual one.  NULL: the machine's. */
JD_PUBLIC double jd_now(const jd_self *me);

/* Compute for `ns` nanoseconds: burns real time, or virtual time in the simulator. */
JD_PUBLIC void jd_compute(jd_self *me, uint64_t ns);

/* Print the message with rank and worker and end the whole job with `status` (1 to 125).
 */
JD_PUBLIC void jd_abort(jd_self *me, int status, const char *format, ...) JD_NORETURN
#ifdef __GNUC__
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* The handle of a task by name, or JD_EINVAL. */
JD_PUBLIC int jd_task_find(const jd_self *me, const char *name);

/* ---- waiting ------------------------------------------------------------------------
 */

/*
 * Give the worker away until somebody calls jd_resume with the same handle.  `publish`
 * runs after the caller has really stopped, so it may hand the handle to anyone, even to
 * a thread that resumes it at once: static void publish(jd_self *me, void *box) {
 * atomic_store((_Atomic(jd_self *) *)box, me); }
 *     ...
 *     jd_suspend(me, publish, &box);     // elsewhere: jd_resume(atomic_exchange(&box,
 * NULL)); A suspended task is live: it keeps its collection from ending.
 */
JD_PUBLIC void jd_suspend(jd_self *me, void (*publish)(jd_self *me, void *arg),
                          void *arg);

/* Make a suspended ULT ready, on the worker it last ran on.  Any thread may call it;
 * exactly once for each jd_suspend. */
JD_PUBLIC void jd_resume(jd_self *suspended);

/* Let other ready ULTs and tasks of this worker go first. */
JD_PUBLIC void jd_yield(jd_self *me);

/* ---- collective data ----------------------------------------------------------------
 */

/* Wait until every rank's body has come here.  Body only; collective. */
JD_PUBLIC int jd_barrier(jd_self *me);

enum jd_op { JD_SUM = 1, JD_MIN, JD_MAX, JD_XOR };

/*
 * Combine n values element by element over all ranks; everyone gets the result in place.
 * Body only; collective; n up to 4096; xor is for integers only.
 *     uint64_t nodes = mine; jd_allreduce_u64(me, &nodes, 1, JD_SUM);
 */
JD_PUBLIC int jd_allreduce_u64(jd_self *me, uint64_t *value, size_t n, enum jd_op op);
JD_PUBLIC int jd_allreduce_f64(jd_self *me, double *value, size_t n, enum jd_op op);

/* ---- collections --------------------------------------------------------------------
 */

typedef struct jd_coll_props {
    const char *name; /* for messages and statistics; NULL: "coll<N>" */
    size_t
        arg_size;   /* argument bytes kept in the deque slot (0: 48); larger ones spill */
    int uniform;    /* 1: no task has a larger argument, an add of one is JD_ETOOBIG */
    int no_restore; /* 1: jd_coll_restore will not be used: keep no record of seeds */
    void *local;    /* this rank's data common to all tasks, see jd_coll_local */
} jd_coll_props;

/*
 * Make a collection; `props` may be NULL, and must agree between ranks (but for `local`).
 * Body only; collective.
 *     jd_coll_props p = { .name = "tree", .arg_size = sizeof(struct node), .uniform = 1
 * }; jd_coll *c; int e = jd_coll_create(me, &p, &c);
 */
JD_PUBLIC int jd_coll_create(jd_self *me, const jd_coll_props *props,
                             jd_coll **out) JD_MUST_CHECK;

/*
 * Add a task with a copy of `size` bytes at `arg` on this rank; it may run on any.  From
 * the body before jd_coll_process it is a seed, which jd_coll_restore can bring back;
 * from a task it is a created task.  From a task of another collection it needs a hold on
 * this one, or this one not yet started.
 */
JD_PUBLIC int jd_coll_add(jd_self *me, jd_coll *coll, jd_task task, const void *arg,
                          size_t size);

/*
 * As jd_coll_add, without the copy: returns where to write the argument, aligned to 16,
 * or NULL when out of memory or `size` is too large.  Fill it before the next call with
 * `me`. struct node *n = jd_coll_add_inplace(me, c, VISIT, sizeof *n); n->depth = 3;
 */
JD_PUBLIC void *jd_coll_add_inplace(jd_self *me, jd_coll *coll, jd_task task,
                                    size_t size);

/* Run every task, seeded or created, on whatever rank; returns when none is left
 * anywhere. Body only; collective. */
JD_PUBLIC int jd_coll_process(jd_self *me, jd_coll *coll);

/*
 * jd_coll_process in two halves, so that several collections can be alive together and
 * feed each other through holds: start each, then wait for each.  Body only; collective.
 */
JD_PUBLIC int jd_coll_start(jd_self *me, jd_coll *coll);
JD_PUBLIC int jd_coll_wait(jd_self *me, jd_coll *coll);

/*
 * Keep a started collection from ending although it has no task here: for a timer, an
 * external thread, a producer in another collection.  Legal while the collection cannot
 * end: inside one of its tasks, before it is started, or while another hold is kept on
 * this rank. Each hold needs one release, on the same rank; a collection with a hold
 * never ends.
 */
JD_PUBLIC int jd_coll_hold(jd_self *me, jd_coll *coll);
JD_PUBLIC int jd_coll_release(jd_self *me, jd_coll *coll);

enum jd_restore {
    JD_RESTORE_SEED = 1, /* each rank starts again with what was added to it */
    JD_RESTORE_RETAIN    /* each rank starts with the seeds that it executed last */
};

/* Seed a processed collection again for the next iteration.  Body only; collective. */
JD_PUBLIC int jd_coll_restore(jd_self *me, jd_coll *coll, enum jd_restore how);

/* Body only; collective; not while it is started. */
JD_PUBLIC int jd_coll_destroy(jd_self *me, jd_coll *coll);

JD_PUBLIC jd_coll *
jd_coll_mine(const jd_self *me); /* the running task's; NULL in the body */
JD_PUBLIC void *jd_coll_local(const jd_coll *coll); /* props.local of this rank */

/* What happened since the last jd_coll_start, of this rank; valid after jd_coll_wait. */
typedef struct jd_coll_info {
    uint64_t seeded;       /* tasks it started with */
    uint64_t created;      /* tasks added here, seeds included */
    uint64_t executed;     /* tasks run here */
    uint64_t stolen_in;    /* tasks that came from other ranks */
    uint64_t stolen_out;   /* tasks that went to other ranks */
    uint64_t stolen_local; /* tasks that changed worker inside this rank */
    uint64_t steals;       /* steal requests to other ranks that brought tasks */
    uint64_t attempts;     /* steal requests to other ranks */
    uint64_t waves;        /* waves of the termination detector */
    uint64_t retained;     /* seeds executed here: what JD_RESTORE_RETAIN starts with */
    uint64_t all_executed; /* tasks run on all ranks */
} jd_coll_info;

JD_PUBLIC int jd_coll_get_info(const jd_self *me, const jd_coll *coll, jd_coll_info *out);

#ifdef __cplusplus
}
#endif
#endif
