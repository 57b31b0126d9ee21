/*
 * fourcounter.h - the state of the detector `fourcounter`.
 *
 * Role: the layout, for fourcounter.c and for tests that look at states.
 * Owner: as detector.h: the communication thread.
 * Invariants: those at the top of termination/fourcounter.c.
 * See: termination/fourcounter.c.
 */
#ifndef JDI_TERMINATION_FOURCOUNTER_H
#define JDI_TERMINATION_FOURCOUNTER_H

#include "core/base.h"
#include "termination/detector.h"

enum jdi_fourcounter_state {
    JDI_FOURCOUNTER_OUT = 1, /* the phase has not been entered */
    JDI_FOURCOUNTER_OPEN,    /* has to report */
    JDI_FOURCOUNTER_WAITING  /* has reported; the root: has failed and pauses */
};

/* What belongs to one phase. */
struct jdi_fourcounter_slot {
    uint64_t sent, recv; /* task messages exported and imported */
    uint64_t kids_sent,
        kids_recv; /* of the children heard in this wave, as all of kids_ */
    uint64_t kids_stat[JDI_TD_STATS];
    uint64_t kids_heard; /* a bit for each */
    uint32_t kids_in;    /* how many */
    uint32_t held;       /* imported before the phase was entered */
};

struct jdi_fourcounter {
    struct jdi_td_env env;
    struct jdi_td_figures figures;
    uint32_t rank, nranks, parent, first_kid, nkids;
    uint32_t phase;
    uint8_t wave; /* reports made in the phase, modulo 3 */
    enum jdi_fourcounter_state state;
    struct jdi_fourcounter_slot slot[2]; /* by the parity of the phase */
    /* At the root: S and R of the wave before, if there was one, and the pause. */
    uint64_t sent_before, recv_before;
    bool has_before;
    uint64_t pause_min, pause_max, pause_end;
    uint32_t futile; /* failed waves in a row without an import here */
};

#endif
