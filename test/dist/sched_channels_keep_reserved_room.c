/*
 * sched_channels_keep_reserved_room.c
 *
 * Role: room that is reserved in a channel is kept until an item is put there or the room is given back; then
 *       those who wait go on, in both lines.  What is refused, and what a close does to reservations.
 * Owner: the body; a channel belongs to the tasks that know it.
 * See: include/jackdaw.h; doc/waiting.md "Channels".
 */
#include "test/dist/sched_channels_kit.h"

enum { SENDER, RECEIVER, RESERVER };
enum { WAITERS = 8, SHORT_NS = 200000 };

struct job {
    jd_channel c, begun, results; /* to the latter go codes, or words */
    uint64_t word;
};

static void sender(jd_self *me, void *arg)
{
    const struct job j = *(struct job *)arg;
    must(me, jd_channel_send(me, j.begun, NULL, JD_NOW));
    send_word(me, j.c, j.word);
}

static void receiver(jd_self *me, void *arg)
{
    const struct job j = *(struct job *)arg;
    must(me, jd_channel_send(me, j.begun, NULL, JD_NOW));
    send_word(me, j.results, receive_word(me, j.c));
}

static void reserver(jd_self *me, void *arg)
{
    const struct job j = *(struct job *)arg;
    must(me, jd_channel_send(me, j.begun, NULL, JD_NOW));
    int error = jd_channel_reserve(me, j.c, JD_FOREVER);
    send_word(me, j.results, (uint64_t)-error);
    if (!error)
        must(me, jd_channel_commit(me, j.c, &j.word));
}

static const jd_task_def tasks[] = {[SENDER] = JD_TASK(sender),
                                    [RECEIVER] = JD_TASK(receiver),
                                    [RESERVER] = JD_TASK(reserver),
                                    JD_TASK_END};

static struct job new_job(jd_self *me, size_t capacity)
{
    struct job j = {.c = new_channel(me, 8, capacity),
                    .begun = new_channel(me, 0, 3 * WAITERS),
                    .results = new_channel(me, 8, 3 * WAITERS)};
    return j;
}

static void end_job(jd_self *me, struct job j)
{
    must(me, jd_channel_destroy(me, j.results));
    must(me, jd_channel_destroy(me, j.begun));
    must(me, jd_channel_destroy(me, j.c));
}

/* Spawn WAITERS, who wait as soon as they have begun. */
static void let_wait(jd_self *me, struct job *j, jd_task task)
{
    for (uint64_t i = 0; i < WAITERS; i++) {
        j->word = i;
        must(me, jd_async_local(me, task, j, sizeof *j));
    }
    for (int i = 0; i < WAITERS; i++)
        must(me, jd_channel_receive(me, j->begun, NULL, JD_FOREVER));
}

static void test_keeps(jd_self *me)
{
    jd_channel c = new_channel(me, 8, 2);
    uint64_t word = 7;
    must(me, jd_channel_reserve(me, c, JD_NOW));
    send_word(me, c, 1);
    ok_all(me,
           jd_channel_send(me, c, &word, JD_NOW) == JD_ETIMEDOUT &&
               jd_channel_reserve(me, c, JD_NOW) == JD_ETIMEDOUT,
           "room that is reserved is not there for others");
    must(me, jd_channel_commit(me, c, &word));
    ok_all(me, receive_word(me, c) == 1 && receive_word(me, c) == 7,
           "an item is there when it is committed, behind those before it");
    must(me, jd_channel_reserve(me, c, JD_NOW));
    must(me, jd_channel_reserve(me, c, JD_NOW));
    jd_time by = jd_deadline(me, SHORT_NS);
    bool right = jd_channel_reserve(me, c, by) == JD_ETIMEDOUT && jd_clock(me) >= by &&
                 jd_channel_receive(me, c, &word, JD_NOW) == JD_ETIMEDOUT;
    must(me, jd_channel_release(me, c));
    must(me, jd_channel_release(me, c));
    ok_all(me, right,
           "all of it may be reserved, and a deadline ends who waits for more");
    must(me, jd_channel_send(me, c, &word, JD_NOW));
    must(me, jd_channel_send(me, c, &word, JD_NOW));
    ok_all(me, jd_channel_send(me, c, &word, JD_NOW) == JD_ETIMEDOUT,
           "what was given back is there");
    must(me, jd_channel_destroy(me, c));
}

static void test_refusals(jd_self *me)
{
    jd_channel direct = new_channel(me, 8, 0), c = new_channel(me, 8, 1), none = {0};
    uint64_t word = 7;
    ok_all(me,
           jd_channel_reserve(me, direct, JD_NOW) == JD_EINVAL &&
               jd_channel_reserve(me, none, JD_NOW) == JD_EINVAL &&
               jd_channel_commit(me, none, &word) == JD_EINVAL &&
               jd_channel_release(me, none) == JD_EINVAL,
           "without capacity, or a channel, there is nothing to reserve");
    ok_all(me,
           jd_channel_commit(me, c, &word) == JD_ESTATE &&
               jd_channel_release(me, c) == JD_ESTATE,
           "what was not reserved cannot be used");
    must(me, jd_channel_reserve(me, c, JD_NOW));
    ok_all(me,
           jd_channel_commit(me, c, NULL) == JD_EINVAL &&
               !jd_channel_commit(me, c, &word),
           "a wrong item leaves the reservation as it is");
    must(me, jd_channel_destroy(me, direct));
    must(me, jd_channel_destroy(me, c));
}

static void test_close(jd_self *me)
{
    struct job j = new_job(me, 2);
    uint64_t word = 7;
    bool right = true;
    jd_scope s;
    must(me, jd_channel_reserve(me, j.c, JD_NOW));
    must(me, jd_channel_reserve(me, j.c, JD_NOW));
    must(me, jd_finish_begin(me, &s));
    let_wait(me, &j, RESERVER);
    must(me, jd_channel_close(me, j.c));
    must(me, jd_finish_end(me, &s));
    for (int i = 0; i < WAITERS; i++)
        right = receive_word(me, j.results) == (uint64_t)-JD_ECLOSED && right;
    ok_all(me, right, "a close ends those who wait for room");
    ok_all(me,
           jd_channel_commit(me, j.c, &word) == JD_ECLOSED &&
               !jd_channel_release(me, j.c) &&
               jd_channel_commit(me, j.c, &word) == JD_ESTATE &&
               jd_channel_receive(me, j.c, &word, JD_NOW) == JD_ECLOSED,
           "what was reserved before is given back, and no item was sent");
    end_job(me, j);
}

/* Room that comes is for the first who wait, whether they reserve or send. */
static void test_release(jd_self *me)
{
    struct job j = new_job(me, 1);
    uint64_t sum = 0, codes = 0;
    jd_scope s;
    must(me, jd_channel_reserve(me, j.c, JD_NOW));
    must(me, jd_finish_begin(me, &s));
    let_wait(me, &j, SENDER);
    let_wait(me, &j, RESERVER);
    must(me, jd_channel_release(me, j.c));
    for (int i = 0; i < 2 * WAITERS; i++)
        sum += receive_word(me, j.c);
    must(me, jd_finish_end(me, &s));
    for (int i = 0; i < WAITERS; i++)
        codes += receive_word(me, j.results);
    ok_all(me, sum == WAITERS * (WAITERS - 1) && !codes,
           "room that is given back is for those who wait, one after the other");
    end_job(me, j);
}

/* Where all room is reserved, senders and receivers wait at a time. */
static void test_both_lines(jd_self *me)
{
    struct job j = new_job(me, 1);
    uint64_t sum = 0, word = 1000;
    jd_scope s;
    must(me, jd_channel_reserve(me, j.c, JD_NOW));
    must(me, jd_finish_begin(me, &s));
    let_wait(me, &j, SENDER);
    let_wait(me, &j, RECEIVER);
    bool right = jd_channel_send(me, j.c, &word, JD_NOW) == JD_ETIMEDOUT;
    must(me, jd_channel_commit(me, j.c, &word));
    sum += receive_word(me, j.c);
    must(me, jd_finish_end(me, &s));
    for (int i = 0; i < WAITERS; i++)
        sum += receive_word(me, j.results);
    ok_all(me, right, "who sends then does not overtake those who wait");
    ok_all(me, sum == 1000 + WAITERS * (WAITERS - 1) / 2,
           "an item that is committed lets both lines go on");
    end_job(me, j);
}

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    test_keeps(me);
    test_refusals(me);
    test_close(me);
    test_release(me);
    test_both_lines(me);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
