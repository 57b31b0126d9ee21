/*
 * inside.h - what the files of the simulation share: streams, ranks, the whole.
 *
 * Role: a stream is a thread of a simulated rank: a clock, and what it waits for.  The first
 *       one of a rank, `main`, is its communication thread and has the network.
 * Owner: the simulation's thread.
 * Invariants: I1 a stream's clock never runs behind the simulation's.
 *             I2 in a rank with one stream the clock may be ahead by what the stream computes
 *                between two polls; with several streams, by what the stream does between two
 *                computations.
 *             I3 an event of an older `turn` of its stream is void: the stream has been woken
 *                since.
 * See: am/sim/sim.h, am/sim/sim.c (the network), am/sim/stream.c (streams), doc/sim.md.
 */
#ifndef JDI_AM_SIM_INSIDE_H
#define JDI_AM_SIM_INSIDE_H

#include "am/sim/queue.h"
#include "am/sim/sim.h"

enum jdi_sim_kind { JDI_SIM_REQUEST = 1, JDI_SIM_REPLY, JDI_SIM_READ, JDI_SIM_VALUE };

/* On its way, then in its receiver's inbox. */
struct jdi_sim_parcel {
    struct jdi_sim_parcel *next;
    enum jdi_sim_kind kind;
    uint32_t src, dst;
    struct jdi_am_msg m;
    struct jdi_am_get *get; /* READ, VALUE */
    unsigned word;
    uint64_t value;
    uint64_t sent, due, late; /* for the trace; due: if it were not late */
    _Alignas(16) unsigned char bytes[];
};

/* As the turn of an event: let go of the messages kept from a rank. */
#define JDI_SIM_RELEASE UINT32_MAX

enum jdi_sim_state {
    JDI_SIM_READY = 1,
    JDI_SIM_RUNNING,
    JDI_SIM_COMPUTING,
    JDI_SIM_WAITING,
    JDI_SIM_ENDED
};

/*
 *   state       event                              next        who
 *   READY       chosen by jdi_sim_next             RUNNING     the simulation
 *   RUNNING     its clock is ahead when it polls,  COMPUTING   the stream; timer at its clock
 *               or when it computes beside others
 *   RUNNING     it waits                           WAITING     the stream; timer, if limited
 *   COMPUTING   the timer                          RUNNING     the simulation
 *   WAITING     the timer; main: a message         RUNNING     the simulation
 *   WAITING     woken by another of its rank       WAITING     the waker; timer
 *   RUNNING     its function returns               ENDED       the caller
 */
struct jdi_sim_stream {
    struct jdi_idle_sleeper sleeper; /* first */
    struct jdi_sim_node *node;
    uint32_t id; /* of main: the rank */
    enum jdi_sim_state state;
    uint32_t turn;
    uint64_t clock;
    struct jdi_sim_stream *joiner; /* waits for its end */
    const char *frame; /* where on its stack it gave way, or NULL; never read */
    struct jdi_sim_way back;
};

/* A rank. */
struct jdi_sim_node {
    struct jdi_am am; /* first */
    struct jdi_time time;
    struct jdi_sim *sim;
    struct jdi_sim_stream main;
    unsigned pauses; /* of main since the last message: each is twice as long */
    uint64_t last_sent;
    struct jdi_sim_parcel *inbox, *inbox_tail;
    struct jdi_sim_parcel *kept; /* messages that wait for this rank's report */
    uint64_t word[JDI_AM_WORDS];
};

struct jdi_sim {
    struct jdi_sim_params p;
    jdi_sim_yield *yield;
    void *ctx;
    struct jdi_sim_node **node;
    uint32_t *ids;                  /* 0 .. nranks-1, for host_peers */
    struct jdi_sim_stream **stream; /* by id; the first nranks are main */
    uint32_t nstreams, room;
    struct jdi_sim_stream *running;
    struct jdi_sim_queue queue;
    struct jdi_sim_parcel *spare; /* memory of small messages, for the next ones */
    void *shared;                 /* see struct jdi_am */
    uint64_t now;
    uint32_t left; /* streams that have not ended */
    struct jdi_sim_figures figures;
    FILE *trace;
};

/* Schedule an event.  Ends the job when out of memory. */
void jdi_sim_stream_push(struct jdi_sim *s, struct jdi_sim_event e);

/* A stream of n, READY at `now`: 0, or JD_ENOMEM. */
int jdi_sim_stream_init(struct jdi_sim_stream *st, struct jdi_sim_node *n, uint64_t now);
/* The stream goes on now. */
void jdi_sim_stream_resume(struct jdi_sim_stream *st);
/* Fetch what the streams use whose events are next. */
void jdi_sim_stream_expect(const struct jdi_sim *s);
/* The running stream gives the thread away until the others have caught up with it. */
void jdi_sim_stream_catch_up(struct jdi_sim_stream *st);
/* The operations of a rank's clock. */
void jdi_sim_stream_time_init(struct jdi_sim_node *n);

#endif
