/*
 * adversary.h - who decides what happens to the messages of a simulation.
 *
 * Role: a law and a seed, or a schedule that was saved, say how late each message is and which
 *       injections are refused.  The decisions can be written down as a schedule.
 * Owner: the simulation's thread.
 * Invariants: I1 the decisions of a run, used in another with the same settings, give the
 *                same run, event by event.
 *             I2 a decision names its message by sender, receiver and number in that pair,
 *                so that leaving out another decision changes as little as possible.
 * See: doc/sim.md "Schedules"; test/sim/sim_schedule_replays_exactly.sh.
 */
#ifndef JDI_AM_SIM_ADVERSARY_H
#define JDI_AM_SIM_ADVERSARY_H

#include "am/sim/sim.h"

/* What happens to one message.  `keep`: it waits until its receiver has sent a report to
 * the detector, `late` ns at most. */
struct jdi_sim_fate {
    uint64_t late; /* ns more than LogGP says */
    bool keep;
};

/*
 * By p->law and p->seed, or by the file p->replay, which then also decides about slow,
 * paused and crashing ranks in *p.  Writes decisions to the file p->save.  0; or JD_EINVAL,
 * JD_ESYS, JD_ENOMEM with one line in err.
 */
int jdi_sim_adversary_new(struct jdi_sim_adversary **out, struct jdi_sim_params *p,
                          char *err, size_t errlen);
/* Closes the file.  NULL is allowed. */
void jdi_sim_adversary_free(struct jdi_sim_adversary *a);

/* Is the injection of the next message from src to dst refused this time? */
bool jdi_sim_adversary_refuses(struct jdi_sim_adversary *a, uint32_t src, uint32_t dst);
/* What happens to the next message from src to dst, due at `at`; once for each message. */
struct jdi_sim_fate jdi_sim_adversary_fate(struct jdi_sim_adversary *a, uint32_t src,
                                           uint32_t dst, uint64_t at, bool tasks);

#endif
