/*
 * share.h - what one rank adds to a checkpoint, but for the bytes of memories.
 *
 * Role: the front of a share: from records of seeds to bytes, and back with every check.
 * Owner: whoever has the struct; pure.
 * Invariants: I1 what jdi_share_get has filled in agrees with the row of the manifest, and each task in it can be
 *                seeded: its row, its flags, its length and its origin are in their ranges.
 * See: doc/checkpoint.md "Files".
 */
#ifndef JDI_SCHED_CHECKPOINT_SHARE_H
#define JDI_SCHED_CHECKPOINT_SHARE_H

#include "sched/checkpoint/manifest.h"
#include "sched/history.h"
#include "sched/record.h"

struct jdi_share_worker {
    uint64_t load, longest; /* ns */
    uint64_t kept;          /* seeds */
};

struct jdi_share {
    uint32_t rank;
    uint64_t generation;
    uint64_t front; /* bytes of what this file makes */
    uint64_t nworkers, nmems, indices, nadded, npruned;
    const uint64_t *mem; /* sizes */
    const struct jdi_share_worker *worker;
    const struct jdi_pruned_seed *pruned;
    const unsigned char *tasks; /* those added, then those of each worker; only of get */
};

/* Bytes of the tasks of a record. */
uint64_t jdi_share_bytes(const struct jdi_record *tasks);
/* Bytes of the front before its tasks. */
uint64_t jdi_share_begin(const struct jdi_share *s);
/* Bytes of the memories behind the front, and of the whole file. */
uint64_t jdi_share_mem_bytes(uint64_t size);
uint64_t jdi_share_length(const struct jdi_share *s);
/* Write all before the tasks; s->front is known.  Returns where the tasks go. */
unsigned char *jdi_share_put(const struct jdi_share *s, unsigned char *to);
/* Write the tasks of a record; returns the place behind them. */
unsigned char *jdi_share_put_tasks(const struct jdi_record *tasks, unsigned char *to);

/* Read the front of the share of a rank of m, aligned to 8.  What is wrong; NULL: nothing. */
const char *jdi_share_get(const unsigned char *bytes, const struct jdi_manifest *m,
                          uint32_t rank, struct jdi_share *s);

/* A task of a share. */
struct jdi_share_task {
    uint16_t fn, flags;
    uint32_t len;
    const unsigned char *arg;
};
/* The task at a place, which moves to the next one. */
struct jdi_share_task jdi_share_next(const unsigned char **at);

#endif
