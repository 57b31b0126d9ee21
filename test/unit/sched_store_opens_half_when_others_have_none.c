/*
 * sched_store_opens_half_when_others_have_none.c
 *
 * Role: a pushed task is private until the next push or pop finds that others have nothing to take;
 *       then half of the tasks are opened.  No task is open before the store is.  A neighbour takes
 *       the oldest tasks.  Tasks that arrive are opened at once if the shelf's owner runs none.
 * Owner: one thread plays all owners.
 * See: sched/store.h; doc/transfer.md.
 */
#include "test/unit/sched_rank_kit.h"

enum { WORKERS = 3 };

struct world {
    struct kit_rank kit;
    jd_coll *coll;
};

static void open_world(struct world *w, uint32_t nranks)
{
    kit_rank_init(&w->kit, 0, nranks, WORKERS);
    if (jdi_coll_new(&w->kit.rank, &jdi_plain_kind, NULL, &w->coll))
        bail_out("no collection");
}

static struct jdi_shelf *shelf(const struct world *w, unsigned owner)
{
    return &w->coll->seat[owner].shelf;
}

static void push(struct world *w, unsigned owner, uint64_t id)
{
    struct jdi_task *t = jdi_store_push(shelf(w, owner));
    if (!t)
        bail_out("no memory");
    *t = (struct jdi_task){.id = id};
    jdi_store_put(shelf(w, owner));
}

static uint64_t pop(struct world *w, unsigned owner)
{
    const struct jdi_task *t = jdi_store_pop(shelf(w, owner));
    uint64_t id = t ? t->id : 0;
    if (t)
        jdi_store_popped(shelf(w, owner));
    return id;
}

static uint64_t movable(const struct world *w)
{
    return jdi_store_movable(&w->coll->store);
}

static void test_pushes_open_half(struct world *w)
{
    push(w, 0, 1);
    push(w, 0, 2);
    push(w, 0, 3);
    is_u64(movable(w), 0, "nothing is open before the store is");
    jdi_store_open(&w->coll->store, true);
    push(w, 0, 4);
    is_u64(movable(w), 2, "the next push opens half of what was there, rounded up");
    push(w, 0, 5);
    is_u64(movable(w), 2, "and no more while others have something to take");
    ok(jdi_store_local(&w->coll->store) && jdi_store_private(shelf(w, 0)) == 3,
       "the rest is the owner's");
}

static void test_neighbours_take_the_oldest(struct world *w)
{
    uint64_t rng = 1;
    struct jdi_store_take got = jdi_store_take(shelf(w, 1), &rng, 0);
    ok(got.n == 1 && got.more,
       "a neighbour takes half of what is open, and says that there is more");
    is_u64(jdi_store_youngest(shelf(w, 1), 0)->id, 1, "the oldest first");
    got = jdi_store_take(shelf(w, 1), &rng, 0);
    ok(got.n == 1 && got.more && movable(w) == 0,
       "then the last, and says that the owner has more");
    got = jdi_store_take(shelf(w, 1), &rng, 0);
    is_u64(got.n ? 0 : got.vain, WORKERS,
           "nothing is open: each other shelf was looked at");
    is_u64(pop(w, 0), 5, "the owner pops the youngest");
    is_u64(movable(w), 1, "and opens half of the rest, since others have nothing again");
    jdi_store_arrived(shelf(w, 1), 2);
    is_u64(movable(w), 2, "of what arrived at a worker half is open too");
}

static void test_arrivals_at_the_communication_thread(struct world *w)
{
    uint64_t before = movable(w);
    struct jdi_shelf *s = shelf(w, WORKERS);
    if (jdi_store_reserve(s, 3))
        bail_out("no memory");
    for (uint64_t i = 0; i < 3; i++)
        *jdi_store_land(s) = (struct jdi_task){.id = 100 + i};
    is_u64(movable(w), before, "what has landed is not open before it is complete");
    jdi_store_arrived(s, 3);
    is_u64(movable(w), before + 3, "then all of it is: its owner runs nothing");
}

static void test_claims_for_another_rank(struct world *w)
{
    uint64_t rng = 7, before = movable(w), claimed = 0;
    struct jdi_claim c;
    while (jdi_store_claim(&w->coll->store, &rng, 0, UINT64_MAX, &c)) {
        claimed += c.n;
        jdi_store_finish(&c);
    }
    is_u64(claimed, before, "another rank can have all that is open");
    is_u64(movable(w), 0, "and then nothing is");
    jdi_store_check(&w->coll->store);
}

/* Tasks 1, 2, ... as they are visited; the number that was visited. */
static int visit(void *ctx, const struct jdi_task *t)
{
    uint64_t *n = ctx;
    return t->id == ++*n ? 0 : -1;
}

static void test_each_and_alone(struct world *w)
{
    uint64_t n = 0;
    jdi_store_open(&w->coll->store, true);
    for (uint64_t i = 1; i <= 20; i++)
        push(w, 2, i);
    ok(jdi_store_each(shelf(w, 2), visit, &n) == 0 && n == 20,
       "a visit meets what is open and what is private, oldest first");
    for (uint64_t i = 20; i > 0; i--)
        if (pop(w, 2) != i)
            fail("task %llu is not the youngest", (unsigned long long)i);
    ok(pop(w, 2) == 0 && !jdi_store_has_own(shelf(w, 2)), "all can be popped again");
}

static void test_puts_open_for_who_waits(struct world *w)
{
    uint64_t rng = 3;
    struct jdi_shelf *s = shelf(w, 0);
    struct jdi_claim c;
    for (unsigned owner = 0; owner < WORKERS; owner++)
        while (pop(w, owner))
            continue;
    while (jdi_store_claim(&w->coll->store, &rng, 0, UINT64_MAX, &c))
        jdi_store_finish(&c);
    push(w, 0, 1);
    is_u64(movable(w), 0, "a single task stays the owner's while nobody waits");
    (void)pop(w, 0);
    atomic_store_explicit(&w->kit.rank.hungry, 1, memory_order_relaxed);
    push(w, 0, 2);
    is_u64(movable(w), 1, "it is opened at once for a hungry neighbour");
    is_u64(pop(w, 0), 2, "which may be too late");
    w->kit.worker[0].is_hungry = true;
    push(w, 0, 3);
    is_u64(movable(w), 0, "the owner's own hunger does not count");
    w->kit.worker[0].is_hungry = false;
    atomic_store_explicit(&w->kit.rank.hungry, 0, memory_order_relaxed);
    ok(!jdi_store_pry(&w->coll->store, shelf(w, 1), 1000),
       "a first look only takes note");
    ok(!jdi_store_pry(&w->coll->store, shelf(w, 1), 1000 + JDI_STORE_LONG_NS - 1),
       "nor does one that is soon after");
    ok(jdi_store_hides(&w->coll->store, shelf(w, 1)) &&
           !jdi_store_hides(&w->coll->store, s),
       "something is hidden, for all but the owner");
    ok(!w->coll->store.pries ||
           (jdi_store_pry(&w->coll->store, shelf(w, 1), 1000 + JDI_STORE_LONG_NS) &&
            movable(w) == 1),
       "after a while the task is opened by another");
    is_u64(pop(w, 0), 3, "and the owner may still be first");
    struct jdi_shelf *last = shelf(w, WORKERS);
    *jdi_store_land(last) = (struct jdi_task){.id = 4};
    jdi_deque_all_landed(&last->deque);
    (void)jdi_store_pry(&w->coll->store, s, 1);
    ok(!jdi_store_hides(&w->coll->store, s) &&
           !jdi_store_pry(&w->coll->store, s, 1 + JDI_STORE_LONG_NS) && !movable(w),
       "the communication thread's shelf is never pried");
    jdi_deque_release(&last->deque, 1);
    while (jdi_store_claim(&w->coll->store, &rng, 0, UINT64_MAX, &c))
        jdi_store_finish(&c);
}

int main(void)
{
    static struct world w;
    open_world(&w, 2);
    test_pushes_open_half(&w);
    test_neighbours_take_the_oldest(&w);
    test_arrivals_at_the_communication_thread(&w);
    test_claims_for_another_rank(&w);
    test_puts_open_for_who_waits(&w);
    jdi_coll_free(w.coll);
    open_world(&w, 2);
    test_each_and_alone(&w);
    jdi_coll_free(w.coll);
    return done_testing();
}
