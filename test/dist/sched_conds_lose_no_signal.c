/*
 * sched_conds_lose_no_signal.c
 *
 * Role: items go through a bounded queue made of a mutex and two conditions, with one signal each, from
 *       several producers to several consumers.  Half of them wait with deadlines, and again: a wait that has timed
 *       out uses up no signal, or a producer or consumer would wait for ever.  Argument: how many items each.
 * Owner: the queue's fields are plain, and belong to who has the mutex.
 * See: doc/waiting.md "Conditions".
 */
#include "core/random.h"
#include "test/dist/sched_kit.h"

enum { PRODUCE, CONSUME };
enum { EACH = 4, ROOM = 2, SOON_NS = 3000 };

struct queue {
    jd_mutex mutex;
    jd_cond not_full, not_empty;
    unsigned n, capacity;
    uint64_t item[ROOM];
    uint64_t items, sum; /* each one's part; of what has come out */
};

struct job {
    struct queue *q;
    uint64_t i;
};

/* The first two of each kind wait for ever. */
static jd_time until(jd_self *me, uint64_t i, uint64_t *rng)
{
    return i < EACH / 2 ? JD_FOREVER : jd_deadline(me, jdi_random_below(rng, SOON_NS));
}

static void wait_while(jd_self *me, const struct job *j, jd_cond *c, unsigned n,
                       uint64_t *rng)
{
    while (j->q->n == n) {
        int error = jd_cond_wait(me, c, &j->q->mutex, until(me, j->i, rng));
        if (error != JD_ETIMEDOUT)
            must(me, error);
    }
}

static void produce(jd_self *me, void *arg)
{
    const struct job j = *(struct job *)arg;
    struct queue *q = j.q;
    uint64_t rng = j.i + 1;
    for (uint64_t k = 0; k < q->items; k++) {
        must(me, jd_mutex_lock(me, &q->mutex, JD_FOREVER));
        wait_while(me, &j, &q->not_full, q->capacity, &rng);
        q->item[q->n++] = j.i * q->items + k;
        must(me, jd_mutex_unlock(me, &q->mutex));
        jd_cond_signal(me, &q->not_empty);
    }
}

static void consume(jd_self *me, void *arg)
{
    const struct job j = *(struct job *)arg;
    struct queue *q = j.q;
    uint64_t rng = j.i + EACH + 1;
    for (uint64_t k = 0; k < q->items; k++) {
        must(me, jd_mutex_lock(me, &q->mutex, JD_FOREVER));
        wait_while(me, &j, &q->not_empty, 0, &rng);
        q->sum += q->item[--q->n];
        jd_cond_signal(me, &q->not_full);
        must(me, jd_mutex_unlock(me, &q->mutex));
    }
}

static const jd_task_def tasks[] = {
    [PRODUCE] = JD_TASK(produce), [CONSUME] = JD_TASK(consume), JD_TASK_END};

static int body(jd_self *me, int argc, char **argv)
{
    uint64_t items = argc > 1 ? (uint64_t)atol(argv[1]) : 200;
    for (unsigned capacity = 1; capacity <= ROOM; capacity++) {
        struct queue q = {.mutex = JD_MUTEX_INIT,
                          .not_full = JD_COND_INIT,
                          .not_empty = JD_COND_INIT,
                          .capacity = capacity,
                          .items = items};
        uint64_t all = items * EACH;
        jd_scope s;
        must(me, jd_finish_begin(me, &s));
        for (uint64_t i = 0; i < EACH; i++) {
            struct job j = {&q, i};
            must(me, jd_async_local(me, CONSUME, &j, sizeof j));
            must(me, jd_async_local(me, PRODUCE, &j, sizeof j));
        }
        must(me, jd_finish_end(me, &s));
        ok_all(me, !q.n && q.sum == all * (all - 1) / 2,
               "every item comes out of a queue for %u", capacity);
    }
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
