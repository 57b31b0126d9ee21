/*
 * sched_channel_refused_memory_changes_nothing.c
 *
 * Role: without memory there is no new channel or event, and no first wait of a worker with a deadline; all say
 *       so, and succeed when there is memory again.
 * Owner: the body, which arms the rank's faults.
 * See: sched/wait/channel.c, sched/wait/waits.c; core/fault.h.
 */
#include "sched/self.h"
#include "test/dist/sched_channels_kit.h"

enum { MANY = 64 + 128 + 2 }; /* so that blocks of places are made */
enum { LATER_NS = 100000000 };

/* The k-th request from now on fails. */
static void fail_request(jd_self *me, uint64_t k)
{
    struct jdi_fault *f = &me->rank->am->fault;
    f->armed[JDI_FAULT_alloc] = atomic_load(&f->count[JDI_FAULT_alloc]) + k;
}

/* No worker has waited yet. */
static void test_events(jd_self *me)
{
    jd_event e;
    fail_request(me, 1);
    ok(jd_event_create(me, 1, &e) == JD_ENOMEM, "no memory for an event");
    must(me, jd_event_create(me, 1, &e));
    jd_case c = jd_case_event(e);
    fail_request(me, 1);
    ok(jd_event_wait(me, e, jd_deadline(me, LATER_NS)) == JD_ENOMEM,
       "none to wait for it");
    fail_request(me, 1);
    ok(jd_select(me, &c, 1, 0, jd_deadline(me, LATER_NS)) == JD_ENOMEM,
       "none for a select");
    must(me, jd_event_signal(me, e, 1));
    ok(jd_select(me, &c, 1, 0, JD_NOW) == 0, "none is needed when it is set");
    must(me, jd_event_destroy(me, e));
}

static int body(jd_self *me, int argc, char **argv)
{
    static jd_channel c[MANY];
    uint64_t word = 1, refused = 0;
    bool right = true;
    (void)argc, (void)argv;
    test_events(me);
    fail_request(me, 1);
    ok(jd_sleep(me, 1000) == JD_ENOMEM, "a first sleep without memory");
    ok(jd_sleep(me, 1000) == 0, "sleeps when there is memory");
    fail_request(me, 1);
    ok(jd_channel_create(me, 8, 1, &c[0]) == JD_ENOMEM, "no memory for the items");
    fail_request(me, 2);
    ok(jd_channel_create(me, 8, 1, &c[0]) == JD_ENOMEM, "no memory for the channel");
    for (int i = 0; i < MANY; i++) {
        fail_request(me, 2);
        int error = jd_channel_create(me, 8, 1, &c[i]);
        refused += error == JD_ENOMEM;
        right = right &&
                (!error || (error == JD_ENOMEM && !jd_channel_create(me, 8, 1, &c[i])));
    }
    fail_request(me, UINT32_MAX);
    ok(right, "each can be made when there is memory");
    is_u64(refused, 3, "of these, the first of each block was refused before");
    for (uint64_t i = 0; i < MANY; i++)
        send_word(me, c[i], i);
    for (uint64_t i = 0; i < MANY; i++) {
        right = receive_word(me, c[i]) == i && right;
        must(me, jd_channel_destroy(me, c[i]));
    }
    ok(right, "and they are different channels");
    ok(jd_channel_send(me, c[0], &word, JD_NOW) == JD_EINVAL, "which are gone now");
    return done_testing();
}

int main(int argc, char **argv)
{
    static const jd_task_def none[] = {JD_TASK_END};
    setenv("JACKDAW_RANKS", "1", 1);
    setenv("JACKDAW_WORKERS", "1", 1);
    setenv("JACKDAW_FAULT", "alloc:1000000000", 1); /* else requests are not counted */
    return jd_launch(argc, argv, body, none);
}
