/*
 * topo.h - cores: how many this rank may use, and binding threads to them.
 *
 * Role: the only view of hwloc (topo.c); starts from the inherited cpuset.
 * Owner: one struct jdi_topo per rank, constant after init; jdi_topo_bind by each thread.
 * Invariants: I1 no thread is bound outside the mask the process was started with.
 * See: ARCHITECTURE.md "Placement".
 */
#ifndef JDI_CORE_TOPO_H
#define JDI_CORE_TOPO_H

#include "core/base.h"
#include "core/bind.h"
#include "core/knobs.h"

#define JDI_TOPO_MASK_WORDS 16 /* 1024 processing units, like the kernel's cpu_set_t */

struct jdi_topo; /* opaque */

/* What a rank tells the others of its host. */
struct jdi_topo_peer {
    uint64_t mask[JDI_TOPO_MASK_WORDS]; /* PUs it may use, OS numbers */
    uint64_t threads;                   /* threads it will run, 0 before it has chosen */
    uint64_t pid;                       /* of its process */
};

/* What was chosen for this rank. */
struct jdi_placement {
    unsigned workers;
    bool apart;     /* a thread that runs no tasks talks to the network */
    bool dedicated; /* it has a core of its own; else it sleeps while worker 0 works */
    bool oversubscribed; /* threads of all ranks here > PUs they may use together */
    enum jdi_bind bind;  /* no AUTO left */
    const char
        *list; /* LIST: the units of the threads, in turn; FILE: the name of the file */
    unsigned list_first; /* LIST: which of them is that of slot 0 */
    unsigned first_core; /* where this rank's share of a mask shared with others begins */
    unsigned ncores;     /* cores of that share */
    /* The figures behind `oversubscribed`; host_cores counts PUs. */
    unsigned host_threads, host_cores;
};

/* The machine as the calling thread may use it now: 0, JD_ENOMEM or JD_ESYS. */
int jdi_topo_new(struct jdi_topo **out);
/* The machine that hwloc makes of `desc` ("core:8 pu:2"), for tests; cannot bind. */
int jdi_topo_new_synthetic(struct jdi_topo **out, const char *desc);
void jdi_topo_free(struct jdi_topo *t);
unsigned jdi_topo_ncores(const struct jdi_topo *t); /* cores in the inherited mask */
unsigned jdi_topo_npus(const struct jdi_topo *t);
void jdi_topo_self(const struct jdi_topo *t, struct jdi_topo_peer *out);

/*
 * Choose workers, communication mode and binding from the knobs and from what the ranks
 * of this host said; peers[me] is this rank.  Pure.
 */
void jdi_topo_place(const struct jdi_topo *t, const struct jdi_knobs *k,
                    const struct jdi_topo_peer *peers, unsigned npeers, unsigned me,
                    uint32_t nranks, struct jdi_placement *out);

/*
 * FILE becomes LIST, with the list of that rank, which *made holds; the caller frees *made.
 * Other placements stay.  0; or JD_ENOMEM or JD_EINVAL, with a line in err[0..errlen).
 */
int jdi_topo_place_file(struct jdi_placement *p, uint32_t rank, char **made, char *err,
                        size_t errlen) JD_MUST_CHECK;
/* May each thread run where p has it?  0, or JD_EINVAL with a line in err[0..errlen). */
int jdi_topo_place_check(const struct jdi_topo *t, const struct jdi_placement *p,
                         char *err, size_t errlen) JD_MUST_CHECK;

/* The slot of the communication thread: `workers`, where the rank has a core that no worker needs, also if
 * that thread sleeps; else that of worker 0.  Pure. */
unsigned jdi_topo_place_comm(const struct jdi_placement *p);
/* Bind the calling thread: slot 0..workers-1 a worker, `workers` the communication
 * thread. 0, or JD_ESYS (harmless: say it and go on). */
int jdi_topo_bind(const struct jdi_topo *t, const struct jdi_placement *p, unsigned slot);
/* "core 3 (PU 6)" or "anywhere in 0-7" for jackdaw-info and verbose start-up. */
void jdi_topo_place_describe(const struct jdi_topo *t, const struct jdi_placement *p,
                             unsigned slot, char *out, size_t outlen);

#endif
