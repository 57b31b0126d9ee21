/*
 * fetch_all.c - fetches all pages that can be reached from the first one, a few at a time.
 *
 * Role: a task for each page waits for its turn, fetches the page, and spawns a task for each link that nobody has seen.
 *       Some pages do not answer, or break off, when they are first asked for: so each fetch has a deadline and is
 *       tried again.  What is left is cancelled when enough was found or the time for all is over.  The server is this
 *       program once more, in another process; it says what it has seen.
 * Owner: rank 0.
 * Invariants: I1 a fetch has reserved room in a channel into which nobody sends: so many are under way at most.
 * See: examples/README.md; jd_wait_fd and jd_channel_reserve in jackdaw.h.
 */
#include "examples/options.h"
#include "examples/sockets.h"
#include "jackdaw.h"

#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

enum { PAGE };
enum { LINKS = 4, TRIES = 20, LIMIT_MOST = 500, BACKLOG = 1024, US = 1000, MS = 1000000 };
enum { NO_PAGE = -1, TELL = -2 }; /* what the server is asked for */

static const char usage[] =
    "usage: fetch_all [OPTION VALUE]...\n"
    "  -n N   pages (300)\n"
    "  -l L   fetches under way at a time (16)\n"
    "  -w US  a page takes half to one and a half of so many microseconds (2000)\n"
    "  -d MS  the time for one fetch, before it is tried again (100)\n"
    "  -t MS  the time for all, then the rest is cancelled (60000)\n"
    "  -e E   so many pages are enough, then the rest is cancelled (all)\n"
    "  -h     this text\n"
    "It runs on rank 0.\n";

struct options {
    int64_t pages, limit, delay, deadline, total, enough;
};

/* What the server sends: a page, or, where TELL was asked for, what it has seen. */
struct answer {
    int32_t page, nlinks, link[LINKS];
    uint32_t answers, most_open;
};

static uint32_t mix(uint32_t page, uint32_t salt)
{
    uint32_t x = (page + 1) * UINT32_C(2654435761) ^ salt * UINT32_C(0x9E3779B9);
    x = (x ^ x >> 15) * UINT32_C(0x85EBCA6B);
    return x ^ x >> 13;
}

/* ---- the server: one thread of another process, without Jackdaw ------------------------- */

struct visitor {
    int32_t page;
    int64_t due; /* us; -1: it will not be answered */
};

struct server {
    struct options o;
    struct pollfd fd[LIMIT_MOST + 2]; /* the last: listens */
    struct visitor of[LIMIT_MOST + 2];
    nfds_t n;
    unsigned char *asked; /* how often for each page */
    struct answer told;
    int ends;
};

static int64_t microseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / US;
}

static void forget_visitor(struct server *s, nfds_t i)
{
    close(s->fd[i].fd);
    s->n--;
    s->fd[i] = s->fd[s->n];
    s->of[i] = s->of[s->n];
}

/* A page links to two more of a tree, so that each can be reached, and to any two. */
static struct answer answer_to(const struct server *s, int32_t page)
{
    struct answer a = {.page = page};
    int64_t to[LINKS] = {2 * (int64_t)page + 1, 2 * (int64_t)page + 2,
                         mix((uint32_t)page, 1) % s->o.pages,
                         mix((uint32_t)page, 2) % s->o.pages};
    if (page == TELL)
        return s->told;
    for (int i = 0; i < LINKS; i++)
        if (to[i] < s->o.pages)
            a.link[a.nlinks++] = (int32_t)to[i];
    return a;
}

/* One page of eight is not answered at first, and one breaks off.  False: the visitor has gone. */
static int hear(struct server *s, nfds_t i)
{
    int32_t page;
    struct visitor *v = &s->of[i];
    if (recv(s->fd[i].fd, &page, sizeof page, MSG_DONTWAIT) != sizeof page ||
        page < TELL || page >= s->o.pages)
        return 0;
    uint32_t luck = page < 0 || s->asked[page]++ ? 7 : mix((uint32_t)page, 3) % 8;
    v->page = page;
    v->due = luck == 0 ? -1
                       : microseconds() + s->o.delay / 2 +
                             (page < 0 ? 0 : mix((uint32_t)page, 4) % s->o.delay);
    return luck != 1;
}

static void let_in(struct server *s)
{
    long fd;
    while (s->n < LIMIT_MOST + 1 && (fd = accept_now(s->fd[LIMIT_MOST + 1].fd)) >= 0) {
        s->fd[s->n] = (struct pollfd){.fd = (int)fd, .events = POLLIN | POLLRDHUP};
        s->of[s->n++] = (struct visitor){.page = NO_PAGE, .due = -1};
    }
}

/* Hear who asks, and forget who has left.  Whoever was let in has left another connection before: so those who are
 * still here afterwards were here at the same time. */
static int hear_all(struct server *s)
{
    if (poll(s->fd, s->n, 0) < 0)
        return 0;
    for (nfds_t i = s->n; i-- > 0;) {
        short come = s->fd[i].revents;
        if (come & (POLLRDHUP | POLLHUP | POLLERR) || (come && !hear(s, i)))
            forget_visitor(s, i);
    }
    if (s->n > s->told.most_open)
        s->told.most_open = (uint32_t)s->n;
    return 1;
}

/* Answer those whose time has come.  Returns how many ms there are until the next, or -1. */
static int answer_all(struct server *s)
{
    int64_t now = microseconds(), next = -1;
    for (nfds_t i = s->n; i-- > 0;) {
        const struct visitor v = s->of[i];
        if (v.due > now && (next < 0 || v.due < next))
            next = v.due;
        if (v.due < 0 || v.due > now)
            continue;
        struct answer a = answer_to(s, v.page);
        s->told.answers += v.page >= 0;
        s->ends |= v.page == TELL;
        (void)!write_now(s->fd[i].fd, &a, sizeof a);
        forget_visitor(s, i);
    }
    return next < 0 ? -1 : (int)((next - now) / 1000) + 1;
}

static void serve_all(struct server *s)
{
    while (!s->ends) {
        int wait_ms = answer_all(s);
        struct pollfd *listens = &s->fd[s->n];
        *listens = s->fd[LIMIT_MOST + 1];
        if (poll(s->fd, s->n + 1, s->ends ? 0 : wait_ms) < 0)
            return;
        if (listens->revents)
            let_in(s);
        if (!hear_all(s))
            return;
    }
}

/* fetch_all --serve PAGES US: the port goes to standard output. */
static int be_server(char **argv)
{
    static struct server s;
    int fd;
    unsigned port = listen_somewhere(&fd, BACKLOG);
    s.o.pages = atoll(argv[2]);
    s.o.delay = atoll(argv[3]);
    s.asked = calloc((size_t)s.o.pages, 1);
    s.fd[LIMIT_MOST + 1] = (struct pollfd){.fd = fd, .events = POLLIN};
    if (!port || !s.asked || write(STDOUT_FILENO, &port, sizeof port) != sizeof port) {
        perror("fetch_all: the server");
        return 1;
    }
    close(STDOUT_FILENO);
    serve_all(&s);
    free(s.asked);
    return !s.ends;
}

/* ---- one fetch -------------------------------------------------------------------------- */

struct crawl {
    struct options o;
    unsigned port;
    jd_time total;
    jd_channel room;
    jd_finish_id finish;
    _Atomic uint8_t *seen, *fetched;
    _Atomic int64_t under_way, most, found, retries, failed;
};

static void must(jd_self *me, int result)
{
    if (result < 0)
        jd_abort(me, 1, "fetch_all: %s", jd_strerror(result));
}

/* 0 if the descriptor is connected at last. */
static int connect_to(jd_self *me, int fd, unsigned port, jd_time deadline)
{
    struct sockaddr_in there = on_loopback(port);
    int error = 0;
    socklen_t n = sizeof error;
    long done = outcome(connect(fd, (struct sockaddr *)&there, sizeof there));
    if (done != NOT_NOW)
        return done ? JD_ESYS : 0;
    int ready = jd_wait_fd(me, fd, JD_OUT, deadline);
    if (ready < 0)
        return ready;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &n) || error ? JD_ESYS : 0;
}

/* JD_ESYS: the connection has ended before the answer has. */
static int read_answer(jd_self *me, int fd, struct answer *a, jd_time deadline)
{
    for (size_t got = 0; got < sizeof *a;) {
        long n = read_now(fd, (char *)a + got, sizeof *a - got);
        int ready = n == NOT_NOW ? jd_wait_fd(me, fd, JD_IN, deadline) : 0;
        if (ready < 0)
            return ready;
        if (n == BROKEN || n == 0)
            return JD_ESYS;
        got += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

/* 0, JD_ESYS, or what a wait has ended with. */
static int ask(jd_self *me, unsigned port, int32_t page, struct answer *a,
               jd_time deadline)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return JD_ESYS;
    int error = connect_to(me, fd, port, deadline);
    if (!error && write_now(fd, &page, sizeof page) != sizeof page)
        error = JD_ESYS;
    if (!error)
        error = read_answer(me, fd, a, deadline);
    if (!error && a->page != page && page != TELL)
        error = JD_ESYS;
    must(me, jd_fd_forget(me, fd));
    close(fd);
    return error;
}

/* ---- tasks ------------------------------------------------------------------------------ */

static jd_time earlier(jd_time a, jd_time b)
{
    return a < b ? a : b;
}

/* JD_ETIMEDOUT: the time for all is over. */
static int fetch(jd_self *me, struct crawl *c, int32_t page, struct answer *a)
{
    int error = JD_ESYS;
    for (int i = 0; i < TRIES; i++) {
        jd_time one = jd_deadline(me, (uint64_t)c->o.deadline * MS);
        error = ask(me, c->port, page, a, earlier(one, c->total));
        if (!error || error == JD_ECANCELED)
            return error;
        if (jd_clock(me) >= c->total)
            return JD_ETIMEDOUT;
        atomic_fetch_add(&c->retries, 1);
    }
    return error;
}

/* Fetch a page when it is its turn. */
static int fetch_in_turn(jd_self *me, struct crawl *c, int32_t page, struct answer *a)
{
    int error = jd_channel_reserve(me, c->room, c->total);
    if (error)
        return error;
    int64_t now = atomic_fetch_add(&c->under_way, 1) + 1, most = atomic_load(&c->most);
    while (most < now && !atomic_compare_exchange_weak(&c->most, &most, now))
        ;
    error = fetch(me, c, page, a);
    atomic_fetch_sub(&c->under_way, 1);
    must(me, jd_channel_release(me, c->room));
    return error;
}

static void visit(jd_self *me, struct crawl *c, int32_t page)
{
    if (!atomic_exchange(&c->seen[page], 1))
        must(me, jd_async_local(me, PAGE, &page, sizeof page));
}

static void page(jd_self *me, void *arg)
{
    struct crawl *c = jd_local(me);
    const int32_t number = *(int32_t *)arg;
    struct answer a;
    int error = fetch_in_turn(me, c, number, &a);
    if (error == JD_ETIMEDOUT)
        must(me, jd_cancel(me, c->finish));
    else if (error && error != JD_ECANCELED)
        atomic_fetch_add(&c->failed, 1);
    if (error)
        return;
    atomic_fetch_add(&c->fetched[number], 1);
    if (atomic_fetch_add(&c->found, 1) + 1 == c->o.enough)
        must(me, jd_cancel(me, c->finish));
    for (int32_t i = 0; i < a.nlinks && i < LINKS; i++)
        if (a.link[i] >= 0 && a.link[i] < c->o.pages)
            visit(me, c, a.link[i]);
}

static const jd_task_def tasks[] = {[PAGE] = JD_TASK(page), JD_TASK_END};

/* ---- the body ----------------------------------------------------------------------------- */

static int crawl_all(jd_self *me, struct crawl *c)
{
    jd_scope s;
    c->total = jd_deadline(me, (uint64_t)c->o.total * MS);
    must(me, jd_channel_create(me, 0, (size_t)c->o.limit, &c->room));
    must(me, jd_finish_begin(me, &s));
    c->finish = jd_finish_mine(me);
    visit(me, c, 0);
    int error = jd_finish_end(me, &s);
    must(me, error == JD_ECANCELED ? 0 : error);
    must(me, jd_channel_destroy(me, c->room));
    return error;
}

/* Each page once, and if nothing was cancelled, all of them. */
static int is_right(const struct crawl *c, const struct answer *told, int cancelled)
{
    int64_t pages = 0, twice = 0, found = atomic_load(&c->found);
    for (int64_t i = 0; i < c->o.pages; i++) {
        pages += c->fetched[i] == 1;
        twice += c->fetched[i] > 1;
    }
    int all = found == c->o.pages && !atomic_load(&c->failed);
    return !twice && pages == found && (cancelled ? 1 : all) &&
           atomic_load(&c->most) <= c->o.limit && told->most_open <= c->o.limit &&
           told->answers >= found;
}

/* The server says what it has seen, and ends. */
static struct answer end_server(jd_self *me, struct crawl *c, pid_t server)
{
    struct answer told = {0};
    int status = 0;
    if (ask(me, c->port, TELL, &told, JD_FOREVER) ||
        waitpid(server, &status, 0) != server || status)
        jd_abort(me, 1, "fetch_all: the server has not ended well");
    return told;
}

static unsigned start_server(const struct options *o, pid_t *server)
{
    char text[2][24];
    char *argv[] = {"fetch_all", "--serve", text[0], text[1], NULL};
    unsigned port = 0;
    int output;
    snprintf(text[0], sizeof text[0], "%lld", (long long)o->pages);
    snprintf(text[1], sizeof text[1], "%lld", (long long)o->delay);
    if (!start_self(argv, server, &output))
        return 0;
    if (read(output, &port, sizeof port) != sizeof port)
        port = 0;
    close(output);
    return port;
}

static int run(jd_self *me, struct crawl *c)
{
    pid_t server;
    c->seen = calloc((size_t)c->o.pages, 1);
    c->fetched = calloc((size_t)c->o.pages, 1);
    c->port = start_server(&c->o, &server);
    if (!c->seen || !c->fetched || !c->port)
        jd_abort(me, 1, "fetch_all: no memory, or no process for the server");
    double start = jd_now(me);
    int cancelled = crawl_all(me, c);
    double seconds = jd_now(me) - start;
    struct answer told = end_server(me, c, server);
    printf("%lld of %lld pages in %.3f s%s; %lld fetches were tried again; at most %lld "
           "of %lld under way\n",
           (long long)atomic_load(&c->found), (long long)c->o.pages, seconds,
           cancelled ? ", the rest was cancelled" : "",
           (long long)atomic_load(&c->retries), (long long)atomic_load(&c->most),
           (long long)c->o.limit);
    int right = is_right(c, &told, cancelled);
    if (!right)
        fprintf(stderr,
                "fetch_all: WRONG: %lld pages failed; the server has answered %u times, "
                "and seen %u at a time\n",
                (long long)atomic_load(&c->failed), told.answers, told.most_open);
    free((void *)c->seen);
    free((void *)c->fetched);
    return !right;
}

/* 0, or the argument that is wrong; -1: the user wants the text. */
static int read_options(int argc, char **argv, struct options *o)
{
    const struct number_option option[] = {
        {"-n", 10000000, &o->pages},   {"-l", LIMIT_MOST, &o->limit},
        {"-w", 10000000, &o->delay},   {"-d", 1000000, &o->deadline},
        {"-t", 1000000000, &o->total}, {"-e", 10000000, &o->enough}};
    return read_numbers(argc, argv, option, sizeof option / sizeof *option);
}

static int body(jd_self *me, int argc, char **argv)
{
    struct crawl c = {.o = {300, 16, 2000, 100, 60000, INT64_MAX}};
    int bad = read_options(argc, argv, &c.o);
    if (bad)
        return end_with_usage(me, "fetch_all", argv, bad, usage);
    if (jd_rank(me))
        return 0;
    if (jd_wait_fd(me, STDERR_FILENO, JD_OUT, JD_NOW) == JD_ENOTSUP) {
        fputs("fetch_all: it needs real time: not in the simulator\n", stderr);
        return 2;
    }
    jd_set_local(me, &c);
    return run(me, &c);
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "--serve"))
        return be_server(argv);
    return jd_launch(argc, argv, body, tasks);
}
