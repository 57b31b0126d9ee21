/*
 * guard.h - what both engines need of the machine: guards and signals.
 *
 * Role: names the cause when a stack overflows, and the task when a task faults.
 * Owner: a guard belongs to its stream and to the signal handler on that stream; `before` of the
 *        first guard is constant after new.
 * Invariants: I1 the handler finds its guard at the low end of the alternate stack, so
 *                neither a global nor a thread-local is needed.
 * See: core/ult/ult.h, core/ult/stack.h; test/unit/core_ult_overflow_is_named.c.
 */
#ifndef JDI_CORE_ULT_GUARD_H
#define JDI_CORE_ULT_GUARD_H

#include "core/fault.h"
#include "core/log.h"
#include "core/ult/own.h"
#include "core/ult/stack.h"
#include "core/ult/ult.h"

#include <signal.h>
#include <stdatomic.h>

/* ---- the message on overflow ----------------------------------------------------- */

enum { JDI_GUARD_SIGNALS = 3 }; /* SIGSEGV, SIGBUS, SIGABRT */

/*
 * One guard per stream, at the low end of the stream's alternate signal stack.  The first guard of
 * an engine also holds the earlier actions of these signals, for all streams of the engine.
 */
struct jdi_guard {
    /* Writer: the stream; reader: its handler.  Relaxed: both are one thread. */
    _Atomic(const struct jdi_stack *) now;
    bool said;       /* the overflow; writer and reader: the handler */
    bool named;      /* the task; writer and reader: the handler */
    unsigned stream; /* this and the next two: writer: name */
    jdi_ult_what_fn *what;
    void *what_arg;
    struct jdi_own_at own; /* of the stream's thread; writer: enter */
    uint64_t magic;
    struct jdi_guard *first;
    const struct jdi_log *log;
    struct sigaction before[JDI_GUARD_SIGNALS]; /* first guard only */
    bool installed[JDI_GUARD_SIGNALS];
    stack_t outer; /* the thread's earlier alternate stack */
};

/*
 * If first is NULL this is the engine's first guard, which takes over these signals for the
 * process.  When the address of a fault lies in the guard of the stack that was noted last, the
 * handler prints "stack overflow ... raise JACKDAW_STACK_SIZE"; for every fault, and for abort(), it
 * says which task ran, if jdi_guard_name told it whom to ask.  A C++ program ends by abort() when
 * nobody catches an exception.  Then the earlier action gets the signal, on the alternate stack.  On threads without a guard, and where another engine of this
 * process came first, that is the default action.  Returns NULL when out of memory.
 */
struct jdi_guard *jdi_guard_new(struct jdi_guard *first, const struct jdi_log *log,
                                struct jdi_fault *fault);
/* The first guard must be freed last; this restores the earlier actions. */
void jdi_guard_free(struct jdi_guard *g);
/* The calling thread begins, or ends, using the alternate stack of g. */
void jdi_guard_enter(struct jdi_guard *g);
void jdi_guard_leave(struct jdi_guard *g);

/* The stream of this guard is `stream`.  Before it enters. */
static inline void jdi_guard_name(struct jdi_guard *g, unsigned stream,
                                  jdi_ult_what_fn *what, void *what_arg)
{
    g->stream = stream;
    g->what = what;
    g->what_arg = what_arg;
}

/* The stack that the calling stream runs on from now on. */
static inline void jdi_guard_note(struct jdi_guard *g, const struct jdi_stack *s)
{
    atomic_store_explicit(&g->now, s, memory_order_relaxed);
}

/* ---- signals ---------------------------------------------------------------------- */

/* Block all signals but the synchronous ones, which a thread itself causes.  `old` gets the set
 * before. */
void jdi_guard_signals_block(sigset_t *old);
void jdi_guard_signals_restore(const sigset_t *old);

#endif
