/*
 * topo_show.c - where the threads of a host are.
 *
 * Role: of topo_show.h.
 * Owner: nobody; pure functions of their arguments.
 * Invariants: I1 a communication thread that has no core of its own is not counted: it sleeps while worker 0 works.
 * Order: none.
 * See: core/topo_show.h, core/topo_place.c, test/unit/core_topo_show_*.
 */
#include "core/topo_show.h"
#include "core/fault.h"
#include "core/topo_map.h"

#include <stdio.h>
#include <string.h>

/* A thread, and the units that it may run on. */
struct seen {
    uint32_t rank;
    unsigned slot;
    bool counts; /* I1 */
    uint64_t mask[JDI_TOPO_MASK_WORDS];
    char where[128];
};

static unsigned threads_here(const struct jdi_placement *p)
{
    return p->workers + p->apart;
}

/* The machine, as another rank of the host was started on it. */
static void look_as(const struct jdi_topo *t, const struct jdi_topo_shown *r,
                    unsigned slot, struct seen *out)
{
    struct jdi_topo theirs = *t;
    bool comm = slot == r->place.workers;
    unsigned place = comm ? jdi_topo_place_comm(&r->place) : slot;

    memcpy(theirs.mask, r->peer->mask, sizeof theirs.mask);
    out->rank = r->rank;
    out->slot = slot;
    out->counts = !comm || place == slot;
    jdi_topo_place_mask(&theirs, &r->place, place, out->mask);
    jdi_topo_place_describe(&theirs, &r->place, place, out->where, sizeof out->where);
}

static void show_thread(const char *host, const struct jdi_placement *p,
                        const struct seen *s, void (*line)(const char *text))
{
    char text[512];
    bool comm = s->slot == p->workers;

    snprintf(text, sizeof text, "binding: %5u %-16.64s %6u  %-14s %s%s", s->rank, host,
             s->slot, comm ? "communication" : "worker", s->where,
             s->counts ? "" : ", beside worker 0");
    line(text);
}

static bool is_inside(const uint64_t *a, const uint64_t *b)
{
    for (unsigned w = 0; w < JDI_TOPO_MASK_WORDS; w++)
        if (a[w] & ~b[w])
            return false;
    return true;
}

static bool is_first_with_its_mask(const struct seen *all, unsigned i)
{
    for (unsigned k = 0; k < i; k++)
        if (all[k].counts && !memcmp(all[k].mask, all[i].mask, sizeof all[i].mask))
            return false;
    return all[i].counts;
}

/* Threads whose units are all in one set share these units, whatever other threads do. */
static void warn_of(const struct seen *all, unsigned n, unsigned i,
                    void (*line)(const char *text))
{
    unsigned units = jdi_topo_mask_count(all[i].mask), threads = 0, other = i;
    char text[512];

    if (!is_first_with_its_mask(all, i))
        return;
    for (unsigned k = 0; k < n; k++)
        if (all[k].counts && is_inside(all[k].mask, all[i].mask)) {
            threads++;
            other = other == i ? k : other;
        }
    if (threads <= units)
        return;
    snprintf(text, sizeof text,
             "binding: warning: %u threads on %u processing unit%s, %s, such as thread "
             "%u of rank "
             "%u and thread %u of rank %u: take fewer workers (JACKDAW_WORKERS) or other "
             "units "
             "(JACKDAW_BIND)",
             threads, units, units == 1 ? "" : "s", all[i].where, all[i].slot,
             all[i].rank, all[other].slot, all[other].rank);
    line(text);
}

int jdi_topo_show(const struct jdi_topo *t, const char *host,
                  const struct jdi_topo_shown *ranks, unsigned n,
                  void (*line)(const char *text))
{
    unsigned threads = 0, at = 0;
    struct seen *all;

    for (unsigned i = 0; i < n; i++)
        threads += threads_here(&ranks[i].place);
    all = jdi_zalloc(NULL, threads * sizeof *all);
    if (!all)
        return JD_ENOMEM;
    line("binding:  rank host             thread  role           cpuset");
    for (unsigned i = 0; i < n; i++)
        for (unsigned slot = 0; slot < threads_here(&ranks[i].place); slot++, at++) {
            look_as(t, &ranks[i], slot, &all[at]);
            show_thread(host, &ranks[i].place, &all[at], line);
        }
    for (unsigned i = 0; i < threads; i++)
        warn_of(all, threads, i, line);
    jdi_free(all);
    return 0;
}
