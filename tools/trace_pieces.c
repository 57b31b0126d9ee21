/*
 * trace_pieces.c - from the events of a trace to what ran when.
 *
 * Role: cuts each task where its ULT has stopped; finds which tasks ran inside of others, and who has added a
 *       task that another thread has run.
 * Invariants: I2 of tools/trace.h.
 * See: doc/trace.md "Events".
 */
#include "tools/trace.h"

#include <stdlib.h>

/* A ULT was stopped from `from` on thread `left`, and went on at `to` on thread `came`. */
struct stop {
    uint64_t ult, from, to;
    uint32_t left, came; /* of trace->thread */
    unsigned cause;
};

/* Tasks with the ids first .. first + n - 1 were added by a piece. */
struct spawn {
    uint64_t first, n;
    uint32_t thread;
    uint64_t ended; /* when that piece did */
};

struct finder {
    struct trace *t;
    uint32_t thread; /* that is looked at */
    struct stop *stop;
    size_t nstops, stops_room;
    struct spawn *spawn;
    size_t nspawns, spawns_room;
    size_t born_room;
    uint64_t ult; /* the one that runs; 0: one that has never stopped */
};

static void *one_more(void *list, size_t n, size_t *room, size_t each)
{
    if (n < *room)
        return list;
    *room = *room * 2 + 64;
    return trace_grow(list, *room, each);
}

enum { LOOKS = 256, THREAD_BIT = 40 };

/* ---- stops ------------------------------------------------------------------------------ */

static int by_ult(const void *left, const void *right)
{
    const struct stop *a = left, *b = right;
    if (a->ult != b->ult)
        return a->ult < b->ult ? -1 : 1;
    return a->from < b->from ? -1 : a->from > b->from;
}

/* At first each event is a stop of its own: a GO has no `from` but its time. */
static void collect_stop(void *finder, const struct jdi_trace_event *e)
{
    struct finder *f = finder;
    enum jdi_trace_kind k = jdi_trace_kind(e);
    if (k != JDI_TRACE_STOP && k != JDI_TRACE_GO)
        return;
    f->stop = one_more(f->stop, f->nstops, &f->stops_room, sizeof *f->stop);
    f->stop[f->nstops++] = (struct stop){.ult = e->b,
                                         .from = e->ns,
                                         .to = k == JDI_TRACE_GO ? e->ns : UINT64_MAX,
                                         .cause = (unsigned)jdi_trace_a(e) % TRACE_CAUSES,
                                         .left = f->thread,
                                         .came = f->thread};
}

static void count_wait(struct trace_waits *w, uint64_t ns)
{
    w->n++;
    w->ns += ns;
    w->most = ns > w->most ? ns : w->most;
}

/* A STOP and the GO after it become one. */
static void join_stops(struct finder *f)
{
    size_t n = 0;
    if (f->nstops)
        qsort(f->stop, f->nstops, sizeof *f->stop, by_ult);
    for (size_t i = 0; i < f->nstops; i++) {
        struct stop s = f->stop[i];
        if (s.to != UINT64_MAX)
            continue; /* a GO whose STOP is lost */
        if (i + 1 < f->nstops && f->stop[i + 1].ult == s.ult &&
            f->stop[i + 1].to != UINT64_MAX) {
            s.to = f->stop[i + 1].to;
            s.came = f->stop[i + 1].came;
            count_wait(&f->t->waits[s.cause], s.to - s.from);
            i++;
        }
        f->stop[n++] = s;
    }
    f->nstops = n;
}

/* The first stop of the ULT that ends after `from`. */
static size_t first_stop(const struct finder *f, uint64_t ult, uint64_t from)
{
    size_t low = 0, high = f->nstops;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        const struct stop *s = &f->stop[mid];
        if (s->ult < ult || (s->ult == ult && s->from < from))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* ---- pieces ----------------------------------------------------------------------------- */

static void add_piece(struct trace_thread *th, struct trace_piece p)
{
    th->piece = one_more(th->piece, th->npieces, &th->room, sizeof *th->piece);
    th->piece[th->npieces++] = p;
}

static void cut_task(struct finder *f, const struct jdi_trace_event *e)
{
    uint64_t from = e->ns, to = from + trace_task_ns(e);
    struct trace_piece p = {
        .from = from, .id = e->b, .row = jdi_trace_row(e), .first = true};
    uint32_t on = f->thread;
    size_t i = f->ult ? first_stop(f, f->ult, from) : f->nstops, n = 0;
    while (i + n < f->nstops && f->stop[i + n].ult == f->ult && f->stop[i + n].to <= to)
        n++;
    for (size_t k = 0; k < n; k++) {
        const struct stop *s = &f->stop[i + k];
        p.to = s->from;
        add_piece(&f->t->thread[s->left], p);
        p.first = false;
        p.from = s->to;
        on = s->came;
    }
    p.to = to;
    p.last = true;
    add_piece(&f->t->thread[on], p);
}

static void add_sleep(struct trace_thread *th, const struct jdi_trace_event *e)
{
    th->sleep = one_more(th->sleep, th->nsleeps, &th->sleeps_room, sizeof *th->sleep);
    th->sleep[th->nsleeps++] = (struct trace_span){e->ns, e->ns + jdi_trace_a(e)};
}

static void add_born(struct finder *f, const struct jdi_trace_event *e)
{
    struct trace *t = f->t;
    t->born = one_more(t->born, t->nborn, &f->born_room, sizeof *t->born);
    t->born[t->nborn++] = (struct trace_born){e->b, trace_finish_of(e), e->ns, f->thread};
}

static void take_event(void *finder, const struct jdi_trace_event *e)
{
    struct finder *f = finder;
    switch (jdi_trace_kind(e)) {
    case JDI_TRACE_GO:
        f->ult = e->b;
        break;
    case JDI_TRACE_STOP:
        f->ult = 0;
        break;
    case JDI_TRACE_TASK:
    case JDI_TRACE_TASK_LONG:
        cut_task(f, e);
        break;
    case JDI_TRACE_SLEEP:
        add_sleep(&f->t->thread[f->thread], e);
        break;
    case JDI_TRACE_SPAWN:
        f->spawn = one_more(f->spawn, f->nspawns, &f->spawns_room, sizeof *f->spawn);
        f->spawn[f->nspawns++] = (struct spawn){e->b, jdi_trace_a(e), f->thread, e->ns};
        break;
    case JDI_TRACE_ASYNC:
        add_born(f, e);
        break;
    default:
        break;
    }
}

static int by_beginning(const void *left, const void *right)
{
    const struct trace_piece *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->to > b->to ? -1 : a->to < b->to;
}

/* ---- what lies inside of what ----------------------------------------------------------- */

/* Those that are open at a time stand in a row on `open`, the innermost last. */
static void find_own(struct trace_thread *th)
{
    size_t *open = NULL, n = 0, room = 0;
    for (size_t i = 0; i < th->npieces; i++) {
        struct trace_piece *p = &th->piece[i];
        p->own = p->to - p->from;
        while (n && th->piece[open[n - 1]].to <= p->from)
            n--;
        if (n && th->piece[open[n - 1]].to >= p->to)
            th->piece[open[n - 1]].own -= p->own;
        open = one_more(open, n, &room, sizeof *open);
        open[n++] = i;
    }
    free(open);
}

/* ---- who has added it ------------------------------------------------------------------- */

static int by_first(const void *left, const void *right)
{
    const struct spawn *a = left, *b = right;
    return a->first < b->first ? -1 : a->first > b->first;
}

static const struct spawn *spawn_of(const struct finder *f, uint64_t id)
{
    size_t low = 0, high = f->nspawns;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (f->spawn[mid].first <= id)
            low = mid + 1;
        else
            high = mid;
    }
    const struct spawn *s = low ? &f->spawn[low - 1] : NULL;
    return s && id - s->first < s->n ? s : NULL;
}

/* How many pieces of a thread began before that time; `too`: or at it. */
static size_t pieces_begun(const struct trace_thread *th, uint64_t at, bool too)
{
    size_t low = 0, high = th->npieces;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (th->piece[mid].from < at || (too && th->piece[mid].from == at))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* The piece of a thread that ended at that time, plus 1; 0: it is not there, or far. */
static size_t piece_that_ended(const struct trace_thread *th, uint64_t at)
{
    size_t low = pieces_begun(th, at, false);
    /* Those that began after it lie inside of it, or are short. */
    for (unsigned looks = 0; looks < LOOKS && low; looks++, low--)
        if (th->piece[low - 1].to == at)
            return low;
    return 0;
}

size_t trace_piece_at(const struct trace_thread *th, uint64_t at)
{
    size_t low = pieces_begun(th, at, true), ended = 0;
    for (unsigned looks = 0; looks < LOOKS && low; looks++, low--) {
        const struct trace_piece *p = &th->piece[low - 1];
        if (p->to > at)
            return low;
        if (p->to == at && !ended)
            ended = low;
    }
    return ended;
}

static int by_id(const void *left, const void *right)
{
    const struct trace_born *a = left, *b = right;
    return a->id < b->id ? -1 : a->id > b->id;
}

const struct trace_born *trace_born_of(const struct trace *t, uint64_t id)
{
    const struct trace_born key = {.id = id};
    return t->nborn ? bsearch(&key, t->born, t->nborn, sizeof key, by_id) : NULL;
}

/* Who has added the task of a piece, if that was on another thread than this one: its place, plus 1; else 0. */
static uint64_t parent_of(const struct finder *f, uint64_t id, uint32_t thread)
{
    const struct trace_born *b = trace_born_of(f->t, id);
    const struct spawn *s = b ? NULL : spawn_of(f, id);
    size_t at = 0;
    if (b && b->thread != thread)
        at = trace_piece_at(&f->t->thread[b->thread], b->at);
    if (s && s->thread != thread)
        at = piece_that_ended(&f->t->thread[s->thread], s->ended);
    return at ? (uint64_t)(b ? b->thread : s->thread) << THREAD_BIT | at : 0;
}

static void find_parents(struct finder *f)
{
    if (f->nspawns)
        qsort(f->spawn, f->nspawns, sizeof *f->spawn, by_first);
    if (f->t->nborn)
        qsort(f->t->born, f->t->nborn, sizeof *f->t->born, by_id);
    for (uint32_t i = 0; i < f->t->nthreads && (f->nspawns || f->t->nborn); i++) {
        struct trace_thread *th = &f->t->thread[i];
        for (size_t k = 0; k < th->npieces; k++)
            if (th->piece[k].first)
                th->piece[k].parent = parent_of(f, th->piece[k].id, i);
    }
}

/* ---- all -------------------------------------------------------------------------------- */

/* The threads of one rank: ULTs stay in it. */
static void find_in_rank(struct finder *f, uint32_t from, uint32_t to)
{
    f->nstops = 0;
    for (f->thread = from; f->thread < to; f->thread++)
        trace_each(&f->t->thread[f->thread], collect_stop, f);
    join_stops(f);
    for (f->thread = from; f->thread < to; f->thread++) {
        f->ult = 0;
        trace_each(&f->t->thread[f->thread], take_event, f);
    }
}

void trace_find_pieces(struct trace *t)
{
    struct finder f = {.t = t};
    for (uint32_t i = 0, n; i < t->nthreads; i += n) {
        for (n = 1; i + n < t->nthreads && t->thread[i + n].rank == t->thread[i].rank;)
            n++;
        find_in_rank(&f, i, i + n);
    }
    for (size_t i = 0; i < t->nthreads; i++) {
        struct trace_thread *th = &t->thread[i];
        if (th->npieces)
            qsort(th->piece, th->npieces, sizeof *th->piece, by_beginning);
        find_own(th);
    }
    find_parents(&f);
    trace_find_steals(t);
    free(f.stop);
    free(f.spawn);
}
