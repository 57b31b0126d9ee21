/*
 * sockets.h - what the examples with connections share.
 *
 * Role: system calls that do not wait; a socket that listens on the loopback interface; this program once more, as
 *       another process.
 * Invariants: I1 no function that waits uses errno, because a compiler may keep its address across the wait: so what
 *             looks at errno is not inlined.
 * See: examples/echo_server.c.
 */
#ifndef JDI_EXAMPLES_SOCKETS_H
#define JDI_EXAMPLES_SOCKETS_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

extern char **environ;

enum { NOT_NOW = -1, BROKEN = -2 };

static __attribute__((noinline)) long outcome(ssize_t n)
{
    return n >= 0                                                      ? n
           : errno == EAGAIN || errno == EINTR || errno == EINPROGRESS ? NOT_NOW
                                                                       : BROKEN;
}

static inline long read_now(int fd, void *bytes, size_t n)
{
    return outcome(read(fd, bytes, n));
}

static inline long write_now(int fd, const void *bytes, size_t n)
{
    return outcome(send(fd, bytes, n, MSG_NOSIGNAL));
}

static inline long accept_now(int fd)
{
    return outcome(accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC));
}

static inline struct sockaddr_in on_loopback(unsigned port)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

/* The port, or 0. */
static inline unsigned listen_somewhere(int *fd, int backlog)
{
    struct sockaddr_in here = on_loopback(0);
    socklen_t length = sizeof here;
    *fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (*fd < 0 || bind(*fd, (struct sockaddr *)&here, sizeof here) ||
        listen(*fd, backlog) || getsockname(*fd, (struct sockaddr *)&here, &length))
        return 0;
    return ntohs(here.sin_port);
}

/* Run this program with these arguments; what it writes to standard output can be read from *output.  False: it
 * does not run. */
static inline int start_self(char **argv, pid_t *pid, int *output)
{
    posix_spawn_file_actions_t actions;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) || posix_spawn_file_actions_init(&actions))
        return 0;
    int error = posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    if (!error)
        error = posix_spawn(pid, "/proc/self/exe", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    *output = ends[0];
    return !error;
}

#endif
