/*
 * causes.c - what all waiting tasks of a rank wait for.
 *
 * Role: see causes.h.
 * Owner: whoever asks.
 * Invariants: I1 of causes.h. I2 under the locks of an inspection nothing is allocated or printed.
 * See: causes.h; sched/cause.def.
 */
#include "sched/wait/causes.h"

#include "core/symbols.h"
#include "core/text.h"
#include "sched/collective.h"
#include "sched/wait/event.h"
#include "sched/wait/foreign.h"
#include "sched/wait/waits.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    GROUPS_MOST = 48, /* lines for the waits of a rank */
    ALIKE_MOST = 4,   /* of them for tasks of one row that wait for objects of one kind */
    CASES_SHOWN = 4,  /* of a jd_select */
    LINE_MOST = 480
};

/* ---- who can wake --------------------------------------------------------------------- */

/* A case of jd_select, as if it were waited for alone. */
static struct jdi_cause cause_of_case(const jd_case *c)
{
    static const uint8_t kinds[JD_CASE_KINDS] = {
        [JD_CASE_SEND] = JDI_CAUSE_SEND,       [JD_CASE_RECEIVE] = JDI_CAUSE_RECEIVE,
        [JD_CASE_RESERVE] = JDI_CAUSE_RESERVE, [JD_CASE_EVENT] = JDI_CAUSE_EVENT,
        [JD_CASE_FUTURE] = JDI_CAUSE_FUTURE,   [JD_CASE_FD] = JDI_CAUSE_FD};
    bool fd = c->kind == JD_CASE_FD;
    return (struct jdi_cause){.kind = kinds[c->kind],
                              .what = fd ? (uint8_t)c->home : 0,
                              .home = fd ? 0 : c->home,
                              .number = c->number,
                              .deadline = JD_FOREVER};
}

static unsigned wakers_of_one(struct jdi_rank *r, const struct jdi_cause *c)
{
    unsigned wakers = jdi_cause_row(c->kind)->wakers;
    if (c->kind == JDI_CAUSE_FUTURE && c->home != r->am->rank)
        wakers &= ~(unsigned)JDI_WAKER_TASK;
    if (c->kind == JDI_CAUSE_EVENT && jdi_event_is_keyed(r, c->number))
        wakers |= JDI_WAKER_FOREIGN;
    if (r->am->nranks == 1)
        wakers &= ~(unsigned)JDI_WAKER_RANK;
    return c->deadline == JD_FOREVER ? wakers : wakers | JDI_WAKER_TIMER;
}

static const jd_case *cases_of(const struct jdi_cause *c)
{
    return (const jd_case *)(uintptr_t)c->number;
}

static unsigned wakers_of(struct jdi_rank *r, const struct jdi_cause *c)
{
    unsigned wakers = wakers_of_one(r, c);
    for (uint32_t i = 0; c->kind == JDI_CAUSE_SELECT && i < c->home; i++) {
        struct jdi_cause of = cause_of_case(&cases_of(c)[i]);
        wakers |= of.kind ? wakers_of_one(r, &of) : 0; /* it may be off */
    }
    return wakers;
}

/* ---- every wait ----------------------------------------------------------------------- */

struct each {
    struct jdi_rank *rank;
    jdi_inspect_fn *fn;
    void *ctx;
};

static void tell_with_wakers(void *each, struct jdi_waiting *w)
{
    const struct each *e = each;
    w->wakers = wakers_of(e->rank, &w->cause);
    e->fn(e->ctx, w);
}

void jdi_causes_each(struct jdi_rank *r, jdi_inspect_fn *fn, void *ctx)
{
    struct each e = {r, fn, ctx};
    jdi_inspect_each(r, tell_with_wakers, &e);
    jdi_waits_each(r, tell_with_wakers, &e);
}

/* ---- those that wait for the same ----------------------------------------------------- */

struct group {
    struct jdi_waiting one; /* the first that was found */
    uint64_t n;
    jd_time soonest; /* of their deadlines */
    uint64_t since;  /* the earliest that is known; 0: none is */
    bool mixed;      /* what they wait for is of one kind, but not one object */
    struct jdi_cause cases[CASES_SHOWN];
    void *frame[JDI_SYMBOLS_DEPTH]; /* of the first */
};

struct groups {
    uint64_t all, to_begin, others; /* others: in no group */
    unsigned n;
    struct group group[GROUPS_MOST];
};

static void copy_cases(const struct jdi_cause *c, struct jdi_cause to[CASES_SHOWN])
{
    memset(to, 0, CASES_SHOWN * sizeof *to);
    for (uint32_t i = 0; i < c->home && i < CASES_SHOWN; i++)
        to[i] = cause_of_case(&cases_of(c)[i]);
}

static bool is_same_object(const struct jdi_cause *a, const struct jdi_cause *b)
{
    return a->number == b->number && a->home == b->home && a->what == b->what;
}

static bool is_same_kind(const struct jdi_waiting *a, const struct jdi_waiting *b)
{
    return a->cause.kind == b->cause.kind && a->task == b->task && a->begun == b->begun;
}

static bool belongs(const struct group *g, const struct group *new)
{
    if (!is_same_kind(&g->one, &new->one))
        return false;
    if (new->one.cause.kind != JDI_CAUSE_SELECT)
        return is_same_object(&g->one.cause, &new->one.cause);
    bool same = g->one.cause.home == new->one.cause.home;
    for (unsigned i = 0; same && i < CASES_SHOWN; i++)
        same = g->cases[i].kind ==
               new->cases[i].kind &&is_same_object(&g->cases[i], &new->cases[i]);
    return same;
}

/* NULL: there is none, and no room for one. */
static struct group *group_for(struct groups *all, const struct group *new)
{
    struct group *like = NULL;
    unsigned alike = 0;
    for (unsigned i = 0; i < all->n; i++) {
        struct group *g = &all->group[i];
        if (belongs(g, new))
            return g;
        if (!is_same_kind(&g->one, &new->one))
            continue;
        like = g;
        alike++;
    }
    if (all->n < GROUPS_MOST && alike < ALIKE_MOST)
        return &all->group[all->n++];
    if (like)
        like->mixed = true;
    return like;
}

static void sort_wait(void *groups, struct jdi_waiting *w)
{
    struct groups *all = groups;
    struct group new = {.one = *w, .soonest = JD_FOREVER};
    if (w->cause.kind == JDI_CAUSE_SELECT)
        copy_cases(&w->cause, new.cases);
    all->all++;
    all->to_begin += !w->begun;
    struct group *g = group_for(all, &new);
    if (!g) {
        all->others++;
        return;
    }
    if (!g->n) {
        *g = new;
        if (w->nframes)
            memcpy(g->frame, w->frame, w->nframes * sizeof *w->frame);
    }
    g->n++;
    g->one.wakers |= w->wakers;
    g->soonest = w->cause.deadline < g->soonest ? w->cause.deadline : g->soonest;
    if (w->since && (!g->since || w->since < g->since))
        g->since = w->since;
}

/* ---- text ----------------------------------------------------------------------------- */

static void say_cases(struct jdi_text *t, const struct group *g);

static void say_cause(struct jdi_text *t, const struct jdi_cause *c,
                      const struct group *g)
{
    const struct jdi_cause_row *row = jdi_cause_row(c->kind);
    jdi_text_add(t, "%s", row->text);
    switch (row->object) {
    case JDI_OBJECT_CALL:
        jdi_text_add(t, " %s", jdi_collective_name(c->what));
        break;
    case JDI_OBJECT_NAME:
        jdi_text_add(t, " %" PRIu64, c->number);
        break;
    case JDI_OBJECT_FAR:
        jdi_text_add(t, " %" PRIu64 " of rank %" PRIu32, c->number, c->home);
        break;
    case JDI_OBJECT_ADDRESS:
        jdi_text_add(t, " 0x%" PRIx64, c->number);
        break;
    case JDI_OBJECT_FD:
        jdi_text_add(t, " %" PRIu64 " (%s%s%s)", c->number, c->what & JD_IN ? "in" : "",
                     c->what == (JD_IN | JD_OUT) ? ", " : "",
                     c->what & JD_OUT ? "out" : "");
        break;
    case JDI_OBJECT_CASES:
        jdi_text_add(t, " %" PRIu32 " cases", c->home);
        say_cases(t, g);
        break;
    case JDI_OBJECT_NONE:
        break;
    }
}

static void say_cases(struct jdi_text *t, const struct group *g)
{
    const char *between = ": ";
    for (unsigned i = 0; i < CASES_SHOWN; i++) {
        if (!g->cases[i].kind)
            continue;
        jdi_text_add(t, "%s", between);
        say_cause(t, &g->cases[i], g);
        between = " | ";
    }
    if (g->one.cause.home > CASES_SHOWN)
        jdi_text_add(t, " | ...");
}

static void say_wakers(struct jdi_text *t, unsigned wakers)
{
    const char *between = "; woken by ";
    for (unsigned i = 0; i < JDI_WAKERS; i++) {
        if (!(wakers & 1U << i))
            continue;
        jdi_text_add(t, "%s%s", between, jdi_cause_waker_name(1U << i));
        between = ", ";
    }
    if (!wakers)
        jdi_text_add(t, "; woken by nobody");
}

static double seconds(uint64_t from, uint64_t to)
{
    return to > from ? 1e-9 * (double)(to - from) : 0;
}

static void say_group(struct jdi_text *t, const struct group *g, uint64_t now)
{
    const struct jdi_waiting *w = &g->one;
    bool many = g->n > 1;
    jdi_text_clear(t);
    if (many)
        jdi_text_add(t, "%" PRIu64 " of ", g->n);
    jdi_text_add(t, "%s%s%s for ", w->task ? "task " : "the body", w->task ? w->task : "",
                 many       ? " wait"
                 : w->begun ? " waits"
                            : " waits to begin");
    say_cause(t, &w->cause, g);
    if (g->mixed)
        jdi_text_add(t, ", and others like it");
    if (g->soonest != JD_FOREVER)
        jdi_text_add(t, ", the %sdeadline in %.6f s", many ? "first " : "",
                     seconds(now, g->soonest));
    if (g->since)
        jdi_text_add(t, ", for %.6f s or longer", seconds(g->since, now));
    jdi_text_add(t, " (%sworker %u", many ? "one of them: " : "", w->worker);
    if (w->finish.number && w->finish.home == UINT32_MAX)
        jdi_text_add(t, ", the finish of all ranks");
    else if (w->finish.number)
        jdi_text_add(t, ", finish %" PRIu64 " of rank %" PRIu32, w->finish.number,
                     w->finish.home);
    jdi_text_add(t, ")");
    say_wakers(t, w->wakers);
}

/* From the call of the program on: what is inside of that is the runtime. */
static void say_stack(struct jdi_text *t, const struct jdi_symbols *symbols,
                      const struct group *g)
{
    unsigned n = g->one.nframes, first = 0;
    const char *name;
    while (first < n && (!(name = jdi_symbols_name(symbols, g->frame[first])) ||
                         strncmp(name, "jd_", 3) != 0))
        first++;
    jdi_text_clear(t);
    jdi_text_add(t, "%s stack: ", g->n > 1 ? "the first one's" : "its");
    for (unsigned i = first < n ? first : 0; i < n; i++) {
        jdi_symbols_say(symbols, g->frame[i], t);
        jdi_text_add(t, "%s", i + 1 < n ? " < " : "");
    }
}

static void say_totals(struct jdi_text *t, const struct jdi_rank *r,
                       const struct groups *all)
{
    uint64_t threads = jdi_foreign_count(r);
    jdi_text_clear(t);
    jdi_text_add(t, "waiting: %" PRIu64, all->all);
    if (all->to_begin)
        jdi_text_add(t, ", %" PRIu64 " of them to begin", all->to_begin);
    if (threads)
        jdi_text_add(t, "; %" PRIu64 " foreign thread%s registered", threads,
                     threads == 1 ? " is" : "s are");
}

void jdi_causes_tell(struct jdi_rank *r, void (*line)(void *ctx, const char *text),
                     void *ctx)
{
    char room[LINE_MOST];
    struct jdi_text t = jdi_text_in(room, sizeof room);
    struct groups *all = jdi_zalloc(NULL, sizeof *all);
    if (!all) {
        line(ctx, "no memory to say what waits");
        return;
    }
    jdi_causes_each(r, sort_wait, all);
    say_totals(&t, r, all);
    line(ctx, t.at);
    struct jdi_symbols *symbols = r->keeps_stacks ? jdi_symbols_open() : NULL;
    for (unsigned i = 0; i < all->n; i++) {
        say_group(&t, &all->group[i], jdi_rank_now(r));
        line(ctx, t.at);
        if (symbols && all->group[i].one.nframes) {
            say_stack(&t, symbols, &all->group[i]);
            line(ctx, t.at);
        }
    }
    jdi_symbols_close(symbols);
    if (all->others) {
        jdi_text_clear(&t);
        jdi_text_add(&t, "%" PRIu64 " others", all->others);
        line(ctx, t.at);
    }
    jdi_free(all);
}
