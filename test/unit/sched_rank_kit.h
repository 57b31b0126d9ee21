/*
 * sched_rank_kit.h - a rank without network, streams and clocks.
 *
 * Role: enough of a rank for the local half of a collection; several fit on one stack.
 * Owner: the test.
 * Invariants: I1 self[i] is a ULT of worker i; body is a ULT of worker 0.
 * See: sched/coll.h.
 */
#ifndef JDI_TEST_UNIT_SCHED_RANK_KIT_H
#define JDI_TEST_UNIT_SCHED_RANK_KIT_H

#include "sched/plain.h"
#include "test/kit/tap.h"

enum { KIT_WORKERS = 40, KIT_TASKS = 3 };

struct kit_rank {
    struct jdi_rank rank;
    struct jdi_knobs knobs;
    struct jdi_am am;
    struct jdi_worker worker[KIT_WORKERS];
    jd_self self[KIT_WORKERS], body;
};

static inline void kit_task(jd_self *me, void *arg)
{
    (void)me, (void)arg;
}

static inline void kit_rank_init(struct kit_rank *k, uint32_t rank, uint32_t nranks,
                                 unsigned nworkers)
{
    static const jd_task_def rows[] = {{"a", kit_task, NULL, 0},
                                       {"b", kit_task, NULL, 0},
                                       {"c", kit_task, NULL, 0},
                                       JD_TASK_END};
    char text[128];
    memset(k, 0, sizeof *k);
    k->am.rank = rank;
    k->am.nranks = nranks;
    k->am.idle = &k->am.own_idle;
    k->rank.am = &k->am;
    k->rank.knobs = &k->knobs;
    k->rank.workers = k->worker;
    k->rank.nworkers = nworkers;
    k->rank.stats = &k->worker[0].stats;
    k->rank.fences = jdi_fence_start();
    k->rank.detector = &jdi_td_francez;
    if (jdi_registry_init(&k->rank.registry, rows, text, sizeof text))
        bail_out("%s", text);
    for (unsigned i = 0; i < nworkers; i++) {
        k->worker[i].rank = &k->rank;
        k->worker[i].index = i;
        atomic_init(&k->worker[i].due, UINT64_MAX);
        k->worker[i].idle = &k->worker[i].own_idle;
        k->self[i].rank = &k->rank;
        k->self[i].worker = &k->worker[i];
    }
    k->body = k->self[0];
    k->body.is_body = true;
}

/* What entering a phase does to the local half. */
static inline void kit_open(jd_coll *c)
{
    jdi_coll_begin(c);
    c->phase++;
    jdi_coll_set_state(c, JDI_COLL_SEEDING, JDI_COLL_OPEN);
    jdi_retain_begin(c, 0);
}

static inline void kit_close(jd_coll *c)
{
    jdi_coll_end(c);
    jdi_coll_set_state(c, JDI_COLL_OPEN, JDI_COLL_DONE);
}

#endif
