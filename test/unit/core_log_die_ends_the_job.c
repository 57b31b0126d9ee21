/*
 * core_log_die_ends_the_job.c
 *
 * Role: jdi_die ends the job through the transport, or the process where there is none;
 *       jdi_panic aborts.  Both say why.
 * Owner: one thread; each case is a child process.
 * Invariants: a status of success is never seen.
 * See: core/log.c, core/err.c.
 */
#include "core/log.h"
#include "test/kit/tap.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void end_job(void *ctx, int status)
{
    _exit(status + *(int *)ctx);
}

static void die_early(void)
{
    struct jdi_log log = {0};
    jdi_die(&log, JDI_EXIT_START, "no %s", "cores");
}

static void die_in_a_job(void)
{
    int add = 20;
    struct jdi_log log = {.rank = 1, .nranks = 2, .end_job = end_job, .ctx = &add};
    jdi_die(&log, JDI_EXIT_START, "no cores");
}

static void break_invariant(void)
{
    unsigned one = 1;
    JD_CHECK_EQ(one, 2);
}

/* Run `fn` in a child; its wait status, and what it wrote to standard error. */
static int run_child(void (*fn)(void), char *said, size_t room)
{
    int pipe_ends[2], status = 0;
    size_t n = 0;
    ssize_t got;
    pid_t child;

    if (pipe(pipe_ends) || (child = fork()) < 0)
        bail_out("no pipe or no child");
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        signal(SIGABRT, SIG_DFL);
        dup2(pipe_ends[1], STDERR_FILENO);
        close(pipe_ends[0]);
        close(pipe_ends[1]);
        fn();
        _exit(0);
    }
    close(pipe_ends[1]);
    while (n + 1 < room && (got = read(pipe_ends[0], said + n, room - 1 - n)) > 0)
        n += (size_t)got;
    said[n] = '\0';
    close(pipe_ends[0]);
    waitpid(child, &status, 0);
    return status;
}

int main(void)
{
    char said[4096];
    int status = run_child(die_early, said, sizeof said);

    ok(WIFEXITED(status) && WEXITSTATUS(status) == JDI_EXIT_START,
       "without a transport jdi_die exits with the status");
    is_str(said, "jackdaw: no cores\n", "and says why");
    status = run_child(die_in_a_job, said, sizeof said);
    ok(WIFEXITED(status) && WEXITSTATUS(status) == JDI_EXIT_START + 20,
       "with a transport it ends the job by it");
    is_str(said, "jackdaw: rank 1: no cores\n", "and names the rank, whatever the level");
    status = run_child(break_invariant, said, sizeof said);
    ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "a broken invariant aborts");
    ok(strstr(said, "core_log_die_ends_the_job.c:") && strstr(said, "one == 2 (1, 2)"),
       "and names the place and both operands");
    return done_testing();
}
