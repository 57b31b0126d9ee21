/*
 * wire.h - tasks of finishes between ranks: packing, unpacking, jd_async_at.
 *
 * Role: the operations of the pool's kind that make and read messages; jd_async_at, which sends a
 *       task to a named rank.
 * Owner: the communication hand, unless a function says otherwise.
 * Invariants: I1 to I4 of wire.c.
 * See: doc/async.md "Between ranks"; sched/kind.h.
 */
#ifndef JDI_SCHED_FINISH_WIRE_H
#define JDI_SCHED_FINISH_WIRE_H

#include "sched/coll.h"

struct jdi_part;

/* Install the handler of ASYNC, and the hook of a turn that sends tasks of jd_async_at. */
void jdi_wire_init(struct jdi_rank *r);
/* The operations fit, pack, fault and unpack of kind.h. */
uint64_t jdi_wire_fit(const jd_coll *c, const struct jdi_claim *claim, size_t bytes);
void *jdi_wire_export(jd_coll *c, const struct jdi_claim *claim, struct jdi_am_msg *m);
const char *jdi_wire_fault(const jd_coll *c, const struct jdi_am_msg *m);
void jdi_wire_import(jd_coll *c, const struct jdi_am_in *in);
/* The thread of the part's hand: send a task that is counted live in the part, and counted in by the
 * tasks for every rank, elsewhere because of a steal log.  0, or JD_ENOMEM. */
int jdi_wire_divert(struct jdi_part *from, uint32_t dst, const struct jdi_task *t,
                    const void *arg);
/* Any ULT: send a task of the caller's finish to rank dst.  0, or JD_ENOMEM.  While too many tasks
 * are unsent, the worker polls the network. */
int jdi_wire_send(jd_self *me, uint32_t dst, const struct jdi_task *head,
                  const void *arg);
/* The thread of the part's hand: the same for a task that is counted live in the part already, and has its number
 * if it needs one. */
int jdi_wire_send_counted(struct jdi_part *from, uint32_t dst,
                          const struct jdi_task *head, const void *arg);

#endif
