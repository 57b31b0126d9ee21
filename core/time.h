/*
 * time.h - the clock of a rank: the machine's, or a simulated network's.
 *
 * Role: the one seam through which scheduler and transport read the time, wait, and say how
 *       long a computation took.
 * Owner: constant after the rank is made; called by the rank's own threads.
 * Invariants: I1 NULL is the machine's clock and costs one branch.
 *             I2 code above am/ never asks which clock it is.
 * See: core/idle.h, am/sim/run.c, ARCHITECTURE.md "The simulator".
 */
#ifndef JDI_CORE_TIME_H
#define JDI_CORE_TIME_H

#include "core/idle.h"

/* A lock in virtual time.  Zeroed at first. */
struct jdi_time_lock {
    uint64_t free_at; /* ns */
    uint32_t last;    /* in whose cache it is alone, counted from 1; 0: in nobody's */
};

/*
 *   now     ns since the start.
 *   wait    as jdi_idle_wait.
 *   pause   as jdi_idle_pause.
 *   charge  `ns` of computing have passed; where several threads share a rank, the others
 *           have caught up when it returns.
 *   lock    the caller locks what `l` stands for, once those before it are done, and has let go of
 *           it when that returns.  The others catch up later, because the caller may hold a lock of
 *           its own.
 */
struct jdi_time {
    uint64_t (*now)(void *ctx);
    void (*wait)(void *ctx, struct jdi_idle *i, uint32_t key, uint64_t timeout_ns);
    void (*pause)(void *ctx, enum jdi_idle_stage stage);
    void (*charge)(void *ctx, uint64_t ns);
    void (*lock)(void *ctx, struct jdi_time_lock *l);
    void *ctx;
    uint64_t task_ns; /* ns of a task beside its jd_compute */
    uint64_t take_ns; /* ns to take tasks from another worker of the rank */
    uint64_t look_ns; /* ns to look at another worker in vain */
    uint64_t lock_ns; /* ns for which a queue is locked */
    bool shared;      /* others of the rank see what a task does: charge each by itself */
};

/* The machine's, in nanoseconds, monotonic.  Any thread. */
uint64_t jdi_time_ns(void);

/* What the calling thread has had of processors, in nanoseconds. */
uint64_t jdi_time_thread_ns(void);

static inline uint64_t jdi_time_now(const struct jdi_time *t)
{
    return t ? t->now(t->ctx) : jdi_time_ns();
}

/* The same by a clock: in virtual time a thread has no processor. */
static inline uint64_t jdi_time_cpu(const struct jdi_time *t)
{
    return t ? 0 : jdi_time_thread_ns();
}

static inline void jdi_time_wait(const struct jdi_time *t, struct jdi_idle *i,
                                 uint32_t key, uint64_t timeout_ns)
{
    if (t)
        t->wait(t->ctx, i, key, timeout_ns);
    else
        jdi_idle_wait(i, key, timeout_ns);
}

static inline void jdi_time_pause(const struct jdi_time *t, enum jdi_idle_stage stage)
{
    if (t)
        t->pause(t->ctx, stage);
    else
        jdi_idle_pause(stage);
}

/* `ntasks` have run.  Real time has passed by itself. */
static inline void jdi_time_tasks(const struct jdi_time *t, uint32_t ntasks)
{
    if (t)
        t->charge(t->ctx, ntasks * t->task_ns);
}

/* What a task takes in virtual time beside its jd_compute, ns. */
static inline uint64_t jdi_time_task_ns(const struct jdi_time *t)
{
    return t ? t->task_ns : 0;
}

/* True if every task has to be charged by itself. */
static inline bool jdi_time_shared(const struct jdi_time *t)
{
    return t && t->shared;
}

/* Tasks have been taken from another worker of the rank. */
static inline void jdi_time_take(const struct jdi_time *t)
{
    if (t)
        t->charge(t->ctx, t->take_ns);
}

/* The caller has looked at `n` other workers of the rank in vain. */
static inline void jdi_time_look(const struct jdi_time *t, unsigned n)
{
    if (t && t->look_ns && n)
        t->charge(t->ctx, n * t->look_ns);
}

/* The caller is about to do something at a time that others must not see before it has come. */
static inline void jdi_time_meet(const struct jdi_time *t)
{
    if (t)
        t->charge(t->ctx, 0);
}

/* The caller is about to lock a queue for a few instructions.  On a real machine the lock itself
 * takes its time. */
static inline void jdi_time_lock(const struct jdi_time *t, struct jdi_time_lock *l)
{
    if (t && t->lock_ns)
        t->lock(t->ctx, l);
}

/* The caller has looked at what the lock protects, and did not need to lock it. */
static inline void jdi_time_seen(const struct jdi_time *t, struct jdi_time_lock *l)
{
    if (t && t->lock_ns)
        l->last = 0;
}

/* A ULT goes on.  That takes time in any case, because otherwise a ULT that yields until
 * something has come would wait at one moment for ever. */
static inline void jdi_time_switch(const struct jdi_time *t)
{
    if (t)
        t->charge(t->ctx, t->task_ns ? t->task_ns : 1);
}

#endif
