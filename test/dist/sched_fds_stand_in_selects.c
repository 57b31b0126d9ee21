/*
 * sched_fds_stand_in_selects.c
 *
 * Role: a select is ended by a descriptor that was ready before or becomes ready, and by nothing that
 *       another wait has read; it leaves descriptors as they are when something else ends it.
 *       Arguments: how many bytes go through each pipe.
 * Owner: the body; each rank for itself.
 * See: include/jackdaw.h; doc/waiting.md "Select".
 */
#include "test/dist/sched_kit.h"

#include <fcntl.h>
#include <unistd.h>

enum { READER, WRITER };
enum { PIPES = 4, SHORT_NS = 300000 };

struct ends {
    int in[PIPES], out[PIPES];
};

struct job {
    struct ends ends;
    jd_event stop;
    jd_channel turns;
    uint64_t bytes, number;
};

static _Atomic uint64_t got, wrong; /* of all ranks of this process */

static void make_pipe(jd_self *me, int *in, int *out)
{
    int fd[2];
    if (pipe2(fd, O_CLOEXEC | O_NONBLOCK))
        jd_abort(me, 99, "no pipe");
    *in = fd[0];
    *out = fd[1];
}

static void close_pipe(jd_self *me, int in, int out)
{
    must(me, jd_fd_forget(me, in));
    must(me, jd_fd_forget(me, out));
    close(in);
    close(out);
}

/* Reads from whichever pipe is ready until it is told to stop, and takes turns from a channel in between. */
static void reader(jd_self *me, void *arg)
{
    const struct job j = *(struct job *)arg;
    uint64_t turn;
    jd_case c[PIPES + 2];
    for (int i = 0; i < PIPES; i++)
        c[i] = jd_case_fd(j.ends.in[i], JD_IN);
    c[PIPES] = jd_case_receive(j.turns, &turn);
    c[PIPES + 1] = jd_case_event(j.stop);
    for (int at; (at = jd_select(me, c, PIPES + 2, 0, JD_FOREVER)) <= PIPES;) {
        char byte;
        if (at < 0 || c[at].error || (at < PIPES && c[at].ready != JD_IN))
            atomic_fetch_add(&wrong, 1);
        if (at < 0)
            return;
        if (at < PIPES &&
            read(c[at].number <= INT32_MAX ? (int)c[at].number : -1, &byte, 1) == 1)
            atomic_fetch_add(&got, 1);
    }
}

static void writer(jd_self *me, void *arg)
{
    const struct job j = *(struct job *)arg;
    for (uint64_t i = 0; i < j.bytes; i++) {
        jd_case c[] = {jd_case_fd(j.ends.out[j.number], JD_OUT),
                       jd_case_send(j.turns, &i)};
        int at = jd_select(me, c, 2, 0, JD_FOREVER);
        if (at < 0 || c[at].error)
            jd_abort(me, 98, "a select of a writer: %d, %d", at,
                     at < 0 ? 0 : c[at].error);
        if (at == 1)
            i--; /* a turn, no byte */
        else if (write(j.ends.out[j.number], "x", 1) != 1)
            jd_abort(me, 98, "what can be written to cannot");
    }
}

static const jd_task_def tasks[] = {
    [READER] = JD_TASK(reader), [WRITER] = JD_TASK(writer), JD_TASK_END};

static void test_alone(jd_self *me)
{
    int in, out;
    jd_event e;
    char byte;
    make_pipe(me, &in, &out);
    must(me, jd_event_create(me, 1, &e));
    jd_case c[] = {jd_case_fd(in, JD_IN), jd_case_event(e),
                   jd_case_fd(out, JD_IN | JD_OUT)};
    c[2].kind = JD_CASE_OFF;
    int now = jd_select(me, c, 2, 0, JD_NOW);
    int later = jd_select(me, c, 2, 0, jd_deadline(me, SHORT_NS));
    ok_all(me, now == JD_ETIMEDOUT && later == JD_ETIMEDOUT,
           "an empty pipe is not ready");
    must(me, jd_event_signal(me, e, 1));
    int other = jd_select(me, c, 2, 0, JD_FOREVER);
    must(me, jd_event_reset(me, e, 1));
    ok_all(me, other == 1, "something else may be");
    bool written = write(out, "x", 1) == 1;
    int at = jd_select(me, c, 2, 0, JD_FOREVER);
    ok_all(me, written && at == 0 && !c[0].error && c[0].ready == JD_IN,
           "one with a byte is");
    ok_all(me, read(in, &byte, 1) == 1 && jd_select(me, c, 2, 0, JD_NOW) == JD_ETIMEDOUT,
           "until somebody has read the byte");
    c[2] = jd_case_fd(out, JD_IN | JD_OUT);
    at = jd_select(me, c, 3, 0, JD_FOREVER);
    ok_all(me, at == 2 && c[2].ready == JD_OUT, "so is one that can be written to");
    c[2] = jd_case_fd(in, JD_IN);
    at = jd_select(me, c, 3, 0, JD_FOREVER);
    ok_all(me, at >= 0 && c[at].error == JD_EBUSY,
           "twice the same direction is an error");
    c[2] = jd_case_fd(-1, JD_IN);
    bool bad = jd_select(me, c, 3, 0, JD_NOW) == JD_EINVAL;
    c[2] = jd_case_fd(in, 4);
    ok_all(me, bad && jd_select(me, c, 3, 0, JD_NOW) == JD_EINVAL,
           "what is none is refused");
    must(me, jd_event_destroy(me, e));
    close_pipe(me, in, out);
}

/* As many bytes arrive as were written, whoever of several readers is told of them. */
static void test_bytes(jd_self *me, uint64_t bytes)
{
    struct job j = {.bytes = bytes};
    jd_scope all, writers;
    for (int i = 0; i < PIPES; i++)
        make_pipe(me, &j.ends.in[i], &j.ends.out[i]);
    must(me, jd_event_create(me, 1, &j.stop));
    must(me, jd_channel_create(me, sizeof(uint64_t), 2, &j.turns));
    must(me, jd_finish_begin(me, &all));
    must(me, jd_async_local(me, READER, &j, sizeof j));
    must(me, jd_finish_begin(me, &writers));
    for (; j.number < PIPES; j.number++)
        must(me, jd_async_local(me, WRITER, &j, sizeof j));
    must(me, jd_finish_end(me, &writers));
    for (int i = 0; i < PIPES; i++) /* the reader reads what is left */
        while (jd_wait_fd(me, j.ends.in[i], JD_IN, JD_NOW) == JD_IN)
            jd_yield(me);
    must(me, jd_event_signal(me, j.stop, 1));
    must(me, jd_finish_end(me, &all));
    must(me, jd_barrier(me));
    must(me, jd_event_destroy(me, j.stop));
    must(me, jd_channel_destroy(me, j.turns));
    for (int i = 0; i < PIPES; i++)
        close_pipe(me, j.ends.in[i], j.ends.out[i]);
}

static int body(jd_self *me, int argc, char **argv)
{
    uint64_t bytes = argc > 1 ? (uint64_t)atol(argv[1]) : 200;
    test_alone(me);
    test_bytes(me, bytes);
    /* Ranks of one process share the numbers; of several, each has its own. */
    uint64_t sum = atomic_load(&got), mine = PIPES * bytes;
    ok_all(me, sum == mine || sum == mine * jd_nranks(me), "each byte is read once");
    ok_all(me, !atomic_load(&wrong), "and nobody is told of anything else");
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
