/*
 * am_fake.h - a network that only writes down what it is asked to send.
 *
 * Role: one rank for tests of the transport's common part; the test is the other ranks.
 * Owner: the test.
 * Invariants: I1 sent[0..nsent) are copies of the requests and replies, in order.
 * See: am/am.h, am/core.h.
 */
#ifndef JDI_TEST_UNIT_AM_FAKE_H
#define JDI_TEST_UNIT_AM_FAKE_H

#include "am/core.h"
#include "test/kit/tap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FAKE_SENT = 256, FAKE_MAX_DATA = 64 };

struct fake_sent {
    struct jdi_am_msg m;
    uint32_t dst;
    bool reply;
    unsigned char bytes[FAKE_MAX_DATA];
};

struct fake {
    struct jdi_am am;
    int refuse; /* so many requests are refused from now on */
    unsigned nsent;
    struct fake_sent sent[FAKE_SENT];
};

static inline void fake_note(struct jdi_am *am, uint32_t dst, const struct jdi_am_msg *m,
                             bool reply)
{
    struct fake *f = (struct fake *)am;
    if (f->nsent == FAKE_SENT || m->len > FAKE_MAX_DATA)
        bail_out("the fake network is full");
    struct fake_sent *s = &f->sent[f->nsent++];
    *s = (struct fake_sent){.m = *m, .dst = dst, .reply = reply};
    if (m->len)
        memcpy(s->bytes, m->data, m->len);
    s->m.data = s->bytes;
}

static inline int fake_request(struct jdi_am *am, uint32_t dst,
                               const struct jdi_am_msg *m)
{
    struct fake *f = (struct fake *)am;
    if (f->refuse && f->refuse--)
        return JD_EAGAIN;
    fake_note(am, dst, m, false);
    return 0;
}

/* A token is the asker's rank plus one. */
static inline void *fake_token(uint32_t src)
{
    return (void *)(uintptr_t)(src + 1);
}

static inline void fake_reply(struct jdi_am *am, void *token, const struct jdi_am_msg *m)
{
    fake_note(am, (uint32_t)(uintptr_t)token - 1, m, true);
}

static inline void fake_poll(struct jdi_am *am)
{
    (void)am;
}

static inline void fake_end_job(struct jdi_am *am, int status)
{
    (void)am;
    _exit(status);
}

static inline void fake_init(struct fake *f, uint32_t rank, uint32_t nranks)
{
    static const struct jdi_am_ops ops = {.name = "fake",
                                          .request = fake_request,
                                          .reply = fake_reply,
                                          .poll = fake_poll,
                                          .end_job = fake_end_job};
    memset(f, 0, sizeof *f);
    f->am.ops = &ops;
    f->am.rank = rank;
    f->am.nranks = nranks;
    f->am.max_data = FAKE_MAX_DATA;
    if (jdi_am_core_init(&f->am))
        bail_out("no memory");
}

static inline void fake_fini(struct fake *f)
{
    jdi_am_core_fini(&f->am);
}

/* The request number i of f comes in at `to`, or its reply if it was one. */
static inline void fake_carry(const struct fake *f, unsigned i, struct fake *to)
{
    const struct fake_sent *s = &f->sent[i];
    jdi_am_deliver(&to->am, f->am.rank, &s->m, s->reply ? NULL : fake_token(f->am.rank));
}

#endif
