/*
 * finish_all.c - one finish of all ranks, ended by the detector of collections.
 *
 * Role: jd_finish_spmd.
 * Owner: the body; its calls run in the communication hand, to which the root belongs.
 * Invariants: I1 no rank spawns in the finish before every rank has opened it.
 *             I2 the root counts the body's frame until the body waits.
 * See: doc/async.md "jd_finish_spmd"; sched/collective.h; termination/detector.h.
 */
#include "sched/finish/finish_all.h"

#include "sched/collective.h"
#include "sched/finish/finish.h"
#include "sched/finish/pool.h"
#include "sched/finish/remote.h"
#include "sched/unblock.h"

static void run_open_all(struct jdi_rank *r, struct jdi_call *call)
{
    JD_ASSERT(jdi_rank_is_comm(r));
    struct jdi_collective *all = jdi_container_of(call, struct jdi_collective, call);
    struct jdi_pool *a = jdi_pool_of(r);
    uint32_t phase = ++a->all_phase;
    jd_finish_id id = {.number = phase, .home = JDI_HOME_ALL};
    a->all = jdi_part_root(a->comm, id);
    a->all->live = 1;
    (void)jdi_remote_all(a->all);
    r->detector->enter(a->any->td, phase);
    jdi_collective_reduce(all, NULL, 0, JDI_AM_U64, JD_SUM); /* I1 */
}

/* The body's frame has ended; the detector finds the end of the tasks that remain. */
static void publish_body(jd_self *me, void *arg)
{
    struct jdi_part *mine = arg;
    jdi_pool_of(me->rank)->all_waiter = me;
    jdi_part_less(mine, 1);
    jdi_idle_wake(me->rank->am->idle);
}

int jd_finish_spmd(jd_self *me, jd_task_fn fn, void *arg)
{
    if (!me->is_body || me->part)
        return JD_ESTATE;
    jdi_finish_need(me);
    struct jdi_collective all = {.what = JDI_COLLECTIVE_FINISH_SPMD};
    int error = jdi_collective(me, &all, run_open_all);
    if (error)
        return error;
    struct jdi_part *root = jdi_pool_of(me->rank)->all;
    /* The frame's count moves from the root to the hand of the body. */
    me->frames++;
    me->part = jdi_part_take(jdi_hand_of(me), root, 1);
    struct jdi_part *mine = me->part;
    const jd_finish_id id = root->id;
    if (me->rank->on_finish)
        me->rank->on_finish(me->rank, id, true);
    fn(me, arg);
    if (me->part != mine)
        jdi_die(&me->rank->am->log, JDI_EXIT_AUDIT,
                "the function of jd_finish_spmd ends inside a finish it began");
    struct jdi_cause why = {.kind = JDI_CAUSE_FINISH_SPMD, .deadline = JD_FOREVER};
    /* Whoever inspects the body must not follow it: the part may be gone before all ranks are through. */
    me->part = NULL;
    jdi_self_wait(me, &why, publish_body, mine);
    me->rank->on_meeting(me->rank, false);
    if (me->rank->on_finish)
        me->rank->on_finish(me->rank, id, false);
    me->frames--;
    return jdi_pool_of(me->rank)->all_cancelled ? JD_ECANCELED : 0;
}

bool jdi_finish_all_idle(const jd_coll *pool)
{
    const struct jdi_pool *a = jdi_pool_of(pool->rank);
    return a && a->all && a->all->live == 0;
}

void jdi_finish_all_announced(jd_coll *pool, uint32_t phase,
                              const uint64_t stat[JDI_TD_STATS])
{
    (void)phase, (void)stat;
    struct jdi_rank *r = pool->rank;
    struct jdi_pool *a = jdi_pool_of(r);
    jd_self *waiter = a->all_waiter;
    a->all_cancelled = jdi_part_cancelled(a->all);
    jdi_remote_free(a->all->remote);
    jdi_free(a->all);
    a->all = NULL;
    a->all_waiter = NULL;
    jdi_rank_news(r);
    jdi_unblock(NULL, waiter);
}
