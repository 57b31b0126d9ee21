/*
 * core_topo_rules_of_placement.c
 *
 * Role: workers, communication mode, oversubscription and binding, rule by rule, on
 *       machines that hwloc makes up.
 * Owner: one thread.
 * Invariants: I1 of core/topo_place.c.
 * See: core/topo_place.c.
 */
#include "core/topo.h"
#include "test/kit/tap.h"

#include <stdio.h>
#include <string.h>

enum { MOST_PEERS = 64 };

static struct jdi_topo *machine(const char *desc)
{
    struct jdi_topo *t;

    if (jdi_topo_new_synthetic(&t, desc))
        bail_out("hwloc refuses %s", desc);
    return t;
}

/* The placement of rank 0 of n ranks that all have the whole machine. */
static struct jdi_placement place(const char *desc, struct jdi_knobs k, unsigned n,
                                  uint32_t nranks)
{
    struct jdi_topo *t = machine(desc);
    struct jdi_topo_peer peers[MOST_PEERS];
    struct jdi_placement p;

    for (unsigned i = 0; i < n; i++)
        jdi_topo_self(t, &peers[i]);
    jdi_topo_place(t, &k, peers, n, 0, nranks, &p);
    jdi_topo_free(t);
    return p;
}

static void placed(const char *desc, struct jdi_knobs k, unsigned n, uint32_t nranks,
                   const char *want)
{
    struct jdi_placement p = place(desc, k, n, nranks);
    char got[128];

    snprintf(got, sizeof got, "%u %s %s %s, %u on %u", p.workers,
             p.dedicated ? "dedicated" : "inline", p.oversubscribed ? "over" : "fits",
             jdi_bind_name(p.bind), p.host_threads, p.host_cores);
    is_str(got, want, "%u of %u ranks on %s", n, (unsigned)nranks, desc);
}

static void test_defaults(void)
{
    const struct jdi_knobs k = {0};

    placed("core:8 pu:2", k, 1, 1, "8 inline fits core, 8 on 16");
    placed("core:8 pu:2", k, 1, 2, "7 dedicated fits core, 8 on 16");
    placed("core:8 pu:2", k, 2, 2, "3 dedicated fits core, 8 on 16");
    placed("core:8 pu:2", k, 3, 3, "2 inline fits core, 6 on 16");
    placed("core:8 pu:2", k, 8, 8, "1 inline fits core, 8 on 16");
    placed("core:8 pu:2", k, 16, 16, "1 inline fits core, 16 on 16");
    placed("core:8 pu:2", k, 17, 17, "1 inline over none, 17 on 16");
    placed("core:4 pu:1", k, 1, 2, "3 dedicated fits core, 4 on 4");
    placed("core:3 pu:1", k, 1, 2, "3 inline fits core, 3 on 3");
    placed("core:2 pu:1", k, 2, 2, "1 inline fits core, 2 on 2");
    placed("core:2 pu:1", k, 8, 8, "1 inline over none, 8 on 2");
    placed("core:1 pu:1", k, 1, 1, "1 inline fits core, 1 on 1");
}

static void test_knobs(void)
{
    struct jdi_knobs k = {.comm = JDI_COMM_DEDICATED};

    placed("core:2 pu:1", k, 1, 2, "1 dedicated fits core, 2 on 2");
    placed("core:2 pu:1", k, 2, 2, "1 dedicated over none, 4 on 2");
    placed("core:8 pu:1", k, 1, 1, "8 inline fits core, 8 on 8");
    k = (struct jdi_knobs){.comm = JDI_COMM_INLINE};
    placed("core:8 pu:1", k, 1, 2, "8 inline fits core, 8 on 8");
    k = (struct jdi_knobs){.workers = 3};
    placed("core:2 pu:1", k, 1, 1, "3 inline over none, 3 on 2");
    placed("core:8 pu:1", k, 1, 2, "3 dedicated fits core, 4 on 8");
    k = (struct jdi_knobs){.workers = 8};
    placed("core:8 pu:1", k, 1, 2, "8 inline fits core, 8 on 8");
    k = (struct jdi_knobs){.workers = 8, .comm = JDI_COMM_DEDICATED};
    placed("core:8 pu:1", k, 1, 2, "8 dedicated over none, 9 on 8");
    k = (struct jdi_knobs){.oversubscribed = JDI_TRI_YES};
    placed("core:8 pu:1", k, 1, 1, "8 inline over none, 8 on 8");
    k = (struct jdi_knobs){.oversubscribed = JDI_TRI_NO, .workers = 3};
    placed("core:2 pu:1", k, 1, 1, "3 inline fits core, 3 on 2");
    k = (struct jdi_knobs){.bind = "pu", .workers = 3};
    placed("core:2 pu:1", k, 1, 1, "3 inline over pu, 3 on 2");
    k = (struct jdi_knobs){.bind = "none"};
    placed("core:2 pu:1", k, 1, 1, "2 inline fits none, 2 on 2");
}

static void mask_range(struct jdi_topo_peer *p, unsigned first, unsigned last)
{
    memset(p, 0, sizeof *p);
    for (unsigned pu = first; pu <= last; pu++)
        p->mask[pu / 64] |= (uint64_t)1 << (pu % 64);
}

static void test_masks(void)
{
    struct jdi_topo *t = machine("core:8 pu:1");
    struct jdi_topo_peer peers[3];
    struct jdi_knobs k = {0};
    struct jdi_placement p;

    mask_range(&peers[0], 0, 3);
    mask_range(&peers[1], 4, 5);
    jdi_topo_place(t, &k, peers, 2, 0, 2, &p);
    ok(p.workers == 3 && p.dedicated, "a rank with a mask of its own uses all of it");
    jdi_topo_place(t, &k, peers, 2, 1, 2, &p);
    ok(p.workers == 2 && !p.dedicated && p.host_threads == 6 && p.host_cores == 6,
       "its neighbour too, and both count for the host");

    mask_range(&peers[1], 0, 7);
    mask_range(&peers[2], 6, 7);
    jdi_topo_place(t, &k, peers, 3, 0, 3, &p);
    ok(p.ncores == 2 && p.workers == 2,
       "masks that overlap through a third are shared as one: 8 cores for 3 ranks");

    mask_range(&peers[0], 0, 3);
    mask_range(&peers[1], 6, 7);
    mask_range(&peers[2], 3, 6);
    jdi_topo_place(t, &k, peers, 3, 0, 3, &p);
    ok(p.ncores == 2 && p.workers == 2, "in whatever order they stand");

    mask_range(&peers[0], 0, 0);
    mask_range(&peers[1], 0, 7);
    jdi_topo_place(t, &k, peers, 2, 0, 2, &p);
    ok(p.ncores == 1 && p.workers == 1,
       "nobody counts on more cores than its own mask has");

    k.workers = 3;
    mask_range(&peers[0], 0, 0);
    mask_range(&peers[1], 1, 7);
    jdi_topo_place(t, &k, peers, 2, 0, 2, &p);
    ok(p.oversubscribed && p.host_threads == 3 && p.host_cores == 1,
       "three threads on one core are too many although the host has room");
    jdi_topo_place(t, &k, peers, 2, 1, 2, &p);
    ok(!p.oversubscribed, "but not for the rank beside them");

    k.workers = 1;
    peers[0].threads = 9;
    jdi_topo_place(t, &k, peers, 2, 1, 2, &p);
    ok(p.oversubscribed && p.host_threads > p.host_cores,
       "what a peer has chosen counts as it says");
    jdi_topo_free(t);
}

int main(void)
{
    test_defaults();
    test_knobs();
    test_masks();
    return done_testing();
}
