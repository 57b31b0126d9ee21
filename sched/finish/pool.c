/*
 * pool.c - the tasks of finishes at one rank: spawning, running, taking.
 *
 * Role: every case of spawning, the loop over a batch, the accounting of a take.
 * Owner: the worker or hand that calls.
 * Invariants: I1 of pool.h. I2 of part.h: every task on a shelf is counted in a part
 *             of the shelf's hand.
 * Order: [pair: rank-pool].
 * See: doc/async.md; sched/finish/pools.c, whose kind calls what is here.
 */
#include "sched/finish/pool.h"

#include "sched/finish/label.h"
#include "sched/finish/phased.h"
#include "sched/finish/range.h"
#include "sched/finish/wire.h"
#include "sched/look.h"
#include "sched/name.h"
#include "sched/recall.h"
#include "sched/traces.h"
#include "sched/wait/phaser.h"

/* ---- spawning ----------------------------------------------------------------------- */

static int check_spawn(const jd_self *me, jd_task fn, size_t size)
{
    if (!me->part)
        return JD_ESTATE;
    if (fn >= me->rank->registry.count)
        return JD_EINVAL;
    return size > JDI_TASK_ARG_MAX ? JD_ETOOBIG : 0;
}

struct jdi_task *jdi_pool_make(jd_self *me, bool home, jd_task fn, size_t size,
                               int *error)
{
    struct jdi_part *p = me->part;
    JD_ASSERT(jdi_hand_is_mine(p->hand));
    struct jdi_seat *seat = home ? p->hand->here : p->hand->any; /* of jdi_pool_shelf */
    bool spilled = size > JDI_TASK_ARG_DEFAULT;
    void *spill = spilled ? jdi_alloc(&me->rank->am->fault, size) : NULL;
    struct jdi_task *t = spilled && !spill ? NULL : jdi_store_push(&seat->shelf);
    if (!t) {
        jdi_free(spill);
        *error = JD_ENOMEM;
        return NULL;
    }
    *t = (struct jdi_task){.id = (uintptr_t)p, .fn = fn, .len = (uint32_t)size};
    if (spilled)
        jdi_task_set_spill(t, spill);
    jdi_account_in(&seat->account, 1);
    p->live++;
    return t;
}

/* Does a steal log send the task, whose argument is still to be written, elsewhere? */
static void promise_task(jd_self *me, uint64_t name)
{
    const jd_coll *c = jdi_pool_of(me->rank)->any;
    if (jdi_recall_fate(c->recall, name) < me->rank->am->nranks)
        me->part->hand->any->promised = name;
}

static struct jdi_task *make_labelled(jd_self *me, bool home, jd_task fn, size_t size,
                                      const struct jdi_label *label, size_t head,
                                      int *error)
{
    struct jdi_task *t = jdi_pool_make(me, home, fn, head + size, error);
    if (!t || !head)
        return t;
    memcpy(jdi_task_arg(t), label, head);
    t->flags |= JDI_TASK_LABELLED;
    return t;
}

struct jdi_task *jdi_pool_spawn(jd_self *me, bool home, jd_task fn, size_t size,
                                int *error)
{
    struct jdi_label label;
    *error = check_spawn(me, fn, size);
    if (*error)
        return NULL;
    size_t head = jdi_label_new(me, &label);
    return make_labelled(me, home, fn, size, &label, head, error);
}

struct jdi_task *jdi_pool_spawn_named(jd_self *me, bool home, jd_task fn, size_t size,
                                      int *error)
{
    struct jdi_label label;
    *error = check_spawn(me, fn, size);
    if (*error)
        return NULL;
    jdi_pool_keep_promise(me->part->hand);
    size_t head = jdi_label_new_named(me, fn, size, &label);
    struct jdi_task *t = make_labelled(me, home, fn, size, &label, head, error);
    if (t && head && !home && label.name)
        promise_task(me, label.name);
    return t;
}

/* ---- running ------------------------------------------------------------------------ */

void jdi_pool_drop(struct jdi_rank *r, struct jdi_task *t)
{
    const jd_task_hooks *hooks = r->registry.row[t->fn].hooks;
    bool phased = t->flags & JDI_TASK_PHASED;
    if (hooks && hooks->drop)
        hooks->drop(phased ? jdi_phased_arg(t)
                           : (char *)jdi_task_arg(t) + jdi_range_head(t));
    if (phased)
        jdi_phased_drop(r, t);
    else if (t->flags & JDI_TASK_SPILLED)
        jdi_free(jdi_task_spill(t));
}

void jdi_pool_divert(struct jdi_hand *h)
{
    struct jdi_seat *seat = h->any;
    const jd_coll *c = jdi_pool_of(h->rank)->any;
    uint64_t name = seat->promised;
    uint32_t to = jdi_recall_fate(c->recall, name);
    JD_ASSERT(jdi_hand_is_mine(h));
    seat->promised = 0;
    if (to >= h->rank->am->nranks || !jdi_store_private(&seat->shelf))
        return;
    /* Looked at when it is off the shelf: who pries may have opened it, and a thief may run it, at any time before. */
    const struct jdi_task *t = jdi_store_pop(&seat->shelf);
    if (!t)
        return;
    if (jdi_task_label(t).name != name) {
        jdi_store_unpop(&seat->shelf);
        return;
    }
    void *spill = t->flags & JDI_TASK_SPILLED ? jdi_task_spill(t) : NULL;
    if (jdi_wire_divert(jdi_part_of(t), to, t, spill ? spill : t->arg))
        jdi_store_unpop(&seat->shelf); /* no memory: it stays */
    else
        jdi_free(spill);
}

/* What it spawns has names that follow from its own. */
static void run_named(jd_self *me, jd_task fn, uint64_t name, void *arg)
{
    uint64_t outer = me->child;
    me->child = jdi_name_children(name);
    me->rank->registry.row[fn].fn(me, arg);
    me->child = outer;
    jdi_pool_keep_promise(me->part->hand);
}

/* Run a task that is cancelled, is a range, has a spilled argument or a label, or is registered with phasers. */
static JDI_NOINLINE void run_unusual(jd_self *me, struct jdi_part *p, struct jdi_task *t)
{
    jd_task fn = t->fn;
    uint16_t flags = t->flags;
    if (jdi_part_cancelled(p)) {
        jdi_pool_drop(me->rank, t);
        return;
    }
    if (flags & JDI_TASK_PHASED) {
        jdi_phased_run(me, t);
        return;
    }
    unsigned char *block = jdi_task_arg(t);
    void *arg = block + jdi_task_label_head(flags);
    uint64_t name = jdi_task_label(t).name;
    if (flags & JDI_TASK_RANGE)
        jdi_range_run(me, fn, arg);
    else if (name)
        run_named(me, fn, name, arg);
    else
        me->rank->registry.row[fn].fn(me, arg);
    if (flags & JDI_TASK_SPILLED)
        jdi_free(block);
}

static JDI_NOINLINE JD_NORETURN void left_open(const jd_self *me, jd_task fn)
{
    jdi_die(&me->rank->am->log, JDI_EXIT_AUDIT, "task %s ends inside a finish it began",
            me->rank->registry.row[fn].name);
}

/* Room for a copy of the task, because the next spawn overwrites the slot. */
struct room {
    _Alignas(JDI_TASK_ALIGN) unsigned char task[JDI_POOL_SLOT];
};

static inline void copy_words(unsigned char *to, const unsigned char *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 8) {
        uint64_t word;
        memcpy(&word, from + i, 8);
        /* Keeps the compiler from merging words into wider ones, see jdi_task_word. */
        __asm__("" : "+r"(word));
        memcpy(to + i, &word, 8);
    }
}

/* Copy in 8-byte words: wider loads cannot be forwarded from the 8-byte stores that wrote the
 * slot. */
static inline void copy_arg(struct jdi_task *t, const struct jdi_task *slot, uint32_t len)
{
    if (len <= 16)
        copy_words(t->arg, slot->arg, 16);
    else
        copy_words(t->arg, slot->arg, JDI_TASK_ARG_DEFAULT);
}

static inline void execute(jd_self *me, jd_coll *c, const struct jdi_task *slot,
                           struct room *room)
{
    struct jdi_part *p = jdi_part_of(slot);
    const struct jdi_part *root = p->root;
    const uint64_t word = jdi_task_word(slot);
    const jd_task fn = (jd_task)(word >> JDI_TASK_FN_AT);
    struct jdi_task *t = (struct jdi_task *)(void *)room->task;
    copy_arg(t, slot, (uint32_t)(word >> JDI_TASK_LEN_AT));
    me->part = p;
    me->task = fn;
    jdi_store_popped(&me->seat->shelf);
    if (JDI_UNLIKELY((uint16_t)(word >> JDI_TASK_FLAGS_AT) || jdi_part_cancelled(p))) {
        jdi_task_set_word(t, word);
        run_unusual(me, p, t);
    } else {
        c->row[fn].fn(me, t->arg);
    }
    if (JDI_UNLIKELY(me->phased != NULL)) /* with phasers that it has made */
        jdi_phaser_end(me);
    p = me->part; /* another one of the same finish, if the task goes on on another worker */
    if (JDI_UNLIKELY(p->root != root))
        left_open(me, fn);
    jdi_account_out(&me->seat->account, 1);
    jdi_part_less(p, 1);
}

/* The same, and record it: see run_by_clock in sched/plain.c. */
static uint64_t pool_record(jd_self *me, jd_coll *c, const struct jdi_task *slot,
                            struct room *room, uint64_t from, uint64_t uncharged)
{
    const uint64_t number = jdi_label_number(slot);
    const jd_task row = slot->fn;
    jdi_traces_starts(me->worker, row, from);
    execute(me, c, slot, room);
    uint64_t to = jdi_traces_now(me->worker) + uncharged;
    jdi_traces_task(me->worker, row, from, to, number);
    return to;
}

/* `traced` is constant where this is inlined, so who records nothing reads no clock. */
static inline uint32_t run_shelf(jd_self *me, jd_coll *c, uint32_t fuel, bool traced)
{
    uint64_t at = traced ? jdi_traces_now(me->worker) : 0;
    uint64_t task_ns = traced ? jdi_time_task_ns(c->rank->am->time) : 0;
    struct room room;
    uint32_t ran = 0;
    jdi_coll_sit(me, c);
    me->child = 0; /* what this ULT ran before may have been a task with a name */
    while (ran < fuel) {
        const struct jdi_task *slot = jdi_store_pop_of(&me->seat->shelf, JDI_POOL_SLOT);
        if (!slot)
            break;
        if (traced)
            at = pool_record(me, c, slot, &room, at, (ran + 1) * task_ns);
        else
            execute(me, c, slot, &room);
        ran++;
        if (JDI_UNLIKELY(!(ran & (ran - 1))) && jdi_look_late(me->worker, ran))
            break;
    }
    if (traced)
        jdi_traces_pauses(me->worker, at);
    me->coll = NULL;
    me->part = NULL;
    return ran;
}

uint32_t jdi_pool_run(jd_self *me, jd_coll *c, uint32_t fuel)
{
    return run_shelf(me, c, fuel, false);
}

uint32_t jdi_pool_run_traced(jd_self *me, jd_coll *c, uint32_t fuel)
{
    return run_shelf(me, c, fuel, true);
}

/* Take the youngest task of the shelf if it is counted in p; else NULL. */
static inline const struct jdi_task *pop_own(struct jdi_shelf *s,
                                             const struct jdi_part *p)
{
    const struct jdi_task *t = jdi_store_pop_of(s, JDI_POOL_SLOT);
    if (!t || JDI_LIKELY(jdi_part_of(t) == p))
        return t;
    jdi_store_unpop(s);
    return NULL;
}

/* Inlined fast path of jdi_look_spent: counts the task and returns false when the full check
 * would return false anyway. */
static inline bool may_be_spent(struct jdi_worker *w)
{
    uint32_t ran = w->burnt + 1;
    if (JDI_UNLIKELY(ran >= w->fuel || !(ran & w->burnt)))
        return true;
    w->burnt = ran;
    return false;
}

void jdi_pool_help(jd_self *me, struct jdi_part *p)
{
    const struct jdi_pool *a = jdi_pool_of(me->rank);
    jd_coll *const coll[] = {a->here, a->any};
    struct jdi_seat *const seat[] = {p->hand->here, p->hand->any};
    const struct jdi_time *time = me->rank->am->time;
    const bool traced = a->traced;
    struct room room;
    unsigned first =
        0; /* the two take turns, because spawning tasks of one would starve the other */
    while (p->live) {
        unsigned i = first;
        const struct jdi_task *t = pop_own(&seat[i]->shelf, p);
        if (!t)
            t = pop_own(&seat[i = !first]->shelf, p);
        if (!t)
            return;
        me->coll = coll[i];
        me->seat = seat[i];
        if (JDI_UNLIKELY(traced))
            (void)pool_record(me, coll[i], t, &room, jdi_traces_now(me->worker),
                              jdi_time_task_ns(time));
        else
            execute(me, coll[i], t, &room);
        jdi_time_tasks(time, 1);
        if (may_be_spent(me->worker)) {
            if (jdi_look_spent(me))
                return;
            first = !first;
        }
    }
}

void jdi_pool_moved(jd_self *me)
{
    me->part = jdi_part_take(jdi_hand_of(me), me->part, 1);
}

void jdi_pool_taken(jd_coll *c, struct jdi_seat *mine, uint64_t n)
{
    struct jdi_shelf *s = &mine->shelf;
    struct jdi_hand *thief = &jdi_pool_of(c->rank)->hand[s->owner];
    uint32_t before = thief->taken, all = (uint32_t)n;
    while (n) { /* from the oldest on; each round takes a run of tasks of one part */
        struct jdi_part *from = jdi_part_of(jdi_store_youngest(s, n - 1));
        uint64_t rest = n - 1;
        while (rest && jdi_part_of(jdi_store_youngest(s, rest - 1)) == from)
            rest--;
        struct jdi_part *part = jdi_part_take(thief, from, n - rest);
        for (; n > rest; n--)
            jdi_store_youngest(s, n - 1)->id = (uintptr_t)part;
    }
    JD_ASSERT(thief->taken - before == all);
}

void jdi_pool_check(const struct jdi_pool *a)
{
    jd_coll *const both[] = {a->any, a->here};
    for (unsigned i = 0; i < a->nhands; i++)
        jdi_hand_check(&a->hand[i]);
    for (unsigned i = 0; i < JDI_ARRAY_LEN(both); i++) {
        JD_CHECK(!jdi_store_local(&both[i]->store));
        jdi_store_check(&both[i]->store);
        jdi_coll_check(both[i]);
    }
    jdi_keyed_check(&a->remote);
    jdi_keyed_check(&a->cancelled);
    JD_CHECK(a->remote.n == 0 && !a->outbox && !a->all && !a->all_waiter);
    JD_CHECK(!atomic_load_explicit(&a->outgoing, memory_order_relaxed));
}
