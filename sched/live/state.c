/*
 * state.c - the state of a rank, in words.
 *
 * Role: see state.h.
 * Owner: whoever asks.
 * Invariants: I1, I2 of state.h.  I3 what a worker writes without an order is a guess, and each word is
 *             read once.
 * See: state.h.
 */
#include "sched/live/state.h"

#include "sched/coll.h"
#include "sched/data/data.h"
#include "sched/deques.h"
#include "sched/finish/pool.h"
#include "sched/inspect.h"
#include "sched/live/finishes.h"
#include "sched/runq.h"
#include "sched/wait/causes.h"

#include <inttypes.h>
#include <unistd.h>

enum { COLLS_SHOWN = 16 }; /* lines */

static double seconds_of(uint64_t ns)
{
    return 1e-9 * (double)ns;
}

/* ---- workers -------------------------------------------------------------------------- */

enum doing { LOOKS = 1, TASK, BODY };

struct scene {
    const struct jdi_rank *rank;
    uint64_t ready; /* ULTs that could go on, and run on no worker */
    struct {
        enum doing doing;
        const char *task;
    } worker[JDI_AM_THREADS_MOST];
};

/* A jdi_active_fn. */
static void set_scene(void *scene, const struct jdi_active *a)
{
    struct scene *s = scene;
    if (a->worker < 0) {
        s->ready++;
        return;
    }
    s->worker[a->worker].doing = a->task ? TASK : BODY;
    s->worker[a->worker].task = a->task;
}

/* When the worker last looked at the clock: at the end of its last batch of tasks. */
static JDI_UNORDERED uint64_t looked_at(const struct jdi_worker *w)
{
    return *(const volatile uint64_t *)&w->looked;
}

static void tell_worker(struct jdi_text *t, const struct scene *s, unsigned i,
                        uint64_t now)
{
    const struct jdi_worker *w = &s->rank->workers[i];
    uint64_t looked = looked_at(w), ns = now > looked ? now - looked : 0;
    jdi_text_add(t, "worker %u: ", i);
    if (s->worker[i].doing == TASK)
        jdi_text_add(t, "in task %s for %.3f s", s->worker[i].task, seconds_of(ns));
    else if (s->worker[i].doing == BODY)
        jdi_text_add(t, "in the body for %.3f s", seconds_of(ns));
    else if (atomic_load_explicit(&w->asleep, memory_order_relaxed))
        jdi_text_add(t, "asleep");
    else
        jdi_text_add(t, "looks for work");
    uint64_t ready = jdi_runq_size(&w->ready);
    if (ready || jdi_deques_ready(w))
        jdi_text_add(t, "; %" PRIu64 " of its tasks can go on",
                     ready + jdi_deques_ready(w));
    if (!jdi_mailbox_empty(&w->calls))
        jdi_text_add(t, "; has not seen its calls");
    jdi_text_add(t, "\n");
}

static void tell_workers(struct jdi_rank *r, struct jdi_text *t)
{
    struct scene *s = jdi_zalloc(NULL, sizeof *s);
    if (!s) {
        jdi_text_add(t, "no memory to say what the workers do\n");
        return;
    }
    s->rank = r;
    jdi_inspect_active(r, set_scene, s);
    uint64_t now = jdi_rank_now(r);
    for (unsigned i = 0; i < r->nworkers; i++)
        tell_worker(t, s, i, now);
    if (s->ready)
        jdi_text_add(t, "ready to go on, of those that have begun: %" PRIu64 "\n",
                     s->ready);
    jdi_free(s);
}

/* ---- the communication thread's --------------------------------------------------------- */

/* Its end is found as that of a phase is. */
static bool is_of_finish_of_all(const jd_coll *c)
{
    const struct jdi_pool *p = jdi_pool_of(c->rank);
    return p && c == p->any && p->all;
}

static void tell_detector(struct jdi_text *t, const jd_coll *c)
{
    struct jdi_td_figures f = {0};
    c->rank->detector->figures(c->td, &f);
    jdi_text_add(
        t, "; detector: %" PRIu64 " waves, %" PRIu64 " failed, %" PRIu64 " messages%s",
        f.waves, f.failed, f.sent, jdi_coll_idle(c) ? "; idle here" : "");
}

static void tell_coll(struct jdi_text *t, jd_coll *c)
{
    static const char *const states[] = {[JDI_COLL_SEEDING] = "not started",
                                         [JDI_COLL_OPEN] = "under way",
                                         [JDI_COLL_DONE] = "ended",
                                         [JDI_COLL_DYING] = "being destroyed"};
    uint64_t open = 0, hidden = 0;
    for (unsigned i = 0; i < c->nowners; i++) {
        open += jdi_deque_open(&c->seat[i].shelf.deque);
        hidden += jdi_deque_private(&c->seat[i].shelf.deque);
    }
    uint64_t holds = atomic_load_explicit(&c->hold_in, memory_order_relaxed) -
                     atomic_load_explicit(&c->hold_out, memory_order_relaxed);
    bool all = is_of_finish_of_all(c);
    jdi_text_add(t, "%s%s: %" PRIu64 " tasks queued",
                 c->kind->visible ? "collection " : "",
                 c->kind->visible ? c->name : "finishes", open + hidden);
    if (open && hidden)
        jdi_text_add(t, ", %" PRIu64 " of them open to thieves", open);
    if (c->kind->visible)
        jdi_text_add(t, ", phase %" PRIu32 " %s", c->phase, states[jdi_coll_state(c)]);
    if (c->kind->visible && holds)
        jdi_text_add(t, ", %" PRIu64 " hold%s not released", holds,
                     holds == 1 ? "" : "s");
    if (all)
        jdi_text_add(t, ", the finish of all ranks is open");
    if (c->kind->visible || all)
        tell_detector(t, c);
    jdi_text_add(t, "\n");
}

static void tell_colls(struct jdi_rank *r, struct jdi_text *t)
{
    unsigned shown = 0, more = 0;
    for (unsigned i = 0; i < r->ncolls; i++) {
        jd_coll *c = r->colls[i];
        if (!c ||
            (!c->kind->visible && !jdi_store_local(&c->store) && !is_of_finish_of_all(c)))
            continue;
        if (shown++ < COLLS_SHOWN)
            tell_coll(t, c);
        else
            more++;
    }
    if (more)
        jdi_text_add(t, "%u collections more\n", more);
}

static void tell_leaving(struct jdi_rank *r, struct jdi_text *t)
{
    const struct jdi_pool *p = jdi_pool_of(r);
    uint64_t out = p ? atomic_load_explicit(&p->outgoing, memory_order_relaxed) : 0;
    if (out)
        jdi_text_add(t, "%" PRIu64 " tasks of jd_async_at have not left\n", out);
}

static void tell_network(struct jdi_rank *r, struct jdi_text *t)
{
    if (r->data->requests.n)
        jdi_text_add(t, "requests to other ranks that have no answer: %" PRIu32 "\n",
                     r->data->requests.n);
    if (r->dying)
        jdi_text_add(t, "a collection is being destroyed\n");
    if (r->session)
        jdi_text_add(t, "a balancer moves seeds\n");
}

/* ---- all ------------------------------------------------------------------------------ */

static void tell_line(void *text, const char *line)
{
    jdi_text_add(text, "%s\n", line);
}

void jdi_state_tell(struct jdi_rank *r, bool comm, struct jdi_text *t)
{
    jdi_text_add(t, "process %ld%s\n", (long)getpid(),
                 atomic_load_explicit(&r->returned, memory_order_relaxed)
                     ? "; the body has returned"
                     : "");
    tell_workers(r, t);
    if (comm) {
        tell_colls(r, t);
        tell_leaving(r, t);
        tell_network(r, t);
    }
    jdi_finishes_tell(r, comm, t);
    jdi_causes_tell(r, tell_line, t);
}
