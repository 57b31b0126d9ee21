/*
 * sched_fd_waits_without_a_look_keep_their_word.c
 *
 * Role: where looks at a descriptor have been in vain, most waits begin without one, and each of them returns what
 *       a call that looks first would: what is ready, also if it was left unread, was there before a deadline that
 *       has passed, or in a cancelled finish; or the same error.
 * Owner: the body.  There is one worker, so other tasks run when the body waits.
 * See: sched/wait/fd.c; doc/waiting.md "Descriptors".
 */
#include "test/dist/sched_fds_kit.h"

#include <fcntl.h>
#include <poll.h>

enum { WRITE, WAIT, FORGET };
enum { VAIN = 4, ROUNDS = 64, BOTH = JD_IN | JD_OUT };

static uint64_t looks;
static int waited; /* what the last task that waited got */

/* In place of the C library's. */
int poll(struct pollfd *fds, nfds_t n, int timeout)
{
    struct timespec t = {.tv_sec = timeout / 1000, .tv_nsec = timeout % 1000 * 1000000L};
    looks++;
    return ppoll(fds, n, timeout < 0 ? NULL : &t, NULL);
}

static void write_task(jd_self *me, void *arg)
{
    if (!put_byte(*(int *)arg, 1))
        jd_abort(me, 99, "a byte was not written");
}

static void wait_task(jd_self *me, void *arg)
{
    const int *job = arg;
    waited = jd_wait_fd(me, job[0], job[1], JD_FOREVER);
}

static void forget_task(jd_self *me, void *arg)
{
    must(me, jd_fd_forget(me, *(int *)arg));
}

/* So many looks in vain that the next wait begins without one. */
static bool expects_nothing(jd_self *me, int fd)
{
    bool vain = true;
    for (int i = 0; i < VAIN; i++)
        vain = jd_wait_fd(me, fd, JD_IN, JD_NOW) == JD_ETIMEDOUT && vain;
    return vain;
}

/* Begin with a wait without a look. */
static int wait_unseen(jd_self *me, const int fd[2], int what, jd_time deadline,
                       bool byte)
{
    if (!expects_nothing(me, fd[0]) || (byte && !put_byte(fd[1], 1)))
        jd_abort(me, 99, "a byte is there, or is not");
    return jd_wait_fd(me, fd[0], what, deadline);
}

static void test_looks(jd_self *me, const int fd[2])
{
    bool right = true;
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    looks = 0;
    for (int i = 0; i < ROUNDS; i++) {
        must(me, jd_async_local(me, WRITE, &fd[1], sizeof fd[1]));
        right = jd_wait_fd(me, fd[0], JD_IN, JD_FOREVER) == JD_IN &&
                take_byte(fd[0]) == 1 && right;
    }
    must(me, jd_finish_end(me, &s));
    ok(right, "each wait is told of its byte");
    ok(looks >= VAIN && looks <= ROUNDS / 4, "%llu of %d have begun with a look",
       (unsigned long long)looks, ROUNDS);
}

static void test_ready(jd_self *me, const int fd[2])
{
    ok(wait_unseen(me, fd, JD_IN, JD_FOREVER, true) == JD_IN && put_byte(fd[1], 2) &&
           take_byte(fd[0]) == 1,
       "what is there is told");
    ok(jd_wait_fd(me, fd[0], JD_IN, JD_FOREVER) == JD_IN && take_byte(fd[0]) == 2,
       "so is what was left unread");
    ok(wait_unseen(me, fd, JD_IN, JD_NOW, true) == JD_IN && take_byte(fd[0]) == 1,
       "before the deadline is looked at");
    ok(wait_unseen(me, fd, JD_IN, JD_NOW, false) == JD_ETIMEDOUT &&
           wait_unseen(me, fd, JD_IN, jd_deadline(me, FDS_LOOK_NS), false) ==
               JD_ETIMEDOUT,
       "what is not there is not");
    ok(wait_unseen(me, fd, BOTH, JD_FOREVER, true) == BOTH && take_byte(fd[0]) == 1,
       "both directions are, if both are ready");
}

static void test_cancelled(jd_self *me, const int fd[2])
{
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    bool vain = expects_nothing(me, fd[0]);
    must(me, jd_cancel(me, jd_finish_mine(me)));
    while (!jd_cancelled(me))
        jd_yield(me);
    bool told = put_byte(fd[1], 1) && jd_wait_fd(me, fd[0], JD_IN, JD_FOREVER) == JD_IN &&
                take_byte(fd[0]) == 1;
    ok(vain && told && jd_wait_fd(me, fd[0], JD_IN, JD_FOREVER) == JD_ECANCELED,
       "what is ready is told before a cancellation");
    ok(jd_finish_end(me, &s) == JD_ECANCELED, "which ends the finish");
}

static void test_busy(jd_self *me, const int fd[2])
{
    int job[2] = {fd[0], JD_OUT};
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    size_t full = fill(fd[0]);
    must(me, jd_async_local(me, WAIT, job, sizeof job));
    until_taken(me, fd[0], JD_OUT);
    ok(wait_unseen(me, fd, BOTH, JD_FOREVER, false) == JD_EBUSY,
       "who finds another one waiting is refused");
    ok(wait_unseen(me, fd, BOTH, JD_FOREVER, true) == JD_IN && take_byte(fd[0]) == 1,
       "but not if it need not wait");
    bool drained = drain_fd(fd[1]) == full;
    must(me, jd_finish_end(me, &s));
    ok(drained && waited == JD_OUT, "the other one is told of its direction");
}

static void test_forgotten(jd_self *me, const int fd[2])
{
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    must(me, jd_async_local(me, FORGET, fd, sizeof *fd));
    ok(wait_unseen(me, fd, JD_IN, JD_FOREVER, false) == JD_ECLOSED,
       "a descriptor that is forgotten ends the wait");
    must(me, jd_finish_end(me, &s));
}

/* The number is another file's, or nobody's, and nobody has said so. */
static void test_numbers(jd_self *me, const int fd[2])
{
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    bool vain = expects_nothing(me, fd[0]);
    ok(vain && dup2(file, fd[0]) == fd[0] &&
           jd_wait_fd(me, fd[0], JD_IN, JD_FOREVER) == JD_IN,
       "a file that is always ready is told");
    close(file);
    int next[2];
    new_pair(me, next);
    vain = expects_nothing(me, next[0]);
    close(next[0]);
    ok(vain && jd_wait_fd(me, next[0], JD_IN, JD_FOREVER) == JD_EINVAL,
       "what is not open is refused");
    close(next[1]);
}

static const jd_task_def tasks[] = {[WRITE] = JD_TASK(write_task),
                                    [WAIT] = JD_TASK(wait_task),
                                    [FORGET] = JD_TASK(forget_task),
                                    JD_TASK_END};

static int body(jd_self *me, int argc, char **argv)
{
    int fd[2];
    (void)argc, (void)argv;
    new_pair(me, fd);
    must(me, jd_sleep(me, 1000)); /* what waits need beside descriptors is there */
    test_looks(me, fd);
    test_ready(me, fd);
    test_cancelled(me, fd);
    test_busy(me, fd);
    test_forgotten(me, fd);
    test_numbers(me, fd);
    close_pair(me, fd);
    return done_testing();
}

int main(int argc, char **argv)
{
    setenv("JACKDAW_RANKS", "1", 1);
    setenv("JACKDAW_WORKERS", "1", 1);
    setenv("JACKDAW_STATE", "no", 1); /* the thread that waits for SIGUSR1 looks, too */
    return jd_launch(argc, argv, body, tasks);
}
