/*
 * echo_server.c - a task for each connection, which sends back whatever it gets.
 *
 * Role: rank 0 listens on the loopback interface; its clients are another process, which is this program once
 *       more.  They open all connections, then send request after request on each and compare the answers.
 * Owner: a connection belongs to its task.
 * Invariants: I1 no function that waits uses errno, because a compiler may keep its address across the wait.
 * See: examples/README.md; jd_wait_fd in jackdaw.h.
 */
#include "examples/sockets.h"
#include "jackdaw.h"

#include <netinet/tcp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { SERVE, WATCH };
enum {
    SIZE = 64,      /* bytes of a request */
    BACKLOG = 1024, /* connections that nobody has accepted */
    AHEAD = 500,    /* connections that the clients open before they are answered */
    OTHERS = 100,   /* descriptors beside those of connections */
    EVENTS = 256,
    MOST = 1000000000
};

static const char usage[] = "usage: echo_server [OPTION VALUE]...\n"
                            "  -c N   connections, all open at the same time (100)\n"
                            "  -m M   requests on each of them (20)\n"
                            "  -h     this text\n"
                            "It runs on rank 0, and needs two descriptors for each "
                            "connection, in two processes.\n";

struct options {
    long connections, requests;
};

/* What the clients tell at the end. */
struct result {
    uint64_t right, wrong;
};

struct server {
    struct options o;
    int listens, result; /* descriptors */
    pid_t clients;
    struct result told;
    _Atomic uint64_t bytes, served;
};

/* ---- the clients: one thread of another process, without Jackdaw ------------------------ */

struct client {
    int fd;
    uint64_t sent;
    size_t got; /* bytes of the answer */
    unsigned char answer[SIZE];
};

struct clients {
    struct options o;
    struct sockaddr_in server;
    int epoll;
    long open, greeted; /* greeted: those with a first answer */
    struct client *all;
    struct result result;
};

/* The j-th byte of the k-th request of a client. */
static unsigned char byte_of(long client, uint64_t k, size_t j)
{
    return (unsigned char)((uint64_t)client * 31 + k * 7 + j);
}

static int send_request(struct clients *s, long i)
{
    unsigned char request[SIZE];
    struct client *c = &s->all[i];
    for (size_t j = 0; j < SIZE; j++)
        request[j] = byte_of(i, c->sent, j);
    c->sent++;
    c->got = 0;
    return write(c->fd, request, SIZE) == SIZE;
}

static int open_client(struct clients *s)
{
    struct epoll_event e = {.events = EPOLLIN, .data.u64 = (uint64_t)s->open};
    struct client *c = &s->all[s->open];
    int one = 1;
    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return c->fd >= 0 &&
           !connect(c->fd, (struct sockaddr *)&s->server, sizeof s->server) &&
           !setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) &&
           !epoll_ctl(s->epoll, EPOLL_CTL_ADD, c->fd, &e) && send_request(s, s->open++);
}

/* An answer is there: is it right?  The next request follows when all clients are open. */
static int take_answer(struct clients *s, long i)
{
    struct client *c = &s->all[i];
    int right = 1;
    for (size_t j = 0; j < SIZE; j++)
        right &= c->answer[j] == byte_of(i, c->sent - 1, j);
    *(right ? &s->result.right : &s->result.wrong) += 1;
    if (c->sent == 1 && ++s->greeted < s->o.connections)
        return 1;
    if (c->sent > 1)
        return c->sent == (uint64_t)s->o.requests || send_request(s, i);
    for (long k = 0; k < s->o.connections && s->o.requests > 1; k++)
        if (!send_request(s, k))
            return 0;
    return 1;
}

static int read_answer(struct clients *s, long i)
{
    struct client *c = &s->all[i];
    ssize_t n = read(c->fd, c->answer + c->got, SIZE - c->got);
    if (n <= 0)
        return 0;
    c->got += (size_t)n;
    return c->got < SIZE || take_answer(s, i);
}

static int run_clients(struct clients *s)
{
    struct epoll_event event[EVENTS];
    uint64_t all = (uint64_t)s->o.connections * (uint64_t)s->o.requests;
    while (s->result.right + s->result.wrong < all) {
        while (s->open < s->o.connections && s->open - s->greeted < AHEAD)
            if (!open_client(s))
                return 0;
        int n = epoll_wait(s->epoll, event, EVENTS, -1);
        for (int i = 0; i < n; i++)
            if (!read_answer(s, (long)event[i].data.u64))
                return 0;
    }
    for (long i = 0; i < s->o.connections; i++)
        close(s->all[i].fd);
    return 1;
}

/* echo_server --clients PORT CONNECTIONS REQUESTS: the result goes to standard output. */
static int be_clients(char **argv)
{
    struct clients s = {.o = {atol(argv[3]), atol(argv[4])},
                        .server = on_loopback((unsigned)atoi(argv[2])),
                        .epoll = epoll_create1(EPOLL_CLOEXEC)};
    s.all = calloc((size_t)s.o.connections, sizeof *s.all);
    if (!s.all || s.epoll < 0 || !run_clients(&s)) {
        perror("echo_server: the clients");
        return 1;
    }
    free(s.all);
    return write(STDOUT_FILENO, &s.result, sizeof s.result) != sizeof s.result;
}

/* ---- tasks -------------------------------------------------------------------------------- */

static void must(jd_self *me, int result)
{
    if (result < 0)
        jd_abort(me, 1, "echo_server: %s", jd_strerror(result));
}

static void send_back(jd_self *me, int fd, const char *bytes, long n)
{
    for (long done = 0, k; done < n; done += k) {
        while ((k = write_now(fd, bytes + done, (size_t)(n - done))) == NOT_NOW)
            must(me, jd_wait_fd(me, fd, JD_OUT, JD_FOREVER));
        if (k == BROKEN)
            jd_abort(me, 1, "echo_server: an answer cannot be sent");
    }
}

static void serve(jd_self *me, void *arg)
{
    struct server *s = jd_local(me);
    const int fd = *(int *)arg;
    char bytes[SIZE];
    uint64_t all = 0;
    long n;
    /* Nothing has come when an answer was just sent, so it waits before it reads. */
    do {
        must(me, jd_wait_fd(me, fd, JD_IN, JD_FOREVER));
        n = read_now(fd, bytes, sizeof bytes);
        if (n > 0) {
            send_back(me, fd, bytes, n);
            all += (uint64_t)n;
        }
    } while (n > 0 || n == NOT_NOW);
    if (n == BROKEN)
        jd_abort(me, 1, "echo_server: a connection is broken");
    must(me, jd_fd_forget(me, fd));
    close(fd);
    atomic_fetch_add_explicit(&s->bytes, all, memory_order_relaxed);
    atomic_fetch_add_explicit(&s->served, 1, memory_order_relaxed);
}

/* The clients have a result, or are gone without one. */
static void watch(jd_self *me, void *arg)
{
    struct server *s = jd_local(me);
    (void)arg;
    must(me, jd_wait_fd(me, s->result, JD_IN, JD_FOREVER));
    if (read_now(s->result, &s->told, sizeof s->told) != sizeof s->told)
        jd_abort(me, 1, "echo_server: the clients have ended too early");
    must(me, jd_fd_forget(me, s->result));
}

static void serve_all(jd_self *me, void *arg)
{
    struct server *s = arg;
    must(me, jd_async_local(me, WATCH, NULL, 0));
    for (long i = 0; i < s->o.connections; i++) {
        long got;
        while ((got = accept_now(s->listens)) == NOT_NOW)
            must(me, jd_wait_fd(me, s->listens, JD_IN, JD_FOREVER));
        if (got == BROKEN)
            jd_abort(me, 1, "echo_server: a connection is not accepted");
        int fd = (int)got;
        must(me, jd_async_local(me, SERVE, &fd, sizeof fd));
    }
    must(me, jd_fd_forget(me, s->listens));
}

static const jd_task_def tasks[] = {
    [SERVE] = JD_TASK(serve), [WATCH] = JD_TASK(watch), JD_TASK_END};

/* ---- the body ----------------------------------------------------------------------------- */

/* So many descriptors as the connections need, in this process and in that of the clients. */
static int may_open(const struct options *o)
{
    rlim_t need = (rlim_t)o->connections + OTHERS;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit))
        return 0;
    if (limit.rlim_cur >= need)
        return 1;
    limit.rlim_cur = limit.rlim_max;
    if (limit.rlim_max >= need && !setrlimit(RLIMIT_NOFILE, &limit))
        return 1;
    fprintf(
        stderr,
        "echo_server: %ld connections need %llu descriptors, the limit is %llu (ulimit "
        "-Hn)\n",
        o->connections, (unsigned long long)need, (unsigned long long)limit.rlim_max);
    return 0;
}

static int start_clients(struct server *s, unsigned port)
{
    char text[3][24];
    char *argv[] = {"echo_server", "--clients", text[0], text[1], text[2], NULL};
    snprintf(text[0], sizeof text[0], "%u", port);
    snprintf(text[1], sizeof text[1], "%ld", s->o.connections);
    snprintf(text[2], sizeof text[2], "%ld", s->o.requests);
    return start_self(argv, &s->clients, &s->result);
}

static int run(jd_self *me, struct server *s)
{
    unsigned port = listen_somewhere(&s->listens, BACKLOG);
    int status = 0;
    if (!port || !start_clients(s, port))
        jd_abort(me, 1, "echo_server: no socket, or no process for the clients");
    double start = jd_now(me);
    must(me, jd_finish(me, serve_all, s));
    double seconds = jd_now(me) - start;
    close(s->listens);
    close(s->result);
    uint64_t all = (uint64_t)s->o.connections * (uint64_t)s->o.requests;
    int right = waitpid(s->clients, &status, 0) == s->clients && !status &&
                s->told.right == all && !s->told.wrong &&
                atomic_load(&s->bytes) == all * SIZE &&
                atomic_load(&s->served) == (uint64_t)s->o.connections;
    printf("%ld connections, %llu requests: %.3f s, %.0f a second\n", s->o.connections,
           (unsigned long long)all, seconds, (double)all / seconds);
    if (!right)
        fprintf(
            stderr,
            "echo_server: WRONG: %llu answers are right, %llu wrong, %llu bytes came\n",
            (unsigned long long)s->told.right, (unsigned long long)s->told.wrong,
            (unsigned long long)atomic_load(&s->bytes));
    return !right;
}

/* 1, or 0 if an option is wrong; -1: the user wants the text. */
static int read_options(int argc, char **argv, struct options *o)
{
    for (int i = 1; i < argc; i += 2) {
        char *end = NULL;
        long value = i + 1 < argc ? strtol(argv[i + 1], &end, 10) : 0;
        if (!strcmp(argv[i], "-h"))
            return -1;
        if (!end || *end || value < 1 || value > MOST)
            return 0;
        if (!strcmp(argv[i], "-c"))
            o->connections = value;
        else if (!strcmp(argv[i], "-m"))
            o->requests = value;
        else
            return 0;
    }
    return 1;
}

static int body(jd_self *me, int argc, char **argv)
{
    struct server s = {.o = {.connections = 100, .requests = 20}};
    int error = read_options(argc, argv, &s.o);
    if (error < 1) {
        if (jd_rank(me) == 0)
            fputs(usage, error ? stdout : stderr);
        return error ? 0 : 2;
    }
    if (jd_rank(me))
        return 0;
    if (jd_wait_fd(me, STDERR_FILENO, JD_OUT, JD_NOW) == JD_ENOTSUP) {
        fputs("echo_server: it needs real time: not in the simulator\n", stderr);
        return 2;
    }
    jd_set_local(me, &s);
    return may_open(&s.o) ? run(me, &s) : 1;
}

int main(int argc, char **argv)
{
    if (argc == 5 && !strcmp(argv[1], "--clients"))
        return be_clients(argv);
    return jd_launch(argc, argv, body, tasks);
}
