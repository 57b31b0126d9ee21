/*
 * tracer.c - see tracer.h.
 *
 * Role: the rare ways of a tracer: its beginning and end, and another chunk.
 * Invariants: I1 and I2 of tracer.h.
 * See: tracer.h; doc/trace.md has the states of a chunk.
 */
#include "core/tracer.h"

#include "core/fault.h"

static double ns_of_tick(const struct jdi_ticks *since)
{
    struct jdi_ticks now = jdi_ticks_compare();
    return now.ticks > since->ticks
               ? (double)(now.ns - since->ns) / (double)(now.ticks - since->ticks)
               : 1;
}

struct jdi_tracer *jdi_tracer_new(struct jdi_trace_file *f, uint32_t rank, uint16_t owner,
                                  bool tasks)
{
    struct jdi_tracer *t = jdi_zalloc(NULL, sizeof *t + f->share * sizeof(t->index[0]));
    if (t) {
        t->file = f;
        t->rank = rank;
        t->owner = owner;
        t->tasks = tasks;
        t->ticks = f->head->clock == JDI_TRACE_TICKS;
        t->ns_each = t->ticks ? ns_of_tick(&f->head->made) : 1;
    }
    return t;
}

uint64_t jdi_tracer_end(struct jdi_tracer *t)
{
    if (t->ticks)
        jdi_tracer_compare(t);
    if (t->chunk)
        t->chunk->row = 0;
    if (t->dropped)
        atomic_fetch_add_explicit(&t->file->head->dropped, t->dropped,
                                  memory_order_relaxed);
    return t->dropped;
}

void jdi_tracer_compare(struct jdi_tracer *t)
{
    if (!t->chunk)
        return; /* there is no room for it */
    struct jdi_ticks c = jdi_ticks_compare();
    t->compared = c.ticks;
    jdi_tracer_put(t, JDI_TRACE_CLOCK, 0, c.width, c.ticks, c.ns);
}

bool jdi_tracer_turn(struct jdi_tracer *t)
{
    uint32_t i;
    if (t->n < t->file->share && jdi_trace_take(t->file, &i)) {
        t->index[t->n++] = i;
    } else if (t->n) {
        i = t->index[t->oldest];
        t->oldest = t->oldest + 1 < t->n ? t->oldest + 1 : 0;
    } else {
        t->dropped++;
        return false;
    }
    struct jdi_trace_chunk *old = t->chunk, *c = jdi_trace_chunk(t->file, i);
    uint32_t row = old ? old->row : 0;
    uint64_t since = old ? old->since : 0;
    jdi_trace_begin(c, JDI_TRACE_EVENTS, t->rank, t->owner, t->sequence++);
    c->row = row; /* what runs goes on */
    c->since = since;
    t->chunk = c;
    t->at = (struct jdi_trace_event *)(void *)(c + 1);
    t->end = t->at + (t->file->head->chunk_bytes - sizeof *c) / sizeof *t->at;
    if (t->ticks)
        jdi_tracer_compare(t);
    return true;
}
