/*
 * trace.h - what happens in a run, recorded in a mapped file.
 *
 * Role: the file, and its chunks.
 * Owner: a file belongs to the ranks of a process, or to one rank; any of its tracers takes chunks.
 * Invariants: I1 a chunk belongs to one tracer from the moment it was taken.
 *             I2 the first `count` events of a chunk are complete.
 *             I3 no memory is touched for which there is no disk space.
 * Order: [pair: trace-count] an event before the `count` that includes it.
 * See: doc/trace.md; core/trace.def; core/tracer.h; tools/trace_file.c, which reads the file.
 */
#ifndef JDI_CORE_TRACE_H
#define JDI_CORE_TRACE_H

#include "core/base.h"
#include "core/lock.h"
#include "core/ticks.h"

/* ---- the format: doc/trace.md ----------------------------------------------------------- */

enum jdi_trace_kind {
    JDI_TRACE_NONE, /* a slot that nothing was written to */
#define JDI_EVENT(kind, name, row, a, b, text) JDI_TRACE_##kind,
#include "core/trace.def"
#undef JDI_EVENT
    JDI_TRACE_KINDS
};

#define JDI_TRACE_MAGIC "jackdaw trace\n\r"
enum {
    JDI_TRACE_VERSION = 3,
    JDI_TRACE_ORDER = 0x01020304,
    JDI_TRACE_HEAD = 4096, /* bytes of the head of a file: a page */
    JDI_TRACE_CHUNK_LEAST = 4096,
    JDI_TRACE_CHUNK_MOST = 1 << 20
};
#define JDI_TRACE_A_MOST ((UINT64_C(1) << 40) - 1)

/* What the times of a file are: nanoseconds, or ticks of the processor's counter (core/ticks.h).  With ticks each chunk
 * of a tracer begins with a CLOCK event. */
enum jdi_trace_clock { JDI_TRACE_NS, JDI_TRACE_TICKS };

struct jdi_trace_event {
    uint64_t ns; /* or ticks, and so for `a` where that is a time */
    uint64_t b;
    uint64_t word; /* kind, row << 8, a << 24 */
};

enum jdi_trace_use { JDI_TRACE_EVENTS = 1, JDI_TRACE_TEXT };

/* The owner of a chunk is a worker, or, one behind the last of them, the communication thread. */
struct jdi_trace_chunk {
    uint16_t use; /* enum jdi_trace_use */
    uint16_t owner;
    uint32_t rank;
    _Atomic uint32_t count; /* events, or bytes of text */
    uint32_t row;           /* of the task that began last, plus 1; 0: none runs */
    uint64_t since;         /* when it began */
    uint64_t sequence;      /* among the chunks of the tracer, from 0 on */
};
_Static_assert(sizeof(struct jdi_trace_event) == 24 &&
                   sizeof(struct jdi_trace_chunk) == 32,
               "the format of a file");

struct jdi_trace_head {
    char magic[16];
    uint32_t order, version;
    uint32_t chunk_bytes;
    uint32_t most;            /* chunks that the file may have */
    _Atomic uint32_t taken;   /* chunks that were asked for; more than `most`: refused */
    uint32_t nranks;          /* of the job */
    uint32_t clock;           /* enum jdi_trace_clock */
    _Atomic uint64_t dropped; /* events for which no chunk was to be had */
    struct jdi_ticks made;    /* when the file was, with JDI_TRACE_TICKS */
};

/* ---- the file --------------------------------------------------------------------------- */

/* Lines of text: "name value\n" each. */
struct jdi_trace_text {
    struct jdi_lock lock;
    struct jdi_trace_chunk *chunk; /* the newest; NULL: none yet, or no room */
    uint32_t rank;     /* whose chunks they are: the first that had something to say */
    uint64_t sequence; /* of the next chunk */
};

struct jdi_trace_file {
    struct jdi_trace_head *head; /* where it is mapped */
    size_t bytes;
    int fd;
    _Atomic bool full;          /* the disk is, which was said */
    uint32_t share;             /* chunks of a tracer */
    struct jdi_trace_text text; /* of this process */
    char name[4096];
};

/* What a file shall be. */
struct jdi_trace_plan {
    const char *name;
    uint64_t bytes; /* most */
    uint32_t ntracers, nranks;
    enum jdi_trace_clock clock;
};

/* Make the file, or make it anew, and map it.  0, or JD_ESYS with one line in err. */
int jdi_trace_create(struct jdi_trace_file *f, const struct jdi_trace_plan *plan,
                     char *err, size_t errlen);
/* Map a file that another process has made. */
int jdi_trace_attach(struct jdi_trace_file *f, const char *name, uint32_t ntracers,
                     char *err, size_t errlen);
/* No tracer writes any more. */
void jdi_trace_close(struct jdi_trace_file *f);

/* Append to the lines of text of this process.  Without room the rest is dropped.  Any thread; it waits for
 * others that do the same. */
void jdi_trace_say(struct jdi_trace_file *f, uint32_t rank, const char *text);

/* ---- chunks, for tracers ------------------------------------------------------------------ */

/* Chunk i of the file. */
struct jdi_trace_chunk *jdi_trace_chunk(const struct jdi_trace_file *f, uint32_t i);
/* A new chunk, with disk space; false: the file is as large as it may be, or the disk is full. */
bool jdi_trace_take(struct jdi_trace_file *f, uint32_t *out);
/* Empty a chunk, and say whose it is. */
void jdi_trace_begin(struct jdi_trace_chunk *c, enum jdi_trace_use use, uint32_t rank,
                     uint16_t owner, uint64_t sequence);

/* ---- what an event says ------------------------------------------------------------------- */

static inline enum jdi_trace_kind jdi_trace_kind(const struct jdi_trace_event *e)
{
    return (enum jdi_trace_kind)(e->word & 0xff);
}
static inline uint16_t jdi_trace_row(const struct jdi_trace_event *e)
{
    return (uint16_t)(e->word >> 8);
}
static inline uint64_t jdi_trace_a(const struct jdi_trace_event *e)
{
    return e->word >> 24;
}

#endif
