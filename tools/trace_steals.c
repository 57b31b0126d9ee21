/*
 * trace_steals.c - the steals between ranks in a trace.
 *
 * Role: finds the answer to each request, and which of the tasks that came with it ran first.
 * Owner: one thread.
 * Invariants: I1 an answer ends the oldest request of its thread to that rank for that collection.
 *             I2 a task that has come several times to a rank belongs to the last time before it began.
 * See: doc/jackdaw-trace.1.md "SUMMARY", "PERFETTO"; sched/transfer.c, sched/plain.c and sched/finish/label.c, which
 *      record.
 */
#include "tools/trace.h"

#include <stdlib.h>
#include <string.h>

enum { ASKED_MOST = 64 };

/* A task has come to a rank with a steal. */
struct came {
    uint64_t id, at;
    uint32_t rank;
    size_t steal;
};

struct steals {
    struct trace *t;
    uint32_t thread;            /* that is looked at */
    uint64_t asked[ASKED_MOST]; /* requests without an answer: when, and which */
    uint64_t which[ASKED_MOST];
    unsigned n;
    uint64_t expected; /* tasks of the last steal that have still to be told of */
    size_t room;
    struct came *came;
    size_t ncame, came_room;
};

static void add_steal(struct steals *s, const struct jdi_trace_event *e, uint64_t asked)
{
    struct trace *t = s->t;
    if (t->nsteals == s->room)
        t->steal = trace_grow(t->steal, s->room = s->room * 2 + 64, sizeof *t->steal);
    t->steal[t->nsteals++] = (struct trace_steal){.asked = asked,
                                                  .came = e->ns > asked ? e->ns : asked,
                                                  .ran = UINT64_MAX,
                                                  .thread = s->thread,
                                                  .victim = (uint32_t)jdi_trace_a(e)};
    s->expected = e->b;
}

/* For which collection, to which rank. */
static uint64_t which_request(const struct jdi_trace_event *e)
{
    return e->word >> 8;
}

static void end_request(struct steals *s, const struct jdi_trace_event *e)
{
    for (unsigned i = 0; i < s->n; i++) {
        if (s->which[i] != which_request(e))
            continue;
        if (jdi_trace_kind(e) == JDI_TRACE_GIVEN)
            add_steal(s, e, s->asked[i]);
        else
            s->t->nrefused++;
        s->n--;
        memmove(s->asked + i, s->asked + i + 1, (s->n - i) * sizeof *s->asked);
        memmove(s->which + i, s->which + i + 1, (s->n - i) * sizeof *s->which);
        return;
    }
}

static void add_came(struct steals *s, const struct jdi_trace_event *e)
{
    const struct trace *t = s->t;
    if (!s->expected || t->steal[t->nsteals - 1].victim != jdi_trace_a(e))
        return; /* it has come in another way */
    s->expected--;
    if (s->ncame == s->came_room)
        s->came =
            trace_grow(s->came, s->came_room = s->came_room * 2 + 64, sizeof *s->came);
    s->came[s->ncame++] =
        (struct came){e->b, e->ns, t->thread[s->thread].rank, t->nsteals - 1};
}

static void follow_steal(void *steals, const struct jdi_trace_event *e)
{
    struct steals *s = steals;
    switch (jdi_trace_kind(e)) {
    case JDI_TRACE_ASK:
        if (s->n < ASKED_MOST) {
            s->asked[s->n] = e->ns;
            s->which[s->n++] = which_request(e);
        }
        break;
    case JDI_TRACE_GIVEN:
        s->expected = 0;
        end_request(s, e);
        break;
    case JDI_TRACE_REFUSED:
        end_request(s, e);
        break;
    case JDI_TRACE_CAME:
        add_came(s, e);
        break;
    default:
        break;
    }
}

static int by_id(const void *left, const void *right)
{
    const struct came *a = left, *b = right;
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

/* The steal that has brought the task of a piece; NULL: none has. */
static const struct came *steal_of(const struct steals *s, const struct trace_piece *p,
                                   uint32_t rank)
{
    const struct came key = {.id = p->id, .rank = rank, .at = p->from};
    size_t low = 0, high = s->ncame;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (by_id(&s->came[mid], &key) <= 0)
            low = mid + 1;
        else
            high = mid;
    }
    const struct came *c = low ? &s->came[low - 1] : NULL;
    return c && c->id == p->id && c->rank == rank ? c : NULL;
}

/* Of each steal the piece that began first. */
static void find_first(struct steals *s)
{
    struct trace *t = s->t;
    struct trace_piece **first = trace_grow(NULL, t->nsteals, sizeof *first);
    memset(first, 0, t->nsteals * sizeof *first);
    for (size_t i = 0; i < t->nthreads; i++)
        for (size_t k = 0; k < t->thread[i].npieces; k++) {
            struct trace_piece *p = &t->thread[i].piece[k];
            const struct came *c = p->first ? steal_of(s, p, t->thread[i].rank) : NULL;
            if (!c || p->from >= t->steal[c->steal].ran)
                continue;
            t->steal[c->steal].ran = p->from;
            if (first[c->steal])
                first[c->steal]->steal = 0;
            first[c->steal] = p;
            p->steal = c->steal + 1;
        }
    free(first);
}

void trace_find_steals(struct trace *t)
{
    struct steals s = {.t = t};
    for (s.thread = 0; s.thread < t->nthreads; s.thread++) {
        s.n = 0;
        s.expected = 0;
        trace_each(&t->thread[s.thread], follow_steal, &s);
    }
    if (s.ncame) {
        qsort(s.came, s.ncame, sizeof *s.came, by_id);
        find_first(&s);
    }
    free(s.came);
}
