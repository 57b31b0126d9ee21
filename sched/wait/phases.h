/*
 * phases.h - which phase runs, by what has been signalled: a pure data structure.
 *
 * Role: counts signals; the phase that runs is the least that any signaller has not signalled.
 * Owner: the caller, under whatever lock the caller has; who signals provides the storage.
 * Invariants: I1 `phase` is the least `signals` of all signallers; if there is none, the largest that there ever
 *                was.  It never falls.
 *             I2 `lagging` is the number of those whose `signals` is `phase`; `ahead` has those whose
 *                `signals` is `phase` + 2 or more.
 * See: doc/phasers.md "What is counted"; test/unit/sched_phases_follow_a_model.c.
 *
 * A phase ends when nobody lags.  The next one's laggards are those who are not ahead, so their number is
 * known, and only those ahead are looked at.
 */
#ifndef JDI_SCHED_WAIT_PHASES_H
#define JDI_SCHED_WAIT_PHASES_H

#include "core/line.h"

struct jdi_signaller {
    uint64_t signals; /* the phases before this one are signalled */
    struct jdi_link ahead;
};

/* All zero: phase 0, and nobody signals. */
struct jdi_phases {
    uint64_t phase;     /* that many have ended */
    uint64_t signalled; /* the largest `signals` that there ever was */
    uint64_t signallers, lagging, nahead;
    struct jdi_line ahead; /* of struct jdi_signaller */
};

/* Add one; s->signals is set, and is not before p->phase. */
void jdi_phases_add(struct jdi_phases *p, struct jdi_signaller *s);
/* One signals once more; one is none any more.  True if p->phase is another one than before. */
bool jdi_phases_signal(struct jdi_phases *p, struct jdi_signaller *s);
bool jdi_phases_remove(struct jdi_phases *p, struct jdi_signaller *s);
/* Nothing is counted any more: no signaller is in here. */
void jdi_phases_end(struct jdi_phases *p);

#endif
