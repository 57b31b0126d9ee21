/*
 * page.h - what the processes of a job on one machine tell each other: pids, names, the status.
 *
 * Role: the page, which outlives each process of the job; page.c says who finds it how.
 * Owner: as at each field.
 * Invariants: I1 to I3 of page.c.
 * See: am/gasnet/page.c.
 */
#ifndef JDI_AM_GASNET_PAGE_H
#define JDI_AM_GASNET_PAGE_H

#include "core/base.h"

#include <stdatomic.h>
#include <sys/types.h>

/* GASNet's limit is 255 ranks of a host that share memory; a host may have more that do not. */
enum { JDI_PAGE_MOST = 1024, JDI_PAGE_TAG = 6, JDI_PAGE_RUNNING = -1 };
#define JDI_PAGE_PREFIX                                                                  \
    "GASNT" /* then JDI_PAGE_TAG characters of chance, then three digits */

struct jdi_page {
    uint64_t magic;
    _Atomic int starter; /* the process that starts the ranks: rank 0 on smp */
    _Atomic int end; /* RUNNING, or the job's status; ranks, the first wins | guardian */
    _Atomic uint32_t njoined; /* entries that are taken */
    _Atomic uint32_t nup,
        nranks; /* ranks that are up, and of the job once one is; ranks | guardian */
    struct {
        _Atomic int pid;  /* 0: not taken yet */
        _Atomic int rank; /* its number + 1; 0: not known yet */
    } proc[JDI_PAGE_MOST];
    _Atomic uint64_t
        tag[JDI_PAGE_MOST]; /* of the names of segments; 0: none from here on */
};

/* A new page, named in the environment.  NULL: errno says why.  Before any thread exists. */
struct jdi_page *jdi_page_new(void);
/* The page that the environment names, if it is one of this machine; else NULL. */
struct jdi_page *jdi_page_find(void);
/* Undo jdi_page_new or jdi_page_find: the mapping only. */
void jdi_page_drop(struct jdi_page *p);
/* Close the descriptor and take the name out of the environment; mappings stay. */
void jdi_page_hide(void);

/* This process belongs to the job.  Also right after a fork, so nothing here allocates. */
void jdi_page_join(struct jdi_page *p, pid_t pid);
/* GASNet is up at this rank. */
void jdi_page_up(struct jdi_page *p, uint32_t rank, uint32_t nranks);
/* All ranks of the job are up.  Only where all are of this machine. */
bool jdi_page_is_up(const struct jdi_page *p);
/* A segment is about to be made whose name goes on like this after the prefix. */
void jdi_page_note_name(struct jdi_page *p, const char *name);
/* Any thread of any rank: the status that the guardian has to report; the first one counts.
 * Without it the guardian takes rank 0's status, which may follow from another rank's. */
void jdi_page_end(struct jdi_page *p, int status);

static inline pid_t jdi_page_pid(const struct jdi_page *p, unsigned i)
{
    /* Acquire [pair: page-entry]. */
    return atomic_load_explicit(&p->proc[i].pid, memory_order_acquire);
}

#endif
