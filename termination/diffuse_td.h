/*
 * diffuse_td.h - the state of the detector `diffuse`.
 *
 * Role: the layout, for diffuse_td.c and for tests that look at states.
 * Owner: as detector.h: the communication thread.
 * Invariants: those at the top of termination/diffuse_td.c.
 * See: termination/diffuse_td.c.
 */
#ifndef JDI_TERMINATION_DIFFUSE_TD_H
#define JDI_TERMINATION_DIFFUSE_TD_H

#include "core/base.h"
#include "termination/rooted.h"

struct jdi_diffuse_td {
    struct jdi_td_env env;
    struct jdi_td_figures figures;
    struct jdi_rooted rooted; /* weight is 0 or 1, debt the answers that are waited for */
    uint32_t nranks, parent, first_kid, nkids;
    uint32_t phase;
    uint32_t held,
        held_next; /* imported before the phase was entered; for the next one */
    bool open;     /* the phase has been entered */
    bool ended;    /* the root: done has been said */
    uint64_t result[JDI_TD_STATS];
};

#endif
