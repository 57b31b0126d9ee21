/*
 * sched_channels_refuse_and_end.c
 *
 * Role: what a channel says: names that are out of date or of another rank, sizes that are too large, deadlines,
 *       cancellations, and what those who wait get when it is closed or destroyed.
 * Owner: the body; a channel belongs to the tasks that know it.
 * See: include/jackdaw.h; doc/waiting.md "Channels".
 */
#include "test/dist/sched_channels_kit.h"

enum { SENDER, RECEIVER };
enum { WAITERS = 20, MANY = 300, SHORT_NS = 200000 };

struct job {
    jd_channel c, begun, results; /* to the latter go the codes */
};

static void report(jd_self *me, const struct job *j, int error)
{
    must(me, jd_channel_send(me, j->results, &error, JD_NOW));
}

static void sender(jd_self *me, void *arg)
{
    const struct job j = *(struct job *)arg;
    uint64_t word = 7;
    must(me, jd_channel_send(me, j.begun, NULL, JD_NOW));
    report(me, &j, jd_channel_send(me, j.c, &word, JD_FOREVER));
}

static void receiver(jd_self *me, void *arg)
{
    const struct job j = *(struct job *)arg;
    uint64_t word;
    must(me, jd_channel_send(me, j.begun, NULL, JD_NOW));
    report(me, &j, jd_channel_receive(me, j.c, &word, JD_FOREVER));
}

static const jd_task_def tasks[] = {
    [SENDER] = JD_TASK(sender), [RECEIVER] = JD_TASK(receiver), JD_TASK_END};

static void test_names(jd_self *me)
{
    uint64_t word = 1, stale = 0;
    jd_channel c = new_channel(me, 8, 1), old = c, none = {0}, odd = c, far = c;
    odd.number |= UINT32_MAX;
    far.number = ~far.number;
    ok_all(me,
           jd_channel_send(me, none, &word, JD_NOW) == JD_EINVAL &&
               jd_channel_send(me, odd, &word, JD_NOW) == JD_EINVAL &&
               jd_channel_receive(me, far, &word, JD_NOW) == JD_EINVAL &&
               jd_channel_send(me, c, NULL, JD_NOW) == JD_EINVAL,
           "what is no channel, and no item, is refused");
    must(me, jd_channel_destroy(me, c));
    for (int i = 0; i < MANY; i++) {
        c = new_channel(me, 8, 1);
        stale += jd_channel_send(me, old, &word, JD_NOW) == JD_EINVAL &&
                 jd_channel_close(me, old) == JD_EINVAL &&
                 jd_channel_destroy(me, old) == JD_EINVAL;
        must(me, jd_channel_destroy(me, c));
    }
    ok_all(me, stale == MANY, "so is a name that is out of date");
    c = new_channel(me, 8, 1);
    jd_channel of_next = {.number = c.number, .home = (jd_rank(me) + 1) % jd_nranks(me)};
    ok_all(me,
           jd_nranks(me) == 1 || jd_channel_send(me, of_next, &word, JD_NOW) == JD_EINVAL,
           "so is a channel of another rank");
    must(me, jd_channel_destroy(me, c));
    ok_all(me,
           jd_channel_create(me, 4097, 1, &c) == JD_ETOOBIG &&
               jd_channel_create(me, 4096, SIZE_MAX / 4000, &c) == JD_ETOOBIG,
           "so are sizes that are too large");
}

static void test_many(jd_self *me)
{
    jd_channel all[MANY];
    bool right = true;
    for (uint64_t i = 0; i < MANY; i++) {
        all[i] = new_channel(me, 8, 1);
        send_word(me, all[i], i);
    }
    for (uint64_t i = 0; i < MANY; i++) {
        right = receive_word(me, all[i]) == i && right;
        must(me, jd_channel_destroy(me, all[i]));
    }
    ok_all(me, right, "many channels are alive at once");
}

static void test_deadlines(jd_self *me)
{
    uint64_t word = 5;
    jd_channel c = new_channel(me, 8, 1), direct = new_channel(me, 8, 0);
    jd_time by = jd_deadline(me, SHORT_NS);
    bool right = jd_channel_receive(me, c, &word, by) == JD_ETIMEDOUT &&
                 jd_clock(me) >= by &&
                 jd_channel_receive(me, c, &word, by) == JD_ETIMEDOUT;
    ok_all(me, right, "a receiver waits until its deadline and no longer");
    send_word(me, c, 1);
    by = jd_deadline(me, SHORT_NS);
    right = jd_channel_send(me, c, &word, by) == JD_ETIMEDOUT && jd_clock(me) >= by &&
            jd_channel_send(me, direct, &word, jd_deadline(me, 1000)) == JD_ETIMEDOUT;
    ok_all(me, right, "so does a sender");
    ok_all(me,
           receive_word(me, c) == 1 &&
               jd_channel_receive(me, c, &word, JD_NOW) == JD_ETIMEDOUT &&
               jd_channel_receive(me, direct, &word, JD_NOW) == JD_ETIMEDOUT,
           "what was not sent in time is not there");
    ok_all(me,
           !jd_channel_send(me, c, &word, JD_NOW) &&
               !jd_channel_receive(me, c, &word, JD_NOW),
           "what can be done at once needs no time");
    must(me, jd_channel_destroy(me, c));
    must(me, jd_channel_destroy(me, direct));
}

/* WAITERS of one kind wait for the same channel; `how` ends them. */
enum how { CLOSE, DESTROY, CANCEL_IT };

static bool end_waiters(jd_self *me, jd_task kind, size_t capacity, enum how how,
                        int want)
{
    struct job j = {new_channel(me, 8, capacity), new_channel(me, 0, WAITERS),
                    new_channel(me, sizeof(int), WAITERS)};
    bool right = true;
    int error = 0, got;
    jd_scope s;
    for (size_t i = 0; i < capacity && kind == SENDER; i++)
        send_word(me, j.c, i);
    must(me, jd_finish_begin(me, &s));
    for (int i = 0; i < WAITERS; i++)
        must(me, jd_async_local(me, kind, &j, sizeof j));
    for (int i = 0; i < WAITERS; i++)
        must(me, jd_channel_receive(me, j.begun, NULL, JD_FOREVER));
    if (how == CANCEL_IT)
        must(me, jd_cancel(me, jd_finish_mine(me)));
    if (how == CLOSE)
        must(me, jd_channel_close(me, j.c));
    if (how == DESTROY)
        must(me, jd_channel_destroy(me, j.c));
    error = jd_finish_end(me, &s);
    right = error == (how == CANCEL_IT ? JD_ECANCELED : 0);
    must(me, jd_channel_close(me, j.results));
    while (!jd_channel_receive(me, j.results, &got, JD_FOREVER))
        right = right && (got == want || (how == DESTROY && got == JD_EINVAL));
    for (uint64_t i = 0; i < capacity && kind == SENDER && how != DESTROY; i++)
        right = receive_word(me, j.c) == i && right;
    must(me, jd_channel_destroy(me, j.results));
    must(me, jd_channel_destroy(me, j.begun));
    if (how != DESTROY)
        must(me, jd_channel_destroy(me, j.c));
    return right;
}

static void test_ends(jd_self *me)
{
    ok_all(me, end_waiters(me, RECEIVER, 2, CLOSE, JD_ECLOSED), "close ends receivers");
    ok_all(me, end_waiters(me, SENDER, 2, CLOSE, JD_ECLOSED),
           "and senders; what is inside is still received");
    ok_all(me, end_waiters(me, SENDER, 0, CLOSE, JD_ECLOSED), "also without capacity");
    ok_all(me, end_waiters(me, RECEIVER, 0, DESTROY, JD_ECLOSED), "destroy ends them");
    ok_all(me, end_waiters(me, SENDER, 1, DESTROY, JD_ECLOSED), "all of them");
    ok_all(me, end_waiters(me, RECEIVER, 1, CANCEL_IT, JD_ECANCELED),
           "a cancelled finish ends receivers");
    ok_all(me, end_waiters(me, SENDER, 1, CANCEL_IT, JD_ECANCELED), "and senders");
}

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    test_names(me);
    test_many(me);
    test_deadlines(me);
    test_ends(me);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
