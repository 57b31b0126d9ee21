/*
 * sched_fds_flow_both_ways.c
 *
 * Role: streams that are full and empty by turns, in both directions at once: each end has a task that writes and
 *       one that reads, so that both wait for the same descriptor, and their waits begin and end at the same
 *       time on several workers.  Each byte arrives, in order.  Arguments: how many thousand bytes in each
 *       direction, how many streams.
 * Owner: each direction of an end belongs to one task.
 * See: doc/waiting.md "Descriptors".
 */
#include "test/dist/sched_fds_kit.h"

enum { WRITER, READER };
enum { MOST = 512, BUFFER = 2048, SOON_NS = 50000 };

static _Atomic uint64_t arrived, waits; /* on all ranks of the process */

struct flow {
    int fd;
    uint64_t bytes;
};

/* Every third time there is a deadline, which may pass. */
static void wait_for_room(jd_self *me, int fd, int what)
{
    uint64_t n = atomic_fetch_add_explicit(&waits, 1, memory_order_relaxed);
    int result = JD_ETIMEDOUT;
    if (n % 3 == 0)
        result = jd_wait_fd(me, fd, what, jd_deadline(me, SOON_NS));
    if (result == JD_ETIMEDOUT)
        result = jd_wait_fd(me, fd, what, JD_FOREVER);
    if (result != what)
        jd_abort(me, 99, "a wait ends with %d", result);
}

static void writer(jd_self *me, void *arg)
{
    const struct flow f = *(struct flow *)arg;
    unsigned char bytes[MOST];
    for (uint64_t sent = 0; sent < f.bytes;) {
        uint64_t left = f.bytes - sent, n = 1 + sent % MOST;
        n = n < left ? n : left;
        for (uint64_t i = 0; i < n; i++)
            bytes[i] = (unsigned char)((sent + i) % 251);
        ssize_t done = write(f.fd, bytes, n);
        if (done > 0)
            sent += (uint64_t)done;
        else
            wait_for_room(me, f.fd, JD_OUT);
    }
}

static void reader(jd_self *me, void *arg)
{
    const struct flow f = *(struct flow *)arg;
    unsigned char bytes[MOST];
    for (uint64_t got = 0; got < f.bytes;) {
        ssize_t n = read(f.fd, bytes, sizeof bytes);
        for (ssize_t i = 0; i < n; i++)
            if (bytes[i] != (unsigned char)((got + (uint64_t)i) % 251))
                jd_abort(me, 99, "another byte than was written");
        if (n > 0)
            got += (uint64_t)n;
        else
            wait_for_room(me, f.fd, JD_IN);
    }
    atomic_fetch_add_explicit(&arrived, f.bytes, memory_order_relaxed);
}

static const jd_task_def tasks[] = {
    [WRITER] = JD_TASK(writer), [READER] = JD_TASK(reader), JD_TASK_END};

static void start_flows(jd_self *me, const int fd[2], uint64_t bytes)
{
    for (int i = 0; i < 2; i++) {
        struct flow f = {fd[i], bytes};
        int size = BUFFER;
        if (setsockopt(fd[i], SOL_SOCKET, SO_SNDBUF, &size, sizeof size))
            jd_abort(me, 99, "no small buffer");
        must(me, jd_async_local(me, WRITER, &f, sizeof f));
        must(me, jd_async_local(me, READER, &f, sizeof f));
    }
}

static int body(jd_self *me, int argc, char **argv)
{
    uint64_t bytes = 1000 * (argc > 1 ? (uint64_t)atol(argv[1]) : 100);
    int n = argc > 2 ? atoi(argv[2]) : 8;
    int(*fd)[2] = calloc((size_t)n, sizeof *fd);
    jd_scope s;
    if (!fd)
        jd_abort(me, 99, "no memory");
    must(me, jd_finish_begin(me, &s));
    for (int i = 0; i < n; i++) {
        new_pair(me, fd[i]);
        start_flows(me, fd[i], bytes);
    }
    must(me, jd_finish_end(me, &s));
    for (int i = 0; i < n; i++)
        close_pair(me, fd[i]);
    free(fd);
    must(me, jd_barrier(me));
    ok_all(me, atomic_load(&arrived) >= 2 * bytes * (uint64_t)n,
           "every byte has arrived");
    ok_all(me, atomic_load(&waits) > 0, "some after a wait");
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
