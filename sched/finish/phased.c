/*
 * phased.c - tasks that are registered with phasers from their spawn to their end.
 *
 * Role: jd_async_phased; the blocks of such tasks, which hold the argument and the registrations.
 * Owner: a block belongs to its task; blocks that are free, to the rank, under a lock.
 * Invariants: I1 a task is registered before anybody can take it, and until its function has returned, or it
 *                was dropped.
 *             I2 the slot of such a task holds the address of its block.  The task stays at its rank.
 * Order: [pair: lock].
 * See: doc/phasers.md; sched/wait/phaser.h.
 */
#include "sched/finish/phased.h"

#include "sched/finish/label.h"
#include "sched/finish/pool.h"
#include "sched/wait/phaser.h"

enum {
    PHASERS_MOST = 64, /* of one task */
    ROOM = 224,      /* bytes of a block that is used again: an argument and some parts */
    KEPT_MOST = 4096 /* such blocks of a rank that wait for the next task */
};

struct jdi_phased_block {
    struct jdi_phased_block *next; /* of those that are free */
    struct jdi_phaser_part *parts;
    bool large; /* more than ROOM, so it is not kept */
    _Alignas(JDI_TASK_ALIGN) unsigned char room[];
};

/* ---- blocks ---------------------------------------------------------------------------- */

static struct jdi_phased_block *take_block(struct jdi_rank *r, size_t bytes)
{
    struct jdi_phasers *all = r->phasers;
    struct jdi_phased_block *b = NULL;
    bool large = bytes > ROOM;
    if (!large) {
        jdi_lock(&all->lock);
        b = all->free;
        if (b) {
            all->free = b->next;
            all->nfree--;
        }
        jdi_unlock(&all->lock);
    }
    if (!b)
        b = jdi_alloc(&r->am->fault, sizeof *b + (large ? bytes : ROOM));
    if (b)
        b->large = large;
    return b;
}

static void give_block(struct jdi_rank *r, struct jdi_phased_block *b)
{
    struct jdi_phasers *all = r->phasers;
    jdi_lock(&all->lock);
    bool kept = !b->large && all->nfree < KEPT_MOST;
    if (kept) {
        b->next = all->free;
        all->free = b;
        all->nfree++;
    }
    jdi_unlock(&all->lock);
    if (!kept)
        jdi_free(b);
}

void jdi_phased_free_all(struct jdi_rank *r)
{
    for (struct jdi_phased_block *b = r->phasers->free, *next; b; b = next) {
        next = b->next;
        jdi_free(b);
    }
    r->phasers->free = NULL;
}

static struct jdi_phased_block *block_in(const struct jdi_task *t)
{
    JD_ASSERT(t->flags & JDI_TASK_PHASED);
    return jdi_task_spill(t);
}

/* ---- spawning -------------------------------------------------------------------------- */

static int check_phasers(const jd_self *me, const jd_phased *phasers, size_t n)
{
    if (n > PHASERS_MOST)
        return JD_ETOOBIG;
    for (size_t i = 0; i < n; i++) {
        unsigned mode = phasers[i].mode;
        if (!mode || mode & ~(unsigned)JD_PHASE_BOTH ||
            !jdi_phaser_known(me->rank, phasers[i].phaser))
            return JD_EINVAL;
        for (size_t k = 0; k < i; k++)
            if (phasers[k].phaser.number == phasers[i].phaser.number)
                return JD_EINVAL;
    }
    return 0;
}

/* Write the parts of the task behind its argument, and register them. */
static void register_task(jd_self *me, struct jdi_phased_block *b, size_t at,
                          const jd_phased *phasers, size_t n)
{
    struct jdi_phaser_part *part = (struct jdi_phaser_part *)(void *)(b->room + at);
    b->parts = n ? part : NULL;
    for (size_t i = 0; i < n; i++) {
        part[i] = (struct jdi_phaser_part){.next = i + 1 < n ? &part[i + 1] : NULL,
                                           .number = phasers[i].phaser.number,
                                           .mode = phasers[i].mode};
        jdi_phaser_join(me, &part[i]);
    }
}

/* The address of the block is where that of a spilled argument would be; the number, if there is one, behind it. */
static struct jdi_task *spawn_block(jd_self *me, jd_task fn, struct jdi_phased_block *b,
                                    int *error)
{
    struct jdi_label n = {0};
    *error = me->part ? fn < me->rank->registry.count ? 0 : JD_EINVAL : JD_ESTATE;
    if (*error)
        return NULL;
    (void)jdi_label_new(me, &n);
    struct jdi_task *t = jdi_pool_make(me, true, fn, sizeof b + sizeof n.number, error);
    if (!t)
        return NULL;
    memcpy(t->arg, &b, sizeof b);
    memcpy(t->arg + sizeof b, &n.number, sizeof n.number);
    t->flags |= JDI_TASK_PHASED;
    return t;
}

int jd_async_phased(jd_self *me, const jd_phased *phasers, size_t nphasers, jd_task task,
                    const void *arg, size_t size)
{
    if ((!arg && size) || (!phasers && nphasers))
        return JD_EINVAL;
    if (size > JDI_TASK_ARG_MAX)
        return JD_ETOOBIG;
    int error = check_phasers(me, phasers, nphasers);
    if (error)
        return error;
    size_t at = jdi_round_up(size, JDI_TASK_ALIGN);
    struct jdi_phased_block *b =
        take_block(me->rank, at + nphasers * sizeof(struct jdi_phaser_part));
    if (!b)
        return JD_ENOMEM;
    struct jdi_task *t = spawn_block(me, task, b, &error);
    if (!t) {
        give_block(me->rank, b);
        return error;
    }
    if (size)
        memcpy(b->room, arg, size);
    register_task(me, b, at, phasers, nphasers);
    jdi_store_put(jdi_pool_shelf(me, true));
    return 0;
}

/* ---- running --------------------------------------------------------------------------- */

void *jdi_phased_arg(const struct jdi_task *t)
{
    return block_in(t)->room;
}

void jdi_phased_run(jd_self *me, struct jdi_task *t)
{
    struct jdi_phased_block *b = block_in(t);
    JD_ASSERT(!me->phased);
    me->phased = b->parts;
    me->rank->registry.row[t->fn].fn(me, b->room);
    jdi_phaser_end(me);
    give_block(me->rank, b);
}

void jdi_phased_drop(struct jdi_rank *r, struct jdi_task *t)
{
    struct jdi_phased_block *b = block_in(t);
    jdi_phaser_drop_all(r, NULL, b->parts);
    give_block(r, b);
}
