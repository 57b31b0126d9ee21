/*
 * trace_perfetto.c - a trace in Perfetto's native format.
 *
 * Role: writes protobuf messages by hand: a process for each rank, a track for each thread, a slice for each piece
 *       of a task, an arrow from a task to one that it has added and another thread has run, and from a request to another
 *       rank by its answer to the first task that ran of it.
 * Invariants: I1 the events of a track are in the order of their times; of two at one time, an end comes
 *                before a beginning.
 * See: doc/jackdaw-trace.1.md "PERFETTO"; the numbers of the fields are those of Perfetto's track_event.proto,
 *      track_descriptor.proto and trace_packet.proto.
 */
#include "tools/trace.h"

#include <stdlib.h>
#include <string.h>

/* ---- protobuf --------------------------------------------------------------------------- */

/* The longest message of ours is a slice with ARROWS_FROM arrows of 10 bytes each; no text or message inside of
 * another one may have more than half of the room. */
enum { VARINT = 0, FIXED64 = 1, BYTES = 2, PART_BYTES = 4096 };

/* A message under construction. */
struct part {
    unsigned char bytes[PART_BYTES];
    size_t n;
};

static void put_varint(struct part *p, uint64_t v)
{
    for (; v > 0x7f; v >>= 7)
        if (p->n < PART_BYTES)
            p->bytes[p->n++] = (unsigned char)(v | 0x80);
    if (p->n < PART_BYTES)
        p->bytes[p->n++] = (unsigned char)v;
}

static void put_number(struct part *p, unsigned field, uint64_t v)
{
    put_varint(p, field << 3 | VARINT);
    put_varint(p, v);
}

static void put_fixed(struct part *p, unsigned field, uint64_t v)
{
    put_varint(p, field << 3 | FIXED64);
    for (int i = 0; i < 8 && p->n < PART_BYTES; i++, v >>= 8)
        p->bytes[p->n++] = (unsigned char)v;
}

static void put_bytes(struct part *p, unsigned field, const void *bytes, size_t n)
{
    n = n < PART_BYTES / 2 ? n : PART_BYTES / 2;
    put_varint(p, field << 3 | BYTES);
    put_varint(p, n);
    if (n > PART_BYTES - p->n)
        return;
    memcpy(p->bytes + p->n, bytes, n);
    p->n += n;
}

static void put_text(struct part *p, unsigned field, const char *text)
{
    put_bytes(p, field, text, strlen(text));
}

static void put_part(struct part *p, unsigned field, const struct part *inside)
{
    put_bytes(p, field, inside->bytes, inside->n);
}

/* ---- packets ---------------------------------------------------------------------------- */

enum {
    TRACE_PACKET = 1,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_DESCRIPTOR = 60,
    CLEARED = 1, /* flags */
    NEEDS_STATE = 2,
    EVENT_TYPE = 9,
    EVENT_NAME_IID = 10,
    EVENT_TRACK = 11,
    EVENT_NAME = 23,
    EVENT_FLOW = 47,
    EVENT_FLOW_END = 48,
    SLICE_BEGIN = 1,
    SLICE_END = 2,
    INSTANT = 3,
    DESCRIPTOR_UUID = 1,
    DESCRIPTOR_PROCESS = 3,
    DESCRIPTOR_THREAD = 4,
    DESCRIPTOR_PARENT = 5,
    SLEEPING = 1, /* names by number: this, then the rows of tasks */
    ROWS = 2
};

struct writer {
    const struct trace *t;
    FILE *to;
    uint64_t track;
    uint32_t sequence;
    size_t thread; /* of t->thread */
    size_t steal;  /* the first one that this thread, or a later one, still waits for */
};

static void write_packet(struct writer *w, struct part *packet)
{
    struct part head = {.n = 0};
    put_number(packet, PACKET_SEQUENCE, w->sequence);
    put_varint(&head, TRACE_PACKET << 3 | BYTES);
    put_varint(&head, packet->n);
    fwrite(head.bytes, 1, head.n, w->to);
    fwrite(packet->bytes, 1, packet->n, w->to);
}

static void write_descriptor(struct writer *w, const struct part *descriptor)
{
    struct part packet = {.n = 0};
    put_part(&packet, PACKET_DESCRIPTOR, descriptor);
    write_packet(w, &packet);
}

static uint64_t track_of_rank(uint32_t rank)
{
    return ((uint64_t)rank + 1) << 20;
}

static void write_rank(struct writer *w, const struct trace_rank *r)
{
    struct part process = {.n = 0}, descriptor = {.n = 0};
    char name[320];
    snprintf(name, sizeof name, "rank %u%s%s", r->rank, *r->host ? " on " : "", r->host);
    put_number(&process, 1, r->rank + 1);
    put_text(&process, 6, name);
    put_number(&descriptor, DESCRIPTOR_UUID, track_of_rank(r->rank));
    put_part(&descriptor, DESCRIPTOR_PROCESS, &process);
    write_descriptor(w, &descriptor);
}

static void write_thread(struct writer *w, const struct trace_thread *th)
{
    struct part thread = {.n = 0}, descriptor = {.n = 0};
    char name[32];
    trace_thread_name(th, name, sizeof name);
    put_number(&thread, 1, th->rank + 1);
    put_number(&thread, 2, w->track);
    put_text(&thread, 5, name);
    put_number(&descriptor, DESCRIPTOR_UUID, w->track);
    put_number(&descriptor, DESCRIPTOR_PARENT, track_of_rank(th->rank));
    put_part(&descriptor, DESCRIPTOR_THREAD, &thread);
    write_descriptor(w, &descriptor);
}

static void write_name(struct writer *w, unsigned iid, const char *text, bool first)
{
    struct part name = {.n = 0}, interned = {.n = 0}, packet = {.n = 0};
    put_number(&name, 1, iid);
    put_text(&name, 2, text);
    put_part(&interned, 2, &name);
    put_number(&packet, PACKET_FLAGS, first ? CLEARED : NEEDS_STATE);
    put_part(&packet, PACKET_INTERNED, &interned);
    write_packet(w, &packet);
}

/* Each thread is a sequence of its own, and has the names in it. */
static void write_names(struct writer *w)
{
    write_name(w, SLEEPING, "asleep", true);
    for (uint32_t i = 0; i < w->t->nrows; i++)
        write_name(w, ROWS + i, trace_row_name(w->t, i), false);
}

static void write_event(struct writer *w, uint64_t ns, struct part *event)
{
    struct part packet = {.n = 0};
    put_number(event, EVENT_TRACK, w->track);
    put_number(&packet, PACKET_TIMESTAMP, ns - w->t->begin);
    put_number(&packet, PACKET_FLAGS, NEEDS_STATE);
    put_part(&packet, PACKET_EVENT, event);
    write_packet(w, &packet);
}

static void write_end(struct writer *w, uint64_t ns)
{
    struct part event = {.n = 0};
    put_number(&event, EVENT_TYPE, SLICE_END);
    write_event(w, ns, &event);
}

/* ---- arrows ----------------------------------------------------------------------------- */

enum { ARROWS_FROM = 64, THREAD_BIT = 40 }; /* most arrows that leave one slice */
#define STEAL_FLOW (UINT64_C(1) << 62)      /* and the number of a steal */

/* An arrow leaves the slice `from` (thread << THREAD_BIT | piece) and ends at `to`. */
struct arrow {
    uint64_t from, to;
};

_Static_assert(ARROWS_FROM * 10 + 300 < PART_BYTES / 2, "arrows and a name have room");

struct arrows {
    struct arrow *a;
    size_t n, room, next;
};

static uint64_t place_of(size_t thread, size_t piece)
{
    return (uint64_t)thread << THREAD_BIT | piece;
}

static void add_arrow(struct arrows *all, uint64_t from, uint64_t to)
{
    if (all->n == all->room)
        all->a = trace_grow(all->a, all->room = all->room * 2 + 64, sizeof *all->a);
    all->a[all->n++] = (struct arrow){from, to};
}

static int by_from(const void *left, const void *right)
{
    const struct arrow *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->to < b->to ? -1 : a->to > b->to;
}

/* An arrow that finds no room in the slice that it leaves must not end anywhere. */
static void drop_arrows(const struct trace *t, struct arrows *all)
{
    size_t kept = 0;
    unsigned same = 0; /* arrows before this one that leave the same slice */
    uint64_t from = UINT64_MAX;
    for (size_t i = 0; i < all->n; i++) {
        struct arrow a = all->a[i];
        same = a.from == from ? same + 1 : 0;
        from = a.from;
        all->a[kept] = a;
        if (same < ARROWS_FROM)
            kept++;
        else
            t->thread[a.to >> THREAD_BIT]
                .piece[a.to & ((UINT64_C(1) << THREAD_BIT) - 1)]
                .parent = 0;
    }
    all->n = kept;
}

static void find_arrows(const struct trace *t, struct arrows *all)
{
    for (size_t i = 0; i < t->nthreads; i++)
        for (size_t k = 0; k < t->thread[i].npieces; k++)
            if (t->thread[i].piece[k].parent)
                add_arrow(all, t->thread[i].piece[k].parent - 1, place_of(i, k));
    if (all->n)
        qsort(all->a, all->n, sizeof *all->a, by_from);
    drop_arrows(t, all);
}

/* ---- slices ----------------------------------------------------------------------------- */

static void write_piece(struct writer *w, const struct trace_piece *p, uint64_t place,
                        struct arrows *arrows)
{
    struct part event = {.n = 0};
    put_number(&event, EVENT_TYPE, SLICE_BEGIN);
    if (p->row < w->t->nrows)
        put_number(&event, EVENT_NAME_IID, ROWS + p->row);
    else
        put_text(&event, EVENT_NAME, "-");
    for (; arrows->next < arrows->n; arrows->next++) {
        const struct arrow *a = &arrows->a[arrows->next];
        if (a->from > place)
            break;
        if (a->from == place)
            put_fixed(&event, EVENT_FLOW, a->to + 1);
    }
    if (p->parent)
        put_fixed(&event, EVENT_FLOW_END, place + 1);
    if (p->steal)
        put_fixed(&event, EVENT_FLOW_END, STEAL_FLOW | (p->steal - 1));
    write_event(w, p->from, &event);
}

static void write_sleep(struct writer *w, const struct trace_span *s)
{
    struct part event = {.n = 0};
    put_number(&event, EVENT_TYPE, SLICE_BEGIN);
    put_number(&event, EVENT_NAME_IID, SLEEPING);
    write_event(w, s->from, &event);
    write_end(w, s->to);
}

/* The pieces in the order of their beginnings, with the ends of those that are open in between. */
static void write_slices(struct writer *w, const struct trace_thread *th, size_t thread,
                         struct arrows *arrows)
{
    uint64_t *open = trace_grow(NULL, th->npieces + 1, sizeof *open);
    size_t n = 0, asleep = 0;
    for (size_t i = 0; i <= th->npieces; i++) {
        uint64_t from = i < th->npieces ? th->piece[i].from : UINT64_MAX;
        while (n && open[n - 1] <= from)
            write_end(w, open[--n]);
        while (asleep < th->nsleeps && th->sleep[asleep].from < from)
            write_sleep(w, &th->sleep[asleep++]);
        if (i == th->npieces)
            break;
        write_piece(w, &th->piece[i], place_of(thread, i), arrows);
        open[n++] = th->piece[i].to;
        /* What was recorded on another worker's clock may end a little after what is around it. */
        if (n > 1 && open[n - 1] > open[n - 2])
            open[n - 1] = open[n - 2];
    }
    free(open);
}

/* ---- steals ----------------------------------------------------------------------------- */

enum {
    STEALS_OPEN = 64
}; /* most requests of a thread that have no answer: see trace_steals.c */

/* The flow that a request or its answer is on; 0: it brought nothing. */
static uint64_t flow_of(struct writer *w, const struct jdi_trace_event *e)
{
    const struct trace *t = w->t;
    while (w->steal < t->nsteals && t->steal[w->steal].thread < w->thread)
        w->steal++;
    for (size_t i = w->steal; i < t->nsteals && i < w->steal + STEALS_OPEN; i++) {
        const struct trace_steal *s = &t->steal[i];
        bool answer = jdi_trace_kind(e) == JDI_TRACE_GIVEN;
        if (s->thread != w->thread)
            break;
        if (s->victim != jdi_trace_a(e) || (answer ? s->came : s->asked) != e->ns)
            continue;
        w->steal = answer ? i + 1 : w->steal;
        return STEAL_FLOW | i;
    }
    return 0;
}

/* ---- moments ---------------------------------------------------------------------------- */

static void write_moment(void *writer, const struct jdi_trace_event *e)
{
    struct writer *w = writer;
    struct part event = {.n = 0};
    char coll[128] = "", name[192];
    enum jdi_trace_kind k = jdi_trace_kind(e);
    uint64_t flow = k == JDI_TRACE_ASK || k == JDI_TRACE_GIVEN ? flow_of(w, e) : 0;
    switch (jdi_trace_kind(e)) {
    case JDI_TRACE_BEGIN:
    case JDI_TRACE_END:
    case JDI_TRACE_WAVE:
        trace_coll_name(w->t, jdi_trace_row(e), coll, sizeof coll);
        snprintf(name, sizeof name, "%s of %s", trace_kind_name(jdi_trace_kind(e)), coll);
        break;
    case JDI_TRACE_ASK:
    case JDI_TRACE_GIVEN:
    case JDI_TRACE_REFUSED:
    case JDI_TRACE_GIVE:
        snprintf(name, sizeof name, "%s: rank %llu", trace_kind_name(jdi_trace_kind(e)),
                 (unsigned long long)jdi_trace_a(e));
        break;
    case JDI_TRACE_POLL:
        snprintf(name, sizeof name, "poll: %llu messages", (unsigned long long)e->b);
        break;
    default:
        return;
    }
    put_number(&event, EVENT_TYPE, INSTANT);
    put_text(&event, EVENT_NAME, name);
    if (flow)
        put_fixed(&event, EVENT_FLOW, flow);
    write_event(w, e->ns, &event);
}

void trace_perfetto(const struct trace *t, FILE *to)
{
    struct writer w = {.t = t, .to = to, .sequence = 1};
    struct arrows arrows = {0};
    find_arrows(t, &arrows);
    for (size_t i = 0; i < t->nranks; i++)
        write_rank(&w, &t->rank[i]);
    for (size_t i = 0; i < t->nthreads; i++) {
        const struct trace_thread *th = &t->thread[i];
        w.track = track_of_rank(th->rank) + th->owner + 1;
        w.sequence = (uint32_t)i + 2;
        w.thread = i;
        write_thread(&w, th);
        write_names(&w);
        write_slices(&w, th, i, &arrows);
        trace_each(th, write_moment, &w);
    }
    free(arrows.a);
}
