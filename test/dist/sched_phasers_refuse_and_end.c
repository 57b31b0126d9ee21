/*
 * sched_phasers_refuse_and_end.c
 *
 * Role: what a phaser says: to names that are out of date or of another rank, to modes that cannot be, to who
 *       is not registered; at deadlines, in cancelled finishes, when nobody signals any more, when it is destroyed.
 * Owner: the body; a phaser belongs to the tasks that know it.
 * See: include/jackdaw.h; doc/phasers.md.
 */
#include "test/dist/sched_channels_kit.h"

enum { AWAIT, ASK, END, INNER, MAKE };
enum { WAITERS = 20, MANY = 100, SHORT_NS = 200000 };

struct job {
    jd_phaser p;
    jd_channel begun, results;
};

static void report(jd_self *me, const struct job *j, int error)
{
    must(me, jd_channel_send(me, j->results, &error, JD_NOW));
}

static void await(jd_self *me, void *arg)
{
    const struct job j = *(struct job *)arg;
    must(me, jd_channel_send(me, j.begun, NULL, JD_NOW));
    report(me, &j, jd_phaser_next(me, j.p, JD_FOREVER));
}

/* What a task gets that is not registered. */
static void ask(jd_self *me, void *arg)
{
    const struct job j = *(struct job *)arg;
    report(me, &j, jd_phaser_next(me, j.p, JD_NOW));
    report(me, &j, jd_phaser_signal(me, j.p));
    report(me, &j, jd_phaser_wait(me, j.p, JD_NOW));
    report(me, &j, jd_phaser_drop(me, j.p));
}

static void end_at_once(jd_self *me, void *arg)
{
    (void)me, (void)arg;
}

/* Makes a phaser that it never drops, and is registered with what it was spawned with, but not inside. */
static void inner(jd_self *me, void *arg)
{
    const struct job j = *(struct job *)arg;
    jd_phaser own;
    jd_scope s;
    must(me, jd_phaser_create(me, JD_PHASE_BOTH, &own));
    must(me, jd_finish_begin(me, &s));
    must(me, jd_async_local(me, ASK, &j, sizeof j));
    must(me, jd_finish_end(me, &s));
    must(me, jd_channel_send(me, j.begun, &own, JD_NOW));
    report(me, &j, jd_phaser_signal(me, j.p));
}

/* Makes a phaser, and ends. */
static void make(jd_self *me, void *arg)
{
    must(me, jd_phaser_create(me, JD_PHASE_BOTH, *(jd_phaser **)arg));
}

static const jd_task_def tasks[] = {
    [AWAIT] = JD_TASK(await), [ASK] = JD_TASK(ask),   [END] = JD_TASK(end_at_once),
    [INNER] = JD_TASK(inner), [MAKE] = JD_TASK(make), JD_TASK_END};

static jd_phaser new_phaser(jd_self *me, unsigned mode)
{
    jd_phaser p;
    must(me, jd_phaser_create(me, mode, &p));
    return p;
}

static bool refused(jd_self *me, jd_phaser p, int want)
{
    jd_phased as = {p, JD_PHASE_WAIT};
    return jd_phaser_next(me, p, JD_NOW) == want && jd_phaser_signal(me, p) == want &&
           jd_phaser_wait(me, p, JD_NOW) == want && jd_phaser_drop(me, p) == want &&
           (want == JD_ESTATE || (jd_phaser_phase(me, p) == JD_EINVAL &&
                                  jd_async_phased(me, &as, 1, END, NULL, 0) == want &&
                                  jd_phaser_destroy(me, p) == want));
}

static void test_names(jd_self *me)
{
    jd_phaser p = new_phaser(me, JD_PHASE_BOTH), none = {0}, far = p, old = p;
    uint64_t stale = 0;
    far.number = ~far.number;
    ok_all(me, refused(me, none, JD_EINVAL) && refused(me, far, JD_EINVAL),
           "what is no phaser is refused");
    must(me, jd_phaser_destroy(me, p));
    for (int i = 0; i < MANY; i++) {
        p = new_phaser(me, (unsigned)i % 4);
        stale += refused(me, old, JD_EINVAL);
        old = p;
        must(me, jd_phaser_destroy(me, p));
    }
    ok_all(me, stale == MANY, "so is a name that is out of date");
    p = new_phaser(me, 0);
    jd_phaser of_next = {.number = p.number, .home = (jd_rank(me) + 1) % jd_nranks(me)};
    ok_all(me, jd_nranks(me) == 1 || refused(me, of_next, JD_EINVAL),
           "so is a phaser of another rank");
    ok_all(me, refused(me, p, JD_ESTATE), "who is not registered does not go along");
    must(me, jd_phaser_destroy(me, p));
}

static void test_arguments(jd_self *me)
{
    jd_phaser p = new_phaser(me, 0), q;
    jd_phased as[65] = {{p, JD_PHASE_WAIT}, {p, JD_PHASE_SIGNAL}};
    jd_scope s;
    ok_all(me, jd_phaser_create(me, 4, &q) == JD_EINVAL, "there are three modes");
    ok_all(me, jd_async_phased(me, as, 1, END, NULL, 0) == JD_ESTATE,
           "a registered task is in a finish");
    must(me, jd_finish_begin(me, &s));
    bool right = jd_async_phased(me, as, 2, END, NULL, 0) == JD_EINVAL &&
                 jd_async_phased(me, as, 65, END, NULL, 0) == JD_ETOOBIG &&
                 jd_async_phased(me, NULL, 1, END, NULL, 0) == JD_EINVAL &&
                 jd_async_phased(me, as, 1, END, NULL, 1) == JD_EINVAL &&
                 jd_async_phased(me, as, 1, 99, NULL, 0) == JD_EINVAL &&
                 jd_async_phased(me, as, 1, END, as, (16 << 20) + 1) == JD_ETOOBIG;
    as[0].mode = 4;
    right = right && jd_async_phased(me, as, 1, END, NULL, 0) == JD_EINVAL;
    as[0].mode = 0;
    right = right && jd_async_phased(me, as, 1, END, NULL, 0) == JD_EINVAL;
    must(me, jd_async_phased(me, NULL, 0, END, NULL, 0));
    must(me, jd_finish_end(me, &s));
    ok_all(me, right && jd_phaser_phase(me, p) == 0, "what is refused registers nobody");
    must(me, jd_phaser_destroy(me, p));
}

static void test_modes(jd_self *me)
{
    jd_phaser both = new_phaser(me, JD_PHASE_BOTH), sig = new_phaser(me, JD_PHASE_SIGNAL);
    jd_phaser wait = new_phaser(me, JD_PHASE_WAIT);
    ok_all(me,
           jd_phaser_wait(me, sig, JD_NOW) == JD_ESTATE &&
               jd_phaser_signal(me, wait) == JD_ESTATE &&
               jd_phaser_wait(me, both, JD_NOW) == JD_ESTATE &&
               !jd_phaser_signal(me, both) && jd_phaser_signal(me, both) == JD_ESTATE &&
               !jd_phaser_wait(me, both, JD_NOW),
           "each does what its mode is, in its order");
    bool right = true;
    for (int i = 1; i <= MANY; i++)
        right = right && !jd_phaser_next(me, both, JD_NOW) &&
                !jd_phaser_signal(me, sig) && jd_phaser_phase(me, both) == i + 1 &&
                jd_phaser_phase(me, sig) == i;
    ok_all(me, right, "alone, a phase ends with each signal");
    ok_all(me, jd_phaser_wait(me, wait, JD_NOW) == JD_ETIMEDOUT,
           "before anybody signals, who waits waits");
    must(me, jd_phaser_drop(me, both));
    ok_all(me, refused(me, both, JD_ESTATE), "who is dropped is not registered");
    must(me, jd_phaser_destroy(me, both));
    must(me, jd_phaser_destroy(me, sig));
    must(me, jd_phaser_destroy(me, wait));
}

static void test_silence(jd_self *me)
{
    jd_phaser p = new_phaser(me, JD_PHASE_BOTH);
    jd_phased as = {p, JD_PHASE_BOTH};
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    for (int i = 0; i < WAITERS; i++)
        must(me, jd_async_phased(me, &as, 1, END, NULL, 0));
    must(me, jd_phaser_next(me, p, JD_FOREVER));
    must(me, jd_finish_end(me, &s));
    ok_all(me, jd_phaser_phase(me, p) == 1, "who ends without a signal holds nobody");
    must(me, jd_phaser_destroy(me, p));
}

/* A task holds p until the gate is opened. */
static void test_deadlines(jd_self *me)
{
    jd_phaser p = new_phaser(me, JD_PHASE_BOTH), gate = new_phaser(me, JD_PHASE_SIGNAL);
    const jd_phased as[] = {{p, JD_PHASE_BOTH}, {gate, JD_PHASE_WAIT}};
    struct job j = {gate, new_channel(me, 0, 1), new_channel(me, sizeof(int), 1)};
    jd_time by = jd_deadline(me, SHORT_NS);
    int error = 1;
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    must(me, jd_async_phased(me, as, 2, AWAIT, &j, sizeof j));
    bool right = jd_phaser_next(me, p, by) == JD_ETIMEDOUT && jd_clock(me) >= by &&
                 jd_phaser_next(me, p, JD_NOW) == JD_ETIMEDOUT &&
                 jd_phaser_signal(me, p) == JD_ESTATE && jd_phaser_phase(me, p) == 0;
    must(me, jd_phaser_signal(me, gate));
    must(me, jd_phaser_next(me, p, JD_FOREVER));
    right = right && jd_phaser_phase(me, p) == 1 && !jd_phaser_next(me, p, JD_NOW);
    must(me, jd_finish_end(me, &s));
    must(me, jd_channel_receive(me, j.results, &error, JD_NOW));
    ok_all(me, right && !error, "a deadline costs nothing: the signal stays given");
    must(me, jd_phaser_destroy(me, p));
    must(me, jd_phaser_destroy(me, gate));
    must(me, jd_channel_destroy(me, j.begun));
    must(me, jd_channel_destroy(me, j.results));
}

/* WAITERS wait for a phase that the body holds; `how` ends them. */
enum how { SIGNAL_IT, DROP, DESTROY, CANCEL_IT };

static bool end_waiters(jd_self *me, unsigned mode, enum how how, int want)
{
    struct job j = {new_phaser(me, JD_PHASE_SIGNAL), new_channel(me, 0, WAITERS),
                    new_channel(me, sizeof(int), WAITERS)};
    jd_phased as = {j.p, mode};
    bool right = true;
    int got;
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    for (int i = 0; i < WAITERS; i++)
        must(me, jd_async_phased(me, &as, 1, AWAIT, &j, sizeof j));
    for (int i = 0; i < WAITERS; i++)
        must(me, jd_channel_receive(me, j.begun, NULL, JD_FOREVER));
    if (how == SIGNAL_IT)
        must(me, jd_phaser_signal(me, j.p));
    if (how == DROP)
        must(me, jd_phaser_drop(me, j.p));
    if (how == DESTROY)
        must(me, jd_phaser_destroy(me, j.p));
    if (how == CANCEL_IT)
        must(me, jd_cancel(me, jd_finish_mine(me)));
    right = jd_finish_end(me, &s) == (how == CANCEL_IT ? JD_ECANCELED : 0);
    must(me, jd_channel_close(me, j.results));
    while (!jd_channel_receive(me, j.results, &got, JD_FOREVER))
        right = right && (got == want || (how == DESTROY && got == JD_EINVAL));
    must(me, jd_channel_destroy(me, j.results));
    must(me, jd_channel_destroy(me, j.begun));
    return right && (how == DESTROY || !jd_phaser_destroy(me, j.p));
}

/* Tasks that are registered and dropped before they begin. */
static void test_dropped(jd_self *me)
{
    jd_phaser p = new_phaser(me, JD_PHASE_BOTH);
    jd_phased as = {p, JD_PHASE_BOTH};
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    must(me, jd_cancel(me, jd_finish_mine(me)));
    while (!jd_cancelled(me))
        jd_yield(me);
    for (int i = 0; i < WAITERS; i++)
        must(me, jd_async_phased(me, &as, 1, END, NULL, 0));
    must(me, jd_phaser_signal(me, p));
    ok_all(me, jd_finish_end(me, &s) == JD_ECANCELED, "tasks are dropped");
    ok_all(me, !jd_phaser_wait(me, p, JD_NOW) && jd_phaser_phase(me, p) == 1,
           "and hold the phase no longer");
    must(me, jd_phaser_drop(me, p));
    must(me, jd_phaser_destroy(me, p));
}

/* Would a task have to wait for whoever has made p? */
static bool is_let_go(jd_self *me, jd_phaser p)
{
    struct job j = {p, new_channel(me, 0, 1), new_channel(me, sizeof(int), 1)};
    jd_phased as = {p, JD_PHASE_BOTH};
    int got;
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    must(me, jd_async_phased(me, &as, 1, AWAIT, &j, sizeof j));
    must(me, jd_finish_end(me, &s));
    must(me, jd_channel_receive(me, j.results, &got, JD_NOW));
    must(me, jd_channel_destroy(me, j.begun));
    must(me, jd_channel_destroy(me, j.results));
    return !got && !jd_phaser_destroy(me, p);
}

static void test_inside(jd_self *me)
{
    struct job j = {new_phaser(me, 0), new_channel(me, sizeof(jd_phaser), 1),
                    new_channel(me, sizeof(int), 5)};
    jd_phased as = {j.p, JD_PHASE_SIGNAL};
    jd_phaser own;
    int got;
    bool right = true;
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    must(me, jd_async_phased(me, &as, 1, INNER, &j, sizeof j));
    must(me, jd_finish_end(me, &s));
    must(me, jd_channel_receive(me, j.begun, &own, JD_NOW));
    for (int i = 0; i < 5; i++) {
        must(me, jd_channel_receive(me, j.results, &got, JD_NOW));
        right = right && got == (i < 4 ? JD_ESTATE : 0);
    }
    ok_all(me, right && jd_phaser_phase(me, j.p) == 1,
           "a task is registered, and those for which it waits are not");
    must(me, jd_phaser_destroy(me, j.p));
    must(me, jd_channel_destroy(me, j.begun));
    must(me, jd_channel_destroy(me, j.results));
    ok_all(me, is_let_go(me, own), "a creator that has ended holds nobody");
}

/* Tasks that are registered with nothing else; of a collection, too. */
static void test_creators(jd_self *me)
{
    jd_phaser p, *at = &p;
    jd_coll *c;
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    must(me, jd_async_local(me, MAKE, &at, sizeof at));
    must(me, jd_finish_end(me, &s));
    ok_all(me, is_let_go(me, p), "also one that was registered with nothing before");
    must(me, jd_coll_create(me, NULL, &c));
    must(me, jd_coll_stealing(me, c, JD_STEAL_NONE));
    must(me, jd_coll_add(me, c, MAKE, &at, sizeof at));
    must(me, jd_coll_process(me, c));
    ok_all(me, is_let_go(me, p), "also a task of a collection");
    must(me, jd_coll_destroy(me, c));
}

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    test_names(me);
    test_arguments(me);
    test_modes(me);
    test_silence(me);
    test_deadlines(me);
    ok_all(me, end_waiters(me, JD_PHASE_BOTH, SIGNAL_IT, 0), "a signal ends all waits");
    ok_all(me, end_waiters(me, JD_PHASE_BOTH, DROP, 0), "so does who is dropped");
    ok_all(me, end_waiters(me, JD_PHASE_WAIT, SIGNAL_IT, 0), "also of who only waits");
    ok_all(me, end_waiters(me, JD_PHASE_WAIT, DROP, JD_ECLOSED),
           "these are told when nobody is left that signals");
    ok_all(me, end_waiters(me, JD_PHASE_BOTH, DESTROY, JD_ECLOSED), "destroy ends them");
    ok_all(me, end_waiters(me, JD_PHASE_BOTH, CANCEL_IT, JD_ECANCELED),
           "a cancelled finish too");
    test_dropped(me);
    test_inside(me);
    test_creators(me);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
