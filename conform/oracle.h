/*
 * oracle.h - what is wrong with a world, if anything is.
 *
 * Role: the rules O1 to O6, asked by the world in each action; the first that breaks becomes
 *       the world's fault, whose text begins with its name.
 * Invariants: I1 it only reads the world, but for the fault and the count of failed waves.
 * See: world.h (I2); doc/jackdaw-tdtest.1.md "ORACLE".
 */
#ifndef JDI_CONFORM_ORACLE_H
#define JDI_CONFORM_ORACLE_H

#include "conform/world.h"

/* The first text wins. */
void jdi_oracle_fail(struct jdi_world *w, const char *format, ...) JDI_PRINTF(2, 3);

/* Every rank has entered the phase of its collection and none of its tasks or holds exists. */
bool jdi_oracle_quiescent(const struct jdi_world *w, unsigned coll, uint32_t phase);
/* Every phase has been announced on every rank. */
bool jdi_oracle_over(const struct jdi_world *w);

/* A detector announces: O1, O2, O6.  Before the rank's state changes. */
void jdi_oracle_announced(struct jdi_world *w, unsigned me, uint32_t phase,
                          const uint64_t stat[JDI_TD_STATS]);
/* It said `open` of a task message of this phase, the true one: O5, O6. */
void jdi_oracle_imported(struct jdi_world *w, unsigned me, uint32_t phase, bool open);
/* The root has stepped; over: its phase was quiescent before.  O4: waves that fail after that. */
void jdi_oracle_stepped(struct jdi_world *w, unsigned me, bool over);
/* A rank has announced; if it was the last one: O5, messages that are left. */
void jdi_oracle_ended(struct jdi_world *w);
/* Nothing is left to do: O4 if somebody waits, O5 if there is a message. */
void jdi_oracle_end(struct jdi_world *w);

/* With config.audit, O6.  A packet goes into the bag: I2 of the protocol. */
void jdi_oracle_sent(struct jdi_world *w, const struct jdi_world_packet *p);
/* After an action of this rank: I1 and I3, which no rank can see alone. */
void jdi_oracle_audit(struct jdi_world *w, unsigned rank, uint32_t phase);

#endif
