/*
 * core_topo_show_counts_threads_on_units.c
 *
 * Role: the lines for the threads of a host, and the warnings, on machines that hwloc makes up.
 * Owner: one thread.
 * Invariants: I1 of core/topo_show.c.
 * See: core/topo_show.h.
 */
#include "core/topo_show.h"
#include "test/kit/tap.h"

#include <stdio.h>
#include <string.h>

enum { MOST_LINES = 64, LINE = 512, MOST_RANKS = 4 };

static char shown[MOST_LINES][LINE];
static unsigned nshown;

static void keep(const char *text)
{
    if (nshown == MOST_LINES)
        bail_out("too many lines");
    snprintf(shown[nshown++], LINE, "%s", text);
}

static unsigned warnings(void)
{
    unsigned n = 0;

    for (unsigned i = 0; i < nshown; i++)
        n += strstr(shown[i], "warning") != NULL;
    return n;
}

/* What ranks with these knobs and masks of the first 64 units show. */
static void show(const char *desc, struct jdi_knobs k, const uint64_t *masks, unsigned n)
{
    struct jdi_topo_peer peers[MOST_RANKS];
    struct jdi_topo_shown ranks[MOST_RANKS];
    struct jdi_topo *t;

    if (jdi_topo_new_synthetic(&t, desc))
        bail_out("hwloc refuses %s", desc);
    for (unsigned i = 0; i < n; i++) {
        jdi_topo_self(t, &peers[i]);
        if (masks)
            peers[i].mask[0] = masks[i];
    }
    for (unsigned i = 0; i < n; i++) {
        ranks[i] = (struct jdi_topo_shown){.rank = 10 + i, .peer = &peers[i]};
        jdi_topo_place(t, &k, peers, n, i, n, &ranks[i].place);
    }
    nshown = 0;
    ok(!jdi_topo_show(t, "here", ranks, n, keep), "%u ranks on %s", n, desc);
    jdi_topo_free(t);
}

static void test_lines(void)
{
    show("core:4 pu:1", (struct jdi_knobs){.workers = 2}, NULL, 2);
    is_u64(nshown, 7, "a heading, and three threads for each of two ranks");
    is_str(shown[1],
           "binding:    10 here                  0  worker         core 0 (PU 0)",
           "a worker");
    is_str(shown[3],
           "binding:    10 here                  2  communication  core 0 (PU 0), beside "
           "worker 0",
           "a communication thread without a core");
    is_str(shown[5],
           "binding:    11 here                  1  worker         core 3 (PU 3)",
           "the other rank is on other cores");
}

/* A core that no worker needs is there for the communication thread, although it sleeps. */
static void test_spare_core(void)
{
    show("core:6 pu:1", (struct jdi_knobs){.workers = 2}, NULL, 2);
    is_str(shown[3],
           "binding:    10 here                  2  communication  core 2 (PU 2)",
           "a communication thread on a core that is left over");
    is_str(shown[6],
           "binding:    11 here                  2  communication  core 5 (PU 5)",
           "each rank has one");
    is_u64(warnings(), 0, "nothing overlaps");
    show("core:6 pu:1", (struct jdi_knobs){.workers = 2, .bind = "list:0,1"}, NULL, 2);
    is_str(shown[3],
           "binding:    10 here                  2  communication  core 0 (PU 0), beside "
           "worker 0",
           "a list says where the threads are");
}

static void test_masks_of_others(void)
{
    static const uint64_t masks[] = {0x3, 0xc};

    show("core:4 pu:1", (struct jdi_knobs){.workers = 1, .comm = JDI_COMM_DEDICATED},
         masks, 2);
    is_str(shown[2],
           "binding:    10 here                  1  communication  core 1 (PU 1)",
           "one with a core");
    is_str(shown[3],
           "binding:    11 here                  0  worker         core 2 (PU 2)",
           "each rank is inside its own mask");
    is_u64(warnings(), 0, "nothing overlaps");
}

static void test_warnings(void)
{
    static const uint64_t same[] = {0x1, 0x1};
    const struct jdi_knobs bound = {.workers = 1, .oversubscribed = JDI_TRI_NO};

    show("core:4 pu:1", bound, same, 2);
    is_u64(warnings(), 1, "two ranks that were started on one unit");
    ok(strstr(shown[nshown - 1],
              "2 threads on 1 processing unit, core 0 (PU 0), such as thread 0 "
              "of rank 10 and thread 0 of rank 11") != NULL,
       "are named: %s", shown[nshown - 1]);
    show("core:2 pu:2", (struct jdi_knobs){.workers = 4}, NULL, 1);
    is_u64(warnings(), 0, "two threads may share a core of two units");
    show("core:2 pu:1", (struct jdi_knobs){.workers = 2}, NULL, 2);
    is_u64(warnings(), 1, "threads that are not bound share what their ranks have");
    ok(strstr(shown[nshown - 1], "4 threads on 2 processing units, anywhere in 0-1") !=
           NULL,
       "and that is said: %s", shown[nshown - 1]);
}

int main(void)
{
    test_lines();
    test_spare_core();
    test_masks_of_others();
    test_warnings();
    return done_testing();
}
