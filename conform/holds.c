/*
 * holds.c - what two collections do to each other.
 *
 * Role: holds, tasks added across collections, and what a wrong runtime does about them.
 * See: holds.h.
 */
#include "conform/holds.h"

#include "conform/oracle.h"

static bool is_open(const struct jdi_world_rank *r)
{
    return r->phase > r->ended;
}

/* The same rank in the other collection. */
static unsigned partner(const struct jdi_world *w, unsigned rank)
{
    return (rank + jdi_world_ranks(w)) % w->c.ranks;
}

unsigned jdi_holds_variants(const struct jdi_world *w)
{
    return w->c.colls > 1 ? 2 * JDI_HOLDS_ENTRY_SEEDS : w->c.max_seeds + 1;
}

static void take_hold(struct jdi_world *w, struct jdi_world_rank *r)
{
    r->nholds++;
    w->left[jdi_world_entry(w, (unsigned)(r - w->rank), r->phase)]++;
}

unsigned jdi_holds_on_entry(struct jdi_world *w, struct jdi_world_rank *r,
                            unsigned variant)
{
    if (w->c.colls == 1)
        return variant;
    if (variant >= JDI_HOLDS_ENTRY_SEEDS)
        take_hold(w, r);
    return variant % JDI_HOLDS_ENTRY_SEEDS;
}

/* R11: only while something of the collection is live here; or, wrongly, if only a task of the
 * other one is. */
static bool may_hold(const struct jdi_world *w, unsigned rank)
{
    const struct jdi_world_rank *r = &w->rank[rank];
    bool live = r->nlive > 0 || r->nholds > 0;
    if (w->c.wrong == JDI_WORLD_IDLE_HOLD)
        live |= w->rank[partner(w, rank)].nlive > 0;
    return w->holds > 0 && is_open(r) && live;
}

unsigned jdi_holds_enabled(const struct jdi_world *w, enum jdi_world_kind kind,
                           unsigned rank)
{
    const struct jdi_world_rank *r = &w->rank[rank];
    if (w->c.colls == 1)
        return 0;
    if (kind == JDI_WORLD_HOLD)
        return may_hold(w, rank);
    if (kind == JDI_WORLD_DROP)
        return r->nholds > 0;
    const struct jdi_world_rank *to = &w->rank[partner(w, rank)];
    return r->nlive > 0 && w->budget > 0 && to->nholds > 0;
}

void jdi_holds_do(struct jdi_world *w, enum jdi_world_kind kind, unsigned rank)
{
    struct jdi_world_rank *r = &w->rank[rank], *to = &w->rank[partner(w, rank)];
    if (kind == JDI_WORLD_HOLD) {
        w->holds--;
        take_hold(w, r);
    } else if (kind == JDI_WORLD_DROP) {
        r->nholds--;
        w->left[jdi_world_entry(w, rank, r->phase)]--;
    } else if (!is_open(to)) {
        jdi_oracle_fail(w, "O1: rank %u has left phase %u with a hold", partner(w, rank),
                        (unsigned)jdi_world_number(w, to->phase));
    } else {
        w->budget--;
        to->changed = true;
        jdi_world_create(w, to);
    }
}

unsigned jdi_holds_addressee(const struct jdi_world *w, unsigned rank, uint32_t phase)
{
    unsigned first = jdi_world_place(w, rank);
    bool astray = w->c.wrong == JDI_WORLD_NO_ID && is_open(&w->rank[first]) &&
                  jdi_world_number(w, w->rank[first].phase) == phase;
    return astray ? first : rank;
}
