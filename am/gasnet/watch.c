/*
 * watch.c - a thread that waits at sockets, so that the communication thread can sleep.
 *
 * Role: see watch.h.
 * Invariants: those of watch.h.
 */
#include "am/gasnet/watch.h"

#include "core/fault.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { STACK_BYTES = 64 << 10 };

struct jdi_watch {
    int epoll;
    struct jdi_watch_sockets sockets;
    struct jdi_idle *idle;
};

static bool is_datagram(int fd)
{
    int type, family;
    socklen_t length = sizeof type;
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) || type != SOCK_DGRAM)
        return false;
    length = sizeof family;
    return !getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &length) &&
           (family == AF_INET || family == AF_INET6);
}

void jdi_watch_find(struct jdi_watch_sockets *out)
{
    DIR *all = opendir("/proc/self/fd");
    out->n = 0;
    for (const struct dirent *e; all && (e = readdir(all)) != NULL;) {
        char *end;
        long fd = strtol(e->d_name, &end, 10);
        if (end != e->d_name && !*end && out->n < JDI_WATCH_MOST && is_datagram((int)fd))
            out->fd[out->n++] = (int)fd;
    }
    if (all)
        closedir(all);
}

static bool has(const struct jdi_watch_sockets *s, int fd)
{
    for (unsigned i = 0; i < s->n; i++)
        if (s->fd[i] == fd)
            return true;
    return false;
}

static void *watch(void *arg)
{
    const struct jdi_watch *w = arg;
    struct epoll_event event;
    for (;;)
        if (epoll_wait(w->epoll, &event, 1, -1) > 0)
            jdi_idle_wake(w->idle);
        else if (errno != EINTR)
            return NULL;
}

/* Signals are for other threads. */
static bool start_thread(struct jdi_watch *w)
{
    pthread_attr_t attr;
    pthread_t thread;
    sigset_t all, old;
    sigfillset(&all);
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    bool made = !pthread_create(&thread, &attr, watch, w);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
    return made;
}

/* A socket is added disarmed: no event until jdi_watch_arm. */
static bool add_sockets(struct jdi_watch *w, const struct jdi_watch_sockets *before,
                        const struct jdi_watch_sockets *now)
{
    for (unsigned i = 0; i < now->n; i++) {
        struct epoll_event event = {.events = EPOLLONESHOT};
        if (has(before, now->fd[i]))
            continue;
        if (epoll_ctl(w->epoll, EPOLL_CTL_ADD, now->fd[i], &event))
            return false;
        w->sockets.fd[w->sockets.n++] = now->fd[i];
    }
    return w->sockets.n > 0;
}

struct jdi_watch *jdi_watch_start(const struct jdi_watch_sockets *before,
                                  const struct jdi_watch_sockets *now,
                                  struct jdi_idle *idle)
{
    struct jdi_watch *w = jdi_zalloc(NULL, sizeof *w);
    if (!w)
        return NULL;
    w->idle = idle;
    w->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (w->epoll >= 0 && add_sockets(w, before, now) && start_thread(w))
        return w;
    if (w->epoll >= 0)
        close(w->epoll);
    jdi_free(w);
    return NULL;
}

void jdi_watch_arm(struct jdi_watch *w)
{
    for (unsigned i = 0; i < w->sockets.n; i++) {
        struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT};
        /* A socket that is gone wakes nobody, and neither would its messages. */
        (void)epoll_ctl(w->epoll, EPOLL_CTL_MOD, w->sockets.fd[i], &event);
    }
}
