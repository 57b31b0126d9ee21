/*
 * sched_deque_each_task_goes_to_one_taker.c
 *
 * Role: one owner pushes, takes, releases, takes back and grows while three thieves claim
 *       one, half or many, straight or not.  Each task is taken once, whole, and a thief gets tasks
 *       in the order in which they were pushed.
 * Owner: the owner's thread and three thieves; any of these writes `taken`.
 * See: sched/deque.h.
 */
#include "test/unit/sched_deque_kit.h"

#include <pthread.h>

enum { TASKS = 2000000 / KIT_SLOWER, THIEVES = 3, MANY = 50 };

struct game {
    struct jdi_deque deque;
    JDI_ALIGNED _Atomic bool over;
    struct kit_taken taken;
    JDI_ALIGNED _Atomic unsigned char times[TASKS + 1]; /* of `taken` */
    pthread_barrier_t start;
};

struct thief {
    struct game *g;
    pthread_t thread;
    uint64_t amount, got, sum, disorder;
    bool straight;
};

static void *steal(void *arg)
{
    struct thief *t = arg;
    struct game *g = t->g;
    struct jdi_claim c;
    pthread_barrier_wait(&g->start);
    for (;;) {
        bool over = atomic_load_explicit(&g->over, memory_order_acquire);
        if (!jdi_deque_claim(&g->deque, t->amount, MANY, t->straight, &c)) {
            if (over)
                return NULL;
            tap_breathe();
            continue;
        }
        uint64_t last = 0;
        for (uint64_t i = 0; i < c.n; i++) {
            uint64_t number = kit_number_of(jdi_claim_slot(&c, i));
            kit_take(&g->taken, number);
            t->disorder += number <= last;
            t->sum += number;
            last = number;
        }
        t->got += c.n;
        jdi_deque_finish(&g->deque, &c);
    }
}

/* The owner's life; the sum of what it took. */
static uint64_t own(struct game *g, uint64_t *got)
{
    struct jdi_deque *d = &g->deque;
    uint64_t rng = 12345, next = 1, sum = 0, number;
    while (next <= TASKS) {
        uint64_t dice = kit_random(&rng);
        for (uint64_t n = dice % 23; n > 0 && next <= TASKS; n--)
            kit_push(d, next++);
        if ((dice >> 8) % 3 == 0)
            jdi_deque_release(d, (jdi_deque_private(d) + 1) / 2);
        if ((dice >> 40) % 50 == 0) /* also where threads outnumber cores */
            tap_breathe();
        if ((dice >> 16) % 61 == 0)
            jdi_deque_reclaim(d);
        for (uint64_t n = (dice >> 24) % 21; n > 0 && (number = kit_pop(d));
             n--, ++*got) {
            kit_take(&g->taken, number);
            sum += number;
        }
    }
    for (; (number = kit_pop(d)); ++*got) {
        kit_take(&g->taken, number);
        sum += number;
    }
    return sum;
}

static void report(struct game *g, const struct thief *thief, uint64_t sum, uint64_t got)
{
    uint64_t disorder = 0;
    for (int i = 0; i < THIEVES; i++) {
        sum += thief[i].sum;
        got += thief[i].got;
        disorder += thief[i].disorder;
        diag("thief %d took %llu of %d", i, (unsigned long long)thief[i].got, TASKS);
    }
    kit_taken_once(&g->taken);
    is_u64(got, TASKS, "as many are taken as were pushed");
    is_u64(sum, (uint64_t)TASKS * (TASKS + 1) / 2, "their numbers add up");
    is_u64(disorder, 0, "a thief finds them in the order of their making");
    jdi_deque_check(&g->deque);
}

int main(void)
{
    struct game *g = jdi_zalloc(NULL, sizeof *g);
    struct thief thief[THIEVES] = {
        {.amount = 1}, {.amount = 0, .straight = true}, {.amount = 8, .straight = false}};
    uint64_t got = 0;
    if (!g)
        bail_out("no memory");
    g->taken.times = g->times;
    g->taken.most = TASKS;
    jdi_deque_init(&g->deque, KIT_SLOT, true, NULL);
    pthread_barrier_init(&g->start, NULL, THIEVES + 1);
    for (int i = 0; i < THIEVES; i++) {
        thief[i].g = g;
        if (pthread_create(&thief[i].thread, NULL, steal, &thief[i]))
            bail_out("no thread");
    }
    pthread_barrier_wait(&g->start);
    uint64_t sum = own(g, &got);
    atomic_store_explicit(&g->over, true, memory_order_release);
    for (int i = 0; i < THIEVES; i++)
        pthread_join(thief[i].thread, NULL);
    report(g, thief, sum, got);
    pthread_barrier_destroy(&g->start);
    jdi_deque_fini(&g->deque);
    jdi_free(g);
    return done_testing();
}
