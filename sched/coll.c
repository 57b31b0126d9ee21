/*
 * coll.c - a collection's local half: adding tasks, counting them, seeding them again.
 *
 * Role: what needs no other rank; the collective half is coll_api.c.
 * Invariants: I1 and I2 of account.h.
 * Order: [pair: account-out] in jdi_coll_settled; [pair: coll-active], [pair: coll-epoch].
 * See: coll.h, which has the owners.
 */
#include "sched/coll.h"

#include "sched/name.h"
#include "sched/recall.h"

#include <stdio.h>

static int init_seats(jd_coll *c)
{
    for (unsigned i = 0; i < c->nowners; i++) {
        jdi_account_init(&c->seat[i].account,
                         (uint64_t)c->rank->am->rank * c->nowners + i);
        c->seat[i].account.named = c->kind->names;
    }
    c->store = (struct jdi_store){
        .first = &c->seat->shelf, .stride = sizeof *c->seat, .nshelves = c->nowners};
    return jdi_store_init(&c->store, c->rank, c->slot_size);
}

/* What JACKDAW_STEAL says about collections for which the program says nothing. */
static enum jd_stealing stealing_of_job(const struct jdi_rank *r)
{
    int kind = r->knobs->steal;
    return kind == JDI_STEAL_KIND_NONE    ? JD_STEAL_NONE
           : kind == JDI_STEAL_KIND_LOCAL ? JD_STEAL_LOCAL
                                          : JD_STEAL_ALL;
}

/* Can anybody take tasks from a worker's shelf in this phase? */
static bool has_thieves(const jd_coll *c)
{
    bool alone = c->rank->am->nranks == 1 && c->rank->nworkers == 1;
    return !alone && c->sharing != JD_STEAL_NONE;
}

int jdi_coll_new(struct jdi_rank *r, const struct jdi_kind *kind,
                 const jd_coll_props *props, jd_coll **out)
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
    c->kind = kind;
    c->nowners = r->nworkers + 1;
    c->seat = jdi_zalloc(&r->am->fault, c->nowners * sizeof *c->seat);
    c->td = jdi_zalloc(&r->am->fault, r->detector->size);
    c->arg_size = (uint32_t)arg_size;
    c->origin = p->timed ? sizeof(struct jdi_origin) : 0;
    c->room = c->arg_size + c->origin;
    c->slot_size = JDI_TASK_HEAD + (uint32_t)jdi_round_up(c->room, JDI_TASK_ALIGN);
    /* The fast path of an add does not name tasks. */
    while (!kind->names && c->ntasks < r->registry.count &&
           !r->registry.row[c->ntasks].hooks)
        c->ntasks++;
    c->row = r->registry.row;
    c->uniform = p->uniform;
    c->restorable = !p->no_restore;
    c->stealing = c->sharing = stealing_of_job(r);
    c->local = p->local;
    c->model = (struct jdi_model){JD_LOAD_LAST, JDI_ORIGIN_TIMES};
    c->worth = (struct jdi_worth){.workers = r->nworkers, .nranks = r->am->nranks};
    if (p->name)
        snprintf(c->name, sizeof c->name, "%s", p->name);
    atomic_init(&c->state, JDI_COLL_SEEDING);
    if (p->timed)
        c->history = jdi_history_new(c->nowners, &r->am->fault);
    if (!c->seat || !c->td || (p->timed && !c->history) || init_seats(c) ||
        (kind->names && jdi_recall_new(c, p->recall))) {
        jdi_coll_free(c);
        return JD_ENOMEM;
    }
    for (unsigned i = 0; i < r->nworkers && !has_thieves(c); i++)
        jdi_store_enter(&c->seat[i].shelf); /* no worker uses it yet */
    *out = c;
    return 0;
}

void jdi_coll_free(jd_coll *c)
{
    jdi_store_fini(&c->store);
    for (unsigned i = 0; c->seat && i < c->nowners; i++)
        jdi_account_fini(&c->seat[i].account);
    for (unsigned i = 0; c->seat && i < c->nowners; i++)
        jdi_retain_fini(&c->seat[i].retained);
    jdi_record_free(&c->seeds);
    jdi_history_free(c->history);
    jdi_recall_free(c);
    jdi_steal_fini(&c->steal);
    while (c->held) {
        struct jdi_held *next = c->held->next;
        jdi_free(c->held);
        c->held = next;
    }
    jdi_free(c->seat);
    jdi_free(c->td);
    jdi_free(c);
}

void jdi_coll_set_state(jd_coll *c, enum jdi_coll_state from, enum jdi_coll_state to)
{
    JD_CHECK_EQ(jdi_coll_state(c), from);
    atomic_store_explicit(&c->state, to, memory_order_relaxed);
    jdi_store_open(&c->store, to == JDI_COLL_OPEN && has_thieves(c));
}

/* ---- adding ------------------------------------------------------------------------- */

void jdi_coll_seed_anew(jd_coll *c)
{
    jdi_record_clear(&c->seeds);
    c->nseeds = 0;
    if (c->history)
        c->history->pruned.here.n = 0;
}

/* May `me` add to c?  The body's first add after a phase moves c from DONE to SEEDING. */
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
    jdi_coll_seed_anew(c);
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
    if (!c)
        return JD_EINVAL;
    const struct jdi_registry *known = &c->rank->registry;
    if (fn >= known->count || known->row[fn].hooks)
        return JD_EINVAL;
    int error = check_size(c, size);
    return error || me->coll == c ? error : check_adder(me, c);
}

/* Take a slot on the shelf.  The task is not counted yet.  NULL when out of memory. */
static struct jdi_task *push_task(jd_coll *c, struct jdi_shelf *s, size_t len)
{
    if (JDI_LIKELY(len <= c->room))
        return jdi_store_push(s);
    void *spill = jdi_alloc(&c->rank->am->fault, len);
    struct jdi_task *t = spill ? jdi_store_push(s) : NULL;
    if (t)
        jdi_task_set_spill(t, spill);
    else
        jdi_free(spill);
    return t;
}

/* Make a task with `len` bytes of origin and argument, and count it.  NULL when out of memory. */
static struct jdi_task *make_task(jd_self *me, jd_coll *c, jd_task fn, uint16_t flags,
                                  size_t len)
{
    struct jdi_seat *seat = &c->seat[me->worker->index]; /* its shelf is jdi_coll_shelf */
    struct jdi_task *t = push_task(c, &seat->shelf, len);
    flags |= len > c->room ? JDI_TASK_SPILLED : 0;
    return t ? jdi_account_new(&seat->account, t, fn, flags, len) : NULL;
}

static void name_task(struct jdi_seat *seat, struct jdi_task *t, uint64_t name)
{
    t->id = name;
    jdi_account_name(&seat->account, name);
}

static struct jdi_task *make_seed(jd_self *me, jd_coll *c, jd_task fn, size_t size)
{
    if (c->nseeds == UINT32_MAX)
        return NULL;
    uint32_t index = c->nseeds;
    struct jdi_task *t = make_task(me, c, fn, JDI_TASK_SEED, c->origin + size);
    if (t && c->origin)
        *jdi_origin_of(t) =
            (struct jdi_origin){.rank = c->rank->am->rank, .index = index};
    if (t && c->recall)
        name_task(&c->seat[me->worker->index], t,
                  jdi_name_seed(c->rank->am->rank, index));
    c->nseeds += t && (c->origin || c->recall);
    return t;
}

/* A task that is no seed, of a collection whose tasks have names. */
static struct jdi_task *make_named(jd_self *me, jd_coll *c, jd_task fn, size_t size)
{
    struct jdi_seat *seat = &c->seat[me->worker->index];
    if (JDI_UNLIKELY(seat->promised))
        jdi_recall_divert(c, seat);
    struct jdi_task *t = make_task(me, c, fn, 0, size);
    if (!t)
        return NULL;
    bool child = JDI_LIKELY(me->coll == c);
    name_task(seat, t, child ? me->child++ : jdi_name_stranger(t->id));
    if (child && jdi_recall_fate(c->recall, t->id) < c->rank->am->nranks)
        seat->promised = t->id;
    return t;
}

struct jdi_task *jdi_coll_new_task(jd_self *me, jd_coll *c, jd_task fn, size_t size,
                                   int *error)
{
    *error = check_add(me, c, fn, size);
    if (*error)
        return NULL;
    bool seed = me->is_body && jdi_coll_state(c) == JDI_COLL_SEEDING;
    struct jdi_task *t = seed        ? make_seed(me, c, fn, size)
                         : c->recall ? make_named(me, c, fn, size)
                                     : make_task(me, c, fn, 0, size);
    *error = t ? 0 : JD_ENOMEM;
    return t;
}

/* ---- counting ----------------------------------------------------------------------- */

bool jdi_coll_settled(const jd_coll *c)
{
    uint64_t out = 0, in = 0;
    /* [pair: account-out] acquire: if this load sees a task counted out, later loads see that task
     * and the tasks that it added counted in.  So every `out` is read before any `in`
     * (TERMINATION 4.3, mutant 23).  The acquire also orders what the caller reads because of
     * the answer, so the loads of `in` and hold_in, and their stores, can be relaxed. */
    for (unsigned i = 0; i < c->nowners; i++)
        out += atomic_load_explicit(&c->seat[i].account.out, memory_order_acquire);
    out += atomic_load_explicit(&c->hold_out, memory_order_acquire);
    for (unsigned i = 0; i < c->nowners; i++)
        in += atomic_load_explicit(&c->seat[i].account.in, memory_order_relaxed);
    in += atomic_load_explicit(&c->hold_in, memory_order_relaxed);
    JD_ASSERT(in >= out);
    return in == out && !c->held;
}

void jdi_coll_check(jd_coll *c)
{
    struct jdi_rank *r = c->rank;
    bool open = jdi_coll_state(c) == JDI_COLL_OPEN;
    uint32_t looking = 0;
    JD_CHECK(jdi_coll_state(c) >= JDI_COLL_SEEDING &&
             jdi_coll_state(c) <= JDI_COLL_DYING);
    JD_CHECK(c->nowners == r->nworkers + 1 && c->store.nshelves == c->nowners);
    JD_CHECK(atomic_load_explicit(&c->store.open, memory_order_relaxed) ==
             (open && has_thieves(c)));
    JD_CHECK(!open || !c->held);
    JD_CHECK((c->held != NULL) == (c->nheld > 0));
    JD_CHECK(open || !atomic_load_explicit(&c->lists, memory_order_relaxed));
    JD_CHECK(atomic_load_explicit(&r->active[c->id], memory_order_relaxed) ==
             (open ? c : NULL));
    JD_CHECK(!c->waiter || open);
    jdi_recall_check(c);
    for (unsigned i = 0; i < c->nowners; i++) {
        JD_CHECK(jdi_store_shelf(&c->store, i) == &c->seat[i].shelf);
        JD_CHECK(c->seat[i].shelf.owner == i && c->seat[i].shelf.store == &c->store);
    }
    for (unsigned i = 0; i < JDI_STEAL_LOOKS; i++)
        looking += c->look[i].open;
    if (!c->steal.config) /* asks nobody */
        return;
    JD_CHECK_EQ(looking, c->steal.looking);
    JD_CHECK_EQ(c->waiting, c->steal.thieves.n);
    jdi_steal_check(&c->steal);
}

void jdi_coll_audit(const jd_coll *c, uint64_t out[JDI_TD_STATS])
{
    memset(out, 0, JDI_TD_STATS * sizeof *out);
    for (unsigned i = 0; i + 1 < c->nowners; i++)
        jdi_account_audit(&c->seat[i].account, out);
}

void jdi_coll_begin(jd_coll *c)
{
    JD_ASSERT(jdi_rank_is_comm(c->rank));
    uint64_t seeded = 0;
    for (unsigned i = 0; i < c->nowners; i++)
        seeded += jdi_account_begin(&c->seat[i].account);
    c->info = (jd_coll_info){.seeded = seeded};
    if (c->history)
        jdi_history_begin(c->history);
    c->counted = c->steal.count;
    c->sharing = c->stealing;
}

void jdi_coll_end(jd_coll *c)
{
    JD_ASSERT(jdi_rank_is_comm(c->rank));
    jd_coll_info *info = &c->info;
    struct jdi_account_sums here = {0}, network = {0};
    for (unsigned i = 0; i + 1 < c->nowners; i++) {
        struct jdi_stats *s = &c->rank->workers[i].stats;
        struct jdi_account_sums before = here;
        jdi_account_end(&c->seat[i].account, &here);
        s->created += here.in - before.in;
        s->executed += here.out - before.out;
        if (!c->kind->visible)
            s->finish_tasks += here.out - before.out;
    }
    jdi_account_end(jdi_coll_network(c), &network);
    info->created += here.in;
    info->executed += here.out;
    info->stolen_local += here.stolen;
    info->retained += here.kept;
    if (c->history)
        jdi_history_end(c, info);
    info->retained -= info->null;
    info->stolen_in += network.in;
    info->stolen_out += network.out;
    info->attempts = c->steal.count.attempts - c->counted.attempts;
    info->steals = c->steal.count.steals - c->counted.steals;
    info->failed = c->steal.count.failed - c->counted.failed;
    info->cyclic = c->steal.count.cyclic - c->counted.cyclic;
    JD_AUDIT(jdi_store_check(&c->store));
}

/* ---- seeding again ------------------------------------------------------------------ */

static int reseed_from(jd_self *me, jd_coll *c, const struct jdi_record *from)
{
    for (const struct jdi_task *t = NULL; (t = jdi_record_next(from, t));) {
        struct jdi_task *again =
            make_task(me, c, t->fn, JDI_TASK_SEED | JDI_TASK_AGAIN, t->len);
        if (!again)
            return JD_ENOMEM;
        if (c->recall)
            name_task(&c->seat[me->worker->index], again, t->id);
        memcpy(jdi_task_arg(again), t->arg, t->len);
        jdi_store_put(jdi_coll_shelf(me, c));
    }
    return 0;
}

/* Record a seed on the body's shelf, unless restore() has brought it back: then it is recorded. */
static int note_seed(void *ctx, const struct jdi_task *t)
{
    jd_coll *c = ctx;
    bool unknown = (t->flags & (JDI_TASK_SEED | JDI_TASK_AGAIN)) == JDI_TASK_SEED;
    return unknown ? jdi_record_add(&c->seeds, t, &c->rank->am->fault) : 0;
}

int jdi_coll_note_seeds(jd_self *me, jd_coll *c)
{
    /* The body never leaves its worker, so all its seeds lie on one shelf and are private. */
    const struct jdi_shelf *s = jdi_coll_shelf(me, c);
    return c->restorable ? jdi_store_each(s, note_seed, c) : 0;
}

int jdi_coll_reseed(jd_self *me, jd_coll *c, enum jd_restore how)
{
    if (how == JD_RESTORE_SEED)
        return reseed_from(me, c, &c->seeds);
    jdi_retain_list(me, c);
    return 0;
}

/* ---- the list that workers look at -------------------------------------------------- */

void jdi_coll_activate(jd_coll *c)
{
    JD_ASSERT(jdi_rank_is_comm(c->rank));
    struct jdi_rank *r = c->rank;
    /* [pair: coll-active] release: the collection's fields before workers see it. */
    atomic_store_explicit(&r->active[c->id], c, memory_order_release);
    if (atomic_load_explicit(&r->nactive, memory_order_relaxed) <= c->id)
        atomic_store_explicit(&r->nactive, c->id + 1u, memory_order_relaxed);
    /* A worker may sleep although it added tasks before the start.  If the tasks are private,
     * nobody else sees them.  If the worker opened them, the workers that it woke did not find
     * the collection in the list.  So both kinds of workers are woken here.
     * [pair: idle-wake] seq_cst, one for all the looks below: this thread lists the collection,
     * then looks at the accounts, the sleepers and the shelves; a worker adds, announces that it
     * will sleep, passes the fence of its sleep, then looks at the list. */
    atomic_thread_fence(memory_order_seq_cst);
    for (unsigned i = 0; i < r->nworkers; i++)
        if (atomic_load_explicit(&c->seat[i].account.in, memory_order_relaxed) !=
                c->seat[i].account.in_before ||
            jdi_retained_waits(&c->seat[i].retained))
            jdi_idle_wake_fenced(r->workers[i].idle);
    /* One is enough: who is woken wakes the next if more is open (I4 of store.c). */
    if (jdi_store_local(&c->store))
        jdi_rank_wake_one(r);
}

void jdi_coll_deactivate(jd_coll *c)
{
    JD_ASSERT(jdi_rank_is_comm(c->rank));
    struct jdi_rank *r = c->rank;
    atomic_store_explicit(&r->active[c->id], NULL, memory_order_relaxed);
    /* [pair: coll-epoch] release: whoever sees the new epoch sees that active[id] is NULL. */
    atomic_fetch_add_explicit(&r->epoch, 1, memory_order_release);
}
