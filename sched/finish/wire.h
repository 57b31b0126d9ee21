/*
 * wire.h - tasks of finishes between ranks: packing, unpacking, jd_async_at.
 *
 * Role: the two operations of the pool's kind that make and read messages; the way of a task to a
 *       rank that was named.
 * Owner: the communication hand, but where it says so.
 * Invariants: I1 to I4 of wire.c.
 * See: doc/async.md "Between ranks"; sched/kind.h.
 */
#ifndef JDI_SCHED_FINISH_WIRE_H
#define JDI_SCHED_FINISH_WIRE_H

#include "sched/coll.h"

/* The handler of ASYNC, and the turn in which tasks of jd_async_at leave. */
void jdi_wire_init(struct jdi_rank *r);
/* As kind.h says of fit, pack, fault and unpack. */
uint64_t jdi_wire_fit(const jd_coll *c, const struct jdi_claim *claim, size_t bytes);
void *jdi_wire_export(jd_coll *c, const struct jdi_claim *claim, struct jdi_am_msg *m);
const char *jdi_wire_fault(const jd_coll *c, const struct jdi_am_msg *m);
void jdi_wire_import(jd_coll *c, const struct jdi_am_in *in);
/* Any ULT: send a task of the caller's finish to a rank: 0, or JD_ENOMEM.  May give the worker
 * to the network while there are too many. */
int jdi_wire_send(jd_self *me, uint32_t dst, const struct jdi_task *head,
                  const void *arg);

#endif
