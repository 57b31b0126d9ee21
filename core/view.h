/*
 * view.h - the page in which a rank shows itself to jackdaw-top.
 *
 * Role: the layout of the page, and the only ways to write and to read it.
 * Owner: the rank writes the head once, then rows while somebody looks; a viewer, in another process of the same
 *        user, writes `wanted` alone.
 * Invariants: I1 the page is a memfd of the rank, found by /proc/PID/fd: it goes when the process does, however that ends.
 *             I2 a reader gets rows of one moment, or none.
 *             I3 a viewer believes nothing that it reads: jdi_view_fits.
 * Order: [pair: view-seq] `seq` is odd while rows are written; [pair: view-head] the head is whole once `magic` is there.
 * See: sched/live/panel.c writes it, tools/top_find.c and tools/top_read.c read it; doc/jackdaw-top.1.md.
 */
#ifndef JDI_CORE_VIEW_H
#define JDI_CORE_VIEW_H

#include "core/idle.h"

#define JDI_VIEW_NAME "jackdaw-rank"

enum {
    JDI_VIEW_VERSION = 2,
    JDI_VIEW_HEAD = 4096,    /* bytes in front of the rows */
    JDI_VIEW_THREADS = 1025, /* rows at the most: workers, and the communication */
    JDI_VIEW_TEXT = 64
};
static const uint64_t jdi_view_magic = 0x6a64766965770001;

/* What a thread does. */
enum jdi_view_doing {
    JDI_VIEW_NOTHING, /* it looks for work */
    JDI_VIEW_ASLEEP,
    JDI_VIEW_TASK,
    JDI_VIEW_BODY,
    JDI_VIEW_NETWORK, /* the communication */
    JDI_VIEW_DOINGS
};

/* A worker, or, in the last row, the communication thread. */
struct jdi_view_row {
    uint64_t doing;  /* enum jdi_view_doing */
    uint64_t for_ns; /* how long it has done that; of short tasks: of some of them */
    uint64_t executed, work_ns;
    uint64_t stolen_in;  /* from other workers; by the communication: from other ranks */
    uint64_t stolen_out; /* to other ranks */
    uint64_t suspended, ready, queued;
    char task[40]; /* its name, if it is in a task */
};
#define JDI_VIEW_ROW_WORDS (sizeof(struct jdi_view_row) / sizeof(uint64_t))

struct jdi_view {
    _Atomic uint64_t magic; /* written last */
    uint32_t version, head_bytes, row_bytes, rows;
    uint32_t rank, nranks, host_size, is_virtual;
    uint64_t started_ns; /* by the clock of the host */
    uint64_t
        run; /* the same for all ranks of a job, and of no other one: its name may be that of a batch job */
    char job[JDI_VIEW_TEXT], host[JDI_VIEW_TEXT], program[JDI_VIEW_TEXT], network[16];
    JDI_ALIGNED _Atomic uint64_t
        wanted;           /* until when, by the clock of the host; 0: nobody looks */
    bool wakes;           /* `idle` is where the rank sleeps for as long as it likes */
    struct jdi_idle idle; /* else not used */
    JDI_ALIGNED _Atomic uint64_t seq;
    _Atomic uint64_t written_ns; /* by the clock of the host; 0: never */
    _Atomic uint64_t done, of;   /* of jd_progress */
};
_Static_assert(sizeof(struct jdi_view) <= JDI_VIEW_HEAD, "the head has room");

static inline size_t jdi_view_bytes(uint32_t rows)
{
    return JDI_VIEW_HEAD + rows * sizeof(struct jdi_view_row);
}

/* The rank: begin and end to write; one row.  One thread. */
void jdi_view_open(struct jdi_view *v);
void jdi_view_put(struct jdi_view *v, uint32_t i, const struct jdi_view_row *row);
void jdi_view_close(struct jdi_view *v, uint64_t now_ns);

/* A viewer: is it a page of this version with all of its rows?  `bytes`: of the file. */
bool jdi_view_fits(const struct jdi_view *v, size_t bytes);
/* Rows of one moment, and that moment; false: there are none yet, or they are being written all the time. */
bool jdi_view_read(const struct jdi_view *v, struct jdi_view_row *rows, uint32_t n,
                   uint64_t *written_ns);
/* Somebody looks until then. */
void jdi_view_want(struct jdi_view *v, uint64_t until_ns);

#endif
