/*
 * topo_map.h - the machine as plain numbers, as topo.c finds it.
 *
 * Role: the inside of struct jdi_topo, shared by the file that asks hwloc and the file
 *       that decides.
 * Owner: as topo.h says: constant after jdi_topo_new.
 * Invariants: I1 every PU in `mask` has a core in `core_of`.
 *             I2 cores are numbered in hwloc's logical order, so that neighbours in number
 *                are neighbours in the machine.
 * See: core/topo.c, core/topo_map.c, core/topo_place.c.
 */
#ifndef JDI_CORE_TOPO_MAP_H
#define JDI_CORE_TOPO_MAP_H

#include "core/topo.h"

enum { JDI_TOPO_PUS = 64 * JDI_TOPO_MASK_WORDS };
#define JDI_TOPO_NO_CORE UINT16_MAX

struct jdi_topo {
    void *machine;                      /* hwloc's */
    bool here;                          /* this machine, not a synthetic one */
    uint64_t mask[JDI_TOPO_MASK_WORDS]; /* PUs this rank was started with, OS numbers */
    uint16_t core_of[JDI_TOPO_PUS];     /* by OS number of the PU, or JDI_TOPO_NO_CORE */
    uint16_t node_of[JDI_TOPO_PUS];     /* its NUMA node; 0 where the machine has none */
};

static inline bool jdi_topo_mask_has(const uint64_t *mask, unsigned pu)
{
    return mask[pu / 64] >> (pu % 64) & 1;
}

static inline void jdi_topo_mask_add(uint64_t *mask, unsigned pu)
{
    mask[pu / 64] |= (uint64_t)1 << (pu % 64);
}

static inline unsigned jdi_topo_mask_count(const uint64_t *mask)
{
    unsigned n = 0;

    for (unsigned w = 0; w < JDI_TOPO_MASK_WORDS; w++)
        n += (unsigned)__builtin_popcountll(mask[w]);
    return n;
}

/* The cores that have a PU in `mask`, in ascending order; how many. */
unsigned jdi_topo_map_cores(const struct jdi_topo *t, const uint64_t *mask,
                            uint16_t out[JDI_TOPO_PUS]);

/* topo_place.c: the PUs that `slot` may run on under p, all of t->mask if p binds nothing. */
void jdi_topo_place_mask(const struct jdi_topo *t, const struct jdi_placement *p,
                         unsigned slot, uint64_t out[JDI_TOPO_MASK_WORDS]);

#endif
