/*
 * transfer.c - tasks between ranks: asking, exporting, importing.
 *
 * Role: the three messages of a steal, and rules R1 and R2 of the detector around them.
 * Owner: the communication thread; takes from lanes as any thief.
 * Invariants: I1 exported tasks are counted out after they left the deque and before they
 *                are sent (R1); imported ones counted in before they are pushed (R2).
 *             I2 a steal request is answered exactly once, with tasks of its own phase or
 *                with NOWORK.
 * See: doc/transfer.md (layouts); paper 003, steal(); ARCHITECTURE.md "Life of a steal".
 */
#include "sched/comm.h"

/* TASKS, arg2: how the payload is laid out. */
enum {
    STRAIGHT = 0 /* slots as they lie in the deque */,
    PACKED = 1 /* head + argument */
};

static uint64_t coll_word(const jd_coll *c)
{
    return c->id | (uint64_t)c->phase << 32;
}

/* The collection a message speaks of, or NULL if it is not in that phase here. */
static jd_coll *find(struct jdi_rank *r, uint64_t word)
{
    uint16_t id = (uint16_t)word;
    jd_coll *c = id < JDI_COLLS_MAX ? r->colls[id] : NULL;
    return c && c->phase == word >> 32 && jdi_coll_state(c) == JDI_COLL_OPEN ? c : NULL;
}

void jdi_transfer_ask(jd_coll *c, uint32_t victim)
{
    struct jdi_am_msg m = {.type = JDI_MSG_STEAL, .nargs = 2};
    m.arg[0] = coll_word(c);
    m.arg[1] = c->rank->amount;
    if (jdi_am_send(c->rank->am, victim, &m))
        jdi_die(&c->rank->am->log, JDI_EXIT_MEMORY, "out of memory for a steal request");
}

/* ---- the victim's side -------------------------------------------------------------- */

static bool any_spilled(const struct jdi_claim *claim)
{
    for (uint64_t i = 0; i < claim->n; i++)
        if (jdi_claim_slot(claim, i)->flags & JDI_TASK_SPILLED)
            return true;
    return false;
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

/* Rule R1. */
static void export_tasks(jd_coll *c, const struct jdi_am_in *in,
                         const struct jdi_claim *claim)
{
    struct jdi_rank *r = c->rank;
    struct jdi_am_msg m = {.type = JDI_MSG_TASKS, .nargs = 3};
    unsigned char *packed = NULL;
    m.data = jdi_claim_slot(claim, 0);
    m.len = (uint32_t)(claim->n * c->slot_size);
    if (!c->uniform && any_spilled(claim)) {
        m.len = (uint32_t)packed_size(claim);
        m.data = packed = jdi_alloc(&r->am->fault, m.len);
        if (!packed)
            jdi_die(&r->am->log, JDI_EXIT_MEMORY, "out of memory for %u bytes of tasks",
                    m.len);
        pack(claim, packed);
        m.arg[2] = PACKED;
    }
    jdi_count(&jdi_coll_comm_lane(c)->out, claim->n);
    struct jdi_td_stamp stamp = jdi_td_francez.exported(c->td);
    m.arg[0] = coll_word(c);
    m.arg[1] = stamp.wave | claim->n << 32;
    if (jdi_am_reply(in, &m))
        jdi_die(&r->am->log, JDI_EXIT_MEMORY, "out of memory for %u bytes of tasks",
                m.len);
    jdi_free(packed);
}

static bool serve(jd_coll *c, const struct jdi_am_in *in)
{
    struct jdi_rank *r = c->rank;
    uint64_t most = r->am->max_data / c->slot_size;
    uint32_t start = jdi_random_below(&r->rng, c->nlanes);
    for (unsigned k = 0; k < c->nlanes; k++) {
        unsigned v = start + k < c->nlanes ? start + k : start + k - c->nlanes;
        struct jdi_deque *d = &c->lane[v].deque;
        struct jdi_claim claim;
        if (!jdi_deque_claim(d, in->msg->arg[1], most ? most : 1, true, &claim))
            continue;
        export_tasks(c, in, &claim);
        jdi_deque_finish(d, &claim);
        return true;
    }
    return false;
}

static void on_steal(void *ctx, const struct jdi_am_in *in)
{
    struct jdi_rank *r = ctx;
    jd_coll *c = find(r, in->msg->arg[0]);
    if (c && serve(c, in)) {
        r->events++;
        return;
    }
    struct jdi_am_msg m = {.type = JDI_MSG_NOWORK, .nargs = 1, .arg = {in->msg->arg[0]}};
    if (jdi_am_reply(in, &m))
        jdi_die(&r->am->log, JDI_EXIT_MEMORY, "out of memory for a message");
}

/* ---- the thief's side --------------------------------------------------------------- */

static JD_NORETURN void malformed(struct jdi_rank *r, uint32_t src)
{
    jdi_die(&r->am->log, JDI_EXIT_BUG, "malformed tasks from rank %u", src);
}

/* One packed task into a slot; the bytes it took, or 0 if it is malformed. */
static size_t unpack(jd_coll *c, struct jdi_deque *d, const unsigned char *at,
                     size_t left)
{
    struct jdi_task head;
    if (left < sizeof head)
        return 0;
    memcpy(&head, at, sizeof head);
    if (head.len > JDI_TASK_ARG_MAX || jdi_task_packed(&head) > left)
        return 0;
    struct jdi_task *t = jdi_deque_push(d);
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

static bool unpack_all(jd_coll *c, struct jdi_deque *d, uint32_t ntasks,
                       const unsigned char *bytes, size_t len)
{
    for (uint32_t i = 0; i < ntasks; i++) {
        size_t took = unpack(c, d, bytes, len);
        if (!took)
            return false;
        bytes += took;
        len -= took;
    }
    return len == 0;
}

static bool copy_slots(jd_coll *c, struct jdi_deque *d, uint32_t ntasks,
                       const unsigned char *bytes, size_t len)
{
    if (len != (size_t)ntasks * c->slot_size)
        return false;
    for (uint32_t i = 0; i < ntasks; i++)
        memcpy(jdi_deque_push(d), bytes + (size_t)i * c->slot_size, c->slot_size);
    return true;
}

static bool sane(jd_coll *c, const struct jdi_deque *d, uint64_t from, bool packed)
{
    for (uint64_t i = from; i < d->head; i++) {
        const struct jdi_task *t = jdi_deque_slot(d, i);
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
    struct jdi_lane *comm = jdi_coll_comm_lane(c);
    /* Inline, this thread owns worker 0's lane; else only its own. */
    struct jdi_lane *l = r->place.dedicated ? comm : &c->lane[0];
    struct jdi_deque *d = &l->deque;
    if (jdi_deque_reserve(d, ntasks))
        jdi_die(&r->am->log, JDI_EXIT_MEMORY, "out of memory for %u stolen tasks",
                ntasks);
    jdi_count(&comm->in, ntasks);
    uint64_t from = d->head;
    if (!(packed ? unpack_all : copy_slots)(c, d, ntasks, bytes, len) ||
        !sane(c, d, from, packed))
        malformed(r, src);
    if (r->place.dedicated) {
        jdi_deque_release(d, ntasks);
        jdi_rank_wake_one(r);
    } else if (jdi_deque_stingy(d) && jdi_deque_private(d) > 1) {
        jdi_lane_share(r, l);
    }
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
    h->packed = m->arg[2] == PACKED;
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
    r->steal->answered(&c->steal, in->src, ntasks);
    if (jdi_td_francez.imported(c->td, stamp))
        import_tasks(c, in->src, ntasks, arg[2] == PACKED, in->msg->data, in->msg->len);
    else
        hold(c, stamp, in->src, in->msg);
}

static void on_nowork(void *ctx, const struct jdi_am_in *in)
{
    struct jdi_rank *r = ctx;
    uint16_t id = (uint16_t)in->msg->arg[0];
    jd_coll *c = id < JDI_COLLS_MAX ? r->colls[id] : NULL;
    if (!c)
        malformed(r, in->src);
    r->steal->answered(&c->steal, in->src, 0);
}

void jdi_transfer_init(struct jdi_rank *r)
{
    jdi_am_set_handler(r->am, JDI_MSG_STEAL, on_steal, r);
    jdi_am_set_handler(r->am, JDI_MSG_TASKS, on_tasks, r);
    jdi_am_set_handler(r->am, JDI_MSG_NOWORK, on_nowork, r);
}
