/*
 * holds.h - two collections of the same ranks, which feed each other under holds.
 *
 * Role: the actions of a world that exist only when there are two (rule R11): a hold is taken
 *       on entry or while the collection is live on that rank, a live task of the one adds a
 *       task to the other if that is held there, a hold is given up at any time.
 * Invariants: I1 a hold counts in the ledger like a task, but not among the tasks created.
 * See: world.h; doc/termination.md rule R11.
 */
#ifndef JDI_CONFORM_HOLDS_H
#define JDI_CONFORM_HOLDS_H

#include "conform/world.h"

enum {
    JDI_HOLDS_PER_RANK = 2, /* that may be taken, in all, beside those on entry */
    JDI_HOLDS_ENTRY_SEEDS =
        3 /* variants of an entry: 0 to 2 seeds, then the same with a hold */
};

/* How many variants JDI_WORLD_ENTER has. */
unsigned jdi_holds_variants(const struct jdi_world *w);
/* What an entry of this variant begins with: the hold is taken, the seeds are returned. */
unsigned jdi_holds_on_entry(struct jdi_world *w, struct jdi_world_rank *r,
                            unsigned variant);
/* JDI_WORLD_HOLD, JDI_WORLD_DROP, JDI_WORLD_FEED, as jdi_world_enabled and jdi_world_do. */
unsigned jdi_holds_enabled(const struct jdi_world *w, enum jdi_world_kind kind,
                           unsigned rank);
void jdi_holds_do(struct jdi_world *w, enum jdi_world_kind kind, unsigned rank);
/* Who gets a control message for `rank`: another one only in a runtime without ids. */
unsigned jdi_holds_addressee(const struct jdi_world *w, unsigned rank, uint32_t phase);

#endif
