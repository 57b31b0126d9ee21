/*
 * dies.c - a process that ends while it makes a segment of shared memory, for LD_PRELOAD.
 *
 * Role: stands in for ftruncate, which GASNet calls for each segment when it starts.  Before the
 *       DIES_AT-th call of a process for a segment, DIES_BY says what happens: "kill" kills the
 *       process, "stop" stops it, "parent" kills its parent.  In one process only: the first that
 *       can make the file DIES_ONCE.
 * Owner: the one thread that starts GASNet.  File-scope state is the library's own.
 * Invariants: I1 files that are no segments do not count.
 * See: test/dist/am_start_is_guarded.sh.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int calls;

static int is_segment(int fd)
{
    char path[64], name[256];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(path, name, sizeof name - 1);
    name[n < 0 ? 0 : n] = '\0';
    return strncmp(name, "/dev/shm/GASNT", strlen("/dev/shm/GASNT")) == 0;
}

static int is_mine(void)
{
    const char *at = getenv("DIES_AT"), *once = getenv("DIES_ONCE");
    return at && once && ++calls == atoi(at) &&
           open(once, O_CREAT | O_EXCL | O_CLOEXEC, 0600) >= 0;
}

int ftruncate(int fd, off_t length)
{
    int (*real)(int, off_t) = (int (*)(int, off_t))dlsym(RTLD_NEXT, "ftruncate");
    if (is_segment(fd) && is_mine()) {
        const char *by = getenv("DIES_BY");
        if (by && !strcmp(by, "parent"))
            kill(getppid(), SIGKILL);
        else
            raise(by && !strcmp(by, "stop") ? SIGSTOP : SIGKILL);
    }
    return real(fd, length);
}
