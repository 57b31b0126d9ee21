/*
 * core_bind_words_lists_and_files.c
 *
 * Role: what JACKDAW_BIND may be, what is refused, and which processing units come of it on machines that hwloc makes up.
 * Owner: one thread.
 * Invariants: I1 and I2 of core/bind.c; I2 of core/topo_place.c.
 * See: core/bind.h, core/topo.h.
 */
#include "core/bind.h"
#include "core/fault.h"
#include "core/topo.h"
#include "test/kit/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_PEERS = 4, TEXT = 256 };

static void test_words(void)
{
    static const char *const good[] = {"auto", "none",   "core",  "pu",
                                       "numa", "list:0", "file:x"};
    static const char *const bad[] = {"",        "cores",    "list:",     "list:a",
                                      "list:1,", "list:3-1", "list:1024", "list:0-1024",
                                      "file:",   "pu:",      "list:1--2", "list:-1",
                                      "list: 1", "list:1 ",  "list:0,,1", "NUMA"};
    enum jdi_bind kind;
    const char *rest;

    for (size_t i = 0; i < JDI_ARRAY_LEN(good); i++)
        ok(!jdi_bind_parse(good[i], &kind, &rest) && kind == i, "'%s'", good[i]);
    for (size_t i = 0; i < JDI_ARRAY_LEN(bad); i++)
        ok(jdi_bind_parse(bad[i], &kind, &rest) == JD_EINVAL, "not '%s'", bad[i]);
}

static void test_list(void)
{
    uint16_t unit[8];

    is_u64((uint64_t)jdi_bind_list("7,0,4-6,0", unit, 8), 6, "units of a list");
    ok(unit[0] == 7 && unit[1] == 0 && unit[2] == 4 && unit[4] == 6 && unit[5] == 0,
       "are in its order");
    is_u64((uint64_t)jdi_bind_list("0-7", unit, 8), 8, "as many as there is room for");
    ok(jdi_bind_list("0-8", unit, 8) == JD_EINVAL, "and not more");
}

/* Where slot `slot` of rank `me` of n like it goes, with a worker for each of two units. */
static void goes(const char *desc, const char *bind, unsigned n, unsigned me,
                 unsigned slot, const char *want)
{
    struct jdi_topo_peer peers[MOST_PEERS];
    struct jdi_knobs k = {.bind = bind, .workers = 2};
    struct jdi_placement p;
    struct jdi_topo *t;
    char where[TEXT], err[TEXT] = "", *made;

    if (jdi_topo_new_synthetic(&t, desc))
        bail_out("hwloc refuses %s", desc);
    for (unsigned i = 0; i < n; i++)
        jdi_topo_self(t, &peers[i]);
    jdi_topo_place(t, &k, peers, n, me, n, &p);
    if (jdi_topo_place_file(&p, me, &made, err, sizeof err) ||
        jdi_topo_place_check(t, &p, err, sizeof err))
        snprintf(where, sizeof where, "%s", err);
    else
        jdi_topo_place_describe(t, &p, slot, where, sizeof where);
    is_str(where, want, "%s: slot %u of rank %u", bind, slot, me);
    jdi_free(made);
    jdi_topo_free(t);
}

static void test_places(void)
{
    goes("numa:2 core:2 pu:2", "numa", 1, 0, 0, "anywhere in 0-3");
    goes("numa:2 core:2 pu:2", "numa", 2, 1, 1, "anywhere in 4-7");
    goes("core:2 pu:1", "numa", 1, 0, 1, "anywhere in 0-1");
    goes("core:8 pu:1", "list:7,0,4-6", 1, 0, 0, "core 7 (PU 7)");
    goes("core:8 pu:1", "list:7,0,4-6", 2, 1, 1, "core 6 (PU 6)");
    goes("core:8 pu:1", "list:3", 2, 1, 1, "core 3 (PU 3)");
    goes("core:4 pu:1", "list:0,4", 1, 0, 0,
         "JACKDAW_BIND has processing unit 4 for thread 1, which may use 0-3");
    goes("core:4 pu:1", "file:/nothing/like/it", 1, 0, 0,
         "JACKDAW_BIND: /nothing/like/it: No such file or directory");
}

static void write_file(const char *name, const char *text)
{
    FILE *f = fopen(name, "w");

    if (!f || fputs(text, f) < 0 || fclose(f))
        bail_out("cannot write %s", name);
}

static void test_file(void)
{
    char name[] = "/tmp/jd-bind-XXXXXX", bind[TEXT], want[TEXT];
    int fd = mkstemp(name);

    if (fd < 0)
        bail_out("no file");
    close(fd);
    snprintf(bind, sizeof bind, "file:%s", name);
    write_file(name, "# ranks\n1: 6, 2 # the second\n\n 0:0-1\n");
    goes("core:8 pu:1", bind, 2, 0, 1, "core 1 (PU 1)");
    goes("core:8 pu:1", bind, 2, 1, 0, "core 6 (PU 6)");
    goes("core:8 pu:1", bind, 2, 1, 1, "core 2 (PU 2)");
    snprintf(want, sizeof want, "JACKDAW_BIND: %s has no line for rank 2", name);
    goes("core:8 pu:1", bind, 3, 2, 0, want);
    write_file(name, "0: 1\n1 2\n");
    snprintf(want, sizeof want, "JACKDAW_BIND: %s:2: not RANK: LIST, as 3: 0,4-7", name);
    goes("core:8 pu:1", bind, 1, 0, 0, want);
    unlink(name);
}

int main(void)
{
    test_words();
    test_list();
    test_places();
    test_file();
    return done_testing();
}
