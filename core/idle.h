/*
 * idle.h - the one way to wait: everything that waits does so here.
 *
 * Role: an eventcount with a spin, then yield, then sleep back-off.
 * Owner: one waiter at a time per struct; any thread may wake it, also of another process if the
 *        struct lies in memory that both share.
 * Invariants: I1 a wake after `prepare` is never lost.
 *             I2 a waiter that sleeps costs no CPU until a wake or its time-out.
 * Order: [pair: idle-wake] seq_cst on both sides: the waiter announces itself and then
 *        looks for work, the waker publishes work and then looks for a waiter (Dekker).
 * See: test/unit/core_idle_*.
 *
 *     key = jdi_idle_prepare(i);
 *     if (there is work) jdi_idle_cancel(i);
 *     else jdi_idle_wait(i, key, timeout_ns);
 */
#ifndef JDI_CORE_IDLE_H
#define JDI_CORE_IDLE_H

#include "core/base.h"

#include <stdatomic.h>

/* A sleeper in virtual time: how to wake it. */
struct jdi_idle_sleeper {
    void (*wake)(struct jdi_idle_sleeper *me);
};

struct jdi_idle {
    _Atomic uint32_t seq; /* futex word; writers: wakers */
    /* 1 while somebody may sleep; writers: the waiter, and the waker that resets it */
    _Atomic uint32_t waiting;
    struct jdi_idle_sleeper *sleeper; /* NULL except in virtual time: one thread */
    bool shared;                      /* threads of other processes wake, too; constant */
};

/* How long each stage of a wait lasts, in ns; from the knob JACKDAW_IDLE. */
struct jdi_idle_policy {
    uint64_t spin_ns, yield_ns, sleep_ns; /* sleep_ns: longest single sleep */
};

/* One wait, from the moment when the work ran out: remembers its stage. */
struct jdi_idle_round {
    uint64_t since; /* 0: no round open */
};

enum jdi_idle_stage { JDI_IDLE_SPIN = 1, JDI_IDLE_YIELD, JDI_IDLE_SLEEP };

void jdi_idle_init(struct jdi_idle *i);
/* The same in memory that several processes share. */
void jdi_idle_init_shared(struct jdi_idle *i);
uint32_t jdi_idle_prepare(struct jdi_idle *i);
void jdi_idle_cancel(struct jdi_idle *i);
/* Sleep until a wake since `prepare` or the time-out; ends the announcement.  May return early:
 * the caller looks for work again. */
void jdi_idle_wait(struct jdi_idle *i, uint32_t key, uint64_t timeout_ns);
/* Any thread.  Costs a fence and one load when nobody waits.  The caller publishes the work
 * first, so that the waiter finds it. */
void jdi_idle_wake(struct jdi_idle *i);
/* The same without the fence.  The caller has passed a full fence after it published the work, so
 * it can wake several waiters at the cost of that one. */
void jdi_idle_wake_fenced(struct jdi_idle *i);

/* True if a waiter has announced that it will sleep and nobody has woken it since.  A hint. */
static inline bool jdi_idle_waits(const struct jdi_idle *i)
{
    return atomic_load_explicit(&i->waiting, memory_order_relaxed);
}

/* Which stage a wait that began at r->since (opened here if 0) has reached at `now`. */
enum jdi_idle_stage jdi_idle_stage(struct jdi_idle_round *r,
                                   const struct jdi_idle_policy *p, uint64_t now);
/* The spin or the yield of a stage; JDI_IDLE_SLEEP is the caller's jdi_idle_wait. */
void jdi_idle_pause(enum jdi_idle_stage stage);

/* Once by each thread that will wait: makes its time-outs exact to about 1 us. */
void jdi_idle_thread_init(void);
/* Once by a thread that shares its core, runs for short and shall not wait long for the core. */
void jdi_idle_thread_prompt(void);

#endif
