/*
 * safra.h - the state of the detector `safra`.
 *
 * Role: the layout, for safra.c and for tests that look at states.
 * Owner: as detector.h: the communication thread.
 * Invariants: those at the top of termination/safra.c.
 * See: termination/safra.c.
 */
#ifndef JDI_TERMINATION_SAFRA_H
#define JDI_TERMINATION_SAFRA_H

#include "core/base.h"
#include "termination/detector.h"

/* What belongs to one phase. */
struct jdi_safra_slot {
    int64_t sent, recv; /* task messages exported and imported */
    int64_t token_sum;  /* of the ranks that the token has passed, like all of token_ */
    uint64_t token_stat[JDI_TD_STATS];
    uint32_t held; /* imported before the phase was entered */
    uint8_t
        rounds; /* the last that the token has come in, at rank 0: that has begun; 0: none */
    bool black; /* imported since the token left here */
    bool token; /* it is here */
    bool token_black;
    bool round; /* rank 0: the token here has been round */
};

struct jdi_safra {
    struct jdi_td_env env;
    struct jdi_td_figures figures;
    uint32_t rank, nranks, next, before; /* the token comes from before, goes to next */
    uint32_t phase;
    bool open;                     /* the phase has been entered */
    struct jdi_safra_slot slot[2]; /* by the parity of the phase */
    /* Rank 0's pause. */
    uint64_t pause_min, pause_max, pause_end;
    uint32_t futile; /* failed rounds in a row without an import here */
};

#endif
