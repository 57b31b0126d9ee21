/*
 * jackdaw.h - task programs whose work cannot be divided in advance.
 *
 * It has more than 600 lines because it is the whole interface, with an example at every call.
 *
 * There is one process per node or socket ("rank"), with several workers in each.  Tasks are
 * plain C functions.  They move by work stealing to workers without work: inside a rank through
 * shared memory, between ranks through GASNet-EX active messages.  The library knows for
 * certain when all work has ended, and remembers which rank ran which of the initial tasks.
 *
 *     #include <jackdaw.h>
 *     enum { VISIT };
 *     static void visit(jd_self *me, void *arg)
 *     {
 *         int depth = *(int *)arg;
 *         for (int i = 0; depth > 0 && i < 2; i++)
 *             if (jd_coll_add(me, jd_coll_mine(me), VISIT, &(int){ depth - 1 }, sizeof depth))
 *                 jd_abort(me, 1, "a task was not added");
 *     }
 *     static int body(jd_self *me, int argc, char **argv)
 *     {
 *         jd_coll *c;
 *         if (jd_coll_create(me, NULL, &c))
 *             return 1;
 *         if (jd_rank(me) == 0 && jd_coll_add(me, c, VISIT, &(int){ 20 }, sizeof(int)))
 *             jd_abort(me, 1, "a task was not added");
 *         if (jd_coll_process(me, c))
 *             return 1;
 *         return jd_coll_destroy(me, c);
 *     }
 *     static const jd_task_def tasks[] = { [VISIT] = JD_TASK(visit), JD_TASK_END };
 *     int main(int argc, char **argv) { return jd_launch(argc, argv, body, tasks); }
 *
 * Every call takes `me` first: the user-level thread (ULT) that runs the caller.  Without it are
 * only jd_launch, jd_strerror, jd_coll_local, jd_done_test, jd_event_signal_key, jd_foreign_leave and
 * jd_stats_name; jd_now, jd_clock, jd_deadline and jd_resume take NULL too.
 * `me` is valid until the task, or the body, returns, also while it is suspended.
 * Unless said otherwise, a call returns 0 or a negative JD_E* code and may be made from the
 * body and from tasks.  "Collective" means: every rank's body calls it, in the same order.  If one
 * waits in jd_barrier or jd_coll_process, say, and another calls jd_allreduce_u64 or returns from
 * its body, the job ends and both calls are named; the status is that of the body, or 74.
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

/*
 * JD_MUST_CHECK stands behind calls whose error, if nobody looks at it, is a wrong result: a task
 * that does not run, a value that is not there.  The compiler warns if a program ignores what
 * such a call returns.  A program that can do nothing about an error ends the job:
 *     int e = jd_async(me, VISIT, &node, sizeof node);
 *     if (e)
 *         jd_abort(me, 1, "jd_async: %s", jd_strerror(e));
 * The short examples beside the calls leave this out.
 */
#if defined(__GNUC__)
#define JD_MUST_CHECK __attribute__((warn_unused_result))
#define JD_PUBLIC     __attribute__((visibility("default")))
#define JD_NORETURN   __attribute__((noreturn))
#else
#define JD_MUST_CHECK
#define JD_PUBLIC
#define JD_NORETURN
#endif

/* ---- errors ------------------------------------------------------------------------ */

#define JD_ERRORS(X)                                                                     \
    X(JD_EINVAL, -1, "an argument is out of its range")                                  \
    X(JD_ENOMEM, -2, "out of memory")                                                    \
    X(JD_EAGAIN, -3, "not now, try again")                                               \
    X(JD_ETOOBIG, -4, "an argument or a value is larger than allowed")                   \
    X(JD_ESTATE, -5, "not allowed here, or not at this time")                            \
    X(JD_EMISMATCH, -6, "the ranks of a collective call do not agree")                   \
    X(JD_ESYS, -7, "the operating system refused")                                       \
    X(JD_ENET, -8, "the network layer refused")                                          \
    X(JD_ECANCELED, -9, "the finish was cancelled")                                      \
    X(JD_ETIMEDOUT, -10, "the deadline has passed")                                      \
    X(JD_ECLOSED, -11, "what was waited for is closed")                                  \
    X(JD_ENOTSUP, -12, "not available here")                                             \
    X(JD_EBUSY, -13, "somebody waits for this already")                                  \
    X(JD_ENOENT, -14, "there is no such file")                                           \
    X(JD_EFILE, -15, "the file is damaged, or not what is expected")

enum jd_error {
#define JD_ERROR_ENUM(name, value, text) name = value,
    JD_ERRORS(JD_ERROR_ENUM)
#undef JD_ERROR_ENUM
        JD_OK = 0
};

/* A constant English text for a code: jd_strerror(JD_ENOMEM) is "out of memory". */
JD_PUBLIC const char *jd_strerror(int code);

/* ---- tasks and life ---------------------------------------------------------------- */

typedef struct jd_self jd_self; /* the ULT that runs the caller */
typedef struct jd_coll jd_coll; /* a task collection, one object per rank */
typedef uint16_t jd_task;       /* a portable handle: the index in the task table */

/*
 * The code of a task.  `arg` is the task's own copy of its argument, aligned to 16; the task may
 * change it.  It is valid until the function returns, also while the task waits.  A task that was
 * spawned may still run then, so give it a copy of bytes and no pointer to `arg`.  The functions
 * of jd_finish and jd_finish_spmd get the caller's pointer itself, a piece of jd_forasync gets a
 * jd_range.
 */
typedef void (*jd_task_fn)(jd_self *me, void *arg);

/*
 * One row of the program's task table.  The table must be the same on every rank: its names, in
 * order, are compared at start-up, and the first row that differs is named.  Handles are
 * indices, so name them with an enum and designated initialisers; end the table with
 * JD_TASK_END.  A row that is left out is an error at the start that names the row.
 */
typedef struct jd_task_def {
    const char *name;
    jd_task_fn fn;
    const struct jd_task_hooks *hooks; /* NULL: arguments are plain bytes */
    size_t stack; /* bytes that the task needs, 16 KiB to 1 GiB; 0: JACKDAW_STACK_SIZE */
} jd_task_def;

/*
 * A row with `stack` costs 0.1 us more for each task, and memory only as far as the stack is used;
 * other rows cost the same as without it.  With hooks as well: { "call", call, &closure, 1 << 20 }.
 *     [DEEP] = JD_TASK_STACK(deep, 8 << 20)
 */
/* clang-format off */
#define JD_TASK(function)              { #function, function, NULL, 0 }
#define JD_TASK_WITH(function, hooks)  { #function, function, hooks, 0 }
#define JD_TASK_STACK(function, bytes) { #function, function, NULL, bytes }
#define JD_TASK_END                    { "JD_TASK_END", NULL, NULL, 0 }
/* clang-format on */

/*
 * Hooks are for arguments that are more than their bytes: that hold pointers, say.  They run
 * when a task of jd_async and its kin leaves or enters a rank, or when a range of jd_forasync
 * is split, on any thread, and must not call the library.  Tasks with hooks are not for
 * collections (JD_EINVAL).
 *     static const jd_task_hooks closure = { closure_size, closure_pack, closure_unpack,
 *                                            closure_drop };
 *     [CALL] = JD_TASK_WITH(call, &closure)
 */
typedef struct jd_task_hooks {
    size_t (*size)(const void *arg); /* bytes that pack will write, up to 16 MiB */
    /* Write these bytes, and free what arg owns: the task leaves this rank. */
    void (*pack)(void *arg, void *to);
    /* Make the argument, of as many bytes as were given to jd_async, from n packed ones.  These
     * have come over the network: check that n, and every size and index in them, is one that pack
     * could have written before using it, and if not end the program. */
    void (*unpack)(void *arg, const void *from, size_t n);
    /* jd_cancel drops the task, or a range of jd_forasync is over: free what arg owns.  May be
     * NULL. */
    void (*drop)(void *arg);
} jd_task_hooks;

typedef int (*jd_body)(jd_self *me, int argc, char **argv);

/*
 * Start the runtime, run `body` as a ULT on every rank, stop when every body has returned.
 * Call jd_launch first in main: code before it may run in another process, or in several.
 * The job's exit status is 0 only if every body returned 0; otherwise it is the largest
 * status that a body returned (1 to 125 are kept, others become 1).  On GASNet jd_launch does
 * not return but ends the process by exit(), so atexit handlers and C++ destructors run on every
 * rank.  On in-process backends it returns the status, so write
 *     return jd_launch(argc, argv, body, tasks);
 * In a program over GASNet that has called it before, in a body for example, it returns JD_ESTATE.  Output
 * that could not be written (a full disk) makes status 75 of 0.
 * A start-up error (a bad knob, task tables that differ, no memory) is printed and ends the
 * job with status 78.
 */
JD_PUBLIC int jd_launch(int argc, char **argv, jd_body body,
                        const jd_task_def *tasks) JD_MUST_CHECK;

JD_PUBLIC uint32_t jd_rank(const jd_self *me);   /* 0 .. jd_nranks-1 */
JD_PUBLIC uint32_t jd_nranks(const jd_self *me); /* ranks in the job */
/* The worker the caller runs on, 0 .. jd_nworkers-1.  A task that waits may go on on another one. */
JD_PUBLIC unsigned jd_worker(const jd_self *me);
JD_PUBLIC unsigned jd_nworkers(const jd_self *me); /* workers of this rank */

/* Seconds from an arbitrary start, monotonic, on this rank's clock; in the simulator that is a
 * virtual clock.  NULL: the machine's clock. */
JD_PUBLIC double jd_now(const jd_self *me);

/* Compute for `ns` nanoseconds of this thread's CPU time, so for longer if other threads have the
 * core too; nothing else runs on the worker meanwhile.  In the simulator it is virtual time. */
JD_PUBLIC void jd_compute(jd_self *me, uint64_t ns);

/* Print the message with rank and worker, and end the whole job with `status` (1 to 125).  With JACKDAW_VERBOSE=2 it
 * also prints what all tasks of this rank wait for, and who could wake them:
 *     if (jd_future_get_until(me, f, &x, sizeof x, jd_deadline(me, 60000000000))) jd_abort(me, 1, "it hangs"); */
JD_PUBLIC void jd_abort(jd_self *me, int status, const char *format, ...) JD_NORETURN
#ifdef __GNUC__
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* The handle of a task by name, or JD_EINVAL. */
JD_PUBLIC int jd_task_find(const jd_self *me, const char *name);

/* ---- waiting ----------------------------------------------------------------------- */

/*
 * While a task waits, in a call of this section or in another one that suspends it, its thread
 * runs other tasks; on which thread the task goes on is not said.  Each task keeps its own errno
 * and its own C++ exceptions: a catch block may wait, and `throw;` after that throws the same one.
 * All else that is kept for each thread is shared by the tasks that run there.  So hold no lock
 * of a thread, and not the address of a thread-local, errno's too, across a wait.  A
 * compiler may keep this address by itself in a function that uses errno before and after.
 * A ready task goes on within 1 ms once no other task of its thread runs for longer than that: tasks that
 * wake each other for ever do not keep it waiting.
 * An exception that leaves a task or a body ends the job as abort() does: task and rank are named.
 */

/*
 * Give the worker away until somebody calls jd_resume with the same handle.  `publish`
 * runs after the caller has really stopped.  So it may pass the handle to any thread, even to
 * one that resumes it at once.  A suspended task is live: it keeps its collection from
 * ending.
 *     static void publish(jd_self *me, void *box)
 *     {
 *         atomic_store((_Atomic(jd_self *) *)box, me);
 *     }
 *     ...
 *     jd_suspend(me, publish, &box);
 *     ...                                      // and elsewhere:
 *     jd_resume(me, atomic_exchange(&box, NULL));
 */
JD_PUBLIC void jd_suspend(jd_self *me, void (*publish)(jd_self *me, void *arg),
                          void *arg);

/*
 * Make a suspended ULT ready, exactly once for each jd_suspend.  It goes on on the worker on which
 * it last ran (JACKDAW_UNBLOCK=current: the caller's; deque, proactive: the one with its deque), or on
 * one that has nothing to do; the body, and a ULT with a finish open, on its own.  `me` is the caller; a thread
 * that is no ULT passes NULL.
 * To name a ULT that is not suspended ends the job with status 74.
 *     jd_resume(NULL, atomic_exchange(&box, NULL));   // from such a thread
 */
JD_PUBLIC void jd_resume(jd_self *me, jd_self *suspended);

/*
 * Let other ready ULTs and tasks of this worker go first, and the network go on:
 *     while (!atomic_load(&come)) jd_yield(me);    // what another rank does
 */
JD_PUBLIC void jd_yield(jd_self *me);

/*
 * A point in time, in nanoseconds on the clock of jd_now: calls that wait take one as their deadline.
 * Deadlines do not grow when a call is made again, or when one call waits inside another.  JD_NOW has
 * always passed: the call tries and does not wait.  JD_FOREVER never comes.
 *     jd_time by = jd_deadline(me, 2000000);      // 2 ms for all that follows
 */
typedef uint64_t jd_time;
#define JD_NOW     ((jd_time)0)
#define JD_FOREVER UINT64_MAX
/* The time, and the time in `ns` nanoseconds, which is JD_FOREVER if there is no such number.  NULL:
 * by the machine's clock. */
JD_PUBLIC jd_time jd_clock(const jd_self *me);
JD_PUBLIC jd_time jd_deadline(const jd_self *me, uint64_t ns);

/*
 * Wait until the clock has reached `deadline`; the worker runs other tasks meanwhile.  A sleeper is
 * woken while all workers compute, and goes on when a worker is free.  In the past it returns at once and
 * lets nobody go first: for that there is jd_yield.  JD_ECANCELED: the caller's finish was cancelled
 * first, or before the call.  JD_ENOMEM: the first wait of a worker has found no memory.  A
 * cancelled sleep costs nothing.
 *     for (jd_time t = jd_clock(me); !jd_sleep_until(me, t += 1000000);)
 *         sample(me);                              // every millisecond, whatever a sample costs
 */
JD_PUBLIC int jd_sleep_until(jd_self *me, jd_time deadline);
/* The same for the next `ns` nanoseconds. */
JD_PUBLIC int jd_sleep(jd_self *me, uint64_t ns);

/* ---- collective data --------------------------------------------------------------- */

/* Wait until every rank's body has come here.  Body only; collective. */
JD_PUBLIC int jd_barrier(jd_self *me) JD_MUST_CHECK;

enum jd_op { JD_SUM = 1, JD_MIN, JD_MAX, JD_XOR };

/*
 * Combine n values element by element over all ranks; everyone gets the result in place.
 * Body only; collective; n up to 4096; xor is for integers only.
 *     uint64_t nodes = mine; jd_allreduce_u64(me, &nodes, 1, JD_SUM);
 */
JD_PUBLIC int jd_allreduce_u64(jd_self *me, uint64_t *value, size_t n,
                               enum jd_op op) JD_MUST_CHECK;
JD_PUBLIC int jd_allreduce_f64(jd_self *me, double *value, size_t n,
                               enum jd_op op) JD_MUST_CHECK;

/* ---- figures ------------------------------------------------------------------------ */

/* Whose counters: those of the worker that runs the caller, of its rank, or of all ranks. */
enum jd_stats_of { JD_STATS_WORKER = 1, JD_STATS_RANK, JD_STATS_JOB };

/*
 * Read counters while the job runs: value[i] is that of name[i].  jackdaw-stats(7) has the names, which are those
 * of the files of JACKDAW_STATS; no setting is needed, but the parts of time (ns_work, ...) are measured only with
 * JACKDAW_STATS.  A counter covers the job up to now, all collections and all finishes.  What other threads have
 * counted may be some microseconds old.  Of a row that begins with "most" the value is a maximum, of classes the
 * number of all that was counted.  The caller waits for the communication thread.  JD_EINVAL: there is no such name.
 *     const char *const name[] = {"executed", "finish_tasks"};
 *     uint64_t before[2], after[2];
 *     if (jd_stats(me, JD_STATS_RANK, name, 2, before)) ...
 *     jd_finish(me, visit, &root);
 *     if (jd_stats(me, JD_STATS_RANK, name, 2, after)) ...
 *     printf("%llu tasks of finishes ran here\n", (unsigned long long)(after[1] - before[1]));
 * JD_STATS_JOB is body only (else JD_ESTATE), and collective: the sums of all ranks.
 */
JD_PUBLIC int jd_stats(jd_self *me, enum jd_stats_of of, const char *const *name,
                       size_t n, uint64_t *value) JD_MUST_CHECK;
/* The name of counter i, from 0 on; NULL: there are no more.
 *     for (size_t i = 0; jd_stats_name(i); i++) puts(jd_stats_name(i)); */
JD_PUBLIC const char *jd_stats_name(size_t i);

/*
 * Say how far this rank is: `done` of `of` units, whatever a unit is for the program.  The line of JACKDAW_PROGRESS
 * adds up the ranks, each with what it has said last, and shows the share that is done and how long the rest will
 * take at the average pace since each total was said first.  A rank that says nothing counts nothing, neither as done nor
 * to do; `of` 0 takes back what was said.  With the same total the largest `done` counts, so tasks may say theirs in any
 * order; `done` 0 begins anew.  Any task or body may call it, also where nobody looks: it writes a few words.  A program
 * whose tasks all call it keeps one counter a rank.  JD_EINVAL: more is done than there is to do.
 *     jd_progress(me, 0, nblocks);                     // as soon as the number is known
 *     ...                                              // in each task of a block:
 *     jd_progress(me, 1 + atomic_fetch_add(&blocks, 1), nblocks);
 */
JD_PUBLIC int jd_progress(jd_self *me, uint64_t done, uint64_t of);

/* ---- collections ------------------------------------------------------------------- */

typedef struct jd_coll_props {
    const char *name; /* for messages and statistics; NULL: "coll<N>" */
    size_t arg_size;  /* argument bytes in the deque (0: 48), up to 4096; larger spill */
    int uniform;      /* 1: no task has a larger argument, an add of one is JD_ETOOBIG */
    int no_restore;   /* 1: jd_coll_restore will not be used: keep no record of seeds */
    void *local;      /* this rank's data for all tasks, see jd_coll_local */
    int timed;        /* 1: measure what each task takes, see jd_coll_get_load */
    int recall; /* 1: tasks go where they went in the last phase, see jd_coll_restore */
} jd_coll_props;

/*
 * Make a collection; `props` may be NULL, and must agree between ranks (but for `local`), else all
 * get JD_EMISMATCH.  Body only; collective.
 *     jd_coll_props p = { .name = "tree", .arg_size = sizeof(struct node), .uniform = 1 };
 *     jd_coll *c;
 *     int e = jd_coll_create(me, &p, &c);
 */
JD_PUBLIC int jd_coll_create(jd_self *me, const jd_coll_props *props,
                             jd_coll **out) JD_MUST_CHECK;

/*
 * Add a task with a copy of `size` bytes at `arg` on this rank; the task may run on any rank.
 * A task that the body adds before jd_coll_process is a seed, which jd_coll_restore can bring
 * back; a task that a task adds is a created task.  A task of another collection may add to
 * this one freely before this one is started, and under a hold while it is started, as the body
 * may.  After this one has ended, it may not (JD_ESTATE) before the body has added to it, restored
 * it or started it again.
 */
JD_PUBLIC int jd_coll_add(jd_self *me, jd_coll *coll, jd_task task, const void *arg,
                          size_t size) JD_MUST_CHECK;

/*
 * As jd_coll_add, without the copy: returns where to write the argument, aligned to 16,
 * or NULL where jd_coll_add would return an error.  Fill it before the next call with `me`.
 *     struct node *n = jd_coll_add_inplace(me, c, VISIT, sizeof *n);
 *     n->depth = 3;
 */
JD_PUBLIC void *jd_coll_add_inplace(jd_self *me, jd_coll *coll, jd_task task,
                                    size_t size) JD_MUST_CHECK;

/* Run every task, seeded or created, on whatever rank; returns when none is left anywhere.
 * Body only; collective. */
JD_PUBLIC int jd_coll_process(jd_self *me, jd_coll *coll) JD_MUST_CHECK;

/*
 * jd_coll_process in two halves, so that several collections can be alive together and
 * feed each other through holds: start each, then wait for each.  Collections that are alive
 * together take turns on each worker, so a task may add itself again until a task of another
 * one has run.  Body only; collective.
 */
JD_PUBLIC int jd_coll_start(jd_self *me, jd_coll *coll) JD_MUST_CHECK;
JD_PUBLIC int jd_coll_wait(jd_self *me, jd_coll *coll) JD_MUST_CHECK;

/*
 * Keep a started collection from ending although it has no task here: for a timer, an
 * external thread, a producer in another collection.  A hold may be taken while the collection
 * cannot end: inside one of its tasks, before it is started, or while another hold is kept on
 * this rank.  Each hold needs one release, on the same rank.  A collection with a hold never
 * ends.
 */
JD_PUBLIC int jd_coll_hold(jd_self *me, jd_coll *coll) JD_MUST_CHECK;
JD_PUBLIC int jd_coll_release(jd_self *me, jd_coll *coll) JD_MUST_CHECK;

enum jd_restore {
    /* Each rank starts again with the seeds that were added to it since the last phase that began
     * without a restore. */
    JD_RESTORE_SEED = 1,
    JD_RESTORE_RETAIN, /* each worker starts with the seeds that it executed last, and executes
                            them in the same order, but, if timed, the long ones first; thieves
                            take those at the end */
    JD_RESTORE_CENTRAL, /* timed: as RETAIN, after seeds have moved between ranks, so that all
                            of these have the same load: rank 0 says which */
    JD_RESTORE_TREE,   /* the same, planned by a tree of ranks */
    JD_RESTORE_GOSSIP, /* the same, planned by pairs of ranks that chance brings together */
    JD_RESTORE_AUTO    /* timed: RETAIN, after a balancer where that is worth its price */
};

/*
 * Seed a processed collection again for the next iteration, without the seeds that jd_task_null has named.
 * CENTRAL, TREE and GOSSIP move seeds, with their arguments, from ranks with much load to ranks with little,
 * if that makes the largest load of a rank less; the load of a seed is its own time, as jd_coll_load_model foresees it,
 * without that of tasks which it added.  They even out the workers of a rank, too.  AUTO does what CENTRAL (TREE above 512
 * ranks) would do, where the iterations that are expected save more by it than it costs, and RETAIN otherwise.  It trusts the
 * times of seeds as far as they have foretold the next ones; with JACKDAW_STATS=full rank 0 says why.
 * Body only; collective.  JD_ESTATE: the collection has not ended a phase, was made with no_restore, or, for
 * a balancer, is not timed.  With a balancer, on all ranks: JD_EMISMATCH if they give different ones, JD_ENOMEM; the
 * collection is as it was, and may be restored in another way.
 *     jd_coll_props p = { .timed = 1 };
 *     ...
 *     for (int i = 0; i < 10; i++) {
 *         if (i && jd_coll_restore(me, c, JD_RESTORE_CENTRAL)) return 1;
 *         if (jd_coll_process(me, c)) return 1;
 *     }
 */
JD_PUBLIC int jd_coll_restore(jd_self *me, jd_coll *coll,
                              enum jd_restore how) JD_MUST_CHECK;

/*
 * Seeds can be retained; what tasks add is made again by tasks.  A collection with props.recall remembers for these
 * which rank they went to in a phase, and in the next one sends each there as soon as its argument is complete; ranks
 * wait for what they know will come before they ask others.  A task is known by the way to it: which child of which child of
 * which seed it is.  So if the work of the phases is the same, the later ones need hardly a steal; if it is not, they
 * take longer, and are as right.  jd_coll_restore with JD_RESTORE_SEED, or the same adds again, suits it; what
 * JD_RESTORE_RETAIN moves is where it was last time already.
 * The setting JACKDAW_REPLAY does the same from one job to the next, for all collections, and for the tasks of finishes.
 *     jd_coll_props p = { .recall = 1 };
 *     ...
 *     for (int i = 0; i < 10; i++) {
 *         if (i && jd_coll_restore(me, c, JD_RESTORE_SEED)) return 1;
 *         if (jd_coll_process(me, c)) return 1;
 *     }
 */

enum jd_stealing {
    JD_STEAL_NONE = 1, /* tasks stay with the worker that added them */
    JD_STEAL_LOCAL,    /* the workers of a rank share its tasks */
    JD_STEAL_ALL       /* ranks share their tasks, too */
};

/*
 * Who may take tasks of the collection from whom, in the phases that are started from now on: for
 * tasks that are distributed well already, or that must stay where their data is.  A new
 * collection has JD_STEAL_ALL unless JACKDAW_STEAL says otherwise.  Each rank says it for itself:
 * with less than JD_STEAL_ALL it neither gives tasks to other ranks nor gets any, unless these send what they
 * recall (props.recall).  So all ranks
 * usually say the same, but they need not.  Body only; JD_ESTATE while the collection is started.
 *     jd_coll_process(me, c);                              // balances the load
 *     jd_coll_restore(me, c, JD_RESTORE_RETAIN);
 *     jd_coll_stealing(me, c, JD_STEAL_NONE);
 *     jd_coll_process(me, c);                              // the same, and nothing moves
 */
JD_PUBLIC int jd_coll_stealing(jd_self *me, jd_coll *coll,
                               enum jd_stealing who) JD_MUST_CHECK;

/* Body only; collective; not while it is started.  If any rank has added a task that was not
 * processed, or keeps a hold, all get JD_ESTATE and the collection stays. */
JD_PUBLIC int jd_coll_destroy(jd_self *me, jd_coll *coll);

JD_PUBLIC jd_coll *jd_coll_mine(const jd_self *me); /* the task's; else NULL */
JD_PUBLIC void *jd_coll_local(const jd_coll *coll); /* props.local of this rank */

/* What happened on this rank since the last jd_coll_start; the body gets it after jd_coll_wait. */
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
    uint64_t failed;       /* steal requests to other ranks that were refused */
    uint64_t cyclic;       /* steal requests to a rank that waited for this one */
    uint64_t load;         /* timed: own time of the tasks run here, ns */
    uint64_t null;         /* timed: seeds run here that had nothing to do */
} jd_coll_info;

JD_PUBLIC int jd_coll_get_info(const jd_self *me, const jd_coll *coll,
                               jd_coll_info *out) JD_MUST_CHECK;

/*
 * Collections with props.timed measure the *own time* of each task: the time in which the task itself runs.
 * The clock stands while the task waits or yields, and while jd_finish has it run other tasks.  What a task
 * spawns or adds is not part of it.  The clock is that of jd_now; a look at it comes after each task,
 * which makes a task some 30 ns longer.  Collections that are not timed do not pay for this.
 */

/* How evenly something is spread; ns. */
typedef struct jd_spread {
    uint64_t least, most;
    double mean;
    double imbalance; /* most / mean; 1 if it is even, or if there is nothing */
} jd_spread;

typedef struct jd_coll_spread {
    uint64_t longest;  /* task of all ranks, ns */
    jd_spread ranks;   /* over the ranks: own time of the tasks that each has run */
    jd_spread workers; /* the same over the workers of all ranks */
} jd_coll_spread;

/*
 * How the load of the last phase was spread over ranks and workers.  Body only; collective; JD_ESTATE if
 * the collection is not timed, or between jd_coll_start and the end of the phase.
 *     jd_coll_spread load;
 *     if (jd_coll_process(me, c) || jd_coll_get_load(me, c, &load)) return 1;
 *     if (load.ranks.imbalance > 1.1) ...
 */
JD_PUBLIC int jd_coll_get_load(jd_self *me, jd_coll *coll,
                               jd_coll_spread *out) JD_MUST_CHECK;

/* A seed that this rank has run in the last phase. */
#define JD_TIMES_KNOWN 4
typedef struct jd_seed_time {
    uint32_t rank;  /* that added it first */
    uint32_t index; /* how many that rank had added before */
    jd_task task;
    unsigned worker; /* that began it */
    const void *arg; /* as it was then */
    size_t size;     /* bytes of it */
    /* Own time, truncated by less than a thousandth: ns[0] in the last phase, ns[1] in the one before it, and
     * so on, as long as JD_RESTORE_RETAIN or a balancer has brought the seed back; 0: not known. */
    uint64_t ns[JD_TIMES_KNOWN];
} jd_seed_time;

/*
 * Visit the seeds that this rank has run in the last phase and that were not null, shortest time first, until
 * fn returns other than 0; returns that, or 0.  Body only, between the end of a phase and the next restore,
 * add or start (else JD_ESTATE); JD_ESTATE if the collection is not timed.  JD_ENOMEM.
 *     static int print(void *ctx, const jd_seed_time *t)
 *     {
 *         return printf("%u.%u: %.3f ms\n", t->rank, t->index, 1e-6 * t->ns[0]) < 0;
 *     }
 *     ...
 *     jd_coll_each_time(me, c, print, NULL);
 */
JD_PUBLIC int jd_coll_each_time(const jd_self *me, jd_coll *coll,
                                int (*fn)(void *ctx, const jd_seed_time *t),
                                void *ctx) JD_MUST_CHECK;

enum jd_load_model {
    JD_LOAD_LAST = 1, /* as long as in the last phase; how a collection begins */
    JD_LOAD_MEDIAN, /* the median of the phases: one that was disturbed does not count */
    JD_LOAD_TREND /* on the straight line through the phases: loads that grow or shrink */
};

/*
 * What the balancers of jd_coll_restore take for the next own time of a seed: by its times in the last
 * `phases` phases, 1 to JD_TIMES_KNOWN; 0: as many as there can be.  A seed for which fewer are known, because it
 * is new, or because JD_RESTORE_SEED has brought it back, is judged by these.  Each rank says it for the seeds that
 * it has run, so all ranks usually say the same.  Body only; JD_ESTATE if the collection is not timed, or while it is
 * started; JD_EINVAL.
 *     jd_coll_load_model(me, c, JD_LOAD_TREND, 0);
 *     ...
 *     jd_coll_restore(me, c, JD_RESTORE_TREE);
 */
JD_PUBLIC int jd_coll_load_model(jd_self *me, jd_coll *coll, enum jd_load_model model,
                                 unsigned phases) JD_MUST_CHECK;

/*
 * The task that calls it had nothing to do.  If it is a seed, no restore brings it back, until the program
 * adds it again.  It still counts as executed; jd_coll_info.null says how many there were.  JD_ESTATE
 * outside of tasks of a timed collection.
 *     if (screened(arg)) { (void)jd_task_null(me); return; }
 */
JD_PUBLIC int jd_task_null(jd_self *me);

/* ---- async and finish -------------------------------------------------------------- */

/*
 * Run fn(me, arg) here and now, and return when every task that fn spawned, directly or through
 * other tasks, has ended, on whatever rank.  Any task or body may call jd_finish; finishes nest
 * to any depth.  While it waits, the worker runs other tasks.  JD_ECANCELED: see jd_cancel.
 * The bodies of other ranks do not wait for it: they go on, though their workers run its tasks.  A
 * body that reads what these tasks have left on its rank calls jd_barrier first, as rank 0 does.
 *     static void visit(jd_self *me, void *arg)
 *     {
 *         int depth = *(int *)arg;
 *         for (int i = 0; depth > 0 && i < 2; i++)
 *             if (jd_async(me, VISIT, &(int){ depth - 1 }, sizeof depth))
 *                 jd_abort(me, 1, "a task was not added");
 *     }
 *     int depth = 20, e = jd_rank(me) == 0 ? jd_finish(me, visit, &depth) : 0;
 *     if (!e) e = jd_barrier(me); // from here on nothing of it runs, on any rank
 */
JD_PUBLIC int jd_finish(jd_self *me, jd_task_fn fn, void *arg) JD_MUST_CHECK;

/* jd_finish in two halves, properly nested in one ULT, else JD_ESTATE; the storage is the caller's.
 *     jd_scope s; jd_finish_begin(me, &s); jd_async(me, ...); jd_finish_end(me, &s); */
typedef struct jd_scope {
    uint64_t opaque[26];
} jd_scope;
JD_PUBLIC int jd_finish_begin(jd_self *me, jd_scope *s) JD_MUST_CHECK;
JD_PUBLIC int jd_finish_end(jd_self *me, jd_scope *s) JD_MUST_CHECK;

/* As jd_finish, in one finish of all ranks: each rank's body calls fn, and all return when
 * no task of any rank is left.  Body only; collective; not inside another finish. */
JD_PUBLIC int jd_finish_spmd(jd_self *me, jd_task_fn fn, void *arg) JD_MUST_CHECK;

/*
 * Spawn a task with a copy of `size` bytes at `arg`, in the innermost finish of the caller;
 * JD_ESTATE if there is none.  With jd_async the task runs on any rank, with jd_async_local on
 * this rank, with jd_async_at on the rank that is given.  jd_async_at waits, with its worker, while
 * very many of this rank's tasks have not been sent.
 *     jd_async_at(me, 0, REPORT, &result, sizeof result);
 */
JD_PUBLIC int jd_async(jd_self *me, jd_task task, const void *arg,
                       size_t size) JD_MUST_CHECK;
JD_PUBLIC int jd_async_local(jd_self *me, jd_task task, const void *arg,
                             size_t size) JD_MUST_CHECK;
JD_PUBLIC int jd_async_at(jd_self *me, uint32_t rank, jd_task task, const void *arg,
                          size_t size) JD_MUST_CHECK;

/* As jd_async, without the copy: returns where to write the argument, aligned to 16, or
 * NULL where jd_async would return an error.  Fill it before the next call with `me`. */
JD_PUBLIC void *jd_async_inplace(jd_self *me, jd_task task, size_t size) JD_MUST_CHECK;

/*
 * Run `task` over the numbers begin .. end-1 in pieces of up to `grain`, in the innermost
 * finish.  Its argument is a jd_range.  The range is split only when another worker or rank is
 * idle (or, under a load-based policy, when this worker's queue is empty), so a small grain
 * costs little.
 *     static void scale(jd_self *me, void *arg)
 *     {
 *         const jd_range *r = arg;
 *         for (int64_t i = r->begin; i < r->end; i++) ...
 *     }
 *     jd_forasync(me, SCALE, 0, n, 64, &factor, sizeof factor);
 * With hooks, each half of a split range gets an argument of its own: pack once, then unpack
 * twice from the same bytes.  The range owns the argument.  A piece must not free it, nor keep a
 * pointer into it for the next piece.  drop is called when the last piece has run, and at once if
 * there are no numbers.
 */
typedef struct jd_range {
    int64_t begin, end;
    void *arg; /* a copy of what was given to jd_forasync */
} jd_range;
JD_PUBLIC int jd_forasync(jd_self *me, jd_task task, int64_t begin, int64_t end,
                          int64_t grain, const void *arg, size_t size) JD_MUST_CHECK;

/*
 * This rank's data for all of its tasks, as jd_coll_local is for the tasks of a collection.  The
 * body sets it before there are tasks that use it; a jd_barrier makes sure that every rank has:
 *     jd_set_local(me, &mine); jd_barrier(me);     struct mine *m = jd_local(me);
 */
JD_PUBLIC void jd_set_local(jd_self *me, void *data);
JD_PUBLIC void *jd_local(const jd_self *me);

/* The name of a finish; valid on every rank, may be part of an argument. */
typedef struct jd_finish_id {
    uint64_t number;
    uint32_t home, reserved;
} jd_finish_id;
/* The name of the innermost finish of the caller; number is 0 if there is none. */
JD_PUBLIC jd_finish_id jd_finish_mine(const jd_self *me);

/*
 * Stop a finish, from any of its tasks.  Tasks that have not begun are dropped.  Tasks that have
 * begun run on and may ask jd_cancelled.  The same holds for finishes that these tasks opened.
 * The finish still ends when all of its tasks have ended, with JD_ECANCELED.  jd_cancel returns
 * at once, before the finish has heard of it: a task may begin after that, and if all have ended by
 * then, the finish ends with 0.  Cancelling a finish that has ended does nothing.
 *     if (found) jd_cancel(me, search);
 */
JD_PUBLIC int jd_cancel(jd_self *me, jd_finish_id finish);
JD_PUBLIC int jd_cancelled(const jd_self *me);

/* ---- data -------------------------------------------------------------------------- */

/* Memory that every rank has a part of; plain bytes, valid on every rank, may be part of an
 * argument.  number 0: none. */
typedef struct jd_mem {
    uint64_t number;
} jd_mem;

/*
 * Register this rank's bytes [ptr, ptr + size) under a name that all ranks share.  Sizes may
 * differ, and may be 0.  ptr NULL: the library allocates the bytes, zeroed.  Up to 64 names at a
 * time.  If one rank has no memory, or no name is left, all ranks get JD_ENOMEM.  Body
 * only; collective.
 *     jd_mem grid; int e = jd_mem_create(me, NULL, 1 << 20, &grid);
 */
JD_PUBLIC int jd_mem_create(jd_self *me, void *ptr, size_t size,
                            jd_mem *out) JD_MUST_CHECK;
/* Call this when no transfer uses the memory any more.  Body only; collective. */
JD_PUBLIC int jd_mem_destroy(jd_self *me, jd_mem mem);
/* This rank's part, and its size if `size` is not NULL; NULL: no such memory.
 *     double *mine = jd_mem_local(me, grid, NULL); */
JD_PUBLIC void *jd_mem_local(const jd_self *me, jd_mem mem, size_t *size);

/*
 * Copy n bytes between the caller's memory and the part of a rank, without that rank's help.
 * The caller is suspended, its worker is not.  JD_EINVAL: that rank has no such range, and
 * nothing was written.  Once a put has returned, any task that starts later as a consequence
 * of it sees the bytes; doc/data.md says more about this.
 *     jd_put(me, grid, right, 0, edge, sizeof edge);
 *     jd_get(me, grid, left, 4096, ghost, sizeof ghost);
 */
JD_PUBLIC int jd_put(jd_self *me, jd_mem mem, uint32_t rank, uint64_t offset,
                     const void *src, size_t n) JD_MUST_CHECK;
JD_PUBLIC int jd_get(jd_self *me, jd_mem mem, uint32_t rank, uint64_t offset, void *dst,
                     size_t n) JD_MUST_CHECK;

/* The same between the parts of two ranks, which may both be other ranks than the caller's.
 *     jd_copy(me, grid, 0, 0, jd_rank(me), 0, 4096); */
JD_PUBLIC int jd_copy(jd_self *me, jd_mem mem, uint32_t from_rank, uint64_t from_offset,
                      uint32_t to_rank, uint64_t to_offset, size_t n) JD_MUST_CHECK;

/*
 * Read bytes that change seldom: as jd_get, but what this rank has got before by this call, with the same memory,
 * rank, offset and n, is not asked for again.  Tasks that want the same at a time ask for it once.  JACKDAW_CACHE
 * bounds the memory for this.  What a rank has cached is valid until its body makes a collective call, or begins
 * or ends a phase; until jd_forget; and until a put, an accumulate or a copy to these bytes, by this rank, is
 * complete.  So a memory that is written only before a barrier is read as it is behind it.  Nothing else ends the validity:
 * no write by another rank, no store, no future, no end of a jd_finish.  doc/data.md, "Cached reads", says it exactly.
 *     for (int k = 0; k < n; k++)
 *         if (jd_get_cached(me, a, home(k), place(k), tile, sizeof tile)) ...
 */
JD_PUBLIC int jd_get_cached(jd_self *me, jd_mem mem, uint32_t rank, uint64_t offset,
                            void *dst, size_t n) JD_MUST_CHECK;
/* The same without a copy of one's own: loan->bytes is where the bytes are, aligned to 16 if those of the other
 * rank are, until the loan is given back, whatever becomes valid meanwhile.  Of the own rank these are the bytes of the
 * memory themselves.  The bytes must not be written to.  Loans are not bounded by JACKDAW_CACHE.  JD_ENOMEM.
 *     jd_loan a;
 *     int error = jd_borrow(me, dens, home, offset, sizeof(double[T][T]), &a);
 *     if (!error) {
 *         contract(sum, a.bytes);
 *         jd_give_back(me, &a);
 *     }
 */
typedef struct jd_loan {
    const void *bytes;
    void *opaque;
} jd_loan;
JD_PUBLIC int jd_borrow(jd_self *me, jd_mem mem, uint32_t rank, uint64_t offset, size_t n,
                        jd_loan *loan) JD_MUST_CHECK;
JD_PUBLIC void jd_give_back(jd_self *me, jd_loan *loan);
/* on != 0: nobody writes to the memory any more, and what a rank has cached of it stays valid through collective calls;
 * on == 0: it is as before.  While it is frozen, put, accumulate and copy to it, and jd_coll_load of it, return JD_ESTATE; stores of the
 * program itself are not noticed.  All ranks meet.  JD_EMISMATCH: the ranks do not say the same.  Body only; collective.
 *     fill(jd_mem_local(me, bounds, NULL));
 *     int error = jd_mem_freeze(me, bounds, 1); */
JD_PUBLIC int jd_mem_freeze(jd_self *me, jd_mem mem, int on) JD_MUST_CHECK;
/* What this rank has cached of the memory is valid no more.  Any task.
 *     if (!jd_future_wait(me, new_bounds)) jd_forget(me, bounds); */
JD_PUBLIC int jd_forget(jd_self *me, jd_mem mem);

/*
 * Add n doubles to those at `offset`, in bytes, of the part of a rank.  Each element has the sum of all
 * that was added, by whatever ranks and tasks at a time; in which order is open, so sums may differ
 * in their last bits from run to run.  Complete like a put.  An element to which somebody adds must
 * not be put, written or read at that time.  JD_EINVAL: there is no such range, or it does not lie as doubles do;
 * nothing was added.
 *     jd_accumulate(me, histogram, home, 8 * bin, (double[]){ 1.0 }, 1);
 */
JD_PUBLIC int jd_accumulate(jd_self *me, jd_mem mem, uint32_t rank, uint64_t offset,
                            const double *src, size_t n) JD_MUST_CHECK;

/*
 * Transfers that have not completed yet.  One ULT starts them with a jd_done of its own and
 * waits for all of them, before the storage of the jd_done ends.  Then the jd_done may be used
 * again.
 *     jd_done done = JD_DONE_INIT;
 *     for (uint32_t r = 0; r < jd_nranks(me); r++)
 *         jd_put_nb(me, grid, r, 8 * jd_rank(me), &word, 8, &done);
 *     int error = jd_done_wait(me, &done);
 */
typedef struct jd_done {
    uint64_t opaque[4];
} jd_done;
/* clang-format off */
#define JD_DONE_INIT { { 0 } }
/* clang-format on */

/* In place of a jd_done: the transfer belongs to the caller's innermost finish, which ends when this is
 * complete; JD_ESTATE if there is none.  Nobody is told of an error, so the job ends with status 74 if the
 * other rank has no such range.
 *     for (uint32_t r = 0; r < jd_nranks(me); r++)
 *         jd_put_nb(me, grid, r, 8 * jd_rank(me), &word, 8, JD_IN_FINISH); */
#define JD_IN_FINISH ((jd_done *)(uintptr_t)1)

/* As above, but these calls return at once.  An error that is known at once is returned, and
 * then nothing was started; jd_done_wait returns other errors.  The source of a put
 * or an accumulate may be changed at once; the destination of a get belongs to the transfer until this is complete. */
JD_PUBLIC int jd_put_nb(jd_self *me, jd_mem mem, uint32_t rank, uint64_t offset,
                        const void *src, size_t n, jd_done *done) JD_MUST_CHECK;
JD_PUBLIC int jd_get_nb(jd_self *me, jd_mem mem, uint32_t rank, uint64_t offset,
                        void *dst, size_t n, jd_done *done) JD_MUST_CHECK;
JD_PUBLIC int jd_copy_nb(jd_self *me, jd_mem mem, uint32_t from_rank,
                         uint64_t from_offset, uint32_t to_rank, uint64_t to_offset,
                         size_t n, jd_done *done) JD_MUST_CHECK;
JD_PUBLIC int jd_accumulate_nb(jd_self *me, jd_mem mem, uint32_t rank, uint64_t offset,
                               const double *src, size_t n, jd_done *done) JD_MUST_CHECK;
/* Suspend until all transfers are complete; returns the first error of any of them, or 0. */
JD_PUBLIC int jd_done_wait(jd_self *me, jd_done *done) JD_MUST_CHECK;
/* The same until a deadline.  After JD_ETIMEDOUT or JD_ECANCELED the transfers go on, and the jd_done and
 * the destinations still belong to them: wait again before their storage ends.
 *     while (jd_done_wait_until(me, &done, jd_deadline(me, 1000000)) == JD_ETIMEDOUT) report(me); */
JD_PUBLIC int jd_done_wait_until(jd_self *me, jd_done *done,
                                 jd_time deadline) JD_MUST_CHECK;
/* 1: all transfers are complete, jd_done_wait returns at once.  0: not yet. */
JD_PUBLIC int jd_done_test(const jd_done *done);

/* ---- checkpoints ------------------------------------------------------------------- */

/* The files of a checkpoint, and what lies in them beside the seeds of a collection. */
typedef struct jd_checkpoint {
    const char *path; /* of the manifest, on a disk that all ranks share; beside it lies a
                                 file of each rank, with this path and two numbers as its name */
    const jd_mem *mem; /* registered memory: all bytes of all ranks */
    size_t mems;       /* how many, up to 64 */
    void *state; /* bytes of the program, an iteration's number for example: those of
                                 rank 0 are saved, all ranks get them */
    size_t state_size; /* up to 64 KiB */
} jd_checkpoint;

/*
 * Save what the next iteration begins with: which seeds each worker has executed, what they took, what was added
 * to each rank, registered memory, the program's state.  After a phase, before jd_coll_restore.  When it
 * returns 0, all of it is on the disk.  Otherwise, and wherever the job or the machine stops, what
 * was saved at the path before is still there, whole.
 * JD_ESTATE, and nothing was written: tasks could still write, because on some rank a collection is started, a
 * transfer or a finish is open, or this collection has seeds that did not run, or a hold.  JD_ESYS: a file could not
 * be written; standard error has the file and the cause.  JD_EMISMATCH: the ranks do not name the same.  All ranks
 * get the same code.  Arguments, memory and state must not contain pointers.  Body only, whose worker
 * waits for the disk; collective.
 *     uint64_t step = 0;
 *     jd_checkpoint k = { .path = "run.jdc", .mem = &grid, .mems = 1, .state = &step, .state_size = sizeof step };
 *     int e = jd_coll_load(me, c, &k);
 *     if (e == JD_ENOENT) add_seeds(me, c);            // the first job begins at 0
 *     else if (e) jd_abort(me, 1, "run.jdc: %s", jd_strerror(e));
 *     while (step < 100) {
 *         if (step > 0) jd_coll_restore(me, c, JD_RESTORE_RETAIN);
 *         jd_coll_process(me, c);
 *         step++;
 *         jd_coll_save(me, c, &k);
 *     }
 */
JD_PUBLIC int jd_coll_save(jd_self *me, jd_coll *coll,
                           const jd_checkpoint *what) JD_MUST_CHECK;

/*
 * Load a checkpoint into a collection that has no tasks.  Afterwards the collection is as after the phase
 * after which it was saved, so jd_coll_restore comes next.  The job may have other ranks and workers than
 * the one that has saved, and another network.  With as many workers, each has its own seeds again.  Otherwise the
 * lists of all workers, in their order, are divided anew, evenly.  A memory is then the bytes of all old ranks, end to
 * end, divided anew by the sizes that the ranks of this job have registered; their sum must be the same.
 * The collection needs the name, `timed` and `uniform` that it had, and the tasks are found by their names.
 * JD_ENOENT: there is no file at the path.  JD_EFILE: a file is damaged, cut off, of another version, or of something else than
 * this call expects; standard error says which file, and what is wrong.  JD_ESTATE: also if one of the memories is
 * frozen (jd_mem_freeze).  JD_ESYS, JD_ENOMEM, JD_EMISMATCH: as above.  All ranks get the same code, and unless it is 0 nothing has changed.  Body only; collective.
 */
JD_PUBLIC int jd_coll_load(jd_self *me, jd_coll *coll,
                           const jd_checkpoint *what) JD_MUST_CHECK;

/* ---- futures ----------------------------------------------------------------------- */

/* The name of a value that will be set later; plain bytes, valid on every rank, may be part of an
 * argument.  number 0: none. */
typedef struct jd_future {
    uint64_t number;
    uint32_t home, reserved;
} jd_future;

/*
 * A new future, whose home is this rank.  Destroy it once, when nobody will use the handle any
 * more, say after the finish; any rank may destroy it.  Using the handle after that returns
 * JD_EINVAL.  Futures that are left at the end of the job are freed.
 *     jd_future f; int e = jd_future_create(me, &f);
 *     jd_async_at(me, 1, PRODUCE, &f, sizeof f);    // calls jd_future_set(me, f, &x, 8)
 *     jd_future_get(me, f, &x, 8);
 */
JD_PUBLIC int jd_future_create(jd_self *me, jd_future *out) JD_MUST_CHECK;
JD_PUBLIC int jd_future_destroy(jd_self *me, jd_future future);

/* Set the value, n bytes, 0 to 16 MiB; once, from any rank.  A second set returns JD_ESTATE.
 * If the home is another rank, the caller is suspended until the home has the value.
 *     jd_future_set(me, f, &x, sizeof x); */
JD_PUBLIC int jd_future_set(jd_self *me, jd_future future, const void *value,
                            size_t n) JD_MUST_CHECK;

/* Suspend until the future is set, and copy the value.  If n is not its size, JD_EINVAL, and
 * nothing is copied.  JD_ECANCELED: the caller's finish was cancelled first.  Any number of ULTs
 * may wait.
 *     double x; jd_future_get(me, f, &x, sizeof x); */
JD_PUBLIC int jd_future_get(jd_self *me, jd_future future, void *value,
                            size_t n) JD_MUST_CHECK;
/* As jd_future_get, but says how many bytes the value has; size may be NULL.
 *     size_t n; jd_future_wait(me, f, &n); void *p = malloc(n); jd_future_get(me, f, p, n); */
JD_PUBLIC int jd_future_wait(jd_self *me, jd_future future, size_t *size) JD_MUST_CHECK;
/* The same with a deadline: JD_ETIMEDOUT if the value was not here by then; that of another rank needs a
 * message there and back.  A deadline that has passed, as JD_NOW, asks once and waits for this answer.
 *     if (jd_future_get_until(me, f, &x, sizeof x, jd_deadline(me, 5000000))) x = guess(); */
JD_PUBLIC int jd_future_get_until(jd_self *me, jd_future future, void *value, size_t n,
                                  jd_time deadline) JD_MUST_CHECK;
JD_PUBLIC int jd_future_wait_until(jd_self *me, jd_future future, size_t *size,
                                   jd_time deadline) JD_MUST_CHECK;
/* 1: the future is set; 0: not yet; or an error.  The caller is suspended only if the home is another rank.
 *     while (jd_future_ready(me, f) == 0) jd_yield(me); */
JD_PUBLIC int jd_future_ready(jd_self *me, jd_future future) JD_MUST_CHECK;

/*
 * Futures whose names need not be told: each rank has n, and any rank names number i of any rank.  They
 * live until jd_futures_destroy, after which their names are JD_EINVAL, and jd_future_destroy is not for
 * them.  They count as one memory (jd_mem_create).  Body only; collective.
 *     jd_futures row; int e = jd_futures_create(me, 8, &row);
 *     jd_future_set(me, jd_futures_at(row, right, 0), &edge, sizeof edge);
 */
typedef struct jd_futures {
    uint64_t number;
} jd_futures;
JD_PUBLIC int jd_futures_create(jd_self *me, uint32_t n, jd_futures *out) JD_MUST_CHECK;
JD_PUBLIC int jd_futures_destroy(jd_self *me, jd_futures futures);
static inline jd_future jd_futures_at(jd_futures futures, uint32_t rank, uint32_t i)
{
    jd_future f = {0, 0, 0};
    f.number = futures.number | i;
    f.home = rank;
    return f;
}

/*
 * As jd_async, but the task starts when all of the futures are set.  The task counts in the
 * caller's innermost finish from now on; no worker and no ULT waits.  A future that does not
 * exist any more counts as set: the task will get JD_EINVAL for it.  number 0 is JD_EINVAL at once.
 *     jd_future both[] = {a, b};
 *     jd_async_await(me, both, 2, ADD, both, sizeof both);
 */
JD_PUBLIC int jd_async_await(jd_self *me, const jd_future *futures, size_t nfutures,
                             jd_task task, const void *arg, size_t size) JD_MUST_CHECK;
/* The same for a task that then runs on the rank that is given, as jd_async_at. */
JD_PUBLIC int jd_async_await_at(jd_self *me, uint32_t rank, const jd_future *futures,
                                size_t nfutures, jd_task task, const void *arg,
                                size_t size) JD_MUST_CHECK;
/* jd_async_await with one future.
 *     jd_then(me, f, SHOW, &f, sizeof f); */
JD_PUBLIC int jd_then(jd_self *me, jd_future future, jd_task task, const void *arg,
                      size_t size) JD_MUST_CHECK;
/*
 * As jd_async, but the task starts when the clock has reached `deadline`.  It counts in the caller's
 * innermost finish from now on, and until then it takes some 200 bytes and no stack.  In a cancelled finish it
 * is dropped at once.
 *     jd_async_after(me, jd_deadline(me, 1000000), RETRY, &job, sizeof job);
 */
JD_PUBLIC int jd_async_after(jd_self *me, jd_time deadline, jd_task task, const void *arg,
                             size_t size) JD_MUST_CHECK;

/* ---- channels ---------------------------------------------------------------------- */

/* The name of a queue between tasks of one rank; plain bytes, may be part of an argument.  On another
 * rank, and after it was destroyed, it is JD_EINVAL.  number 0: none. */
typedef struct jd_channel {
    uint64_t number;
    uint32_t home, reserved;
} jd_channel;

/*
 * A new channel of this rank, for items of `item_size` bytes (0 to 4096; for more send a pointer), of which
 * `capacity` are inside at most.  With capacity 0 a sender waits until a receiver takes its item.
 * Channels that are left at the end of the job are freed.
 *     jd_channel c; int e = jd_channel_create(me, sizeof(struct job), 16, &c);
 *     jd_async_local(me, CONSUME, &c, sizeof c);
 *     while (!e && next_job(&job)) e = jd_channel_send(me, c, &job, JD_FOREVER);
 *     jd_channel_close(me, c);                     // the consumer gets the rest, then JD_ECLOSED
 */
JD_PUBLIC int jd_channel_create(jd_self *me, size_t item_size, size_t capacity,
                                jd_channel *out) JD_MUST_CHECK;

/*
 * Copy an item into the channel, or out of it; wait until `deadline` while it is full, or empty.  Any
 * number of tasks of the rank may do so at a time; whoever has come first is served first.
 * JD_ETIMEDOUT or JD_ECANCELED: nothing was sent or received, and the place among those who wait is
 * lost.  JD_ECLOSED: the same, because the channel was closed; a receiver gets this only when nothing is
 * inside.  A call that need not wait does not ask for the deadline or a cancellation.
 *     while (!jd_channel_receive(me, c, &job, JD_FOREVER)) run(&job);
 *     if (jd_channel_send(me, c, &job, JD_NOW) == JD_ETIMEDOUT) ...       // it is full
 */
JD_PUBLIC int jd_channel_send(jd_self *me, jd_channel channel, const void *item,
                              jd_time deadline) JD_MUST_CHECK;
JD_PUBLIC int jd_channel_receive(jd_self *me, jd_channel channel, void *item,
                                 jd_time deadline) JD_MUST_CHECK;

/*
 * Wait until there is room for an item, and keep that room; put the item there later, without waiting;
 * or give the room back.  So an item is made only when it can be sent.  Waiting for room is like waiting to
 * send, in the same line; kept room counts as full.  Any task of the rank may commit or release what another
 * one has reserved.  JD_EINVAL: the capacity is 0.  JD_ESTATE: nothing is reserved.  JD_ECLOSED: the channel was
 * closed; from jd_channel_commit too, and then the item was not sent and the room is no longer kept.
 *     if (!jd_channel_reserve(me, c, JD_FOREVER)) {
 *         int e = next_job(&job) ? jd_channel_commit(me, c, &job) : jd_channel_release(me, c);
 *         ...
 */
JD_PUBLIC int jd_channel_reserve(jd_self *me, jd_channel channel,
                                 jd_time deadline) JD_MUST_CHECK;
JD_PUBLIC int jd_channel_commit(jd_self *me, jd_channel channel,
                                const void *item) JD_MUST_CHECK;
JD_PUBLIC int jd_channel_release(jd_self *me, jd_channel channel);

/* Nothing more can be sent; all who wait go on with JD_ECLOSED.  What is inside can still be received.
 * To close again does nothing. */
JD_PUBLIC int jd_channel_close(jd_self *me, jd_channel channel);
/* Close, and forget the channel with what is inside.  Once, on its rank. */
JD_PUBLIC int jd_channel_destroy(jd_self *me, jd_channel channel);

/* ---- events ------------------------------------------------------------------------- */

/* The name of something that tasks of one rank wait for; as that of a channel. */
typedef struct jd_event {
    uint64_t number;
    uint32_t home, reserved;
} jd_event;

/*
 * A new event of this rank, which is set when `count` signals have come; with 0 it is set from the beginning.
 * Events that are left at the end of the job are freed.
 *     jd_event e; int error = jd_event_create(me, 2, &e);
 *     jd_async_local(me, LOAD, &e, sizeof e);      // each of the two ends with jd_event_signal(me, e, 1)
 *     jd_async_local(me, PARSE, &e, sizeof e);
 *     error = jd_event_wait(me, e, jd_deadline(me, 2000000));
 */
JD_PUBLIC int jd_event_create(jd_self *me, uint64_t count, jd_event *out) JD_MUST_CHECK;

/* `n` signals at once.  All who wait go on when the event becomes set.  It stays set, and more signals do
 * nothing. */
JD_PUBLIC int jd_event_signal(jd_self *me, jd_event event, uint64_t n);

/*
 * Wait until the event is set; 0 at once if it is.  JD_ETIMEDOUT, JD_ECANCELED: it was not set in time.  JD_ECLOSED: it
 * was destroyed meanwhile.  A cancelled wait costs nothing.  A call that need not wait does not ask for the
 * deadline or a cancellation.
 *     if (jd_event_wait(me, e, JD_NOW)) ...        // it is not set yet
 */
JD_PUBLIC int jd_event_wait(jd_self *me, jd_event event, jd_time deadline) JD_MUST_CHECK;

/* From now on `count` signals are missing, however many have come; who waits goes on waiting.  With 0 the event
 * becomes set. */
JD_PUBLIC int jd_event_reset(jd_self *me, jd_event event, uint64_t count);
/* Forget the event; all who wait go on with JD_ECLOSED.  Once, on its rank. */
JD_PUBLIC int jd_event_destroy(jd_self *me, jd_event event);

/*
 * For a thread that is no ULT, and has no `me`: with the key of an event it may signal that event, at any time
 * before the body returns.  JD_EINVAL: the event was destroyed.  The key is plain bytes of this process, and
 * any number of threads may use it.
 *     jd_event_key key; int error = jd_event_get_key(me, e, &key);
 *     pthread_create(&thread, NULL, disk, &key);   // ends with jd_event_signal_key(*(jd_event_key *)arg, 1)
 */
typedef struct jd_event_key {
    void *opaque;
    uint64_t number;
} jd_event_key;
JD_PUBLIC int jd_event_get_key(jd_self *me, jd_event event,
                               jd_event_key *out) JD_MUST_CHECK;
JD_PUBLIC int jd_event_signal_key(jd_event_key key, uint64_t n);

/*
 * The library cannot see what threads do that are no ULTs.  One that may still wake a task, by the key of an event,
 * by jd_resume, or by what it writes to a descriptor, is registered by a task of the rank before it starts.  It leaves
 * when it will wake nobody any more, itself or by another thread that has its handle.  So nobody takes the job for one that hangs
 * meanwhile.  `name` is for messages; 31 bytes of it are copied.  The handle is plain bytes of this process.  JD_EINVAL:
 * no name; the thread has left before.  The call that leaves returns before the body does: threads that are registered
 * then are named in a warning, and the job ends as without them.
 *     struct disk d = {.key = key};
 *     int error = jd_foreign_enter(me, "disk", &d.handle);
 *     pthread_create(&thread, NULL, read_disk, &d);
 * and in read_disk, when all is read:
 *     jd_event_signal_key(d->key, 1);
 *     jd_foreign_leave(d->handle);
 */
typedef struct jd_foreign {
    void *opaque;
    uint64_t number;
} jd_foreign;
JD_PUBLIC int jd_foreign_enter(jd_self *me, const char *name,
                               jd_foreign *out) JD_MUST_CHECK;
JD_PUBLIC int jd_foreign_leave(jd_foreign handle);

/* ---- select ------------------------------------------------------------------------- */

enum jd_case_kind {
    JD_CASE_OFF, /* a case that is skipped */
    JD_CASE_SEND,
    JD_CASE_RECEIVE,
    JD_CASE_RESERVE,
    JD_CASE_EVENT,
    JD_CASE_FUTURE,
    JD_CASE_FD,
    JD_CASE_KINDS
};

/* One of the cases of jd_select, made by a function below. */
typedef struct jd_case {
    int kind;  /* of enum jd_case_kind */
    int error; /* after jd_select: see there */
    uint64_t number;
    uint32_t home, size;
    void *item;
    int ready, reserved; /* of a descriptor, after jd_select: JD_IN, JD_OUT or both */
    uint64_t opaque[16];
} jd_case;

static inline jd_case jd_case_about(int kind, uint64_t number, uint32_t home,
                                    const void *item, size_t size)
{
    jd_case c = {kind, 0, number, home, 0, (void *)(uintptr_t)item, 0, 0, {0}};
    c.size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
    return c;
}
/* The item is read, or written, when the case is carried out: before jd_select returns. */
static inline jd_case jd_case_send(jd_channel channel, const void *item)
{
    return jd_case_about(JD_CASE_SEND, channel.number, channel.home, item, 0);
}
static inline jd_case jd_case_receive(jd_channel channel, void *item)
{
    return jd_case_about(JD_CASE_RECEIVE, channel.number, channel.home, item, 0);
}
static inline jd_case jd_case_reserve(jd_channel channel)
{
    return jd_case_about(JD_CASE_RESERVE, channel.number, channel.home, NULL, 0);
}
static inline jd_case jd_case_event(jd_event event)
{
    return jd_case_about(JD_CASE_EVENT, event.number, event.home, NULL, 0);
}
/* The value of a future of any rank, n bytes as for jd_future_get; NULL and 0: wait until it is set. */
static inline jd_case jd_case_future(jd_future future, void *value, size_t n)
{
    return jd_case_about(JD_CASE_FUTURE, future.number, future.home, value, n);
}

/* A descriptor that can do one of `what`, as for jd_wait_fd. */
static inline jd_case jd_case_fd(int fd, int what)
{
    uint64_t number = fd < 0 ? UINT64_MAX : (uint64_t)fd;
    return jd_case_about(JD_CASE_FD, number, (uint32_t)what, NULL, 0);
}

/*
 * Wait until one of `n` cases can be carried out, carry out exactly this one, and return its index.  The others
 * have done nothing.  If several are ready, each has the same chance; with JD_ORDERED the first of them in the
 * order given is taken.
 * `error` of a case says 0; or JD_ECLOSED if its channel was closed, or its event destroyed while the call waited;
 * or JD_EINVAL if its future was destroyed then, or has a value of another size; or JD_ENOMEM if the other rank
 * had no memory for the question; or what jd_wait_fd would return.  Such a case counts as ready, and as in the
 * single calls nothing was sent or received.
 * JD_ETIMEDOUT, JD_ECANCELED: no case was carried out, and the places in all lines are lost.  JD_EINVAL: none was,
 * because a case is wrong; its `error` says so too.  JD_ENOTSUP: likewise, a descriptor in the simulator.  A call
 * that need not wait does not ask for the deadline or a cancellation.
 * Cases may be used again, and several may be about the same thing, but for one direction of a descriptor.  A
 * case whose kind is JD_CASE_OFF is skipped; without cases the call waits for the deadline.  A future of another
 * rank is asked when the call waits, so with JD_NOW it is never ready.
 *     jd_case c[] = {jd_case_receive(jobs, &job), jd_case_event(stop)};
 *     for (int i; (i = jd_select(me, c, 2, 0, JD_FOREVER)) == 0 && !c[0].error;)
 *         run(&job);
 */
enum { JD_ORDERED = 1 };
JD_PUBLIC int jd_select(jd_self *me, jd_case *cases, size_t n, int flags,
                        jd_time deadline) JD_MUST_CHECK;

/* ---- mutexes and conditions --------------------------------------------------------- */

/*
 * Mutual exclusion between tasks of one rank, and waiting until another one has changed what a mutex
 * protects.  The storage is the program's, may be part of a struct, and all zero is free and without
 * waiters.  It may be given back when no call uses it any more: by whoever has unlocked it last.
 *     struct account { jd_mutex lock; jd_cond more; long sum; };  // JD_MUTEX_INIT, JD_COND_INIT
 *     int e = jd_mutex_lock(me, &a->lock, deadline);
 *     if (e) return e;
 *     while (!e && a->sum < 100) e = jd_cond_wait(me, &a->more, &a->lock, deadline);
 *     if (!e) a->sum -= 100;
 *     jd_mutex_unlock(me, &a->lock);                              // whatever the wait has said
 */
typedef struct jd_mutex {
    uint64_t opaque[4];
} jd_mutex;
typedef struct jd_cond {
    uint64_t opaque[4];
} jd_cond;
/* clang-format off */
#define JD_MUTEX_INIT { { 0 } }
#define JD_COND_INIT  { { 0 } }
/* clang-format on */

/*
 * The caller has the mutex from here on, also while it waits and when it goes on on another worker, until
 * it gives the mutex back.  A free mutex is taken at once, whatever the deadline.  Who waits longest is
 * woken first; if somebody else is quicker then, it is handed over to the one that was woken, the next time.
 * JD_ETIMEDOUT, JD_ECANCELED: the mutex was not taken, and the place among those who wait is lost.
 * JD_ENOMEM: the same, as jd_sleep_until.
 * JD_ESTATE: the caller has it already, or a task has it that waits for the caller's end on the same stack.
 */
JD_PUBLIC int jd_mutex_lock(jd_self *me, jd_mutex *m, jd_time deadline) JD_MUST_CHECK;
/* JD_ESTATE: it is not the caller's. */
JD_PUBLIC int jd_mutex_unlock(jd_self *me, jd_mutex *m);

/*
 * Give the mutex back, wait for a signal, and take the mutex again.  The caller has the mutex when this
 * returns, whatever it returns: to take it again waits without a deadline, and no cancellation ends that.
 * So JD_ETIMEDOUT may come later than `deadline`, by as long as others have the mutex.  JD_ETIMEDOUT,
 * JD_ECANCELED, JD_ENOMEM: no signal was used up.  JD_ESTATE: the mutex is not the caller's.  It returns only after a
 * signal or an error, but others may have had the mutex in between: look again at what was waited for.
 */
JD_PUBLIC int jd_cond_wait(jd_self *me, jd_cond *c, jd_mutex *m,
                           jd_time deadline) JD_MUST_CHECK;
/* Let the one that waits longest go on, or all; a signal that finds nobody is lost.  Those who go on get the
 * mutex one after the other.  The caller need not have the mutex. */
JD_PUBLIC void jd_cond_signal(jd_self *me, jd_cond *c);
JD_PUBLIC void jd_cond_broadcast(jd_self *me, jd_cond *c);

/* ---- phasers ------------------------------------------------------------------------ */

/* The name of phases that tasks of one rank go through together; plain bytes, may be part of an argument.
 * On another rank, and after it was destroyed, it is JD_EINVAL.  number 0: none. */
typedef struct jd_phaser {
    uint64_t number;
    uint32_t home, reserved;
} jd_phaser;

/* A phase ends when all registered tasks that signal have signalled it.  A task that only signals may be
 * any number of phases ahead of those who wait. */
enum jd_phase_mode { JD_PHASE_SIGNAL = 1, JD_PHASE_WAIT = 2, JD_PHASE_BOTH = 3 };

/* With which phaser a task is registered, and as what. */
typedef struct jd_phased {
    jd_phaser phaser;
    unsigned mode; /* enum jd_phase_mode */
} jd_phased;

/*
 * A new phaser of this rank, in phase 0.  The caller is registered in that mode; mode 0: it is not.  Phasers
 * that are left at the end of the job are freed.  A caller that signals holds the first phase until it drops
 * itself, so tasks that are spawned one after the other begin together.  It must do so before it waits for
 * them in jd_finish_end.
 *     jd_finish_begin(me, &s);
 *     jd_phaser_create(me, JD_PHASE_SIGNAL, &p);
 *     for (row.i = 0; row.i < n; row.i++)          // row.p is p
 *         jd_async_phased(me, &(jd_phased){p, JD_PHASE_BOTH}, 1, ROW, &row, sizeof row);
 *     jd_phaser_drop(me, p);
 *     jd_finish_end(me, &s);
 * and in each ROW, whose neighbours read what it has written:
 *     for (int t = 0; !e && t < steps; t++) {
 *         compute(row->i, t);
 *         e = jd_phaser_next(me, row->p, JD_FOREVER);
 *     }
 */
JD_PUBLIC int jd_phaser_create(jd_self *me, unsigned mode, jd_phaser *out) JD_MUST_CHECK;

/*
 * As jd_async_local, and the task is registered with these phasers, up to 64, from now on.  When it ends, or
 * is dropped because its finish is cancelled, it is not any more, and holds nobody.  It begins in the phase
 * in which the caller is, if that does the same (signals, waits, both), else in the phase that runs.  Only a
 * caller that is registered to signal knows which one that is.
 *     jd_phased as[] = {{full, JD_PHASE_WAIT}, {empty, JD_PHASE_SIGNAL}};
 *     jd_async_phased(me, as, 2, CONSUME, as, sizeof as);
 */
JD_PUBLIC int jd_async_phased(jd_self *me, const jd_phased *phasers, size_t nphasers,
                              jd_task task, const void *arg, size_t size) JD_MUST_CHECK;

/*
 * Signal the caller's phase, and wait for its end; only the one or the other if that is its mode.  Whoever
 * has waited sees what the others did before they signalled.  JD_ETIMEDOUT, JD_ECANCELED or, as
 * jd_sleep_until, JD_ENOMEM: the signal stays given, and the wait can be made again, by the same call.
 * JD_ECLOSED: no task that signals is left, and nobody has signalled this phase, or the phaser was
 * destroyed.  JD_ESTATE: the caller is not registered.  A call that need not wait does not ask for the
 * deadline or a cancellation.
 *     while (!(e = jd_phaser_next(me, p, JD_FOREVER))) use(i++ % 2);   // as JD_PHASE_WAIT
 */
JD_PUBLIC int jd_phaser_next(jd_self *me, jd_phaser phaser,
                             jd_time deadline) JD_MUST_CHECK;
/* The halves of it, so that the caller does something in between.  JD_ESTATE: it is not the caller's mode;
 * a caller in mode both has signalled already, or waits without.
 *     jd_phaser_signal(me, p); inside(row); e = jd_phaser_wait(me, p, JD_FOREVER); */
JD_PUBLIC int jd_phaser_signal(jd_self *me, jd_phaser phaser) JD_MUST_CHECK;
JD_PUBLIC int jd_phaser_wait(jd_self *me, jd_phaser phaser,
                             jd_time deadline) JD_MUST_CHECK;

/* The caller is not registered any more.  What it has signalled stays signalled. */
JD_PUBLIC int jd_phaser_drop(jd_self *me, jd_phaser phaser);
/* How many phases have ended, or JD_EINVAL.  Any task may ask. */
JD_PUBLIC int64_t jd_phaser_phase(const jd_self *me, jd_phaser phaser);
/* Forget the phaser; all who wait go on with JD_ECLOSED.  Once, on its rank, by any task. */
JD_PUBLIC int jd_phaser_destroy(jd_self *me, jd_phaser phaser);
/* ---- descriptors ------------------------------------------------------------------- */

enum { JD_IN = 1, JD_OUT = 2 };

/*
 * Wait until the descriptor can be read (JD_IN), written (JD_OUT), or one of both (JD_IN | JD_OUT), and
 * return what it can: JD_IN, JD_OUT, or both, of what was asked for.  At the end of a stream, when the other side
 * has hung up, and after an error it can be both, because neither would wait.  A file is always ready.  The
 * descriptor should not block (O_NONBLOCK): with JD_NOW, or when another task reads what has come, there may be
 * nothing to read any more.
 *
 * One task at a time may wait for each direction of a descriptor; the next gets JD_EBUSY.  JD_ETIMEDOUT,
 * JD_ECANCELED: nothing was read or written, nothing is lost.  JD_ECLOSED: jd_fd_forget was called meanwhile.
 * JD_EINVAL: not open, or no direction.  JD_ENOTSUP: in the simulator, whose time is not that of the kernel.
 * JD_ENOMEM, and JD_ESYS: the first wait has found no memory, no thread or no descriptor.  A call that need not
 * wait asks neither for the deadline nor for a cancellation, nor who else waits.  A task that waits becomes
 * ready while all workers compute, and goes on when a worker is free.
 *     while ((e = jd_wait_fd(me, fd, JD_IN, JD_FOREVER)) > 0 && (n = read(fd, bytes, sizeof bytes)) > 0)
 *         use(bytes, n);                           // errno: see "waiting"
 */
JD_PUBLIC int jd_wait_fd(jd_self *me, int fd, int what, jd_time deadline) JD_MUST_CHECK;

/*
 * Call this before a descriptor that was waited for is closed: who still waits for it goes on with
 * JD_ECLOSED.  The number may be used again at once.  Without it, a task that waits for a descriptor which
 * another one closes waits until its deadline.
 *     jd_fd_forget(me, fd);
 *     close(fd);
 */
JD_PUBLIC int jd_fd_forget(jd_self *me, int fd);

#ifdef __cplusplus
}
#endif
#endif
