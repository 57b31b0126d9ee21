/*
 * trace_path.c - the critical paths of finishes.
 *
 * Role: goes through a trace in the order of time, and keeps for each task how much work had to be done, one piece after the
 *       other, before it could be where it is: its parents' until they spawned it, its own, and that of the finishes which it
 *       has waited for.  The most that a task of a finish ends with is the critical path of the finish.
 * Owner: one thread.
 * Invariants: I1 a node is older than those that lead back to it.
 *             I2 `open` of a thread has what runs there, the innermost last; all but the last wait for that.
 * See: doc/trace.md "Critical paths"; doc/jackdaw-trace.1.md "SUMMARY"; tools/trace_finishes.c.
 */
#include "tools/trace.h"

#include <inttypes.h>
#include <stdlib.h>

enum { NO_ROW = UINT16_MAX, ROWS_SHOWN = 4 };
#define NOBODY SIZE_MAX

/* Of what happens at one time the ends come first, then the beginnings. */
enum order { ENDS, BEGINS, HAPPENS, ENDS_AT_ONCE };

struct mark {
    uint64_t at, what; /* what: the piece, or what the event says in `b` */
    uint32_t thread;
    uint8_t order, kind; /* of an event */
};

/* A task, up to where it spawned another one, or ended. */
struct node {
    size_t before; /* what had to be done before; 0: nothing */
    uint64_t ns;   /* all of it, with this */
    uint16_t row;
};

/* A task; or a body in a finish that it has opened. */
struct runner {
    uint64_t id, ns;
    size_t node;  /* what its ns follow */
    uint64_t ult; /* of a body that has stopped */
    uint16_t row;
};

struct open {
    size_t *runner; /* by number */
    size_t n, room;
    uint64_t since;
};

/* A finish, while tasks of it may run. */
struct state {
    size_t opener; /* a runner */
    uint64_t base; /* what the opener had behind it */
    uint64_t most; /* of a task that has ended */
    size_t node;
    bool of_body; /* its opener is no task */
};

struct trace_path {
    struct node *node;
    size_t nnodes, nodes_room;
};

struct walk {
    const struct trace *t;
    struct trace_path *path;
    struct trace_finish *f;
    size_t nf;
    struct state *state; /* of each finish */
    struct mark *mark;
    size_t nmarks, marks_room;
    uint32_t thread;       /* that is looked at */
    struct runner *runner; /* tasks by id, then bodies */
    size_t ntasks, nrunners, runners_room;
    size_t *idle; /* runners of bodies whose finish has ended */
    size_t nidle, idle_room;
    struct open *open; /* of each thread */
    size_t *born;      /* of each of t->born: its node */
};

static void *room_for(void *list, size_t n, size_t *room, size_t each)
{
    if (n < *room)
        return list;
    *room = *room * 2 + 64;
    return trace_grow(list, *room, each);
}

static size_t new_node(struct walk *w, size_t before, uint64_t ns, uint16_t row)
{
    struct trace_path *p = w->path;
    p->node = room_for(p->node, p->nnodes, &p->nodes_room, sizeof *p->node);
    p->node[p->nnodes] = (struct node){before, ns, row};
    return p->nnodes++;
}

/* ---- what happened, in its order --------------------------------------------------------- */

static void add_mark(struct walk *w, struct mark m)
{
    w->mark = room_for(w->mark, w->nmarks, &w->marks_room, sizeof *w->mark);
    w->mark[w->nmarks++] = m;
}

static void mark_event(void *walk, const struct jdi_trace_event *e)
{
    struct walk *w = walk;
    enum jdi_trace_kind k = jdi_trace_kind(e);
    if (k == JDI_TRACE_ASYNC || k == JDI_TRACE_OPEN || k == JDI_TRACE_CLOSE ||
        k == JDI_TRACE_STOP || k == JDI_TRACE_GO)
        add_mark(w, (struct mark){e->ns, e->b, w->thread, HAPPENS, (uint8_t)k});
}

static void mark_pieces(struct walk *w, const struct trace_thread *th)
{
    for (size_t i = 0; i < th->npieces; i++) {
        const struct trace_piece *p = &th->piece[i];
        enum order end = p->to > p->from ? ENDS : ENDS_AT_ONCE;
        add_mark(w, (struct mark){p->from, i, w->thread, BEGINS, 0});
        add_mark(w, (struct mark){p->to, i, w->thread, (uint8_t)end, 0});
    }
}

/* A stable sort by time: the marks of a thread were made in their order. */
struct rank_of_mark {
    uint64_t at;
    uint8_t order;
    size_t i;
};

static int by_time(const void *left, const void *right)
{
    const struct rank_of_mark *a = left, *b = right;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return a->i < b->i ? -1 : a->i > b->i;
}

/* ---- who runs --------------------------------------------------------------------------- */

static int by_id(const void *left, const void *right)
{
    const struct runner *a = left, *b = right;
    return a->id < b->id ? -1 : a->id > b->id;
}

static void find_tasks(struct walk *w)
{
    const struct trace *t = w->t;
    size_t n = 0;
    for (size_t i = 0; i < t->nthreads; i++)
        for (size_t k = 0; k < t->thread[i].npieces; k++) {
            const struct trace_piece *p = &t->thread[i].piece[k];
            w->runner = room_for(w->runner, n, &w->runners_room, sizeof *w->runner);
            w->runner[n++] = (struct runner){.id = p->id, .row = p->row};
        }
    if (n)
        qsort(w->runner, n, sizeof *w->runner, by_id);
    for (size_t i = 0; i < n; i++)
        if (!w->ntasks || w->runner[w->ntasks - 1].id != w->runner[i].id)
            w->runner[w->ntasks++] = w->runner[i];
    w->nrunners = w->ntasks;
}

static size_t task_of(const struct walk *w, uint64_t id)
{
    const struct runner key = {.id = id}, *r;
    r = w->ntasks ? bsearch(&key, w->runner, w->ntasks, sizeof key, by_id) : NULL;
    return r ? (size_t)(r - w->runner) : NOBODY;
}

static size_t innermost(const struct walk *w)
{
    const struct open *o = &w->open[w->thread];
    return o->n ? o->runner[o->n - 1] : NOBODY;
}

/* Time has passed on the thread: it is work of who runs there. */
static void pass_time(struct walk *w, uint64_t now)
{
    struct open *o = &w->open[w->thread];
    size_t who = innermost(w);
    if (who != NOBODY && now > o->since)
        w->runner[who].ns += now - o->since;
    o->since = now;
}

static void put_open(struct open *o, size_t at, size_t who)
{
    o->runner = room_for(o->runner, o->n, &o->room, sizeof *o->runner);
    for (size_t i = o->n++; i > at; i--)
        o->runner[i] = o->runner[i - 1];
    o->runner[at] = who;
}

static void take_open(struct open *o, size_t who)
{
    size_t at = o->n;
    while (at && o->runner[at - 1] != who)
        at--;
    if (!at)
        return;
    for (o->n--; at <= o->n; at++)
        o->runner[at - 1] = o->runner[at];
}

/* ---- finishes --------------------------------------------------------------------------- */

static size_t finish_of(const struct walk *w, uint64_t number)
{
    size_t low = 0, high = w->nf;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (w->f[mid].number < number)
            low = mid + 1;
        else
            high = mid;
    }
    return low < w->nf && w->f[low].number == number ? low : NOBODY;
}

/* Finishes of bodies may be very many, but few are open at a time. */
static size_t new_body(struct walk *w)
{
    w->runner = room_for(w->runner, w->nrunners, &w->runners_room, sizeof *w->runner);
    size_t who = w->nidle ? w->idle[--w->nidle] : w->nrunners++;
    w->runner[who] = (struct runner){.row = NO_ROW};
    put_open(&w->open[w->thread], 0, who);
    return who;
}

static void end_body(struct walk *w, size_t who)
{
    take_open(&w->open[w->thread], who);
    w->runner[who].ult = 0;
    w->idle = room_for(w->idle, w->nidle, &w->idle_room, sizeof *w->idle);
    w->idle[w->nidle++] = who;
}

static void on_open(struct walk *w, uint64_t number)
{
    size_t i = finish_of(w, trace_finish_name(number));
    if (i == NOBODY)
        return;
    struct state *s = &w->state[i];
    *s = (struct state){.opener = innermost(w)};
    s->of_body = s->opener == NOBODY;
    if (s->of_body)
        s->opener = new_body(w);
    s->base = w->runner[s->opener].ns;
}

static void on_close(struct walk *w, uint64_t number)
{
    size_t i = finish_of(w, trace_finish_name(number));
    if (i == NOBODY || w->state[i].opener == NOBODY)
        return;
    const struct state *s = &w->state[i];
    struct runner *opener = &w->runner[s->opener];
    w->f[i].path = s->most > s->base ? s->most - s->base : 0;
    w->f[i].path_end = s->node;
    w->f[i].path_base = s->base;
    if (s->most > opener->ns) {
        opener->ns = s->most;
        opener->node = s->node;
    }
    if (s->of_body)
        end_body(w, s->opener);
    w->state[i].opener = NOBODY;
}

static void on_async(struct walk *w, uint64_t id)
{
    const struct trace_born *b = trace_born_of(w->t, id);
    size_t who = innermost(w);
    if (!b || who == NOBODY)
        return;
    const struct runner *r = &w->runner[who];
    w->born[b - w->t->born] = new_node(w, r->node, r->ns, r->row);
}

/* ---- pieces ----------------------------------------------------------------------------- */

static void on_begin(struct walk *w, const struct trace_piece *p)
{
    size_t who = task_of(w, p->id);
    struct runner *r = &w->runner[who];
    const struct trace_born *b = p->first ? trace_born_of(w->t, p->id) : NULL;
    if (p->first) {
        r->node = b ? w->born[b - w->t->born] : 0;
        r->ns = w->path->node[r->node].ns;
    }
    put_open(&w->open[w->thread], w->open[w->thread].n, who);
}

static void on_end(struct walk *w, const struct trace_piece *p)
{
    size_t who = task_of(w, p->id);
    const struct runner *r = &w->runner[who];
    const struct trace_born *b = p->last ? trace_born_of(w->t, p->id) : NULL;
    size_t i = b ? finish_of(w, b->finish) : NOBODY;
    take_open(&w->open[w->thread], who);
    if (i == NOBODY || r->ns <= w->state[i].most)
        return;
    w->state[i].most = r->ns;
    w->state[i].node = new_node(w, r->node, r->ns, p->row);
}

/* A body that stops takes itself from the thread, and comes back where it goes on; pieces have ends of their own. */
static void on_stop(struct walk *w, uint64_t ult)
{
    size_t who = innermost(w);
    if (who == NOBODY || who < w->ntasks)
        return;
    w->runner[who].ult = ult;
    take_open(&w->open[w->thread], who);
}

static void on_go(struct walk *w, uint64_t ult)
{
    for (size_t i = w->ntasks; i < w->nrunners; i++)
        if (w->runner[i].ult == ult) {
            w->runner[i].ult = 0;
            put_open(&w->open[w->thread], 0, i);
        }
}

static void on_mark(struct walk *w, const struct mark *m)
{
    w->thread = m->thread;
    pass_time(w, m->at);
    const struct trace_thread *th = &w->t->thread[m->thread];
    if (m->order == BEGINS)
        on_begin(w, &th->piece[m->what]);
    else if (m->order != HAPPENS)
        on_end(w, &th->piece[m->what]);
    else if (m->kind == JDI_TRACE_OPEN)
        on_open(w, m->what);
    else if (m->kind == JDI_TRACE_CLOSE)
        on_close(w, m->what);
    else if (m->kind == JDI_TRACE_ASYNC)
        on_async(w, m->what);
    else if (m->kind == JDI_TRACE_STOP)
        on_stop(w, m->what);
    else
        on_go(w, m->what);
}

/* ---- all -------------------------------------------------------------------------------- */

static void walk_marks(struct walk *w)
{
    struct rank_of_mark *in = trace_grow(NULL, w->nmarks, sizeof *in);
    for (size_t i = 0; i < w->nmarks; i++)
        in[i] = (struct rank_of_mark){w->mark[i].at, w->mark[i].order, i};
    if (w->nmarks)
        qsort(in, w->nmarks, sizeof *in, by_time);
    for (size_t i = 0; i < w->nmarks; i++)
        on_mark(w, &w->mark[in[i].i]);
    free(in);
}

struct trace_path *trace_path_find(const struct trace *t, struct trace_finish *f,
                                   size_t n)
{
    struct walk w = {.t = t, .f = f, .nf = n};
    struct trace_path *p = w.path = trace_grow(NULL, 1, sizeof *p);
    *p = (struct trace_path){0};
    (void)new_node(&w, 0, 0, NO_ROW);
    w.open = trace_grow(NULL, t->nthreads, sizeof *w.open);
    w.state = trace_grow(NULL, n, sizeof *w.state);
    w.born = trace_grow(NULL, t->nborn, sizeof *w.born);
    for (size_t i = 0; i < n; i++)
        w.state[i] = (struct state){.opener = NOBODY};
    for (size_t i = 0; i < t->nborn; i++)
        w.born[i] = 0;
    for (size_t i = 0; i < t->nthreads; i++)
        w.open[i] = (struct open){0};
    find_tasks(&w);
    for (w.thread = 0; w.thread < t->nthreads; w.thread++) {
        mark_pieces(&w, &t->thread[w.thread]);
        trace_each(&t->thread[w.thread], mark_event, &w);
    }
    walk_marks(&w);
    for (size_t i = 0; i < t->nthreads; i++)
        free(w.open[i].runner);
    free(w.open);
    free(w.state);
    free(w.born);
    free(w.mark);
    free(w.idle);
    free(w.runner);
    return p;
}

void trace_path_free(struct trace_path *p)
{
    free(p->node);
    free(p);
}

/* ---- shown ------------------------------------------------------------------------------ */

struct step {
    uint64_t n, ns;
    uint16_t row;
};

static int by_ns(const void *left, const void *right)
{
    const struct step *a = left, *b = right;
    return a->ns > b->ns ? -1 : a->ns < b->ns;
}

static void add_step(struct step **step, size_t *n, uint16_t row, uint64_t ns)
{
    size_t i = 0;
    while (i < *n && (*step)[i].row != row)
        i++;
    if (i == *n) {
        *step = trace_grow(*step, ++*n, sizeof **step);
        (*step)[i] = (struct step){.row = row};
    }
    (*step)[i].n++;
    (*step)[i].ns += ns;
}

void trace_path_show(const struct trace *t, const struct trace_path *p,
                     const struct trace_finish *f, FILE *to)
{
    struct step *step = NULL;
    size_t n = 0;
    char took[24];
    for (size_t i = f->path_end; i && p->node[i].ns > f->path_base;
         i = p->node[i].before) {
        uint64_t before = p->node[p->node[i].before].ns;
        uint64_t from = before > f->path_base ? before : f->path_base;
        add_step(&step, &n, p->node[i].row, p->node[i].ns - from);
    }
    if (n)
        qsort(step, n, sizeof *step, by_ns);
    fputs("the critical path of the first of them:", to);
    for (size_t i = 0; i < n && i < ROWS_SHOWN; i++)
        fprintf(to, "%s %" PRIu64 " %s %s", i ? "," : "", step[i].n,
                step[i].row == NO_ROW ? "the opener" : trace_row_name(t, step[i].row),
                trace_show_ns((double)step[i].ns, took));
    fprintf(to, "%s\n", n > ROWS_SHOWN ? " ..." : "");
    free(step);
}
