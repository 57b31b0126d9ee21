/*
 * ult.h - user-level threads: the narrow waist between the scheduler and an engine.
 *
 * Role: makes ULTs, switches between them, frees them; runs streams (kernel threads) on which ULTs
 *       run.
 * Owner: the stream that runs a ULT owns it; while the ULT is stopped, whoever was handed it.  Any
 *        stream of the engine may call `create` and `destroy`.  One thread, the opener, calls
 *        `open`, `start`, `enter`, `join` and `close`.
 * Invariants: I1 a jump is symmetric: the caller stops, `to` goes on, on the same stream.
 *             I2 what a jump returns is the `data` of the jump that came back.
 *             I3 a ULT that stopped on one stream may go on on another.  A stopped ULT is published
 *                after the jump away from it has ended, so by the successor.  A stream's base
 *                context goes on on that stream only.
 *             I4 a stack ends in a guard; an overflow prints its cause and ends the process.
 *             I5 errno and C++'s exceptions, of those that are handled and that are on their way, are
 *                after a jump as they were when its caller stopped; a new ULT has none.
 * See: core/ult/boost.c (Boost.Context), core/ult/argobots.c (Argobots), core/ult/guard.h,
 *      core/ult/own.h and core/ult/stack.h (what both share), test/unit/core_ult_*.
 */
#ifndef JDI_CORE_ULT_ULT_H
#define JDI_CORE_ULT_ULT_H

#include "core/base.h"
#include "core/fault.h"
#include "core/log.h"

struct jdi_ult;    /* opaque: one user-level thread */
struct jdi_engine; /* opaque: one per rank */

/*
 * A ULT's function.  `data` is the data of the first jump to the ULT.  Returns the ULT that goes
 * on, never itself; the jump of that ULT returns NULL.  The finished ULT is then dead, and another
 * ULT must free it.
 */
typedef struct jdi_ult *jdi_ult_fn(void *arg, void *data);

/*
 * A stream's function runs on the stream's base context, a stack large enough for anything (1 MiB
 * or more; the kernel thread's native stack where the engine can use it).  `base` is that context
 * as a ULT: ULTs of the same stream can jump back to it, and fn returns on it.
 */
typedef void jdi_stream_fn(void *arg, unsigned stream, struct jdi_ult *base);

/* What runs on a stream, for a message: "task " and its name, or "the body" and "".  Called by
 * signal handlers on that stream. */
typedef void jdi_ult_what_fn(void *arg, unsigned stream, const char **kind,
                             const char **name);

/* What a ULT shall have: so large a stack, and at its top, in the page that each ULT touches anyway,
 * room for the caller. */
struct jdi_ult_room {
    size_t
        stack; /* bytes, JDI_STACK_LEAST to JDI_STACK_MOST; 0: as the configuration says */
    size_t bytes; /* of the room */
    void *at;     /* set by create; aligned to 16, lives as long as the ULT */
};

struct jdi_ult_config {
    unsigned streams; /* kernel threads that will be started or will enter */
    size_t
        stack_size; /* bytes, without the guard; a record of under 256 and the room are part of it */
    struct jdi_log *log;
    struct jdi_fault *fault;
    void *network;         /* if the engine belongs to a network: its struct jdi_am */
    jdi_ult_what_fn *what; /* NULL: nobody knows */
    void *what_arg;
};

/*
 *   open     an engine for this rank: 0, JD_ENOMEM or JD_ESYS (logged).  Argobots has one
 *            engine per process at a time; a second one is refused with JD_ESYS.
 *   start    start stream `i`: a new kernel thread that runs fn(arg, i, base) and ends.
 *            0, JD_ENOMEM, or JD_ESYS if the thread cannot be made (logged).  All signals
 *            but the synchronous ones are blocked in it.
 *   enter    the same on the calling thread, its signals untouched; returns when fn has
 *            returned.
 *   join     sleep until stream `i`, started before, has ended.
 *   create   a stopped ULT that will run fn(arg, data); NULL when out of memory.  If `room` is not
 *            NULL the ULT has that room, whose address fn gets in place of arg.
 *   jump     I1, I2, I5.  self must be the ULT that calls.
 *   destroy  free a ULT that has finished, or that never ran.  May be called right after the jump
 *            out of the finished ULT.  On a stream, or by the opener.
 *   close    free the engine; no ULT of it is left and every stream has ended.
 */
struct jdi_ult_ops {
    const char *name; /* "boost", "argobots" */
    int (*open)(struct jdi_engine **out, const struct jdi_ult_config *c);
    int (*start)(struct jdi_engine *e, unsigned i, jdi_stream_fn *fn, void *arg);
    void (*enter)(struct jdi_engine *e, unsigned i, jdi_stream_fn *fn, void *arg);
    void (*join)(struct jdi_engine *e, unsigned i);
    struct jdi_ult *(*create)(struct jdi_engine *e, jdi_ult_fn *fn, void *arg,
                              struct jdi_ult_room *room);
    void *(*jump)(struct jdi_ult *self, struct jdi_ult *to, void *data);
    void (*destroy)(struct jdi_ult *u);
    void (*close)(struct jdi_engine *e);
};

extern const struct jdi_ult_ops jdi_ult_boost;
/* Exists only if configure found Argobots; ask jdi_ult_find. */
extern const struct jdi_ult_ops jdi_ult_argobots;

/* The engine of that name, or the default if name is NULL.  NULL if it is not built in. */
const struct jdi_ult_ops *jdi_ult_find(const char *name);

#endif
