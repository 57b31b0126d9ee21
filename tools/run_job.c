/*
 * run_job.c - the job while it runs.
 *
 * Role: starts processes, passes signals on to them, returns their status.
 * Owner: one thread, which waits for signals and for ends of processes.
 * Invariants: I1 the job gets each signal once: those of the terminal go to the whole process group anyway.
 *             I2 if jackdaw-run is killed, the job gets SIGTERM.
 *             I3 when jackdaw-run ends, no process that it has started is left.
 * Order: none.
 * See: doc/jackdaw-run.1.md, am/gasnet/guard.c, test/dist/tools_run_starts_each_network.sh.
 */
#include "tools/run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* GRACE: how long processes may take to see by themselves that a job has ended.  TICK: how often to look for the
 * end of a process where the kernel does not tell it. */
enum { GRACE_MS = 2000, TICK_MS = 200 };

static const int passed_on[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

struct wait {
    struct run_child *child;
    pid_t pid;
    bool ended, lost;       /* lost: what it depends on has ended */
    struct pollfd watch[2]; /* signals; what it depends on */
};

/* ---- starting ------------------------------------------------------------------------ */

/* I2.  A parent that was gone before would not be noticed. */
static void die_with(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(128 + SIGTERM);
}

static pid_t start(const struct run_child *c, const sigset_t *mask)
{
    pid_t parent = getpid(), pid;

    fflush(NULL);
    pid = fork();
    if (pid < 0)
        run_refuse(RUN_CANNOT, "no process can be started: %s", strerror(errno));
    if (pid > 0)
        return pid;
    sigprocmask(SIG_SETMASK, mask, NULL);
    die_with(parent);
    if (c->input >= 0)
        dup2(c->input, STDIN_FILENO);
    execvp(c->command[0], c->command);
    fprintf(stderr, "jackdaw-run: %s cannot be started: %s\n", c->command[0],
            strerror(errno));
    _exit(RUN_CANNOT);
}

static void watched(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    for (size_t i = 0; i < JDI_ARRAY_LEN(passed_on); i++)
        sigaddset(set, passed_on[i]);
}

static void begin(struct wait *w, sigset_t *old)
{
    sigset_t set;

    watched(&set);
    sigprocmask(SIG_BLOCK, &set, old);
    w->watch[0] = (struct pollfd){.fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK),
                                  .events = POLLIN};
    w->watch[1] = (struct pollfd){.fd = -1, .events = POLLIN};
    if (w->watch[0].fd < 0)
        run_refuse(RUN_CANNOT, "signals cannot be waited for: %s", strerror(errno));
#ifdef SYS_pidfd_open
    if (w->child->depends_on)
        w->watch[1].fd = (int)syscall(SYS_pidfd_open, w->child->depends_on, 0);
#endif
}

/* ---- waiting ------------------------------------------------------------------------- */

static void reap(struct wait *w)
{
    int status;

    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
        if (pid == w->pid) {
            w->ended = true;
            w->child->status = status;
        }
}

/* I1. */
static void pass_on(struct wait *w)
{
    struct signalfd_siginfo s;

    while (read(w->watch[0].fd, &s, sizeof s) == sizeof s) {
        if (s.ssi_signo == SIGCHLD)
            continue;
        w->child->asked =
            w->child->asked || (s.ssi_signo != SIGUSR1 && s.ssi_signo != SIGUSR2);
        if (s.ssi_code != SI_KERNEL && !w->ended)
            kill(w->pid, (int)s.ssi_signo);
    }
}

static bool is_gone(pid_t pid)
{
    return kill(pid, 0) && errno == ESRCH;
}

/* One wait; false when `ms` are over and nothing has happened. */
static bool wait_once(struct wait *w, int ms)
{
    int n = poll(w->watch, 2, ms);

    if (n > 0) {
        pass_on(w);
        reap(w);
    }
    return n != 0;
}

/* What it depends on has ended: the job is over, but its processes may be about to end by themselves. */
static void lose(struct wait *w, void (*give_up)(void *ctx), void *ctx)
{
    w->lost = true;
    w->watch[1].fd = -1;
    while (!w->ended && wait_once(w, GRACE_MS))
        ;
    if (!w->ended)
        give_up(ctx);
}

/* I3.  Only a job by ssh leaves processes behind: others have a guardian, or are MPI's. */
static void end_rest(struct wait *w)
{
    bool waited = false;
    char path[64];

    for (bool again = true; again;) {
        int pid;
        again = false;
        snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
        FILE *f = fopen(path, "r");
        while (f && fscanf(f, "%d", &pid) == 1)
            if (waitpid(pid, NULL, WNOHANG) == 0) {
                again = true;
                if (waited)
                    kill(pid, SIGKILL);
            }
        if (f)
            fclose(f);
        if (again && !wait_once(w, GRACE_MS))
            waited = true;
    }
}

void run_child_finish(struct run_child *c, void (*give_up)(void *ctx), void *ctx)
{
    struct wait w = {.child = c};
    sigset_t old;

    begin(&w, &old);
    if (!c->alone)
        prctl(PR_SET_CHILD_SUBREAPER, 1);
    w.pid = start(c, &old);
    while (!w.ended) {
        bool blind = c->depends_on && !w.lost && w.watch[1].fd < 0;
        wait_once(&w, blind ? TICK_MS : -1);
        if (c->depends_on && !w.lost && (w.watch[1].revents || is_gone(c->depends_on)))
            lose(&w, give_up, ctx);
    }
    if (!c->alone)
        end_rest(&w);
    close(w.watch[0].fd);
    if (w.watch[1].fd >= 0)
        close(w.watch[1].fd);
    sigprocmask(SIG_SETMASK, &old, NULL);
}

int run_child_status(const struct run_child *c)
{
    return WIFSIGNALED(c->status) ? 128 + WTERMSIG(c->status) : WEXITSTATUS(c->status);
}

/* ---- the line ------------------------------------------------------------------------ */

/* "NAME=VALUE" */
static void set_variable(const char *setting)
{
    char *name = run_words_more(NULL, "%.*s", (int)strcspn(setting, "="), setting);

    if (setenv(name, setting + strlen(name) + 1, 1))
        run_refuse(RUN_CANNOT, "%s", jd_strerror(JD_ENOMEM));
    free(name);
}

int run_job(const struct run_line *l)
{
    struct run_child job = {.command = l->command.at, .input = -1, .alone = !l->remote};
    struct run_child after = {.command = l->after.at, .input = -1, .alone = true};
    int status;

    for (size_t i = 0; i < l->settings.n; i++)
        set_variable(l->settings.at[i]);
    run_child_finish(&job, NULL, NULL);
    status = run_child_status(&job);
    /* GASNet ends its first process by SIGTERM if an ssh has failed, and that ssh has said why. */
    if (l->remote && !job.asked && status == 128 + SIGTERM)
        status = RUN_CANNOT;
    if (status || !l->after.n)
        return status;
    run_child_finish(&after, NULL, NULL);
    return run_child_status(&after);
}
