/*
 * gasnet.h - what the files of the GASNet network share.
 *
 * Role: the endpoint, and the calls between gasnet.c (messages), start.c (coming
 *       up), exit.c (honest exit) and guard.c (the guardian of jobs of one machine).
 * Owner: the communication thread, which is the one that called run; `wanted` any thread.
 * Invariants: I1 no other file of the project includes a GASNet header or this one.
 *             I2 gasnet_exit is called in exit.c only, by leave_network.
 * See: doc/am.md sections 1, 5 and 6.
 */
#ifndef JDI_AM_GASNET_GASNET_H
#define JDI_AM_GASNET_GASNET_H

#include "am/am.h"
#include "am/gasnet/page.h"
#include "am/gasnet/watch.h"

#if !defined GASNET_SEQ && !defined GASNET_PAR
#define GASNET_SEQ 1
#endif
#include <gasnetex.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/types.h>

/* Which conduit this is, for plain `if`: the same source serves all. */
#ifdef GASNET_CONDUIT_SMP
enum { JDI_GAS_SMP = 1 };
#else
enum { JDI_GAS_SMP = 0 };
#endif
#ifdef GASNET_CONDUIT_UDP
enum { JDI_GAS_UDP = 1 };
#else
enum { JDI_GAS_UDP = 0 };
#endif
#ifdef GASNET_CONDUIT_MPI
enum { JDI_GAS_MPI = 1 };
#else
enum { JDI_GAS_MPI = 0 };
#endif

enum { JDI_GAS_AM_SR = GEX_AM_INDEX_BASE, JDI_GAS_AM_SP, JDI_GAS_AM_MR, JDI_GAS_AM_MP };

/* What lies in the segment of a rank. */
struct jdi_gas_segment {
    _Atomic uint64_t word[JDI_AM_WORDS];
    JDI_ALIGNED struct jdi_idle
        idle; /* where its communication thread sleeps: am->idle */
};

/* Where the segment of another rank is. */
struct jdi_gas_place {
    char *owner;                    /* its address there; NULL until asked */
    struct jdi_gas_segment *direct; /* here, if it is mapped; else NULL */
};

struct jdi_gas {
    struct jdi_am am; /* first: ops get a pointer to it */
    gex_Client_t client;
    gex_EP_t ep;
    gex_TM_t tm;
    gex_Segment_t segment;
    struct jdi_gas_segment *own; /* in memory */
    struct jdi_gas_place *place;
    struct jdi_am_get *reading;       /* RMA reads under way */
    struct jdi_watch_sockets foreign; /* that were open before GASNet came up */
    struct jdi_watch *watch;          /* over GASNet's; NULL: none */
    uint32_t *host_peers;
    pthread_t comm;
    pid_t pid; /* of the rank; a process that it forks is none */
    int clean; /* the status, once all ranks have come to the end of run; else -1 */
    struct sigaction old_quit;
    struct jdi_page *page; /* shared with the guardian, if there is one; NULL: no page */
    _Atomic int wanted;    /* status with which a thread wants to end the job; -1 */
    _Atomic bool leaving;  /* gasnet_exit is on its way; the hooks let it pass */
};

static inline struct jdi_gas *jdi_gasnet_of(struct jdi_am *am)
{
    return (struct jdi_gas *)am;
}

/* ---- gasnet.c: communication thread -------------------------------------------------- */

/* Segment, handlers, core: all but the client.  0, or JD_ENOMEM, JD_ENET. */
int jdi_gasnet_open(struct jdi_gas *g);
/* A barrier of GASNet's own; runs handlers. */
void jdi_gasnet_barrier(struct jdi_gas *g);

/* ---- exit.c ------------------------------------------------------------------- */

/* Install the exit hook and the SIGQUIT handler. */
void jdi_gasnet_exit_watch(struct jdi_gas *g);
/* Has this process, or the one that forked it, been a rank before? */
bool jdi_gasnet_exit_has_job(void);
/* The clean end, from the communication thread: all ranks have come to it.  The process ends by
 * exit(), and the last thing that runs in it ends the job. */
void jdi_gasnet_exit_clean(struct jdi_gas *g, int status) JD_NORETURN;
/* End the job while others go on; takes a few seconds at most. */
void jdi_gasnet_exit_break_off(struct jdi_gas *g, int status) JD_NORETURN;
/* The same from any thread; 0 becomes JDI_EXIT_EARLY. */
void jdi_gasnet_exit_end_job(struct jdi_am *am, int status);
/* In every poll: has another thread asked for the end? */
static inline void jdi_gasnet_exit_obey(struct jdi_gas *g)
{
    /* Relaxed: nothing but the number is needed. */
    int wanted = atomic_load_explicit(&g->wanted, memory_order_relaxed);
    if (JDI_UNLIKELY(wanted >= 0))
        jdi_gasnet_exit_break_off(g, wanted);
}

/* ---- guard.c: before GASNet, main thread -------------------------------------- */

/* Fork the job off; returns in the job only, with the page.  The job has limit_s seconds to start,
 * 0: any time.  Dies if there can be no guardian. */
struct jdi_page *jdi_guard_job(int limit_s);

#endif
