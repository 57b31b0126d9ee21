/*
 * sched_refusals_kit.h - what the programs that test refused calls share.
 *
 * Role: a task asks for what it may not have, and the body of its rank hears the answers.
 * Owner: the body; the rank where a task ran notes the codes that the task got.
 * Invariants: those of test/dist/sched_kit.h.
 * See: include/jackdaw.h.
 */
#ifndef JDI_TEST_DIST_SCHED_REFUSALS_KIT_H
#define JDI_TEST_DIST_SCHED_REFUSALS_KIT_H

#include "test/dist/sched_kit.h"

enum { ANSWERS = 13 };

struct shared {
    _Atomic bool asked, go;
    _Atomic int answer[ANSWERS];
    jd_coll *other;
};

static inline struct shared *shared_of(jd_self *me)
{
    return jd_coll_local(jd_coll_mine(me));
}

static inline void note(struct shared *s, const int *answer, int n)
{
    for (int i = 0; i < n; i++)
        atomic_store(&s->answer[i], answer[i]);
    atomic_store(&s->asked, true);
}

static inline void nothing(jd_self *me, void *arg)
{
    (void)me, (void)arg;
}

static inline jd_coll *make(jd_self *me, const jd_coll_props *p)
{
    jd_coll *c = NULL;
    must(me, jd_coll_create(me, p, &c));
    return c;
}

/* The task has run once; did all its answers come out as `want`, where it ran? */
static inline bool answers(jd_self *me, struct shared *s, int n, int want)
{
    bool right = true;
    bool asked = atomic_exchange(&s->asked, false);
    for (int i = 0; asked && i < n; i++) {
        if (atomic_load(&s->answer[i]) != want)
            fprintf(stderr, "# answer %d is %d\n", i, atomic_load(&s->answer[i]));
        right = right && atomic_load(&s->answer[i]) == want;
    }
    return sum_of(me, asked) == 1 && right;
}

/* Run `task` once. */
static inline bool all_answers(jd_self *me, jd_coll *c, struct shared *s, jd_task task,
                               int n, int want)
{
    if (jd_rank(me) == 0)
        must(me, jd_coll_add(me, c, task, NULL, 0));
    must(me, jd_coll_process(me, c));
    return answers(me, s, n, want);
}

#endif
