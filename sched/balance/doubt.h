/*
 * doubt.h - a message is believed when all of it has been looked at.
 *
 * Role: holds a message that is whole, and not early, against the state of the session.
 * Owner: the communication thread.
 * Invariants: I1 nothing here writes.
 * See: machine.h; letter.h, which looks at shapes and pieces before; doc/balance.md section 2.
 */
#ifndef JDI_SCHED_BALANCE_DOUBT_H
#define JDI_SCHED_BALANCE_DOUBT_H

#include "sched/balance/machine.h"

/* The words of SUM and AVERAGE; of JUDGE; of VERDICT. */
enum { SUM_TASKS, SUM_SUM, SUM_LARGEST, SUM_MOST, SUM_PLANNED };
enum { JUDGE_TASKS, JUDGE_SUM, JUDGE_MOST, JUDGE_MOVED, JUDGE_BYTES };
enum { VERDICT_MOST, VERDICT_MOVED, VERDICT_BYTES, VERDICT_KEPT };

/* What is wrong with it; NULL: nothing is. */
const char *jdi_doubt_fault(const struct jdi_balance *b, const struct jdi_balance_in *in);

#endif
