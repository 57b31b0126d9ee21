/*
 * topo_map.c - what follows from the numbers of topo_map.h alone.
 *
 * Role: the cores of a mask.
 * Owner: nobody; pure functions of their arguments.
 * See: core/topo_map.h.
 */
#include "core/topo_map.h"

unsigned jdi_topo_map_cores(const struct jdi_topo *t, const uint64_t *mask,
                            uint16_t out[JDI_TOPO_PUS])
{
    bool there[JDI_TOPO_PUS] = {false};
    unsigned n = 0;

    for (unsigned pu = 0; pu < JDI_TOPO_PUS; pu++)
        if (jdi_topo_mask_has(mask, pu) && t->core_of[pu] < JDI_TOPO_PUS)
            there[t->core_of[pu]] = true;
    for (unsigned core = 0; core < JDI_TOPO_PUS; core++)
        if (there[core])
            out[n++] = (uint16_t)core;
    return n;
}
