/*
 * sched_events_end_all_who_wait.c
 *
 * Role: an event is set by as many signals as it asks for, whoever comes first; then all who wait go on.  What
 *       a deadline, a cancellation, a reset and the end of the event do to them, and which names are refused.
 *       Argument: how many rounds of a race.
 * Owner: the body; an event belongs to the tasks that know it.
 * See: include/jackdaw.h; doc/waiting.md "Events".
 */
#include "core/random.h"
#include "test/dist/sched_channels_kit.h"

enum { WAITER, SIGNALLER, RACER };
enum { WAITERS = 20, MANY = 300, SHORT_NS = 200000, SOON_NS = 20000 };

struct job {
    jd_event e;
    jd_channel begun, results; /* to the latter go the codes */
    uint64_t seed;
};

static jd_event new_event(jd_self *me, uint64_t count)
{
    jd_event e = {0};
    must(me, jd_event_create(me, count, &e));
    return e;
}

static void report(jd_self *me, const struct job *j, int error)
{
    must(me, jd_channel_send(me, j->results, &error, JD_NOW));
}

static void waiter(jd_self *me, void *arg)
{
    const struct job j = *(struct job *)arg;
    must(me, jd_channel_send(me, j.begun, NULL, JD_NOW));
    report(me, &j, jd_event_wait(me, j.e, JD_FOREVER));
}

static void signaller(jd_self *me, void *arg)
{
    const struct job j = *(struct job *)arg;
    jd_compute(me, j.seed % SOON_NS);
    must(me, jd_event_signal(me, j.e, 1));
}

/* Waits, with deadlines that are soon over, until the event is set. */
static void racer(jd_self *me, void *arg)
{
    const struct job j = *(struct job *)arg;
    uint64_t rng = j.seed;
    int error;
    do {
        bool ever = jdi_random_below(&rng, 2);
        jd_time by = jd_deadline(me, jdi_random_below(&rng, SOON_NS));
        error = jd_event_wait(me, j.e, ever ? JD_FOREVER : by);
    } while (error == JD_ETIMEDOUT);
    report(me, &j, error);
}

static const jd_task_def tasks[] = {[WAITER] = JD_TASK(waiter),
                                    [SIGNALLER] = JD_TASK(signaller),
                                    [RACER] = JD_TASK(racer),
                                    JD_TASK_END};

static bool is_refused(jd_self *me, jd_event e)
{
    jd_event_key key;
    return jd_event_signal(me, e, 1) == JD_EINVAL &&
           jd_event_reset(me, e, 1) == JD_EINVAL &&
           jd_event_wait(me, e, JD_NOW) == JD_EINVAL &&
           jd_event_get_key(me, e, &key) == JD_EINVAL &&
           jd_event_destroy(me, e) == JD_EINVAL;
}

static void test_names(jd_self *me)
{
    jd_event e = new_event(me, 1), old = e, none = {0}, odd = e, far = e;
    jd_event_key key;
    bool right = true;
    odd.number |= UINT32_MAX;
    far.number = ~far.number;
    ok_all(me, is_refused(me, none) && is_refused(me, odd) && is_refused(me, far),
           "what is no event is refused");
    must(me, jd_event_get_key(me, e, &key));
    must(me, jd_event_destroy(me, e));
    for (int i = 0; i < MANY; i++) {
        e = new_event(me, 1);
        right = right && is_refused(me, old) &&
                jd_event_signal_key(key, 1) == JD_EINVAL &&
                jd_event_wait(me, e, JD_NOW) == JD_ETIMEDOUT;
        must(me, jd_event_destroy(me, e));
    }
    ok_all(me, right, "so are a name and a key that are out of date");
    e = new_event(me, 0);
    jd_event of_next = {.number = e.number, .home = (jd_rank(me) + 1) % jd_nranks(me)};
    ok_all(me, jd_nranks(me) == 1 || is_refused(me, of_next),
           "so is an event of another rank");
    must(me, jd_event_destroy(me, e));
}

static void test_counts(jd_self *me)
{
    jd_event e = new_event(me, 3), at_once = new_event(me, 0);
    must(me, jd_event_signal(me, e, 2));
    must(me, jd_event_signal(me, e, 0));
    bool right = jd_event_wait(me, e, JD_NOW) == JD_ETIMEDOUT;
    must(me, jd_event_signal(me, e, 1));
    right = right && !jd_event_wait(me, e, JD_NOW) && !jd_event_wait(me, at_once, JD_NOW);
    ok_all(me, right, "an event is set by as many signals as it asks for");
    must(me, jd_event_signal(me, e, UINT64_MAX));
    ok_all(me, !jd_event_wait(me, e, JD_FOREVER), "and stays set");
    must(me, jd_event_reset(me, e, 2));
    must(me, jd_event_signal(me, e, 1));
    right = jd_event_wait(me, e, JD_NOW) == JD_ETIMEDOUT;
    must(me, jd_event_signal(me, e, UINT64_MAX));
    right = right && !jd_event_wait(me, e, JD_NOW);
    ok_all(me, right, "until a reset, which asks for signals again");
    must(me, jd_event_destroy(me, e));
    must(me, jd_event_destroy(me, at_once));
}

static void test_deadlines(jd_self *me)
{
    jd_event e = new_event(me, 1);
    jd_time by = jd_deadline(me, SHORT_NS);
    bool right = jd_event_wait(me, e, by) == JD_ETIMEDOUT && jd_clock(me) >= by &&
                 jd_event_wait(me, e, by) == JD_ETIMEDOUT && !jd_event_signal(me, e, 1) &&
                 !jd_event_wait(me, e, by);
    ok_all(me, right, "a wait ends at its deadline, and none is needed when it is set");
    must(me, jd_event_destroy(me, e));
}

/* WAITERS wait for the same event; `how` ends them. */
enum how { SIGNAL_IT, RESET_IT, RESET_AND_SIGNAL, DESTROY, CANCEL_IT };

static void end_them(jd_self *me, jd_event e, enum how how)
{
    switch (how) {
    case SIGNAL_IT:
        must(me, jd_event_signal(me, e, 1));
        must(me, jd_event_signal(me, e, 1));
        break;
    case RESET_IT:
        must(me, jd_event_reset(me, e, 0));
        break;
    case RESET_AND_SIGNAL:
        must(me, jd_event_signal(me, e, 1));
        must(me, jd_event_reset(me, e, 2));
        must(me, jd_event_signal(me, e, 1));
        if (jd_event_wait(me, e, JD_NOW) != JD_ETIMEDOUT)
            jd_abort(me, 99, "a reset was not heard");
        must(me, jd_event_signal(me, e, 1));
        break;
    case DESTROY:
        must(me, jd_event_destroy(me, e));
        break;
    case CANCEL_IT:
        must(me, jd_cancel(me, jd_finish_mine(me)));
        break;
    }
}

static bool ends_waiters(jd_self *me, enum how how, int want)
{
    struct job j = {.e = new_event(me, 2),
                    .begun = new_channel(me, 0, WAITERS),
                    .results = new_channel(me, sizeof(int), WAITERS)};
    int got, n = 0;
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    for (int i = 0; i < WAITERS; i++)
        must(me, jd_async_local(me, WAITER, &j, sizeof j));
    for (int i = 0; i < WAITERS; i++)
        must(me, jd_channel_receive(me, j.begun, NULL, JD_FOREVER));
    end_them(me, j.e, how);
    bool right = jd_finish_end(me, &s) == (how == CANCEL_IT ? JD_ECANCELED : 0);
    must(me, jd_channel_close(me, j.results));
    for (; !jd_channel_receive(me, j.results, &got, JD_FOREVER); n++)
        right = right && (got == want || (how == DESTROY && got == JD_EINVAL));
    must(me, jd_channel_destroy(me, j.results));
    must(me, jd_channel_destroy(me, j.begun));
    if (how != DESTROY)
        must(me, jd_event_destroy(me, j.e));
    return right && n == WAITERS;
}

static void test_ends(jd_self *me)
{
    ok_all(me, ends_waiters(me, SIGNAL_IT, 0), "the last signal ends all who wait");
    ok_all(me, ends_waiters(me, RESET_IT, 0), "so does a reset to no signals");
    ok_all(me, ends_waiters(me, RESET_AND_SIGNAL, 0),
           "after another reset they wait for the new signals");
    ok_all(me, ends_waiters(me, DESTROY, JD_ECLOSED), "they end with the event");
    ok_all(me, ends_waiters(me, CANCEL_IT, JD_ECANCELED), "and with their finish");
}

/* Signals, waits and deadlines race: all who wait go on, and nobody before the last signal. */
static void test_race(jd_self *me, uint64_t rounds)
{
    bool right = true;
    for (uint64_t i = 0; i < rounds; i++) {
        uint64_t rng =
            (i * jd_nranks(me) + jd_rank(me) + 1) * UINT64_C(0x9E3779B97F4A7C15);
        uint64_t signals = 1 + jdi_random_below(&rng, WAITERS), n = 0;
        struct job j = {.e = new_event(me, signals),
                        .results = new_channel(me, sizeof(int), WAITERS)};
        int got;
        jd_scope s;
        must(me, jd_finish_begin(me, &s));
        for (uint64_t k = 0; k < WAITERS; k++) {
            j.seed = jdi_random(&rng);
            must(me, jd_async_local(me, RACER, &j, sizeof j));
            if (k < signals)
                must(me, jd_async_local(me, SIGNALLER, &j, sizeof j));
        }
        must(me, jd_finish_end(me, &s));
        for (; !jd_channel_receive(me, j.results, &got, JD_NOW); n++)
            right = right && got == 0;
        right = right && n == WAITERS;
        must(me, jd_channel_destroy(me, j.results));
        must(me, jd_event_destroy(me, j.e));
    }
    ok_all(me, right, "nobody is forgotten in a race");
}

static int body(jd_self *me, int argc, char **argv)
{
    test_names(me);
    test_counts(me);
    test_deadlines(me);
    test_ends(me);
    test_race(me, argc > 1 ? (uint64_t)atol(argv[1]) : 20);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
