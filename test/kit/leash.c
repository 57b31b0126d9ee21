/*
 * leash.c - run a command that may hang, and leave no process behind.
 *
 *     leash SECONDS COMMAND [ARGUMENT...]
 *
 * Role: returns the exit status of COMMAND (128 + signal if a signal killed it), 124 after SECONDS,
 *       120 if COMMAND ended well but left processes behind.  JD_LEASH_GRACE is how many seconds
 *       (3) orphans have to notice the end, and a process has to obey SIGTERM.
 * Owner: one thread.
 * Invariants: I1 when leash ends, no descendant of COMMAND is alive.  As the subreaper, leash
 *                inherits every orphan, also orphans that made a session of their own.
 * See: test/kit/ranks.sh, test/unit/kit_leash_*.
 */
#include "test/kit/descendants.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STATUS_USAGE = 125, STATUS_TIMEOUT = 124, STATUS_LEFT = 120, MOST = 4096 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Reap whatever is dead; stores the status of `child` when it is among them. */
static void reap(pid_t child, int *status, bool *ended)
{
    int s;
    for (pid_t p; (p = waitpid(-1, &s, WNOHANG)) > 0;)
        if (p == child) {
            *status = WIFSIGNALED(s) ? 128 + WTERMSIG(s) : WEXITSTATUS(s);
            *ended = true;
        }
}

/* Wait up to `seconds` until no descendant lives; the rest is left in all[]. */
static size_t wait_for_all(struct process *all, double seconds)
{
    int status;
    bool ended;
    size_t left;
    double end = now() + seconds;
    const struct timespec tick = {.tv_nsec = 20 * 1000 * 1000};
    for (;;) {
        reap(0, &status, &ended);
        left = kit_descendants(all, MOST);
        if (left == 0 || now() > end)
            return left;
        nanosleep(&tick, NULL);
    }
}

static double grace(void)
{
    const char *text = getenv("JD_LEASH_GRACE");
    return text ? strtod(text, NULL) : 3.0;
}

static void kill_all(struct process *all, size_t count, int sig)
{
    for (size_t i = 0; i < count; i++)
        kill(all[i].pid, sig);
}

/* End every descendant: first asked, then made.  True if there was one. */
static bool clean_up(bool polite, const char *why)
{
    struct process all[MOST];
    size_t left = wait_for_all(all, polite ? 0 : grace());
    if (left == 0)
        return false;
    for (size_t i = 0; i < left; i++)
        fprintf(stderr, "# leash: %s: process %d (%s)\n", why, (int)all[i].pid,
                all[i].name);
    if (polite) {
        kill_all(all, left, SIGTERM);
        left = wait_for_all(all, grace());
    }
    for (int round = 0; left > 0 && round < 100; round++) {
        kill_all(all, left, SIGKILL);
        left = wait_for_all(all, 0.1);
    }
    return true;
}

static int watch(pid_t child, double seconds, const sigset_t *signals)
{
    int status = STATUS_TIMEOUT;
    bool ended = false;
    double end = now() + seconds;
    for (;;) {
        reap(child, &status, &ended);
        double rest = end - now();
        if (ended || rest <= 0)
            break;
        if (rest > 1)
            rest = 1;
        struct timespec t = {.tv_sec = (time_t)rest,
                             .tv_nsec = (long)((rest - (double)(time_t)rest) * 1e9)};
        int sig = sigtimedwait(signals, NULL, &t);
        if (sig > 0 && sig != SIGCHLD) {
            clean_up(true, "interrupted");
            return 128 + sig;
        }
    }
    if (!ended) {
        clean_up(true, "time is up");
        return STATUS_TIMEOUT;
    }
    if (clean_up(false, "left behind") && status == 0)
        status = STATUS_LEFT;
    return status;
}

int main(int argc, char **argv)
{
    char *rest = NULL;
    double seconds = argc > 2 ? strtod(argv[1], &rest) : 0;
    if (argc < 3 || *rest || !(seconds > 0)) {
        fprintf(stderr, "usage: leash SECONDS COMMAND [ARGUMENT...]\n");
        return STATUS_USAGE;
    }
    sigset_t signals, before;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    sigprocmask(SIG_BLOCK, &signals, &before);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t child = fork();
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        setsid();
        execvp(argv[2], argv + 2);
        fprintf(stderr, "leash: %s: %s\n", argv[2], strerror(errno));
        _exit(127);
    }
    if (child < 0) {
        perror("leash: fork");
        return STATUS_USAGE;
    }
    return watch(child, seconds, &signals);
}
