/*
 * frag.c - payloads larger than a message of the network.
 *
 * Role: cuts a message into fragments that travel as requests, and puts them together
 *       again in whatever order they arrive.
 * Owner: the communication thread of the rank.
 * Invariants: I1 got <= total for every whole that is arriving; it is freed when equal.
 *             I2 a whole is told apart by (sender, number); its shape comes with every
 *                fragment and must always be the same.
 * See: doc/am.md section 3, test/unit/am_fragments_arrive_in_any_order.c.
 */
#include "am/core.h"

#include <string.h>

struct jdi_am_whole {
    struct jdi_am_whole *next;
    uint32_t src;
    uint64_t id, total, got, shape;
    _Alignas(16) unsigned char bytes[]; /* arguments, then payload */
};

enum { FRAG_ARGS = 4, REPLY = 1 << 16 };
enum { ARG_BYTES = sizeof(uint64_t) };

static uint64_t shape_of(const struct jdi_am_out *o)
{
    return o->m.type | (uint64_t)o->m.nargs << 8 | (o->reply ? REPLY : 0);
}

struct jdi_am_out *jdi_am_frag_new(struct jdi_am *am, const struct jdi_am_msg *m,
                                   bool reply)
{
    size_t head = m->nargs * (size_t)ARG_BYTES, total = head + m->len;
    struct jdi_am_out *o = jdi_alloc(&am->fault, sizeof *o + total);
    if (!o)
        return NULL;
    *o = (struct jdi_am_out){.m = *m, .large = true, .reply = reply, .total = total};
    o->id = am->core->next_id++;
    memcpy(o->bytes, m->arg, head);
    memcpy(o->bytes + head, m->data, m->len);
    return o;
}

int jdi_am_frag_send(struct jdi_am *am, struct jdi_am_peer *p, struct jdi_am_out *o)
{
    uint64_t left = o->total - o->start;
    uint32_t len = left < am->max_data ? (uint32_t)left : am->max_data;
    struct jdi_am_msg m = {.type = JDI_MSG_FRAG,
                           .nargs = FRAG_ARGS,
                           .len = len,
                           .arg = {o->id, o->start, o->total, shape_of(o)},
                           .data = o->bytes + o->start};
    int rc = jdi_am_inject(am, p, &m);
    if (!rc)
        o->start += len;
    return rc;
}

/* ---- receiving ----------------------------------------------------------------------- */

/* What is wrong with a fragment taken alone; NULL: nothing. */
static const char *fault_of(const struct jdi_am_msg *m)
{
    if (m->nargs != FRAG_ARGS || m->len == 0)
        return "a fragment without its arguments or payload";
    uint64_t start = m->arg[1], total = m->arg[2], shape = m->arg[3];
    unsigned type = shape & 0xff, nargs = shape >> 8 & 0xff;
    if (shape >= REPLY << 1 || type == JDI_MSG_CREDIT || type == JDI_MSG_FRAG ||
        type >= JDI_MSGS || nargs > JDI_AM_ARGS)
        return "a fragment of something that cannot be";
    uint64_t head = nargs * (uint64_t)ARG_BYTES;
    if (total <= head || total - head > UINT32_MAX || start >= total ||
        m->len > total - start)
        return "a fragment outside of its whole";
    return NULL;
}

/* The link to the whole that m belongs to; it is made when its first fragment comes. */
static struct jdi_am_whole **find(struct jdi_am *am, uint32_t src,
                                  const struct jdi_am_msg *m)
{
    struct jdi_am_whole **at = &am->core->wholes;
    while (*at && ((*at)->src != src || (*at)->id != m->arg[0]))
        at = &(*at)->next;
    if (*at)
        return at;
    struct jdi_am_whole *w = jdi_alloc(&am->fault, sizeof *w + m->arg[2]);
    if (!w)
        jdi_am_no_memory(am, "a message that arrives in fragments");
    *w = (struct jdi_am_whole){
        .src = src, .id = m->arg[0], .total = m->arg[2], .shape = m->arg[3]};
    *at = w;
    return at;
}

static void complete(struct jdi_am *am, const struct jdi_am_whole *w, void *token)
{
    struct jdi_am_msg m = {.type = w->shape & 0xff, .nargs = w->shape >> 8 & 0xff};
    size_t head = m.nargs * (size_t)ARG_BYTES;
    memcpy(m.arg, w->bytes, head);
    m.len = (uint32_t)(w->total - head);
    m.data = w->bytes + head;
    jdi_am_check(am, w->src, &m, w->shape & REPLY);
    jdi_am_dispatch(am, w->src, &m, w->shape & REPLY ? NULL : token);
}

void jdi_am_on_frag(struct jdi_am *am, uint32_t src, const struct jdi_am_msg *m,
                    void *token)
{
    const char *fault = fault_of(m);
    if (fault)
        jdi_am_peer_fault(am, src, m->type, "%s", fault);
    struct jdi_am_whole **at = find(am, src, m), *w = *at;
    if (w->total != m->arg[2] || w->shape != m->arg[3] || m->len > w->total - w->got)
        jdi_am_peer_fault(am, src, m->type, "a fragment that does not fit the others");
    memcpy(w->bytes + m->arg[1], m->data, m->len);
    w->got += m->len;
    if (w->got < w->total)
        return;
    *at = w->next;
    complete(am, w, token);
    jdi_free(w);
}

void jdi_am_frag_fini(struct jdi_am *am)
{
    struct jdi_am_whole *w = am->core->wholes;
    while (w) {
        struct jdi_am_whole *next = w->next;
        jdi_free(w);
        w = next;
    }
}
