/*
 * request.h - what this rank asks of another rank, or of its own communication thread.
 *
 * Role: gives each request a number, and finds the request again when an answer comes.
 * Owner: the communication thread; the asker provides the storage until the request is closed.
 * Invariants: I1 a number is never used twice, so an answer without a request is detected.
 *             I2 everything is sent by jdi_am_post or as a reply, so no handler runs inside.
 * See: doc/data.md "Requests".
 */
#ifndef JDI_SCHED_DATA_REQUEST_H
#define JDI_SCHED_DATA_REQUEST_H

#include "core/keyed.h"
#include "sched/rank.h"

struct jdi_answer {
    int error;     /* 0 or JD_E* */
    uint64_t word; /* its meaning depends on the request */
    const void *data;
    uint32_t len;
};

/* Who gets the answer, and which message of which rank named the request.  Travels in messages. */
struct jdi_asker {
    uint64_t request;
    uint32_t rank, namer;
    uint8_t what; /* JDI_MSG_PUT .. FUTURE */
};

struct jdi_request {
    struct jdi_keyed key;  /* first, by number */
    uint32_t home, target; /* who may answer: the rank asked; a COPY's target */
    uint8_t what;          /* JDI_MSG_PUT .. FUTURE */
    /* An answer has come.  Returns NULL, and closes the request if this was the last answer.  Or
     * returns what is wrong with the answer, and changes nothing. */
    const char *(*answered)(struct jdi_rank *r, struct jdi_request *q,
                            const struct jdi_answer *a);
};

/* Number the request and enter it; its answers come from `home`.  All functions here:
 * communication thread. */
void jdi_request_open(struct jdi_rank *r, struct jdi_request *q, uint8_t what,
                      uint32_t home,
                      const char *(*answered)(struct jdi_rank *, struct jdi_request *,
                                              const struct jdi_answer *));
void jdi_request_close(struct jdi_rank *r, struct jdi_request *q);
struct jdi_request *jdi_request_find(struct jdi_rank *r, uint64_t number);
/* This rank as the asker of request q. */
struct jdi_asker jdi_request_asker(const struct jdi_rank *r, const struct jdi_request *q);
/* The asker that a message names. */
static inline struct jdi_asker jdi_request_asker_in(const struct jdi_am_in *in,
                                                    uint64_t request, uint32_t rank)
{
    return (struct jdi_asker){request, rank, in->src, in->msg->type};
}
/* Send a message.  Ends the job when out of memory. */
void jdi_request_post(struct jdi_rank *r, uint32_t dst, const struct jdi_am_msg *m);
/* The same without copying the payload, which must not change until the message is answered. */
void jdi_request_post_in_place(struct jdi_rank *r, uint32_t dst,
                               const struct jdi_am_msg *m);
/* Answer a request; `in` is the message that is being handled, or NULL.  If this rank is the asker,
 * the request's `answered` runs at once. */
void jdi_request_answer(struct jdi_rank *r, const struct jdi_am_in *in,
                        struct jdi_asker to, const struct jdi_answer *a);
/* The handler of JDI_MSG_ANSWER. */
void jdi_request_init(struct jdi_rank *r);

#endif
