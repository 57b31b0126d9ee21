/*
 * sched_waiting.c
 *
 * Role: a suspended task keeps its phase open, needs no worker, and goes on whoever resumes it;
 *       tasks yield.  Argument: how many tasks are suspended at once in the largest test, over
 *       all ranks.
 * Owner: the list owns a suspended task, then whoever takes the task off the list.
 * Invariants: I1 a handle is resumed on the rank that suspended it.
 * See: include/jackdaw.h, sched/self.c.
 */
#include "test/dist/sched_kit.h"

#include <pthread.h>
#include <sched.h>

enum { PARK, AGAIN, LIGHT, YIELD, WAKE, CIRCLE };
enum { LIGHTS = 50, PARKERS = 12, TIMES = 30, YIELDS = 200, ROUNDS = 20 };
enum { CIRCLES = 2, GIVE_UP_S = 20 };

/* A suspended task, on its own stack. */
struct parked {
    jd_self *me;
    struct parked *next;
    struct shared *s;
};

struct shared { /* of one rank */
    _Atomic(struct parked *) list;
    _Atomic uint64_t parked, resumed, done, lights, moved;
    _Atomic bool open, quit;
    pthread_t waker;
};

static struct shared *shared_of(jd_self *me)
{
    return jd_coll_local(jd_coll_mine(me));
}

static void publish(jd_self *me, void *arg)
{
    struct parked *p = arg;
    struct shared *s = p->s;
    p->me = me;
    p->next = atomic_load_explicit(&s->list, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(
        &s->list, &p->next, p, memory_order_release, memory_order_relaxed))
        ;
    /* From here on the task may run and p be gone. */
    atomic_fetch_add_explicit(&s->parked, 1, memory_order_relaxed);
}

/* Resume whatever is suspended here; any thread, `me` NULL where it runs no ULT. */
static unsigned resume_all(jd_self *me, struct shared *s)
{
    struct parked *p = atomic_exchange_explicit(&s->list, NULL, memory_order_acquire);
    unsigned n = 0;
    while (p) {
        struct parked *next = p->next;
        jd_resume(me, p->me);
        p = next;
        n++;
    }
    atomic_fetch_add_explicit(&s->resumed, n, memory_order_relaxed);
    return n;
}

/* ---- tasks ------------------------------------------------------------------------ */

static void park_once(jd_self *me, struct shared *s)
{
    struct parked p = {.s = s};
    unsigned worker = jd_worker(me);
    jd_coll *mine = jd_coll_mine(me);
    jd_suspend(me, publish, &p);
    if (worker != jd_worker(me) || mine != jd_coll_mine(me) || p.me != me)
        atomic_fetch_add_explicit(&s->moved, 1, memory_order_relaxed);
}

static void park(jd_self *me, void *arg)
{
    struct shared *s = shared_of(me);
    uint64_t number = *(uint64_t *)arg, copy = number;
    park_once(me, s);
    if (*(uint64_t *)arg != copy) /* the argument has to be there still */
        atomic_fetch_add_explicit(&s->moved, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&s->done, 1, memory_order_relaxed);
}

static void again(jd_self *me, void *arg)
{
    struct shared *s = shared_of(me);
    (void)arg;
    for (int i = 0; i < TIMES; i++)
        park_once(me, s);
    atomic_fetch_add_explicit(&s->done, 1, memory_order_relaxed);
}

static void light(jd_self *me, void *arg)
{
    (void)arg;
    atomic_fetch_add_explicit(&shared_of(me)->lights, 1, memory_order_relaxed);
}

/* Waits for the gate without giving its stack away. */
static void yield(jd_self *me, void *arg)
{
    struct shared *s = shared_of(me);
    (void)arg;
    while (!atomic_load_explicit(&s->open, memory_order_acquire))
        jd_yield(me);
    atomic_fetch_add_explicit(&s->done, 1, memory_order_relaxed);
}

/* Resumes others, on whatever worker it runs. */
static void wake(jd_self *me, void *arg)
{
    (void)arg;
    for (int i = 0; i < YIELDS && !resume_all(me, shared_of(me)); i++)
        jd_yield(me);
}

static void go_on(jd_self *me, void *arg)
{
    (void)arg;
    jd_resume(NULL, me);
}

/* Always ready: with another one like it they resume each other, for all the worker sees. */
static void circle(jd_self *me, void *arg)
{
    struct shared *s = shared_of(me);
    double end = jd_now(me) + GIVE_UP_S;
    (void)arg;
    while (!atomic_load_explicit(&s->open, memory_order_acquire) && jd_now(me) < end)
        jd_suspend(me, go_on, NULL);
    if (!atomic_load_explicit(&s->open, memory_order_acquire))
        atomic_fetch_add_explicit(&s->moved, 1, memory_order_relaxed);
}

static const jd_task_def tasks[] = {[PARK] = JD_TASK(park),
                                    [AGAIN] = JD_TASK(again),
                                    [LIGHT] = JD_TASK(light),
                                    [YIELD] = JD_TASK(yield),
                                    [WAKE] = JD_TASK(wake),
                                    [CIRCLE] = JD_TASK(circle),
                                    JD_TASK_END};

/* ---- what the tests have in common ------------------------------------------------- */

static void add(jd_self *me, jd_coll *c, jd_task task, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        must(me, jd_coll_add(me, c, task, &i, sizeof i));
}

static jd_coll *make(jd_self *me, struct shared *s)
{
    jd_coll *c = NULL;
    memset(s, 0, sizeof *s);
    must(me, jd_coll_create(me, &(jd_coll_props){.local = s}, &c));
    return c;
}

static void end(jd_self *me, jd_coll *c, struct shared *s)
{
    ok_all(me, !atomic_load(&s->moved), "each went on where it was, as it was");
    must(me, jd_coll_destroy(me, c));
}

static void *waker(void *arg)
{
    struct shared *s = arg;
    while (!atomic_load_explicit(&s->quit, memory_order_relaxed))
        if (!resume_all(NULL, s))
            sched_yield();
    return NULL;
}

static bool start_waker(struct shared *s)
{
    return !pthread_create(&s->waker, NULL, waker, s);
}

static void stop_waker(struct shared *s)
{
    atomic_store_explicit(&s->quit, true, memory_order_relaxed);
    pthread_join(s->waker, NULL);
}

/* Body: go on with reductions until `word` of all ranks adds up to `total`. */
static void until(jd_self *me, _Atomic uint64_t *word, uint64_t total)
{
    while (sum_of(me, atomic_load_explicit(word, memory_order_acquire)) < total)
        jd_yield(me);
}

/* ---- tests -------------------------------------------------------------------------- */

/* All else is over, but one task is suspended. */
static void test_phase_stays_open(jd_self *me, struct shared *s)
{
    jd_coll *c = make(me, s);
    uint64_t lights = LIGHTS * (uint64_t)jd_nranks(me);
    add(me, c, PARK, jd_rank(me) == 0);
    add(me, c, LIGHT, LIGHTS);
    must(me, jd_coll_start(me, c));
    until(me, &s->parked, 1);
    until(me, &s->lights, lights);
    bool open = true;
    for (int i = 0; i < ROUNDS; i++) {
        jd_coll_info info;
        must(me, jd_barrier(me));
        jd_yield(me);
        open = open && jd_coll_get_info(me, c, &info) == JD_ESTATE;
    }
    ok_all(me, open, "a suspended task keeps the phase open");
    resume_all(me, s);
    must(me, jd_coll_wait(me, c));
    ok_all(me, adds_up(me, c, lights + 1), "and ends it when resumed");
    end(me, c, s);
}

/* More tasks suspended than there are workers; resumed by the bodies. */
static void test_many_at_once(jd_self *me, struct shared *s, uint64_t total)
{
    jd_coll *c = make(me, s);
    add(me, c, PARK, jd_rank(me) == jd_nranks(me) - 1 ? total : 0);
    must(me, jd_coll_start(me, c));
    until(me, &s->parked, total);
    ok_all(me, atomic_load(&s->done) == 0, "%llu tasks suspended at once",
           (unsigned long long)total);
    resume_all(me, s);
    must(me, jd_coll_wait(me, c));
    ok_all(me, adds_up(me, c, total) && sum_of(me, atomic_load(&s->done)) == total,
           "all of them ended");
    end(me, c, s);
}

/* Tasks resume tasks, on other workers too; the bodies help where there are no wakers. */
static void test_resumed_by_tasks(jd_self *me, struct shared *s)
{
    jd_coll *c = make(me, s);
    uint64_t total = PARKERS * (uint64_t)jd_nranks(me);
    for (int i = 0; i < PARKERS; i++) {
        add(me, c, WAKE, 1);
        add(me, c, PARK, 1);
    }
    must(me, jd_coll_start(me, c));
    while (sum_of(me, atomic_load(&s->done)) < total) {
        jd_yield(me);
        resume_all(me, s);
    }
    must(me, jd_coll_wait(me, c));
    ok_all(me, adds_up(me, c, 2 * total), "tasks resumed by tasks");
    end(me, c, s);
}

/* A thread that is nobody's worker resumes at once: perhaps before the jump has ended. */
static void test_foreign_thread(jd_self *me, struct shared *s)
{
    jd_coll *c = make(me, s);
    uint64_t total = PARKERS * (uint64_t)jd_nranks(me);
    add(me, c, AGAIN, PARKERS);
    if (!start_waker(s))
        jd_abort(me, 99, "no thread");
    must(me, jd_coll_process(me, c));
    stop_waker(s);
    ok_all(me, adds_up(me, c, total), "tasks resumed by a thread of the program");
    uint64_t parked = sum_of(me, atomic_load(&s->parked));
    ok_all(me, parked == total * TIMES && sum_of(me, atomic_load(&s->resumed)) == parked,
           "each as often as it was suspended");
    end(me, c, s);
}

/* The body suspends like a task. */
static void test_body_suspends(jd_self *me, struct shared *s)
{
    jd_coll *c = make(me, s);
    if (!start_waker(s))
        jd_abort(me, 99, "no thread");
    struct parked p = {.s = s};
    for (int i = 0; i < TIMES; i++)
        jd_suspend(me, publish, &p);
    stop_waker(s);
    ok_all(me, atomic_load(&s->resumed) == TIMES, "the body suspends and goes on");
    end(me, c, s);
}

/* Tasks that yield in circles let the tasks behind them run, and the network. */
static void test_yield(jd_self *me, struct shared *s)
{
    jd_coll *c = make(me, s);
    uint64_t lights = LIGHTS * (uint64_t)jd_nranks(me), each = 2 + jd_nworkers(me);
    add(me, c, LIGHT, LIGHTS);
    add(me, c, YIELD, each); /* last in, first run */
    must(me, jd_coll_start(me, c));
    until(me, &s->lights, lights);
    ok_all(me, true, "tasks that yield let other tasks run");
    for (int i = 0; i < ROUNDS; i++)
        must(me, jd_barrier(me));
    ok_all(me, true, "and barriers");
    atomic_store_explicit(&s->open, true, memory_order_release);
    must(me, jd_coll_wait(me, c));
    ok_all(me, adds_up(me, c, lights + sum_of(me, each)), "and all of it ends");
    end(me, c, s);
}

/* Tasks that resume each other for ever let the network through: another collection ends,
 * which takes messages, and tasks of this rank run. */
static void test_circles(jd_self *me, struct shared *s)
{
    jd_coll *c = make(me, s), *other = NULL;
    must(me, jd_coll_create(me, &(jd_coll_props){.local = s}, &other));
    add(me, c, CIRCLE, CIRCLES);
    add(me, other, LIGHT, LIGHTS);
    must(me, jd_coll_start(me, c));
    must(me, jd_coll_process(me, other));
    atomic_store_explicit(&s->open, true, memory_order_release);
    must(me, jd_coll_wait(me, c));
    ok_all(me, adds_up(me, other, LIGHTS * (uint64_t)jd_nranks(me)),
           "tasks that resume each other let others run, and the network");
    must(me, jd_coll_destroy(me, other));
    end(me, c, s);
}

static int body(jd_self *me, int argc, char **argv)
{
    struct shared s;
    test_phase_stays_open(me, &s);
    test_many_at_once(me, &s, argc > 1 ? (uint64_t)atol(argv[1]) : 300);
    test_resumed_by_tasks(me, &s);
    test_foreign_thread(me, &s);
    test_body_suspends(me, &s);
    test_yield(me, &s);
    test_circles(me, &s);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
