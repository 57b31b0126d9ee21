/*
 * sched_futures_kit.h - what the programs that test futures share.
 *
 * Role: futures that all ranks know, and what the tasks of a rank have seen of them.
 * Owner: the body; any task of a rank writes the notes of that rank.
 * Invariants: I1 all ranks name the same future: share().
 * See: include/jackdaw.h, doc/data.md; test/dist/sched_kit.h.
 */
#ifndef JDI_TEST_DIST_SCHED_FUTURES_KIT_H
#define JDI_TEST_DIST_SCHED_FUTURES_KIT_H

#include "test/dist/sched_kit.h"

/* Of one rank, in registered memory: tasks find theirs wherever they run. */
struct notes {
    _Atomic uint64_t ran, sum, canceled, never, early;
};

struct wish {
    jd_mem mem;
    jd_future future, other, result;
    uint64_t value;
};

static inline struct notes *notes_of(jd_self *me, jd_mem mem)
{
    return jd_mem_local(me, mem, NULL);
}

static inline void count(_Atomic uint64_t *word, uint64_t by)
{
    atomic_fetch_add_explicit(word, by, memory_order_relaxed);
}

/* One future, of rank `home`, that all ranks know.  Collective. */
static inline jd_future share(jd_self *me, uint32_t home)
{
    jd_future f = {0};
    if (jd_rank(me) == home)
        must(me, jd_future_create(me, &f));
    must(me, jd_allreduce_u64(me, &f.number, 1, JD_MAX));
    f.home = home;
    return f;
}

static inline void unshare(jd_self *me, jd_future f)
{
    must(me, jd_barrier(me));
    if (jd_rank(me) == f.home)
        must(me, jd_future_destroy(me, f));
}

/* What the tasks of all ranks have added to a word of their notes.  Collective. */
static inline uint64_t all(jd_self *me, _Atomic uint64_t *word)
{
    uint64_t sum = sum_of(me, atomic_load(word));
    must(me, jd_barrier(me));
    atomic_store(word, 0);
    must(me, jd_barrier(me));
    return sum;
}

static inline jd_mem begin_notes(jd_self *me)
{
    jd_mem mem;
    must(me, jd_mem_create(me, NULL, sizeof(struct notes), &mem));
    return mem;
}

static inline void setter(jd_self *me, void *arg)
{
    const struct wish w = *(const struct wish *)arg;
    must(me, jd_future_set(me, w.future, &w.value, sizeof w.value));
}

#endif
