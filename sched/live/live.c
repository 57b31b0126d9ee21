/*
 * live.c - what can be asked of a job while it runs.
 *
 * Role: see live.h.
 * Owner: the communication thread.
 * Invariants: I1 of live.h.
 * See: live.h.
 */
#include "sched/live/live.h"

void jdi_live_init(struct jdi_rank *r)
{
    jdi_collect_init(r);
}

/* In virtual time nobody but the watchdog asks. */
static bool is_asked_for(const struct jdi_rank *r)
{
    uint64_t interval;
    bool aborts;
    JD_CHECK(!jdi_knobs_watchdog(r->knobs->watchdog, &interval,
                                 &aborts)); /* the knob was checked */
    return !r->am->time || interval;
}

void jdi_live_make(struct jdi_rank *r, const struct jdi_topo_peer *peers)
{
    if (!is_asked_for(r))
        return;
    r->live = jdi_zalloc(NULL, sizeof *r->live);
    if (!r->live)
        jdi_die(&r->am->log, JDI_EXIT_START, "no memory for the rank");
    r->live->rank = r;
    if (!peers)
        return;
    r->live->pid = jdi_alloc(NULL, r->am->host_size * sizeof *r->live->pid);
    for (uint32_t i = 0; r->live->pid && i < r->am->host_size; i++)
        r->live->pid[i] = peers[i].pid;
}

void jdi_live_begin(struct jdi_rank *r)
{
    if (!r->live)
        return;
    r->live->runs = true;
    jdi_watchdog_begin(r);
    jdi_rank_on_turn(r, jdi_collect_turn);
    jdi_listen_begin(&r->live->listen, r);
}

void jdi_live_end(struct jdi_rank *r)
{
    if (!r->live)
        return;
    jdi_listen_end(&r->live->listen);
    jdi_collect_drop(r);
    r->live->runs = false;
    jdi_watchdog_end(r);
}

void jdi_live_free(struct jdi_rank *r)
{
    if (!r->live)
        return;
    jdi_free(r->live->pid);
    jdi_free(r->live);
    r->live = NULL;
}
