/*
 * sched_futures_start_tasks_later.c
 *
 * Role: tasks that wait to begin, for a deadline, for one future, or for several and then on a rank that was
 *       named, begin once, not too early, before their finish ends, and not at all when it is cancelled.
 *       Arguments: how many wait at once on each rank.
 * Owner: as sched_futures_kit.h.
 * See: include/jackdaw.h; doc/data.md "Tasks that wait to begin".
 */
#include "test/dist/sched_futures_kit.h"

enum { ALARM, FOLLOWER, SETTER, THERE, HOPELESS, BIG };
enum { SPAN_NS = 1000000, BIG_ARG = 3000, LATER = 6 };
static const uint64_t HOUR_NS = UINT64_C(3600) * 1000000000;

/* w.value: not before. */
static void alarm_rings(jd_self *me, void *arg)
{
    const struct wish w = *(const struct wish *)arg;
    count(jd_clock(me) < w.value ? &notes_of(me, w.mem)->early
                                 : &notes_of(me, w.mem)->ran,
          1);
}

static void follower(jd_self *me, void *arg)
{
    const struct wish w = *(const struct wish *)arg;
    uint64_t got = 0;
    if (jd_future_get_until(me, w.future, &got, sizeof got, JD_NOW))
        count(&notes_of(me, w.mem)->early, 1);
    count(&notes_of(me, w.mem)->sum, got);
}

/* Runs on rank w.value. */
static void there(jd_self *me, void *arg)
{
    const struct wish w = *(const struct wish *)arg;
    uint64_t a, b;
    must(me, jd_future_get(me, w.future, &a, sizeof a));
    must(me, jd_future_get(me, w.other, &b, sizeof b));
    struct notes *n = notes_of(me, w.mem);
    count(jd_rank(me) == w.value && a + b == 3 ? &n->ran : &n->early, 1);
}

static void hopeless(jd_self *me, void *arg)
{
    count(&notes_of(me, ((const struct wish *)arg)->mem)->never, 1);
}

static void big(jd_self *me, void *arg)
{
    const unsigned char *bytes = arg;
    for (size_t i = sizeof(struct wish); i < BIG_ARG; i++)
        if (bytes[i] != (unsigned char)i)
            jd_abort(me, 98, "byte %zu of a large argument is wrong", i);
    count(&notes_of(me, ((const struct wish *)arg)->mem)->ran, 1);
}

static const jd_task_def tasks[] = {[ALARM] = JD_TASK(alarm_rings),
                                    [FOLLOWER] = JD_TASK(follower),
                                    [SETTER] = JD_TASK(setter),
                                    [THERE] = JD_TASK(there),
                                    [HOPELESS] = JD_TASK(hopeless),
                                    [BIG] = JD_TASK(big),
                                    JD_TASK_END};

static void test_alarms(jd_self *me, jd_mem mem, uint64_t n)
{
    struct wish w = {.mem = mem};
    jd_scope s;
    jd_time begin = jd_clock(me);
    must(me, jd_finish_begin(me, &s));
    for (uint64_t i = 0; i < n; i++) {
        w.value = begin + i * 7919 % n * SPAN_NS / n;
        must(me, jd_async_after(me, w.value, ALARM, &w, sizeof w));
    }
    must(me, jd_finish_end(me, &s));
    struct notes *t = notes_of(me, mem);
    bool waited = jd_clock(me) >= begin + (n - 1) * SPAN_NS / n;
    ok_all(me, waited, "a finish waits for tasks that begin later");
    ok_all(me, all(me, &t->early) == 0, "none begins too early");
    ok_all(me, all(me, &t->ran) == n * jd_nranks(me), "each begins once");
}

static void test_followers(jd_self *me, jd_mem mem, uint64_t n)
{
    struct wish w = {.mem = mem, .future = share(me, jd_nranks(me) - 1), .value = 5};
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    for (uint64_t i = 0; i < n; i++)
        must(me, jd_then(me, w.future, FOLLOWER, &w, sizeof w));
    if (jd_rank(me) == 0)
        must(me, jd_async(me, SETTER, &w, sizeof w));
    must(me, jd_finish_end(me, &s));
    struct notes *t = notes_of(me, mem);
    ok_all(me, all(me, &t->early) == 0, "what follows a future finds it set");
    ok_all(me, all(me, &t->sum) == 5 * n * jd_nranks(me), "each time");
    unshare(me, w.future);
}

static void test_there(jd_self *me, jd_mem mem, uint64_t n)
{
    struct wish w = {
        .mem = mem, .future = share(me, 0), .other = share(me, jd_nranks(me) - 1)};
    jd_future both[] = {w.future, w.other};
    unsigned char arg[BIG_ARG];
    uint64_t one = 1, two = 2;
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    for (uint64_t i = 0; i < n; i++) {
        w.value = i % jd_nranks(me);
        must(me, jd_async_await_at(me, (uint32_t)w.value, both, 2, THERE, &w, sizeof w));
    }
    for (size_t i = 0; i < BIG_ARG; i++)
        arg[i] = (unsigned char)i;
    memcpy(arg, &w, sizeof w);
    must(me, jd_async_await_at(me, jd_nranks(me) - 1, both, 2, BIG, arg, sizeof arg));
    must(me, jd_async_await_at(me, 0, both, 2, BIG, arg, sizeof arg));
    must(me, jd_then(me, both[0], BIG, arg, sizeof arg));
    must(me, jd_async_after(me, jd_deadline(me, 1000), BIG, arg, sizeof arg));
    if (jd_rank(me) == 0) {
        must(me, jd_future_set(me, w.other, &two, sizeof two));
        must(me, jd_future_set(me, w.future, &one, sizeof one));
    }
    must(me, jd_finish_end(me, &s));
    struct notes *t = notes_of(me, mem);
    ok_all(me, all(me, &t->early) == 0, "what awaits on a rank runs there");
    ok_all(me, all(me, &t->ran) == (n + 4) * jd_nranks(me), "each, large ones too");
    unshare(me, w.future);
    unshare(me, w.other);
}

/* A tree of those that wait, all of which nothing but the cancellation ends. */
static void test_cancel(jd_self *me, jd_mem mem, uint64_t n)
{
    struct wish w = {
        .mem = mem, .future = share(me, 0), .other = share(me, jd_nranks(me) - 1)};
    jd_future both[] = {w.future, w.other};
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    for (uint64_t i = 0; i < n; i++) {
        jd_time later = jd_deadline(me, HOUR_NS + i);
        must(me, jd_async_after(me, i & 1 ? later : JD_FOREVER, HOPELESS, &w, sizeof w));
        must(me, jd_async_await_at(me, (uint32_t)i % jd_nranks(me), both, 2, HOPELESS, &w,
                                   sizeof w));
        must(me, jd_then(me, both[i & 1], HOPELESS, &w, sizeof w));
    }
    must(me, jd_sleep(me, 1000));
    must(me, jd_cancel(me, jd_finish_mine(me)));
    must(me, jd_async_after(me, JD_FOREVER, HOPELESS, &w, sizeof w));
    must(me, jd_then(me, both[0], HOPELESS, &w, sizeof w));
    ok_all(me, jd_finish_end(me, &s) == JD_ECANCELED, "a finish with them is cancelled");
    ok_all(me, all(me, &notes_of(me, mem)->never) == 0, "none of them begins");
    unshare(me, w.future);
    unshare(me, w.other);
}

static void test_refusals(jd_self *me)
{
    jd_future f, none = {0};
    int word = 0, outside[3];
    must(me, jd_future_create(me, &f));
    outside[0] = jd_async_after(me, JD_NOW, ALARM, &word, sizeof word);
    outside[1] = jd_then(me, f, ALARM, &word, sizeof word);
    outside[2] = jd_async_await_at(me, 0, &f, 1, ALARM, &word, sizeof word);
    ok_all(me,
           outside[0] == JD_ESTATE && outside[1] == JD_ESTATE && outside[2] == JD_ESTATE,
           "outside of a finish there are none");
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    int bad[] = {jd_async_after(me, JD_NOW, LATER, &word, sizeof word),
                 jd_async_after(me, JD_FOREVER, ALARM, NULL, 1),
                 jd_then(me, none, ALARM, &word, sizeof word),
                 jd_async_await_at(me, jd_nranks(me), &f, 1, ALARM, &word, sizeof word),
                 jd_async_await_at(me, UINT32_MAX, &f, 1, ALARM, &word, sizeof word),
                 jd_async_await_at(me, 0, NULL, 1, ALARM, &word, sizeof word)};
    must(me, jd_finish_end(me, &s));
    uint64_t refused = 0;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refused += bad[i] == JD_EINVAL;
    ok_all(me, refused == sizeof bad / sizeof *bad, "nor is there what cannot begin");
    must(me, jd_future_destroy(me, f));
}

static int body(jd_self *me, int argc, char **argv)
{
    uint64_t n = argc > 1 ? (uint64_t)atol(argv[1]) : 20;
    jd_mem mem = begin_notes(me);
    test_alarms(me, mem, n);
    test_followers(me, mem, n);
    test_there(me, mem, n);
    test_cancel(me, mem, n);
    test_refusals(me);
    must(me, jd_mem_destroy(me, mem));
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
