/*
 * core_ult_engines_share_a_process.c
 *
 * Role: Boost engines of several ranks run side by side in one process, each opened by a
 *       thread of its own; a second Argobots engine is refused and the first goes on.
 * Owner: a thread per rank.
 * Invariants: the contract of open in core/ult/ult.h.
 * See: core/ult/ult.h.
 */
#include "test/unit/core_ult_kit.h"

#include <pthread.h>

enum { RANKS = 3, JUMPS = 2000, RACES = 10 };

struct rank {
    struct ult_rig rig;
    const struct jdi_ult_ops *ops;
    pthread_t thread;
    pthread_barrier_t *open; /* all engines are open at once */
    struct jdi_ult *ult;
    uint64_t jumps[2]; /* by stream */
    int rc;
};

/* data is the base of the stream, until NULL. */
static struct jdi_ult *hop(void *arg, void *data)
{
    struct rank *r = arg;
    struct jdi_ult *base = data;
    for (; data; data = r->rig.ops->jump(r->ult, base, NULL))
        base = data;
    return base;
}

static void body(void *arg, unsigned stream, struct jdi_ult *base)
{
    struct rank *r = arg;
    for (; stream == 0 && r->jumps[0] < JUMPS; r->jumps[0]++)
        r->rig.ops->jump(base, r->ult, base);
    if (stream == 0)
        r->rig.ops->jump(base, r->ult, NULL);
    r->jumps[stream]++;
}

static void *run_rank(void *arg)
{
    struct rank *r = arg;
    ult_open(&r->rig, r->ops, 2);
    pthread_barrier_wait(r->open);
    r->ult = ult_create(&r->rig, hop, r);
    r->rc = r->ops->start(r->rig.engine, 1, body, r);
    r->ops->enter(r->rig.engine, 0, body, r);
    if (r->rc == 0)
        r->ops->join(r->rig.engine, 1);
    r->ops->destroy(r->ult);
    pthread_barrier_wait(r->open);
    r->ops->close(r->rig.engine);
    return NULL;
}

static void test_boost(const struct jdi_ult_ops *ops)
{
    struct rank ranks[RANKS] = {{.ops = NULL}};
    pthread_barrier_t open;
    uint64_t jumps = 0, visits = 0;
    pthread_barrier_init(&open, NULL, RANKS);
    for (int i = 0; i < RANKS; i++) {
        ranks[i].ops = ops;
        ranks[i].open = &open;
        pthread_create(&ranks[i].thread, NULL, run_rank, &ranks[i]);
    }
    for (int i = 0; i < RANKS; i++) {
        pthread_join(ranks[i].thread, NULL);
        jumps += ranks[i].jumps[0];
        visits += ranks[i].jumps[1];
    }
    pthread_barrier_destroy(&open);
    is_u64(jumps, RANKS * (JUMPS + 1), "%s: all ranks' entered streams ran", ops->name);
    is_u64(visits, RANKS, "%s: all ranks' started streams ran", ops->name);
}

static void *open_second(void *arg)
{
    struct ult_rig *rig = arg;
    return (void *)(intptr_t)ult_try_open(rig, 1);
}

struct racer {
    struct ult_rig rig;
    pthread_t thread;
    pthread_barrier_t *line;
    int rc;
};

/* Whoever is first closes when the other one has been refused. */
static void *race(void *arg)
{
    struct racer *r = arg;
    pthread_barrier_wait(r->line);
    r->rc = ult_try_open(&r->rig, 1);
    pthread_barrier_wait(r->line);
    if (r->rc == 0)
        r->rig.ops->close(r->rig.engine);
    return NULL;
}

static void test_race(const struct jdi_ult_ops *ops)
{
    unsigned opened = 0, refused = 0;
    for (int round = 0; round < RACES; round++) {
        struct racer racers[2];
        pthread_barrier_t line;
        pthread_barrier_init(&line, NULL, 2);
        for (int i = 0; i < 2; i++) {
            racers[i] = (struct racer){.rig = {.ops = ops}, .line = &line};
            pthread_create(&racers[i].thread, NULL, race, &racers[i]);
        }
        for (int i = 0; i < 2; i++) {
            pthread_join(racers[i].thread, NULL);
            opened += racers[i].rc == 0;
            refused += racers[i].rc == JD_ESYS;
        }
        pthread_barrier_destroy(&line);
    }
    is_u64(opened, RACES, "%s: of two that open at once one has it", ops->name);
    is_u64(refused, RACES, "%s: and the other is refused", ops->name);
}

static void test_argobots(const struct jdi_ult_ops *ops)
{
    struct rank first = {.ops = ops};
    struct ult_rig second = {.ops = ops, .log = {.nranks = 2}};
    pthread_t thread;
    void *rc = NULL;
    ult_open(&first.rig, ops, 2);
    pthread_create(&thread, NULL, open_second, &second);
    pthread_join(thread, &rc);
    ok((intptr_t)rc == JD_ESYS, "%s: another thread's engine is refused", ops->name);
    ok(ult_try_open(&second, 1) == JD_ESYS, "%s: so is one of the same", ops->name);
    first.ult = ult_create(&first.rig, hop, &first);
    ops->enter(first.rig.engine, 0, body, &first);
    ops->destroy(first.ult);
    ops->close(first.rig.engine);
    is_u64(first.jumps[0], JUMPS + 1, "%s: the first goes on", ops->name);
    ok(ult_try_open(&second, 1) == 0, "%s: and gives way when closed", ops->name);
    ops->close(second.engine);
}

static void test(const struct jdi_ult_ops *ops)
{
    if (ops != jdi_ult_find("argobots")) {
        test_boost(ops);
        return;
    }
    test_argobots(ops);
    test_race(ops);
}

int main(void)
{
    ult_each(test);
    return done_testing();
}
