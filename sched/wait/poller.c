/*
 * poller.c - an epoll set, and the thread that waits at it.
 *
 * Role: see poller.h; the only file that asks the kernel about descriptors.
 * Invariants: those of poller.h. I3 no function that uses errno suspends: a ULT may go on on another thread.
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
    NAP_NS = 25000           /* while others see to what is ready */
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

bool jdi_poller_turn(struct jdi_poller *p, void *by)
{
    int saved = errno;
    bool found = take_events(p, by, 0) > 0;
    errno = saved;
    if (found)
        atomic_store_explicit(&p->turned, jdi_time_ns(), memory_order_relaxed);
    return found;
}

/* The kernel wakes the thread for each event that comes while it waits.  While others look often and find
 * something, what comes is theirs. */
static void nap_beside_others(struct jdi_poller *p)
{
    for (;;) {
        uint64_t turned = atomic_load_explicit(&p->turned, memory_order_relaxed);
        uint64_t now = jdi_time_ns();
        if (now >= turned + NAP_NS)
            return;
        jdi_idle_wait(&p->nap, jdi_idle_prepare(&p->nap), turned + NAP_NS - now);
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
    while (take_events(p, NULL, -1) >= 0)
        nap_beside_others(p);
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
    atomic_init(&p->turned, 0);
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
