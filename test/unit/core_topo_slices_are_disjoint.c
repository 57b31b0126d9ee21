/*
 * core_topo_slices_are_disjoint.c
 *
 * Role: where the slots of a rank go, and that ranks with one mask keep out of each
 *       other's way as long as there is room.
 * Owner: one thread.
 * Invariants: I2 and I3 of core/topo_place.c.
 * See: core/topo_place.c.
 */
#include "core/topo_map.h"
#include "test/kit/tap.h"

#include <stdio.h>
#include <string.h>

static struct jdi_topo *machine(const char *desc)
{
    struct jdi_topo *t;

    if (jdi_topo_new_synthetic(&t, desc))
        bail_out("hwloc refuses %s", desc);
    return t;
}

/* n ranks share the machine: no core has more threads than it must have. */
static void spread(const char *desc, unsigned n, unsigned ncores)
{
    struct jdi_topo *t = machine(desc);
    struct jdi_topo_peer peers[64];
    struct jdi_knobs k = {.oversubscribed = JDI_TRI_NO};
    unsigned used[JDI_TOPO_PUS] = {0}, threads = 0, most = 0;

    for (unsigned i = 0; i < n; i++)
        jdi_topo_self(t, &peers[i]);
    for (unsigned me = 0; me < n; me++) {
        struct jdi_placement p;
        jdi_topo_place(t, &k, peers, n, me, n, &p);
        for (unsigned slot = 0; slot < p.workers + p.dedicated; slot++, threads++) {
            uint64_t mask[JDI_TOPO_MASK_WORDS];
            jdi_topo_place_mask(t, &p, slot, mask);
            for (unsigned pu = 0; pu < JDI_TOPO_PUS; pu++)
                if (jdi_topo_mask_has(mask, pu)) {
                    used[t->core_of[pu]]++;
                    break;
                }
        }
    }
    for (unsigned c = 0; c < JDI_TOPO_PUS; c++)
        most = used[c] > most ? used[c] : most;
    is_u64(most, (threads + ncores - 1) / ncores,
           "%u ranks on %s: %u threads, at most so many on a core", n, desc, threads);
    jdi_topo_free(t);
}

static void described(struct jdi_topo *t, struct jdi_placement p, unsigned slot,
                      const char *want)
{
    char got[128];

    jdi_topo_place_describe(t, &p, slot, got, sizeof got);
    is_str(got, want, "slot %u", slot);
}

static void test_describe(void)
{
    struct jdi_topo *t = machine("core:4 pu:2");
    struct jdi_placement p = {.workers = 2, .bind = JDI_BIND_CORE, .ncores = 2};

    described(t, p, 0, "core 0 (PUs 0-1)");
    described(t, p, 1, "core 1 (PUs 2-3)");
    described(t, p, 2, "core 0 (PUs 0-1)");
    p.first_core = 3;
    described(t, p, 0, "core 3 (PUs 6-7)");
    described(t, p, 1, "core 0 (PUs 0-1)");
    p = (struct jdi_placement){.workers = 8, .bind = JDI_BIND_PU, .ncores = 4};
    described(t, p, 3, "core 3 (PU 6)");
    described(t, p, 4, "core 0 (PU 1)");
    described(t, p, 8, "core 0 (PU 0)");
    p.bind = JDI_BIND_NONE;
    described(t, p, 3, "anywhere in 0-7");
    ok(jdi_topo_bind(t, &p, 3) == 0, "to bind nothing always works");
    p.bind = JDI_BIND_PU;
    ok(jdi_topo_bind(t, &p, 3) == JD_ESYS, "a machine made up cannot be bound to");
    memset(t->mask, 0, sizeof t->mask);
    jdi_topo_mask_add(t->mask, 1);
    jdi_topo_mask_add(t->mask, 4);
    jdi_topo_mask_add(t->mask, 5);
    p = (struct jdi_placement){.bind = JDI_BIND_CORE, .ncores = 2};
    described(t, p, 0, "core 0 (PU 1)");
    described(t, p, 1, "core 2 (PUs 4-5)");
    p.bind = JDI_BIND_NONE;
    described(t, p, 0, "anywhere in 1,4-5");
    ok(jdi_topo_ncores(t) == 2 && jdi_topo_npus(t) == 3, "2 cores and 3 PUs in the mask");
    jdi_topo_free(t);
}

static void test_unequal_masks(void)
{
    struct jdi_topo *t = machine("core:8 pu:1");
    struct jdi_topo_peer peers[2];
    struct jdi_knobs k = {0};
    struct jdi_placement p;

    jdi_topo_self(t, &peers[0]);
    jdi_topo_self(t, &peers[1]);
    peers[0].mask[0] = 0x0f;
    jdi_topo_place(t, &k, peers, 2, 1, 2, &p);
    ok(p.first_core == 4 && p.ncores == 4,
       "a rank with the larger mask leaves the part that its neighbour needs");
    peers[0].mask[0] = 0;
    jdi_topo_place(t, &k, peers, 2, 0, 2, &p);
    ok(p.workers == 1, "a peer without any mask gets one worker");
    jdi_topo_free(t);
}

int main(void)
{
    struct jdi_topo *t;

    for (unsigned n = 1; n <= 20; n++)
        spread("core:8 pu:2", n, 8);
    spread("package:2 core:6 pu:1", 3, 12);
    spread("package:2 core:6 pu:1", 12, 12);
    spread("pu:4", 4, 4);
    test_describe();
    test_unequal_masks();
    ok(jdi_topo_new_synthetic(&t, "no such machine") == JD_ESYS,
       "what hwloc refuses is an error");
    return done_testing();
}
