/*
 * head.h - what both kinds of files of a checkpoint begin and end with.
 *
 * Role: makes and checks the head, and the checksum behind all.
 * Owner: whoever has the bytes; pure.
 * Invariants: I1 a file that was cut, or in which a byte has changed, has a fault.
 * See: doc/checkpoint.md "Files".
 */
#ifndef JDI_SCHED_CHECKPOINT_HEAD_H
#define JDI_SCHED_CHECKPOINT_HEAD_H

#include "core/base.h"

enum { JDI_HEAD_VERSION = 2, JDI_HEAD_UNIT = 8, JDI_HEAD_SUM = 8 /* bytes of it */ };
enum jdi_head_kind { JDI_HEAD_MANIFEST = 1, JDI_HEAD_SHARE };

struct jdi_head {
    unsigned char magic[8];
    uint32_t order, version;
    uint32_t kind; /* enum jdi_head_kind */
    uint32_t rank; /* of a share; the number of ranks of a manifest */
    uint64_t generation;
    uint64_t length; /* of the file, with its checksum */
};
_Static_assert(sizeof(struct jdi_head) == 40, "as doc/checkpoint.md says");

struct jdi_head jdi_head_make(enum jdi_head_kind kind, uint32_t rank, uint64_t generation,
                              uint64_t length);
/* What is wrong with a head of which n bytes are there; NULL: nothing. */
const char *jdi_head_fault(const struct jdi_head *h, size_t n, enum jdi_head_kind kind);
/* The same of a whole file of n bytes: its length and its checksum, too. */
const char *jdi_head_fault_of_file(const unsigned char *bytes, size_t n,
                                   enum jdi_head_kind kind);
/* Write the checksum behind n bytes, the rest of a file. */
void jdi_head_seal(unsigned char *bytes, size_t n);

#endif
