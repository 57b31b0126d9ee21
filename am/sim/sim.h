/*
 * sim.h - a network in virtual time: many ranks in one thread.
 *
 * Role: an event queue; messages take time by LogGP and are as late as an adversary says.  This
 *       network decides which stream runs next; the caller decides how streams are switched.
 * Owner: one thread for the whole simulation.
 * Invariants: I1 the same parameters give the same events in the same order, always: no
 *                address, clock or hash order is ever looked at.
 *             I2 a stream's clock never runs behind the simulation's.  If the rank has no other
 *                stream, the clock may be ahead by what the stream computes between two polls;
 *                else it is the simulation's at every task boundary and after every computation.
 *             I3 messages are delivered to a rank when it polls, at its own clock.
 * See: doc/sim.md; am/sim/inside.h; am/sim/run.c; test/sim/.
 */
#ifndef JDI_AM_SIM_SIM_H
#define JDI_AM_SIM_SIM_H

#include "am/am.h"
#include "core/knobs.h"
#include "core/time.h"

#include <stdio.h>

/* LogGP: sender's and receiver's overhead, latency, gap between messages, gap per byte. */
struct jdi_sim_level {
    uint64_t o, L, g; /* ns */
    double G;         /* ns per byte */
};

enum jdi_sim_law {
    JDI_SIM_NONE = 1, /* LogGP alone */
    JDI_SIM_UNIFORM,  /* plus 0 .. spread */
    JDI_SIM_TAIL,     /* plus spread / u - spread for uniform u: a heavy tail, capped */
    JDI_SIM_BURST,    /* everything is held until the end of a window of `spread` */
    JDI_SIM_LIFO, /* to one rank: what came last in a window of `spread` is first out */
    JDI_SIM_HOLD  /* tasks wait until after the receiver's next report, or `spread` */
};

struct jdi_sim_adversary; /* am/sim/adversary.h */

struct jdi_sim_params {
    uint32_t nranks, socket_ranks, host_ranks; /* 1: each rank is a socket, a host */
    struct jdi_sim_level socket, host, net;
    enum jdi_sim_law law;
    uint64_t spread;
    unsigned refuse;      /* percent of injections that are refused */
    uint32_t slow_rank;   /* computes slow_factor times as long */
    uint64_t slow_factor; /* 0: nobody */
    uint32_t pause_rank;  /* does nothing from pause_at for pause_for ns */
    uint64_t pause_at, pause_for;
    uint32_t crash_rank; /* dies at crash_at, and the job with it */
    uint64_t crash_at;   /* 0: never */
    uint64_t task_ns, take_ns, look_ns, lock_ns, ahead_ns, seed;
    const char *trace; /* a file for one line per delivery, or "" */
    const char *save;  /* a file for the adversary's decisions, or "" */
    const char
        *replay; /* a file with decisions to use instead of law and refuse, or "" */
    struct jdi_sim_adversary *adversary; /* made of all this; its owner is the caller */
};

/* From the JACKDAW_SIM_* knobs, for so many ranks.  0, or JD_EINVAL with one line in err. */
int jdi_sim_params_read(struct jdi_sim_params *p, const struct jdi_knobs *k,
                        uint32_t nranks, char *err, size_t errlen);

struct jdi_sim;

/* What the switch back to a stream reads, each where the one before says; to fetch it in time. */
struct jdi_sim_way {
    const void *at[3];
};

/* How a stream gives up the thread: the caller's switch away from it.  Sets `back` before. */
typedef void jdi_sim_yield(void *ctx, uint32_t stream, struct jdi_sim_way *back);

int jdi_sim_new(struct jdi_sim **out, const struct jdi_sim_params *p,
                jdi_sim_yield *yield, void *ctx);
/* Open params.trace, if it is not "".  0, or JD_ESYS with one line in err. */
int jdi_sim_trace(struct jdi_sim *s, char *err, size_t errlen);
void jdi_sim_free(struct jdi_sim *s);
struct jdi_am *jdi_sim_am(struct jdi_sim *s, uint32_t rank);

/* The next stream to run; time moves on to its event.  JDI_SIM_NOBODY: nothing can happen any
 * more.  The first stream of a rank has the rank's number and its first turn at time 0. */
#define JDI_SIM_NOBODY UINT32_MAX
uint32_t jdi_sim_next(struct jdi_sim *s);
/* A stream of the rank that runs starts one more, which begins now; JDI_SIM_NOBODY when out of
 * memory. */
uint32_t jdi_sim_stream_start(struct jdi_sim *s, uint32_t rank);
/* The stream's function has returned: it will not run again. */
void jdi_sim_stream_ended(struct jdi_sim *s, uint32_t stream);
/* The stream that runs waits until that one has ended. */
void jdi_sim_stream_join(struct jdi_sim *s, uint32_t stream);

struct jdi_sim_figures {
    uint64_t now, events, messages, bytes, refused;
};
void jdi_sim_figures(const struct jdi_sim *s, struct jdi_sim_figures *out);
/* One line per stream that is not done: for the message about a deadlock. */
void jdi_sim_dump(const struct jdi_sim *s, FILE *to, uint32_t most);

#endif
