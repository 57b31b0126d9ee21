/*
 * idle.c - the one way to wait, on a futex.
 *
 * Role: the eventcount of idle.h and the stages of a wait.
 * Owner: one waiter at a time writes waiting = 1; any thread wakes.
 * Invariants: I1 and I2 of idle.h.
 *             I3 the waker that takes `waiting` from 1 to 0 advances seq and wakes.  Other
 *                wakers rely on that one, so a burst of wakes costs one system call.
 *             I4 a waiter may return early, because it looks for work again anyway.
 * Order: [pair: idle-wake] the full fence of prepare stands between "waiting = 1" and the
 *        waiter's look for work; the fence of wake stands between the publication and the
 *        look at `waiting`.  What came before the earlier fence is seen after the later one.
 *        [pair: idle-seq] the fence before wake's advance, the acquire of the waiter's reads.
 * See: core/idle.h, test/unit/core_idle_*.
 */
#include "core/idle.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__)
#define WITH_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WITH_TSAN 1
#endif
#endif

#ifdef WITH_TSAN
/* TSan does not know fences.  Read-modify-writes of one word have the same effect and cost
 * more: they have one order, and the later one synchronises with the earlier one. */
static void full_fence(struct jdi_idle *i)
{
    atomic_fetch_add_explicit(&i->seq, 0, memory_order_seq_cst); /* [pair: idle-wake] */
}
#else
static void full_fence(struct jdi_idle *i)
{
    (void)i;
    atomic_thread_fence(memory_order_seq_cst); /* [pair: idle-wake] */
}
#endif

#if defined(__x86_64__) || defined(__i386__)
static void relax_cpu(void)
{
    __builtin_ia32_pause();
}
#elif defined(__aarch64__)
static void relax_cpu(void)
{
    __asm__ volatile("isb" ::: "memory"); /* `yield` is a no-op on most cores */
}
#else
static void relax_cpu(void)
{
    __asm__ volatile("" ::: "memory");
}
#endif

enum { PAUSES_PER_SPIN = 8, NS_PER_SECOND = 1000000000 };

/* The kernel finds the sleepers of one process faster. */
static int futex_op(const struct jdi_idle *i, int op)
{
    return i->shared ? op : op | FUTEX_PRIVATE_FLAG;
}

/* The kernel sleeps only if seq still is `key`; both calls may fail harmlessly. */
static void futex_wait(struct jdi_idle *i, uint32_t key, const struct timespec *limit)
{
    (void)syscall(SYS_futex, &i->seq, futex_op(i, FUTEX_WAIT), key, limit, NULL, 0);
}

static void futex_wake_one(struct jdi_idle *i)
{
    (void)syscall(SYS_futex, &i->seq, futex_op(i, FUTEX_WAKE), 1, NULL, NULL, 0);
}

static void init(struct jdi_idle *i, bool shared)
{
    atomic_init(&i->seq, 0);
    atomic_init(&i->waiting, 0);
    i->sleeper = NULL;
    i->shared = shared;
}

void jdi_idle_init(struct jdi_idle *i)
{
    init(i, false);
}

void jdi_idle_init_shared(struct jdi_idle *i)
{
    init(i, true);
}

uint32_t jdi_idle_prepare(struct jdi_idle *i)
{
    /* The key is read before the announcement: a waker that sees the announcement advances
     * seq beyond the key.  The acquire keeps the load before the store.  Only a machine like
     * ARM would swap the two, x86 does not.  [pair: idle-seq] */
    uint32_t key = atomic_load_explicit(&i->seq, memory_order_acquire);

    atomic_store_explicit(&i->waiting, 1, memory_order_relaxed);
    full_fence(i);
    return key;
}

void jdi_idle_cancel(struct jdi_idle *i)
{
    atomic_store_explicit(&i->waiting, 0, memory_order_relaxed);
}

void jdi_idle_wait(struct jdi_idle *i, uint32_t key, uint64_t timeout_ns)
{
    struct timespec limit = {.tv_sec = (time_t)(timeout_ns / NS_PER_SECOND),
                             .tv_nsec = (long)(timeout_ns % NS_PER_SECOND)};

    /* A wake since prepare shows here already and saves the system call.  The acquire lets
     * the waiter see what was published before that wake.  [pair: idle-seq] */
    if (atomic_load_explicit(&i->seq, memory_order_acquire) == key)
        futex_wait(i, key, &limit);
    atomic_store_explicit(&i->waiting, 0, memory_order_relaxed);
}

void jdi_idle_wake_fenced(struct jdi_idle *i)
{
    if (JDI_LIKELY(!atomic_load_explicit(&i->waiting, memory_order_relaxed)))
        return;
    /* I3.  `waiting` must be taken before seq is advanced.  In the other order, a waiter that
     * returned and announced itself again in between would lose its announcement without an
     * advance beyond its new key. */
    if (!atomic_exchange_explicit(&i->waiting, 0, memory_order_relaxed))
        return;
    /* The caller's publication comes before the waiter's return: relaxed, because the full
     * fence before makes a release of it.  [pair: idle-seq] */
    atomic_fetch_add_explicit(&i->seq, 1, memory_order_relaxed);
    if (JDI_UNLIKELY(i->sleeper != NULL))
        i->sleeper->wake(i->sleeper);
    else
        futex_wake_one(i);
}

void jdi_idle_wake(struct jdi_idle *i)
{
    full_fence(i);
    jdi_idle_wake_fenced(i);
}

enum jdi_idle_stage jdi_idle_stage(struct jdi_idle_round *r,
                                   const struct jdi_idle_policy *p, uint64_t now)
{
    uint64_t waited;

    if (!r->since)
        r->since = now ? now : 1; /* 0 means that no round is open */
    waited = now > r->since ? now - r->since : 0;
    if (waited < p->spin_ns)
        return JDI_IDLE_SPIN;
    return waited - p->spin_ns < p->yield_ns ? JDI_IDLE_YIELD : JDI_IDLE_SLEEP;
}

void jdi_idle_pause(enum jdi_idle_stage stage)
{
    if (stage == JDI_IDLE_YIELD)
        sched_yield();
    else if (stage == JDI_IDLE_SPIN)
        for (int n = 0; n < PAUSES_PER_SPIN; n++)
            relax_cpu();
}

void jdi_idle_thread_init(void)
{
    /* The default slack of 50 us would be a third of the longest sleep.  A kernel that
     * refuses costs latency only. */
    (void)prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);
}

/* What sched_setattr takes; the C library has no name for it. */
struct sched_request {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

void jdi_idle_thread_prompt(void)
{
    /* A thread that yields, or has just run, waits for as long as a slice of its own.  The usual
     * one is 3 ms, this is the least that Linux has from 6.12 on.  Older ones ignore it. */
    struct sched_request r = {.size = sizeof r, .runtime = 100000};
#ifdef SYS_sched_setattr
    (void)syscall(SYS_sched_setattr, 0, &r, 0);
#endif
}
