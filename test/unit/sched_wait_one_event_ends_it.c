/*
 * sched_wait_one_event_ends_it.c
 *
 * Role: threads of the program, deadlines and cancellations race for the same waits.  Each wait ends
 *       once, by whoever has claimed it, and returns what that one says.
 * Owner: a slot's lock protects the wait that lies in the slot, as the lock of a queue would.
 * Invariants: I1 to I3 of sched/wait/wait.h.
 * See: doc/waiting.md "A wait".
 */
#include "core/random.h"
#include "sched/wait/wait.h"
#include "test/dist/sched_kit.h"

#include <pthread.h>
#include <sched.h>

enum { WAITER, CANCEL };
enum { WAITERS = 8, ROUNDS = 300, CYCLES = 8, THREADS = 2, DONE = 7, DELAY_NS = 40000 };

static struct slot {
    struct jdi_lock lock;
    struct jdi_wait *wait;
} slot[WAITERS];
static _Atomic uint64_t ended, done, timed_out, cancelled, strange, waits;
static _Atomic bool quit;

static void *completer(void *arg)
{
    uint64_t rng = 1 + (uintptr_t)arg;
    while (!atomic_load_explicit(&quit, memory_order_relaxed)) {
        struct slot *s = &slot[jdi_random_below(&rng, WAITERS)];
        jdi_lock(&s->lock);
        struct jdi_wait *w = s->wait;
        bool mine = w && jdi_wait_claim(w);
        if (mine)
            s->wait = NULL;
        jdi_unlock(&s->lock);
        if (mine) {
            atomic_fetch_add_explicit(&ended, 1, memory_order_relaxed);
            jdi_wait_end(NULL, w, DONE);
        }
        if (jdi_random_below(&rng, 8) == 0)
            sched_yield();
    }
    return NULL;
}

static void count_end(int result)
{
    _Atomic uint64_t *word = result == DONE           ? &done
                             : result == JD_ETIMEDOUT ? &timed_out
                             : result == JD_ECANCELED ? &cancelled
                                                      : &strange;
    atomic_fetch_add_explicit(word, 1, memory_order_relaxed);
}

static int wait_once(jd_self *me, struct slot *s, jd_time deadline)
{
    struct jdi_wait w;
    int error = jdi_wait_open(&w, me, deadline);
    if (error)
        return error;
    jdi_lock(&s->lock);
    s->wait = &w;
    jdi_unlock(&s->lock);
    int result = jdi_wait_park(
        &w, &(struct jdi_cause){.kind = JDI_CAUSE_EVENT, .deadline = deadline});
    jdi_lock(&s->lock);
    s->wait = NULL; /* if neither of the threads has taken it out */
    jdi_unlock(&s->lock);
    return result;
}

static void waiter(jd_self *me, void *arg)
{
    uint64_t k = *(uint64_t *)arg, rng = k + 1;
    int result = 0;
    for (int i = 0; i < ROUNDS && result != JD_ECANCELED; i++) {
        uint64_t ns = jdi_random_below(&rng, DELAY_NS);
        bool ever = jdi_random_below(&rng, 4) == 0;
        result = wait_once(me, &slot[k], ever ? JD_FOREVER : jd_deadline(me, ns));
        count_end(result);
        atomic_fetch_add_explicit(&waits, 1, memory_order_relaxed);
    }
}

static void cancel_task(jd_self *me, void *arg)
{
    must(me, jd_sleep(me, *(uint64_t *)arg));
    must(me, jd_cancel(me, jd_finish_mine(me)));
}

static const jd_task_def tasks[] = {
    [WAITER] = JD_TASK(waiter), [CANCEL] = JD_TASK(cancel_task), JD_TASK_END};

static void all_tasks(jd_self *me, void *arg)
{
    uint64_t ns = (1 + *(uint64_t *)arg) * 1000000;
    for (uint64_t i = 0; i < WAITERS; i++)
        must(me, jd_async_local(me, WAITER, &i, sizeof i));
    must(me, jd_async_local(me, CANCEL, &ns, sizeof ns));
}

static int body(jd_self *me, int argc, char **argv)
{
    pthread_t thread[THREADS];
    bool right = true;
    (void)argc, (void)argv;
    for (uintptr_t i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, completer, (void *)i)) // NOLINT
            bail_out("no thread");
    for (uint64_t i = 0; i < CYCLES; i++)
        right = jd_finish(me, all_tasks, &i) == JD_ECANCELED && right;
    atomic_store(&quit, true);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    ok(right, "each finish was cancelled");
    is_u64(atomic_load(&done), atomic_load(&ended),
           "as many waits were completed as threads have claimed");
    is_u64(atomic_load(&done) + atomic_load(&timed_out) + atomic_load(&cancelled),
           atomic_load(&waits),
           "the others have timed out (%llu) or were cancelled (%llu)",
           (unsigned long long)atomic_load(&timed_out),
           (unsigned long long)atomic_load(&cancelled));
    ok(atomic_load(&done) && atomic_load(&timed_out) && atomic_load(&cancelled),
       "each of the three has happened");
    is_u64(atomic_load(&strange), 0, "no wait ends in another way");
    return done_testing();
}

int main(int argc, char **argv)
{
    for (int i = 0; i < WAITERS; i++)
        jdi_lock_init(&slot[i].lock);
    setenv("JACKDAW_RANKS", "1", 1);
    setenv("JACKDAW_WORKERS", "2", 1);
    return jd_launch(argc, argv, body, tasks);
}
