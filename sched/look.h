/*
 * look.h - how a busy worker looks around.
 *
 * Role: tasks of a collection run in batches whose size, the *fuel*, is such that a worker looks
 *       around every JDI_LOOK_NS: the clock is read, the network has a turn, calls are run.  A ULT that runs
 *       tasks by itself, or yields, looks around as often.
 * Owner: the stream of the worker.
 * Invariants: I1 between two looks lie JDI_LOOK_NS, or one task that takes longer.
 * See: sched/worker.c, the loop; sched/finish/pool.c, a ULT that runs tasks by itself.
 */
#ifndef JDI_SCHED_LOOK_H
#define JDI_SCHED_LOOK_H

#include "sched/worker.h"

enum { JDI_LOOK_NS = 20000 /* how often a busy worker looks around */ };

/* Between tasks, let the network have a turn.  Comes back on the same worker. */
void jdi_look_around(jd_self *me, uint64_t now);
/* Jump to the base context.  It polls the network once, or (REST) until there is work. */
void jdi_look_visit(jd_self *me, enum jdi_visit why);

/* After a batch of `ran` tasks: adapt the size of the next one. */
void jdi_look_refuel(struct jdi_worker *w, uint32_t ran, uint64_t now);
/* True if `ran` tasks, fewer than the fuel, took longer than the time between two looks.  Then the
 * fuel becomes `ran`. */
bool jdi_look_late(struct jdi_worker *w, uint32_t ran);
/* Are other deques ready for long? */
bool jdi_look_deques_are_late(const struct jdi_worker *w, uint64_t now);

/* A ULT that runs tasks by itself calls this after each task; it looks around when that is due.
 * True if another ULT waits for this worker, or tasks of other collections have waited for long. */
bool jdi_look_spent(jd_self *me);
/* May `me`, which yields, go on at once?  Nothing else is ready on its worker, and no look around is
 * due. */
bool jdi_look_is_lonely(jd_self *me);
/* Wait a little without giving the worker away; the network is polled. */
void jdi_look_stall(jd_self *me);

#endif
