/*
 * trace.h - a trace as jackdaw-trace sees it.
 *
 * Role: what was read of the files, and what the ways to show it share.
 * Owner: one thread.
 * Invariants: I1 of a file nothing is believed that was not compared with its size.
 *             I2 the pieces of a thread are sorted by their beginning; who begins at the same time and
 *                ends later comes first.
 * See: doc/trace.md; core/trace.h; doc/jackdaw-trace.1.md.
 */
#ifndef JDI_TOOLS_TRACE_H
#define JDI_TOOLS_TRACE_H

#include "core/trace.h"

#include <stdio.h>

/* A task, or the part of a task between two waits. */
struct trace_piece {
    uint64_t from, to;
    uint64_t own; /* ns of it that no task on the same stack has taken */
    uint64_t id;
    uint64_t
        parent; /* of `piece`, plus 1: who has added it, on another thread; 0: unknown */
    uint64_t
        steal; /* of trace->steal, plus 1: it was the first to run of that steal's tasks */
    uint16_t row;
    bool first, last; /* of its task */
};

/* Where a task of a finish was spawned. */
struct trace_born {
    uint64_t id, finish, at;
    uint32_t thread; /* of trace->thread */
};

/* A finish that was opened. */
struct trace_finish {
    uint64_t number, from, to; /* to: 0: it has not ended */
    uint64_t tasks, work, longest;
    uint64_t last_from, last_to,
        before; /* of the task that ended last, and of the one before it */
    uint32_t rank, last_rank;
    uint16_t last_row;
    uint64_t path; /* how long the critical path is, ns */
    uint64_t path_base;
    size_t path_end; /* a node of trace_path.c */
};

/* A request to another rank, and what it has brought. */
struct trace_steal {
    uint64_t asked, came; /* when */
    uint64_t ran;         /* when the first of its tasks began; UINT64_MAX: none has */
    uint32_t thread, victim;
};

struct trace_span { /* asleep */
    uint64_t from, to;
};

/* What tasks of all ranks have waited for, by cause. */
enum { TRACE_CAUSES = 256 };
struct trace_waits {
    uint64_t n, ns, most;
};

/* By how much the clock of a host is ahead of the first one's, at a time of its own. */
struct trace_distance {
    int64_t ahead;
    uint64_t at, doubt;
    bool known;
};

/* Barriers of a job on several hosts: half of them at the start, half at the end; sched/clocks.h. */
enum { TRACE_MEETINGS = 64 };

/* The clock of a host, and its counter. */
struct trace_clock {
    uint32_t first; /* the first rank that has met others; UINT32_MAX: none */
    uint64_t came[TRACE_MEETINGS], left[TRACE_MEETINGS]; /* UINT64_MAX: not there */
    struct trace_distance start, end;
    bool shifted;         /* it is another one than that of the first rank */
    char name[64];        /* of the kernel, from its start on */
    struct jdi_ticks *at; /* comparisons, in their order */
    size_t n, room;
    double rate;  /* ns a tick */
    double doubt; /* by how many ns times may be wrong */
};

/* One tracer. */
struct trace_thread {
    uint32_t rank;
    uint16_t owner;
    bool ticks; /* its times are of a counter */
    struct trace_rank *of;
    const struct trace_clock *clock;    /* of its rank; NULL: in virtual time */
    const struct jdi_trace_event **run; /* of its chunks, in order: the events of each */
    uint32_t *count;                    /* as many */
    uint32_t nruns;
    uint64_t lost; /* events that were written over */
    uint32_t
        running;    /* the row of what had begun, plus 1, when the file ended; 0: none */
    uint64_t since; /* and when, ns */
    struct trace_piece *piece;
    size_t npieces, room;
    struct trace_span *sleep;
    size_t nsleeps, sleeps_room;
};

struct trace_rank {
    uint32_t rank;
    uint64_t start, ended; /* 0: not said */
    unsigned workers;
    bool apart; /* the communication thread is a thread of its own */
    bool known;
    long process;
    char host[256];
    size_t clock; /* of trace->clock, plus 1; 0: not said */
};

struct trace {
    struct trace_thread *thread; /* by rank, then owner */
    size_t nthreads;
    struct trace_rank *rank;
    size_t nranks;
    struct trace_clock *clock;
    size_t nclocks;
    char **row; /* names of tasks */
    size_t nrows;
    char **coll; /* names of collections */
    size_t ncolls;
    char **cause; /* names of what tasks wait for */
    size_t ncauses;
    struct trace_waits waits[TRACE_CAUSES]; /* those that have ended */
    struct trace_born *born;                /* by id */
    size_t nborn;
    struct trace_steal *steal; /* those that brought tasks, by thread, then time */
    size_t nsteals, nrefused;  /* how many were refused */
    char command[4096], network[32];
    char run[32]; /* the id of the run; empty: not said */
    char another
        [32]; /* that of another run, of which some files are; empty: there are none */
    uint64_t dropped;
    uint64_t begin, end; /* of all events */
    void **copy;         /* of chunks */
    size_t ncopies;
    const char *cut;    /* a file that ends inside of a chunk; NULL: none does */
    uint64_t cut_bytes; /* what there is of it */
};

/* The tool's name, for what it says on standard error. */
extern const char trace_tool[];

/* Read files, of which all are of one run; or say on standard error what is wrong with one, and return
 * false. */
bool trace_read(struct trace *t, char *const *names, size_t n);
/* Find the pieces of all threads. */
void trace_find_pieces(struct trace *t);
/* The piece of a thread in which it was at a time, the innermost one, plus 1; 0: in none. */
size_t trace_piece_at(const struct trace_thread *th, uint64_t at);
/* Where the task of that id was spawned; NULL: not known. */
const struct trace_born *trace_born_of(const struct trace *t, uint64_t id);
/* A finish is called by its number and the lower 16 bits of its rank: by what an ASYNC event says, and by what OPEN and
 * CLOSE say. */
static inline uint64_t trace_finish_of(const struct jdi_trace_event *e)
{
    return (uint64_t)jdi_trace_row(e) << 40 | jdi_trace_a(e);
}
static inline uint64_t trace_finish_name(uint64_t number)
{
    return number & (UINT64_MAX >> 8);
}
/* Find the steals, once there are pieces. */
void trace_find_steals(struct trace *t);
void trace_free(struct trace *t);

/* The clock of that name, which is made if there is none; its number in t->clock. */
size_t trace_clock_find(struct trace *t, const char *name);
/* A comparison was found. */
void trace_clock_add(struct trace_clock *c, struct jdi_ticks at);
/* All files were read: give each thread its clock. */
void trace_clock_set(struct trace *t);
/* A rank with that clock has come to a barrier, and left it; and all such were found. */
void trace_hosts_met(struct trace_clock *h, uint32_t rank, unsigned round, uint64_t came,
                     uint64_t left);
void trace_hosts_compare(struct trace *t);
/* What the clock of the first rank's host said when this one said `ns`; and by how much that may be wrong. */
uint64_t trace_hosts_time(const struct trace_clock *h, uint64_t ns);
uint64_t trace_hosts_doubt(const struct trace_clock *h);
/* The time at `ticks`.  *near: 0 at first. */
uint64_t trace_clock_ns(const struct trace_clock *c, uint64_t ticks, size_t *near);

/* "task", and so on. */
const char *trace_kind_name(enum jdi_trace_kind kind);
/* The name of a row; the body, or a loop, has none: "-". */
const char *trace_row_name(const struct trace *t, uint32_t row);
void trace_coll_name(const struct trace *t, uint32_t coll, char *out, size_t room);
/* "worker 3", or "communication". */
void trace_thread_name(const struct trace_thread *th, char *out, size_t room);
/* "1.23 us" and so on: three digits of any time. */
const char *trace_show_ns(double ns, char text[24]);
/* Call fn for each event of a thread, in the order in which it has recorded them. */
void trace_each(const struct trace_thread *th,
                void (*fn)(void *ctx, const struct jdi_trace_event *e), void *ctx);
/* How long a task took, ns. */
uint64_t trace_task_ns(const struct jdi_trace_event *e);

/* The ways to show it.  They write to `to`; errors of the stream are looked for by the caller. */
void trace_summary(const struct trace *t, FILE *to);
/* The part of the summary that is about finishes. */
void trace_finishes(const struct trace *t, FILE *to);
/* Find the critical paths of n finishes, which are sorted by their numbers.  Freed by trace_path_free. */
struct trace_path *trace_path_find(const struct trace *t, struct trace_finish *f,
                                   size_t n);
/* Which tasks are on that of a finish, by row. */
void trace_path_show(const struct trace *t, const struct trace_path *p,
                     const struct trace_finish *f, FILE *to);
void trace_path_free(struct trace_path *p);
void trace_csv(const struct trace *t, FILE *to);
void trace_perfetto(const struct trace *t, FILE *to);
void trace_paje(const struct trace *t, FILE *to);

/* Memory, or the end of the program. */
void *trace_grow(void *old, size_t n, size_t each);

#endif
