/*
 * sched_mutexes_exclude_tasks.c
 *
 * Role: a torture by seed: tasks lock a few mutexes with deadlines of every kind, and put items into and
 *       get them out of bounded queues that these and two conditions protect, until the queues are
 *       closed or the finish is cancelled.  One task at a time is inside, each wait on a condition ends inside,
 *       and every item that was put is in its queue or was got, once.  Arguments: how many rounds, the first seed.
 * Owner: a queue's fields are plain, and belong to who has its mutex.
 * See: doc/waiting.md "Mutexes", "Conditions".
 */
#include "core/random.h"
#include "test/dist/sched_kit.h"

enum { PLAYER, STOPPER };
enum { QUEUES = 3, PLAYERS = 16, MOVES = 40, ROOM = 3, SOON_NS = 30000, END_NS = 300000 };

struct queue {
    jd_mutex mutex;
    jd_cond not_full, not_empty;
    bool inside, closed;
    unsigned n, capacity;
    uint64_t item[ROOM];
};

struct game {
    struct queue queue[QUEUES];
    unsigned nqueues;
    uint64_t seed;
    _Atomic uint64_t moves, locked, waited, wrong;
    uint8_t put[PLAYERS * MOVES]; /* each has one writer */
    _Atomic uint8_t got[PLAYERS * MOVES];
};

static void count(_Atomic uint64_t *word)
{
    atomic_fetch_add_explicit(word, 1, memory_order_relaxed);
}

static jd_time some_deadline(jd_self *me, uint64_t *rng)
{
    switch (jdi_random_below(rng, 4)) {
    case 0:
        return JD_NOW;
    case 1:
        return JD_FOREVER;
    default:
        return jd_deadline(me, jdi_random_below(rng, SOON_NS));
    }
}

/* Begin and end being inside.  Plain accesses: the thread sanitizer sees them too. */
static void go_in(struct game *g, struct queue *q)
{
    if (q->inside)
        count(&g->wrong);
    q->inside = true;
    count(&g->locked);
}

static void go_out(struct game *g, struct queue *q)
{
    if (!q->inside)
        count(&g->wrong);
    q->inside = false;
}

/* Waits with the mutex: on another worker than before, perhaps. */
static void linger(jd_self *me, uint64_t *rng)
{
    switch (jdi_random_below(rng, 6)) {
    case 0:
        jd_yield(me);
        break;
    case 1:
        (void)jd_sleep(me, jdi_random_below(rng, 2000));
        break;
    case 2:
        jd_compute(me, jdi_random_below(rng, 1000));
        break;
    }
}

static int wait_in(jd_self *me, struct game *g, struct queue *q, jd_cond *c, jd_time by)
{
    go_out(g, q);
    int error = jd_cond_wait(me, c, &q->mutex, by);
    go_in(g, q);
    count(&g->waited);
    return error;
}

static void wake_some(jd_self *me, jd_cond *c, uint64_t *rng)
{
    if (jdi_random_below(rng, 4))
        jd_cond_signal(me, c);
    else
        jd_cond_broadcast(me, c);
}

static int put_item(jd_self *me, struct game *g, struct queue *q, uint64_t item,
                    jd_time by)
{
    int error = 0;
    while (!error && !q->closed && q->n == q->capacity)
        error = wait_in(me, g, q, &q->not_full, by);
    if (error || q->closed)
        return error ? error : JD_ECLOSED;
    q->item[q->n++] = item;
    g->put[item] = 1;
    return 0;
}

static int get_item(jd_self *me, struct game *g, struct queue *q, jd_time by)
{
    int error = 0;
    while (!error && !q->closed && !q->n)
        error = wait_in(me, g, q, &q->not_empty, by);
    if (error || !q->n)
        return error ? error : JD_ECLOSED;
    atomic_fetch_add(&g->got[q->item[--q->n]], 1);
    return 0;
}

static int move(jd_self *me, struct game *g, uint64_t item, uint64_t *rng)
{
    struct queue *q = &g->queue[jdi_random_below(rng, g->nqueues)];
    uint64_t kind = jdi_random_below(rng, 3);
    int error = jd_mutex_lock(me, &q->mutex, some_deadline(me, rng));
    if (error)
        return error;
    go_in(g, q);
    linger(me, rng);
    if (kind < 2)
        error = kind ? put_item(me, g, q, item, some_deadline(me, rng))
                     : get_item(me, g, q, some_deadline(me, rng));
    bool under = jdi_random_below(rng, 2);
    jd_cond *c = kind ? &q->not_empty : &q->not_full;
    if (under)
        wake_some(me, c, rng);
    go_out(g, q);
    must(me, jd_mutex_unlock(me, &q->mutex));
    if (!under)
        wake_some(me, c, rng);
    return error;
}

static void player(jd_self *me, void *arg)
{
    struct game *g = jd_local(me);
    uint64_t k = *(uint64_t *)arg, rng = g->seed * PLAYERS + k + 1;
    int error = 0;
    for (uint64_t i = 0; i < MOVES && (!error || error == JD_ETIMEDOUT); i++) {
        error = move(me, g, k * MOVES + i, &rng);
        count(&g->moves);
        if (jdi_random_below(&rng, 8) == 0)
            jd_compute(me, jdi_random_below(&rng, 2000));
    }
    if (error && error != JD_ETIMEDOUT && error != JD_ECANCELED && error != JD_ECLOSED)
        jd_abort(me, 99, "a move ends with: %s", jd_strerror(error));
}

/* Ends those that wait for ever. */
static void stopper(jd_self *me, void *arg)
{
    struct game *g = jd_local(me);
    uint64_t rng = *(uint64_t *)arg;
    must(me, jd_sleep(me, jdi_random_below(&rng, END_NS)));
    if (jdi_random_below(&rng, 2)) {
        must(me, jd_cancel(me, jd_finish_mine(me)));
        return;
    }
    for (unsigned i = 0; i < g->nqueues; i++) {
        struct queue *q = &g->queue[i];
        must(me, jd_mutex_lock(me, &q->mutex, JD_FOREVER));
        go_in(g, q);
        q->closed = true;
        jd_cond_broadcast(me, &q->not_full);
        go_out(g, q);
        must(me, jd_mutex_unlock(me, &q->mutex));
        jd_cond_broadcast(me, &q->not_empty);
    }
}

static const jd_task_def tasks[] = {
    [PLAYER] = JD_TASK(player), [STOPPER] = JD_TASK(stopper), JD_TASK_END};

/* Nobody has the mutex, nobody waits, and what is inside was not got. */
static bool settled(jd_self *me, struct game *g, struct queue *q)
{
    bool right = !jd_mutex_lock(me, &q->mutex, JD_NOW) && !q->inside;
    while (q->n)
        atomic_fetch_add(&g->got[q->item[--q->n]], 1);
    return right && !jd_mutex_unlock(me, &q->mutex);
}

/* Play one game; true if one was inside at a time, and every item is accounted for. */
static bool play(jd_self *me, struct game *g, uint64_t seed)
{
    uint64_t rng = (seed + 1) * UINT64_C(0x9E3779B97F4A7C15);
    jd_scope s;
    memset(g, 0, sizeof *g); /* JD_MUTEX_INIT, JD_COND_INIT */
    g->seed = seed;
    g->nqueues = 1 + jdi_random_below(&rng, QUEUES);
    for (unsigned i = 0; i < g->nqueues; i++)
        g->queue[i].capacity = 1 + jdi_random_below(&rng, ROOM);
    must(me, jd_finish_begin(me, &s));
    must(me, jd_async_local(me, STOPPER, &rng, sizeof rng));
    for (uint64_t k = 0, n = 2 + jdi_random_below(&rng, PLAYERS - 1); k < n; k++)
        must(me, jd_async_local(me, PLAYER, &k, sizeof k));
    int error = jd_finish_end(me, &s);
    bool right = !error || error == JD_ECANCELED;
    for (unsigned i = 0; i < g->nqueues; i++)
        right = settled(me, g, &g->queue[i]) && right;
    for (int i = 0; i < PLAYERS * MOVES; i++)
        right = right && g->put[i] == atomic_load(&g->got[i]);
    return right && !atomic_load(&g->wrong);
}

static int body(jd_self *me, int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 30, seed = argc > 2 ? atol(argv[2]) : 1;
    uint64_t moves = 0, locked = 0, waited = 0;
    bool right = true;
    struct game *g = malloc(sizeof *g);
    if (!g)
        jd_abort(me, 99, "no memory");
    jd_set_local(me, g);
    must(me, jd_barrier(me));
    for (long i = 0; i < rounds && right; i++) {
        right = play(me, g, (uint64_t)(seed + i) * jd_nranks(me) + jd_rank(me));
        moves += atomic_load(&g->moves);
        locked += atomic_load(&g->locked) - atomic_load(&g->waited);
        waited += atomic_load(&g->waited);
        if (!right)
            fprintf(stderr, "# rank %u: wrong with seed %ld\n", jd_rank(me), seed + i);
    }
    moves = sum_of(me, moves), locked = sum_of(me, locked), waited = sum_of(me, waited);
    ok_all(me, right, "one task at a time is inside, and items are conserved");
    ok_all(me, locked > 0 && locked < moves && waited > 0,
           "%llu moves: %llu got their mutex, %llu waits for a condition",
           (unsigned long long)moves, (unsigned long long)locked,
           (unsigned long long)waited);
    must(me, jd_barrier(me));
    free(g);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
