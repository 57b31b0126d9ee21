/*
 * clocks.c - see clocks.h.
 *
 * Role: the barriers.
 * Invariants: I1 of clocks.h. I2 nobody leaves a barrier before all have come to it; that is all that the reader uses.
 * See: clocks.h; doc/trace.md "Clocks" has what follows from I2.
 */
#include "sched/clocks.h"

#include "core/registry.h"

#include <string.h>

static JD_NORETURN void die_of_clocks(struct jdi_rank *r, int error)
{
    jdi_die(&r->am->log, JDI_EXIT_START, "comparing clocks: %s", jd_strerror(error));
}

bool jdi_clocks_differ(struct jdi_rank *r, const char *name)
{
    uint64_t hash = jdi_registry_hash(0, name, strlen(name));
    uint64_t most[2] = {hash, ~hash};
    int error = jdi_am_reduce_all(r->am, most, 2, JDI_AM_U64, JD_MAX);
    if (error)
        die_of_clocks(r, error);
    return most[0] != ~most[1];
}

/* Of two ranks the one that comes last to a barrier has its coming close before the other one's leaving, and that
 * bounds the distance of their clocks on one side.  Rank 0 leaves first and would always come first, so in
 * every second barrier it waits for as long as the one before has taken. */
static void come_late(struct jdi_rank *r, uint64_t ns)
{
    uint64_t until = jdi_rank_now(r) + ns;
    while (jdi_rank_now(r) < until)
        jdi_am_poll(r->am);
}

void jdi_clocks_meet(struct jdi_rank *r, unsigned first, jdi_clocks_note *note)
{
    uint64_t took = 0;
    for (unsigned i = 0; i < JDI_CLOCKS_ROUNDS; i++) {
        if (i % 2 && r->am->rank == 0)
            come_late(r, took);
        uint64_t came = jdi_rank_now(r);
        int error = jdi_am_reduce_barrier(r->am);
        if (error)
            die_of_clocks(r, error);
        uint64_t left = jdi_rank_now(r);
        took = left - came;
        note(r, first + i, came, left);
    }
}
