/*
 * guard.c - the guardian of a job whose ranks are forked (smp).
 *
 * Role: a process outside of the job reports the job's status.  So a rank 0 that is killed
 *       leaves nothing behind, and a rank 0 that calls _exit(0) is no success.
 * Owner: the guardian's only thread; before the fork the main thread, alone.
 * Invariants: I1 the guardian's status is 0 only if a rank has said so: jdi_guard_end.
 *             I2 when it ends, no process of the job is left.
 *             I3 if the guardian is killed, the job is.
 * Order: [pair: guard-end] release by the rank, acquire by the guardian after waitpid.
 * See: doc/am.md section 6, test/dist/am_exits.sh.
 */
#include "am/gasnet/gasnet.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUNNING = -1 };

struct jdi_guard_word {
    _Atomic int end; /* RUNNING, or the job's status; ranks, the first wins | guardian */
};

static const int forwarded[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

/* Signals for which the guardian waits, so that they do not interrupt it. */
static void watched(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    for (size_t i = 0; i < JDI_ARRAY_LEN(forwarded); i++)
        sigaddset(set, forwarded[i]);
}

/* Collect all processes that have ended; true, with its status, when rank 0 was among them. */
static bool reap(pid_t rank0, int *status)
{
    bool over = false;
    int st;
    for (pid_t pid; (pid = waitpid(-1, &st, WNOHANG)) > 0;)
        if (pid == rank0) {
            *status = st;
            over = true;
        }
    return over;
}

static void wait_for(pid_t rank0, const sigset_t *set, int *status)
{
    siginfo_t info;
    while (!reap(rank0, status)) {
        int sig = sigwaitinfo(set, &info);
        /* The terminal sends its signals to every process of the job. */
        if (sig > 0 && sig != SIGCHLD && info.si_code != SI_KERNEL)
            kill(rank0, sig);
    }
}

/* A daemon that the program has started does not belong to the job.  A process that is just
 * ending shows no program: the guardian has to wait for it. */
static bool other_program(pid_t pid)
{
    char path[64], mine[4096], theirs[4096];
    snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
    ssize_t a = readlink("/proc/self/exe", mine, sizeof mine);
    ssize_t b = readlink(path, theirs, sizeof theirs);
    return a > 0 && b > 0 && (a != b || memcmp(mine, theirs, (size_t)a));
}

/* Ranks that rank 0 left behind have become our children; they may have been killed
 * before they could ask to die with their parent. */
static void kill_leftovers(void)
{
    char path[64];
    for (bool again = true; again;) {
        int pid;
        again = false;
        snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
        FILE *f = fopen(path, "r");
        while (f && fscanf(f, "%d", &pid) == 1)
            if (!other_program(pid) && !kill(pid, SIGKILL))
                again = waitpid(pid, NULL, 0) == pid;
        if (f)
            fclose(f);
    }
}

static _Noreturn void guard(pid_t rank0, const sigset_t *set, struct jdi_guard_word *w)
{
    int status = 0;
    wait_for(rank0, set, &status);
    kill_leftovers();
    /* Acquire [pair: guard-end]. */
    int end = atomic_load_explicit(&w->end, memory_order_acquire);
    if (end != RUNNING)
        _exit(end);
    end = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (end == 0) {
        const struct jdi_log log = {.nranks = 1, .level = JDI_LOG_WARN};
        jdi_log(&log, JDI_LOG_ERROR, "left before the end of jd_launch");
        end = JDI_EXIT_EARLY;
    }
    _exit(end);
}

struct jdi_guard_word *jdi_guard_job(void)
{
    sigset_t set, old;
    struct jdi_guard_word *w =
        mmap(NULL, sizeof *w, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (w == MAP_FAILED)
        return NULL;
    atomic_init(&w->end, RUNNING);
    fflush(NULL); /* what the program has printed must not be printed twice */
    watched(&set);
    sigprocmask(SIG_BLOCK, &set, &old);
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* not inherited */
    pid_t guardian = getpid(), rank0 = fork();
    if (rank0 > 0)
        guard(rank0, &set, w);
    sigprocmask(SIG_SETMASK, &old, NULL);
    if (rank0 < 0) {
        prctl(PR_SET_CHILD_SUBREAPER, 0);
        munmap(w, sizeof *w);
        return NULL;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != guardian)
        _exit(JDI_EXIT_PEER_DIED);
    return w;
}

void jdi_guard_end(struct jdi_guard_word *w, int status)
{
    int running = RUNNING;
    if (!w)
        return;
    /* Release [pair: guard-end]. */
    atomic_compare_exchange_strong_explicit(&w->end, &running, status,
                                            memory_order_release, memory_order_relaxed);
}
