/*
 * plain.c - the collections that programs make: the kind behind jd_coll_create.
 *
 * Role: runs a task on the loop's own stack, counts it by its id, packs it for another rank as
 *       it lies or with its spilled argument taken in; ends a phase.
 * Owner: as kind.h.
 * Invariants: I1 and I2 of account.h. I3 a task's `out` is counted by the worker on which it ends.
 *             I4 exported tasks are counted out after they left the shelf and before they are
 *                sent (R1); imported ones counted in before they are pushed (R2).
 *             I5 the audit words of all ranks are zero where they must be at every announcement
 *                (law 5); anything else ends the job.
 * See: sched/kind.h; doc/transfer.md (layouts); paper 003 section 6, process() and steal().
 */
#include "sched/plain.h"

#include "sched/ask.h"
#include "sched/unblock.h"

/* ---- running ------------------------------------------------------------------------ */

/* Note a seed that is executed here: RETAIN starts the next iteration with it. */
static JDI_NOINLINE void keep_seed(struct jdi_rank *r, jd_coll *c, struct jdi_account *a,
                                   const struct jdi_task *t)
{
    if (c->restorable && jdi_record_add(&a->kept, t, &r->am->fault))
        jdi_die(&r->am->log, JDI_EXIT_MEMORY,
                "out of memory for the record of executed seeds of %s", c->name);
}

/* Run the task that lies at `slot`, its argument copied out to `arg`, since the next add
 * writes over the slot; me->seat may be another one afterwards. */
static inline void execute(jd_self *me, jd_coll *c, const struct jdi_task *slot,
                           unsigned char *arg)
{
    const uint64_t id = slot->id;
    const jd_task_fn fn = c->row[slot->fn].fn;
    const uint16_t flags = slot->flags;
    if (JDI_UNLIKELY(flags & JDI_TASK_SEED))
        keep_seed(me->rank, c, &me->seat->account, slot);
    jdi_task_copy(arg, slot->arg, c->slot_size - JDI_TASK_HEAD);
    jdi_account_starts(&me->seat->account, id);
    jdi_store_popped(&me->seat->shelf);
    if (JDI_UNLIKELY(flags & JDI_TASK_SPILLED)) {
        void *spill;
        memcpy(&spill, arg, sizeof spill);
        fn(me, spill);
        jdi_free(spill);
    } else {
        fn(me, arg);
    }
    /* After its adds were counted in (I1 of account.h, I3). */
    jdi_account_out(&me->seat->account, 1);
}

/* Run up to `fuel` tasks of c; how many. */
static uint32_t run(jd_self *me, jd_coll *c, uint32_t fuel)
{
    _Alignas(JDI_TASK_ALIGN) unsigned char arg[c->slot_size - JDI_TASK_HEAD];
    uint32_t ran = 0;
    jdi_coll_sit(me, c);
    while (ran < fuel) {
        const struct jdi_task *slot = jdi_store_pop(&me->seat->shelf);
        if (!slot)
            break;
        execute(me, c, slot, arg);
        ran++;
    }
    me->coll = NULL;
    return ran;
}

/* Ids are the same wherever a task lies. */
static void taken(jd_coll *c, struct jdi_seat *mine, uint64_t n)
{
    (void)c, (void)mine, (void)n;
}

/* ---- leaving ------------------------------------------------------------------------ */

static size_t packed_size(const struct jdi_claim *claim)
{
    size_t n = 0;
    for (uint64_t i = 0; i < claim->n; i++)
        n += jdi_task_packed(jdi_claim_slot(claim, i));
    return n;
}

/* Tasks with spilled arguments travel packed; the spilled blocks end here. */
static unsigned char *pack(const struct jdi_claim *claim, unsigned char *to)
{
    for (uint64_t i = 0; i < claim->n; i++) {
        const struct jdi_task *t = jdi_claim_slot(claim, i);
        struct jdi_task *copy = (struct jdi_task *)(void *)to;
        *copy = (struct jdi_task){.id = t->id, .fn = t->fn, .len = t->len};
        copy->flags = t->flags & (uint16_t)~JDI_TASK_SPILLED;
        void *arg = t->flags & JDI_TASK_SPILLED ? jdi_task_spill(t) : NULL;
        memcpy(copy->arg, arg ? arg : t->arg, t->len);
        jdi_free(arg);
        to += jdi_task_packed(copy);
    }
    return to;
}

static void *pack_claim(jd_coll *c, const struct jdi_claim *claim, struct jdi_am_msg *m)
{
    struct jdi_rank *r = c->rank;
    unsigned char *packed = NULL;
    m->data = jdi_claim_slot(claim, 0);
    m->len = (uint32_t)(claim->n * c->slot_size);
    m->arg[2] = JDI_TASKS_STRAIGHT;
    if (!c->uniform && jdi_claim_any_spilled(claim)) {
        m->len = (uint32_t)packed_size(claim);
        m->data = packed = jdi_alloc(&r->am->fault, m->len);
        if (!packed)
            jdi_die(&r->am->log, JDI_EXIT_MEMORY, "out of memory for %u bytes of tasks",
                    m->len);
        pack(claim, packed);
        m->arg[2] = JDI_TASKS_PACKED;
    }
    jdi_account_out(jdi_coll_network(c), claim->n);
    m->arg[1] = r->detector->exported(c->td).wave | claim->n << 32;
    m->nargs = 4;
    return packed;
}

/* ---- arriving ----------------------------------------------------------------------- */

static JD_NORETURN void malformed(struct jdi_rank *r, uint32_t src)
{
    jdi_die(&r->am->log, JDI_EXIT_BUG, "malformed tasks from rank %u", src);
}

/* One packed task into a slot; the bytes it took, or 0 if it is malformed. */
static size_t unpack(jd_coll *c, struct jdi_shelf *s, const unsigned char *at,
                     size_t left)
{
    struct jdi_task head;
    if (left < sizeof head)
        return 0;
    memcpy(&head, at, sizeof head);
    if (head.len > JDI_TASK_ARG_MAX || jdi_task_packed(&head) > left)
        return 0;
    struct jdi_task *t = jdi_store_land(s);
    *t = (struct jdi_task){
        .id = head.id, .fn = head.fn, .flags = head.flags, .len = head.len};
    if (head.len > c->arg_size) {
        void *spill = jdi_alloc(&c->rank->am->fault, head.len);
        if (!spill)
            jdi_die(&c->rank->am->log, JDI_EXIT_MEMORY,
                    "out of memory for a task's argument");
        jdi_task_set_spill(t, spill);
    }
    memcpy(jdi_task_arg(t), at + JDI_TASK_HEAD, head.len);
    return jdi_task_packed(&head);
}

static bool unpack_all(jd_coll *c, struct jdi_shelf *s, uint32_t ntasks,
                       const unsigned char *bytes, size_t len)
{
    for (uint32_t i = 0; i < ntasks; i++) {
        size_t took = unpack(c, s, bytes, len);
        if (!took)
            return false;
        bytes += took;
        len -= took;
    }
    return len == 0;
}

static bool copy_slots(jd_coll *c, struct jdi_shelf *s, uint32_t ntasks,
                       const unsigned char *bytes, size_t len)
{
    if (len != (size_t)ntasks * c->slot_size)
        return false;
    for (uint32_t i = 0; i < ntasks; i++)
        memcpy(jdi_store_land(s), bytes + (size_t)i * c->slot_size, c->slot_size);
    return true;
}

static bool sane(jd_coll *c, struct jdi_shelf *s, uint32_t ntasks, bool packed)
{
    for (uint32_t i = 0; i < ntasks; i++) {
        const struct jdi_task *t = jdi_store_youngest(s, i);
        if (t->fn >= c->rank->registry.count || (!packed && t->len > c->arg_size) ||
            (!packed && t->flags & JDI_TASK_SPILLED))
            return false;
    }
    return true;
}

/* Rule R2, the second half: live from here on. */
static void import_tasks(jd_coll *c, uint32_t src, uint32_t ntasks, bool packed,
                         const unsigned char *bytes, size_t len)
{
    struct jdi_rank *r = c->rank;
    struct jdi_shelf *s = jdi_coll_landing(c);
    if (jdi_store_reserve(s, ntasks))
        jdi_die(&r->am->log, JDI_EXIT_MEMORY, "out of memory for %u stolen tasks",
                ntasks);
    jdi_account_in(jdi_coll_network(c), ntasks);
    if (!(packed ? unpack_all : copy_slots)(c, s, ntasks, bytes, len) ||
        !sane(c, s, ntasks, packed))
        malformed(r, src);
    jdi_store_arrived(s, ntasks);
}

static void hold(jd_coll *c, struct jdi_td_stamp stamp, uint32_t src,
                 const struct jdi_am_msg *m)
{
    struct jdi_held *h = jdi_alloc(&c->rank->am->fault, sizeof *h + m->len);
    if (!h)
        jdi_die(&c->rank->am->log, JDI_EXIT_MEMORY, "out of memory for early tasks");
    *h = (struct jdi_held){.next = c->held, .stamp = stamp, .src = src};
    h->ntasks = (uint32_t)(m->arg[1] >> 32);
    h->len = m->len;
    h->packed = (m->arg[2] & JDI_TASKS_LAYOUT) == JDI_TASKS_PACKED;
    memcpy(h->bytes, m->data, m->len);
    c->held = h;
}

void jdi_plain_unhold(jd_coll *c)
{
    while (c->held) {
        struct jdi_held *h = c->held;
        c->held = h->next;
        import_tasks(c, h->src, h->ntasks, h->packed, h->bytes, h->len);
        jdi_free(h);
    }
}

static void unpack_message(jd_coll *c, uint32_t src, const struct jdi_am_msg *m)
{
    struct jdi_td_stamp stamp = {(uint32_t)(m->arg[0] >> 32), (uint32_t)m->arg[1]};
    bool packed = (m->arg[2] & JDI_TASKS_LAYOUT) == JDI_TASKS_PACKED;
    if (c->rank->detector->imported(c->td, stamp))
        import_tasks(c, src, (uint32_t)(m->arg[1] >> 32), packed, m->data, m->len);
    else
        hold(c, stamp, src, m);
}

/* ---- the end of a phase ------------------------------------------------------------- */

static void count_phase(struct jdi_stats *s, const jd_coll_info *info)
{
    s->created += info->created;
    s->executed += info->executed;
    s->stolen_in += info->stolen_in;
    s->stolen_out += info->stolen_out;
    s->waves += info->waves;
}

static void announced(jd_coll *c, uint32_t phase, const uint64_t stat[JDI_TD_STATS])
{
    struct jdi_rank *r = c->rank;
    JD_CHECK_EQ(phase, c->phase);
    if (stat[0] != stat[1] || stat[2] || stat[3])
        jdi_die(&r->am->log, JDI_EXIT_AUDIT,
                "tasks lost or doubled in %s, phase %u: created %llu, executed %llu, "
                "ids differ by %llx and %llx",
                c->name, phase, (unsigned long long)stat[0], (unsigned long long)stat[1],
                (unsigned long long)stat[2], (unsigned long long)stat[3]);
    struct jdi_td_figures figures;
    r->detector->figures(c->td, &figures);
    jdi_coll_deactivate(c);
    jdi_ask_end(c);
    jdi_coll_end(c);
    c->info.all_executed = stat[1];
    c->info.waves = figures.waves;
    count_phase(&r->stats, &c->info);
    jdi_coll_set_state(c, JDI_COLL_OPEN, JDI_COLL_DONE);
    jdi_rank_news(r);
    if (c->waiter) {
        jd_self *waiter = c->waiter;
        c->waiter = NULL;
        jdi_unblock(NULL, waiter);
    }
}

const struct jdi_kind jdi_plain_kind = {
    .run = run,
    .taken = taken,
    .idle = jdi_coll_settled,
    .announced = announced,
    .pack = pack_claim,
    .unpack = unpack_message,
    .visible = true,
};
