/*
 * francez.h - the state of the detector `francez`.
 *
 * Role: the layout, for francez.c and for tests that save, compare and damage states.  The
 *       runtime uses only jdi_td_francez of detector.h.
 * Owner: as detector.h: the communication thread.
 * Invariants: those of doc/termination.md section 6.
 * See: doc/termination.md section 3.
 */
#ifndef JDI_TERMINATION_FRANCEZ_H
#define JDI_TERMINATION_FRANCEZ_H

#include "core/base.h"
#include "termination/detector.h"

/* The table of transitions is in doc/termination.md and at the top of francez.c. */
enum jdi_francez_state {
    JDI_FRANCEZ_OUT = 1, /* the phase has not been entered */
    JDI_FRANCEZ_OPEN,    /* has to report */
    JDI_FRANCEZ_WAITING  /* has reported; the root: has failed and pauses */
};

/* What belongs to one phase. */
struct jdi_francez_slot {
    int64_t sent, recv; /* task messages exported and imported */
    int64_t kids_sum;   /* of the children heard in wave + 1, like all of kids_ */
    uint64_t kids_stat[JDI_TD_STATS];
    uint64_t kids_heard; /* a bit for each */
    uint32_t kids_in;    /* how many */
    uint32_t wave;       /* reports made, modulo 2^32 */
    uint32_t held;       /* imported before the phase was entered */
    bool kids_crossed;
    bool crossed; /* imported over a wave's cut since the last report */
};

struct jdi_francez {
    struct jdi_td_env env;
    struct jdi_td_figures figures;
    uint32_t rank, nranks, parent, first_kid, nkids, arity;
    uint32_t phase;
    enum jdi_francez_state state;
    struct jdi_francez_slot slot[2]; /* by the parity of the phase */
    /* The root's pause, rule R12. */
    uint64_t pause_min, pause_max, pause_end;
    int64_t failed_sum; /* of the last failed wave */
    uint32_t futile;    /* failed waves in a row without a sign of an import */
    bool fresh;         /* the root imported since the last failed wave */
};

#endif
