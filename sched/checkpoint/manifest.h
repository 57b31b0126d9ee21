/*
 * manifest.h - the file of a checkpoint that names all others.
 *
 * Role: from numbers to bytes, and back with every check.
 * Owner: whoever has the struct; pure.
 * Invariants: I1 what jdi_manifest_get has filled in agrees with itself: sums do not overflow, each row names as
 *                many workers as it has room for.
 * See: doc/checkpoint.md "Files".
 */
#ifndef JDI_SCHED_CHECKPOINT_MANIFEST_H
#define JDI_SCHED_CHECKPOINT_MANIFEST_H

#include "sched/checkpoint/head.h"

/* The words of a row: of the rank's share, and of what is in it. */
enum jdi_manifest_word {
    JDI_MANIFEST_LENGTH,
    JDI_MANIFEST_FRONT, /* bytes before the memories */
    JDI_MANIFEST_SUM,
    JDI_MANIFEST_WORKERS,
    JDI_MANIFEST_INDICES, /* seeds ever added */
    JDI_MANIFEST_ADDED,   /* seeds on record */
    JDI_MANIFEST_PRUNED,
    JDI_MANIFEST_WORDS /* then the sizes of the memories, then what each worker has executed */
};

/* What the collection has learned beside the times of its seeds: its load model, and the state of AUTO (struct
 * jdi_worth).  All 0 if it is not timed. */
enum jdi_manifest_learned {
    JDI_LEARNED_MODEL,
    JDI_LEARNED_PHASES, /* that the model looks at */
    JDI_LEARNED_SINCE,  /* its last plan, restores */
    JDI_LEARNED_RESTS,
    JDI_LEARNED_PAUSE,
    JDI_LEARNED_WRONG,
    JDI_LEARNED_BACKOFF,
    JDI_LEARNED_WAS,
    JDI_LEARNED_FORESEEN,
    JDI_LEARNED_PLAN_NS,
    JDI_LEARNED_WORDS
};

enum {
    JDI_MANIFEST_NAME = 32,
    JDI_MANIFEST_MEMS = 64,
    JDI_MANIFEST_STATE = 1 << 16, /* the most bytes of state */
    JDI_MANIFEST_MOST = 1 << 30   /* bytes of a manifest */
};

struct jdi_manifest {
    uint32_t nranks;
    uint64_t generation;
    char name[JDI_MANIFEST_NAME]; /* of the collection */
    uint32_t arg_size, origin;    /* of the largest argument that does not spill */
    uint32_t ntasks, nmems;
    uint64_t phases, state_size, most_workers, names_size;
    uint64_t learned[JDI_LEARNED_WORDS];
    const uint64_t *table; /* a row for each rank */
    const char *names;     /* of the tasks, each with its end */
    const unsigned char *state;
};

/* Words of a row. */
static inline uint64_t jdi_manifest_row_words(const struct jdi_manifest *m)
{
    return JDI_MANIFEST_WORDS + m->nmems + m->most_workers;
}
static inline const uint64_t *jdi_manifest_row(const struct jdi_manifest *m,
                                               uint64_t rank)
{
    JD_ASSERT(rank < m->nranks);
    return m->table + rank * jdi_manifest_row_words(m);
}
static inline uint64_t jdi_manifest_mem(const struct jdi_manifest *m, uint64_t rank,
                                        uint32_t mem)
{
    return jdi_manifest_row(m, rank)[JDI_MANIFEST_WORDS + mem];
}
/* How many seeds a worker has executed. */
static inline uint64_t jdi_manifest_kept(const struct jdi_manifest *m, uint64_t rank,
                                         uint64_t worker)
{
    return jdi_manifest_row(m, rank)[JDI_MANIFEST_WORDS + m->nmems + worker];
}

/* Bytes of the file. */
uint64_t jdi_manifest_size(const struct jdi_manifest *m);
/* Write it to so many bytes, aligned to 8. */
void jdi_manifest_put(const struct jdi_manifest *m, unsigned char *to);
/* Read one from n bytes, aligned to 8; *m points into them.  What is wrong; NULL: nothing. */
const char *jdi_manifest_get(const unsigned char *bytes, size_t n,
                             struct jdi_manifest *m);
/* The name of a task. */
const char *jdi_manifest_task(const struct jdi_manifest *m, uint32_t task);

#endif
