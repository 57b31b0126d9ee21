/*
 * queue.c - credits and the messages that wait for them.
 *
 * Role: bounds the unanswered requests per peer and keeps the rest in a queue per peer,
 *       first come first served, peers in turn.
 * Owner: the communication thread of the rank.
 * Invariants: those of am/core.h.  The network may run handlers inside `request`, and these
 *             may append to any queue and change any credit or debt.  So a queue's head stays
 *             in place until its message has left, and no value is kept across the call.
 * See: doc/am.md sections 1 and 2, test/unit/am_credits_*.c.
 */
#include "am/core.h"
#include "core/ult/sanitizer.h"

#include <string.h>

enum { SERVE_MAX = 64 }; /* messages to one peer before the next one has its turn */

/* With the address sanitizer each peer has memory of its own, so that late uses are found. */
#ifdef JDI_SAN_ADDRESS
enum { SPARES = 0 };
#else
enum { SPARES = JDI_AM_PEERS };
#endif

/* ---- peers --------------------------------------------------------------------------- */

void jdi_am_queue_init(struct jdi_am *am)
{
    struct jdi_am_core *core = am->core;
    core->bucket = core->first_bucket;
    core->nbuckets = JDI_AM_BUCKETS;
    core->forget_at = JDI_AM_PEERS;
    for (int i = SPARES; i-- > 0;) {
        core->first_peer[i].next = core->spare;
        core->spare = &core->first_peer[i];
    }
}

static void free_buckets(struct jdi_am_core *core)
{
    if (core->bucket != core->first_bucket)
        jdi_free(core->bucket);
}

/* Zeroed. */
static struct jdi_am_peer *new_peer(struct jdi_am *am)
{
    struct jdi_am_peer *p = am->core->spare;
    if (!p)
        return jdi_zalloc(&am->fault, sizeof *p);
    if (jdi_fault_hit(&am->fault, JDI_FAULT_alloc))
        return NULL;
    am->core->spare = p->next;
    *p = (struct jdi_am_peer){0};
    return p;
}

static void free_peer(struct jdi_am_core *core, struct jdi_am_peer *p)
{
    if (p < core->first_peer || p >= core->first_peer + JDI_AM_PEERS) {
        jdi_free(p);
        return;
    }
    p->next = core->spare;
    core->spare = p;
}

/* Twice as many buckets; if there is no memory for them, longer chains. */
static void rehash(struct jdi_am *am)
{
    struct jdi_am_core *core = am->core;
    uint32_t n = 2 * core->nbuckets;
    struct jdi_am_peer **fresh = jdi_zalloc(&am->fault, n * sizeof(struct jdi_am_peer *));
    if (!fresh)
        return;
    for (uint32_t i = 0; i < core->nbuckets; i++) {
        for (struct jdi_am_peer *p = core->bucket[i], *next; p; p = next) {
            next = p->next;
            p->next = fresh[p->rank & (n - 1)];
            fresh[p->rank & (n - 1)] = p;
        }
    }
    free_buckets(core);
    core->bucket = fresh;
    core->nbuckets = n;
}

struct jdi_am_peer *jdi_am_queue_peer(struct jdi_am *am, uint32_t rank)
{
    struct jdi_am_core *core = am->core;
    struct jdi_am_peer *p = core->bucket[rank & (core->nbuckets - 1)];
    while (p && p->rank != rank)
        p = p->next;
    if (JDI_LIKELY(p != NULL))
        return p;
    p = new_peer(am);
    if (!p)
        return NULL;
    if (++core->npeers > 2 * core->nbuckets)
        rehash(am);
    p->rank = rank;
    p->next = core->bucket[rank & (core->nbuckets - 1)];
    core->bucket[rank & (core->nbuckets - 1)] = p;
    return p;
}

static bool is_quiet(const struct jdi_am_peer *p)
{
    return !p->in_flight && !p->owed && !p->queue.head && !p->listed && !p->due;
}

void jdi_am_queue_forget_peers(struct jdi_am *am)
{
    struct jdi_am_core *core = am->core;
    for (uint32_t i = 0; i < core->nbuckets; i++) {
        for (struct jdi_am_peer **at = &core->bucket[i], *p; (p = *at) != NULL;) {
            if (!is_quiet(p)) {
                at = &p->next;
                continue;
            }
            *at = p->next;
            free_peer(core, p);
            core->npeers--;
        }
    }
    /* The next sweep comes after as many new peers, so that it costs no more than they do. */
    core->forget_at = core->npeers < JDI_AM_PEERS / 2 ? JDI_AM_PEERS : 2 * core->npeers;
}

bool jdi_am_queue_may_send(const struct jdi_am *am, const struct jdi_am_peer *p)
{
    return !p->queue.head && p->in_flight < jdi_am_window(am);
}

static void list_peer(struct jdi_am_core *core, struct jdi_am_peer *p)
{
    p->listed = true;
    p->next_waiting = NULL;
    if (core->waiting)
        core->waiting_tail->next_waiting = p;
    else
        core->waiting = p;
    core->waiting_tail = p;
    core->nwaiting++;
}

static struct jdi_am_peer *unlist_first(struct jdi_am_core *core)
{
    struct jdi_am_peer *p = core->waiting;
    core->waiting = p->next_waiting;
    core->nwaiting--;
    return p;
}

/* ---- queues -------------------------------------------------------------------------- */

static void fifo_add(struct jdi_am_fifo *q, struct jdi_am_out *o)
{
    o->next = NULL;
    if (q->head)
        q->tail->next = o;
    else
        q->head = o;
    q->tail = o;
}

struct jdi_am_out *jdi_am_queue_take(struct jdi_am_fifo *q)
{
    struct jdi_am_out *o = q->head;
    if (o)
        q->head = o->next;
    return o;
}

static struct jdi_am_out *copy_message(struct jdi_am *am, const struct jdi_am_msg *m,
                                       bool reply)
{
    struct jdi_am_out *o = jdi_alloc(&am->fault, sizeof *o + m->len);
    if (!o)
        return NULL;
    *o = (struct jdi_am_out){.m = *m, .reply = reply};
    if (m->len)
        memcpy(o->bytes, m->data, m->len);
    o->m.data = o->bytes;
    return o;
}

/* o: NULL if there was no memory for it. */
static int append_message(struct jdi_am *am, struct jdi_am_peer *p, struct jdi_am_out *o)
{
    if (!o)
        return JD_ENOMEM;
    am->stats.deferred++;
    fifo_add(&p->queue, o);
    if (!p->listed)
        list_peer(am->core, p);
    return 0;
}

int jdi_am_queue_add(struct jdi_am *am, struct jdi_am_peer *p, const struct jdi_am_msg *m,
                     bool reply)
{
    bool large = m->len > am->max_data;
    return append_message(
        am, p, large ? jdi_am_frag_new(am, m, reply) : copy_message(am, m, reply));
}

int jdi_am_queue_add_in_place(struct jdi_am *am, struct jdi_am_peer *p,
                              const struct jdi_am_msg *m)
{
    struct jdi_am_out *o = jdi_alloc(&am->fault, sizeof *o);
    JD_CHECK(m->len <= am->max_data);
    if (o)
        *o = (struct jdi_am_out){.m = *m};
    return append_message(am, p, o);
}

int jdi_am_queue_add_self(struct jdi_am *am, const struct jdi_am_msg *m, bool reply)
{
    struct jdi_am_out *o = copy_message(am, m, reply);
    if (!o)
        return JD_ENOMEM;
    fifo_add(&am->core->self, o);
    return 0;
}

/* ---- credits ------------------------------------------------------------------------- */

/* The requests that take the middle and the last credit ask for the debt to be flushed. */
static bool is_urgent(const struct jdi_am *am, const struct jdi_am_peer *p)
{
    unsigned window = jdi_am_window(am);
    return p->in_flight >= window || p->in_flight == (window + 1) / 2;
}

int jdi_am_queue_inject(struct jdi_am *am, struct jdi_am_peer *p,
                        const struct jdi_am_msg *m)
{
    if (jdi_fault_hit(&am->fault, JDI_FAULT_send))
        return JD_EAGAIN;
    struct jdi_am_msg out = *m;
    unsigned cost = m->type != JDI_MSG_CREDIT;
    uint16_t give = p->owed;
    p->owed = 0;
    p->in_flight = (uint16_t)(p->in_flight + cost);
    out.wire = give;
    if (cost && is_urgent(am, p))
        out.wire |= JDI_AM_URGE;
    int rc = am->ops->request(am, p->rank, &out);
    if (rc) {
        p->owed = (uint16_t)(p->owed + give);
        p->in_flight = (uint16_t)(p->in_flight - cost);
    }
    return rc;
}

/* What is wrong with the credits of a message; NULL: nothing. */
static const char *fault_of_credits(const struct jdi_am *am, const struct jdi_am_peer *p,
                                    const struct jdi_am_msg *m, bool costs)
{
    uint16_t given = m->wire & JDI_AM_GIVEN;
    if (given > p->in_flight)
        return "it hands back more credits than are out";
    if (m->type == JDI_MSG_CREDIT && !given)
        return "it hands back no credit";
    if ((m->wire & JDI_AM_URGE) && !costs)
        return "it takes no credit, and wants one back";
    if (costs && p->owed >= am->core->bound[JDI_AM_BOUND_CREDITS])
        return "more requests than its sender has credits";
    return NULL;
}

const char *jdi_am_queue_account(struct jdi_am *am, struct jdi_am_peer *p,
                                 const struct jdi_am_msg *m, bool request)
{
    bool costs = request && m->type != JDI_MSG_CREDIT;
    const char *fault = fault_of_credits(am, p, m, costs);
    if (JDI_UNLIKELY(fault != NULL))
        return fault;
    p->in_flight = (uint16_t)(p->in_flight - (m->wire & JDI_AM_GIVEN));
    p->owed = (uint16_t)(p->owed + costs);
    JD_ASSERT(!costs || p->owed);
    if ((m->wire & JDI_AM_URGE) && !p->due) {
        p->due = true;
        p->next_due = am->core->due;
        am->core->due = p;
    }
    return NULL;
}

/* Send CREDIT messages to the peers that asked for them and are still owed something. */
static void flush_due(struct jdi_am *am)
{
    struct jdi_am_peer *p = am->core->due;
    am->core->due = NULL;
    while (p) {
        struct jdi_am_peer *next = p->next_due;
        struct jdi_am_msg m = {.type = JDI_MSG_CREDIT};
        p->due = false;
        if (p->owed && jdi_am_queue_inject(am, p, &m) && !p->due) {
            p->due = true; /* refused: again in the next poll */
            p->next_due = am->core->due;
            am->core->due = p;
        }
        p = next;
    }
}

/* ---- draining ------------------------------------------------------------------------ */

/* Send from the head of p's queue; the head is removed only when it has left. */
static void serve_peer(struct jdi_am *am, struct jdi_am_peer *p)
{
    unsigned window = jdi_am_window(am);
    for (int n = 0; n < SERVE_MAX && p->queue.head && p->in_flight < window; n++) {
        struct jdi_am_out *o = p->queue.head;
        int rc =
            o->large ? jdi_am_frag_send(am, p, o) : jdi_am_queue_inject(am, p, &o->m);
        if (rc)
            return;
        if (o->large && o->start < o->total)
            continue;
        jdi_am_queue_take(&p->queue);
        jdi_free(o);
    }
}

void jdi_am_queue_drain(struct jdi_am *am)
{
    struct jdi_am_core *core = am->core;
    for (unsigned n = core->nwaiting; n > 0; n--) {
        struct jdi_am_peer *p = unlist_first(core);
        serve_peer(am, p); /* stays `listed`, so that a handler does not list it again */
        p->listed = false;
        if (p->queue.head)
            list_peer(core, p);
    }
    if (core->due)
        flush_due(am);
    JD_AUDIT(jdi_am_queue_check(am));
}

static bool is_last(const struct jdi_am_fifo *q)
{
    const struct jdi_am_out *o = q->head;
    while (o && o->next)
        o = o->next;
    return !o || o == q->tail;
}

void jdi_am_queue_check(const struct jdi_am *am)
{
    const struct jdi_am_core *core = am->core;
    uint32_t npeers = 0, listed = 0, due = 0, waiting = 0, in_due = 0;
    for (uint32_t i = 0; i < core->nbuckets; i++)
        for (const struct jdi_am_peer *p = core->bucket[i]; p; p = p->next) {
            JD_CHECK((p->rank & (core->nbuckets - 1)) == i && p->rank < am->nranks);
            JD_CHECK(p->in_flight <= am->credits); /* I1 */
            JD_CHECK(p->owed <= core->bound[JDI_AM_BOUND_CREDITS]);
            JD_CHECK(p->listed == (p->queue.head != NULL)); /* I2 */
            JD_CHECK(is_last(&p->queue));
            listed += p->listed;
            due += p->due;
            npeers++;
        }
    for (const struct jdi_am_peer *p = core->waiting; p; p = p->next_waiting, waiting++)
        JD_CHECK(p->listed && (p->next_waiting || p == core->waiting_tail));
    for (const struct jdi_am_peer *p = core->due; p; p = p->next_due, in_due++)
        JD_CHECK(p->due);
    JD_CHECK(npeers == core->npeers && waiting == core->nwaiting);
    JD_CHECK(waiting == listed && in_due == due); /* I2, I3 */
}

static void fifo_free(struct jdi_am_fifo *q)
{
    for (struct jdi_am_out *o; (o = jdi_am_queue_take(q)) != NULL;)
        jdi_free(o);
}

void jdi_am_queue_fini(struct jdi_am *am)
{
    struct jdi_am_core *core = am->core;
    fifo_free(&core->self);
    for (uint32_t i = 0; i < core->nbuckets; i++) {
        for (struct jdi_am_peer *p = core->bucket[i], *next; p; p = next) {
            next = p->next;
            fifo_free(&p->queue);
            free_peer(core, p);
        }
    }
    free_buckets(core);
}
