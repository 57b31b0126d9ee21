/*
 * wire.c - tasks of finishes between ranks: packing, unpacking, jd_async_at.
 *
 * Role: layout 2 of a TASKS message, and ASYNC messages, which have the same layout.
 * Owner: the communication hand.
 * Invariants: I1 a message has one token for each finish with tasks in it, taken while these tasks
 *                were live here.
 *             I2 every field of a message is checked; a wrong one ends the job and names the
 *                sender.  A finish that stands in a message twice is found by a mark on its
 *                remote, in linear time, and before any task of the message is counted.
 *             I3 only the code that takes messages in runs in a handler, and it sends nothing.
 *             I4 the number of tasks of jd_async_at that wait for the network is bounded.
 * See: doc/async.md "Between ranks"; sched/transfer.c, which calls this through the pool's kind.
 */
#include "sched/finish/wire.h"

#include "sched/codec.h"
#include "sched/finish/cancel.h"
#include "sched/finish/label.h"
#include "sched/finish/pool.h"
#include "sched/finish/remote.h"
#include "sched/look.h"
#include "sched/recall.h"

enum {
    OUTGOING_MOST = 1024,     /* unsent tasks of a rank; whoever makes more waits */
    OUTGOING_LATE_NS = 100000 /* between tasks that are sent while messages wait */
};

/* One finish in a message, as it travels. */
struct group {
    uint64_t number;
    uint32_t home, giver;
    uint8_t exponent, cancelled, reserved[6];
};

/* How many tasks one group takes out of a part of this rank. */
struct leaving {
    struct jdi_part *part;
    uint64_t n;
};

struct packer {
    struct jdi_rank *r;
    struct jdi_pool *a;
    struct leaving *leaving;
    struct group *group;
    unsigned char *at;
    uint32_t ngroups, wave;
};

static JD_NORETURN void wire_no_memory(struct jdi_rank *r)
{
    jdi_die(&r->am->log, JDI_EXIT_MEMORY, "out of memory for tasks of a finish");
}

static struct jdi_codec wire_codec(struct jdi_rank *r, uint32_t ngroups)
{
    return (struct jdi_codec){.layout = JDI_TASKS_FINISH,
                              .slot_size = JDI_POOL_SLOT,
                              .arg_size = JDI_TASK_ARG_DEFAULT,
                              .ngroups = ngroups,
                              .known = &r->registry,
                              .fault = &r->am->fault};
}

/* ---- leaving ------------------------------------------------------------------------ */

/* Begin a message of up to n groups and `bytes` of tasks.  One block holds the groups, then the
 * tasks, then the `leaving` of each group, which is not sent.  Returns the block. */
static void *packer_open(struct packer *k, struct jdi_rank *r, uint64_t n, size_t bytes)
{
    size_t notes = jdi_round_up(n * sizeof(struct group) + bytes, 16);
    *k = (struct packer){.r = r, .a = jdi_pool_of(r)};
    if (notes > JDI_AM_TASKS_BYTES)
        jdi_die(&r->am->log, JDI_EXIT_MEMORY, "%zu bytes of tasks in one message", notes);
    unsigned char *block = jdi_alloc(&r->am->fault, notes + n * sizeof *k->leaving);
    if (!block)
        wire_no_memory(r);
    k->group = (struct group *)(void *)block;
    k->leaving = (struct leaving *)(void *)(block + notes);
    k->at = block + n * sizeof(struct group);
    k->a->messages++;
    return block;
}

/* Add a group for a finish that this message did not have yet (I1). */
static void new_group(struct packer *k, struct jdi_part *p, struct jdi_remote *w)
{
    struct group *g = &k->group[k->ngroups];
    *g = (struct group){.number = p->root->id.number, .home = p->root->id.home};
    g->cancelled = jdi_part_cancelled(p);
    k->leaving[k->ngroups] = (struct leaving){.part = p};
    w->message = k->a->messages;
    w->group = k->ngroups++;
    if (w->all) {
        struct jdi_td_stamp stamp = k->r->detector->exported(k->a->any->td);
        g->number = stamp.phase;
        k->wave = stamp.wave;
        return;
    }
    k->r->stats->scopes++;
    struct jdi_rooted_token t = jdi_rooted_exported(&w->rooted);
    g->giver = t.home;
    g->exponent = t.e;
}

/* n tasks that were counted in `from` go into this message.  Returns their group. */
static uint32_t group_of(struct packer *k, struct jdi_part *from, uint64_t n)
{
    struct jdi_part *p = jdi_part_take(k->a->comm, from, n);
    struct jdi_remote *w = jdi_remote_of(p);
    if (w->message != k->a->messages)
        new_group(k, p, w);
    k->leaving[w->group].n += n;
    return w->group;
}

/* For assertions: has every finish of the message tasks, all of them together as many as it says,
 * and do they lie there as who gets it will read them? */
static bool is_whole(const struct packer *k, uint64_t ntasks, const struct jdi_am_msg *m)
{
    struct jdi_codec codec = wire_codec(k->r, k->ngroups);
    size_t head = k->ngroups * sizeof(struct group);
    uint64_t n = 0;
    for (uint32_t i = 0; i < k->ngroups; i++) {
        if (!k->leaving[i].n)
            return false;
        n += k->leaving[i].n;
    }
    return n == ntasks && !jdi_codec_fault(&codec, (const unsigned char *)m->data + head,
                                           m->len - head, ntasks);
}

/* Close the gap between groups and tasks, then count the tasks off from this rank's parts. */
static void packer_close(struct packer *k, uint64_t ntasks, uint64_t room,
                         struct jdi_am_msg *m)
{
    unsigned char *tasks = (unsigned char *)(k->group + room);
    size_t bytes = (size_t)(k->at - tasks);
    memmove(k->group + k->ngroups, tasks, bytes);
    m->data = k->group;
    m->len = (uint32_t)(k->ngroups * sizeof *k->group + bytes);
    m->arg[1] = k->wave | ntasks << 32;
    m->arg[2] = JDI_TASKS_FINISH;
    m->arg[4] = k->ngroups;
    m->nargs = 5;
    JD_ASSERT(is_whole(k, ntasks, m));
    for (uint32_t i = 0; i < k->ngroups; i++)
        jdi_part_less(k->leaving[i].part, k->leaving[i].n);
}

uint64_t jdi_wire_fit(const jd_coll *c, const struct jdi_claim *claim, size_t bytes)
{
    struct jdi_codec k = wire_codec(c->rank, (uint32_t)claim->n);
    bool hooks = c->ntasks < c->rank->registry.count; /* some rows have hooks */
    size_t sum = 0;
    uint64_t n = 0;
    if (!hooks && !jdi_claim_any_spilled(claim))
        return claim->n;
    while (n < claim->n &&
           ((sum += sizeof(struct group) +
                    jdi_codec_size(&k, jdi_claim_slot(claim, n))) <= bytes ||
            n == 0))
        n++;
    return n;
}

void *jdi_wire_export(jd_coll *c, const struct jdi_claim *claim, struct jdi_am_msg *m)
{
    JD_ASSERT(jdi_rank_is_comm(c->rank));
    struct packer k;
    struct jdi_codec codec = wire_codec(c->rank, (uint32_t)claim->n);
    size_t bytes = 0;
    for (uint64_t i = 0; i < claim->n; i++)
        bytes += jdi_codec_size(&codec, jdi_claim_slot(claim, i));
    void *block = packer_open(&k, c->rank, claim->n, bytes);
    for (uint64_t i = 0; i < claim->n;) {
        struct jdi_part *from = jdi_part_of(jdi_claim_slot(claim, i));
        uint64_t end = i + 1;
        while (end < claim->n && jdi_part_of(jdi_claim_slot(claim, end)) == from)
            end++;
        uint32_t group = group_of(&k, from, end - i);
        for (; i < end; i++) {
            struct jdi_task t = *jdi_claim_slot(claim, i);
            bool spilled = t.flags & JDI_TASK_SPILLED;
            /* Only this claim uses the slot, so hooks may change what lies in it. */
            void *arg =
                jdi_task_arg((struct jdi_task *)(uintptr_t)jdi_claim_slot(claim, i));
            k.at = jdi_codec_put(&codec, k.at, &t, arg, group);
            if (spilled)
                jdi_free(arg);
        }
    }
    packer_close(&k, claim->n, claim->n, m);
    return block;
}

/* ---- arriving ----------------------------------------------------------------------- */

/* The i-th group of a message. */
static struct group group_at(const struct jdi_am_msg *m, uint64_t i)
{
    struct group g;
    memcpy(&g, (const unsigned char *)m->data + i * sizeof g, sizeof g);
    return g;
}

/* Check a group.  Returns what is wrong, or NULL. */
static const char *fault_of_group(struct jdi_rank *r, const struct group *g)
{
    const struct jdi_pool *a = jdi_pool_of(r);
    jd_finish_id id = {.number = g->number, .home = g->home};
    const struct jdi_remote *w = jdi_remote_find(r, id);
    if (g->home == JDI_HOME_ALL)
        return w && w->all && a->all ? NULL
                                     : "tasks of a finish of all ranks that is not open";
    if (g->home >= r->am->nranks || g->giver >= r->am->nranks || g->cancelled > 1)
        return "a finish with a home or a giver that is no rank";
    if (!w && g->home == r->am->rank)
        return "tasks of a finish that has ended here";
    if (!w)
        return g->exponent > jdi_remote_exponent(r) || g->giver == r->am->rank
                   ? "a token that cannot be"
                   : NULL;
    return jdi_rooted_fault_of_token(&w->rooted,
                                     (struct jdi_rooted_token){g->giver, g->exponent});
}

const char *jdi_wire_fault(const jd_coll *c, const struct jdi_am_msg *m)
{
    struct jdi_rank *r = c->rank;
    uint64_t ntasks = m->arg[1] >> 32, ngroups = m->nargs > 4 ? m->arg[4] : 0;
    if ((m->arg[2] & JDI_TASKS_LAYOUT) != JDI_TASKS_FINISH)
        return "tasks of a collection, for finishes";
    if (!ntasks || !ngroups || ngroups > ntasks ||
        m->len / sizeof(struct group) < ngroups)
        return "more finishes than tasks, or than it has room for";
    for (uint64_t i = 0; i < ngroups; i++) {
        struct group g = group_at(m, i);
        const char *fault = fault_of_group(r, &g);
        if (fault)
            return fault;
    }
    struct jdi_codec k = wire_codec(r, (uint32_t)ngroups);
    size_t head = ngroups * sizeof(struct group);
    return jdi_codec_fault(&k, (const unsigned char *)m->data + head, m->len - head,
                           ntasks);
}

/* A finish must not stand in a message twice, because its tokens were checked one by one but would
 * be taken together. */
static void mark_arrival(struct jdi_pool *a, struct jdi_remote *w,
                         const struct jdi_am_in *in)
{
    if (w->arrival == a->arrivals)
        jdi_am_refuse(in, "a finish twice");
    w->arrival = a->arrivals;
}

/* The part that counts tasks of the group here; it need not be live yet. */
static struct jdi_part *arrive(struct jdi_rank *r, const struct group *g,
                               const struct jdi_am_in *in)
{
    struct jdi_pool *a = jdi_pool_of(r);
    jd_finish_id id = {.number = g->number, .home = g->home};
    struct jdi_remote *w = jdi_remote_find(r, id);
    if (g->home == JDI_HOME_ALL) {
        mark_arrival(a, w, in);
        struct jdi_td_stamp stamp = {(uint32_t)g->number, (uint32_t)in->msg->arg[1]};
        if (!r->detector->imported(a->any->td, stamp))
            jdi_am_refuse(in, "tasks of a finish of all ranks before it is open");
        return w->part;
    }
    struct jdi_part *p = w ? w->part : jdi_part_root(a->comm, id);
    if (!w)
        w = jdi_remote_of(p);
    mark_arrival(a, w, in);
    if (g->cancelled || jdi_cancel_known(a, id))
        atomic_store_explicit(&p->root->cancelled, true, memory_order_relaxed);
    jdi_rooted_imported(&w->rooted, (struct jdi_rooted_token){g->giver, g->exponent});
    return p;
}

/* Note the way of a task with a name, and send it on if the steal log with which the job has begun says so.  It is
 * counted live in `part`. */
static bool goes_on(jd_coll *c, struct jdi_part *part, uint32_t src, bool first,
                    const struct jdi_codec_task *t)
{
    struct jdi_rank *r = c->rank;
    jd_coll *any = jdi_pool_of(r)->any;
    if (!jdi_codec_label(t).name || !any->recall || c != any)
        return false;
    const struct jdi_task head = {
        .id = (uintptr_t)part, .fn = t->fn, .flags = t->flags, .len = t->len};
    uint32_t to = jdi_recall_comes(any, src, first, &head, t->arg);
    return to == JDI_FATE_STAYS ||
           (to < r->am->nranks && !jdi_wire_divert(part, to, &head, t->arg));
}

void jdi_wire_import(jd_coll *c, const struct jdi_am_in *in)
{
    JD_ASSERT(jdi_rank_is_comm(c->rank));
    struct jdi_rank *r = c->rank;
    const struct jdi_am_msg *m = in->msg;
    uint64_t ntasks = m->arg[1] >> 32, ngroups = m->arg[4];
    struct jdi_codec k = wire_codec(r, (uint32_t)ngroups);
    struct jdi_part **part = jdi_alloc(&r->am->fault, ngroups * sizeof *part);
    struct jdi_shelf *s = jdi_coll_landing(c);
    struct jdi_codec_task t;
    uint64_t landed = 0;
    JD_ASSERT(!jdi_wire_fault(c, m));
    if (!part || jdi_store_reserve(s, ntasks))
        wire_no_memory(r);
    jdi_pool_of(r)->arrivals++;
    for (uint64_t i = 0; i < ngroups; i++) {
        struct group g = group_at(m, i);
        part[i] = arrive(r, &g, in);
    }
    jdi_account_in(jdi_coll_network(c), ntasks);
    const unsigned char *at =
        (const unsigned char *)m->data + ngroups * sizeof(struct group);
    for (uint64_t i = 0; i < ntasks; i++) {
        at = jdi_codec_next(&k, at, &t);
        jdi_label_came(r, in->src, jdi_codec_label(&t));
        part[t.id]->live++;
        if (goes_on(c, part[t.id], in->src, i == 0, &t))
            continue;
        if (jdi_codec_land(&k, jdi_store_land(s), &t, (uintptr_t)part[t.id]))
            wire_no_memory(r);
        landed++;
    }
    for (uint64_t i = 0; i < ngroups; i++)
        JD_ASSERT(part[i]->live > 0);
    jdi_free(part);
    if (landed)
        jdi_store_arrived(s, landed);
}

/* ---- jd_async_at -------------------------------------------------------------------- */

/* A task of jd_async_at on its way from a worker to the communication hand. */
struct outgoing {
    struct jdi_call call;
    uint32_t dst;
    struct jdi_part *from;
    bool ahead; /* because of a steal log: a task for every rank, of `any` */
    _Alignas(JDI_TASK_ALIGN) unsigned char task[]; /* a struct jdi_task */
};

static void send_outgoing(struct jdi_rank *r, struct outgoing *out)
{
    struct jdi_task *t = (struct jdi_task *)(void *)out->task;
    struct jdi_pool *a = jdi_pool_of(r);
    jd_coll *of = out->ahead ? a->any : a->here;
    struct jdi_am_msg m = {.type = out->ahead ? JDI_MSG_TASKS : JDI_MSG_ASYNC};
    struct packer k;
    struct jdi_codec codec = wire_codec(r, 1);
    void *block = packer_open(&k, r, 1, jdi_codec_size(&codec, t));
    uint32_t group = group_of(&k, out->from, 1);
    k.at = jdi_codec_put(&codec, k.at, t, t->arg, group);
    packer_close(&k, 1, 1, &m);
    jdi_account_out(jdi_coll_network(of), 1);
    if (out->ahead) {
        m.arg[0] = jdi_coll_word(of);
        jdi_recall_goes(of, out->dst, jdi_task_label(t).name);
    }
    if (jdi_am_send(r->am, out->dst, &m))
        wire_no_memory(r);
    jdi_free(block);
    jdi_free(out);
    atomic_fetch_sub_explicit(&k.a->outgoing, 1, memory_order_relaxed);
}

static void put_by(struct jdi_rank *r, struct jdi_call *call)
{
    JD_ASSERT(jdi_rank_is_comm(r));
    struct jdi_pool *a = jdi_pool_of(r);
    call->letter.next = NULL;
    *(a->outbox ? &a->outbox_last->next : &a->outbox) = &call->letter;
    a->outbox_last = &call->letter;
}

/* Messages that wait show that the network does not keep up.  But steal requests of several collections may
 * wait for ever, because each that is answered is followed by another one.  So a task goes out now and
 * then whatever waits. */
static bool may_send_outgoing(struct jdi_rank *r, struct jdi_pool *a)
{
    if (!jdi_am_pending(r->am))
        return true;
    uint64_t now = jdi_rank_now(r);
    if (now < a->outbox_late)
        return false;
    a->outbox_late = now + OUTGOING_LATE_NS;
    return true;
}

/* Send the tasks that jd_async_at has left.  Runs in a turn of the communication hand, never in a
 * handler. */
static void send_all_outgoing(struct jdi_rank *r)
{
    JD_ASSERT(jdi_rank_is_comm(r));
    struct jdi_pool *a = jdi_pool_of(r);
    while (a && a->outbox && may_send_outgoing(r, a)) {
        struct jdi_letter *l = a->outbox;
        a->outbox = l->next;
        send_outgoing(r, (struct outgoing *)(void *)l);
    }
}

/* Wait until fewer than OUTGOING_MOST tasks of this rank are unsent, so that the network can keep
 * up. */
static void wait_for_room(jd_self *me)
{
    const struct jdi_pool *a = jdi_pool_of(me->rank);
    while (atomic_load_explicit(&a->outgoing, memory_order_relaxed) >= OUTGOING_MOST)
        jdi_look_stall(me);
}

/* `room` bytes of the argument come before those at `arg`; the caller writes them. */
static struct outgoing *new_outgoing(struct jdi_part *from, uint32_t dst,
                                     const struct jdi_task *head, size_t room,
                                     const void *arg)
{
    size_t size = sizeof(struct outgoing) + JDI_TASK_HEAD + room + head->len;
    struct outgoing *out = jdi_alloc(&from->hand->rank->am->fault, size);
    if (!out)
        return NULL;
    *out = (struct outgoing){.dst = dst, .from = from};
    out->call.run = put_by;
    struct jdi_task *t = (struct jdi_task *)(void *)out->task;
    *t = *head;
    t->len += (uint32_t)room;
    if (head->len)
        memcpy(t->arg + room, arg, head->len);
    return out;
}

static void post_outgoing(struct outgoing *out)
{
    const struct jdi_hand *h = out->from->hand;
    atomic_fetch_add_explicit(&jdi_pool_of(h->rank)->outgoing, 1, memory_order_relaxed);
    if (!out->ahead)
        jdi_account_in(&h->here->account, 1);
    jdi_rank_post(h->rank, &out->call);
}

int jdi_wire_divert(struct jdi_part *from, uint32_t dst, const struct jdi_task *t,
                    const void *arg)
{
    struct jdi_task head = {.fn = t->fn, .len = t->len};
    head.flags = t->flags & (uint16_t)~JDI_TASK_SPILLED;
    struct outgoing *out = new_outgoing(from, dst, &head, 0, arg);
    if (!out)
        return JD_ENOMEM;
    out->ahead = true;
    post_outgoing(out);
    return 0;
}

int jdi_wire_send(jd_self *me, uint32_t dst, const struct jdi_task *head, const void *arg)
{
    struct jdi_label label;
    size_t room = jdi_label_new_named(me, head->fn, head->len, &label);
    struct outgoing *out = new_outgoing(me->part, dst, head, room, arg);
    if (!out)
        return JD_ENOMEM;
    if (room) {
        struct jdi_task *t = (struct jdi_task *)(void *)out->task;
        memcpy(t->arg, &label, room);
        t->flags |= JDI_TASK_LABELLED;
    }
    wait_for_room(me);
    me->part->live++;
    post_outgoing(out);
    return 0;
}

int jdi_wire_send_counted(struct jdi_part *from, uint32_t dst,
                          const struct jdi_task *head, const void *arg)
{
    struct outgoing *out = new_outgoing(from, dst, head, 0, arg);
    if (!out)
        return JD_ENOMEM;
    post_outgoing(out);
    return 0;
}

static void on_async(void *ctx, const struct jdi_am_in *in)
{
    struct jdi_rank *r = ctx;
    struct jdi_pool *a = jdi_pool_needed(r); /* makes the pool if AWAKE is under way */
    const char *fault = a ? jdi_wire_fault(a->here, in->msg) : "the job has ended";
    if (fault)
        jdi_am_refuse(in, fault);
    jdi_rank_news(r);
    jdi_wire_import(a->here, in);
}

void jdi_wire_init(struct jdi_rank *r)
{
    jdi_am_set_handler(r->am, JDI_MSG_ASYNC, on_async, r);
    jdi_rank_on_turn(r, send_all_outgoing);
}
