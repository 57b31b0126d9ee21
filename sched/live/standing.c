/*
 * standing.c - could anything happen on this rank by itself?
 *
 * Role: see standing.h.
 * Owner: the communication thread.
 * Invariants: I1 of standing.h.  I2 what is not known for certain is a reason.
 * Order: [pair: idle-wake] a worker that sleeps has announced it, and whoever wakes it clears `asleep` before.
 * See: standing.h.
 */
#include "sched/live/standing.h"

#include "sched/coll.h"
#include "sched/deques.h"
#include "sched/finish/pool.h"
#include "sched/inspect.h"
#include "sched/recall.h"
#include "sched/runq.h"
#include "sched/wait/causes.h"
#include "sched/wait/foreign.h"

/* ---- messages ----------------------------------------------------------------------------- */

/* Thieves ask for ever, also in a job that hangs; none of these makes a rank do anything that has no tasks. */
static bool is_idle_talk(unsigned type)
{
    return type == JDI_MSG_STEAL || type == JDI_MSG_NOWORK || type == JDI_MSG_BLOCKED ||
           type == JDI_MSG_STATE || type == JDI_MSG_LIVE || type == JDI_MSG_CREDIT ||
           type == JDI_MSG_FRAG;
}

static void count_talk(const struct jdi_rank *r, struct jdi_standing *s)
{
    for (unsigned i = 0; i < JDI_MSGS; i++) {
        uint32_t sent, came;
        jdi_am_tally(r->am, i, &sent, &came);
        s->sent += is_idle_talk(i) ? 0 : sent;
        s->came += is_idle_talk(i) ? 0 : came;
    }
}

/* ---- workers and tasks ---------------------------------------------------------------------- */

/* Does this thread run its tasks between turns?  Then it has none now, or the ULT in which it is runs. */
static bool runs_here(const struct jdi_worker *w)
{
    return w->comm;
}

static void look_at_worker(struct jdi_worker *w, struct jdi_standing *s)
{
    if (!runs_here(w) && !atomic_load_explicit(&w->asleep, memory_order_acquire))
        s->goes |= JDI_GOES_AWAKE;
    if (jdi_runq_size(&w->ready) || jdi_deques_ready(w))
        s->goes |= JDI_GOES_RUNS;
    if (!jdi_mailbox_empty(&w->calls))
        s->goes |= JDI_GOES_CALLS;
}

static void count_steps(const struct jdi_rank *r, struct jdi_standing *s)
{
    s->steps = s->done = 0;
    for (unsigned i = 0; i < r->ncolls; i++)
        for (unsigned k = 0; r->colls[i] && k < r->colls[i]->nowners; k++)
            s->done += atomic_load_explicit(&r->colls[i]->seat[k].account.out,
                                            memory_order_relaxed);
    for (unsigned i = 0; i < r->nworkers; i++) {
        const struct jdi_worker *w = &r->workers[i];
        s->done += jdi_stats_get(&w->stats.resumed);
        s->steps += jdi_stats_get(&w->stats.suspended);
        s->steps += runs_here(w) ? 0 : jdi_stats_get(&w->stats.sleeps);
    }
    s->steps += s->done;
}

/* A jdi_active_fn. */
static void note_active(void *standing, const struct jdi_active *a)
{
    struct jdi_standing *s = standing;
    (void)a;
    s->goes |= JDI_GOES_RUNS;
}

/* A jdi_inspect_fn.  Other ranks and other tasks can wake it only if something else happens first. */
static void note_wait(void *standing, struct jdi_waiting *w)
{
    static const struct {
        unsigned waker, goes;
    } why[] = {{JDI_WAKER_TIMER, JDI_GOES_TIMER},
               {JDI_WAKER_KERNEL, JDI_GOES_KERNEL},
               {JDI_WAKER_FOREIGN, JDI_GOES_FOREIGN},
               {JDI_WAKER_HANDLE, JDI_GOES_HANDLE}};
    struct jdi_standing *s = standing;
    s->waits++;
    for (unsigned i = 0; i < JDI_ARRAY_LEN(why); i++)
        s->goes |= w->wakers & why[i].waker ? why[i].goes : 0;
    if (w->cause.kind == JDI_CAUSE_COMM)
        s->goes |= JDI_GOES_COMM;
    /* The end of a finish of all ranks is found by the detector of the pool. */
    if (w->cause.kind == JDI_CAUSE_FINISH_SPMD)
        s->open[0] |= UINT64_C(1) << JDI_POOL_ANY;
}

/* ---- collections ------------------------------------------------------------------------------ */

static bool has_queued(jd_coll *c)
{
    bool queued = jdi_store_local(&c->store) || c->held || jdi_recall_holds(c) ||
                  atomic_load_explicit(&c->lists, memory_order_relaxed);
    for (unsigned i = 0; i < c->nowners && !queued; i++)
        queued = jdi_store_has_own(&c->seat[i].shelf) ||
                 jdi_retained_waits(&c->seat[i].retained);
    return queued;
}

static void look_at_coll(jd_coll *c, struct jdi_standing *s)
{
    uint64_t bit = UINT64_C(1) << (c->id & 63), *open = &s->open[c->id / 64];
    if (has_queued(c))
        s->goes |= JDI_GOES_QUEUED;
    if (jdi_coll_state(c) != JDI_COLL_OPEN)
        return;
    if (c->kind->visible)
        *open |= bit;
    if (!jdi_coll_idle(c))
        s->kept[c->id / 64] |= bit;
}

static void look_at_comm(const struct jdi_rank *r, struct jdi_standing *s)
{
    const struct jdi_pool *p = jdi_pool_of(r);
    if (!jdi_mailbox_empty(&r->mailbox))
        s->goes |= JDI_GOES_CALLS;
    if (r->dying || r->session)
        s->goes |= JDI_GOES_COMM;
    if (p && (p->outbox || atomic_load_explicit(&p->outgoing, memory_order_relaxed)))
        s->goes |= JDI_GOES_QUEUED;
    if (jdi_foreign_count(r))
        s->goes |= JDI_GOES_FOREIGN;
}

/* ---- all ---------------------------------------------------------------------------------------- */

void jdi_standing_take(struct jdi_rank *r, struct jdi_standing *s)
{
    struct jdi_standing after = {0};
    *s = (struct jdi_standing){0};
    count_steps(r, s);
    for (unsigned i = 0; i < r->ncolls; i++)
        if (r->colls[i])
            look_at_coll(r->colls[i], s);
    jdi_inspect_active(r, note_active, s); /* with a heavy fence */
    jdi_causes_each(r, note_wait, s);
    look_at_comm(r, s);
    for (unsigned i = 0; i < r->nworkers; i++)
        look_at_worker(&r->workers[i], s);
    for (unsigned i = 0; i < r->ncolls; i++)
        if (r->colls[i])
            look_at_coll(r->colls[i], s);
    count_steps(r, &after);
    if (after.steps != s->steps)
        s->goes |= JDI_GOES_RUNS;
    s->steps = after.steps;
    s->done = after.done;
    count_talk(r, s);
}

void jdi_standing_add(struct jdi_standing *to, const struct jdi_standing *s)
{
    to->goes |= s->goes;
    to->steps += s->steps;
    to->done += s->done;
    to->waits += s->waits;
    to->sent += s->sent;
    to->came += s->came;
    for (unsigned i = 0; i < JDI_STANDING_COLLS; i++) {
        to->open[i] |= s->open[i];
        to->kept[i] |= s->kept[i];
    }
}

bool jdi_standing_ends(const struct jdi_standing *sum)
{
    bool ends = false;
    for (unsigned i = 0; i < JDI_STANDING_COLLS; i++)
        ends = ends || (sum->open[i] & ~sum->kept[i]);
    return ends;
}

void jdi_standing_say(const struct jdi_standing *s, struct jdi_text *t)
{
    static const char *const words[JDI_GOES] = {
        "a task runs or is ready",
        "tasks are queued",
        "a worker is awake",
        "a thread has calls to run",
        "something has a deadline",
        "a descriptor is waited for",
        "a thread of the program may wake something",
        "whoever has the handle of a jd_suspend may wake it",
        "a communication thread has something in hand"};
    for (unsigned i = 0; i < JDI_GOES; i++)
        if (s->goes & 1U << i)
            jdi_text_add(t, "%s%s", t->used ? ", " : "", words[i]);
    if ((uint32_t)s->sent != (uint32_t)s->came)
        jdi_text_add(t, "%smessages are on the way, or lost", t->used ? ", " : "");
    if (!t->used && jdi_standing_ends(s))
        jdi_text_add(t, "the detector is about to announce an end");
}
