/*
 * sched_waiting_torture.h - what a game of tasks that wait knows of itself.
 *
 * Role: the counters beside the library: tasks made and ended in each collection and finish, tasks that
 *       ran, boxes with suspended tasks, items of channels.  All of it lies in memory that all ranks share.
 * Owner: any task of any rank; a box belongs to tasks of its rank.
 * Invariants: I1 the counters are relaxed, and notes are plain, so that what orders them is the library.
 * See: test/dist/sched_waiting_survives_torture.c, test/dist/sched_waiting_jobs.h.
 */
#ifndef JDI_TEST_DIST_SCHED_WAITING_TORTURE_H
#define JDI_TEST_DIST_SCHED_WAITING_TORTURE_H

#include "core/random.h"
#include "test/dist/sched_kit.h"

#include <pthread.h>
#include <sched.h>

enum {
    RANKS = 8,
    COLLS = 3,
    MOST_TASKS = 1 << 13,
    MOST_BOXES = 1 << 13,
    MOST_GROUPS = 1 << 12
};

/* Who wakes a task that waits in a box of its own: the other of publisher and waker, whoever is second. */
#define BOX_WOKEN ((uintptr_t)1)
struct box {
    _Atomic uintptr_t held; /* 0, the handle, or BOX_WOKEN */
    _Atomic uint32_t
        resumes; /* how often jd_resume was called, and jd_suspend came back */
    uint32_t back;
    uint64_t note; /* what the waker has left */
    uint32_t next; /* in a pile; index + 1 */
};

/* A semaphore: who waits takes one, who wakes gives one.  The foreign thread takes all who wait. */
struct pile {
    atomic_flag lock;
    uint32_t first, given;
};

struct side { /* of a rank */
    struct pile pile, foreign;
    jd_channel channel;
    pthread_t thread;
    bool has_thread;
    _Atomic bool quit;
    _Atomic uint32_t nboxes;
    struct box box[MOST_BOXES];
};

/* A collection or a finish: the first COLLS are the collections. */
struct group {
    _Atomic uint32_t made, ended;
};

enum op {
    YIELD,
    SLEEP,
    OWN,
    BOXED,
    PILED,
    MAILED,
    FOREIGN,
    CHANNEL,
    COMPUTE,
    SPAWN,
    NEST,
    COPY,
    FUTURE,
    OPS
};

struct all {
    uint64_t seed;
    bool finished;
    _Atomic uint32_t next, ngroups, wrong;
    _Atomic uint64_t sent, received, suspended, moved;
    _Atomic uint8_t ran[MOST_TASKS];
    struct group group[MOST_GROUPS];
    struct side side[RANKS];
};

static struct all *all;

#define RELAXED memory_order_relaxed
static inline uint32_t one_more(_Atomic uint32_t *word)
{
    return atomic_fetch_add_explicit(word, 1, RELAXED);
}

static inline void count_one(_Atomic uint64_t *word)
{
    atomic_fetch_add_explicit(word, 1, RELAXED);
}

static inline uint64_t scatter(uint64_t x)
{
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return (x ^ x >> 31) | 1;
}

static inline void complain(jd_self *me, const char *what)
{
    if (!one_more(&all->wrong))
        fprintf(stderr, "# rank %u: %s, seed %llu\n", jd_rank(me), what,
                (unsigned long long)all->seed);
}

/* Count a task of a group that will be made, with the number `id`; false: the game has enough. */
static inline bool prepare_task(uint32_t group, uint32_t *id)
{
    *id = one_more(&all->next);
    if (*id >= MOST_TASKS)
        return false;
    one_more(&all->group[group].made);
    return true;
}

static inline bool has_ended(uint32_t group)
{
    const struct group *g = &all->group[group];
    return atomic_load_explicit(&g->made, RELAXED) ==
           atomic_load_explicit(&g->ended, RELAXED);
}

/* ---- boxes --------------------------------------------------------------------------- */

static inline void lock_pile(struct pile *p)
{
    while (atomic_flag_test_and_set_explicit(&p->lock, memory_order_acquire))
        sched_yield();
}

static inline void unlock_pile(struct pile *p)
{
    atomic_flag_clear_explicit(&p->lock, memory_order_release);
}

/* Leave a note for a task that waits, and let it go on. */
static inline void wake_box(jd_self *me, struct box *b, jd_self *stopped)
{
    b->note = UINT64_C(0x5EED) + (uintptr_t)stopped;
    one_more(&b->resumes);
    jd_resume(me, stopped);
}

/* A waker has come to the box; it may be there before who waits. */
static inline void visit_box(jd_self *me, struct box *b)
{
    uintptr_t was = atomic_exchange_explicit(&b->held, BOX_WOKEN, memory_order_acq_rel);
    if (was)
        wake_box(me, b, (jd_self *)was);
}

static inline void give_to_pile(jd_self *me, struct side *s, struct pile *p)
{
    lock_pile(p);
    struct box *b = p->first ? &s->box[p->first - 1] : NULL;
    if (b)
        p->first = b->next;
    else
        p->given++;
    unlock_pile(p);
    if (b)
        wake_box(me, b, (jd_self *)atomic_load_explicit(&b->held, RELAXED));
}

/* Wait in the pile, or go on if somebody has given before.  In a callback of jd_suspend. */
static inline void take_from_pile(jd_self *stopped, struct side *s, struct pile *p,
                                  struct box *b)
{
    atomic_store_explicit(&b->held, (uintptr_t)stopped, RELAXED);
    lock_pile(p);
    bool given = p->given > 0;
    p->given -= given;
    if (!given) {
        b->next = p->first;
        p->first = (uint32_t)(b - s->box) + 1;
    }
    unlock_pile(p);
    if (given)
        wake_box(NULL, b, stopped);
}

/* Wake all who wait in the pile; false: nobody does. */
static inline bool wake_pile(jd_self *me, struct side *s, struct pile *p)
{
    lock_pile(p);
    uint32_t i = p->first;
    bool some = i > 0;
    p->first = 0;
    unlock_pile(p);
    while (i) {
        struct box *b = &s->box[i - 1];
        i = b->next;
        wake_box(me, b, (jd_self *)atomic_load_explicit(&b->held, RELAXED));
    }
    return some;
}

/* The thread that is none of the library's. */
static inline void *foreign_thread(void *arg)
{
    struct side *s = arg;
    while (!atomic_load_explicit(&s->quit, RELAXED))
        if (!wake_pile(NULL, s, &s->foreign))
            sched_yield();
    return NULL;
}

static inline void stop_foreign(struct side *s)
{
    atomic_store_explicit(&s->quit, true, RELAXED);
    if (s->has_thread)
        pthread_join(s->thread, NULL);
}

/* ---- a game -------------------------------------------------------------------------- */

static inline uint32_t used(_Atomic uint32_t *word, uint32_t most)
{
    uint32_t n = atomic_load_explicit(word, RELAXED);
    return n < most ? n : most;
}

/* Rank 0, while nothing runs.  The numbers of the first `groups` are given. */
static inline void reset_game(uint64_t seed, uint32_t groups)
{
    memset((void *)all->ran, 0, used(&all->next, MOST_TASKS));
    memset((void *)all->group, 0,
           used(&all->ngroups, MOST_GROUPS) * sizeof all->group[0]);
    for (int i = 0; i < RANKS; i++) {
        struct side *s = &all->side[i];
        memset((void *)s->box, 0, used(&s->nboxes, MOST_BOXES) * sizeof s->box[0]);
        s->pile = (struct pile){.first = 0};
        atomic_store_explicit(&s->nboxes, 0, RELAXED);
    }
    all->seed = seed;
    atomic_store_explicit(&all->next, 0, RELAXED);
    atomic_store_explicit(&all->ngroups, groups, RELAXED);
    atomic_store_explicit(&all->sent, 0, RELAXED);
    atomic_store_explicit(&all->received, 0, RELAXED);
}

/* When nothing runs any more. */
static inline void check_boxes(jd_self *me, struct side *s)
{
    uint32_t n = used(&s->nboxes, MOST_BOXES);
    for (uint32_t i = 0; i < n; i++)
        if (s->box[i].back != atomic_load_explicit(&s->box[i].resumes, RELAXED))
            complain(me, "a wait does not end once");
}

static inline void check_tasks(jd_self *me)
{
    uint32_t n = used(&all->next, MOST_TASKS);
    for (uint32_t i = 0; i < n; i++)
        if (atomic_load_explicit(&all->ran[i], RELAXED) != 1)
            complain(me, "a task is lost");
}

#endif
