/*
 * stage.h - what a rank gets of a checkpoint, before it takes it.
 *
 * Role: deals the seeds, loads and memories of shares, and keeps what is this rank's.
 * Owner: the body.
 * Invariants: I1 until jdi_stage_take, nothing of the collection or of registered memory changes.
 *             I2 jdi_stage_take cannot fail.
 * See: doc/checkpoint.md "Who gets what"; sched/checkpoint/deal.h.
 */
#ifndef JDI_SCHED_CHECKPOINT_STAGE_H
#define JDI_SCHED_CHECKPOINT_STAGE_H

#include "sched/checkpoint/deal.h"
#include "sched/checkpoint/share.h"
#include "sched/coll.h"

/* What one worker gets. */
struct jdi_stage_worker {
    struct jdi_record kept;
    uint64_t load, longest, null;
};

/* A memory: this rank's part of all its bytes. */
struct jdi_stage_mem {
    uint64_t first, size; /* where its part begins, in the row of all parts */
    uint64_t
        before; /* bytes of the parts of the old ranks before the share that is read */
    unsigned char *bytes; /* NULL if size is 0 */
};

struct jdi_stage {
    jd_coll *coll;
    const struct jdi_manifest *m;
    struct jdi_deal workers, ranks;
    uint64_t first_worker; /* of this rank, among all */
    uint64_t unit;         /* the first old worker of the share that is read */
    uint64_t *list; /* by old rank: elements of the list of seeds that were added */
    int *task;      /* by old task: its row, or JD_EINVAL */
    struct jdi_record added;
    uint64_t indices;
    struct jdi_pruned_list pruned;
    struct jdi_stage_worker *worker;
    struct jdi_stage_mem mem[JDI_MANIFEST_MEMS];
};

/* m and c, whose rank has the workers from `first` on, of `all`; mem[].first and .size are set.  0, or JD_ENOMEM. */
int jdi_stage_init(struct jdi_stage *s, jd_coll *c, const struct jdi_manifest *m,
                   uint64_t first, uint64_t all);
void jdi_stage_fini(struct jdi_stage *s);
/* Does this rank get something of the share of an old rank?  Shares are named in the order of their ranks. */
bool jdi_stage_wants(const struct jdi_stage *s, uint32_t rank);
/* Bytes of a memory in that share; fits struct jdi_read. */
void jdi_stage_mem(void *stage, uint32_t mem, uint64_t offset, const unsigned char *bytes,
                   uint64_t n);
/* The rest of that share.  0, JD_ENOMEM, or JD_EFILE and *fault. */
int jdi_stage_share(struct jdi_stage *s, const struct jdi_share *share,
                    const char **fault);
/* The next share is that of the next rank. */
void jdi_stage_next(struct jdi_stage *s, uint32_t rank);
/* Give the collection, which has no tasks, all that was staged. */
void jdi_stage_take(struct jdi_stage *s);

#endif
