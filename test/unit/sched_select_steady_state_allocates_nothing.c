/*
 * sched_select_steady_state_allocates_nothing.c
 *
 * Role: once they have been used, selects and waits for events ask for no memory, whether they have to wait or
 *       not, with a deadline too; nor do new events in old places.
 * Owner: the body; the count of requests is the rank's own, which JACKDAW_FAULT goes by.
 * See: sched/wait/select.c, sched/wait/event.c.
 */
#include "sched/self.h"
#include "test/dist/sched_channels_kit.h"

enum { ECHO };
enum { TURNS = 2000 };

struct pair {
    jd_channel there, back;
    jd_event stop;
    jd_time ns; /* until the deadline; JD_FOREVER: none */
};

static uint64_t requests(const jd_self *me)
{
    return atomic_load(&me->rank->am->fault.count[JDI_FAULT_alloc]);
}

static void echo(jd_self *me, void *arg)
{
    const struct pair p = *(struct pair *)arg;
    uint64_t word = 0;
    bool full = false;
    jd_case c[] = {jd_case_receive(p.there, &word), jd_case_send(p.back, &word),
                   jd_case_event(p.stop)};
    for (int at = 0; at != 2; full = at == 0) {
        c[0].kind = full ? JD_CASE_OFF : JD_CASE_RECEIVE;
        c[1].kind = full ? JD_CASE_SEND : JD_CASE_OFF;
        at = jd_select(me, c, 3, 0, jd_deadline(me, p.ns));
        must(me, at);
    }
}

/* Requests for memory in TURNS exchanges with selects, after some more. */
static uint64_t exchange(jd_self *me, size_t capacity, uint64_t ns)
{
    struct pair p = {.there = new_channel(me, 8, capacity),
                     .back = new_channel(me, 8, capacity),
                     .ns = ns};
    uint64_t before = 0, after;
    jd_scope s;
    must(me, jd_event_create(me, 1, &p.stop));
    must(me, jd_finish_begin(me, &s));
    must(me, jd_async_local(me, ECHO, &p, sizeof p));
    for (uint64_t i = 0; i < 2 * TURNS; i++) {
        uint64_t word = i;
        jd_case out[] = {jd_case_send(p.there, &word), jd_case_event(p.stop)};
        jd_case in[] = {jd_case_event(p.stop), jd_case_receive(p.back, &word)};
        if (i == TURNS)
            before = requests(me);
        if (jd_select(me, out, 2, 0, jd_deadline(me, ns)) != 0 ||
            jd_select(me, in, 2, 0, jd_deadline(me, ns)) != 1 || word != i)
            jd_abort(me, 99, "a word is lost");
    }
    after = requests(me);
    must(me, jd_event_signal(me, p.stop, 1));
    must(me, jd_finish_end(me, &s));
    must(me, jd_event_destroy(me, p.stop));
    must(me, jd_channel_destroy(me, p.there));
    must(me, jd_channel_destroy(me, p.back));
    return after - before;
}

static uint64_t in_time(jd_self *me)
{
    jd_event e;
    must(me, jd_event_create(me, 1, &e));
    uint64_t before = requests(me);
    for (int i = 0; i < TURNS / 10; i++) {
        jd_case c = jd_case_event(e);
        if (jd_event_wait(me, e, jd_deadline(me, 1000)) != JD_ETIMEDOUT ||
            jd_select(me, &c, 1, 0, jd_deadline(me, 1000)) != JD_ETIMEDOUT)
            jd_abort(me, 99, "nobody has set the event");
    }
    uint64_t after = requests(me);
    must(me, jd_event_destroy(me, e));
    return after - before;
}

static uint64_t places(jd_self *me)
{
    uint64_t before = requests(me);
    for (int i = 0; i < TURNS; i++) {
        jd_event e;
        must(me, jd_event_create(me, 1, &e));
        must(me, jd_event_destroy(me, e));
    }
    return requests(me) - before;
}

static const jd_task_def tasks[] = {[ECHO] = JD_TASK(echo), JD_TASK_END};

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    ok(requests(me) > 0, "requests are counted");
    is_u64(exchange(me, 1, UINT64_MAX), 0, "nothing is asked for by selects");
    is_u64(exchange(me, 0, UINT64_MAX), 0, "nor without capacity");
    is_u64(exchange(me, 0, UINT64_C(3600000000000)), 0, "nor with deadlines");
    is_u64(in_time(me), 0, "nor by waits that end by their deadlines");
    is_u64(places(me), 0, "nor by a new event in an old place");
    return done_testing();
}

int main(int argc, char **argv)
{
    setenv("JACKDAW_FAULT", "alloc:1000000000", 1); /* else nothing is counted */
    setenv("JACKDAW_RANKS", "1", 1);
    setenv("JACKDAW_WORKERS", "1", 1);
    return jd_launch(argc, argv, body, tasks);
}
