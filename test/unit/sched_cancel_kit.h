/*
 * sched_cancel_kit.h - ranks with a pool, and a network that keeps messages back.
 *
 * Role: two ranks on which finishes are opened and cancelled; the test carries their messages.
 * Owner: the test.
 * Invariants: I1 rank 0 has one worker, which is its communication hand.
 * See: test/unit/sched_rank_kit.h, test/unit/am_fake.h; sched/finish/cancel.c.
 */
#ifndef JDI_TEST_UNIT_SCHED_CANCEL_KIT_H
#define JDI_TEST_UNIT_SCHED_CANCEL_KIT_H

#include "sched/data/data.h"
#include "sched/finish/cancel.h"
#include "sched/finish/pools.h"
#include "sched/finish/remote.h"
#include "sched/finish/wire.h"
#include "test/unit/am_fake.h"
#include "test/unit/sched_rank_kit.h"

struct cancel_rank {
    struct kit_rank kit;
    struct fake fake;
};

/* `pool`: it has heard of a finish. */
static inline void cancel_rank_init(struct cancel_rank *k, uint32_t rank, bool pool)
{
    kit_rank_init(&k->kit, rank, 2, 1);
    fake_init(&k->fake, rank, 2);
    /* What the test says comes without credits. */
    jdi_am_set_bound(&k->fake.am, JDI_AM_BOUND_CREDITS, 10000);
    struct jdi_rank *r = &k->kit.rank;
    r->am = &k->fake.am;
    k->kit.knobs.tree_arity = 4;
    r->steal = &jdi_steal_random;
    r->steal_config.nranks = 2;
    r->steal_config.rank = rank;
    jdi_mailbox_init(&r->mailbox);
    jdi_data_init(r);
    jdi_pools_init(r);
    if (pool)
        (void)jdi_pool_needed(r);
}

static inline void cancel_scope_open(struct cancel_rank *k, struct jdi_part *s)
{
    jdi_part_open(s, &jdi_pool_of(&k->kit.rank)->hand[0], NULL);
}

/* What the rank would do at its next look around. */
static inline void cancel_turn(struct cancel_rank *k)
{
    struct jdi_rank *r = &k->kit.rank;
    for (int i = 0; i < 4; i++) { /* a call may post others */
        jdi_call_run_all(r, &r->mailbox);
        jdi_worker_read(&r->workers[0]);
        for (unsigned t = 0; t < r->nturns; t++)
            r->turn[t](r);
        jdi_am_poll(r->am);
    }
}

/* A task of s goes to the other rank: the number of its message. */
static inline unsigned cancel_send_task(struct cancel_rank *k, struct jdi_part *s)
{
    struct jdi_task head = {.fn = 0};
    jd_self *me = &k->kit.self[0];
    me->part = s;
    if (jdi_wire_send(me, 1 - k->fake.am.rank, &head, NULL))
        bail_out("no memory");
    cancel_turn(k);
    me->part = NULL;
    if (k->fake.sent[k->fake.nsent - 1].m.type != JDI_MSG_ASYNC)
        bail_out("the task has not left");
    return k->fake.nsent - 1;
}

static inline void cancel_carry(const struct cancel_rank *k, unsigned i,
                                struct cancel_rank *to)
{
    fake_carry(&k->fake, i, &to->fake);
}

/* k hears something about a finish of the other rank. */
static inline void cancel_tell(struct cancel_rank *k, unsigned type, uint64_t number)
{
    uint32_t from = 1 - k->fake.am.rank;
    struct jdi_am_msg m = {.type = (uint8_t)type, .nargs = 2, .arg = {number, from}};
    jdi_am_deliver(&k->fake.am, from, &m, fake_token(from));
    k->fake.nsent = 0; /* only credits that go back */
}

#endif
