/*
 * listen.c - the thread that hears SIGUSR1.
 *
 * Role: see listen.h.
 * Owner: the listener's thread, but for `wanted`.
 * Invariants: I1, I2 of listen.h.  I3 whoever is stuck is shown: by this thread, after PATIENCE_NS.
 * Order: [pair: live-wanted].
 * See: listen.h.
 *
 *   event                              what
 *   SIGUSR1 of anybody                 the call is posted: the communication thread collects (collect.c)
 *   PATIENCE_NS, and nobody came       it shows this rank, and relays the signal to the ranks of this host
 *   SIGUSR1 with RELAY                 as of anybody, but is not relayed once more
 *   SIGUSR1 with ALONE                 it shows this rank at once, unless it just has
 */
#include "sched/live/listen.h"

#include "sched/live/live.h"
#include "sched/live/state.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum {
    AGAIN_NS = 1000000000,   /* in which it shows this rank once */
    PATIENCE_NS = 500000000, /* which the communication thread has, to come */
    STACK_BYTES = 256 << 10
};

/* Bits of `wanted`. */
enum { WANTED = 1, POSTED = 2 };

/* What ranks send along with the signal. */
enum poke { ALONE = 0x4a444131, RELAY };

static bool is_blocked(void)
{
    sigset_t now;
    return !pthread_sigmask(SIG_SETMASK, NULL, &now) && sigismember(&now, SIGUSR1) == 1;
}

void jdi_listen_block(sigset_t *old)
{
    struct sigaction now;
    sigset_t set;
    sigemptyset(&set);
    if (sigaction(SIGUSR1, NULL, &now) ||
        (!(now.sa_flags & SA_SIGINFO) &&
         (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN)))
        sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, old);
}

void jdi_listen_unblock(const sigset_t *old)
{
    static const struct timespec at_once = {0, 0};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    if (is_blocked() && sigismember(old, SIGUSR1) == 0)
        while (sigtimedwait(&set, NULL, &at_once) == SIGUSR1)
            continue;
    pthread_sigmask(SIG_SETMASK, old, NULL);
}

/* ---- other processes -------------------------------------------------------------------- */

/* A process with that number may be another one by now, or in another container. */
static bool runs_this_program(uint64_t pid)
{
    char path[64], mine[1024], its[1024];
    snprintf(path, sizeof path, "/proc/%llu/exe", (unsigned long long)pid);
    ssize_t n = readlink(path, its, sizeof its),
            m = readlink("/proc/self/exe", mine, sizeof mine);
    return n > 0 && n == m && !memcmp(its, mine, (size_t)n);
}

static bool poke(uint64_t pid, enum poke what)
{
    return runs_this_program(pid) &&
           !sigqueue((pid_t)pid, SIGUSR1, (union sigval){.sival_int = (int)what});
}

bool jdi_listen_poke(uint64_t pid)
{
    return poke(pid, ALONE);
}

static void relay(const struct jdi_live *live)
{
    const struct jdi_am *am = live->rank->am;
    for (uint32_t i = 0; live->pid && i < am->host_size; i++)
        if (am->host_peers[i] != am->rank)
            (void)poke(live->pid[i], RELAY);
}

/* ---- the state of this rank alone --------------------------------------------------------- */

static void show_alone(struct jdi_listen *l, uint64_t now)
{
    char *room = jdi_alloc(NULL, JDI_AM_STATE_BYTES);
    uint32_t rank = l->rank->am->rank;
    if (!room)
        return;
    struct jdi_text t = jdi_text_in(room, JDI_AM_STATE_BYTES);
    l->alone_at = now;
    jdi_log_show("rank %u: its communication thread does not answer: it is in a long "
                 "task, or in a call of the "
                 "program that does not return",
                 rank);
    jdi_state_tell(l->rank, false, &t);
    jdi_collect_show(rank, room);
    jdi_free(room);
}

/* ---- the thread --------------------------------------------------------------------------- */

static void on_call(struct jdi_rank *r, struct jdi_call *call)
{
    struct jdi_listen *l = jdi_container_of(call, struct jdi_listen, call);
    /* [pair: live-wanted] acq_rel: from here on the call may be posted again. */
    uint32_t wanted = atomic_exchange_explicit(&l->wanted, 0, memory_order_acq_rel);
    if (wanted & WANTED)
        jdi_collect_start(r, atomic_load_explicit(&l->heard, memory_order_relaxed));
}

static void hear(struct jdi_listen *l, const struct signalfd_siginfo *s)
{
    uint64_t now = jdi_time_ns();
    bool ours = s->ssi_code == SI_QUEUE;
    if (ours && s->ssi_int == ALONE) {
        if (!l->alone_at || now - l->alone_at > AGAIN_NS)
            show_alone(l, now);
        return;
    }
    atomic_store_explicit(&l->heard, now, memory_order_relaxed);
    /* [pair: live-wanted] acq_rel: if POSTED was not set, the call is free. */
    uint32_t old =
        atomic_fetch_or_explicit(&l->wanted, WANTED | POSTED, memory_order_acq_rel);
    if (!(old & POSTED))
        jdi_rank_post(l->rank, &l->call);
    if (!l->until)
        l->until = now + PATIENCE_NS;
    l->relays = !(ours && s->ssi_int == RELAY);
}

/* The time is over: has the communication thread come? */
static void look_after(struct jdi_listen *l, uint64_t now)
{
    l->until = 0;
    /* [pair: live-wanted] acq_rel, as above; POSTED stays, because the call does. */
    if (!(atomic_fetch_and_explicit(&l->wanted, ~(uint32_t)WANTED, memory_order_acq_rel) &
          WANTED))
        return;
    show_alone(l, now);
    if (l->relays)
        relay(l->rank->live);
}

static bool watches_turns(const struct jdi_listen *l)
{
    return l->rank->am->rank == 0 && l->rank->live->watchdog.interval;
}

/* Nobody but this thread sees that rank 0 itself, which watches the others, is stuck. */
static void look_at_turns(struct jdi_listen *l, uint64_t now)
{
    struct jdi_watchdog *d = &l->rank->live->watchdog;
    uint64_t turns = atomic_load_explicit(&d->turns, memory_order_relaxed);
    if (turns != l->turns || !l->turned ||
        atomic_load_explicit(&d->over, memory_order_relaxed)) {
        l->turns = turns;
        l->turned = now;
        return;
    }
    unsigned times = jdi_watchdog_suspects(d, l->turned, now);
    if (!times && d->aborts &&
        atomic_load_explicit(&d->times, memory_order_relaxed) == JDI_WATCHDOG_TIMES &&
        now - l->turned >= d->interval << JDI_WATCHDOG_TIMES) {
        jdi_log_show("watchdog: the communication thread of rank 0 does not end the job");
        jdi_am_end_job(l->rank->am, JDI_EXIT_STALL);
    }
    if (!times)
        return;
    jdi_log_show("watchdog: the job may hang: the communication thread of rank 0 has not "
                 "come by for %.1f s",
                 1e-9 * (double)(now - l->turned));
    show_alone(l, now);
    if (times == JDI_WATCHDOG_TIMES && d->aborts)
        jdi_am_end_job(l->rank->am, JDI_EXIT_STALL);
}

static int timeout_ms(const struct jdi_listen *l)
{
    uint64_t now = jdi_time_ns(), until = l->until;
    if (watches_turns(l)) {
        uint64_t look = now + l->rank->live->watchdog.interval / 2;
        until = until && until < look ? until : look;
    }
    if (!until)
        return -1;
    return until > now ? (int)((until - now) / 1000000 + 1) : 0;
}

static void *listen_on(void *arg)
{
    struct jdi_listen *l = arg;
    struct pollfd p[2] = {{.fd = l->signals, .events = POLLIN},
                          {.fd = l->bell, .events = POLLIN}};
    struct signalfd_siginfo s;
    for (;;) {
        (void)poll(p, 2, timeout_ms(l));
        if (p[1].revents)
            return NULL;
        while (read(l->signals, &s, sizeof s) == sizeof s)
            hear(l, &s);
        uint64_t now = jdi_time_ns();
        if (l->until && now >= l->until)
            look_after(l, now);
        if (watches_turns(l))
            look_at_turns(l, now);
    }
}

/* No signal is for this thread but by its descriptor. */
static int start_listener(struct jdi_listen *l)
{
    sigset_t all, old;
    pthread_attr_t attr;
    int rc = pthread_attr_init(&attr);
    if (rc)
        return rc;
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    rc = pthread_create(&l->thread, &attr, listen_on, l);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
    return rc;
}

void jdi_listen_begin(struct jdi_listen *l, struct jdi_rank *r)
{
    sigset_t set;
    *l = (struct jdi_listen){.rank = r, .call.run = on_call};
    if (r->knobs->state == JDI_STATE_NO || r->am->time || !is_blocked())
        return;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    l->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    l->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (l->signals < 0 || l->bell < 0 || start_listener(l))
        jdi_die(&r->am->log, JDI_EXIT_START,
                "cannot start the thread that waits for SIGUSR1: see JACKDAW_STATE");
    l->runs = true;
}

void jdi_listen_end(struct jdi_listen *l)
{
    if (!l->runs)
        return;
    l->runs = false;
    JD_CHECK_EQ(eventfd_write(l->bell, 1), 0);
    JD_CHECK_EQ(pthread_join(l->thread, NULL), 0);
    close(l->bell);
    close(l->signals);
}
