/*
 * sched_fds_tell_what_is_ready.c
 *
 * Role: what jd_wait_fd says, at once and later: each direction, both of one descriptor, deadlines,
 *       cancellations, descriptors that are forgotten, the other side hangs up, what is refused.
 * Owner: the body; a descriptor belongs to the test that has made it.
 * See: include/jackdaw.h; doc/waiting.md "Descriptors".
 */
#include "test/dist/sched_fds_kit.h"

#include <fcntl.h>

enum { WAIT };
enum { SHORT_NS = 200000, MANY = 20, LARGE = 500, BOTH = JD_IN | JD_OUT };

struct job {
    int fd, what;
    jd_channel results; /* of ints */
};

static void wait_task(jd_self *me, void *arg)
{
    const struct job j = *(struct job *)arg;
    int result = wait_for_ever(me, j.fd, j.what);
    must(me, jd_channel_send(me, j.results, &result, JD_NOW));
}

static const jd_task_def tasks[] = {[WAIT] = JD_TASK(wait_task), JD_TASK_END};

static jd_channel new_results(jd_self *me)
{
    jd_channel c = {0};
    must(me, jd_channel_create(me, sizeof(int), MANY, &c));
    return c;
}

static int next_result(jd_self *me, jd_channel c)
{
    int result = 0;
    must(me, jd_channel_receive(me, c, &result, JD_FOREVER));
    return result;
}

/* A task that waits; it has begun when this returns. */
static void start_wait(jd_self *me, int fd, int what, jd_channel results)
{
    struct job j = {fd, what, results};
    must(me, jd_async_local(me, WAIT, &j, sizeof j));
    until_taken(me, fd, what);
}

static void test_at_once(jd_self *me)
{
    int fd[2], file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    new_pair(me, fd);
    ok_all(me,
           jd_wait_fd(me, fd[0], JD_IN, JD_NOW) == JD_ETIMEDOUT &&
               jd_wait_fd(me, fd[0], BOTH, JD_NOW) == JD_OUT &&
               jd_wait_fd(me, fd[0], JD_OUT, JD_FOREVER) == JD_OUT,
           "an empty stream can be written only");
    bool put = put_byte(fd[1], 1);
    ok_all(me,
           put && jd_wait_fd(me, fd[0], BOTH, JD_FOREVER) == BOTH &&
               jd_wait_fd(me, fd[0], JD_IN, JD_NOW) == JD_IN &&
               jd_wait_fd(me, fd[0], JD_OUT, JD_NOW) == JD_OUT,
           "what is ready is told, of what was asked for");
    ok_all(me, jd_wait_fd(me, file, JD_IN, JD_NOW) == JD_IN, "a file is always ready");
    close(file);
    close_pair(me, fd);
}

static void test_refusals(jd_self *me)
{
    int fd[2];
    new_pair(me, fd);
    ok_all(me,
           jd_wait_fd(me, -1, JD_IN, JD_NOW) == JD_EINVAL &&
               jd_wait_fd(me, 1000000, JD_IN, JD_FOREVER) == JD_EINVAL &&
               jd_fd_forget(me, -1) == JD_EINVAL,
           "what is not open is refused");
    ok_all(me,
           jd_wait_fd(me, fd[0], 0, JD_NOW) == JD_EINVAL &&
               jd_wait_fd(me, fd[0], JD_IN | 4, JD_NOW) == JD_EINVAL,
           "so is what is no direction");
    ok_all(me, !jd_fd_forget(me, fd[0]) && !jd_fd_forget(me, 1000000),
           "to forget what nobody has waited for does nothing");
    close_pair(me, fd);
}

/* Small numbers and a large one. */
static void test_later(jd_self *me, jd_channel results)
{
    int fd[2], large;
    bool right = true;
    jd_scope s;
    new_pair(me, fd);
    large = fcntl(fd[0], F_DUPFD_CLOEXEC, LARGE);
    must(me, jd_finish_begin(me, &s));
    for (int i = 0; i < MANY; i++) {
        start_wait(me, i & 1 ? large : fd[0], JD_IN, results);
        right = put_byte(fd[1], (unsigned char)i) && next_result(me, results) == JD_IN &&
                take_byte(fd[0]) == i && right;
    }
    must(me, jd_finish_end(me, &s));
    ok_all(me, right, "who waits is told when a byte has come");
    must(me, jd_fd_forget(me, large));
    close(large);
    close_pair(me, fd);
}

static void test_directions(jd_self *me, jd_channel results)
{
    int fd[2];
    bool right = true;
    jd_scope s;
    new_pair(me, fd);
    must(me, jd_finish_begin(me, &s));
    for (int i = 0; i < MANY; i++) {
        size_t full = fill(fd[0]);
        start_wait(me, fd[0], JD_IN, results);
        start_wait(me, fd[0], JD_OUT, results);
        right = right && full && jd_wait_fd(me, fd[0], BOTH, JD_FOREVER) == JD_EBUSY;
        if (i & 1) { /* the one goes on first, or the other */
            right = put_byte(fd[1], 1) && next_result(me, results) == JD_IN && right;
            until_taken(me, fd[0], JD_OUT);
            right =
                drain_fd(fd[1]) == full && next_result(me, results) == JD_OUT && right;
        } else {
            right =
                drain_fd(fd[1]) == full && next_result(me, results) == JD_OUT && right;
            until_taken(me, fd[0], JD_IN);
            right = put_byte(fd[1], 1) && next_result(me, results) == JD_IN && right;
        }
        right = take_byte(fd[0]) == 1 && right;
    }
    ok_all(me, right, "one waits for each direction, a third is refused");
    (void)fill(fd[0]);
    start_wait(me, fd[0], BOTH, results);
    right = jd_wait_fd(me, fd[0], JD_IN, JD_FOREVER) == JD_EBUSY &&
            jd_wait_fd(me, fd[0], JD_OUT, JD_FOREVER) == JD_EBUSY;
    ok_all(me, right && put_byte(fd[1], 1) && next_result(me, results) == JD_IN,
           "who waits for both is told of the one that is ready");
    must(me, jd_finish_end(me, &s));
    close_pair(me, fd);
}

static void test_deadlines(jd_self *me, jd_channel results)
{
    int fd[2];
    bool right = true;
    jd_scope s;
    new_pair(me, fd);
    for (int i = 0; i < MANY / 2; i++) {
        jd_time by = jd_deadline(me, SHORT_NS);
        right = jd_wait_fd(me, fd[0], JD_IN, by) == JD_ETIMEDOUT && jd_clock(me) >= by &&
                right;
    }
    ok_all(me, right, "a wait lasts until its deadline and no longer");
    must(me, jd_finish_begin(me, &s));
    start_wait(me, fd[0], JD_IN, results);
    right = put_byte(fd[1], 1) && next_result(me, results) == JD_IN;
    ok_all(me, right, "the next one is told");
    must(me, jd_finish_end(me, &s));
    close_pair(me, fd);
}

/* In a finish that is cancelled, what is ready is told all the same. */
static bool is_cancelled(jd_self *me)
{
    int fd[2];
    new_pair(me, fd);
    while (!jd_cancelled(me))
        jd_yield(me);
    bool right = jd_wait_fd(me, fd[0], JD_IN, JD_FOREVER) == JD_ECANCELED &&
                 put_byte(fd[1], 1) && jd_wait_fd(me, fd[0], JD_IN, JD_FOREVER) == JD_IN;
    close_pair(me, fd);
    return right;
}

/* MANY waits, which end by a cancellation, or because their descriptors are forgotten. */
static bool end_all(jd_self *me, jd_channel results, bool cancel)
{
    int fd[MANY / 2][2];
    bool right = true;
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    for (int i = 0; i < MANY / 2; i++) {
        new_pair(me, fd[i]);
        (void)fill(fd[i][0]);
        start_wait(me, fd[i][0], JD_IN, results);
        start_wait(me, fd[i][0], JD_OUT, results);
    }
    if (cancel)
        must(me, jd_cancel(me, jd_finish_mine(me)));
    for (int i = 0; i < MANY / 2 && !cancel; i++)
        must(me, jd_fd_forget(me, fd[i][0]));
    right = !cancel || is_cancelled(me);
    right = jd_finish_end(me, &s) == (cancel ? JD_ECANCELED : 0) && right;
    for (int i = 0; i < MANY; i++)
        right = next_result(me, results) == (cancel ? JD_ECANCELED : JD_ECLOSED) && right;
    for (int i = 0; i < MANY / 2; i++)
        close_pair(me, fd[i]);
    return right;
}

static void test_hang_up(jd_self *me, jd_channel results)
{
    int fd[2], ends[2];
    bool right;
    jd_scope s;
    new_pair(me, fd);
    must(me, jd_finish_begin(me, &s));
    start_wait(me, fd[0], JD_IN, results);
    close(fd[1]);
    right = next_result(me, results) == JD_IN && take_byte(fd[0]) == -1;
    ok_all(me, right && jd_wait_fd(me, fd[0], BOTH, JD_NOW) == BOTH,
           "the end of a stream is ready");
    if (pipe2(ends, O_NONBLOCK | O_CLOEXEC))
        jd_abort(me, 99, "no pipe");
    (void)fill(ends[1]);
    start_wait(me, ends[1], JD_OUT, results);
    close(ends[0]);
    ok_all(me, next_result(me, results) == JD_OUT, "so is a pipe that nobody reads");
    must(me, jd_finish_end(me, &s));
    must(me, jd_fd_forget(me, fd[0]));
    must(me, jd_fd_forget(me, ends[1]));
    close(fd[0]);
    close(ends[1]);
}

static int body(jd_self *me, int argc, char **argv)
{
    jd_channel results = new_results(me);
    (void)argc, (void)argv;
    test_at_once(me);
    test_refusals(me);
    test_later(me, results);
    test_directions(me, results);
    test_deadlines(me, results);
    ok_all(me, end_all(me, results, true), "a cancellation ends waits");
    ok_all(me, end_all(me, results, false), "so does a descriptor that is forgotten");
    test_hang_up(me, results);
    must(me, jd_channel_destroy(me, results));
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
