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
    uint16_t row;
    bool first, last; /* of its task */
};

struct trace_span { /* asleep */
    uint64_t from, to;
};

/* What tasks of all ranks have waited for, by cause. */
enum { TRACE_CAUSES = 256 };
struct trace_waits {
    uint64_t n, ns, most;
};

/* One tracer. */
struct trace_thread {
    uint32_t rank;
    uint16_t owner;
    struct trace_rank *of;
    const struct jdi_trace_event **run; /* of its chunks, in order: the events of each */
    uint32_t *count;                    /* as many */
    uint32_t nruns;
    uint64_t lost; /* events that were written over */
    uint32_t
        running;    /* the row of what had begun, plus 1, when the file ended; 0: none */
    uint64_t since; /* and when */
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
};

struct trace {
    struct trace_thread *thread; /* by rank, then owner */
    size_t nthreads;
    struct trace_rank *rank;
    size_t nranks;
    char **row; /* names of tasks */
    size_t nrows;
    char **coll; /* names of collections */
    size_t ncolls;
    char **cause; /* names of what tasks wait for */
    size_t ncauses;
    struct trace_waits waits[TRACE_CAUSES]; /* those that have ended */
    char command[4096], network[32];
    char run[32]; /* the id of the run; empty: not said */
    char another
        [32]; /* that of another run, of which some files are; empty: there are none */
    uint64_t dropped;
    uint64_t begin, end; /* of all events */
    const char *cut;     /* a file that ends inside of a chunk; NULL: none does */
    uint64_t cut_bytes;  /* what there is of it */
};

/* The tool's name, for what it says on standard error. */
extern const char trace_tool[];

/* Read files, of which all are of one run; or say on standard error what is wrong with one, and return
 * false. */
bool trace_read(struct trace *t, char *const *names, size_t n);
/* Find the pieces of all threads. */
void trace_find_pieces(struct trace *t);
void trace_free(struct trace *t);

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
void trace_csv(const struct trace *t, FILE *to);
void trace_perfetto(const struct trace *t, FILE *to);
void trace_paje(const struct trace *t, FILE *to);

/* Memory, or the end of the program. */
void *trace_grow(void *old, size_t n, size_t each);

#endif
