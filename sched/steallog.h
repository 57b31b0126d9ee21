/*
 * steallog.h - which tasks a rank has got from others, and given to others, in a phase.
 *
 * Role: the list, how it is written as bytes, and what of such bytes is believed.
 * Owner: the communication thread; a job's file is read by whoever has its bytes.
 * Invariants: I1 the entries stand in the order in which the rank got and gave.
 *             I2 bytes are read after jdi_steallog_fault has found nothing wrong in all of them.
 *             I3 a list has at most JDI_STEALLOG_MOST entries; then it is *cut*, and takes no more.
 * See: doc/steallog.md, which has the layout; sched/recall.h, sched/stealfile.h.
 */
#ifndef JDI_SCHED_STEALLOG_H
#define JDI_SCHED_STEALLOG_H

#include "core/fault.h"

enum {
    JDI_STEALLOG_VERSION = 1,
    JDI_STEALLOG_MOST = 1 << 22,      /* entries of a phase, 64 MiB */
    JDI_STEALLOG_FINISHES = INT32_MAX /* in place of a collection: tasks of finishes */
};

/* Tasks with consecutive names that took the same way together. */
struct jdi_steallog_run {
    uint64_t first;
    uint32_t count;
    uint32_t way; /* the other rank, and the two bits below */
};
enum {
    JDI_STEALLOG_GOT = 1u << 31,   /* else given */
    JDI_STEALLOG_BATCH = 1u << 30, /* the first of what came, or went, together */
    JDI_STEALLOG_RANK = JDI_STEALLOG_BATCH - 1
};

struct jdi_steallog {
    struct jdi_steallog_run *run;
    size_t n, room;
    uint64_t waited; /* ns that the rank had hungry workers and nothing for them */
    bool cut;
};

static inline uint32_t jdi_steallog_rank(const struct jdi_steallog_run *run)
{
    return run->way & JDI_STEALLOG_RANK;
}

/* A task took a way (see struct jdi_steallog_run).  0, or JD_ENOMEM. */
int jdi_steallog_note(struct jdi_steallog *l, uint64_t name, uint32_t way,
                      struct jdi_fault *f);
void jdi_steallog_clear(struct jdi_steallog *l); /* keeps the memory */
void jdi_steallog_free(struct jdi_steallog *l);

/* ---- as bytes ----------------------------------------------------------------------- */

/* What a file says of its job. */
struct jdi_steallog_head {
    uint64_t program; /* the hash of its task table */
    uint32_t nranks, rank, nworkers;
    uint32_t nparts; /* phases */
    uint64_t bytes;  /* behind the head */
};
enum { JDI_STEALLOG_HEAD = 64 };

/* The log of a phase, in a file. */
struct jdi_steallog_part {
    uint32_t coll; /* how many collections the job had made before */
    uint32_t phase;
    bool cut;
    uint64_t waited;
    uint64_t n;
    const struct jdi_steallog_run *run;
};

struct jdi_steallog_bytes {
    unsigned char *at;
    size_t used, room;
};

/* Append the log of a phase.  0, or JD_ENOMEM. */
int jdi_steallog_write(struct jdi_steallog_bytes *b, const struct jdi_steallog *l,
                       uint32_t coll, uint32_t phase, struct jdi_fault *f);
/* The head of a file of these bytes. */
void jdi_steallog_seal(const struct jdi_steallog_head *h, const void *bytes,
                       unsigned char out[JDI_STEALLOG_HEAD]);
/* Do these bytes begin like a steal log? */
bool jdi_steallog_is_one(const void *file, size_t len);
/* What is wrong with a file, aligned to 8; NULL: nothing, and *out is its head.  Writes nothing else. */
const char *jdi_steallog_fault(const void *file, size_t len,
                               struct jdi_steallog_head *out);
/* The next part of a file that passed the check; `*at` is 0 at first.  False: there is none. */
bool jdi_steallog_next(const void *file, const struct jdi_steallog_head *h, size_t *at,
                       struct jdi_steallog_part *out);

#endif
