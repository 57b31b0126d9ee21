/*
 * guard.c - the guardian of a job that starts its ranks on this machine (smp, udp).
 *
 * Role: a process outside of the job sees how each rank ends, limits the time of the start, ends
 *       what is left, and reports the job's status.  So a rank 0 that is killed leaves nothing
 *       behind, and a rank 0 that calls _exit(0) is no success.
 * Owner: the guardian's only thread; before the fork the main thread, alone.
 * Invariants: I1 the guardian's status is 0 only if a rank has said so: jdi_page_end.
 *             I2 when it ends, no process of the job and no segment is left.
 *             I3 if the guardian is killed, the job is.
 *             I4 once a process of the job has ended, the job does within GRACE_MS.
 * Order: [pair: guard-end] release by the rank, acquire by the guardian after the rank's end.
 * See: doc/am.md section 6, test/dist/am_exits.sh, test/dist/am_start_is_guarded.sh.
 *
 *   state      event                                next      what
 *   STARTING   all ranks are up                     RUNNING   the keeper ends
 *   STARTING   the time is over                     ENDING    status 78, a line, KILL
 *   any        a rank or the starter has ended      ENDING    a line if it was killed
 *   ENDING     GRACE_MS later                       ENDING    KILL
 *   ENDING     the starter (rank 0 on smp) ended    -         the rest is killed; exit
 */
#include "am/gasnet/gasnet.h"

#include "am/gasnet/keeper.h"
#include "am/gasnet/proc.h"
#include "am/gasnet/shm.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* TICK: how often it looks while it cannot be woken, for ranks that have just been born, and for those
 * that it cannot watch.  LEFT: how long a rank that left waits for one that was killed. */
enum { TICK_MS = 20, LEFT_MS = 100, GRACE_START_MS = 500, GRACE_MS = 3000 };

enum guard_state { STARTING = 1, RUNNING, ENDING };

struct guard {
    struct jdi_page *page;
    pid_t starter, keeper;
    enum guard_state state;
    uint64_t limit, deadline; /* in ns of jdi_time_ns; 0: none */
    int limit_s;
    bool ended, asked,
        killed;       /* the starter has; a signal was passed on; KILL was sent */
    bool said;        /* the first end of a rank has been told */
    uint64_t left_at; /* when the first rank left that was not killed, or 0 */
    int left_rank, left_status;
    int status;     /* of the starter */
    unsigned nseen; /* entries of the page that are watched */
    unsigned nlost; /* ranks that a signal ended */
    bool gone[JDI_PAGE_MOST];
    struct pollfd watch[1 + JDI_PAGE_MOST]; /* signals, then the processes */
};

static const int forwarded[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
static const struct jdi_log guard_log = {.level = JDI_LOG_WARN};

/* ---- what has ended, and how --------------------------------------------------------- */

static int end_of(const struct guard *g)
{
    /* Acquire [pair: guard-end]. */
    return atomic_load_explicit(&g->page->end, memory_order_acquire);
}

static bool was_killed(int status)
{
    return status != JDI_PROC_UNKNOWN && WIFSIGNALED(status);
}

/* 70 is the status of ranks that only know that another one is gone. */
static bool somebody_has_said_why(const struct guard *g)
{
    int end = end_of(g);
    return end != JDI_PAGE_RUNNING && end != JDI_EXIT_PEER_DIED;
}

static void say(struct guard *g, int rank, int status)
{
    char who[48] = "a rank that was starting";
    g->said = true;
    if (rank < 0)
        snprintf(who, sizeof who, "the process that started the ranks");
    else if (rank > 0)
        snprintf(who, sizeof who, "rank %d", rank - 1);
    if (was_killed(status))
        jdi_log(&guard_log, JDI_LOG_ERROR, "%s was killed by signal %d%s", who,
                WTERMSIG(status),
                g->state == STARTING && WTERMSIG(status) == SIGBUS
                    ? ": /dev/shm may be full"
                    : "");
    else if (status == JDI_PROC_UNKNOWN || !WEXITSTATUS(status))
        jdi_log(&guard_log, JDI_LOG_ERROR, "%s is gone", who);
    else
        jdi_log(&guard_log, JDI_LOG_ERROR, "%s is gone: it left with status %d", who,
                WEXITSTATUS(status));
}

/* One line for the first rank that is gone; what follows from that needs none.  A rank that has
 * said its status has also said why, and 70 is a rank that another one's end has ended.  A rank that
 * left may have left because another one was killed, which is seen later: it has to wait.  If the
 * process that started a rank has collected it first, nobody else learns of the signal. */
static void say_end(struct guard *g, int rank, int status)
{
    if (g->said || g->asked || g->killed || somebody_has_said_why(g))
        return;
    if (status != JDI_PROC_UNKNOWN && WIFEXITED(status) &&
        WEXITSTATUS(status) == JDI_EXIT_PEER_DIED)
        return;
    if (was_killed(status)) {
        say(g, rank, status);
    } else if (!g->left_at || (g->left_rank < 0 && rank >= 0)) {
        g->left_at = g->left_at ? g->left_at : jdi_time_ns();
        g->left_rank = rank;
        g->left_status = status;
    }
}

/* Nobody was killed: it was the first that left. */
static void say_who_left(struct guard *g)
{
    if (g->left_at && !g->said && !somebody_has_said_why(g))
        say(g, g->left_rank, g->left_status);
}

static void start_ending(struct guard *g)
{
    if (g->state == ENDING)
        return;
    uint64_t ms = g->state == STARTING ? GRACE_START_MS : GRACE_MS;
    g->state = ENDING;
    g->deadline = jdi_time_ns() + ms * 1000000;
}

static void note_end(struct guard *g, unsigned i, int status)
{
    if (i >= JDI_PAGE_MOST || g->gone[i])
        return;
    g->gone[i] = true;
    g->nlost += was_killed(status) && !g->killed;
    say_end(g, atomic_load_explicit(&g->page->proc[i].rank, memory_order_relaxed),
            status);
    start_ending(g);
}

static unsigned entry_of(const struct guard *g, pid_t pid)
{
    unsigned i = 0;
    while (i < JDI_PAGE_MOST && jdi_page_pid(g->page, i) != pid)
        i++;
    return i;
}

/* Collect the children that have ended: the starter, and ranks that it has left behind. */
static void reap(struct guard *g)
{
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
        unsigned i = entry_of(g, pid);
        if (pid == g->keeper)
            g->keeper = 0;
        if (pid == g->starter) {
            g->ended = true;
            g->status = status;
            if (i == JDI_PAGE_MOST && (was_killed(status) || WEXITSTATUS(status)))
                say_end(g, -1, status);
            start_ending(g);
        }
        note_end(g, i, status);
    }
}

/* May this process have ended?  A pidfd is readable then. */
static bool may_have_ended(const struct guard *g, unsigned i)
{
    const struct pollfd *p = &g->watch[1 + i];
    return !g->gone[i] && (p->fd < 0 || p->revents);
}

/* Those that were killed come first: the others may have left because of them. */
static void look(struct guard *g)
{
    for (int killed = 1; killed >= 0; killed--)
        for (unsigned i = 0; i < g->nseen; i++) {
            int status;
            if (may_have_ended(g, i) &&
                jdi_proc_has_ended(jdi_page_pid(g->page, i), &status) &&
                (!killed || was_killed(status)))
                note_end(g, i, status);
        }
}

/* ---- ending -------------------------------------------------------------------------- */

static void kill_job(struct guard *g)
{
    g->killed = true;
    for (unsigned i = 0; i < JDI_PAGE_MOST && jdi_page_pid(g->page, i); i++)
        if (!g->gone[i])
            kill(jdi_page_pid(g->page, i), SIGKILL);
    if (!g->ended)
        kill(g->starter, SIGKILL);
}

static void mind_the_time(struct guard *g)
{
    uint64_t now = jdi_time_ns();
    if (g->state == STARTING && g->limit && now > g->limit) {
        jdi_log(&guard_log, JDI_LOG_ERROR,
                "the job has not started after %d s, %u of its ranks are up: see "
                "JACKDAW_START_TIMEOUT",
                g->limit_s, atomic_load_explicit(&g->page->nup, memory_order_relaxed));
        jdi_page_end(g->page, JDI_EXIT_START);
        start_ending(g);
        g->deadline = now;
    }
    if (g->state == ENDING && !g->killed && now >= g->deadline)
        kill_job(g);
}

/* Ranks that the starter left behind have become our children; they may have been killed
 * before they could ask to die with their parent.  A daemon that the program has started does
 * not belong to the job.  A process that is just ending shows no program: it has to be waited for. */
static void kill_leftovers(void)
{
    char path[64];
    for (bool again = true; again;) {
        int pid;
        again = false;
        snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
        FILE *f = fopen(path, "r");
        while (f && fscanf(f, "%d", &pid) == 1)
            if (!jdi_proc_is_other(pid) && !kill(pid, SIGKILL))
                again = waitpid(pid, NULL, 0) == pid;
        if (f)
            fclose(f);
    }
}

static int status_of(const struct guard *g)
{
    int end = end_of(g);
    /* The process that forwards the ranks' output may lose it when they have ended well. */
    if (end == 0 && WIFEXITED(g->status) && WEXITSTATUS(g->status) == JDI_EXIT_OUTPUT)
        return JDI_EXIT_OUTPUT;
    if (end != JDI_PAGE_RUNNING)
        return end;
    if (WIFSIGNALED(g->status) && !g->killed)
        return 128 + WTERMSIG(g->status);
    if (g->nlost || g->killed)
        return JDI_EXIT_PEER_DIED;
    if (WEXITSTATUS(g->status))
        return WEXITSTATUS(g->status);
    jdi_log(&guard_log, JDI_LOG_ERROR, "left before the end of jd_launch");
    return JDI_EXIT_EARLY;
}

/* ---- waiting ------------------------------------------------------------------------- */

static void watch_new(struct guard *g)
{
    pid_t pid;
    while (g->nseen < JDI_PAGE_MOST && (pid = jdi_page_pid(g->page, g->nseen))) {
        g->watch[1 + g->nseen] = (struct pollfd){.fd = -1, .events = POLLIN};
#ifdef SYS_pidfd_open
        g->watch[1 + g->nseen].fd = (int)syscall(SYS_pidfd_open, pid, 0);
#endif
        g->nseen++;
    }
}

/* A process that has ended stays readable, so it is not watched any more. */
static int prepare_poll(struct guard *g)
{
    bool blind = g->state != RUNNING;
    for (unsigned i = 0; i < g->nseen; i++) {
        struct pollfd *p = &g->watch[1 + i];
        blind = blind || (p->fd < 0 && !g->gone[i]);
        if (g->gone[i] && p->fd >= 0) {
            close(p->fd);
            p->fd = -1;
        }
    }
    return blind ? TICK_MS : -1;
}

/* SIGUSR1 is for each rank by itself, because one may be stuck, and the process that starts the ranks may not know the
 * signal. */
static void ask_ranks(const struct guard *g)
{
    for (unsigned i = 0; i < JDI_PAGE_MOST && jdi_page_pid(g->page, i); i++)
        if (!g->gone[i] &&
            atomic_load_explicit(&g->page->proc[i].rank, memory_order_relaxed))
            kill(jdi_page_pid(g->page, i), SIGUSR1);
}

/* The terminal sends its signals to every process of the job. */
static void pass_signals_on(struct guard *g)
{
    struct signalfd_siginfo s;
    while (read(g->watch[0].fd, &s, sizeof s) == sizeof s) {
        if (s.ssi_signo == SIGCHLD)
            continue;
        g->asked = g->asked || (s.ssi_signo != SIGUSR1 && s.ssi_signo != SIGUSR2);
        if (s.ssi_signo == SIGUSR1)
            ask_ranks(g);
        else if (s.ssi_code != SI_KERNEL)
            kill(g->starter, (int)s.ssi_signo);
    }
}

static void mind_the_start(struct guard *g)
{
    if (g->state != STARTING || !jdi_page_is_up(g->page))
        return;
    g->state = RUNNING;
    jdi_keeper_stop(g->keeper);
    g->keeper = 0;
}

static _Noreturn void guard(struct guard *g)
{
    while (!g->ended) {
        watch_new(g);
        mind_the_start(g);
        mind_the_time(g);
        if (poll(g->watch, 1 + g->nseen, prepare_poll(g)) < 0 && errno != EINTR)
            kill_job(g);
        pass_signals_on(g);
        reap(g);
        look(g);
        if (g->left_at && jdi_time_ns() - g->left_at >= LEFT_MS * UINT64_C(1000000))
            say_who_left(g);
    }
    reap(g); /* ranks that rank 0 left behind: how they ended is known now */
    (void)poll(g->watch, 1 + g->nseen, 0);
    look(g);
    say_who_left(g);
    jdi_keeper_stop(g->keeper);
    kill_leftovers();
    jdi_shm_remove(g->page);
    _exit(status_of(g));
}

/* ---- before the job ------------------------------------------------------------------ */

static void watched(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    for (size_t i = 0; i < JDI_ARRAY_LEN(forwarded); i++)
        sigaddset(set, forwarded[i]);
}

static JD_NORETURN void die_unguarded(const char *what)
{
    jdi_die(&guard_log, JDI_EXIT_START, "cannot guard the job: %s: %s", what,
            strerror(errno));
}

/* A job that is short of descriptors has to be told so before it is half started. */
static struct guard *new_guard(int limit_s, sigset_t *old)
{
    sigset_t set;
    struct guard *g = jdi_zalloc(NULL, sizeof *g);
    if (!g)
        die_unguarded("memory");
    g->state = STARTING;
    g->limit_s = limit_s;
    g->limit = limit_s ? jdi_time_ns() + (uint64_t)limit_s * 1000000000 : 0;
    g->page = jdi_page_new();
    if (!g->page)
        die_unguarded("shared memory");
    watched(&set);
    sigprocmask(SIG_BLOCK, &set, old);
    g->watch[0] = (struct pollfd){.fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK),
                                  .events = POLLIN};
    if (g->watch[0].fd < 0)
        die_unguarded("signals");
    return g;
}

/* Here the job goes on: rank 0 on smp, the process that executes the ranks on udp. */
static struct jdi_page *enter_job(struct guard *g, pid_t guardian, const sigset_t *old)
{
    struct jdi_page *p = g->page;
    close(g->watch[0].fd);
    jdi_free(g);
    sigprocmask(SIG_SETMASK, old, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != guardian)
        _exit(JDI_EXIT_PEER_DIED);
    atomic_store_explicit(&p->starter, getpid(), memory_order_relaxed);
    return p;
}

struct jdi_page *jdi_guard_job(int limit_s)
{
    sigset_t old;
    struct guard *g = new_guard(limit_s, &old);
    fflush(NULL); /* what the program has printed must not be printed twice */
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* not inherited */
    pid_t guardian = getpid();
    g->keeper = jdi_keeper_start(g->page);
    if (g->keeper < 0)
        die_unguarded("a process");
    g->starter = fork();
    if (g->starter == 0)
        return enter_job(g, guardian, &old);
    if (g->starter < 0) {
        jdi_keeper_stop(g->keeper);
        die_unguarded("a process");
    }
    guard(g);
}
