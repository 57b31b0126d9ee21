/*
 * sched_futures_at_home_cost_nothing.c
 *
 * Role: futures at home ask for no memory in the steady state, whether somebody waits or not, and what is set
 *       already suspends nobody; a longer value is one block; places are used again.
 * Owner: the body; the count of requests is the rank's own, which JACKDAW_FAULT goes by.
 * See: sched/data/future.c, sched/names.c.
 */
#include "sched/worker.h"
#include "test/dist/sched_kit.h"

enum { ANSWER };
enum { TURNS = 2000, LIVE = 1000 };

struct order {
    jd_future question, answer;
};

static uint64_t requests(const jd_self *me)
{
    return atomic_load(&me->rank->am->fault.count[JDI_FAULT_alloc]);
}

static void make(jd_self *me, jd_future *f)
{
    must(me, jd_future_create(me, f));
}

/* A turn in which nobody waits. */
static uint64_t turn(jd_self *me, uint64_t i)
{
    uint64_t got = 0;
    jd_future f;
    make(me, &f);
    must(me, jd_future_set(me, f, &i, sizeof i));
    must(me, jd_future_get(me, f, &got, sizeof got));
    must(me, jd_future_destroy(me, f));
    return got == i;
}

static void answer(jd_self *me, void *arg)
{
    const struct order o = *(struct order *)arg;
    uint64_t word;
    must(me, jd_future_get(me, o.question, &word, sizeof word));
    word++;
    must(me, jd_future_set(me, o.answer, &word, sizeof word));
}

static void exchange(jd_self *me, uint64_t i)
{
    struct order o;
    uint64_t got = 0;
    jd_scope s;
    make(me, &o.question);
    make(me, &o.answer);
    must(me, jd_finish_begin(me, &s));
    must(me, jd_async_local(me, ANSWER, &o, sizeof o));
    jd_yield(me); /* it waits */
    must(me, jd_future_set(me, o.question, &i, sizeof i));
    must(me, jd_future_get(me, o.answer, &got, sizeof got));
    must(me, jd_finish_end(me, &s));
    if (got != i + 1)
        jd_abort(me, 99, "a wrong answer");
    must(me, jd_future_destroy(me, o.question));
    must(me, jd_future_destroy(me, o.answer));
}

static uint64_t requests_of_exchanges(jd_self *me)
{
    for (uint64_t i = 0; i < TURNS; i++)
        exchange(me, i);
    uint64_t before = requests(me);
    for (uint64_t i = 0; i < TURNS; i++)
        exchange(me, i);
    return requests(me) - before;
}

static void test_large(jd_self *me)
{
    unsigned char bytes[100] = {1}, got[100];
    uint64_t before = requests(me);
    jd_future f;
    make(me, &f);
    must(me, jd_future_set(me, f, bytes, sizeof bytes));
    must(me, jd_future_get(me, f, got, sizeof got));
    is_u64(requests(me) - before, 1, "a longer value is one block");
    must(me, jd_future_destroy(me, f));
}

static void test_many_live(jd_self *me)
{
    static jd_future f[LIVE];
    for (int i = 0; i < LIVE; i++)
        make(me, &f[i]);
    for (int i = 0; i < LIVE; i++)
        must(me, jd_future_destroy(me, f[i]));
    uint64_t before = requests(me);
    for (int i = 0; i < LIVE; i++)
        make(me, &f[i]);
    is_u64(requests(me) - before, 0, "places are used again");
    for (int i = 0; i < LIVE; i++)
        must(me, jd_future_destroy(me, f[i]));
}

static const jd_task_def tasks[] = {[ANSWER] = JD_TASK(answer), JD_TASK_END};

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    uint64_t right = turn(me, 0), before = requests(me);
    uint64_t stops = me->worker->stats.suspended;
    ok(before > 0, "requests are counted");
    for (uint64_t i = 1; i < TURNS; i++)
        right += turn(me, i);
    ok(right == TURNS, "values are right");
    is_u64(requests(me) - before, 0, "nothing is asked for where nobody waits");
    is_u64(me->worker->stats.suspended - stops, 0, "and nobody is suspended");
    is_u64(requests_of_exchanges(me), 0, "nor where somebody waits");
    test_large(me);
    test_many_live(me);
    return done_testing();
}

int main(int argc, char **argv)
{
    setenv("JACKDAW_FAULT", "alloc:1000000000", 1); /* else nothing is counted */
    setenv("JACKDAW_RANKS", "1", 1);
    setenv("JACKDAW_WORKERS", "1", 1);
    return jd_launch(argc, argv, body, tasks);
}
