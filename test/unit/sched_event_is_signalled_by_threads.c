/*
 * sched_event_is_signalled_by_threads.c
 *
 * Role: threads of the program, which are no ULTs, set an event by its key while tasks wait for it, also with
 *       deadlines, as cases of jd_select, and while the event is destroyed: each task goes on once, and a key
 *       that is out of date signals nothing else.
 * Owner: the body; each thread signals through the keys that lie in `key`.
 * See: sched/wait/event.c; doc/waiting.md "Events".
 */
#include "core/lock.h"
#include "core/random.h"
#include "test/dist/sched_kit.h"

#include <pthread.h>

enum { WAITER };
enum { THREADS = 3, TASKS = 8, ROUNDS = 300, DUELS = 10000, SOON_NS = 20000 };

struct ring {
    pthread_barrier_t begin;
    struct jdi_lock lock;
    jd_event_key key; /* under the lock */
    _Atomic uint64_t refused, given;
};

static jd_event_key key_of(struct ring *r)
{
    jdi_lock(&r->lock);
    jd_event_key key = r->key;
    jdi_unlock(&r->lock);
    return key;
}

/* Signals each event once.  The event of an odd round may be destroyed meanwhile. */
static void *signal_all(void *arg)
{
    struct ring *r = arg;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&r->begin);
        int error = jd_event_signal_key(key_of(r), 1);
        atomic_fetch_add(error ? &r->refused : &r->given, 1);
        if (error && !(i & 1))
            atomic_fetch_add(&r->refused, ROUNDS * THREADS);
        pthread_barrier_wait(&r->begin);
    }
    return NULL;
}

struct job {
    jd_event e;
    uint64_t seed;
    _Atomic uint64_t *right;
};

/* By itself, or as a case. */
static int wait_once(jd_self *me, struct job *j, jd_time deadline)
{
    jd_case c = jd_case_event(j->e);
    if (jdi_random_below(&j->seed, 2))
        return jd_event_wait(me, j->e, deadline);
    int at = jd_select(me, &c, 1, 0, deadline);
    return at ? at : c.error;
}

/* In an odd round the event is destroyed. */
static void waiter(jd_self *me, void *arg)
{
    struct job j = *(struct job *)arg;
    bool destroyed = j.seed & 1;
    int error;
    do {
        bool ever = jdi_random_below(&j.seed, 2);
        jd_time by = jd_deadline(me, jdi_random_below(&j.seed, SOON_NS));
        error = wait_once(me, &j, ever ? JD_FOREVER : by);
    } while (error == JD_ETIMEDOUT);
    bool right = destroyed ? error == JD_ECLOSED || error == JD_EINVAL : !error;
    atomic_fetch_add(j.right, right);
}

static const jd_task_def tasks[] = {[WAITER] = JD_TASK(waiter), JD_TASK_END};

/* An event that asks for one signal more than comes is destroyed. */
static uint64_t play(jd_self *me, struct ring *r, uint64_t round, uint64_t *stale)
{
    _Atomic uint64_t right = 0;
    struct job j = {.right = &right};
    bool destroyed = round & 1;
    jd_event_key key;
    jd_scope s;
    must(me, jd_event_create(me, THREADS + destroyed, &j.e));
    must(me, jd_event_get_key(me, j.e, &key));
    jdi_lock(&r->lock);
    r->key = key;
    jdi_unlock(&r->lock);
    must(me, jd_finish_begin(me, &s));
    for (uint64_t k = 0; k < TASKS; k++) {
        j.seed = (round * TASKS + k + 1) * 2 + destroyed;
        must(me, jd_async_local(me, WAITER, &j, sizeof j));
    }
    pthread_barrier_wait(&r->begin);
    if (destroyed) {
        must(me, jd_sleep(me, round % 8 * 1000));
        must(me, jd_event_destroy(me, j.e));
    }
    must(me, jd_finish_end(me, &s));
    pthread_barrier_wait(&r->begin);
    if (!destroyed)
        must(me, jd_event_destroy(me, j.e));
    *stale += jd_event_signal_key(key, 1) == JD_EINVAL;
    return atomic_load(&right);
}

/* ---- a signal that comes while a task begins to wait ----------------------------------- */

struct duel {
    jd_event_key key;
    _Atomic unsigned turn; /* the task is about to wait for the turn-th time */
};

static void *signal_at_once(void *arg)
{
    struct duel *d = arg;
    for (unsigned i = 1; i <= DUELS; i++) {
        for (unsigned spins = 1; atomic_load(&d->turn) < i; spins++)
            jdi_idle_pause(spins % 64 ? JDI_IDLE_SPIN : JDI_IDLE_YIELD);
        if (jd_event_signal_key(d->key, 1))
            abort();
    }
    return NULL;
}

/* How often the task has gone on: a signal that was lost leaves it waiting. */
static unsigned fight(jd_self *me)
{
    struct duel d = {.turn = 0};
    struct job j = {.seed = 1};
    pthread_t thread;
    unsigned right = 0;
    /* The time is read between the two looks at the event, which makes the gap larger. */
    jd_time far = jd_deadline(me, UINT64_C(3600000000000));
    must(me, jd_event_create(me, 1, &j.e));
    must(me, jd_event_get_key(me, j.e, &d.key));
    if (pthread_create(&thread, NULL, signal_at_once, &d))
        bail_out("no thread");
    for (unsigned i = 1; i <= DUELS; i++) {
        must(me, jd_event_reset(me, j.e, 1));
        atomic_store(&d.turn, i);
        for (unsigned n = jdi_random_below(&j.seed, 16); n; n--)
            jdi_idle_pause(JDI_IDLE_SPIN);
        right += !wait_once(me, &j, far);
    }
    pthread_join(thread, NULL);
    must(me, jd_event_destroy(me, j.e));
    return right;
}

static int body(jd_self *me, int argc, char **argv)
{
    struct ring r = {.refused = 0};
    pthread_t thread[THREADS];
    uint64_t right = 0, stale = 0;
    (void)argc, (void)argv;
    jdi_lock_init(&r.lock);
    if (pthread_barrier_init(&r.begin, NULL, THREADS + 1))
        bail_out("no barrier");
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, signal_all, &r))
            bail_out("no thread");
    for (uint64_t i = 0; i < ROUNDS; i++)
        right += play(me, &r, i, &stale);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    pthread_barrier_destroy(&r.begin);
    is_u64(right, ROUNDS * TASKS, "each task goes on, for the right reason");
    is_u64(atomic_load(&r.given) + atomic_load(&r.refused), ROUNDS * THREADS,
           "a signal is refused only where the event was destroyed");
    is_u64(stale, ROUNDS, "and always afterwards");
    is_u64(fight(me), DUELS, "no signal is lost while a task begins to wait");
    ok(jd_event_signal_key((jd_event_key){0}, 1) == JD_EINVAL,
       "what is no key is refused");
    return done_testing();
}

int main(int argc, char **argv)
{
    setenv("JACKDAW_RANKS", "1", 1);
    setenv("JACKDAW_WORKERS", "2", 1);
    /* Else the threads share the core of the worker that starts them. */
    setenv("JACKDAW_BIND", "none", 1);
    return jd_launch(argc, argv, body, tasks);
}
