/*
 * read.h - files of a checkpoint, whole and checked.
 *
 * Role: reads a manifest; reads a share, whose memories go where the caller wants them.
 * Owner: any thread; may block.
 * Invariants: I1 what is given out has a checksum that fits; memories only when the call has returned.
 * See: doc/checkpoint.md "Loading"; sched/checkpoint/load.c.
 */
#ifndef JDI_SCHED_CHECKPOINT_READ_H
#define JDI_SCHED_CHECKPOINT_READ_H

#include "core/fault.h"
#include "sched/checkpoint/files.h"
#include "sched/checkpoint/share.h"

/* How a read has ended. */
struct jdi_read_end {
    int error;         /* 0, JD_ENOENT, JD_ESYS, JD_ENOMEM, JD_EFILE */
    int failed;        /* of JD_ESYS: -errno */
    const char *fault; /* of JD_EFILE */
};

/* Who reads, and where bytes of memories go: take(ctx, mem, offset, bytes, n), in their order; NULL: nowhere. */
struct jdi_read {
    const struct jdi_files *files;
    struct jdi_fault *fault;
    void (*take)(void *ctx, uint32_t mem, uint64_t offset, const unsigned char *bytes,
                 uint64_t n);
    void *ctx;
};

/* All of a manifest, in a block to free; *m points into it. */
struct jdi_read_end jdi_read_manifest(const struct jdi_read *r, const char *path,
                                      unsigned char **bytes, struct jdi_manifest *m);
/* The share of rank s->rank; *s points into *front, a block to free. */
struct jdi_read_end jdi_read_share(const struct jdi_read *r, const char *path,
                                   const struct jdi_manifest *m, unsigned char **front,
                                   struct jdi_share *s);

#endif
