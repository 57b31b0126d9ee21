/*
 * sched_sleep_ends_at_its_deadline.c
 *
 * Role: sleepers go on when their time has come and not before, in bodies, collections and finishes, and
 *       a cancelled finish ends those that would sleep for ever.  Arguments: how many sleep at once.
 * Owner: the body; any task of a rank writes the notes of that rank.
 * See: include/jackdaw.h; doc/waiting.md.
 */
#include "test/dist/sched_kit.h"

enum { NAP, DREAM, STOP, INNER };
enum { SHORT_NS = 2000000, HOUR = 3600 };
#define LONG_NS (UINT64_C(1000000000) * HOUR)

struct notes { /* of one rank, in registered memory */
    _Atomic uint64_t slept, early, begun, cancelled;
};

static jd_mem mem_of_all(jd_self *me)
{
    jd_mem mem;
    must(me, jd_mem_create(me, NULL, sizeof(struct notes), &mem));
    return mem;
}

static struct notes *notes_in(jd_self *me, jd_mem mem)
{
    return jd_mem_local(me, mem, NULL);
}

static void note(_Atomic uint64_t *word)
{
    atomic_fetch_add_explicit(word, 1, memory_order_relaxed);
}

struct order {
    jd_mem mem;
    uint64_t ns;
};

static void nap(jd_self *me, void *arg)
{
    const struct order o = *(struct order *)arg;
    jd_time until = jd_deadline(me, o.ns);
    int error = jd_sleep_until(me, until);
    struct notes *n = notes_in(me, o.mem);
    note(error || jd_clock(me) < until ? &n->early : &n->slept);
}

/* Ends by a cancellation only; the next sleep then does not begin. */
static void dream(jd_self *me, void *arg)
{
    const struct order o = *(struct order *)arg;
    struct notes *n = notes_in(me, o.mem);
    note(&n->begun);
    uint64_t ns = o.ns ? o.ns : JD_FOREVER;
    if (jd_sleep(me, ns) == JD_ECANCELED && jd_sleep(me, ns) == JD_ECANCELED &&
        jd_sleep_until(me, jd_clock(me)) == 0)
        note(&n->cancelled);
}

/* A finish inside of the one that is cancelled. */
static void inner(jd_self *me, void *arg)
{
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    must(me, jd_async(me, DREAM, arg, sizeof(struct order)));
    if (jd_finish_end(me, &s) != JD_ECANCELED)
        jd_abort(me, 99, "an inner finish was not cancelled");
}

static void stop(jd_self *me, void *arg)
{
    const struct order *o = arg;
    if (jd_sleep(me, o->ns))
        jd_abort(me, 99, "who cancels was cancelled before");
    must(me, jd_cancel(me, jd_finish_mine(me)));
}

static const jd_task_def tasks[] = {[NAP] = JD_TASK(nap),
                                    [DREAM] = JD_TASK(dream),
                                    [STOP] = JD_TASK(stop),
                                    [INNER] = JD_TASK(inner),
                                    JD_TASK_END};

static uint64_t take(jd_self *me, _Atomic uint64_t *word)
{
    uint64_t sum = sum_of(me, atomic_load(word));
    must(me, jd_barrier(me));
    atomic_store(word, 0);
    must(me, jd_barrier(me));
    return sum;
}

static void test_body(jd_self *me)
{
    jd_time until = jd_deadline(me, SHORT_NS);
    bool slept = !jd_sleep_until(me, until) && jd_clock(me) >= until;
    ok_all(me, slept, "a body sleeps");
    ok_all(me, !jd_sleep_until(me, JD_NOW) && !jd_sleep(me, 0),
           "sleeps that end in the past are no error");
    ok_all(me,
           jd_deadline(me, UINT64_MAX) == JD_FOREVER &&
               jd_deadline(me, UINT64_MAX - jd_clock(me)) == JD_FOREVER,
           "deadlines do not wrap around");
    double late = jd_now(me) - 1e-9 * (double)jd_clock(me);
    ok_all(me, late > -1 && late < 1, "the clock is that of jd_now");
}

/* Equal ones, and different ones. */
static void test_collection(jd_self *me, uint64_t n)
{
    jd_coll *c;
    jd_mem mem = mem_of_all(me);
    must(me, jd_coll_create(me, NULL, &c));
    for (uint64_t i = 0; i < n; i++) {
        struct order o = {mem, i % 3 ? SHORT_NS : i * SHORT_NS / n};
        must(me, jd_coll_add(me, c, NAP, &o, sizeof o));
    }
    must(me, jd_coll_process(me, c));
    struct notes *t = notes_in(me, mem);
    uint64_t early = take(me, &t->early), slept = take(me, &t->slept);
    ok_all(me, early == 0, "none goes on before its time");
    ok_all(me, slept == n * jd_nranks(me), "a collection waits for its sleepers");
    must(me, jd_coll_destroy(me, c));
    must(me, jd_mem_destroy(me, mem));
}

/* Every other one has a deadline, an hour away. */
static void test_cancel(jd_self *me, uint64_t n)
{
    jd_mem mem = mem_of_all(me);
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    for (uint64_t i = 0; i < n; i++) {
        struct order o = {mem, i & 1 ? LONG_NS : 0};
        must(me, jd_async(me, DREAM, &o, sizeof o));
        must(me, jd_async_at(me, (uint32_t)i % jd_nranks(me), INNER, &o, sizeof o));
    }
    must(me, jd_async(me, STOP, &(struct order){mem, SHORT_NS}, sizeof(struct order)));
    int error = jd_finish_end(me, &s);
    struct notes *t = notes_in(me, mem);
    uint64_t begun = take(me, &t->begun), cancelled = take(me, &t->cancelled);
    ok_all(me, error == JD_ECANCELED, "a finish with sleepers can be cancelled");
    ok_all(me, begun == cancelled, "each sleeper was told");
    must(me, jd_mem_destroy(me, mem));
}

static int body(jd_self *me, int argc, char **argv)
{
    uint64_t n = argc > 1 ? (uint64_t)atol(argv[1]) : 100;
    test_body(me);
    test_collection(me, n);
    for (int i = 0; i < 3; i++)
        test_cancel(me, 1 + n / 4);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
