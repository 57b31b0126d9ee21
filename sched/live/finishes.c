/*
 * finishes.c - see finishes.h.
 *
 * Role: see finishes.h.
 * Owner: see finishes.h.
 * Invariants: those of finishes.h.  I3 under the locks of an inspection nothing is allocated, printed or followed.
 * Order: none: see core/peek.h for what is read of a task that runs.
 * See: finishes.h.
 */
#include "sched/live/finishes.h"

#include "core/peek.h"
#include "sched/finish/pool.h"
#include "sched/finish/remote.h"
#include "sched/inspect.h"
#include "sched/wait/causes.h"

#include <inttypes.h>

enum { SHOWN = 16 };

struct line {
    jd_finish_id id, around; /* number 0: none */
    uint64_t waits, begin, runs;
    bool ends;   /* its opener waits for its end */
    bool comes;  /* the network's part counts tasks of it here */
    bool leaves; /* tasks of it are on other ranks, or on the way */
};

struct finishes {
    struct jdi_rank *rank;
    unsigned n, more; /* more: waits and tasks of which the finish has no line */
    struct line line[SHOWN];
    const struct jdi_part *runs[JDI_AM_THREADS_MOST]; /* the parts of tasks that run */
    unsigned nruns;
};

static bool is_same_finish(jd_finish_id a, jd_finish_id b)
{
    return a.number == b.number && a.home == b.home;
}

/* NULL: there is no room for it, or it is none. */
static struct line *line_of(struct finishes *f, jd_finish_id id)
{
    unsigned i = 0;
    while (i < f->n && !is_same_finish(f->line[i].id, id))
        i++;
    if (!id.number)
        return NULL;
    if (i == SHOWN) {
        f->more++;
        return NULL;
    }
    if (i == f->n)
        f->line[f->n++] = (struct line){.id = id};
    return &f->line[i];
}

/* A jdi_inspect_fn. */
static void note_holder_that_waits(void *finishes, struct jdi_waiting *w)
{
    struct line *l = line_of(finishes, w->finish);
    const struct jdi_cause *c = &w->cause;
    if (!l)
        return;
    l->around = w->around.number ? w->around : l->around;
    if (c->kind == JDI_CAUSE_FINISH_SPMD ||
        (c->kind == JDI_CAUSE_FINISH &&
         is_same_finish((jd_finish_id){.number = c->number, .home = c->home}, l->id)))
        l->ends = true;
    else if (w->begun)
        l->waits++;
    else
        l->begin++;
}

/* A jdi_active_fn. */
static void note_holder_that_runs(void *finishes, const struct jdi_active *a)
{
    struct finishes *f = finishes;
    if (a->part && a->worker >= 0 && f->nruns < JDI_AM_THREADS_MOST)
        f->runs[f->nruns++] = a->part;
}

/* The part may be gone by now. */
static void note_runs(struct finishes *f)
{
    for (unsigned i = 0; i < f->nruns; i++) {
        const struct jdi_part *root = NULL;
        jd_finish_id id = {0};
        if (!jdi_peek(&f->runs[i]->root, &root, sizeof root) || !root ||
            !jdi_peek(&root->id, &id, sizeof id) ||
            (id.home >= f->rank->am->nranks && id.home != JDI_HOME_ALL))
            continue;
        struct line *l = line_of(f, id);
        if (l)
            l->runs++;
    }
}

/* Those that go over several ranks. */
static void note_remote(void *finishes, const struct jdi_keyed *e)
{
    const struct jdi_remote *a = jdi_container_of(e, const struct jdi_remote, key);
    struct line *l = line_of(finishes, a->part->root->id);
    if (!l)
        return;
    l->comes = a->part->live;
    l->leaves = !a->all && a->rooted.debt;
}

/* ---- text ------------------------------------------------------------------------------- */

static void say_name(struct jdi_text *t, jd_finish_id id)
{
    if (id.home == JDI_HOME_ALL)
        jdi_text_add(t, "the finish of all ranks");
    else
        jdi_text_add(t, "finish %" PRIu64 " of rank %" PRIu32, id.number, id.home);
}

/* "; held by 2 tasks that wait here, 1 that runs here". */
static void say_holders(struct jdi_text *t, uint64_t n, const char *one, const char *many,
                        bool *any)
{
    if (!n)
        return;
    jdi_text_add(t, "%s", *any ? ", " : "; held by ");
    if (n == 1)
        jdi_text_add(t, "a task that %s here", one);
    else
        jdi_text_add(t, "%" PRIu64 " tasks that %s here", n, many);
    *any = true;
}

static void say_finish(struct jdi_text *t, const struct finishes *f, const struct line *l)
{
    /* Each rank has opened that of all ranks. */
    bool all = l->id.home == JDI_HOME_ALL, any = false;
    bool here = all || l->id.home == f->rank->am->rank;
    say_name(t, l->id);
    jdi_text_add(t, ": opened %s", here ? "here" : "elsewhere");
    if (l->around.number) {
        jdi_text_add(t, ", inside of ");
        say_name(t, l->around);
    }
    if (l->ends)
        jdi_text_add(t, ", and who has opened it waits for its end");
    say_holders(t, l->runs, "runs", "run", &any);
    say_holders(t, l->waits, "waits", "wait", &any);
    say_holders(t, l->begin, "waits to begin", "wait to begin", &any);
    if (l->leaves)
        jdi_text_add(t, "%stasks that have gone to other ranks",
                     any ? ", " : "; held by ");
    else if (!any && (l->comes || here))
        jdi_text_add(t, "; no task of it is seen here that runs or waits");
    jdi_text_add(t, "\n");
}

void jdi_finishes_tell(struct jdi_rank *r, bool comm, struct jdi_text *t)
{
    const struct jdi_pool *p = jdi_pool_of(r);
    struct finishes *f = p ? jdi_zalloc(NULL, sizeof *f) : NULL;
    if (p && !f)
        jdi_text_add(t, "no memory to say which finishes are open\n");
    if (!f)
        return;
    f->rank = r;
    jdi_causes_each(r, note_holder_that_waits, f);
    jdi_inspect_active(r, note_holder_that_runs, f);
    note_runs(f);
    if (comm)
        jdi_keyed_each(&p->remote, note_remote, f);
    for (unsigned i = 0; i < f->n; i++)
        say_finish(t, f, &f->line[i]);
    if (f->more)
        jdi_text_add(t, "of other finishes: %u that run or wait\n", f->more);
    jdi_free(f);
}
