/*
 * sched_fds_kit.h - what the programs that test waits for descriptors share.
 *
 * Role: pairs of sockets that do not block, bytes in and out of them, and a task that waits for one.
 * Owner: the caller.
 * See: include/jackdaw.h; test/dist/sched_kit.h.
 */
#ifndef JDI_TEST_DIST_SCHED_FDS_KIT_H
#define JDI_TEST_DIST_SCHED_FDS_KIT_H

#include "test/dist/sched_kit.h"

#include <sys/socket.h>
#include <unistd.h>

enum { FDS_LOOK_NS = 100000 };

/* Two ends of a stream. */
static inline void new_pair(jd_self *me, int fd[2])
{
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fd))
        jd_abort(me, 99, "no pair of sockets");
}

static inline void close_pair(jd_self *me, const int fd[2])
{
    for (int i = 0; i < 2; i++) {
        must(me, jd_fd_forget(me, fd[i]));
        close(fd[i]);
    }
}

static inline bool put_byte(int fd, unsigned char byte)
{
    return send(fd, &byte, 1, MSG_NOSIGNAL) == 1;
}

/* The byte that is there, or -1. */
static inline int take_byte(int fd)
{
    unsigned char byte;
    return read(fd, &byte, 1) == 1 ? byte : -1;
}

/* Write until nothing more goes in; returns how many bytes did. */
static inline size_t fill(int fd)
{
    static const char bytes[4096];
    size_t all = 0;
    for (ssize_t n; (n = write(fd, bytes, sizeof bytes)) > 0;)
        all += (size_t)n;
    return all;
}

static inline size_t drain_fd(int fd)
{
    char bytes[4096];
    size_t all = 0;
    for (ssize_t n; (n = read(fd, bytes, sizeof bytes)) > 0;)
        all += (size_t)n;
    return all;
}

/* Go on when another task waits for one of `what`, none of which is ready. */
static inline void until_taken(jd_self *me, int fd, int what)
{
    int result;
    do {
        jd_yield(me); /* else the place would be taken again at once */
        result = jd_wait_fd(me, fd, what, jd_deadline(me, FDS_LOOK_NS));
    } while (result == JD_ETIMEDOUT);
    if (result != JD_EBUSY)
        jd_abort(me, 99, "who looks who waits gets %d", result);
}

/* Wait for ever, and again while until_taken has the place. */
static inline int wait_for_ever(jd_self *me, int fd, int what)
{
    int result;
    while ((result = jd_wait_fd(me, fd, what, JD_FOREVER)) == JD_EBUSY)
        jd_yield(me);
    return result;
}

#endif
