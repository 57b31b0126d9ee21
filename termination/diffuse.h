/*
 * diffuse.h - the state of the detector `diffuse`.
 *
 * Role: the layout, for diffuse.c and for tests that look at states.
 * Owner: as detector.h: the communication thread.
 * Invariants: those at the top of termination/diffuse.c.
 * See: termination/diffuse.c.
 */
#ifndef JDI_TERMINATION_DIFFUSE_H
#define JDI_TERMINATION_DIFFUSE_H

#include "core/base.h"
#include "termination/detector.h"

struct jdi_diffuse {
    struct jdi_td_env env;
    struct jdi_td_figures figures;
    uint32_t rank, nranks, parent, first_kid, nkids;
    uint32_t phase;
    bool open;          /* the phase has been entered */
    bool engaged;       /* owes an answer to `engager` */
    uint32_t engager;   /* who made this rank active last */
    uint32_t held;      /* imported before the phase was entered */
    uint32_t held_next; /* imported for the next phase */
    uint64_t deficit;   /* answers that this rank waits for */
    /* Words of this rank that have been sent on, and words received with answers. */
    uint64_t told[JDI_TD_STATS], heard[JDI_TD_STATS];
};

#endif
