/*
 * sched_yield_lets_time_pass.c - a wait by yielding ends in a simulated job too.
 *
 * Role: rank 0 yields until its clock has gone on; then tasks yield, or are resumed at
 *       once, until a collection has ended that needs messages of all ranks.
 * Owner: the body; any task of the rank writes `open`.
 * Invariants: I1 whoever waits gives up after GIVE_UP turns and says so.
 * See: core/time.h, doc/sim.md.
 */
#include "test/dist/sched_kit.h"

enum { YIELD, CIRCLE };
enum { GIVE_UP = 1000000 };

struct shared {
    bool open, gave_up; /* one thread runs all ranks */
};

static void yield(jd_self *me, void *arg)
{
    struct shared *s = jd_coll_local(jd_coll_mine(me));
    (void)arg;
    for (long n = 0; !s->open; n++) {
        if (n > GIVE_UP)
            s->open = s->gave_up = true;
        jd_yield(me);
    }
}

static void go_on(jd_self *me, void *arg)
{
    (void)arg;
    jd_resume(NULL, me);
}

static void circle(jd_self *me, void *arg)
{
    struct shared *s = jd_coll_local(jd_coll_mine(me));
    (void)arg;
    for (long n = 0; !s->open; n++) {
        if (n > GIVE_UP)
            s->open = s->gave_up = true;
        jd_suspend(me, go_on, NULL);
    }
}

static const jd_task_def tasks[] = {
    [YIELD] = JD_TASK(yield), [CIRCLE] = JD_TASK(circle), JD_TASK_END};

static void report(jd_self *me, bool here, const char *what)
{
    bool everywhere = true_on_all(me, here, what, __LINE__);
    if (jd_rank(me) == 0)
        ok(everywhere, "%s", what);
}

static void test_clock(jd_self *me)
{
    double start = jd_now(me);
    long n = 0;
    while (jd_rank(me) == 0 && jd_now(me) < start + 1e-5 && n < GIVE_UP) {
        jd_yield(me);
        n++;
    }
    report(me, n < GIVE_UP, "the clock goes on while the body yields");
}

static void test_task(jd_self *me, jd_task task, const char *what)
{
    struct shared s = {0};
    jd_coll *c = NULL, *other = NULL;
    must(me, jd_coll_create(me, &(jd_coll_props){.local = &s}, &c));
    must(me, jd_coll_create(me, NULL, &other));
    for (int i = 0; i < 2; i++)
        must(me, jd_coll_add(me, c, task, NULL, 0));
    must(me, jd_coll_start(me, c));
    must(me, jd_coll_process(me, other));
    s.open = true;
    must(me, jd_coll_wait(me, c));
    report(me, !s.gave_up, what);
    must(me, jd_coll_destroy(me, other));
    must(me, jd_coll_destroy(me, c));
}

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    test_clock(me);
    test_task(me, YIELD, "messages come while tasks yield");
    test_task(me, CIRCLE, "messages come while tasks resume each other");
    return jd_rank(me) == 0 ? done_testing() : 0;
}

/* A task that takes no time is the worst case. */
int main(int argc, char **argv)
{
    setenv("JACKDAW_RANKS", "3", 1);
    setenv("JACKDAW_SIM_TASK", "0", 1);
    return jd_launch(argc, argv, body, tasks);
}
