/*
 * plain.c - the collections that programs make: the kinds behind jd_coll_create.
 *
 * Role: runs a task on the loop's own stack, counts it by its id, packs it for another rank, with
 *       its spilled argument if it has one; ends a phase.  The timed kinds measure it, too.
 * Invariants: I1 and I2 of account.h. I3 a task's `out` is counted by the worker on which it ends.
 *             I4 exported tasks are counted out after they left the shelf and before they are sent
 *                (R1); imported tasks are counted in before they are pushed (R2).
 *             I5 at every announcement the audit words of all ranks close (law 5), or the job ends.
 * See: sched/kind.h; doc/transfer.md (layouts); paper 003 section 6, process() and steal().
 */
#include "sched/plain.h"

#include "sched/name.h"
#include "sched/phase.h"
#include "sched/recall.h"
#include "sched/stopwatch.h"
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

/* The same for a timed one: its time will go into the copy. */
static JDI_NOINLINE void keep_timed(jd_self *me, jd_coll *c, const struct jdi_task *t)
{
    struct jdi_account *a = &me->seat->account;
    const unsigned char *bytes = a->kept.bytes;
    size_t at = a->kept.used;
    keep_seed(me->rank, c, a, t);
    if (c->restorable)
        me->watch->at = at;
    if (a->kept.bytes != bytes)
        jdi_stopwatch_start(me); /* to copy a record may take longer than a task */
}

/* The task of the watch has ended at `now`. */
static void note_time(jd_self *me, jd_coll *c, const struct jdi_stopwatch *watch,
                      uint64_t now)
{
    struct jdi_rank *r = me->rank;
    if (!jdi_history_ran(c->history, me->worker->index, &me->seat->account.kept, watch,
                         watch->spent + now - watch->since, &r->am->fault))
        jdi_die(&r->am->log, JDI_EXIT_MEMORY,
                "out of memory for the times of seeds of %s", c->name);
}

/* A task of a kind with names has ended, so the last one that was added is complete. */
static inline void send_promised(jd_self *me, jd_coll *c)
{
    if (JDI_UNLIKELY(me->seat->promised))
        jdi_recall_divert(c, me->seat);
}

/* Run the task at `slot`.  Its argument is copied to `arg` first, because the next add overwrites
 * the slot.  me->seat may be another seat afterwards.  `watch`: of a timed kind, else NULL. */
static inline void plain_execute(jd_self *me, jd_coll *c, const struct jdi_task *slot,
                                 unsigned char *arg, struct jdi_stopwatch *watch)
{
    const uint64_t id = slot->id;
    const jd_task slot_fn = slot->fn;
    const jd_task_fn fn = c->row[slot_fn].fn;
    const uint16_t flags = slot->flags;
    const size_t head = watch && flags & JDI_TASK_SEED ? sizeof(struct jdi_origin) : 0;
    JD_ASSERT(slot->fn < me->rank->registry.count && !c->row[slot->fn].hooks);
    JD_ASSERT(slot->len <= JDI_TASK_ARG_MAX + head);
    if (watch)
        me->watch = watch;
    if (JDI_UNLIKELY(flags & JDI_TASK_SEED) && watch)
        keep_timed(me, c, slot);
    else if (JDI_UNLIKELY(flags & JDI_TASK_SEED))
        keep_seed(me->rank, c, &me->seat->account, slot);
    jdi_task_copy(arg, slot->arg, c->slot_size - JDI_TASK_HEAD);
    jdi_account_starts(&me->seat->account, id);
    me->task = slot_fn;
    jdi_store_popped(&me->seat->shelf);
    if (JDI_UNLIKELY(flags & JDI_TASK_SPILLED)) {
        void *spill;
        memcpy(&spill, arg, sizeof spill);
        fn(me, (char *)spill + head);
        jdi_free(spill);
    } else {
        fn(me, arg + head);
    }
    if (JDI_UNLIKELY(me->phased != NULL))
        me->rank->on_phased(me);
    if (watch) {
        uint64_t now = jdi_rank_now(me->rank);
        me->watch = NULL;
        note_time(me, c, watch, now);
        watch->since = now;
    }
    /* The tasks that it added have been counted in before (I1 of account.h, I3). */
    jdi_account_out(&me->seat->account, 1);
}

/* Run up to `fuel` tasks of c; return how many ran. */
static inline uint32_t run_tasks(jd_self *me, jd_coll *c, uint32_t fuel, bool named)
{
    _Alignas(JDI_TASK_ALIGN) unsigned char arg[c->slot_size - JDI_TASK_HEAD];
    uint32_t ran = 0;
    jdi_coll_sit(me, c);
    while (ran < fuel) {
        const struct jdi_task *slot = jdi_store_pop(&me->seat->shelf);
        if (!slot)
            break;
        if (named)
            me->child = jdi_name_children(slot->id);
        plain_execute(me, c, slot, arg, NULL);
        if (named)
            send_promised(me, c);
        ran++;
    }
    me->coll = NULL;
    return ran;
}

static uint32_t plain_run(jd_self *me, jd_coll *c, uint32_t fuel)
{
    return run_tasks(me, c, fuel, false);
}

static uint32_t named_run(jd_self *me, jd_coll *c, uint32_t fuel)
{
    return run_tasks(me, c, fuel, true);
}

/* An id as it is recorded: another one in each collection, and consecutive ones stay consecutive. */
static uint64_t recorded_id(const jd_coll *c, uint64_t id)
{
    return id ^ (uint64_t)c->id << 33;
}

/* A task that is recorded, while it runs. */
struct recorded {
    const struct jdi_account *a;
    uint64_t id, before; /* tasks that the account had counted in */
    uint64_t child;      /* the name of the first child */
    jd_task row;
};

static struct recorded begin_record(jd_self *me, const struct jdi_task *slot,
                                    uint64_t from)
{
    const struct jdi_account *a = &me->seat->account;
    uint64_t before = atomic_load_explicit(&a->in, memory_order_relaxed);
    jdi_traces_starts(me->worker, slot->fn, from);
    return (struct recorded){a, slot->id, before, me->child, slot->fn};
}

static void end_record(jd_self *me, const jd_coll *c, const struct recorded *r,
                       uint64_t from, uint64_t to)
{
    jdi_traces_task(me->worker, r->row, from, to, recorded_id(c, r->id));
    uint64_t added = atomic_load_explicit(&r->a->in, memory_order_relaxed) - r->before;
    /* Of a task that has gone on on another worker nothing is said: each has ids of its own. */
    if (r->a == &me->seat->account && added)
        jdi_traces_spawned(
            me->worker, c->id, added, to,
            recorded_id(c, r->a->named ? r->child : r->a->id_base + r->before + 1));
}

/* plain_run with a look at the clock after each task: the next one begins then.  In virtual time the caller has
 * still to charge for the tasks of this batch; a record has that added. */
static inline uint32_t run_by_clock(jd_self *me, jd_coll *c, uint32_t fuel, unsigned ways)
{
    _Alignas(JDI_TASK_ALIGN) unsigned char arg[c->slot_size - JDI_TASK_HEAD];
    const bool timed = ways & JDI_PLAIN_TIMED, traced = ways & JDI_PLAIN_TRACED;
    const bool named = ways & JDI_PLAIN_NAMED;
    uint64_t at = traced ? jdi_traces_now(me->worker) : 0;
    uint64_t task_ns = jdi_time_task_ns(c->rank->am->time);
    struct jdi_stopwatch watch = {.since = timed ? jdi_rank_now(c->rank) : 0};
    struct recorded task = {0};
    uint32_t ran = 0;
    jdi_coll_sit(me, c);
    while (ran < fuel) {
        const struct jdi_task *slot = jdi_store_pop(&me->seat->shelf);
        if (!slot)
            break;
        if (named)
            me->child = jdi_name_children(slot->id);
        if (traced)
            task = begin_record(me, slot, at);
        watch = (struct jdi_stopwatch){.since = watch.since,
                                       .at = JDI_STOPWATCH_NO_SEED,
                                       .owner = me->worker->index};
        plain_execute(me, c, slot, arg, timed ? &watch : NULL);
        if (named)
            send_promised(me, c);
        ran++;
        if (!traced)
            continue;
        uint64_t to = jdi_traces_now(me->worker) + ran * task_ns;
        end_record(me, c, &task, at, to);
        at = to;
    }
    if (traced)
        jdi_traces_pauses(me->worker, at);
    me->coll = NULL;
    return ran;
}

/* A way to run tasks that looks at the clock. */
#define RUN_BY_CLOCK(name, ways)                                                         \
    static uint32_t name(jd_self *me, jd_coll *c, uint32_t fuel)                         \
    {                                                                                    \
        return run_by_clock(me, c, fuel, ways);                                          \
    }
RUN_BY_CLOCK(run_traced, JDI_PLAIN_TRACED)
RUN_BY_CLOCK(run_timed, JDI_PLAIN_TIMED)
RUN_BY_CLOCK(run_timed_traced, JDI_PLAIN_TIMED | JDI_PLAIN_TRACED)
RUN_BY_CLOCK(run_named_traced, JDI_PLAIN_NAMED | JDI_PLAIN_TRACED)
RUN_BY_CLOCK(run_named_timed, JDI_PLAIN_NAMED | JDI_PLAIN_TIMED)
RUN_BY_CLOCK(run_named_timed_traced, JDI_PLAIN_NAMED | JDI_PLAIN_TIMED | JDI_PLAIN_TRACED)

/* Nothing to do: the id of a task does not depend on who has it. */
static void plain_taken(jd_coll *c, struct jdi_seat *mine, uint64_t n)
{
    (void)c, (void)mine, (void)n;
}

/* ---- leaving ------------------------------------------------------------------------ */

struct jdi_codec jdi_plain_codec(const jd_coll *c, enum jdi_tasks_layout layout)
{
    return (struct jdi_codec){.layout = layout,
                              .slot_size = c->slot_size,
                              .arg_size = c->room,
                              .nranks = c->origin ? c->rank->am->nranks : 0,
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
    struct jdi_codec k = jdi_plain_codec(c, JDI_TASKS_PACKED);
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
    struct jdi_codec k = jdi_plain_codec(c, layout);
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
    struct jdi_codec k = jdi_plain_codec(c, JDI_TASKS_PACKED);
    struct jdi_codec_task t;
    for (uint64_t i = 0; i < n; i++) {
        at = jdi_codec_next(&k, at, &t);
        if (jdi_codec_land(&k, jdi_store_land(s), &t, t.id))
            no_memory_for(c, n);
    }
}

/* Which tasks have come, for who records. */
static void record_came(const jd_coll *c, uint32_t src, const struct jdi_am_msg *m)
{
    struct jdi_codec k =
        jdi_plain_codec(c, (enum jdi_tasks_layout)(m->arg[2] & JDI_TASKS_LAYOUT));
    const unsigned char *at = m->data;
    struct jdi_codec_task t;
    for (uint64_t n = m->arg[1] >> 32; n; n--) {
        at = jdi_codec_next(&k, at, &t);
        jdi_traces_comm(c->rank, JDI_TRACE_CAME, c->id, src, recorded_id(c, t.id));
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

/* The same where tasks have names.  Some are not for the shelf. */
static void import_named(jd_coll *c, uint32_t src, const struct jdi_am_msg *m)
{
    struct jdi_codec k =
        jdi_plain_codec(c, (enum jdi_tasks_layout)(m->arg[2] & JDI_TASKS_LAYOUT));
    struct jdi_shelf *s = jdi_coll_landing(c);
    uint64_t n = m->arg[1] >> 32, landed = 0;
    const unsigned char *at = m->data;
    struct jdi_codec_task t;
    if (jdi_store_reserve(s, n))
        no_memory_for(c, n);
    jdi_account_in(jdi_coll_network(c), n);
    for (uint64_t i = 0; i < n; i++) {
        at = jdi_codec_next(&k, at, &t);
        struct jdi_task head = {.id = t.id, .fn = t.fn, .flags = t.flags, .len = t.len};
        if (jdi_recall_took(c, src, i == 0, &head, t.arg))
            continue;
        if (jdi_codec_land(&k, jdi_store_land(s), &t, t.id))
            no_memory_for(c, n);
        landed++;
    }
    if (landed)
        jdi_store_arrived(s, landed);
}

static void plain_land(jd_coll *c, uint32_t src, const struct jdi_am_msg *m)
{
    if (c->kind->recorded)
        record_came(c, src, m);
    if (c->recall)
        import_named(c, src, m);
    else
        import_tasks(c, (enum jdi_tasks_layout)(m->arg[2] & JDI_TASKS_LAYOUT),
                     m->arg[1] >> 32, m->data);
}

static void plain_unpack(jd_coll *c, const struct jdi_am_in *in)
{
    JD_ASSERT(jdi_rank_is_comm(c->rank));
    JD_ASSERT(!plain_fault(c, in->msg));
    if (jdi_phase_arrived(c, in))
        plain_land(c, in->src, in->msg);
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
#define PLAIN_KIND(run_some, has_names, is_recorded)                                     \
    {                                                                                    \
        .run = run_some, .taken = plain_taken, .idle = jdi_coll_settled,                 \
        .announced = plain_announced, .fit = plain_fit, .pack = plain_pack,              \
        .fault = plain_fault, .unpack = plain_unpack, .land = plain_land,                \
        .visible = true, .names = has_names, .recorded = is_recorded,                    \
    }

const struct jdi_kind jdi_plain_kind = PLAIN_KIND(plain_run, false, false);
const struct jdi_kind jdi_plain_timed = PLAIN_KIND(run_timed, false, false);
static const struct jdi_kind kind_traced = PLAIN_KIND(run_traced, false, true);
static const struct jdi_kind kind_timed_traced =
    PLAIN_KIND(run_timed_traced, false, true);
static const struct jdi_kind kind_named = PLAIN_KIND(named_run, true, false);
static const struct jdi_kind kind_named_traced = PLAIN_KIND(run_named_traced, true, true);
static const struct jdi_kind kind_named_timed = PLAIN_KIND(run_named_timed, true, false);
static const struct jdi_kind kind_named_both =
    PLAIN_KIND(run_named_timed_traced, true, true);

const struct jdi_kind *jdi_plain_of(unsigned ways)
{
    static const struct jdi_kind *const kinds[] = {
        &jdi_plain_kind, &kind_traced,       &jdi_plain_timed,  &kind_timed_traced,
        &kind_named,     &kind_named_traced, &kind_named_timed, &kind_named_both};
    JD_ASSERT(ways < JDI_ARRAY_LEN(kinds));
    return kinds[ways];
}
