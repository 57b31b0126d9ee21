/*
 * foreign.h - threads of the program that are no ULTs and may wake tasks of a rank.
 *
 * Role: how many are registered; made and freed with the rank.
 * Owner: any thread: each registration has a lock of its own.
 * See: doc/waiting.md "What a task waits for"; jd_foreign_enter in jackdaw.h.
 */
#ifndef JDI_SCHED_WAIT_FOREIGN_H
#define JDI_SCHED_WAIT_FOREIGN_H

#include "sched/rank.h"

/* Before and after the workers.  The latter names those that are still registered. */
void jdi_foreign_init(struct jdi_rank *r);
void jdi_foreign_free_all(struct jdi_rank *r);

/* Any thread: how many are registered.  A thread that has left is not counted, and what it has done before is
 * seen. */
uint64_t jdi_foreign_count(const struct jdi_rank *r);

#endif
