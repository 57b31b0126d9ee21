/*
 * coll_api.c - the public calls on collections.
 *
 * Role: argument checks, and the collective halves, which run in the communication worker.
 * Owner: the body; the communication thread while the body is suspended.
 * Invariants: I1 ids are given in the order of creation, so they agree on all ranks.
 *             I2 a collection is freed when this rank waits for no answer about it, every rank has
 *                called destroy, and no worker looks at it (rule R13).
 * See: coll.h for the states; call.h.
 */
#include "sched/coll_api.h"

#include "sched/ask.h"
#include "sched/collective.h"
#include "sched/detect.h"
#include "sched/phase.h"
#include "sched/plain.h"
#include "sched/prune.h"
#include "sched/recall.h"
#include "sched/session.h"
#include "sched/traces.h"

#include <stdio.h>

/* ---- create ------------------------------------------------------------------------- */

static int register_id(struct jdi_rank *r, jd_coll *c)
{
    unsigned id = JDI_COLLS_OWN;
    while (id < JDI_COLLS_MAX && r->colls[id])
        id++;
    if (id == JDI_COLLS_MAX)
        return JD_ENOMEM;
    c->id = (uint16_t)id;
    if (!c->name[0])
        snprintf(c->name, sizeof c->name, "coll%u", id - JDI_COLLS_OWN);
    r->colls[id] = c;
    if (r->ncolls <= id)
        r->ncolls = id + 1;
    jdi_traces_name(r, id, c->name);
    return 0;
}

static uint64_t fingerprint(const jd_coll *c)
{
    const uint64_t what[] = {c->id,         c->arg_size, c->uniform,
                             c->restorable, c->origin,   c->recall != NULL};
    return jdi_registry_hash(jdi_registry_hash(0, what, sizeof what), c->name,
                             sizeof c->name);
}

/* A rank that failed still takes part in the reduction, because the others wait for it.  Its words
 * make the comparison fail on every rank. */
static void run_create(struct jdi_rank *r, struct jdi_call *call)
{
    struct jdi_collective *all = jdi_container_of(call, struct jdi_collective, call);
    jd_coll *c = all->coll;
    bool ready = c && !register_id(r, c);
    if (ready) {
        jdi_detect_open(c);
        jdi_steal_init(&c->steal, &r->steal_config);
    }
    uint64_t print = ready ? fingerprint(c) : r->am->rank;
    all->stepped = ready;
    all->value[0] = print;
    all->value[1] = ready ? ~print : 0;
    jdi_collective_reduce(all, all->value, 2, JDI_AM_U64, JD_MIN);
}

static void run_forget(struct jdi_rank *r, struct jdi_call *call)
{
    struct jdi_collective *all = jdi_container_of(call, struct jdi_collective, call);
    jdi_ask_forget(all->coll);
    r->colls[all->coll->id] = NULL;
    jdi_collective_done(all, 0);
}

int jdi_coll_api_create(jd_self *me, const struct jdi_kind *kind,
                        const jd_coll_props *props, jd_coll **out)
{
    if (!me->is_body)
        return JD_ESTATE;
    struct jdi_collective all = {.what = JDI_COLLECTIVE_COLL_CREATE};
    int error = jdi_coll_new(me->rank, kind, props, &all.coll);
    int failed = jdi_collective(me, &all, run_create);
    bool agree = all.value[0] == ~all.value[1];
    if (!error && !failed && agree) {
        uint32_t serial = me->rank->made++;
        if (all.coll->recall)
            all.coll->recall->serial = serial;
        *out = all.coll;
        return 0;
    }
    if (all.stepped) {
        struct jdi_collective undo = {.coll = all.coll};
        (void)jdi_collective(me, &undo, run_forget);
    }
    bool ours = error || !all.stepped;
    if (all.coll)
        jdi_coll_free(all.coll);
    return error ? error : ours ? JD_ENOMEM : JD_EMISMATCH;
}

int jd_coll_create(jd_self *me, const jd_coll_props *props, jd_coll **out)
{
    unsigned ways = jdi_traces_tasks(me->rank) ? JDI_PLAIN_TRACED : 0;
    if (props && props->timed)
        ways |= JDI_PLAIN_TIMED;
    if (jdi_recall_wanted(me->rank, props && props->recall))
        ways |= JDI_PLAIN_NAMED;
    return jdi_coll_api_create(me, jdi_plain_of(ways), props, out);
}

/* ---- adding ------------------------------------------------------------------------- */

static JDI_NOINLINE void *add_inplace_slow(jd_self *me, jd_coll *coll, jd_task task,
                                           size_t size)
{
    int error;
    struct jdi_task *t = jdi_coll_new_task(me, coll, task, size, &error);
    if (!t)
        return NULL;
    jdi_store_drafted(jdi_coll_shelf(me, coll));
    return jdi_coll_arg(coll, t);
}

void *jd_coll_add_inplace(jd_self *me, jd_coll *coll, jd_task task, size_t size)
{
    struct jdi_place at;
    struct jdi_task *t = jdi_coll_add_fast(me, coll, task, size, &at);
    if (JDI_UNLIKELY(!t))
        return add_inplace_slow(me, coll, task, size);
    jdi_store_pushed_draft(at);
    return t->arg;
}

int jd_coll_add(jd_self *me, jd_coll *coll, jd_task task, const void *arg, size_t size)
{
    struct jdi_place at;
    if (JDI_UNLIKELY(!arg && size))
        return JD_EINVAL;
    struct jdi_task *t = jdi_coll_add_fast(me, coll, task, size, &at);
    if (JDI_LIKELY(t)) {
        if (JDI_LIKELY(size)) /* arg may be NULL if size is 0 */
            memcpy(t->arg, arg, size);
        jdi_store_pushed(at);
        return 0;
    }
    int error;
    t = jdi_coll_new_task(me, coll, task, size, &error);
    if (!t)
        return error;
    if (size)
        memcpy(jdi_coll_arg(coll, t), arg, size);
    jdi_store_put(jdi_coll_shelf(me, coll));
    return 0;
}

/* ---- start and wait ----------------------------------------------------------------- */

static void run_start(struct jdi_rank *r, struct jdi_call *call)
{
    struct jdi_collective *all = jdi_container_of(call, struct jdi_collective, call);
    jd_coll *c = all->coll;
    if (jdi_coll_state(c) == JDI_COLL_DONE) /* this rank added nothing for this phase */
        jdi_coll_set_state(c, JDI_COLL_DONE, JDI_COLL_SEEDING);
    JD_ASSERT(c->rank == r);
    jdi_phase_begin(c);
    jdi_collective_done(all, 0);
}

int jd_coll_start(jd_self *me, jd_coll *coll)
{
    if (!coll)
        return JD_EINVAL;
    if (!me->is_body || jdi_coll_state(coll) == JDI_COLL_OPEN)
        return JD_ESTATE;
    if (jdi_coll_state(coll) == JDI_COLL_DONE) /* other ranks may have added seeds */
        jdi_coll_seed_anew(coll);
    int error = jdi_coll_note_seeds(me, coll);
    if (error) /* no return: the other ranks already wait for this one */
        jdi_die(&me->rank->am->log, JDI_EXIT_MEMORY, "out of memory for the seeds of %s",
                coll->name);
    struct jdi_collective all = {.coll = coll};
    error = jdi_collective(me, &all, run_start);
    if (error)
        return error;
    /* The body may compute for a while before it waits. */
    struct jdi_seat *seat = &coll->seat[me->worker->index];
    jdi_store_enter(&seat->shelf);
    if (coll->recall)
        jdi_recall_seeds(coll, seat);
    jdi_retain_fetch(coll, seat);
    jdi_store_offer(&seat->shelf);
    return 0;
}

static void run_wait(struct jdi_rank *r, struct jdi_call *call)
{
    struct jdi_collective *all = jdi_container_of(call, struct jdi_collective, call);
    enum jdi_coll_state state = jdi_coll_state(all->coll);
    if (state == JDI_COLL_OPEN) {
        all->coll->waiter = all->me;
        jdi_standstill_wait(r, all->what, all->coll);
    } else {
        jdi_collective_done(all, state == JDI_COLL_DONE ? 0 : JD_ESTATE);
    }
}

static int wait_in(jd_self *me, jd_coll *coll, enum jdi_collective_what what)
{
    struct jdi_collective all = {.what = what, .coll = coll};
    return jdi_collective(me, &all, run_wait);
}

int jd_coll_wait(jd_self *me, jd_coll *coll)
{
    return coll ? wait_in(me, coll, JDI_COLLECTIVE_COLL_WAIT) : JD_EINVAL;
}

int jd_coll_process(jd_self *me, jd_coll *coll)
{
    int error = jd_coll_start(me, coll);
    return error ? error : wait_in(me, coll, JDI_COLLECTIVE_PROCESS);
}

/* ---- restore ------------------------------------------------------------------------ */

/* The seeds that had nothing to do go, on this rank, and if need be on those that have added them.  A balancer
 * moves the others. */
static int prepare_seeds(jd_self *me, jd_coll *c, enum jd_restore how)
{
    if (jdi_session_plans(how))
        return jdi_session_run(me, c, how);
    int error = jdi_prune_kept(c);
    if (how == JD_RESTORE_RETAIN)
        return error;
    if (error) /* no return: the other ranks already wait for this one */
        jdi_die(&me->rank->am->log, JDI_EXIT_MEMORY,
                "out of memory for the restore of %s", c->name);
    return jdi_prune_seeds(me, c);
}

int jd_coll_restore(jd_self *me, jd_coll *coll, enum jd_restore how)
{
    bool plans = jdi_session_plans(how);
    if (!coll || (how != JD_RESTORE_SEED && how != JD_RESTORE_RETAIN && !plans))
        return JD_EINVAL;
    if (!me->is_body || !coll->restorable || jdi_coll_state(coll) != JDI_COLL_DONE ||
        (plans && !coll->history))
        return JD_ESTATE;
    int error = coll->history ? prepare_seeds(me, coll, how) : 0;
    if (error)
        return error;
    jdi_coll_set_state(coll, JDI_COLL_DONE, JDI_COLL_SEEDING);
    return jdi_coll_reseed(me, coll, how);
}

/* ---- who steals --------------------------------------------------------------------- */

int jd_coll_stealing(jd_self *me, jd_coll *coll, enum jd_stealing who)
{
    if (who != JD_STEAL_NONE && who != JD_STEAL_LOCAL && who != JD_STEAL_ALL)
        return JD_EINVAL;
    if (!me->is_body || jdi_coll_state(coll) == JDI_COLL_OPEN)
        return JD_ESTATE;
    coll->stealing = who; /* the next call of run_start reads it */
    return 0;
}

/* ---- holds -------------------------------------------------------------------------- */

static bool held(const jd_coll *c)
{
    return atomic_load_explicit(&c->hold_in, memory_order_relaxed) !=
           atomic_load_explicit(&c->hold_out, memory_order_relaxed);
}

int jd_coll_hold(jd_self *me, jd_coll *coll)
{
    if (!coll)
        return JD_EINVAL;
    enum jdi_coll_state state = jdi_coll_state(coll);
    bool live = state == JDI_COLL_OPEN && (me->coll == coll || held(coll));
    if (!live && state != JDI_COLL_SEEDING && state != JDI_COLL_DONE)
        return JD_ESTATE;
    /* Relaxed, as for a new task: the task or hold that permits this call is counted out
     * later, by a release.  [pair: account-out] */
    atomic_fetch_add_explicit(&coll->hold_in, 1, memory_order_relaxed);
    return 0;
}

int jd_coll_release(jd_self *me, jd_coll *coll)
{
    if (!coll)
        return JD_EINVAL;
    if (!held(coll))
        return JD_ESTATE;
    /* [pair: account-out] release: as for a task that ends, after the tasks that it added. */
    atomic_fetch_add_explicit(&coll->hold_out, 1, memory_order_release);
    jdi_idle_wake(me->rank->am->idle);
    return 0;
}

/* ---- destroy ------------------------------------------------------------------------ */

/* From here on nobody may add or hold.  When every worker has seen the new epoch, each task that
 * was just adding or holding has ended or has given its worker away. */
static void run_destroy(struct jdi_rank *r, struct jdi_call *call)
{
    struct jdi_collective *all = jdi_container_of(call, struct jdi_collective, call);
    JD_CHECK(!r->dying);
    r->dying = all;
    all->was = jdi_coll_state(all->coll);
    jdi_coll_set_state(all->coll, all->was, JDI_COLL_DYING);
    /* [pair: coll-epoch] release: whoever sees the new epoch sees the new state. */
    all->epoch = atomic_fetch_add_explicit(&r->epoch, 1, memory_order_release) + 1;
    jdi_rank_wake_all(r); /* sleepers must see the epoch too: jdi_rank_forgot */
}

void jdi_coll_api_turn(struct jdi_rank *r)
{
    JD_ASSERT(jdi_rank_is_comm(r));
    struct jdi_collective *all = r->dying;
    if (jdi_ask_open(all->coll) || !jdi_rank_forgot(r, all->epoch))
        return;
    r->dying = NULL;
    /* Tasks that were added and never processed would be lost, so all ranks refuse. */
    all->value[0] = !jdi_coll_idle(all->coll);
    jdi_collective_reduce(all, all->value, 1, JDI_AM_U64, JD_SUM);
}

int jd_coll_destroy(jd_self *me, jd_coll *coll)
{
    if (!coll)
        return JD_EINVAL;
    if (!me->is_body || jdi_coll_state(coll) == JDI_COLL_OPEN)
        return JD_ESTATE;
    struct jdi_collective all = {.what = JDI_COLLECTIVE_COLL_DESTROY, .coll = coll};
    int error = jdi_collective(me, &all, run_destroy);
    if (error || all.value[0]) {
        jdi_coll_set_state(coll, JDI_COLL_DYING, all.was);
        return error ? error : JD_ESTATE;
    }
    struct jdi_collective forget = {.coll = coll};
    (void)jdi_collective(me, &forget, run_forget);
    jdi_coll_free(coll);
    return 0;
}

/* ---- looking ------------------------------------------------------------------------ */

jd_coll *jd_coll_mine(const jd_self *me)
{
    return me->coll && me->coll->kind->visible ? me->coll : NULL;
}

void *jd_coll_local(const jd_coll *coll)
{
    return coll->local;
}

int jd_coll_get_info(const jd_self *me, const jd_coll *coll, jd_coll_info *out)
{
    if (!coll || !out)
        return JD_EINVAL;
    if (!me->is_body || jdi_coll_state(coll) == JDI_COLL_OPEN)
        return JD_ESTATE;
    *out = coll->info;
    return 0;
}
