/*
 * sched_mutexes_refuse_and_end.c
 *
 * Role: what mutexes and conditions say: to who has no right, at deadlines, to cancelled finishes; who has the
 *       mutex then, and who gets it next.
 * Owner: the body; a room belongs to the tasks that know it.
 * See: include/jackdaw.h; doc/waiting.md "Mutexes", "Conditions".
 */
#include "test/dist/sched_channels_kit.h"

enum { TRY, TAKE, AWAIT };
enum { WAITERS = 20, TURNS = 1000, SHORT_NS = 200000 };

struct room {
    jd_mutex m;
    jd_cond c;
    jd_channel begun;
    /* The mutex protects these. */
    bool inside;
    int waiting, ended, order[WAITERS];
    int want; /* constant */
    _Atomic int wrong;
};

struct job {
    struct room *room;
    int i;
};

static void init_room(jd_self *me, struct room *r, int want)
{
    memset(r, 0, sizeof *r); /* JD_MUTEX_INIT, JD_COND_INIT */
    r->begun = new_channel(me, 0, WAITERS);
    r->want = want;
}

static void expect(struct room *r, bool right)
{
    if (!right)
        atomic_fetch_add(&r->wrong, 1);
}

static void end_in(struct room *r, int i)
{
    expect(r, !r->inside);
    r->order[r->ended++] = i;
}

/* The mutex is the body's. */
static void try_it(jd_self *me, void *arg)
{
    struct room *r = ((struct job *)arg)->room;
    jd_time by = jd_deadline(me, SHORT_NS);
    expect(r, jd_mutex_lock(me, &r->m, JD_NOW) == JD_ETIMEDOUT);
    expect(r, jd_mutex_lock(me, &r->m, by) == JD_ETIMEDOUT && jd_clock(me) >= by);
    expect(r, jd_mutex_unlock(me, &r->m) == JD_ESTATE);
    expect(r, jd_cond_wait(me, &r->c, &r->m, JD_FOREVER) == JD_ESTATE);
    must(me, jd_channel_send(me, r->begun, NULL, JD_NOW));
}

static void take(jd_self *me, void *arg)
{
    const struct job j = *(struct job *)arg;
    struct room *r = j.room;
    must(me, jd_channel_send(me, r->begun, NULL, JD_NOW));
    int error = jd_mutex_lock(me, &r->m, JD_FOREVER);
    expect(r, error == r->want);
    if (error)
        return;
    end_in(r, j.i);
    must(me, jd_mutex_unlock(me, &r->m));
}

static void await(jd_self *me, void *arg)
{
    const struct job j = *(struct job *)arg;
    struct room *r = j.room;
    must(me, jd_mutex_lock(me, &r->m, JD_FOREVER));
    r->waiting++;
    int error = jd_cond_wait(me, &r->c, &r->m, JD_FOREVER);
    expect(r, error == r->want);
    end_in(r, j.i);
    r->inside = true;
    jd_yield(me);
    r->inside = false;
    must(me, jd_mutex_unlock(me, &r->m)); /* it is the caller's, whatever has come */
}

static const jd_task_def tasks[] = {[TRY] = JD_TASK(try_it),
                                    [TAKE] = JD_TASK(take),
                                    [AWAIT] = JD_TASK(await),
                                    JD_TASK_END};

static void spawn(jd_self *me, jd_task kind, struct room *r, int i)
{
    struct job j = {r, i};
    must(me, jd_async_local(me, kind, &j, sizeof j));
}

static void test_states(jd_self *me)
{
    jd_mutex m = JD_MUTEX_INIT;
    jd_cond c = JD_COND_INIT;
    jd_time by;
    ok_all(me,
           jd_mutex_unlock(me, &m) == JD_ESTATE && !jd_mutex_lock(me, &m, JD_NOW) &&
               jd_mutex_lock(me, &m, JD_FOREVER) == JD_ESTATE &&
               !jd_mutex_unlock(me, &m) && jd_mutex_unlock(me, &m) == JD_ESTATE,
           "a mutex is taken once, and given back once");
    ok_all(me, jd_cond_wait(me, &c, &m, JD_FOREVER) == JD_ESTATE,
           "who has not the mutex waits for no condition");
    must(me, jd_mutex_lock(me, &m, JD_FOREVER));
    by = jd_deadline(me, SHORT_NS);
    jd_cond_signal(me, &c);
    jd_cond_broadcast(me, &c);
    ok_all(me,
           jd_cond_wait(me, &c, &m, JD_NOW) == JD_ETIMEDOUT &&
               jd_cond_wait(me, &c, &m, by) == JD_ETIMEDOUT && jd_clock(me) >= by,
           "a signal that finds nobody is lost, and the deadline ends the wait");
    ok_all(me, !jd_mutex_unlock(me, &m) && !jd_mutex_lock(me, &m, JD_NOW),
           "with the mutex");
    must(me, jd_mutex_unlock(me, &m));
}

static void test_owner(jd_self *me)
{
    struct room r;
    jd_scope s;
    init_room(me, &r, 0);
    must(me, jd_mutex_lock(me, &r.m, JD_FOREVER));
    must(me, jd_finish_begin(me, &s));
    spawn(me, TRY, &r, 0);
    must(me, jd_channel_receive(me, r.begun, NULL, JD_FOREVER));
    must(me, jd_finish_end(me, &s));
    ok_all(me, !atomic_load(&r.wrong) && !jd_mutex_unlock(me, &r.m),
           "others neither get it in time nor give it back");
    must(me, jd_channel_destroy(me, r.begun));
}

static void test_cancel(jd_self *me)
{
    struct room r;
    jd_scope s;
    init_room(me, &r, JD_ECANCELED);
    must(me, jd_mutex_lock(me, &r.m, JD_FOREVER));
    must(me, jd_finish_begin(me, &s));
    for (int i = 0; i < WAITERS; i++)
        spawn(me, TAKE, &r, i);
    for (int i = 0; i < WAITERS; i++)
        must(me, jd_channel_receive(me, r.begun, NULL, JD_FOREVER));
    must(me, jd_cancel(me, jd_finish_mine(me)));
    ok_all(me,
           jd_finish_end(me, &s) == JD_ECANCELED && !r.ended &&
               !jd_mutex_unlock(me, &r.m),
           "a cancelled finish ends those who wait for a mutex");
    must(me, jd_channel_destroy(me, r.begun));
}

/* All wait for the condition; `how` wakes them. */
enum how { SIGNALS, BROADCAST, CANCEL_THEM };

static bool end_awaiting(jd_self *me, enum how how)
{
    struct room r;
    jd_scope s;
    int waiting = 0, error;
    init_room(me, &r, how == CANCEL_THEM ? JD_ECANCELED : 0);
    must(me, jd_finish_begin(me, &s));
    for (int i = 0; i < WAITERS; i++)
        spawn(me, AWAIT, &r, i);
    while (waiting < WAITERS) {
        jd_yield(me);
        must(me, jd_mutex_lock(me, &r.m, JD_FOREVER));
        waiting = r.waiting;
        expect(&r, !r.ended);
        must(me, jd_mutex_unlock(me, &r.m));
    }
    for (int i = 0; how == SIGNALS && i < WAITERS; i++)
        jd_cond_signal(me, &r.c);
    if (how == BROADCAST)
        jd_cond_broadcast(me, &r.c);
    if (how == CANCEL_THEM)
        must(me, jd_cancel(me, jd_finish_mine(me)));
    error = jd_finish_end(me, &s);
    must(me, jd_channel_destroy(me, r.begun));
    return error == r.want && r.ended == WAITERS && !atomic_load(&r.wrong) &&
           !jd_mutex_lock(me, &r.m, JD_NOW) && !jd_mutex_unlock(me, &r.m);
}

static void test_conditions(jd_self *me)
{
    ok_all(me, end_awaiting(me, SIGNALS), "each signal lets one go on");
    ok_all(me, end_awaiting(me, BROADCAST), "a broadcast all, one at a time");
    ok_all(me, end_awaiting(me, CANCEL_THEM), "a cancellation too, with the mutex");
}

/* On one worker each waits when the body sees that it has begun. */
static void test_order(jd_self *me)
{
    struct room r;
    jd_scope s;
    bool alone = jd_nworkers(me) == 1, right = true;
    int passed = 0;
    init_room(me, &r, 0);
    must(me, jd_mutex_lock(me, &r.m, JD_FOREVER));
    must(me, jd_finish_begin(me, &s));
    for (int i = 0; i < WAITERS; i++) {
        spawn(me, TAKE, &r, i);
        must(me, jd_channel_receive(me, r.begun, NULL, JD_FOREVER));
    }
    /* On several workers, whoever was woken may be slow to come, or all may be quick. */
    for (int error = 0; !error && (alone ? passed < TURNS : r.ended < WAITERS);
         passed += !error) {
        must(me, jd_mutex_unlock(me, &r.m));
        error = jd_mutex_lock(me, &r.m, JD_NOW);
        right = right && (!error || error == JD_ETIMEDOUT);
        if (error)
            must(me, jd_mutex_lock(me, &r.m, JD_FOREVER));
        jd_yield(me);
    }
    ok_all(me, right && (!alone || (passed && passed < WAITERS / 2)),
           "who runs may take a free mutex, until who was woken has lost");
    must(me, jd_mutex_unlock(me, &r.m));
    must(me, jd_finish_end(me, &s));
    for (int i = 0; i < WAITERS && alone; i++)
        right = right && r.order[i] == i;
    ok_all(me, right && !atomic_load(&r.wrong) && r.ended == WAITERS,
           "who waits longest is next");
    must(me, jd_channel_destroy(me, r.begun));
}

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    test_states(me);
    test_owner(me);
    test_cancel(me);
    test_conditions(me);
    test_order(me);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
