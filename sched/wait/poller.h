/*
 * poller.h - an epoll set, and the thread that waits at it.
 *
 * Role: tells of descriptors that have become ready, once for each time they were armed.
 * Owner: any thread arms and drops; the poller's own thread, and who takes a turn, call `on_ready`; who
 *        has started the poller stops it.
 * Invariants: I1 what is armed is told of once, with the tag of its last arming, if it has been
 *                ready since, whoever looks.
 *             I2 the thread waits for nothing but the kernel, and runs no task.
 * See: doc/waiting.md "Descriptors".
 */
#ifndef JDI_SCHED_WAIT_POLLER_H
#define JDI_SCHED_WAIT_POLLER_H

#include "core/fault.h"
#include "core/idle.h"

#include <pthread.h>
#include <sched.h>

/* The descriptor whose tag was `tag` can do what the mask says, JD_IN and JD_OUT.  `by`: what was given to
 * jdi_poller_turn, NULL in the thread. */
typedef void jdi_poller_fn(void *ctx, void *by, uint64_t tag, int ready);

struct jdi_poller {
    int epoll, bell; /* the bell ends the thread */
    pthread_t thread;
    jdi_poller_fn *on_ready;
    void *ctx;
    struct jdi_idle nap; /* of the thread */
    /* Hints.  Writers: who takes a turn; `ended`: the thread, too. */
    _Atomic uint64_t
        looked; /* when another thread has taken a turn, ns; 0: it does not count */
    _Atomic uint64_t
        ended; /* for so long nobody had when the thread has found something, ns */
    _Atomic int64_t credit; /* for so long events may be late, ns */
    bool moves; /* to `cores`; this and its neighbours: by the caller of start */
    cpu_set_t cores;
};

/* What the descriptor can do now, of `what`; 0: nothing; JD_EINVAL: it is not open; JD_ESYS.  errno stays
 * as it is, as after the following. */
int jdi_poller_look(int fd, int what);

/* Make the set and the thread, which runs where its maker may or, if it moves, on `cores`.  Returns 0 or
 * JD_ESYS; then there is nothing to stop. */
int jdi_poller_start(struct jdi_poller *p, struct jdi_fault *fault);
/* Any thread: tell of what is ready now, 64 descriptors at most.  False: nothing is.  Who takes turns often
 * keeps the thread away.  `idle`: the caller has had nothing else to do since its last turn. */
bool jdi_poller_turn(struct jdi_poller *p, void *by, bool idle);
/* The same beside other things, if nobody has for 20 us. */
void jdi_poller_turn_if_due(struct jdi_poller *p, void *by);
/* The caller takes no turns for a while, so the thread shall wait.  Costs a fence if it does. */
void jdi_poller_watch(struct jdi_poller *p);
/* Returns when on_ready runs no more. */
void jdi_poller_stop(struct jdi_poller *p);

/* Have the next state in which fd can do one of `what`, which may be that of now, told with `tag`, which is
 * not UINT64_MAX.  What was armed for fd before is not told any more, unless its telling has begun.
 * `known`: a hint, fd is in the set.  Returns 0, JD_ECLOSED: fd is not open; JD_ENOTSUP: what it names is
 * always ready; JD_EINVAL, JD_ENOMEM, JD_ESYS. */
int jdi_poller_arm(struct jdi_poller *p, int fd, int what, uint64_t tag, bool known);
/* Take fd out of the set. */
void jdi_poller_drop(struct jdi_poller *p, int fd);

#endif
