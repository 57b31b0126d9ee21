/*
 * sched_deque_pried_tasks_go_to_one_taker.c
 *
 * Role: an owner keeps one to four tasks, opens none, and pops them again at once or after a while,
 *       while three thieves pry and claim.  Each task is taken once, and whole; so are those that
 *       their maker writes only after they were published (drafts).
 * Owner: the owner's thread and three thieves; any of these writes `taken`.
 * See: sched/deque.h "Pry"; test/models/pry.pml.
 */
#include "test/unit/sched_deque_kit.h"

#include <pthread.h>

enum { TASKS = 6000000 / KIT_SLOWER, THIEVES = 3 };

struct game {
    struct jdi_deque deque;
    JDI_ALIGNED _Atomic bool over;
    _Atomic bool may;
    struct kit_taken taken;
    JDI_ALIGNED _Atomic unsigned char times[TASKS + 1]; /* of `taken` */
    _Atomic uint64_t pried;
};

static void *steal(void *arg)
{
    struct game *g = arg;
    struct jdi_claim c;
    while (!atomic_load_explicit(&g->over, memory_order_acquire)) {
        if (!jdi_deque_private(&g->deque) || !jdi_deque_pry(&g->deque, &g->may) ||
            !jdi_deque_claim(&g->deque, 0, 4, false, &c)) {
            tap_breathe();
            continue;
        }
        atomic_fetch_add_explicit(&g->pried, 1, memory_order_relaxed);
        for (uint64_t i = 0; i < c.n; i++)
            kit_take(&g->taken, kit_number_of(jdi_claim_slot(&c, i)));
        jdi_deque_finish(&g->deque, &c);
    }
    return NULL;
}

static void compute(uint64_t rounds)
{
    for (volatile uint64_t i = 0; i < rounds; i++) {
    }
}

/* A task whose maker writes it after it was published. */
static void draft(struct game *g, uint64_t number, uint64_t late)
{
    struct jdi_deque *d = &g->deque;
    struct jdi_task *t = jdi_deque_push(d);
    if (!t)
        bail_out("no memory for a slot");
    atomic_store_explicit(&d->draft, jdi_deque_head(d) + 1, memory_order_relaxed);
    jdi_deque_pushed(d);
    compute(late);
    kit_number(t, number);
}

/* The owner's life; how many it took. */
static uint64_t own(struct game *g)
{
    struct jdi_deque *d = &g->deque;
    uint64_t rng = 4711, next = 1, got = 0, number;
    while (next <= TASKS) {
        uint64_t dice = kit_random(&rng);
        for (uint64_t n = 1 + dice % 4; n > 0 && next <= TASKS; n--) {
            if ((dice >> (8 + n)) % 8 == 0)
                draft(g, next++, (dice >> 16) % 64);
            else
                kit_push(d, next++);
        }
        if ((dice >> 24) % 4 == 0)
            compute((dice >> 32) % 2000);
        if ((dice >> 28) % 16 == 0 && jdi_deque_pop(d))
            jdi_deque_unpop(d);
        for (uint64_t n = (dice >> 40) % 6; n > 0 && (number = kit_pop(d)); n--, got++)
            kit_take(&g->taken, number);
    }
    for (; (number = kit_pop(d)); got++)
        kit_take(&g->taken, number);
    return got;
}

static void report(struct game *g, uint64_t got)
{
    kit_taken_once(&g->taken);
    ok(got < TASKS, "thieves took %llu in %llu takes", (unsigned long long)(TASKS - got),
       (unsigned long long)atomic_load(&g->pried));
    jdi_deque_check(&g->deque);
}

static void test_many(void)
{
    struct game *g = jdi_zalloc(NULL, sizeof *g);
    pthread_t thief[THIEVES];
    if (!g)
        bail_out("no memory");
    atomic_store_explicit(&g->may, true, memory_order_relaxed);
    g->taken.times = g->times;
    g->taken.most = TASKS;
    jdi_deque_init(&g->deque, KIT_SLOT, true, NULL);
    for (int i = 0; i < THIEVES; i++)
        if (pthread_create(&thief[i], NULL, steal, g))
            bail_out("no thread");
    uint64_t got = own(g);
    atomic_store_explicit(&g->over, true, memory_order_release);
    for (int i = 0; i < THIEVES; i++)
        pthread_join(thief[i], NULL);
    report(g, got);
    jdi_deque_fini(&g->deque);
    jdi_free(g);
}

/* What a pry opens while the owner does nothing. */
static void test_one(void)
{
    struct jdi_deque d;
    _Atomic bool may = false;
    jdi_deque_init(&d, KIT_SLOT, true, NULL);
    ok(!jdi_deque_pry(&d, &may), "nothing is there");
    kit_push(&d, 1);
    ok(!jdi_deque_pry(&d, &may) && jdi_deque_private(&d) == 1, "it must not be opened");
    atomic_store_explicit(&may, true, memory_order_relaxed);
    ok(jdi_deque_pry(&d, &may) && jdi_deque_open(&d) == 1, "a single task is opened");
    for (uint64_t i = 2; i <= 4; i++)
        kit_push(&d, i);
    ok(jdi_deque_pry(&d, &may) && jdi_deque_open(&d) == 1,
       "no more if something is open");
    ok(kit_pop(&d) == 4 && kit_pop(&d) == 3 && kit_pop(&d) == 2 && kit_pop(&d) == 1,
       "the owner has them all");
    struct jdi_task *t = jdi_deque_push(&d);
    ok(t && !jdi_deque_pry(&d, &may), "what is not published is not there");
    atomic_store_explicit(&d.draft, jdi_deque_head(&d) + 1, memory_order_relaxed);
    jdi_deque_pushed(&d);
    ok(!jdi_deque_pry(&d, &may), "nor is a draft");
    kit_number(t, 5);
    kit_push(&d, 6);
    ok(jdi_deque_pry(&d, &may) && jdi_deque_open(&d) == 1, "until the next push");
    jdi_deque_fini(&d);
}

int main(void)
{
    if (!jdi_fence_start())
        skip_all("this kernel has no membarrier");
    test_one();
    test_many();
    return done_testing();
}
