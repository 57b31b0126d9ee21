/*
 * exit.c - the honest exit: only the end of run gives status 0.
 *
 * Role: turns every other way to leave into the end of the job with a status that is not
 *       zero, on whatever thread it happens.
 * Owner: hooks run on the thread that exits; the rest on the communication thread.
 * Invariants: I1 `wanted` goes from -1 to a status once: the first who asks wins.
 *             I2 the SIGQUIT handler touches no state: it may run at any instruction.
 *             I3 a process that a rank has forked does not end the job.
 * Order: [pair: gas-leaving] release by leave_network, acquire by a thread that waits for
 *        it; orders nothing else.
 * See: doc/am.md section 6, test/dist/am_exits.sh.
 */
#include "am/gasnet/gasnet.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/*
 * The job of this process, for the destructor below, which has no argument, and for a second
 * jd_launch.  The one word of mutable file-scope state; a process has one GASNet, so one such job.
 */
static struct jdi_gas *here;

enum { HAND_OVER_MS = 2000, GASNET_MS = 2000, QUIT_S = 2, STEP_MS = 5 };

/* Sleep all of this time: siblings that end the job at the same time send signals meanwhile. */
static void sleep_ms(long ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    while (nanosleep(&t, &t) && errno == EINTR)
        ;
}

/* udp on one machine: the job's first process would wait for ranks that compute.  SIGQUIT gives
 * these ranks QUIT_S to see the end of the job themselves. */
static void warn_siblings(const struct jdi_gas *g)
{
    for (unsigned i = 0; JDI_GAS_UDP && g->page && i < JDI_PAGE_MOST; i++) {
        pid_t pid = jdi_page_pid(g->page, i);
        if (!pid)
            return;
        if (pid != getpid())
            kill(pid, SIGQUIT);
    }
}

/* In gasnet_exit the conduits of networks wait until the other ranks poll, and these may compute
 * for hours.  Other processes notice at once when a process is gone. */
static void *limit_exit(void *status)
{
    sleep_ms(GASNET_MS);
    _exit((int)(intptr_t)status);
}

/* No signal is for this thread: GASNet's are for the thread that is in gasnet_exit.  If this
 * thread cannot be made, the exit may take longer. */
static void start_limit(int status)
{
    sigset_t all, old;
    pthread_t limit;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    if (!pthread_create(&limit, NULL, limit_exit, (void *)(intptr_t)status))
        pthread_detach(limit);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static JD_NORETURN void leave_network(struct jdi_gas *g, int status)
{
    /* Release [pair: gas-leaving]. */
    atomic_store_explicit(&g->leaving, true, memory_order_release);
    jdi_page_end(g->page, status);
    gasnet_exit(status);
    _exit(status ? status : JDI_EXIT_EARLY);
}

void jdi_gasnet_exit_break_off(struct jdi_gas *g, int status)
{
    warn_siblings(g);
    start_limit(status);
    leave_network(g, status);
}

static bool is_leaving(struct jdi_gas *g)
{
    /* Acquire [pair: gas-leaving]. */
    return atomic_load_explicit(&g->leaving, memory_order_acquire);
}

/* On a thread that may not call GASNet: ask the thread that may, and wait for the end.  The end
 * may never come, if that thread computes or waits for this one. */
static _Noreturn void ask_comm_thread(struct jdi_gas *g, int status)
{
    int none = -1;
    atomic_compare_exchange_strong_explicit(&g->wanted, &none, status,
                                            memory_order_relaxed, memory_order_relaxed);
    jdi_idle_wake(g->am.idle);
    for (int ms = 0; ms < (is_leaving(g) ? GASNET_MS : HAND_OVER_MS); ms += STEP_MS)
        sleep_ms(STEP_MS);
    jdi_page_end(g->page, status);
    _exit(status);
}

static _Noreturn void leave_job(struct jdi_gas *g, int status)
{
    if (pthread_equal(pthread_self(), g->comm))
        jdi_gasnet_exit_break_off(g, status);
    ask_comm_thread(g, status);
}

void jdi_gasnet_exit_end_job(struct jdi_am *am, int status)
{
    leave_job(jdi_gasnet_of(am), status ? status : JDI_EXIT_EARLY);
}

/* Runs in exit(), before GASNet's own hook, on the thread that called it. */
static void on_job_exit(int status, void *arg)
{
    struct jdi_gas *g = arg;
    if (getpid() != g->pid)
        return; /* a process that the rank has forked: its end is not the rank's */
    if ((is_leaving(g) || g->clean >= 0) && pthread_equal(pthread_self(), g->comm))
        return; /* gasnet_exit itself, or the clean end */
    if (!(status & 0xff)) {
        jdi_log(&g->am.log, JDI_LOG_ERROR, "left before the end of jd_launch");
        status = JDI_EXIT_EARLY;
    }
    leave_job(g, status & 0xff);
}

/* GASNet sends SIGQUIT when the job has to end.  Its own handler would let the status be
 * 0 after another rank was killed. */
static void on_quit(int signal_number)
{
    (void)signal_number;
    _exit(JDI_EXIT_PEER_DIED);
}

/* On udp the first process must see the status of the rank that began the end.  So the other
 * ranks leave a little later, by SIGALRM, unless they have polled. */
static void on_quit_udp(int signal_number)
{
    (void)signal_number;
    alarm(QUIT_S);
}

void jdi_gasnet_exit_watch(struct jdi_gas *g)
{
    struct sigaction quit = {.sa_handler = JDI_GAS_UDP ? on_quit_udp : on_quit};
    g->comm = pthread_self();
    g->pid = getpid();
    g->clean = -1;
    here = g;
    atomic_init(&g->wanted, -1);
    atomic_init(&g->leaving, false);
    sigemptyset(&quit.sa_mask);
    sigaction(SIGQUIT, &quit, &g->old_quit);
    on_exit(on_job_exit, g);
}

bool jdi_gasnet_exit_has_job(void)
{
    return here != NULL;
}

/* ---- the clean end ------------------------------------------------------------------- */

void jdi_gasnet_exit_clean(struct jdi_gas *g, int status)
{
    g->clean = status;
    exit(status);
}

/*
 * Runs in exit() after the program's atexit handlers and C++ destructors, because destructors of
 * this kind come after these, and of those the one with the lowest number is the last.  So all of
 * them may print, and no rank ends the job while another rank still runs them.  Shared libraries
 * have not been taken down: GASNet needs theirs.
 */
__attribute__((destructor(101))) static void end_clean_job(void)
{
    struct jdi_gas *g = here;
    if (!g || getpid() != g->pid || g->clean < 0)
        return;
    uint64_t worst = (uint64_t)jdi_log_flush(&g->am.log, g->clean);
    if (jdi_am_reduce_all(&g->am, &worst, 1, JDI_AM_U64, JD_MAX))
        jdi_die(&g->am.log, JDI_EXIT_MEMORY, "out of memory at the end");
    sigaction(SIGQUIT, &g->old_quit,
              NULL); /* from here on GASNet's own handler is right */
    jdi_am_flush(&g->am);
    jdi_gasnet_barrier(g);
    leave_network(g, (int)worst);
}
