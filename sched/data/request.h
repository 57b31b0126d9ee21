/*
 * request.h - questions to other ranks, and to the communication thread of the own.
 *
 * Role: gives each a number, and finds it again when its answer comes.
 * Owner: the communication thread; the storage is whoever's asks, until the request is closed.
 * Invariants: I1 a number is never used twice, so an answer to nothing is found out.
 *             I2 nothing is sent but by jdi_am_post or by a reply: no handler runs inside.
 * See: doc/data.md "Requests".
 */
#ifndef JDI_SCHED_DATA_REQUEST_H
#define JDI_SCHED_DATA_REQUEST_H

#include "core/keyed.h"
#include "sched/rank.h"

struct jdi_answer {
    int error;     /* 0 or JD_E* */
    uint64_t word; /* what the question says */
    const void *data;
    uint32_t len;
};

/* Who is to be answered, and which message of whom named the request; travels in messages. */
struct jdi_asker {
    uint64_t request;
    uint32_t rank, namer;
    uint8_t what; /* JDI_MSG_PUT .. FUTURE */
};

struct jdi_request {
    struct jdi_keyed key;  /* first; by number */
    uint32_t home, target; /* who answers: who was asked, or a COPY's target */
    uint8_t what;          /* JDI_MSG_PUT .. FUTURE */
    /* An answer has come; closes the request if it was the last.  NULL, or what is wrong with
     * the answer, and nothing has changed. */
    const char *(*answered)(struct jdi_rank *r, struct jdi_request *q,
                            const struct jdi_answer *a);
};

/* Number it and wait for its answers, which come from `home`.  Communication thread, as all
 * here. */
void jdi_request_open(struct jdi_rank *r, struct jdi_request *q, uint8_t what,
                      uint32_t home,
                      const char *(*answered)(struct jdi_rank *, struct jdi_request *,
                                              const struct jdi_answer *));
void jdi_request_close(struct jdi_rank *r, struct jdi_request *q);
struct jdi_request *jdi_request_find(struct jdi_rank *r, uint64_t number);
/* This rank, for that request. */
struct jdi_asker jdi_request_asker(const struct jdi_rank *r, const struct jdi_request *q);
/* The asker that a message names. */
static inline struct jdi_asker jdi_request_asker_in(const struct jdi_am_in *in,
                                                    uint64_t request, uint32_t rank)
{
    return (struct jdi_asker){request, rank, in->src, in->msg->type};
}
/* Send a message, or end the job: there is no memory. */
void jdi_request_post(struct jdi_rank *r, uint32_t dst, const struct jdi_am_msg *m);
/* The same; the payload is not copied, and stays as it is until the message is answered. */
void jdi_request_post_in_place(struct jdi_rank *r, uint32_t dst,
                               const struct jdi_am_msg *m);
/* Answer; `in` is the message that is being handled, if any.  In the own rank the request's
 * `answered` runs at once. */
void jdi_request_answer(struct jdi_rank *r, const struct jdi_am_in *in,
                        struct jdi_asker to, const struct jdi_answer *a);
/* The handler of JDI_MSG_ANSWER. */
void jdi_request_init(struct jdi_rank *r);

#endif
