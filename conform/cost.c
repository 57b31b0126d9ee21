/*
 * cost.c - the account of each rank, and its bounds.
 *
 * See: cost.h.
 */
#include "conform/cost.h"

#include "conform/oracle.h"

#include <string.h>

/* Less than this is no pause: a hop takes as long. */
enum { HOP_NS = 1000 };

/* Messages on one edge, calls in a row, pauses: one for each wave, one for the end. */
static uint32_t most_waves(const struct jdi_world *w)
{
    return w->c.max_failed + 2;
}

static bool is_late(const struct jdi_world *w, unsigned me)
{
    const struct jdi_world_rank *r = &w->rank[me];
    return r->phase > r->ended &&
           jdi_oracle_quiescent(w, jdi_world_coll(w, me), r->phase);
}

void jdi_cost_entered(struct jdi_world *w, unsigned me)
{
    memset(w->cost.sent[me], 0, sizeof w->cost.sent[me]);
    w->cost.again[me] = 0;
}

void jdi_cost_sent(struct jdi_world *w, unsigned me, unsigned dst)
{
    uint8_t *sent = &w->cost.sent[me][dst];
    if (w->cost.importing || !is_late(w, me) || *sent == UINT8_MAX)
        return;
    /* An answer to a task that came early may be put off. */
    if (++*sent > most_waves(w) + w->rank[me].nheld)
        jdi_oracle_fail(w, "O4: rank %u sends %u messages to rank %u after quiescence",
                        me, (unsigned)*sent, dst);
}

void jdi_cost_stepped(struct jdi_world *w, unsigned me)
{
    if (w->rank[me].wake > w->now || w->said || !is_late(w, me))
        return;
    if (++w->cost.again[me] > most_waves(w))
        jdi_oracle_fail(w, "O4: livelock: rank %u asks %u times to be called at once", me,
                        (unsigned)w->cost.again[me]);
}

static bool stands_still(const struct jdi_world *w)
{
    for (unsigned i = 0; i < w->c.ranks; i++)
        if (w->rank[i].changed)
            return false;
    return w->nbag == 0;
}

/* The phase that is quiescent in this collection and not announced everywhere; or 0. */
static uint32_t late_phase(const struct jdi_world *w, unsigned coll)
{
    unsigned first = coll * jdi_world_ranks(w), end = first + jdi_world_ranks(w);
    for (unsigned i = first; i < end; i++)
        if (is_late(w, i))
            return w->rank[i].phase;
    return 0;
}

void jdi_cost_time(struct jdi_world *w, uint64_t to)
{
    uint64_t pause = w->c.pause_max > HOP_NS ? w->c.pause_max : HOP_NS;
    if (!stands_still(w))
        return;
    for (unsigned coll = 0; coll < w->c.colls; coll++) {
        uint32_t phase = late_phase(w, coll);
        if (phase == 0)
            continue;
        if (w->cost.of[coll] != phase)
            w->cost.waited[coll] = 0;
        w->cost.of[coll] = phase;
        w->cost.waited[coll] += to - w->now;
        if (w->cost.waited[coll] / pause >= most_waves(w))
            jdi_oracle_fail(w, "O4: pauses of %llu ns after quiescence",
                            (unsigned long long)w->cost.waited[coll]);
    }
}
