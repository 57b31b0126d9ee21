/*
 * sched_lies.h - a job in which one rank lies once.
 *
 * Role: a program that sends every message there is, and a network in which one rank changes one
 *       of its messages.
 * Owner: one job per process.
 * See: test/dist/sched_lies_name_the_liar.c.
 */
#ifndef JDI_TEST_DIST_SCHED_LIES_H
#define JDI_TEST_DIST_SCHED_LIES_H

#include "am/messages.h"
#include "sched/rank.h"

enum {
    LIES_RANKS = 3,
    LIES_UNTOLD = 90,  /* status: the liar never sent such a message */
    LIES_PROGRAM = 99, /* status: a call of the program has failed: must() */
};

enum lie_how {
    LIE_FIELD = 1, /* `field` has `value` */
    LIE_FEWER,     /* arguments */
    LIE_MORE,
    LIE_SHORT, /* the payload */
    LIE_LONG,
    LIE_BIT,  /* of the payload, number `value`, is the other one */
    LIE_NEAR, /* `field` has another value that it may have: `value` more, modulo 2^bits */
    LIE_TWICE,
    LIE_ELSEWHERE, /* to another rank too */
    LIE_LATER      /* and once more at the end of the body, or after other messages */
};

struct lie {
    uint8_t type;
    enum lie_how how;
    uint32_t liar;
    unsigned nth; /* message of the type that it sends */
    const struct jdi_am_field *field;
    uint64_t value;
};

/* Run the job; its status, unless the process ends before. */
int lies_job(const struct lie *l);

#endif
