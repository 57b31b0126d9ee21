/*
 * human.h - numbers and times as people read them.
 *
 * Role: short texts: "1732", "4.13M", "3m10s".
 * Owner: nobody: pure functions.  Any thread.
 * See: sched/live/readout.c, tools/top_show.c; test/unit/sched_readout_*.
 */
#ifndef JDI_CORE_HUMAN_H
#define JDI_CORE_HUMAN_H

#include "core/base.h"

/* Three digits that count, and a letter: "4.13M", "178k", "12". */
void jdi_human_scaled(double n, char *out, size_t room);
/* Exact up to 7 digits, else scaled. */
void jdi_human_number(uint64_t n, char *out, size_t room);
/* "12s", "3m10s", "2h05m", "4d06h". */
void jdi_human_time(uint64_t ns, char *out, size_t room);

#endif
