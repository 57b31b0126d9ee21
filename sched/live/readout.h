/*
 * readout.h - the line of JACKDAW_PROGRESS, as text.
 *
 * Role: makes one line of what all ranks have done, as long as the terminal is wide.
 * Owner: nobody: pure functions.  Any thread.
 * Invariants: I1 a line is never longer than it may be; what matters least is left out.
 * See: sched/live/progress.h; doc/jackdaw-env.7.md; test/unit/sched_readout_*.
 */
#ifndef JDI_SCHED_LIVE_READOUT_H
#define JDI_SCHED_LIVE_READOUT_H

#include "core/base.h"

enum { JDI_READOUT_ROOM = 256 };

/* What a rank has done, or all of them together, since the start. */
struct jdi_tally {
    uint64_t at;            /* ns since the rank's start; of all together: unused */
    uint64_t workers, idle; /* of these, those without work at the moment */
    uint64_t executed, attempts, steals;
    uint64_t work_ns;   /* of workers, in tasks */
    uint64_t done, of;  /* jd_progress; of 0: nothing was said */
    uint64_t base_done; /* `done` when that total was said first */
    uint64_t base_age;  /* ns since then */
    uint64_t saying;    /* ranks that have said a total: 0 or 1 */
};
#define JDI_TALLY_WORDS (sizeof(struct jdi_tally) / sizeof(uint64_t))

/* NULL, or why no rank has sent that. */
const char *jdi_readout_fault(const struct jdi_tally *t);

struct jdi_readout {
    uint64_t elapsed_ns;          /* of the job */
    uint64_t span_ns;             /* that rates and shares are of */
    struct jdi_tally now, before; /* at the end of that span, and at its begin */
    uint32_t nranks, ranks_idle;
    bool last; /* the job has ended */
};

/* Write the line, without a newline, in up to `width` characters; JDI_READOUT_ROOM bytes are enough. */
void jdi_readout_text(const struct jdi_readout *r, unsigned width, char *out,
                      size_t room);

#endif
