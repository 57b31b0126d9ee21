/*
 * transfer.c - tasks between ranks: exporting, importing.
 *
 * Role: the message TASKS, and rules R1 and R2 of the detector around it.
 * Owner: the communication thread; takes from shelves as any thief.
 * Invariants: I1 exported tasks are counted out after they left the deque and before they
 *                are sent (R1); imported ones counted in before they are pushed (R2).
 * See: doc/transfer.md (layouts); paper 003, steal(); ARCHITECTURE.md "Life of a steal".
 */
#include "sched/pool.h"

/* TASKS, arg2: how the payload is laid out, and above it what it answers. */
enum {
    STRAIGHT = 0 /* slots as they lie in the deque */,
    PACKED = 1 /* head + argument */,
    LAYOUT = 0xff
};
enum { ANSWER_BIT = 8, PIECE = 0 /* more of the same, no answer */ };
/* Packed tasks of one message; a larger batch leaves in pieces. */
#define PACKED_MAX ((size_t)64 << 20)

/* ---- the victim's side -------------------------------------------------------------- */

static bool any_spilled(const struct jdi_claim *claim)
{
    for (uint64_t i = 0; i < claim->n; i++)
        if (jdi_claim_slot(claim, i)->flags & JDI_TASK_SPILLED)
            return true;
    return false;
}

/* How many tasks of the claim, from its first on, go into one message. */
static uint64_t fitting(const jd_coll *c, const struct jdi_claim *claim)
{
    return !c->uniform && any_spilled(claim) ? jdi_claim_fit(claim, PACKED_MAX)
                                             : claim->n;
}

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

static void deliver(jd_coll *c, const struct jdi_recipient *to,
                    const struct jdi_am_msg *m)
{
    struct jdi_rank *r = c->rank;
    if (to->in ? jdi_am_reply(to->in, m) : jdi_am_send(r->am, to->thief.rank, m))
        jdi_die(&r->am->log, JDI_EXIT_MEMORY, "out of memory for %u bytes of tasks",
                m->len);
}

/* Rule R1. */
static void export_tasks(jd_coll *c, const struct jdi_recipient *to, unsigned answer,
                         const struct jdi_claim *claim)
{
    struct jdi_rank *r = c->rank;
    struct jdi_am_msg m = {.type = JDI_MSG_TASKS, .nargs = 4};
    unsigned char *packed = NULL;
    m.data = jdi_claim_slot(claim, 0);
    m.len = (uint32_t)(claim->n * c->slot_size);
    m.arg[2] = STRAIGHT;
    struct jdi_td_stamp stamp = {0};
    if (c->pool) {
        packed = jdi_pool_export(c, claim, &m);
        stamp.wave = (uint32_t)m.arg[1];
    } else if (!c->uniform && any_spilled(claim)) {
        m.len = (uint32_t)packed_size(claim);
        m.data = packed = jdi_alloc(&r->am->fault, m.len);
        if (!packed)
            jdi_die(&r->am->log, JDI_EXIT_MEMORY, "out of memory for %u bytes of tasks",
                    m.len);
        pack(claim, packed);
        m.arg[2] = PACKED;
    }
    jdi_account_out(jdi_coll_network(c), claim->n);
    if (!c->pool)
        stamp = r->detector->exported(c->td);
    m.arg[0] = jdi_coll_word(c);
    m.arg[1] = stamp.wave | claim->n << 32;
    m.arg[2] |= (uint64_t)answer << ANSWER_BIT;
    m.arg[3] = to->thief.when;
    r->stats.steal_messages += answer != PIECE;
    deliver(c, to, &m);
    jdi_free(packed);
}

bool jdi_transfer_take(jd_coll *c, uint64_t amount, uint64_t most, struct jdi_claim *out)
{
    return jdi_store_claim(&c->store, &c->rank->rng, amount, most, out);
}

void jdi_transfer_send(jd_coll *c, const struct jdi_recipient *to,
                       const struct jdi_claim *taken)
{
    struct jdi_recipient next = *to;
    unsigned answer = to->answer;
    struct jdi_claim part = *taken;
    for (uint64_t left = part.n; left; left -= part.n) {
        part.n = left;
        part.n = fitting(c, &part);
        export_tasks(c, &next, answer, &part);
        jdi_store_finish(&part);
        part.from += part.n;
        next.in = NULL; /* a request is replied to once */
        answer = PIECE;
    }
}

/* ---- the thief's side --------------------------------------------------------------- */

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

struct jdi_shelf *jdi_transfer_shelf(const jd_coll *c)
{
    return &c->seat[c->rank->place.dedicated ? c->nowners - 1 : 0].shelf;
}

/* Rule R2, the second half: live from here on. */
static void import_tasks(jd_coll *c, uint32_t src, uint32_t ntasks, bool packed,
                         const unsigned char *bytes, size_t len)
{
    struct jdi_rank *r = c->rank;
    struct jdi_shelf *s = jdi_transfer_shelf(c);
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
    h->packed = (m->arg[2] & LAYOUT) == PACKED;
    memcpy(h->bytes, m->data, m->len);
    c->held = h;
}

void jdi_transfer_unhold(jd_coll *c)
{
    while (c->held) {
        struct jdi_held *h = c->held;
        c->held = h->next;
        import_tasks(c, h->src, h->ntasks, h->packed, h->bytes, h->len);
        jdi_free(h);
    }
}

/* The policy hears of an answer, and how long it took is noted. */
static void note_answer(jd_coll *c, const struct jdi_am_in *in, unsigned answer)
{
    struct jdi_rank *r = c->rank;
    if (answer == PIECE)
        return;
    jdi_steal_answered(&c->steal, in->src, (enum jdi_steal_answer)answer);
    jdi_stats_log2(r->stats.steal_ns, JDI_STATS_TIMES, jdi_rank_now(r) - in->msg->arg[3]);
}

static void on_tasks(void *ctx, const struct jdi_am_in *in)
{
    struct jdi_rank *r = ctx;
    const uint64_t *arg = in->msg->arg;
    uint16_t id = (uint16_t)arg[0];
    jd_coll *c = id < JDI_COLLS_MAX ? r->colls[id] : NULL;
    uint32_t ntasks = (uint32_t)(arg[1] >> 32);
    if (!c || !ntasks)
        malformed(r, in->src);
    struct jdi_td_stamp stamp = {(uint32_t)(arg[0] >> 32), (uint32_t)arg[1]};
    r->events++;
    r->stirred = true;
    note_answer(c, in, (unsigned)(arg[2] >> ANSWER_BIT & 0xff));
    if (c->pool)
        jdi_pool_import(c, in->src, in->msg);
    else if (r->detector->imported(c->td, stamp))
        import_tasks(c, in->src, ntasks, (arg[2] & LAYOUT) == PACKED, in->msg->data,
                     in->msg->len);
    else
        hold(c, stamp, in->src, in->msg);
}

void jdi_transfer_init(struct jdi_rank *r)
{
    jdi_am_set_handler(r->am, JDI_MSG_TASKS, on_tasks, r);
}
