/*
 * sched_channels_hand_over_in_order.c
 *
 * Role: items come out of a channel in the order in which they went in, whatever its capacity; senders wait
 *       while it is full, receivers while it is empty, and who has come first is served first.
 *       Argument: how many items.
 * Owner: the body; a channel belongs to the tasks that know it.
 * See: include/jackdaw.h; doc/waiting.md "Channels".
 */
#include "test/dist/sched_channels_kit.h"

enum { PRODUCE, RELAY, TAKE_ONE };
enum { SIZES = 4, LARGE = 4096, TAKERS = 6 };

struct job {
    jd_channel in, out, begun;
    uint64_t n;
};

static void produce(jd_self *me, void *arg)
{
    const struct job j = *(struct job *)arg;
    for (uint64_t i = 1; i <= j.n; i++)
        send_word(me, j.out, i);
    must(me, jd_channel_close(me, j.out));
}

static void relay(jd_self *me, void *arg)
{
    const struct job j = *(struct job *)arg;
    uint64_t word;
    int error;
    while (!(error = jd_channel_receive(me, j.in, &word, JD_FOREVER)))
        send_word(me, j.out, word);
    if (error != JD_ECLOSED)
        jd_abort(me, 99, "a channel ends with: %s", jd_strerror(error));
    must(me, jd_channel_close(me, j.out));
}

/* The n-th to wait notes what the n-th item is. */
static void take_one(jd_self *me, void *arg)
{
    const struct job j = *(struct job *)arg;
    send_word(me, j.begun, j.n);
    send_word(me, j.out, receive_word(me, j.in) << 32 | j.n);
}

static const jd_task_def tasks[] = {[PRODUCE] = JD_TASK(produce),
                                    [RELAY] = JD_TASK(relay),
                                    [TAKE_ONE] = JD_TASK(take_one),
                                    JD_TASK_END};

/* Through a relay, whose channels are of any two capacities. */
static void test_order(jd_self *me, uint64_t n)
{
    static const size_t capacity[SIZES] = {0, 1, 3, 1000};
    bool in_order = true, closed = true;
    for (int i = 0; i < SIZES * SIZES; i++) {
        struct job j = {.n = n};
        jd_channel a = new_channel(me, 8, capacity[i % SIZES]), b;
        b = new_channel(me, 8, capacity[i / SIZES]);
        jd_scope s;
        must(me, jd_finish_begin(me, &s));
        j.in = a, j.out = b;
        must(me, jd_async_local(me, RELAY, &j, sizeof j));
        j.out = a;
        must(me, jd_async_local(me, PRODUCE, &j, sizeof j));
        for (uint64_t k = 1; k <= n; k++)
            in_order = receive_word(me, b) == k && in_order;
        closed = jd_channel_receive(me, b, &j, JD_FOREVER) == JD_ECLOSED && closed;
        must(me, jd_finish_end(me, &s));
        must(me, jd_channel_destroy(me, a));
        must(me, jd_channel_destroy(me, b));
    }
    ok_all(me, in_order, "items keep their order");
    ok_all(me, closed, "a closed channel ends when it is empty");
}

/* Takers come one after the other.  On one worker, each waits when the body sees that it has begun. */
static void test_first_come(jd_self *me)
{
    jd_channel items = new_channel(me, 8, 2), results = new_channel(me, 8, TAKERS);
    jd_channel begun = new_channel(me, 8, TAKERS);
    bool right = true, all = jd_nworkers(me) > 1;
    uint64_t sum = 0;
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    for (uint64_t i = 0; i < TAKERS; i++) {
        struct job j = {.in = items, .out = results, .begun = begun, .n = i};
        must(me, jd_async_local(me, TAKE_ONE, &j, sizeof j));
        right = receive_word(me, begun) == i && right;
    }
    for (uint64_t i = 0; i < TAKERS; i++)
        send_word(me, items, i);
    must(me, jd_finish_end(me, &s));
    for (uint64_t i = 0; i < TAKERS; i++) {
        uint64_t word = receive_word(me, results);
        right = right && (all || word >> 32 == (uint32_t)word);
        sum += word >> 32;
    }
    ok_all(me, right, "who has waited longest gets the first item");
    ok_all(me, sum == TAKERS * (TAKERS - 1) / 2, "each gets one");
    must(me, jd_channel_destroy(me, begun));
    must(me, jd_channel_destroy(me, items));
    must(me, jd_channel_destroy(me, results));
}

static bool all_bytes(const unsigned char *item, unsigned char byte)
{
    for (int i = 0; i < LARGE; i++)
        if (item[i] != byte)
            return false;
    return true;
}

/* No bytes, and as many as are allowed; a ring that has been filled and emptied in parts. */
static void test_sizes(jd_self *me)
{
    unsigned char item[LARGE];
    bool right = true;
    jd_channel large = new_channel(me, LARGE, 3), nothing = new_channel(me, 0, 2);
    for (int in = 0, out = 0; out < 30;) {
        memset(item, in, LARGE);
        if (in < 30 && !jd_channel_send(me, large, item, JD_NOW)) {
            in++;
            continue;
        }
        right = right && !jd_channel_receive(me, large, item, JD_NOW) &&
                all_bytes(item, (unsigned char)out++);
    }
    right = right && jd_channel_receive(me, large, item, JD_NOW) == JD_ETIMEDOUT;
    ok_all(me, right, "every byte of an item arrives");
    right = !jd_channel_send(me, nothing, NULL, JD_NOW) &&
            !jd_channel_send(me, nothing, NULL, JD_NOW) &&
            jd_channel_send(me, nothing, NULL, JD_NOW) == JD_ETIMEDOUT &&
            !jd_channel_receive(me, nothing, NULL, JD_NOW);
    ok_all(me, right, "items without bytes are counted");
    must(me, jd_channel_destroy(me, large));
    must(me, jd_channel_destroy(me, nothing));
}

static int body(jd_self *me, int argc, char **argv)
{
    test_order(me, argc > 1 ? (uint64_t)atol(argv[1]) : 100);
    test_first_come(me);
    test_sizes(me);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
