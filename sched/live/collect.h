/*
 * collect.h - the state of all ranks, put together by one of them.
 *
 * Role: asks all ranks for their state, and shows what came after a second at the latest.
 * Owner: the communication thread.
 * Invariants: I1 of ranks that are asked to collect at the same time the one with the smallest number shows the state.
 *             I2 a rank that does not answer within ANSWER_NS is named.
 * See: sched/live/collect.c has the messages; doc/watchdog.md "SIGUSR1".
 */
#ifndef JDI_SCHED_LIVE_COLLECT_H
#define JDI_SCHED_LIVE_COLLECT_H

#include "sched/rank.h"

/* What comes of one rank: its tally of messages, then its text. */
struct jdi_collected {
    char *bytes; /* NULL: nothing yet */
    uint32_t came, total;
};

struct jdi_collect {
    uint32_t number;          /* of the last collection of this rank */
    uint64_t began;           /* when it did, ns */
    uint32_t missing;         /* ranks of which not all has come */
    struct jdi_collected *of; /* by rank; NULL: nothing is collected */
    uint64_t asked;           /* when another rank has asked, ns; 0: never */
};

void jdi_collect_init(struct jdi_rank *r);
/* Show the state of all ranks, unless that was done after `heard` or is under way. */
void jdi_collect_start(struct jdi_rank *r, uint64_t heard);
void jdi_collect_turn(struct jdi_rank *r);
void jdi_collect_drop(struct jdi_rank *r);
/* Show the lines of a text as those of a rank.  Any thread. */
void jdi_collect_show(uint32_t rank, const char *text);

#endif
