/*
 * mutex.c - mutual exclusion between the tasks of a rank.
 *
 * Role: jd_mutex_lock, jd_mutex_unlock.
 * Owner: see mutex.h.
 * Invariants: I1 WAITERS is cleared only under the lock, by the owner, who leaves nobody in the line behind.
 *             I2 a free mutex with WAITERS has WOKEN: somebody is on the way to it.
 *             I3 WOKEN is set while one ULT that was woken has not looked again; there is one at most.
 *             I4 no lock is held while a ULT is made ready, and the mutex is not touched after it was given
 *                away but by those who wait for it.
 * Order: [pair: mutex-word] release by who gives the mutex away, acquire by who takes it: all that was done
 *        with it; [pair: lock] the line.
 * See: doc/waiting.md "Mutexes" has the table.
 */
#include "sched/wait/mutex.h"

enum { WAITERS = 1, WOKEN = 2, FLAGS = WAITERS | WOKEN };

static inline bool is_free(uintptr_t word)
{
    return !(word & ~(uintptr_t)FLAGS);
}

bool jdi_mutex_is_mine(struct jdi_mutex *m, const jd_self *me)
{
    /* Relaxed: nobody but the caller writes the caller's name, but for who hands it over, and that has
     * been heard of by [pair: wait-end]. */
    uintptr_t word = atomic_load_explicit(&m->word, memory_order_relaxed);
    return (word & ~(uintptr_t)FLAGS) == (uintptr_t)me;
}

/* ---- the line ------------------------------------------------------------------------- */

/* The first who still waits, claimed and out of the line; NULL if there is none.  Under the lock. */
static struct jdi_mutex_wait *claim_waiter(struct jdi_mutex *m)
{
    while (m->line.first) {
        struct jdi_mutex_wait *e =
            jdi_container_of(m->line.first, struct jdi_mutex_wait, link);
        jdi_line_leave(&m->line, &e->link);
        if (e->claimed || jdi_wait_claim(&e->wait))
            return e;
    }
    return NULL;
}

static void leave_mutex(struct jdi_mutex *m, struct jdi_mutex_wait *e)
{
    jdi_lock(&m->lock);
    if (jdi_link_is_in(&e->link))
        jdi_line_leave(&m->line, &e->link);
    jdi_unlock(&m->lock);
}

/* ---- taking --------------------------------------------------------------------------- */

/* Take the mutex if it is free. */
static bool take_mutex(struct jdi_mutex *m, const jd_self *me)
{
    uintptr_t word = atomic_load_explicit(&m->word, memory_order_relaxed);
    /* A failed exchange loads the word anew, and somebody else has changed it. */
    while (is_free(word))
        /* [pair: mutex-word] acquire. */
        if (atomic_compare_exchange_weak_explicit(&m->word, &word, word | (uintptr_t)me,
                                                  memory_order_acquire,
                                                  memory_order_relaxed))
            return true;
    return false;
}

/*
 * Take the mutex if it is free; else, if `joins`, stand in the line.  Returns true if it was taken.  A
 * ULT that was woken (`woken`) is no longer on its way, and stands in front.
 */
static bool enter_mutex(jd_self *me, struct jdi_mutex *m, struct jdi_mutex_wait *e,
                        bool woken, bool joins)
{
    jdi_lock(&m->lock);
    uintptr_t word = atomic_load_explicit(&m->word, memory_order_relaxed), next;
    bool mine;
    JD_ASSERT(!woken || word & WOKEN);
    do { /* a failed exchange loads the word anew, and somebody else has changed it */
        mine = is_free(word);
        next = word & ~(uintptr_t)(woken ? WOKEN : 0);
        next |= mine ? (uintptr_t)me : joins ? WAITERS : 0;
        /* [pair: mutex-word] acquire. */
    } while (next != word &&
             !atomic_compare_exchange_weak_explicit(
                 &m->word, &word, next, memory_order_acquire, memory_order_relaxed));
    if (!mine && joins) {
        e->claimed = false;
        e->lost = woken;
        if (woken)
            jdi_line_join_first(&m->line, &e->link);
        else
            jdi_line_join(&m->line, &e->link);
    }
    jdi_unlock(&m->lock);
    return mine;
}

/* Wait until the mutex is the caller's, or `e` says that it is over. */
static int wait_for_mutex(jd_self *me, struct jdi_mutex *m, struct jdi_mutex_wait *e,
                          bool woken)
{
    for (;; woken = true) {
        int error = 0;
        if (e->firm)
            jdi_wait_open_firm(&e->wait, me);
        else
            error = jdi_wait_open(&e->wait, me, e->deadline);
        /* Who was woken has to say that it came, also if it cannot wait any more. */
        if ((!error || woken) && enter_mutex(me, m, e, woken, !error))
            return 0;
        if (error)
            return error;
        struct jdi_cause why = {.kind = JDI_CAUSE_MUTEX,
                                .number = (uintptr_t)m,
                                .deadline = e->firm ? JD_FOREVER : e->deadline};
        int result = jdi_wait_park(&e->wait, &why);
        if (result == JDI_MUTEX_WOKEN)
            continue;
        if (result != JDI_MUTEX_HANDED)
            leave_mutex(m, e);
        return result;
    }
}

static JDI_NOINLINE int lock_contended(jd_self *me, struct jdi_mutex *m, jd_time deadline)
{
    if (take_mutex(m, me))
        return 0;
    if (jdi_mutex_is_mine(m, me))
        return JD_ESTATE;
    struct jdi_mutex_wait e;
    e.link.next = NULL;
    e.deadline = deadline;
    e.firm = false;
    return wait_for_mutex(me, m, &e, false);
}

int jd_mutex_lock(jd_self *me, jd_mutex *mutex, jd_time deadline)
{
    struct jdi_mutex *m = jdi_mutex_in(mutex);
    uintptr_t word = 0;
    JD_ASSERT(!((uintptr_t)me & FLAGS));
    /* [pair: mutex-word] acquire. */
    if (JDI_LIKELY(atomic_compare_exchange_strong_explicit(
            &m->word, &word, (uintptr_t)me, memory_order_acquire, memory_order_relaxed)))
        return 0;
    return lock_contended(me, m, deadline);
}

void jdi_mutex_retake(jd_self *me, struct jdi_mutex *m, struct jdi_mutex_wait *e,
                      int result)
{
    JD_ASSERT(!jdi_link_is_in(&e->link));
    if (result == JDI_MUTEX_HANDED)
        return;
    bool woken = result == JDI_MUTEX_WOKEN;
    if (!woken && take_mutex(m, me))
        return;
    e->firm = true;
    result = wait_for_mutex(me, m, e, woken);
    JD_CHECK(!result);
}

/* ---- giving away ---------------------------------------------------------------------- */

/* Somebody waits, and nobody is on the way.  False if all of them have ended: the caller still has the
 * mutex. */
static bool pass_mutex(jd_self *me, struct jdi_mutex *m)
{
    jdi_lock(&m->lock);
    struct jdi_mutex_wait *e = claim_waiter(m);
    bool hand = e && e->lost;
    uintptr_t rest = m->line.first ? WAITERS : 0;
    uintptr_t next = (uintptr_t)(!e ? me : hand ? e->wait.me : NULL) | rest;
    /* Nobody else changes the word: it is not free, and joining takes the lock.
     * [pair: mutex-word] release. */
    atomic_store_explicit(&m->word, next | (e && !hand ? WOKEN : 0),
                          memory_order_release);
    jdi_unlock(&m->lock);
    if (e)
        jdi_wait_end(me->worker, &e->wait, hand ? JDI_MUTEX_HANDED : JDI_MUTEX_WOKEN);
    return e != NULL;
}

static JDI_NOINLINE int unlock_contended(jd_self *me, struct jdi_mutex *m)
{
    if (!jdi_mutex_is_mine(m, me))
        return JD_ESTATE;
    uintptr_t word = atomic_load_explicit(&m->word, memory_order_relaxed);
    for (;;) {
        if ((word & FLAGS) == WAITERS) {
            if (pass_mutex(me, m))
                return 0;
            word = atomic_load_explicit(&m->word, memory_order_relaxed);
            continue;
        }
        /* [pair: mutex-word] release.  A failed exchange loads the word anew: a flag has changed. */
        if (atomic_compare_exchange_weak_explicit(&m->word, &word, word & FLAGS,
                                                  memory_order_release,
                                                  memory_order_relaxed))
            return 0;
    }
}

int jd_mutex_unlock(jd_self *me, jd_mutex *mutex)
{
    struct jdi_mutex *m = jdi_mutex_in(mutex);
    uintptr_t word = (uintptr_t)me;
    /* [pair: mutex-word] release. */
    if (JDI_LIKELY(atomic_compare_exchange_strong_explicit(
            &m->word, &word, 0, memory_order_release, memory_order_relaxed)))
        return 0;
    return unlock_contended(me, m);
}

void jdi_mutex_move(struct jdi_worker *by, struct jdi_mutex *m, struct jdi_mutex_wait *e)
{
    JD_ASSERT(!jdi_link_is_in(&e->link));
    jdi_lock(&m->lock);
    uintptr_t word = atomic_load_explicit(&m->word, memory_order_relaxed), next;
    do /* as in enter_mutex */
        next = word ? word | WAITERS : WOKEN;
    while (next != word && !atomic_compare_exchange_weak_explicit(&m->word, &word, next,
                                                                  memory_order_relaxed,
                                                                  memory_order_relaxed));
    if (word) {
        e->claimed = true;
        e->lost = false;
        jdi_line_join(&m->line, &e->link);
    }
    jdi_unlock(&m->lock);
    if (!word)
        jdi_wait_end(by, &e->wait, JDI_MUTEX_WOKEN);
}
