/*
 * plain.c - the collections that programs make: the kind behind jd_coll_create.
 *
 * Role: runs a task on the loop's own stack, counts it by its id, packs it for another rank, with
 *       its spilled argument if it has one; ends a phase.
 * Invariants: I1 and I2 of account.h. I3 a task's `out` is counted by the worker on which it ends.
 *             I4 exported tasks are counted out after they left the shelf and before they are sent
 *                (R1); imported tasks are counted in before they are pushed (R2).
 *             I5 at every announcement the audit words of all ranks close (law 5), or the job ends.
 * See: sched/kind.h; doc/transfer.md (layouts); paper 003 section 6, process() and steal().
 */
#include "sched/plain.h"

#include "sched/codec.h"
#include "sched/phase.h"
#include "sched/traces.h"

/* ---- running ------------------------------------------------------------------------ */

/* Record a seed that runs here, because RETAIN starts the next iteration with it. */
static JDI_NOINLINE void keep_seed(struct jdi_rank *r, jd_coll *c, struct jdi_account *a,
                                   const struct jdi_task *t)
{
    if (c->restorable && jdi_record_add(&a->kept, t, &r->am->fault))
        jdi_die(&r->am->log, JDI_EXIT_MEMORY,
                "out of memory for the record of executed seeds of %s", c->name);
}

/* Run the task at `slot`.  Its argument is copied to `arg` first, because the next add overwrites
 * the slot.  me->seat may be another seat afterwards. */
static inline void plain_execute(jd_self *me, jd_coll *c, const struct jdi_task *slot,
                                 unsigned char *arg)
{
    const uint64_t id = slot->id;
    const jd_task slot_fn = slot->fn;
    const jd_task_fn fn = c->row[slot_fn].fn;
    const uint16_t flags = slot->flags;
    JD_ASSERT(slot->fn < me->rank->registry.count && !c->row[slot->fn].hooks);
    JD_ASSERT(slot->len <= JDI_TASK_ARG_MAX);
    if (JDI_UNLIKELY(flags & JDI_TASK_SEED))
        keep_seed(me->rank, c, &me->seat->account, slot);
    jdi_task_copy(arg, slot->arg, c->slot_size - JDI_TASK_HEAD);
    jdi_account_starts(&me->seat->account, id);
    me->task = slot_fn;
    jdi_store_popped(&me->seat->shelf);
    if (JDI_UNLIKELY(flags & JDI_TASK_SPILLED)) {
        void *spill;
        memcpy(&spill, arg, sizeof spill);
        fn(me, spill);
        jdi_free(spill);
    } else {
        fn(me, arg);
    }
    if (JDI_UNLIKELY(me->phased != NULL))
        me->rank->on_phased(me);
    /* The tasks that it added have been counted in before (I1 of account.h, I3). */
    jdi_account_out(&me->seat->account, 1);
}

/* Run up to `fuel` tasks of c; return how many ran. */
static uint32_t plain_run(jd_self *me, jd_coll *c, uint32_t fuel)
{
    _Alignas(JDI_TASK_ALIGN) unsigned char arg[c->slot_size - JDI_TASK_HEAD];
    uint32_t ran = 0;
    jdi_coll_sit(me, c);
    while (ran < fuel) {
        const struct jdi_task *slot = jdi_store_pop(&me->seat->shelf);
        if (!slot)
            break;
        plain_execute(me, c, slot, arg);
        ran++;
    }
    me->coll = NULL;
    return ran;
}

/* An id as it is recorded: another one in each collection, and consecutive ones stay consecutive. */
static uint64_t recorded_id(const jd_coll *c, uint64_t id)
{
    return id ^ (uint64_t)c->id << 33;
}

/* Run a task and record it.  Returns when it ended, which is when the next one begins.  In virtual time
 * `uncharged` is what the caller has still to charge for the tasks of this batch. */
static uint64_t plain_record(jd_self *me, jd_coll *c, const struct jdi_task *slot,
                             unsigned char *arg, uint64_t from, uint64_t uncharged)
{
    const struct jdi_account *a = &me->seat->account;
    const uint64_t id = slot->id,
                   before = atomic_load_explicit(&a->in, memory_order_relaxed);
    const jd_task row = slot->fn;
    jdi_tracer_starts(me->worker->tracer, row, from);
    plain_execute(me, c, slot, arg);
    uint64_t to = jdi_rank_now(c->rank) + uncharged;
    struct jdi_tracer *t = me->worker->tracer;
    jdi_tracer_task(t, row, from, to, recorded_id(c, id));
    uint64_t added = atomic_load_explicit(&a->in, memory_order_relaxed) - before;
    /* Of a task that has gone on on another worker nothing is said: each has ids of its own. */
    if (a == &me->seat->account && added)
        jdi_tracer_put(t, JDI_TRACE_SPAWN, c->id, added, to,
                       recorded_id(c, a->id_base + before + 1));
    return to;
}

static uint32_t plain_run_traced(jd_self *me, jd_coll *c, uint32_t fuel)
{
    _Alignas(JDI_TASK_ALIGN) unsigned char arg[c->slot_size - JDI_TASK_HEAD];
    uint64_t at = jdi_rank_now(c->rank), task_ns = jdi_time_task_ns(c->rank->am->time);
    uint32_t ran = 0;
    jdi_coll_sit(me, c);
    while (ran < fuel) {
        const struct jdi_task *slot = jdi_store_pop(&me->seat->shelf);
        if (!slot)
            break;
        ran++;
        at = plain_record(me, c, slot, arg, at, ran * task_ns);
    }
    jdi_tracer_starts(me->worker->tracer, UINT32_MAX, at);
    me->coll = NULL;
    return ran;
}

/* Nothing to do: the id of a task does not depend on who has it. */
static void plain_taken(jd_coll *c, struct jdi_seat *mine, uint64_t n)
{
    (void)c, (void)mine, (void)n;
}

/* ---- leaving ------------------------------------------------------------------------ */

static struct jdi_codec plain_codec(const jd_coll *c, enum jdi_tasks_layout layout)
{
    return (struct jdi_codec){.layout = layout,
                              .slot_size = c->slot_size,
                              .arg_size = c->arg_size,
                              .known = &c->rank->registry,
                              .fault = &c->rank->am->fault};
}

static JD_NORETURN void no_memory_for(const jd_coll *c, uint64_t ntasks)
{
    jdi_die(&c->rank->am->log, JDI_EXIT_MEMORY, "out of memory for %llu tasks of %s",
            (unsigned long long)ntasks, c->name);
}

static uint64_t plain_fit(const jd_coll *c, const struct jdi_claim *claim, size_t bytes)
{
    bool packed = !c->uniform && jdi_claim_any_spilled(claim);
    return packed ? jdi_claim_fit(claim, bytes) : claim->n;
}

/* Pack a batch that has spilled arguments, and free their blocks. */
static void *pack_spilled(const jd_coll *c, const struct jdi_claim *claim,
                          struct jdi_am_msg *m)
{
    struct jdi_codec k = plain_codec(c, JDI_TASKS_PACKED);
    size_t bytes = 0;
    for (uint64_t i = 0; i < claim->n; i++)
        bytes += jdi_codec_size(&k, jdi_claim_slot(claim, i));
    unsigned char *block = jdi_alloc(k.fault, bytes), *to = block;
    if (!block)
        no_memory_for(c, claim->n);
    for (uint64_t i = 0; i < claim->n; i++) {
        const struct jdi_task *t = jdi_claim_slot(claim, i);
        void *spill = t->flags & JDI_TASK_SPILLED ? jdi_task_spill(t) : NULL;
        to = jdi_codec_put(&k, to, t, spill ? spill : (void *)(uintptr_t)t->arg, t->id);
        jdi_free(spill);
    }
    m->data = block;
    m->len = (uint32_t)bytes;
    m->arg[2] = JDI_TASKS_PACKED;
    return block;
}

/* What is wrong with a message of tasks; NULL: nothing.  Both sides ask. */
static const char *plain_fault(const jd_coll *c, const struct jdi_am_msg *m)
{
    enum jdi_tasks_layout layout = (enum jdi_tasks_layout)(m->arg[2] & JDI_TASKS_LAYOUT);
    if (layout == JDI_TASKS_FINISH)
        return "tasks of finishes, in a collection";
    struct jdi_codec k = plain_codec(c, layout);
    return jdi_codec_fault(&k, m->data, m->len, m->arg[1] >> 32);
}

static void *plain_pack(jd_coll *c, const struct jdi_claim *claim, struct jdi_am_msg *m)
{
    JD_ASSERT(jdi_rank_is_comm(c->rank));
    void *block = NULL;
    m->data = jdi_claim_slot(claim, 0);
    m->len = (uint32_t)(claim->n * c->slot_size);
    m->arg[2] = JDI_TASKS_STRAIGHT;
    if (!c->uniform && jdi_claim_any_spilled(claim))
        block = pack_spilled(c, claim, m);
    jdi_account_out(jdi_coll_network(c), claim->n);
    m->arg[1] = c->rank->detector->exported(c->td).wave | claim->n << 32;
    m->nargs = 4;
    JD_ASSERT(!plain_fault(c, m)); /* in the words of who gets it */
    return block;
}

/* ---- arriving ----------------------------------------------------------------------- */

/* Put n slots onto a shelf as they are. */
static void land_slots(const jd_coll *c, struct jdi_shelf *s, uint64_t n,
                       const unsigned char *at)
{
    for (; n > 0; n--, at += c->slot_size)
        memcpy(jdi_store_land(s), at, c->slot_size);
}

static void land_packed(const jd_coll *c, struct jdi_shelf *s, uint64_t n,
                        const unsigned char *at)
{
    struct jdi_codec k = plain_codec(c, JDI_TASKS_PACKED);
    struct jdi_codec_task t;
    for (uint64_t i = 0; i < n; i++) {
        at = jdi_codec_next(&k, at, &t);
        if (jdi_codec_land(&k, jdi_store_land(s), &t, t.id))
            no_memory_for(c, n);
    }
}

/* Rule R2, the second half: the tasks are live from here on. */
static void import_tasks(jd_coll *c, enum jdi_tasks_layout layout, uint64_t ntasks,
                         const unsigned char *at)
{
    struct jdi_shelf *s = jdi_coll_landing(c);
    if (jdi_store_reserve(s, ntasks))
        no_memory_for(c, ntasks);
    jdi_account_in(jdi_coll_network(c), ntasks);
    if (layout == JDI_TASKS_STRAIGHT)
        land_slots(c, s, ntasks, at);
    else
        land_packed(c, s, ntasks, at);
    jdi_store_arrived(s, ntasks);
}

static void plain_land(jd_coll *c, const struct jdi_am_msg *m)
{
    import_tasks(c, (enum jdi_tasks_layout)(m->arg[2] & JDI_TASKS_LAYOUT),
                 m->arg[1] >> 32, m->data);
}

static void plain_unpack(jd_coll *c, const struct jdi_am_in *in)
{
    JD_ASSERT(jdi_rank_is_comm(c->rank));
    JD_ASSERT(!plain_fault(c, in->msg));
    if (jdi_phase_arrived(c, in->msg))
        plain_land(c, in->msg);
}

/* ---- the end of a phase ------------------------------------------------------------- */

static void plain_announced(jd_coll *c, uint32_t phase, const uint64_t stat[JDI_TD_STATS])
{
    JD_ASSERT(jdi_rank_is_comm(c->rank));
    if (stat[0] != stat[1] || stat[2] || stat[3])
        jdi_die(&c->rank->am->log, JDI_EXIT_AUDIT,
                "tasks lost or doubled in %s, phase %u: created %llu, executed %llu, "
                "ids differ by %llx and %llx",
                c->name, phase, (unsigned long long)stat[0], (unsigned long long)stat[1],
                (unsigned long long)stat[2], (unsigned long long)stat[3]);
    jdi_phase_end(c, phase, stat[1]);
}

/* The kind, with one way or the other to run tasks. */
#define PLAIN_KIND(run_some)                                                             \
    {                                                                                    \
        .run = run_some, .taken = plain_taken, .idle = jdi_coll_settled,                 \
        .announced = plain_announced, .fit = plain_fit, .pack = plain_pack,              \
        .fault = plain_fault, .unpack = plain_unpack, .land = plain_land,                \
        .visible = true,                                                                 \
    }

const struct jdi_kind jdi_plain_kind = PLAIN_KIND(plain_run);
const struct jdi_kind jdi_plain_traced = PLAIN_KIND(plain_run_traced);
