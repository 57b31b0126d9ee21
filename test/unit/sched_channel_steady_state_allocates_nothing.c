/*
 * sched_channel_steady_state_allocates_nothing.c
 *
 * Role: once a channel has been used, sending and receiving ask for no memory: not when they need not wait,
 *       and not when they wait, with a deadline too.  Nor do sleeps, nor new channels in old places.
 * Owner: the body; the count of requests is the rank's own, which JACKDAW_FAULT goes by.
 * See: sched/wait/channel.c, sched/wait/waits.c.
 */
#include "sched/self.h"
#include "test/dist/sched_channels_kit.h"

enum { ECHO };
enum { TURNS = 2000 };

struct pair {
    jd_channel there, back;
    jd_time deadline; /* JD_FOREVER, or one that is new each time */
};

static uint64_t requests(const jd_self *me)
{
    return atomic_load(&me->rank->am->fault.count[JDI_FAULT_alloc]);
}

static void echo(jd_self *me, void *arg)
{
    const struct pair p = *(struct pair *)arg;
    uint64_t word;
    while (!jd_channel_receive(me, p.there, &word, jd_deadline(me, p.deadline)))
        must(me, jd_channel_send(me, p.back, &word, jd_deadline(me, p.deadline)));
}

/* Requests for memory in TURNS exchanges in which each side waits for the other, after some more. */
static uint64_t exchange(jd_self *me, size_t capacity, uint64_t ns)
{
    struct pair p = {new_channel(me, 8, capacity), new_channel(me, 8, capacity), ns};
    uint64_t before = 0, after;
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    must(me, jd_async_local(me, ECHO, &p, sizeof p));
    for (uint64_t i = 0; i < 2 * TURNS; i++) {
        if (i == TURNS)
            before = requests(me);
        must(me, jd_channel_send(me, p.there, &i, jd_deadline(me, ns)));
        must(me, jd_channel_receive(me, p.back, &i, jd_deadline(me, ns)));
    }
    after = requests(me);
    must(me, jd_channel_close(me, p.there));
    must(me, jd_finish_end(me, &s));
    must(me, jd_channel_destroy(me, p.there));
    must(me, jd_channel_destroy(me, p.back));
    return after - before;
}

static uint64_t alone(jd_self *me)
{
    jd_channel c = new_channel(me, 8, 3);
    uint64_t before = requests(me);
    for (uint64_t i = 0; i < TURNS; i++) {
        must(me, jd_channel_send(me, c, &i, JD_NOW));
        must(me, jd_channel_receive(me, c, &i, JD_NOW));
    }
    uint64_t after = requests(me);
    must(me, jd_channel_destroy(me, c));
    return after - before;
}

static uint64_t sleeps(jd_self *me)
{
    must(me, jd_sleep(me, 1000));
    uint64_t before = requests(me);
    for (int i = 0; i < TURNS / 10; i++)
        must(me, jd_sleep(me, 1000));
    return requests(me) - before;
}

static uint64_t places(jd_self *me)
{
    uint64_t before = requests(me);
    for (int i = 0; i < TURNS; i++)
        must(me, jd_channel_destroy(me, new_channel(me, 8, 0)));
    return requests(me) - before;
}

static const jd_task_def tasks[] = {[ECHO] = JD_TASK(echo), JD_TASK_END};

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    ok(requests(me) > 0, "requests are counted");
    is_u64(alone(me), 0, "nothing is asked for where nobody waits");
    is_u64(exchange(me, 1, UINT64_MAX), 0, "nor where each waits for the other");
    is_u64(exchange(me, 0, UINT64_MAX), 0, "nor without capacity");
    is_u64(exchange(me, 0, UINT64_C(3600000000000)), 0, "nor with deadlines");
    is_u64(sleeps(me), 0, "nor by sleeps");
    is_u64(places(me), 0, "nor by a new channel in an old place");
    return done_testing();
}

int main(int argc, char **argv)
{
    setenv("JACKDAW_FAULT", "alloc:1000000000", 1); /* else nothing is counted */
    setenv("JACKDAW_RANKS", "1", 1);
    setenv("JACKDAW_WORKERS", "1", 1);
    return jd_launch(argc, argv, body, tasks);
}
