/*
 * child.c - runs something in a process of its own.
 *
 * Role: fork, catch what the child writes on standard error, wait.
 * See: child.h.
 */
#include "conform/child.h"

#include "core/base.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void *jdi_child_alloc(size_t bytes)
{
    void *p =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    JD_CHECK(p != MAP_FAILED);
    return p;
}

void jdi_child_free(void *p, size_t bytes)
{
    munmap(p, bytes);
}

/* The sanitizers report at exit through the status, so exit and not _exit. */
static JD_NORETURN void child(void (*fn)(void *arg), void *arg, unsigned seconds, int out)
{
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* an interrupted suite leaves nothing behind */
    dup2(out, STDERR_FILENO);
    signal(SIGABRT, SIG_DFL);
    alarm(seconds);
    fn(arg);
    exit(0);
}

/* The last line of the file, without its end. */
static void last_line(FILE *f, char *said, size_t saidlen)
{
    char line[512];
    said[0] = '\0';
    rewind(f);
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0])
            snprintf(said, saidlen, "%s", line);
    }
}

enum jdi_child_end jdi_child_run(void (*fn)(void *arg), void *arg, unsigned seconds,
                                 char *said, size_t saidlen)
{
    FILE *out = tmpfile();
    int status = 0;
    JD_CHECK(out != NULL);
    fflush(NULL);
    pid_t pid = fork();
    JD_CHECK(pid >= 0);
    if (pid == 0)
        child(fn, arg, seconds, fileno(out));
    JD_CHECK(waitpid(pid, &status, 0) == pid);
    last_line(out, said, saidlen);
    fclose(out);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return JDI_CHILD_RETURNED;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
        snprintf(said, saidlen, "O4: no end after %u s", seconds);
        return JDI_CHILD_STUCK;
    }
    bool aborted = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
    if (WIFSIGNALED(status) && !aborted)
        snprintf(said, saidlen, "O6: ended by signal %d", WTERMSIG(status));
    else if (!said[0])
        snprintf(said, saidlen, "O6: it ended without a word");
    return aborted ? JDI_CHILD_ABORTED : JDI_CHILD_CRASHED;
}
