/*
 * phaser.h - phases that the tasks of a rank go through together.
 *
 * Role: what a rank has of phasers; how a task is registered, and is not any more.
 * Owner: a phaser is under its lock; a registration belongs to its task, but for `to`, which changes under
 *        the phaser's lock.
 * Invariants: I1 and I2 of phaser.c. I3 a registration is in the list of one task, from its spawn to its end.
 * See: doc/phasers.md; sched/finish/phased.c.
 */
#ifndef JDI_SCHED_WAIT_PHASER_H
#define JDI_SCHED_WAIT_PHASER_H

#include "sched/names.h"
#include "sched/rank.h"
#include "sched/wait/phases.h"

/* A task's registration with a phaser. */
struct jdi_phaser_part {
    struct jdi_phaser_part *next; /* of the same task */
    uint64_t number;              /* of the phaser */
    struct jdi_signaller to;      /* what it has signalled, if that is its mode */
    uint64_t waits;               /* the phase for which it waits next */
    unsigned mode;                /* enum jd_phase_mode */
    bool heap;                    /* a block of its own, freed when it is dropped */
};

struct jdi_phased_block;

struct jdi_phasers {
    struct jdi_names names;
    /* Of sched/finish/phased.c: blocks that wait for the next task.  Under the lock. */
    JDI_ALIGNED struct jdi_lock lock;
    struct jdi_phased_block *free;
    unsigned nfree;
};

/* Before and after the workers.  The latter frees phasers that were not destroyed. */
void jdi_phaser_init(struct jdi_rank *r);
void jdi_phaser_free_all(struct jdi_rank *r);

/* Is there a phaser of that name? */
bool jdi_phaser_known(const struct jdi_rank *r, jd_phaser name);
/* Register a task that `me` spawns, or `me`: `number` and `mode` are set.  If the phaser is gone,
 * the part is one of a phaser that is gone. */
void jdi_phaser_join(jd_self *me, struct jdi_phaser_part *p);
/* Drop all of a list, whose task has ended or never begins.  `by` as for jdi_unblock. */
void jdi_phaser_drop_all(struct jdi_rank *r, struct jdi_worker *by,
                         struct jdi_phaser_part *list);
/* A task, or the body, ends: drop what it is registered with. */
void jdi_phaser_end(jd_self *me);

#endif
