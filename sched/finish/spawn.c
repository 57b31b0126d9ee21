/*
 * spawn.c - the public calls that spawn.
 *
 * Role: jd_async, jd_async_inplace, jd_async_local, jd_async_at.
 * Owner: the caller; a task is counted in me->part.
 * Invariants: I1 a spawned task is counted before anybody else can see it.
 * See: doc/async.md; sched/finish/pool.c has every case, this file the common one.
 */
#include "sched/finish/pool.h"
#include "sched/finish/wire.h"

/* Inlined fast path of jdi_pool_spawn into `any`; returns NULL in every other case. */
static inline struct jdi_task *spawn_fast(jd_self *me, jd_task fn, size_t size,
                                          struct jdi_place *at)
{
    struct jdi_part *p = me->part;
    if (JDI_UNLIKELY(!p || size > JDI_TASK_ARG_DEFAULT))
        return NULL;
    struct jdi_hand *h = p->hand;
    if (JDI_UNLIKELY(fn >= h->ntasks))
        return NULL;
    struct jdi_task *t = jdi_store_push_fast(&h->any->shelf, JDI_POOL_SLOT, at);
    if (JDI_UNLIKELY(!t))
        return NULL;
    p->live++;
    jdi_account_in(&h->any->account, 1);
    t->id = (uintptr_t)p;
    jdi_task_set_word(t, jdi_task_make_word(fn, (uint32_t)size));
    return t;
}

/* Up to 7 bytes, in the order in which they lie in a word. */
static inline uint64_t few_bytes(const unsigned char *from, size_t size)
{
    uint64_t word = 0;
    for (size_t i = 0; i < size; i++)
        word |= (uint64_t)from[i] << 8 * (JDI_TASK_LITTLE ? i : 7 - i);
    return word;
}

static inline uint64_t four_bytes(const unsigned char *from)
{
    uint32_t half;
    memcpy(&half, from, sizeof half);
    return (uint64_t)half << (JDI_TASK_LITTLE ? 0 : 32);
}

/* A call of memcpy would take as long as the rest of a spawn.  Copy in 8-byte words, because the
 * task is read in such words. */
static inline void copy_small(void *to, const void *from, size_t size)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    uint64_t word;
    for (; size >= 8; size -= 8, t += 8, f += 8) {
        memcpy(&word, f, 8);
        /* Keeps the compiler from merging words into wider ones. */
        __asm__("" : "+r"(word));
        memcpy(t, &word, 8);
    }
    if (!size)
        return;
    word = size == 4 ? four_bytes(f) : few_bytes(f, size);
    memcpy(t, &word, 8);
}

static JDI_NOINLINE int spawn_slow(jd_self *me, bool home, jd_task fn, const void *arg,
                                   size_t size)
{
    int error;
    if (!arg && size)
        return size > JDI_TASK_ARG_MAX ? JD_ETOOBIG : JD_EINVAL;
    struct jdi_task *t = jdi_pool_spawn_named(me, home, fn, size, &error);
    if (!t)
        return error;
    if (size)
        memcpy(jdi_pool_arg(t), arg, size);
    jdi_store_put(jdi_pool_shelf(me, home));
    return 0;
}

int jd_async(jd_self *me, jd_task task, const void *arg, size_t size)
{
    struct jdi_place at;
    struct jdi_task *t =
        JDI_LIKELY(arg || !size) ? spawn_fast(me, task, size, &at) : NULL;
    if (JDI_UNLIKELY(!t))
        return spawn_slow(me, false, task, arg, size);
    copy_small(t->arg, arg, size);
    jdi_store_pushed(at);
    return 0;
}

static JDI_NOINLINE void *inplace_slow(jd_self *me, jd_task task, size_t size)
{
    int error;
    struct jdi_task *t = jdi_pool_spawn_named(me, false, task, size, &error);
    if (!t)
        return NULL;
    jdi_store_drafted(jdi_pool_shelf(me, false));
    return jdi_pool_arg(t);
}

void *jd_async_inplace(jd_self *me, jd_task task, size_t size)
{
    struct jdi_place at;
    struct jdi_task *t = spawn_fast(me, task, size, &at);
    if (JDI_UNLIKELY(!t))
        return inplace_slow(me, task, size);
    jdi_store_pushed_draft(at);
    return t->arg;
}

int jd_async_local(jd_self *me, jd_task task, const void *arg, size_t size)
{
    return spawn_slow(me, true, task, arg, size);
}

int jd_async_at(jd_self *me, uint32_t rank, jd_task task, const void *arg, size_t size)
{
    if (rank >= me->rank->am->nranks || (!arg && size))
        return JD_EINVAL;
    if (rank == me->rank->am->rank)
        return spawn_slow(me, true, task, arg, size);
    if (!me->part)
        return JD_ESTATE;
    if (task >= me->rank->registry.count)
        return JD_EINVAL;
    if (size > JDI_TASK_ARG_MAX)
        return JD_ETOOBIG;
    struct jdi_task head = {.fn = task, .len = (uint32_t)size};
    return jdi_wire_send(me, rank, &head, arg);
}
