/*
 * switch.h - what bench/switch.c measures of Argobots, if configure has found it.
 *
 * Owner: one thread, while no engine of Jackdaw is open.
 * See: bench/switch.c.
 */
#ifndef JDI_BENCH_SWITCH_H
#define JDI_BENCH_SWITCH_H

/* ns of a suspend and a resume, and of a yield while nobody else is ready. */
struct switch_times {
    double resume, yield;
};

enum { SWITCH_TIMES = 1000000 };

struct switch_times bench_switch_argobots(void);

#endif
