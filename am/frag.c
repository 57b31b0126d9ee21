/*
 * frag.c - payloads larger than a message of the network.
 *
 * Role: cuts a message into fragments that travel as requests, and puts them together
 *       again in whatever order they arrive.
 * Owner: the communication thread of the rank.
 * Invariants: I1 every fragment but the last of a whole has max_data bytes, so its place says
 *                whether it has come before.
 *             I2 a whole is told apart by (sender, number); its shape comes with every
 *                fragment and must always be the same.
 *             I3 nobody has more wholes arriving here than requests on their way.
 * See: doc/am.md section 3, test/unit/am_fragments_arrive_in_any_order.c.
 */
#include "am/core.h"

#include <string.h>

struct jdi_am_whole {
    struct jdi_am_whole *next;
    uint32_t src;
    uint64_t id, total, shape;
    uint64_t missing; /* fragments */
    uint64_t *seen;   /* a bit for each that is here */
    uint64_t sum;     /* for assertions: of the fragments, as they came */
    _Alignas(16) unsigned char bytes[]; /* arguments, then payload */
};

enum { FRAG_ARGS = 4, SHAPE = 3 /* argument */, REPLY = 1 << 16 };
enum { ARG_BYTES = sizeof(uint64_t) };

static uint64_t shape_of_whole(const struct jdi_am_out *o)
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
                           .arg = {o->id, o->start, o->total, shape_of_whole(o)},
                           .data = o->bytes + o->start};
    int rc = jdi_am_queue_inject(am, p, &m);
    if (!rc)
        o->start += len;
    return rc;
}

/* ---- receiving ----------------------------------------------------------------------- */

/* How many bytes a fragment of so large a whole that begins at `start` has. */
static uint64_t piece_at(const struct jdi_am *am, uint64_t start, uint64_t total)
{
    return total - start < am->max_data ? total - start : am->max_data;
}

/* What is wrong with the message of which m is a part; NULL: nothing. */
static const char *fault_of_whole(const struct jdi_am *am, const struct jdi_am_msg *m)
{
    uint64_t total = JDI_GET(m, FRAG, total), nargs = JDI_GET(m, FRAG, nargs);
    unsigned type = (unsigned)JDI_GET(m, FRAG, type);
    const struct jdi_am_form *f = jdi_am_messages_form(type);
    if (type == JDI_MSG_CREDIT || type == JDI_MSG_FRAG)
        return "a fragment of something that cannot be";
    if (f && (nargs < f->fewest || nargs > f->most))
        return "a fragment of a message with another number of arguments";
    uint64_t head = nargs * ARG_BYTES, most = f ? f->largest : UINT32_MAX;
    if (total <= head + am->max_data || total - head > most)
        return "a fragment of a message that is too small or too large";
    return NULL;
}

/* What is wrong with a fragment, seen alone; NULL: nothing. */
static const char *fault_of_fragment(const struct jdi_am *am, const struct jdi_am_msg *m)
{
    const char *fault = fault_of_whole(am, m);
    uint64_t start = JDI_GET(m, FRAG, start), total = JDI_GET(m, FRAG, total);
    if (fault)
        return fault;
    if (start >= total || start % am->max_data || m->len != piece_at(am, start, total))
        return "a fragment outside of its whole";
    return NULL;
}

/* What is wrong with it beside those that are here; NULL: nothing. */
static const char *fault_beside(const struct jdi_am *am, const struct jdi_am_whole *w,
                                const struct jdi_am_msg *m)
{
    uint64_t piece = JDI_GET(m, FRAG, start) / am->max_data;
    if (w->total != JDI_GET(m, FRAG, total) || w->shape != m->arg[SHAPE])
        return "a fragment that does not fit the others";
    if (w->seen[piece / 64] >> piece % 64 & 1)
        return "the same fragment twice";
    return NULL;
}

static struct jdi_am_whole *new_whole(struct jdi_am *am, uint32_t src,
                                      const struct jdi_am_msg *m)
{
    uint64_t total = JDI_GET(m, FRAG, total), pieces = (total - 1) / am->max_data + 1;
    size_t words = (size_t)(pieces - 1) / 64 + 1;
    struct jdi_am_whole *w = jdi_alloc(&am->fault, sizeof *w + total);
    uint64_t *seen = w ? jdi_zalloc(&am->fault, words * sizeof *seen) : NULL;
    if (!seen)
        jdi_am_no_memory(am, "a message that arrives in fragments");
    *w = (struct jdi_am_whole){.src = src,
                               .id = JDI_GET(m, FRAG, number),
                               .total = total,
                               .missing = pieces,
                               .shape = m->arg[SHAPE],
                               .seen = seen};
    return w;
}

static void free_whole(struct jdi_am_whole *w)
{
    jdi_free(w->seen);
    jdi_free(w);
}

/* The link to the whole that m belongs to, or to where it would be.  A sender has at most one
 * request under way for each credit, so no more wholes than that are half here (I3). */
static struct jdi_am_whole **find_whole(struct jdi_am *am, uint32_t src,
                                        const struct jdi_am_msg *m)
{
    struct jdi_am_whole **at = &am->core->wholes;
    uint64_t others = 0;
    for (; *at && ((*at)->src != src || (*at)->id != JDI_GET(m, FRAG, number));
         at = &(*at)->next)
        others += (*at)->src == src;
    if (!*at && others >= am->core->bound[JDI_AM_BOUND_CREDITS])
        jdi_am_peer_fault(am, src, m->type, "too many messages that are not whole");
    return at;
}

/* For assertions: a number to which each byte adds by its place in the whole. */
static uint64_t sum_of_bytes(const unsigned char *bytes, uint64_t start, uint64_t len)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < len; i++)
        sum +=
            (bytes[i] + UINT64_C(1)) * ((start + i) * UINT64_C(0x9E3779B97F4A7C15) | 1);
    return sum;
}

static void complete(struct jdi_am *am, const struct jdi_am_whole *w, void *token)
{
    struct jdi_am_msg m = {.type = w->shape & 0xff, .nargs = w->shape >> 8 & 0xff};
    /* What came is what goes on. */
    JD_ASSERT(w->sum == sum_of_bytes(w->bytes, 0, w->total));
    size_t head = m.nargs * (size_t)ARG_BYTES;
    memcpy(m.arg, w->bytes, head);
    m.len = (uint32_t)(w->total - head);
    m.data = w->bytes + head;
    jdi_am_check(am, w->src, &m, w->shape & REPLY);
    jdi_am_dispatch(am, w->src, &m, w->shape & REPLY ? NULL : token);
}

void jdi_am_frag_on_frag(struct jdi_am *am, uint32_t src, const struct jdi_am_msg *m,
                         void *token)
{
    const char *fault = fault_of_fragment(am, m);
    struct jdi_am_whole **at = fault ? NULL : find_whole(am, src, m);
    if (at && *at)
        fault = fault_beside(am, *at, m);
    if (fault)
        jdi_am_peer_fault(am, src, m->type, "%s", fault);
    if (!*at)
        *at = new_whole(am, src, m);
    struct jdi_am_whole *w = *at;
    uint64_t start = JDI_GET(m, FRAG, start), piece = start / am->max_data;
    w->seen[piece / 64] |= UINT64_C(1) << piece % 64;
    memcpy(w->bytes + start, m->data, m->len);
    JD_AUDIT(w->sum += sum_of_bytes(m->data, start, m->len));
    if (--w->missing)
        return;
    *at = w->next;
    complete(am, w, token);
    free_whole(w);
}

void jdi_am_frag_retire(struct jdi_am *am)
{
    const struct jdi_am_whole *w = am->core->wholes;
    if (w)
        jdi_am_peer_fault(am, w->src, JDI_MSG_FRAG, "its message never came whole");
}

void jdi_am_frag_fini(struct jdi_am *am)
{
    struct jdi_am_whole *w = am->core->wholes;
    while (w) {
        struct jdi_am_whole *next = w->next;
        free_whole(w);
        w = next;
    }
}
