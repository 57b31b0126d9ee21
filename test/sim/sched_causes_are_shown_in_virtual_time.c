/*
 * sched_causes_are_shown_in_virtual_time.c
 *
 * Role: in virtual time the tasks that wait are told exactly: at each moment those whose time has not come.
 * Owner: the body.
 * See: sched/wait/causes.h; doc/sim.md.
 */
#include "sched/rank.h"
#include "sched/wait/causes.h"
#include "test/dist/sched_kit.h"

enum { NAP, LATER };
enum { NAPS = 40, STEP_NS = 100000, LOOKS = 20 };

static jd_time begin;

static void nap(jd_self *me, void *arg)
{
    must(me, jd_sleep_until(me, *(jd_time *)arg));
}

static void later(jd_self *me, void *arg)
{
    (void)me, (void)arg;
}

static const jd_task_def tasks[] = {
    [NAP] = JD_TASK(nap), [LATER] = JD_TASK(later), JD_TASK_END};

struct count {
    jd_time now;
    unsigned naps, laters, wrong;
    uint64_t since; /* the earliest that is told */
};

static void count_one(void *count, struct jdi_waiting *w)
{
    struct count *c = count;
    c->naps += w->begun;
    c->laters += !w->begun;
    c->wrong += w->cause.kind != JDI_CAUSE_SLEEP || w->wakers != JDI_WAKER_TIMER ||
                w->cause.deadline <= c->now;
    if (w->since && (!c->since || w->since < c->since))
        c->since = w->since;
}

/* Task i of each kind waits until the end of step i; a look is in the middle of a step. */
static int body(jd_self *me, int argc, char **argv)
{
    unsigned right = 0;
    jd_time first = 0;
    jd_scope s;
    (void)argc, (void)argv;
    must(me, jd_finish_begin(me, &s));
    begin = jd_deadline(me, 10 * STEP_NS);
    for (uint64_t i = 1; i <= NAPS; i++) {
        jd_time at = begin + i * STEP_NS;
        must(me, jd_async_local(me, NAP, &at, sizeof at));
        must(me, jd_async_after(me, at, LATER, NULL, 0));
    }
    for (unsigned i = 0; i < LOOKS; i++) {
        must(me, jd_sleep_until(me, begin + (2 * i + 1) * STEP_NS / 2 + i * STEP_NS));
        struct count c = {.now = jd_clock(me)};
        uint64_t gone = (c.now - begin) / STEP_NS;
        jdi_causes_each(me->rank, count_one, &c);
        uint64_t left = gone < NAPS ? NAPS - gone : 0;
        if (!i)
            first = c.now;
        right += c.naps == left && c.laters == left && !c.wrong &&
                 (i ? c.since == first : !c.since);
    }
    must(me, jd_finish_end(me, &s));
    is_u64(right, LOOKS,
           "each look finds those whose time has not come, since the first look");
    return 0;
}

int main(void)
{
    static char word[] = "job", *argv[] = {word, NULL};
    setenv("JACKDAW_SEED", "3", 1);
    setenv("JACKDAW_RANKS", "1", 1);
    setenv("JACKDAW_WORKERS", "3", 1);
    is_u64((uint64_t)jd_launch(1, argv, body, tasks), 0, "the job ends well");
    return done_testing();
}
