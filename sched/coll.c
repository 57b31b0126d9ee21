/*
 * coll.c - a collection's lanes: adding tasks, counting them, seeding them again.
 *
 * Role: the local half of a collection; the collective half is coll_api.c.
 * Owner: as coll.h.
 * Invariants: I1 and I2 of coll.h.
 * Order: [pair: lane-out] in jdi_coll_idle; [pair: coll-active], [pair: coll-epoch].
 * See: coll.h.
 */
#include "sched/pool.h"

#include <stdio.h>

enum { ID_SEQUENCE_BITS = 40 };

static void init_lanes(jd_coll *c)
{
    struct jdi_rank *r = c->rank;
    for (unsigned i = 0; i < c->nlanes; i++) {
        bool alone = r->am->nranks == 1 && r->nworkers == 1;
        uint64_t number = (uint64_t)r->am->rank * c->nlanes + i;
        jdi_deque_init(&c->lane[i].deque, c->slot_size, !alone, &r->am->fault);
        c->lane[i].id_base = number << ID_SEQUENCE_BITS;
    }
}

int jdi_coll_new(struct jdi_rank *r, const jd_coll_props *props, jd_coll **out)
{
    static const jd_coll_props defaults = {0};
    const jd_coll_props *p = props ? props : &defaults;
    size_t arg_size = p->arg_size ? p->arg_size : JDI_TASK_ARG_DEFAULT;
    if (arg_size > JDI_TASK_ARG_INLINE)
        return JD_EINVAL;
    jd_coll *c = jdi_zalloc(&r->am->fault, sizeof *c);
    if (!c)
        return JD_ENOMEM;
    c->rank = r;
    c->nlanes = r->nworkers + 1;
    c->lane = jdi_zalloc(&r->am->fault, c->nlanes * sizeof *c->lane);
    c->td = jdi_zalloc(&r->am->fault, r->detector->size);
    c->arg_size = (uint32_t)arg_size;
    c->slot_size = JDI_TASK_HEAD + (uint32_t)jdi_round_up(arg_size, JDI_TASK_ALIGN);
    while (c->ntasks < r->registry.count && !r->registry.row[c->ntasks].hooks)
        c->ntasks++;
    c->row = r->registry.row;
    c->uniform = p->uniform;
    c->restorable = !p->no_restore;
    c->local = p->local;
    if (p->name)
        snprintf(c->name, sizeof c->name, "%s", p->name);
    atomic_init(&c->state, JDI_COLL_SEEDING);
    if (!c->lane || !c->td) {
        jdi_coll_free(c);
        return JD_ENOMEM;
    }
    init_lanes(c);
    *out = c;
    return 0;
}

void jdi_coll_free(jd_coll *c)
{
    for (unsigned i = 0; c->lane && i < c->nlanes; i++) {
        if (c->lane[i].deque.slot_size)
            jdi_deque_fini(&c->lane[i].deque);
        jdi_record_free(&c->lane[i].kept);
    }
    jdi_record_free(&c->seeds);
    jdi_steal_fini(&c->steal);
    while (c->held) {
        struct jdi_held *next = c->held->next;
        jdi_free(c->held);
        c->held = next;
    }
    jdi_free(c->lane);
    jdi_free(c->td);
    jdi_free(c);
}

void jdi_coll_set_state(jd_coll *c, enum jdi_coll_state from, enum jdi_coll_state to)
{
    JD_CHECK_EQ(jdi_coll_state(c), from);
    atomic_store_explicit(&c->state, to, memory_order_relaxed);
}

/* ---- adding ------------------------------------------------------------------------- */

void jdi_lane_share(struct jdi_rank *r, struct jdi_lane *l)
{
    jdi_deque_release(&l->deque, (jdi_deque_private(&l->deque) + 1) / 2);
    jdi_rank_wake_one(r);
}

/* May `me` add to c at all?  A collection that has ended begins a new seeding. */
static int check_adder(jd_self *me, jd_coll *c)
{
    enum jdi_coll_state state = jdi_coll_state(c);
    if (state == JDI_COLL_SEEDING)
        return 0;
    if (state == JDI_COLL_OPEN)
        return atomic_load_explicit(&c->hold_in, memory_order_relaxed) >
                       atomic_load_explicit(&c->hold_out, memory_order_relaxed)
                   ? 0
                   : JD_ESTATE;
    if (state != JDI_COLL_DONE || !me->is_body)
        return JD_ESTATE;
    jdi_record_clear(&c->seeds);
    jdi_coll_set_state(c, JDI_COLL_DONE, JDI_COLL_SEEDING);
    return 0;
}

static int check_size(const jd_coll *c, size_t size)
{
    if (size <= c->arg_size)
        return 0;
    return c->uniform || size > JDI_TASK_ARG_MAX ? JD_ETOOBIG : 0;
}

static int check_add(jd_self *me, jd_coll *c, jd_task fn, size_t size)
{
    const struct jdi_registry *known = &c->rank->registry;
    if (fn >= known->count || known->row[fn].hooks)
        return JD_EINVAL;
    int error = check_size(c, size);
    return error || me->coll == c ? error : check_adder(me, c);
}

/*
 * A slot in the lane, uncounted; NULL when out of memory.  Seeds stay private until the
 * collection is open: a thief may still be looking at it since the last phase, and what it
 * took would lie in a lane that nobody looks at, and be missing in the record of seeds.
 */
static struct jdi_task *push(struct jdi_rank *r, jd_coll *c, struct jdi_lane *l,
                             size_t size)
{
    if (JDI_UNLIKELY(jdi_deque_stingy(&l->deque)) && jdi_coll_state(c) == JDI_COLL_OPEN)
        jdi_lane_share(r, l);
    if (JDI_LIKELY(size <= c->arg_size))
        return jdi_deque_push(&l->deque);
    void *spill = jdi_alloc(&r->am->fault, size);
    struct jdi_task *t = spill ? jdi_deque_push(&l->deque) : NULL;
    if (t)
        jdi_task_set_spill(t, spill);
    else
        jdi_free(spill);
    return t;
}

struct jdi_task *jdi_coll_new_task(jd_self *me, jd_coll *c, jd_task fn, size_t size,
                                   int *error)
{
    *error = check_add(me, c, fn, size);
    if (*error)
        return NULL;
    struct jdi_lane *l = jdi_coll_lane(c, me);
    struct jdi_task *t = push(me->rank, c, l, size);
    if (!t) {
        *error = JD_ENOMEM;
        return NULL;
    }
    uint16_t flags = size > c->arg_size ? JDI_TASK_SPILLED : 0;
    if (me->is_body && jdi_coll_state(c) == JDI_COLL_SEEDING)
        flags |= JDI_TASK_SEED;
    return jdi_coll_label(l, t, fn, flags, size);
}

/* ---- counting ----------------------------------------------------------------------- */

bool jdi_coll_idle(const jd_coll *c)
{
    if (c->pool)
        return jdi_spmd_idle(c);
    uint64_t out = 0, in = 0;
    /* [pair: lane-out] acquire: a task counted out here was counted in before, and so were
     * the tasks it added; all outs are read before any in (TERMINATION 4.3, mutant 23). */
    for (unsigned i = 0; i < c->nlanes; i++)
        out += atomic_load_explicit(&c->lane[i].out, memory_order_acquire);
    out += atomic_load_explicit(&c->hold_out, memory_order_acquire);
    for (unsigned i = 0; i < c->nlanes; i++)
        in += atomic_load_explicit(&c->lane[i].in, memory_order_acquire);
    in += atomic_load_explicit(&c->hold_in, memory_order_acquire);
    return in == out && !c->held;
}

/* The xor of 0 .. n. */
static uint64_t xor_to(uint64_t n)
{
    const uint64_t x[4] = {n, 1, n + 1, 0};
    return x[n & 3];
}

/* Sum and xor of base + k for k in (from, to]. */
static void id_range(uint64_t base, uint64_t from, uint64_t to, uint64_t *sum,
                     uint64_t * xor)
{
    uint64_t n = to - from, ends = from + 1 + to;
    uint64_t ramp = n & 1 ? n * (ends / 2) : (n / 2) * ends;
    *sum += n * base + ramp;
    *xor ^= (n & 1 ? base : 0) ^ xor_to(to) ^ xor_to(from);
}

void jdi_coll_audit(const jd_coll *c, uint64_t out[JDI_TD_STATS])
{
    uint64_t created = 0, executed = 0, sum = 0, xor = 0, ran_sum = 0, ran_xor = 0;
    for (unsigned i = 0; i + 1 < c->nlanes; i++) {
        const struct jdi_lane *l = &c->lane[i];
        uint64_t in = atomic_load_explicit(&l->in, memory_order_relaxed);
        created += in - l->in_before;
        executed += atomic_load_explicit(&l->out, memory_order_relaxed) - l->out_before;
        id_range(l->id_base, l->in_before, in, &sum, &xor);
        ran_sum += l->id_sum;
        ran_xor ^= l->id_xor;
    }
    out[0] = created;
    out[1] = executed;
    out[2] = sum - ran_sum;
    out[3] = xor^ran_xor;
}

void jdi_coll_begin(jd_coll *c)
{
    uint64_t seeded = 0;
    for (unsigned i = 0; i < c->nlanes; i++) {
        struct jdi_lane *l = &c->lane[i];
        seeded += atomic_load_explicit(&l->in, memory_order_relaxed) - l->in_before;
        jdi_record_clear(&l->kept);
    }
    c->info = (jd_coll_info){.seeded = seeded};
    c->counted = c->steal.count;
}

void jdi_coll_end(jd_coll *c)
{
    jd_coll_info *info = &c->info;
    for (unsigned i = 0; i < c->nlanes; i++) {
        struct jdi_lane *l = &c->lane[i];
        uint64_t in = atomic_load_explicit(&l->in, memory_order_relaxed);
        uint64_t out = atomic_load_explicit(&l->out, memory_order_relaxed);
        bool comm = i + 1 == c->nlanes;
        *(comm ? &info->stolen_in : &info->created) += in - l->in_before;
        *(comm ? &info->stolen_out : &info->executed) += out - l->out_before;
        info->stolen_local += l->stolen_local;
        info->retained += l->kept.count;
        l->in_before = in;
        l->out_before = out;
        l->id_sum = l->id_xor = l->stolen_local = 0;
    }
    info->attempts = c->steal.count.attempts - c->counted.attempts;
    info->steals = c->steal.count.steals - c->counted.steals;
    info->failed = c->steal.count.failed - c->counted.failed;
    info->cyclic = c->steal.count.cyclic - c->counted.cyclic;
}

/* ---- seeding again ------------------------------------------------------------------ */

static int reseed_from(jd_self *me, jd_coll *c, const struct jdi_record *from)
{
    for (const struct jdi_task *t = NULL; (t = jdi_record_next(from, t));) {
        int error = 0;
        struct jdi_task *again = jdi_coll_new_task(me, c, t->fn, t->len, &error);
        if (!again)
            return error;
        again->flags |= JDI_TASK_SEED | JDI_TASK_AGAIN;
        memcpy(jdi_task_arg(again), t->arg, t->len);
    }
    return 0;
}

int jdi_coll_note_seeds(jd_self *me, jd_coll *c)
{
    /* The body never leaves its worker, so all its seeds lie in one lane, and private. */
    const struct jdi_deque *d = &jdi_coll_lane(c, me)->deque;
    uint64_t first = d->head - jdi_deque_open(d) - jdi_deque_private(d);
    for (uint64_t i = first; i < d->head && c->restorable; i++) {
        const struct jdi_task *t = jdi_deque_slot(d, i);
        bool unknown = (t->flags & (JDI_TASK_SEED | JDI_TASK_AGAIN)) == JDI_TASK_SEED;
        if (unknown && jdi_record_add(&c->seeds, t, &c->rank->am->fault))
            return JD_ENOMEM;
    }
    return 0;
}

int jdi_coll_reseed(jd_self *me, jd_coll *c, enum jd_restore how)
{
    if (how == JD_RESTORE_SEED)
        return reseed_from(me, c, &c->seeds);
    for (unsigned i = 0; i < c->nlanes; i++) {
        int error = reseed_from(me, c, &c->lane[i].kept);
        if (error)
            return error;
    }
    return 0;
}

/* ---- the list that workers look at -------------------------------------------------- */

void jdi_coll_activate(jd_coll *c)
{
    struct jdi_rank *r = c->rank;
    /* [pair: coll-active] release: the collection's fields before workers see it. */
    atomic_store_explicit(&r->active[c->id], c, memory_order_release);
    if (atomic_load_explicit(&r->nactive, memory_order_relaxed) <= c->id)
        atomic_store_explicit(&r->nactive, c->id + 1u, memory_order_release);
    /* A worker may have gone to sleep over tasks that it added before the start; nobody
     * else sees the private ones. */
    for (unsigned i = 0; i < r->nworkers; i++)
        if (atomic_load_explicit(&c->lane[i].in, memory_order_relaxed) !=
            c->lane[i].in_before)
            jdi_idle_wake(r->workers[i].idle);
}

void jdi_coll_deactivate(jd_coll *c)
{
    struct jdi_rank *r = c->rank;
    atomic_store_explicit(&r->active[c->id], NULL, memory_order_relaxed);
    /* [pair: coll-epoch] release: whoever sees the new epoch sees the empty place. */
    atomic_fetch_add_explicit(&r->epoch, 1, memory_order_release);
}

bool jdi_rank_forgot(const struct jdi_rank *r, uint64_t epoch)
{
    for (unsigned i = 0; i < r->nworkers; i++)
        /* [pair: coll-epoch] acquire: that worker's last use of the collection. */
        if (atomic_load_explicit(&r->workers[i].epoch, memory_order_acquire) < epoch)
            return false;
    return true;
}
