/*
 * sched_fds_bounce_bytes.c
 *
 * Role: many pairs of tasks throw a byte to and fro, each through a pair of sockets, and wait for it with a
 *       deadline or without: each byte arrives, in order, and some tasks have really waited.
 *       Arguments: how many times each byte is thrown, how many pairs.
 * Owner: each end of a pair belongs to one task.
 * See: doc/waiting.md "Descriptors".
 */
#include "test/dist/sched_fds_kit.h"

enum { BOUNCE };
enum { SOON_NS = 100000 };

static _Atomic uint64_t thrown; /* on all ranks of the process */

struct side {
    int fd, begins;
    uint64_t times;
};

/* Every third wait has a deadline, which may pass. */
static void wait_for_byte(jd_self *me, int fd, uint64_t i)
{
    int result = JD_ETIMEDOUT;
    if (i % 3 == 0)
        result = jd_wait_fd(me, fd, JD_IN, jd_deadline(me, SOON_NS));
    if (result == JD_ETIMEDOUT)
        result = jd_wait_fd(me, fd, JD_IN, JD_FOREVER);
    if (result != JD_IN)
        jd_abort(me, 99, "a wait ends with %d", result);
}

static void bounce(jd_self *me, void *arg)
{
    const struct side s = *(struct side *)arg;
    for (uint64_t i = 0; i < s.times; i++) {
        if ((s.begins || i) && !put_byte(s.fd, (unsigned char)i))
            jd_abort(me, 99, "a byte was not thrown");
        wait_for_byte(me, s.fd, i);
        /* Who does not begin has caught one more than it has thrown. */
        if (take_byte(s.fd) != (unsigned char)(s.begins ? i + 1 : i))
            jd_abort(me, 99, "another byte than was thrown, or none");
        atomic_fetch_add_explicit(&thrown, 1, memory_order_relaxed);
    }
    if (!s.begins && !put_byte(s.fd, (unsigned char)s.times))
        jd_abort(me, 99, "the last byte was not thrown");
    must(me, jd_fd_forget(me, s.fd));
    close(s.fd);
}

static const jd_task_def tasks[] = {[BOUNCE] = JD_TASK(bounce), JD_TASK_END};

static int body(jd_self *me, int argc, char **argv)
{
    uint64_t times = argc > 1 ? (uint64_t)atol(argv[1]) : 200;
    uint64_t pairs = argc > 2 ? (uint64_t)atol(argv[2]) : 100;
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    for (uint64_t i = 0; i < pairs; i++) {
        int fd[2];
        new_pair(me, fd);
        for (int k = 0; k < 2; k++) {
            struct side side = {fd[k], k, times};
            must(me, jd_async_local(me, BOUNCE, &side, sizeof side));
        }
    }
    must(me, jd_finish_end(me, &s));
    must(me, jd_barrier(me));
    ok_all(me, atomic_load(&thrown) >= 2 * times * pairs, "every byte has come back");
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
