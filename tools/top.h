/*
 * top.h - the parts of jackdaw-top.
 *
 * Role: finds the pages of a job, reads them, shows them.
 * Owner: one thread.
 * Invariants: I1 nothing that a page holds is believed before jdi_view_fits has seen it.
 *             I2 the job is looked at, never changed: the viewer writes `wanted`, no more.
 * Order: none.
 * See: core/view.h; doc/jackdaw-top.1.md.
 */
#ifndef JDI_TOOLS_TOP_H
#define JDI_TOOLS_TOP_H

#include "core/view.h"

#include <stdio.h>
#include <sys/types.h>

enum { TOP_USAGE = 2, TOP_NO_JOB = 1 };

/* One rank of the job, on this host. */
struct top_rank {
    struct jdi_view *view;
    pid_t pid;
    int ends; /* readable once the process has ended, reaped or not; -1: the kernel has no such descriptor */
    uint64_t inode;
    uint32_t rank, nranks, rows;
    struct jdi_view_row *now, *before; /* `rows` of each */
    uint64_t now_ns, before_ns;        /* when they were written; 0: never */
};

struct top_job {
    struct top_rank *rank; /* by rank */
    size_t n;
    char name[JDI_VIEW_TEXT], host[JDI_VIEW_TEXT], program[JDI_VIEW_TEXT], network[16];
    uint32_t nranks, here; /* here: ranks that this host has, or will have in a moment */
    uint64_t started_ns;
    bool is_virtual;
};

/* ---- top_find.c -------------------------------------------------------------------------- */

/* Map the pages of the job that `what` names: a PID of a rank or of what has started it, the job's name, or NULL: the only
 * one of this user.  False: `why` says what is wrong. */
bool top_find(struct top_job *job, const char *what, char *why, size_t room);
void top_free(struct top_job *job);

/* ---- top_read.c -------------------------------------------------------------------------- */

/* Ask all ranks for rows for the next `ns`. */
void top_want(struct top_job *job, uint64_t ns);
/* Take what they have written; true if each has written something that is younger than what was taken before. */
bool top_read(struct top_job *job);
/* Is a rank of it still there? */
bool top_lives(const struct top_job *job);

/* A line of the table: a worker, or the communication of a rank, over the time between two readings. */
struct top_line {
    const struct top_rank *of;
    uint32_t worker; /* of->rows - 1: the communication */
    struct jdi_view_row row;
    double rate, idle; /* tasks a second; percent, below 0: not known */
    double age;        /* seconds since it was written; below 0: never */
};
enum top_order {
    TOP_BY_RANK,
    TOP_BY_TASKS,
    TOP_BY_RATE,
    TOP_BY_IDLE,
    TOP_BY_FOR,
    TOP_BY_QUEUE,
    TOP_ORDERS
};
/* "; by rate (q quit, h help)". */
const char *top_order_text(enum top_order order);
/* All lines of the job, sorted; the caller frees them. */
struct top_line *top_lines(const struct top_job *job, enum top_order order, size_t *n);

/* ---- top_show.c -------------------------------------------------------------------------- */

/* As many rows and columns as the terminal has; 0: no limit. */
void top_show(const struct top_job *job, enum top_order order, unsigned height,
              unsigned width, bool terminal);
void top_json(const struct top_job *job, FILE *to);

#endif
