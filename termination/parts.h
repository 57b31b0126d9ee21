/*
 * parts.h - what several detectors have in common.
 *
 * Role: the sums of the reports, and the pause between waves that fail.
 * Owner: nobody; pure functions.
 * Invariants: I1 a pause lies between min and max.
 * See: doc/termination.md rule R12; termination/safra.c, termination/fourcounter.c.
 */
#ifndef JDI_TERMINATION_PARTS_H
#define JDI_TERMINATION_PARTS_H

#include "core/base.h"
#include "termination/detector.h"

/* Failed waves in a row before a root pauses: as many as may fail after quiescence. */
enum { JDI_TD_FREE_WAVES = 2 };

/* The last word is xor-ed, the others are summed. */
static inline void jdi_td_add_stat(uint64_t to[JDI_TD_STATS],
                                   const uint64_t more[JDI_TD_STATS])
{
    for (int i = 0; i < JDI_TD_STATS - 1; i++)
        to[i] += more[i];
    to[JDI_TD_STATS - 1] ^= more[JDI_TD_STATS - 1];
}

/* After `failed` waves in a row: 0, then min, doubling up to max. */
static inline uint64_t jdi_td_pause(uint32_t failed, uint64_t min, uint64_t max)
{
    if (failed <= JDI_TD_FREE_WAVES)
        return 0;
    unsigned doublings = failed - JDI_TD_FREE_WAVES - 1;
    if (doublings >= 64 || min > max >> doublings)
        return max;
    return min << doublings;
}

#endif
