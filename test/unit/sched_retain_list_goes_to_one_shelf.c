/*
 * sched_retain_list_goes_to_one_shelf.c
 *
 * Role: a worker comes for its list of retained seeds while the communication thread gives the list
 *       away because it has waited too long.  One of them gets all of it, again and again.
 * Owner: two threads.
 * Order: [pair: retain-waiting], which a ThreadSanitizer build checks here.
 * See: sched/retain.h, I2.
 */
#include "test/unit/sched_rank_kit.h"

#include "core/idle.h"

#include <pthread.h>

enum {
    ROUNDS = 2000,
    SEEDS = 20,
    WORKERS = 2,
    LATE = 1000000000,
    SHELVES = 2,
    SPINS = 10000
};

struct game {
    struct kit_rank k;
    jd_coll *c;
    _Atomic int round; /* the round that both may play */
    _Atomic int done;  /* rounds that the worker has played */
};

static void wait_for(_Atomic int *number, int least)
{
    for (int i = 0; atomic_load_explicit(number, memory_order_acquire) < least; i++)
        jdi_idle_pause(i < SPINS ? JDI_IDLE_SPIN : JDI_IDLE_YIELD);
}

static void *worker(void *arg)
{
    struct game *g = arg;
    for (int i = 1; i <= ROUNDS; i++) {
        wait_for(&g->round, i);
        jdi_retain_fetch(g->c, &g->c->seat[1]);
        atomic_store_explicit(&g->done, i, memory_order_release);
    }
    return NULL;
}

/* Worker 1 keeps seeds again, so that restore() makes a list of them. */
static uint64_t run_shelf(struct game *g, struct jdi_shelf *s)
{
    struct jdi_account *a = &g->c->seat[1].account;
    uint64_t n = 0;
    for (struct jdi_task *t; (t = jdi_store_pop(s)); n++) {
        if (jdi_record_add(&a->kept, t, NULL))
            bail_out("no memory");
        jdi_account_starts(a, t->id);
        jdi_account_out(a, 1);
    }
    return n;
}

static void next_phase(struct game *g)
{
    kit_close(g->c);
    jdi_coll_set_state(g->c, JDI_COLL_DONE, JDI_COLL_SEEDING);
    if (jdi_coll_reseed(&g->k.body, g->c, JD_RESTORE_RETAIN))
        bail_out("no memory");
    kit_open(g->c);
}

int main(void)
{
    static struct game g;
    pthread_t thread;
    uint64_t got[SHELVES] = {0};
    bool whole = true;
    kit_rank_init(&g.k, 1, 2, WORKERS);
    g.k.rank.place.apart = true;
    if (jdi_coll_new(&g.k.rank, &jdi_plain_kind, NULL, &g.c))
        bail_out("no collection");
    for (int i = 0; i < SEEDS; i++) {
        int error;
        if (!jdi_coll_new_task(&g.k.body, g.c, 0, 0, &error))
            bail_out("no task: %s", jd_strerror(error));
        jdi_store_put(jdi_coll_shelf(&g.k.body, g.c));
    }
    kit_open(g.c);
    run_shelf(&g, &g.c->seat[0].shelf);
    if (pthread_create(&thread, NULL, worker, &g))
        bail_out("no thread");
    for (int i = 1; i <= ROUNDS; i++) {
        next_phase(&g);
        atomic_store_explicit(&g.round, i, memory_order_release);
        for (int k = i % 8; k; k--) /* either side is the first now and then */
            jdi_idle_pause(k % 4 ? JDI_IDLE_SPIN : JDI_IDLE_YIELD);
        jdi_retain_turn(g.c, LATE);
        wait_for(&g.done, i);
        uint64_t own = run_shelf(&g, &g.c->seat[1].shelf);
        uint64_t landed = run_shelf(&g, jdi_coll_landing(g.c));
        whole = whole && own + landed == SEEDS && (!own || !landed) && jdi_coll_idle(g.c);
        got[0] += own > 0;
        got[1] += landed > 0;
    }
    pthread_join(thread, NULL);
    ok(whole, "each list lies on one shelf, and is whole");
    is_u64(got[0] + got[1], ROUNDS, "always");
    diag("the worker had %d of them", (int)got[0]);
    kit_close(g.c);
    jdi_coll_free(g.c);
    return done_testing();
}
