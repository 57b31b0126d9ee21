/*
 * echo_epoll.c - what bench/echo.sh holds examples/echo_server against: a plain loop over epoll.
 *
 * Role: the same server without tasks: each thread has an epoll set, and writes back what it reads.  The first
 *       one accepts, and gives each connection to the next thread.  The clients are those of the example.
 * Owner: a connection belongs to one thread.
 * See: bench/echo.sh.
 *
 *     echo_epoll PATH-OF-echo_server CONNECTIONS REQUESTS THREADS
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { SIZE = 64, EVENTS = 256, BACKLOG = 1024, MOST = 64 };

static int listens, bell, threads, set[MOST], next; /* next: whose turn it is */
static long connections;
static _Atomic long closed;

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static void add_to(int epoll, int fd, uint32_t events)
{
    struct epoll_event e = {.events = events, .data.fd = fd};
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e))
        die("epoll_ctl");
}

static void answer(int fd)
{
    char bytes[SIZE];
    ssize_t n = read(fd, bytes, sizeof bytes);
    if (n > 0 && write(fd, bytes, (size_t)n) != n)
        die("write");
    if (n > 0)
        return;
    close(fd);
    if (atomic_fetch_add(&closed, 1) + 1 == connections)
        (void)eventfd_write(bell, 1);
}

static void accept_all(void)
{
    for (int fd; (fd = accept4(listens, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;)
        add_to(set[next++ % threads], fd, EPOLLIN);
}

static void *serve(void *arg)
{
    struct epoll_event event[EVENTS];
    const int *epoll = arg;
    for (;;) {
        int n = epoll_wait(*epoll, event, EVENTS, -1);
        for (int i = 0; i < n; i++) {
            int fd = event[i].data.fd;
            if (fd == bell)
                return NULL;
            if (fd == listens)
                accept_all();
            else
                answer(fd);
        }
    }
}

static unsigned listen_somewhere(void)
{
    struct sockaddr_in here = {.sin_family = AF_INET,
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof here;
    listens = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listens < 0 || bind(listens, (struct sockaddr *)&here, sizeof here) ||
        listen(listens, BACKLOG) ||
        getsockname(listens, (struct sockaddr *)&here, &length))
        die("listen");
    return ntohs(here.sin_port);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    pthread_t thread[MOST];
    char port[24];
    struct rlimit limit;
    pid_t clients;
    int status;
    threads = argc > 4 ? atoi(argv[4]) : 0;
    if (threads < 1 || threads > MOST)
        return 2;
    if (!getrlimit(RLIMIT_NOFILE, &limit)) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
    connections = atol(argv[2]);
    bell = eventfd(0, EFD_CLOEXEC);
    snprintf(port, sizeof port, "%u", listen_somewhere());
    char *command[] = {argv[1], "--clients", port, argv[2], argv[3], NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", 1, 0);
    if (posix_spawn(&clients, argv[1], &actions, NULL, command, environ))
        die(argv[1]);
    double start = now();
    for (int i = 0; i < threads; i++) {
        set[i] = epoll_create1(EPOLL_CLOEXEC);
        add_to(set[i], bell, EPOLLIN);
    }
    add_to(set[0], listens, EPOLLIN);
    for (int i = 0; i < threads; i++)
        if (pthread_create(&thread[i], NULL, serve, &set[i]))
            die("pthread_create");
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    double seconds = now() - start, all = (double)connections * atof(argv[3]);
    printf("%ld connections, %.0f requests: %.3f s, %.0f a second\n", connections, all,
           seconds, all / seconds);
    return waitpid(clients, &status, 0) != clients || status;
}
