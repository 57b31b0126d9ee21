/*
 * poller.c - an epoll set, and the thread that waits at it.
 *
 * Role: see poller.h; the only file that asks the kernel about descriptors.
 * Invariants: those of poller.h. I3 no function that uses errno suspends: a ULT may go on on another thread.
 * Order: [pair: idle-wake] who ceases to look, before the thread naps.
 * See: poller.h; epoll(7).
 */
#include "sched/wait/poller.h"

#include "core/time.h"
#include "core/ult/guard.h"

#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
    STACK_BYTES = 256 << 10, /* what it calls is shallow, but sanitizers need some */
    EVENTS_MOST = 64,        /* at a time: so many stand in no queue */
    TRIES = 4,               /* a file may go, and another one come, between two */
    DUE_NS = 20000,          /* between turns of those who have other things to do */
    LATE_NS = 50000,         /* after the last turn: then events may be late */
    NAP_NS = 500000,         /* of the thread, while events are seldom late */
    LATE_SHARE = 200,        /* one part in so many of the time they may be */
    CREDIT_MOST = 1000000,   /* ns, as the next */
    CREDIT_LEAST = -4000000,
    GAP_MOST = 100000000 /* ns: longer ones count as much */
};
#define BELL UINT64_MAX

/* ---- the kernel's words --------------------------------------------------------------- */

_Static_assert(POLLIN == EPOLLIN && POLLOUT == EPOLLOUT && POLLERR == EPOLLERR &&
                   POLLHUP == EPOLLHUP,
               "poll and epoll have the same bits");

static uint32_t bits_of(int what)
{
    return (what & JD_IN ? EPOLLIN : 0) | (what & JD_OUT ? EPOLLOUT : 0);
}

/* After an error or a hang-up neither direction would wait. */
static int mask_of(uint32_t bits)
{
    if (bits & (EPOLLERR | EPOLLHUP))
        return JD_IN | JD_OUT;
    return (bits & EPOLLIN ? JD_IN : 0) | (bits & EPOLLOUT ? JD_OUT : 0);
}

int jdi_poller_look(int fd, int what)
{
    struct pollfd p = {.fd = fd, .events = (short)bits_of(what)};
    int saved = errno, n;
    if (fd < 0)
        return JD_EINVAL;
    do
        n = poll(&p, 1, 0);
    while (n < 0 && errno == EINTR);
    errno = saved;
    if (n < 0)
        return JD_ESYS;
    return p.revents & POLLNVAL ? JD_EINVAL : mask_of((uint32_t)p.revents) & what;
}

/* ---- the thread ----------------------------------------------------------------------- */

/* Returns how many events there were; -1: the bell. */
static int take_events(struct jdi_poller *p, void *by, int timeout_ms)
{
    struct epoll_event event[EVENTS_MOST];
    int n = epoll_wait(p->epoll, event, EVENTS_MOST, timeout_ms);
    JD_CHECK(n >= 0 || errno == EINTR); /* else the program has closed the set */
    for (int i = 0; i < n; i++) {
        if (event[i].data.u64 == BELL)
            return -1;
        p->on_ready(p->ctx, by, event[i].data.u64, mask_of(event[i].events));
    }
    return n > 0 ? n : 0;
}

static uint64_t last_look(const struct jdi_poller *p)
{
    return atomic_load_explicit(&p->looked, memory_order_relaxed);
}

/* It is `gap` ns since the last look; `late`: now events were found, for which the thread has not waited. */
static void note_gap(struct jdi_poller *p, uint64_t gap, bool late)
{
    int64_t credit = atomic_load_explicit(&p->credit, memory_order_relaxed);
    if (late)
        credit -= (int64_t)(gap < NAP_NS ? gap : NAP_NS) - LATE_NS;
    else
        credit += (int64_t)(gap < GAP_MOST ? gap : GAP_MOST) / LATE_SHARE;
    credit = credit < CREDIT_LEAST ? CREDIT_LEAST : credit;
    credit = credit > CREDIT_MOST ? CREDIT_MOST : credit;
    atomic_store_explicit(&p->credit, credit, memory_order_relaxed);
}

/* A gap that the thread has ended; 0: none since the last look. */
static uint64_t ended_gap(struct jdi_poller *p)
{
    uint64_t gap = atomic_load_explicit(&p->ended, memory_order_relaxed);
    if (gap)
        atomic_store_explicit(&p->ended, 0, memory_order_relaxed);
    return gap;
}

static bool look_now(struct jdi_poller *p, void *by, bool idle, uint64_t now)
{
    int saved = errno;
    uint64_t last = last_look(p), gap = last && now > last ? now - last : 0;
    uint64_t ended = ended_gap(p);
    bool naps = jdi_idle_waits(&p->nap);
    atomic_store_explicit(&p->looked, now, memory_order_relaxed);
    int n = take_events(p, by, 0);
    errno = saved;
    if (ended && !idle)
        note_gap(p, ended, true);
    note_gap(p, gap, !idle && naps && n > 0 && gap > LATE_NS);
    return n > 0;
}

bool jdi_poller_turn(struct jdi_poller *p, void *by, bool idle)
{
    return look_now(p, by, idle, jdi_time_ns());
}

void jdi_poller_turn_if_due(struct jdi_poller *p, void *by)
{
    uint64_t now = jdi_time_ns();
    if (now >= last_look(p) + DUE_NS)
        (void)look_now(p, by, false, now);
}

void jdi_poller_watch(struct jdi_poller *p)
{
    atomic_store_explicit(&p->looked, 0, memory_order_relaxed);
    jdi_idle_wake(&p->nap); /* [pair: idle-wake] */
}

/*
 * The kernel wakes the thread for each event that comes while it waits.  While others look often, what comes is
 * theirs.  Returns for how long they have not looked if they have ceased to, else 0.
 */
static uint64_t nap_beside_others(struct jdi_poller *p)
{
    for (bool napped = false;; napped = true) {
        uint64_t last = last_look(p), now = jdi_time_ns();
        if (now >= last + LATE_NS)
            return napped && last ? now - last : 0;
        if (atomic_load_explicit(&p->credit, memory_order_relaxed) < 0)
            return 0;
        uint32_t key = jdi_idle_prepare(&p->nap);
        /* [pair: idle-wake] Who ceases to look says so, passes a fence and looks for a nap. */
        if (!last_look(p)) {
            jdi_idle_cancel(&p->nap);
            return 0;
        }
        jdi_idle_wait(&p->nap, key, NAP_NS);
    }
}

static void *poll_events(void *poller)
{
    struct jdi_poller *p = poller;
    jdi_idle_thread_init();
    jdi_idle_thread_prompt();
    /* It has inherited the core of the worker that has made it. */
    if (p->moves)
        (void)sched_setaffinity(0, sizeof p->cores, &p->cores);
    while (take_events(p, NULL, -1) >= 0) {
        uint64_t gap = nap_beside_others(p);
        int n = gap ? take_events(p, NULL, 0) : 0;
        if (n < 0)
            break;
        if (n > 0)
            atomic_store_explicit(&p->ended, gap, memory_order_relaxed);
    }
    return NULL;
}

/* Returns 0 or an errno. */
static int start_poller(struct jdi_poller *p)
{
    pthread_attr_t attr;
    sigset_t old;
    int rc = pthread_attr_init(&attr);
    if (rc)
        return rc;
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    jdi_guard_signals_block(&old);
    rc = pthread_create(&p->thread, &attr, poll_events, p);
    jdi_guard_signals_restore(&old);
    pthread_attr_destroy(&attr);
    return rc;
}

static bool hang_bell(struct jdi_poller *p)
{
    struct epoll_event e = {.events = EPOLLIN, .data.u64 = BELL};
    return !epoll_ctl(p->epoll, EPOLL_CTL_ADD, p->bell, &e);
}

static void close_both(const struct jdi_poller *p)
{
    if (p->bell >= 0)
        close(p->bell);
    if (p->epoll >= 0)
        close(p->epoll);
}

int jdi_poller_start(struct jdi_poller *p, struct jdi_fault *fault)
{
    int saved = errno;
    jdi_idle_init(&p->nap);
    atomic_init(&p->looked, 0);
    atomic_init(&p->credit, 0);
    atomic_init(&p->ended, 0);
    p->epoll = epoll_create1(EPOLL_CLOEXEC);
    p->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    bool made = p->epoll >= 0 && p->bell >= 0 && hang_bell(p) &&
                !jdi_fault_hit(fault, JDI_FAULT_thread) && !start_poller(p);
    if (!made)
        close_both(p);
    errno = saved;
    return made ? 0 : JD_ESYS;
}

void jdi_poller_stop(struct jdi_poller *p)
{
    JD_CHECK_EQ(eventfd_write(p->bell, 1), 0);
    JD_CHECK_EQ(pthread_join(p->thread, NULL), 0);
    close_both(p);
}

/* ---- the set -------------------------------------------------------------------------- */

/* Add or change, whichever is right. */
static int put_into_set(const struct jdi_poller *p, int fd, struct epoll_event *e,
                        bool known)
{
    int op = known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    for (int i = 0; i < TRIES; i++) {
        if (!epoll_ctl(p->epoll, op, fd, e))
            return 0;
        if (errno == ENOENT)
            op = EPOLL_CTL_ADD;
        else if (errno == EEXIST)
            op = EPOLL_CTL_MOD;
        else
            break;
    }
    return errno;
}

int jdi_poller_arm(struct jdi_poller *p, int fd, int what, uint64_t tag, bool known)
{
    struct epoll_event e = {.events = bits_of(what) | EPOLLONESHOT, .data.u64 = tag};
    int saved = errno, error;
    JD_ASSERT(tag != BELL);
    error = put_into_set(p, fd, &e, known);
    errno = saved;
    switch (error) {
    case 0:
        return 0;
    case EBADF:
        return JD_ECLOSED;
    case EPERM:
        return JD_ENOTSUP;
    case EINVAL:
    case ELOOP:
        return JD_EINVAL;
    case ENOMEM:
        return JD_ENOMEM;
    default:
        return JD_ESYS;
    }
}

void jdi_poller_drop(struct jdi_poller *p, int fd)
{
    int saved = errno;
    struct epoll_event unused = {0};
    /* It may have left the set already, with its file. */
    (void)epoll_ctl(p->epoll, EPOLL_CTL_DEL, fd, &unused);
    errno = saved;
}
