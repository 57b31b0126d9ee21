/*
 * topo_place.c - how many threads, of which kind, and where.
 *
 * Role: the decisions of topo.h, from masks and knobs alone.
 * Owner: nobody; pure functions of their arguments.
 * Invariants: I1 ranks that see the same peers and knobs agree on what each rank does.
 *             I2 no slot's mask leaves the mask the rank was started with.
 *             I3 slices of ranks that share a mask overlap only where they must.
 * Order: none.
 * See: core/topo.h, ARCHITECTURE.md "Placement", test/unit/core_topo_*.
 */
#include "core/topo_map.h"

#include <stdio.h>
#include <string.h>

/* A rank with at least so many cores gives one of them to the network. */
enum { CORES_FOR_DEDICATED = 4 };

/* Ranks of a host that compete for the same PUs, directly or through others. */
struct group {
    uint64_t mask[JDI_TOPO_MASK_WORDS]; /* of all of them together */
    unsigned ranks, cores;
};

/* The threads of some ranks and the PUs they may use together. */
struct load {
    uint64_t threads;
    unsigned pus;
};

/* ---- masks ----------------------------------------------------------------------- */

static bool mask_meets(const uint64_t *a, const uint64_t *b)
{
    for (unsigned w = 0; w < JDI_TOPO_MASK_WORDS; w++)
        if (a[w] & b[w])
            return true;
    return false;
}

/* a |= b; true if that changed a. */
static bool mask_join(uint64_t *a, const uint64_t *b)
{
    uint64_t news = 0;

    for (unsigned w = 0; w < JDI_TOPO_MASK_WORDS; w++) {
        news |= b[w] & ~a[w];
        a[w] |= b[w];
    }
    return news != 0;
}

static unsigned count_cores(const struct jdi_topo *t, const uint64_t *mask)
{
    uint16_t cores[JDI_TOPO_PUS];
    return jdi_topo_map_cores(t, mask, cores);
}

/* ---- how many -------------------------------------------------------------------- */

/* A peer is in g iff its mask meets that of g; the loop goes on until this holds for all. */
static void find_group(const struct jdi_topo *t, const struct jdi_topo_peer *peers,
                       unsigned npeers, const struct jdi_topo_peer *of, struct group *g)
{
    bool grown = true;

    memcpy(g->mask, of->mask, sizeof g->mask);
    while (grown) {
        grown = false;
        g->ranks = 0;
        for (unsigned i = 0; i < npeers; i++)
            if (mask_meets(peers[i].mask, g->mask)) {
                grown = mask_join(g->mask, peers[i].mask) || grown;
                g->ranks++;
            }
    }
    g->cores = count_cores(t, g->mask);
}

/* The cores of its group that a rank may count on: an equal part, not more than its own
 * mask has, at least one. */
static unsigned cores_for(const struct jdi_topo *t, const struct jdi_topo_peer *peer,
                          const struct group *g)
{
    unsigned own = count_cores(t, peer->mask);
    unsigned part = g->ranks > 0 ? g->cores / g->ranks : 0;
    unsigned cores = part < own ? part : own;

    return cores > 0 ? cores : 1;
}

/* Workers and communication mode of a rank with so many cores. */
static void choose_threads(const struct jdi_knobs *k, unsigned cores, uint32_t nranks,
                           struct jdi_placement *out)
{
    /* As many workers as there are cores leave no core for the network. */
    bool core_to_spare = cores >= CORES_FOR_DEDICATED && k->workers < (int64_t)cores;

    out->dedicated = nranks > 1 && (k->comm == JDI_COMM_DEDICATED ||
                                    (k->comm == JDI_COMM_AUTO && core_to_spare));
    if (k->workers > 0)
        out->workers = (unsigned)k->workers;
    else if (out->dedicated && cores > 1)
        out->workers = cores - 1;
    else
        out->workers = cores;
    /* A worker that is alone in its job is never asked for anything while it runs a task. */
    out->apart = nranks > 1 || out->workers > 1;
}

/* The threads that a peer published, or, if it has not chosen yet, will choose by these rules. */
static uint64_t threads_of(const struct jdi_topo *t, const struct jdi_knobs *k,
                           const struct jdi_topo_peer *peers, unsigned npeers,
                           const struct jdi_topo_peer *peer, uint32_t nranks)
{
    struct jdi_placement chosen;
    struct group g;

    if (peer->threads > 0)
        return peer->threads;
    find_group(t, peers, npeers, peer, &g);
    choose_threads(k, cores_for(t, peer, &g), nranks, &chosen);
    return chosen.workers + chosen.dedicated;
}

/* The load of the peers whose mask meets `among`, or of all of them for NULL. */
static struct load measure(const struct jdi_topo *t, const struct jdi_knobs *k,
                           const struct jdi_topo_peer *peers, unsigned npeers,
                           uint32_t nranks, const uint64_t *among)
{
    uint64_t mask[JDI_TOPO_MASK_WORDS] = {0};
    struct load l = {0, 0};

    for (unsigned i = 0; i < npeers; i++) {
        if (among && !mask_meets(peers[i].mask, among))
            continue;
        mask_join(mask, peers[i].mask);
        l.threads += threads_of(t, k, peers, npeers, &peers[i], nranks);
    }
    l.pus = jdi_topo_mask_count(mask);
    return l;
}

/* ---- where ----------------------------------------------------------------------- */

/* The start among a rank's n cores at which a window of `want` cores is used least. */
static unsigned least_used(const uint16_t *cores, unsigned n, unsigned want,
                           const uint16_t used[JDI_TOPO_PUS])
{
    unsigned best = 0, best_cost = UINT32_MAX;

    for (unsigned start = 0; start < n; start++) {
        unsigned cost = 0;
        for (unsigned i = 0; i < want; i++)
            cost += used[cores[(start + i) % n]];
        if (cost < best_cost) {
            best_cost = cost;
            best = start;
        }
    }
    return best;
}

/* I3.  The ranks of g take slices in the order of `peers`, each where fewest ranks have taken
 * one.  Every rank computes the same, and so finds its own slice.  For equal masks that is slice
 * after slice. */
static unsigned first_core(const struct jdi_topo *t, const struct jdi_topo_peer *peers,
                           unsigned me, const struct group *g)
{
    uint16_t used[JDI_TOPO_PUS] = {0};
    uint16_t cores[JDI_TOPO_PUS];
    unsigned start = 0;

    for (unsigned p = 0; p <= me; p++) {
        unsigned n, want;
        if (!mask_meets(peers[p].mask, g->mask))
            continue;
        n = jdi_topo_map_cores(t, peers[p].mask, cores);
        want = cores_for(t, &peers[p], g);
        start = least_used(cores, n, want, used);
        for (unsigned i = 0; i < want && n > 0; i++)
            used[cores[(start + i) % n]]++;
    }
    return start;
}

void jdi_topo_place(const struct jdi_topo *t, const struct jdi_knobs *k,
                    const struct jdi_topo_peer *peers, unsigned npeers, unsigned me,
                    uint32_t nranks, struct jdi_placement *out)
{
    struct jdi_placement p = {0};
    struct load near, host;
    struct group g;

    JD_CHECK(me < npeers);
    find_group(t, peers, npeers, &peers[me], &g);
    p.ncores = cores_for(t, &peers[me], &g);
    p.first_core = first_core(t, peers, me, &g);
    choose_threads(k, p.ncores, nranks, &p);

    /* Too many ranks can share PUs with this one although the host as a whole has room, so
     * both loads are counted. */
    near = measure(t, k, peers, npeers, nranks, g.mask);
    host = measure(t, k, peers, npeers, nranks, NULL);
    if (near.threads > near.pus)
        host = near;
    p.host_threads = (unsigned)host.threads;
    p.host_cores = host.pus;
    p.oversubscribed = k->oversubscribed == JDI_TRI_AUTO
                           ? host.threads > host.pus
                           : k->oversubscribed == JDI_TRI_YES;

    JD_CHECK(!jdi_bind_parse(k->bind ? k->bind : "auto", &p.bind, &p.list));
    for (unsigned i = 0; i < me && p.bind == JDI_BIND_LIST; i++)
        p.list_first += (unsigned)threads_of(t, k, peers, npeers, &peers[i], nranks);
    if (p.bind == JDI_BIND_AUTO)
        p.bind = p.oversubscribed ? JDI_BIND_NONE : JDI_BIND_CORE;
    *out = p;
}

/* Reduce the PUs of one core to number n of them, counted round. */
static void keep_one(uint64_t mask[JDI_TOPO_MASK_WORDS], unsigned n)
{
    unsigned keep = n % jdi_topo_mask_count(mask);

    for (unsigned pu = 0, seen = 0; pu < JDI_TOPO_PUS; pu++)
        if (jdi_topo_mask_has(mask, pu) && seen++ != keep)
            mask[pu / 64] &= ~((uint64_t)1 << (pu % 64));
}

/* The processing unit of a list for this slot. */
static unsigned listed_unit(const struct jdi_placement *p, unsigned slot)
{
    uint16_t units[JDI_TOPO_PUS];
    int n = jdi_bind_list(p->list, units, JDI_TOPO_PUS);

    JD_CHECK(n > 0);
    return units[(p->list_first + slot) % (unsigned)n];
}

/* Add the units of the mask that are near a core: on it, or on its NUMA node. */
static void add_near(const struct jdi_topo *t, unsigned core, bool whole_node,
                     uint64_t *out)
{
    unsigned node = 0;

    for (unsigned pu = 0; pu < JDI_TOPO_PUS; pu++)
        if (jdi_topo_mask_has(t->mask, pu) && t->core_of[pu] == core) {
            jdi_topo_mask_add(out, pu);
            node = t->node_of[pu];
        }
    for (unsigned pu = 0; pu < JDI_TOPO_PUS && whole_node; pu++)
        if (jdi_topo_mask_has(t->mask, pu) && t->node_of[pu] == node)
            jdi_topo_mask_add(out, pu);
}

/* A list names the units of inline threads by those of the workers. */
unsigned jdi_topo_place_comm(const struct jdi_placement *p)
{
    bool listed = p->bind == JDI_BIND_LIST || p->bind == JDI_BIND_FILE;

    return p->dedicated || (!listed && p->ncores > p->workers) ? p->workers : 0;
}

void jdi_topo_place_mask(const struct jdi_topo *t, const struct jdi_placement *p,
                         unsigned slot, uint64_t out[JDI_TOPO_MASK_WORDS])
{
    uint16_t cores[JDI_TOPO_PUS];
    unsigned n = jdi_topo_map_cores(t, t->mask, cores);
    unsigned slice = p->ncores > 0 ? p->ncores : 1;
    unsigned core;

    memcpy(out, t->mask, sizeof t->mask);
    if (p->bind == JDI_BIND_NONE || n == 0)
        return;
    core = cores[(p->first_core + slot % slice) % n];
    memset(out, 0, sizeof t->mask);
    if (p->bind == JDI_BIND_LIST) {
        unsigned unit = listed_unit(p, slot);
        if (jdi_topo_mask_has(t->mask, unit)) /* I2 */
            jdi_topo_mask_add(out, unit);
        return;
    }
    add_near(t, core, p->bind == JDI_BIND_NUMA, out);
    if (p->bind == JDI_BIND_PU)
        keep_one(out, slot / slice); /* every core once before the second PU of any */
}

/* "0-3,8" as the kernel writes lists; cut off where out is full. */
static void write_list(const uint64_t *mask, char *out, size_t outlen)
{
    size_t n = 0;

    snprintf(out, outlen, "nowhere");
    for (unsigned pu = 0; pu < JDI_TOPO_PUS && n < outlen; pu++) {
        unsigned last = pu;
        if (!jdi_topo_mask_has(mask, pu))
            continue;
        while (last + 1 < JDI_TOPO_PUS && jdi_topo_mask_has(mask, last + 1))
            last++;
        n += (size_t)snprintf(out + n, outlen - n, "%s%u", n ? "," : "", pu);
        if (last > pu && n < outlen)
            n += (size_t)snprintf(out + n, outlen - n, "-%u", last);
        pu = last;
    }
}

int jdi_topo_place_file(struct jdi_placement *p, uint32_t rank, char **made, char *err,
                        size_t errlen)
{
    char text[256];
    int error;

    *made = NULL;
    if (p->bind != JDI_BIND_FILE)
        return 0;
    error = jdi_bind_read(p->list, rank, made, text, sizeof text);
    if (error) {
        snprintf(err, errlen, "JACKDAW_BIND: %s",
                 error == JD_ENOMEM ? jd_strerror(error) : text);
        return error;
    }
    p->bind = JDI_BIND_LIST;
    p->list = *made;
    p->list_first = 0;
    return 0;
}

int jdi_topo_place_check(const struct jdi_topo *t, const struct jdi_placement *p,
                         char *err, size_t errlen)
{
    uint64_t mask[JDI_TOPO_MASK_WORDS];
    char list[256];

    for (unsigned slot = 0; p->bind == JDI_BIND_LIST && slot < p->workers + p->dedicated;
         slot++) {
        jdi_topo_place_mask(t, p, slot, mask);
        if (jdi_topo_mask_count(mask) > 0)
            continue;
        write_list(t->mask, list, sizeof list);
        snprintf(err, errlen,
                 "JACKDAW_BIND has processing unit %u for thread %u, which may use %s",
                 listed_unit(p, slot), slot, list);
        return JD_EINVAL;
    }
    return 0;
}

void jdi_topo_place_describe(const struct jdi_topo *t, const struct jdi_placement *p,
                             unsigned slot, char *out, size_t outlen)
{
    uint64_t mask[JDI_TOPO_MASK_WORDS];
    uint16_t cores[JDI_TOPO_PUS];
    char list[256];

    jdi_topo_place_mask(t, p, slot, mask);
    write_list(mask, list, sizeof list);
    if (jdi_topo_mask_count(mask) == 0)
        snprintf(out, outlen, "%s", list);
    else if (p->bind == JDI_BIND_NONE || jdi_topo_map_cores(t, mask, cores) != 1)
        snprintf(out, outlen, "anywhere in %s", list);
    else
        snprintf(out, outlen, "core %u (PU%s %s)", (unsigned)cores[0],
                 jdi_topo_mask_count(mask) == 1 ? "" : "s", list);
}
