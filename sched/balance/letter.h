/*
 * letter.h - messages of balancers: cut into pieces, put together, kept until their time.
 *
 * Role: a list of lots of any length as messages of JDI_BALANCE_BYTES at most.
 * Owner: the communication thread.
 * Invariants: I1 all pieces of a list but the last have JDI_BALANCE_PIECE lots, so the place of a
 *                piece says whether it has come before.
 *             I2 the pieces of a list have one sender, session, type, step, total and words.
 * See: machine.h; am/frag.c, whose receiving side this one resembles.
 */
#ifndef JDI_SCHED_BALANCE_LETTER_H
#define JDI_SCHED_BALANCE_LETTER_H

#include "sched/balance/machine.h"

struct jdi_letter {
    struct jdi_letter *next;
    uint32_t src, missing; /* pieces */
    struct jdi_balance_head head;
    struct jdi_lot *lot;
    uint64_t *seen; /* a bit for each piece */
};

/* Send n lots to another rank, with the type, step and words of `what`.  0, or JD_ENOMEM. */
int jdi_letter_send(struct jdi_balance *b, uint32_t dst,
                    const struct jdi_balance_head *what, const struct jdi_lot *lot,
                    uint32_t n) JD_MUST_CHECK;
/* What is wrong with the shape of a message, or with a piece beside the others; NULL: nothing. */
const char *jdi_letter_fault(const struct jdi_balance *b, uint32_t src, const void *bytes,
                             size_t len);
/* Add a piece, which has no fault.  *whole: the letter, the caller's, if this was its last piece,
 * else NULL.  0, or JD_ENOMEM. */
int jdi_letter_take(struct jdi_balance *b, uint32_t src, const void *bytes, size_t len,
                    struct jdi_letter **whole) JD_MUST_CHECK;
void jdi_letter_free(struct jdi_letter *l);
void jdi_letter_free_all(struct jdi_letter **list);

#endif
