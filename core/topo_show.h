/*
 * topo_show.h - where the threads of a host are.
 *
 * Role: a table of all threads of the ranks of a host, and a warning for each set of processing units that has more
 *       threads than units.
 * Owner: one rank of the host, once; pure.
 * See: JACKDAW_DISPLAY_BINDING in doc/jackdaw-env.7.md, test/unit/core_topo_show_*.
 */
#ifndef JDI_CORE_TOPO_SHOW_H
#define JDI_CORE_TOPO_SHOW_H

#include "core/topo.h"

struct jdi_topo_shown {
    uint32_t rank;
    const struct jdi_topo_peer *peer; /* its mask */
    struct jdi_placement place;
};

/*
 * Call `line` for the heading, for each thread of the n ranks, and for each warning.  t is the machine of all of
 * them.  0 or JD_ENOMEM, and then nothing was shown.
 */
int jdi_topo_show(const struct jdi_topo *t, const char *host,
                  const struct jdi_topo_shown *ranks, unsigned n,
                  void (*line)(const char *text)) JD_MUST_CHECK;

#endif
