/*
 * toll.c - what a detector costs at scale, by the clock and the account of the run.
 *
 * Role: hops, messages, waves and pauses after quiescence, each with its bound: rule O4.
 * Owner: one run.
 * Invariants: I1 a hop is a message that was sent because of the one before it: the depth of a
 *                rank is that of the deepest message that it has read.  No law of delays changes
 *                the bound.
 *             I2 those of cost.h, with ranks for columns.
 * See: timed_world.h, cost.h, timed.h.
 */
#include "conform/timed_world.h"

#include <stdlib.h>
#include <string.h>

static uint32_t *edge_of(struct jdi_timed *t, uint32_t src, uint32_t dst, uint32_t phase)
{
    uint64_t ends = (uint64_t)src << 32 | dst, dice = ends;
    if (2 * t->edges >= t->edge_mask) {
        struct jdi_timed_edge *old = t->edge;
        uint32_t size = t->edge ? t->edge_mask + 1 : 0;
        t->edge_mask = size ? 2 * size - 1 : 1023;
        t->edge = calloc((size_t)t->edge_mask + 1, sizeof t->edge[0]);
        JD_CHECK(t->edge != NULL);
        t->edges = 0;
        for (uint32_t i = 0; i < size; i++) {
            uint32_t from = (uint32_t)(old[i].ends >> 32), to = (uint32_t)old[i].ends;
            if (old[i].phase)
                *edge_of(t, from, to, old[i].phase) = old[i].count;
        }
        free(old);
    }
    uint32_t i = (uint32_t)jdi_dice_roll(&dice) & t->edge_mask;
    while (t->edge[i].phase && t->edge[i].ends != ends)
        i = (i + 1) & t->edge_mask;
    t->edges += t->edge[i].phase == 0;
    if (t->edge[i].phase != phase)
        t->edge[i] = (struct jdi_timed_edge){ends, phase, 0};
    return &t->edge[i].count;
}

uint32_t jdi_toll_sent(struct jdi_timed *t, uint32_t src, uint32_t dst)
{
    struct jdi_timed_rank *r = &t->rank[src];
    t->under_way++;
    if (t->over)
        jdi_timed_wrong(t, "O5: rank %u sends a message after the end", (unsigned)src);
    if (t->importing || !jdi_timed_is_late(r))
        return 0;
    uint32_t same = ++*edge_of(t, src, dst, r->phase), depth = r->depth + 1;
    if (++r->sent > t->r->sent)
        t->r->sent = r->sent;
    if (same > t->bounds->waves + r->early)
        jdi_timed_wrong(t, "O4: rank %u sends %u messages to rank %u after quiescence",
                        (unsigned)src, (unsigned)same, (unsigned)dst);
    if (r->sent > t->bounds->sent + r->early)
        jdi_timed_wrong(t, "O4: rank %u sends %u messages after quiescence",
                        (unsigned)src, (unsigned)r->sent);
    if (depth > t->bounds->hops)
        jdi_timed_wrong(t,
                        "O4: %u messages in a row after quiescence, the last of rank %u",
                        (unsigned)depth, (unsigned)src);
    return depth;
}

void jdi_toll_read(struct jdi_timed *t, const struct jdi_timed_item *e)
{
    struct jdi_timed_rank *r = &t->rank[e->dst];
    t->under_way--;
    if (e->phase == r->phase && e->depth > r->depth)
        r->depth = e->depth;
    if (r->depth > t->r->hops)
        t->r->hops = r->depth;
}

void jdi_toll_stepped(struct jdi_timed *t, uint32_t rank, bool spoke, uint64_t wake)
{
    struct jdi_timed_rank *r = &t->rank[rank];
    if (wake > t->now || spoke || !jdi_timed_is_late(r))
        return;
    if (++r->again > t->bounds->waves)
        jdi_timed_wrong(t, "O4: livelock: rank %u asks %u times to be called at once",
                        (unsigned)rank, (unsigned)r->again);
}

void jdi_toll_announced(struct jdi_timed *t, uint32_t rank)
{
    uint64_t late = t->now - t->quiet_at[t->rank[rank].phase];
    bool is_exact = t->c->law == JD_CONFORM_CONSTANT && t->c->work != JD_CONFORM_CHASE;
    /* Each task message may have an answer, and a rank may have to read them all. */
    uint64_t read = JDI_TIMED_WORK * t->r->messages;
    if (is_exact && late > t->bounds->hops * JDI_TIMED_HOP + t->bounds->pause + read)
        jdi_timed_wrong(t, "O4: rank %u knows the end %llu hops after quiescence",
                        (unsigned)rank, (unsigned long long)(late / JDI_TIMED_HOP));
}

void jdi_toll_time(struct jdi_timed *t, uint64_t to)
{
    if (t->under_way > 0 || t->open > t->phases || !t->quiet[t->open] || to <= t->now)
        return;
    uint64_t from = t->now > t->quiet_at[t->open] ? t->now : t->quiet_at[t->open];
    t->waited += to - from;
    if (t->waited > t->r->waited)
        t->r->waited = t->waited;
    if (t->waited > t->bounds->pause)
        jdi_timed_wrong(t, "O4: pauses of %llu ns after quiescence",
                        (unsigned long long)t->waited);
}
