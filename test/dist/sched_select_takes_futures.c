/*
 * sched_select_takes_futures.c
 *
 * Role: a select takes the value of a future of any rank, set before or while it waits, beside channels and
 *       events, and leaves the others as they are; it is told of a future that is destroyed meanwhile.
 *       Arguments: how many tasks select at once on each rank.
 * Owner: as sched_futures_kit.h.
 * See: include/jackdaw.h; doc/waiting.md "Select".
 */
#include "test/dist/sched_futures_kit.h"

enum { SETTER, SELECTOR };
enum { SHORT_NS = 300000, LONG = 1000 };

/* Both futures are set by somebody; w.value: how often this task selects one of the two. */
static void selector(jd_self *me, void *arg)
{
    const struct wish w = *(const struct wish *)arg;
    struct notes *n = notes_of(me, w.mem);
    uint64_t got[2] = {0};
    jd_case c[] = {jd_case_future(w.future, &got[0], sizeof got[0]),
                   jd_case_future(w.other, &got[1], sizeof got[1])};
    int i = jd_select(me, c, 2, 0, JD_FOREVER);
    bool right = i >= 0 && !c[i].error && got[i] == 4711 && !got[!i];
    count(right ? &n->ran : &n->early, 1);
    if (right) {
        c[i].kind = JD_CASE_OFF;
        right = jd_select(me, c, 2, 0, JD_FOREVER) == !i && got[!i] == 4711;
        count(right ? &n->sum : &n->early, 1);
    }
}

static const jd_task_def tasks[] = {
    [SETTER] = JD_TASK(setter), [SELECTOR] = JD_TASK(selector), JD_TASK_END};

static void test_waiting(jd_self *me, jd_mem mem, uint64_t n)
{
    uint32_t last = jd_nranks(me) - 1;
    struct wish w = {.mem = mem, .future = share(me, 0), .other = share(me, last)};
    struct wish set = {.future = w.future, .value = 4711};
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    for (uint64_t i = 0; i < n; i++)
        must(me, jd_async(me, SELECTOR, &w, sizeof w));
    must(me, jd_sleep(me, SHORT_NS));
    if (jd_rank(me) == 0)
        must(me, jd_async_at(me, last, SETTER, &set, sizeof set));
    set.future = w.other;
    if (jd_rank(me) == last)
        must(me, jd_async_at(me, 0, SETTER, &set, sizeof set));
    must(me, jd_finish_end(me, &s));
    struct notes *t = notes_of(me, mem);
    ok_all(me, all(me, &t->early) == 0, "who selects has one value, and not the other");
    ok_all(me,
           all(me, &t->ran) == n * jd_nranks(me) && all(me, &t->sum) == n * jd_nranks(me),
           "and then the other one");
    unshare(me, w.future);
    unshare(me, w.other);
}

static void test_alone(jd_self *me, uint32_t home)
{
    jd_future f = share(me, home), gone = share(me, home);
    jd_event e;
    jd_channel ch;
    unsigned char bytes[LONG] = {7}, got[LONG] = {0};
    bool mine = jd_rank(me) == home;
    must(me, jd_event_create(me, 1, &e));
    must(me, jd_channel_create(me, 8, 1, &ch));
    jd_case c[] = {jd_case_future(f, got, LONG), jd_case_event(e),
                   jd_case_receive(ch, got)};
    int now = jd_select(me, c, 3, 0, JD_NOW);
    int later = jd_select(me, c, 3, 0, jd_deadline(me, SHORT_NS));
    ok_all(me, now == JD_ETIMEDOUT && later == JD_ETIMEDOUT && !got[0],
           "rank %u: an unset future is not ready", home);
    must(me, jd_barrier(me));
    if (jd_rank(me) == jd_nranks(me) - 1)
        must(me, jd_future_set(me, f, bytes, LONG));
    int at = jd_select(me, c, 3, 0, JD_FOREVER);
    ok_all(me, at == 0 && !c[0].error && got[0] == 7, "one that is set is");
    c[0] = jd_case_future(f, got, LONG - 1);
    at = jd_select(me, c, 3, 0, JD_FOREVER);
    ok_all(me, at == 0 && c[0].error == JD_EINVAL, "a value of another size is an error");
    c[0] = jd_case_future(f, NULL, 0);
    must(me, jd_event_signal(me, e, 1));
    at = jd_select(me, c, 2, JD_ORDERED, JD_FOREVER);
    ok_all(me, mine ? at == 0 : at == 1,
           "what is ready here comes before what has to be asked");
    c[0] = jd_case_future((jd_future){.number = 1, .home = jd_nranks(me)}, NULL, 0);
    bool far_out = jd_select(me, c, 2, 0, JD_NOW) == JD_EINVAL && c[0].error == JD_EINVAL;
    c[0] = jd_case_future(f, NULL, 1);
    ok_all(me, far_out && jd_select(me, c, 2, 0, JD_NOW) == JD_EINVAL,
           "what is no future, and a value for nowhere, are refused");
    must(me, jd_event_reset(me, e, 1));
    c[0] = jd_case_future(gone, NULL, 0);
    must(me, jd_barrier(me));
    if (mine)
        must(me, jd_future_destroy(me, gone));
    at = jd_select(me, c, 3, 0, JD_FOREVER);
    ok_all(me, (at == JD_EINVAL || at == 0) && c[0].error == JD_EINVAL,
           "one that is gone is an error");
    must(me, jd_event_destroy(me, e));
    must(me, jd_channel_destroy(me, ch));
    unshare(me, f);
}

static int body(jd_self *me, int argc, char **argv)
{
    uint64_t n = argc > 1 ? (uint64_t)atol(argv[1]) : 20;
    jd_mem mem = begin_notes(me);
    test_alone(me, 0);
    test_alone(me, jd_nranks(me) - 1);
    test_waiting(me, mem, n);
    must(me, jd_mem_destroy(me, mem));
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
