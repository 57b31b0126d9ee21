/*
 * watch.h - a thread that waits at sockets, so that the communication thread can sleep.
 *
 * Role: wakes the sleeping communication thread when a message of another host has come.
 * Owner: the communication thread makes it and arms it; its thread ends with the process.
 * Invariants: I1 it reads nothing from a socket and calls nothing of GASNet.
 *             I2 an armed watch wakes once; what came before it was armed counts.
 * See: core/idle.h; doc/am.md section 5.
 */
#ifndef JDI_AM_GASNET_WATCH_H
#define JDI_AM_GASNET_WATCH_H

#include "core/idle.h"

struct jdi_watch; /* opaque */

/* The datagram sockets of this process, before and after GASNet has come up: what is new is GASNet's. */
enum { JDI_WATCH_MOST = 8 };
struct jdi_watch_sockets {
    unsigned n;
    int fd[JDI_WATCH_MOST];
};
void jdi_watch_find(struct jdi_watch_sockets *out);

/* Watch the sockets of `now` that are not in `before`; NULL if there are none or a thread cannot be
 * had, and then nothing wakes. */
struct jdi_watch *jdi_watch_start(const struct jdi_watch_sockets *before,
                                  const struct jdi_watch_sockets *now,
                                  struct jdi_idle *idle);
/* Wake `idle` as soon as a socket has something to read.  After jdi_idle_prepare. */
void jdi_watch_arm(struct jdi_watch *w);

#endif
