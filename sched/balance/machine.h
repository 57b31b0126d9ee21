/*
 * machine.h - what the balancers share: the state of a rank in a session, and its messages.
 *
 * Role: a balancer is a const struct of operations that is called between the sums of a session
 *       and its judgement; all else is in balance.c.
 * Owner: the communication thread.
 * Invariants: I1 `have` ascends and holds what this rank is to run, as planned so far; `load` is the
 *                sum of its times.
 *             I2 to[place] says HERE if and only if the task of that place is in `have`, or is
 *                in the balancer's hands at this rank.
 *             I3 a message is handled when all its pieces are here, and not before its step.
 * See: balance.h, letter.h; doc/balance.md.
 */
#ifndef JDI_SCHED_BALANCE_MACHINE_H
#define JDI_SCHED_BALANCE_MACHINE_H

#include "sched/balance/balance.h"
#include "sched/balance/lots.h"

enum jdi_balance_state {
    JDI_BALANCE_OFF = 1, /* no session yet */
    JDI_BALANCE_SUMS,
    JDI_BALANCE_PLANS,
    JDI_BALANCE_JUDGES,
    JDI_BALANCE_SETTLES,
    JDI_BALANCE_DONE
};

/* The values go over the network. */
enum jdi_balance_type {
    JDI_BALANCE_SUM = 1,
    JDI_BALANCE_AVERAGE,
    JDI_BALANCE_JUDGE,
    JDI_BALANCE_VERDICT,
    JDI_BALANCE_TAKEN,
    /* CENTRAL */
    JDI_BALANCE_GATHER,
    JDI_BALANCE_SCATTER,
    /* TREE */
    JDI_BALANCE_UP,
    JDI_BALANCE_DOWN,
    /* GOSSIP */
    JDI_BALANCE_KNOW,
    JDI_BALANCE_OFFER,
    JDI_BALANCE_HEARD,
    JDI_BALANCE_ANSWER,
    JDI_BALANCE_REPORT,
    JDI_BALANCE_NEXT,
    JDI_BALANCE_TYPES
};

enum { JDI_BALANCE_WORDS = 5, JDI_BALANCE_SAID = 6 };

/* In front of the lots of a message. */
struct jdi_balance_head {
    uint32_t session;
    uint16_t type, step; /* step: what the balancer numbers, 0 for the session's own */
    uint32_t total;      /* lots of the whole list */
    uint32_t first;      /* place of this piece in the list */
    uint64_t word[JDI_BALANCE_WORDS];
};
enum {
    JDI_BALANCE_PIECE = (JDI_BALANCE_BYTES - (int)sizeof(struct jdi_balance_head)) /
                        (int)sizeof(struct jdi_lot)
};

/* A whole message; lot[] is valid during the call. */
struct jdi_balance_in {
    uint32_t src;
    struct jdi_balance_head head;
    const struct jdi_lot *lot;
    uint32_t n;
};

/*
 * A balancer.
 *   size      bytes of its state at a rank, zeroed when a session begins
 *   begin     the sums are known and there is to be a plan; may end in jdi_balance_planned
 *   early     this message is for a later step: keep it until the state has changed.  NULL: none is
 *   fault     what is wrong with a message of the balancer's own; NULL: nothing is
 *   message   the message, which has no fault; may end in jdi_balance_planned
 *   end       free what the state holds; also in the middle of a session
 *   check     assert the invariants of the state.  NULL: it has none
 */
struct jdi_balance_ops {
    const char *name;
    size_t size;
    uint32_t iterations; /* by default */
    int (*begin)(struct jdi_balance *b);
    bool (*early)(const struct jdi_balance *b, const struct jdi_balance_head *h);
    const char *(*fault)(const struct jdi_balance *b, const struct jdi_balance_in *in);
    int (*message)(struct jdi_balance *b, const struct jdi_balance_in *in);
    void (*end)(struct jdi_balance *b);
    void (*check)(const struct jdi_balance *b);
};

struct jdi_letter; /* letter.c */

struct jdi_balance {
    struct jdi_balance_config c;
    struct jdi_balance_env env;
    enum jdi_balance_state state;
    uint32_t session;
    uint32_t n; /* tasks of this rank in the last iteration */
    struct jdi_balance_task *task;
    uint32_t *to; /* of each: HERE, GONE, or the rank that takes it */
    struct jdi_lots have;
    uint64_t load;
    struct jdi_balance_figures figures;
    uint64_t limit; /* C times the average; what donors keep at most */
    /* The tree of the sums. */
    unsigned level;    /* of which this rank is a node; 0: a leaf alone */
    unsigned children; /* of all its levels */
    unsigned missing;  /* children that have not said their sums, or figures */
    uint64_t said[JDI_BALANCE_SAID];  /* which of them have: a bit for each */
    struct jdi_balance_figures below; /* what they, and this rank, have said */
    uint32_t untaken;                 /* own tasks without a receiver (state SETTLES) */
    bool own_judged;
    struct jdi_balance_move *move;
    uint32_t moves, arriving;
    struct jdi_letter *letters, *kept; /* half here; too early */
    const char *lie;
    uint32_t liar;
    uint64_t work;
    void *own; /* ops->size bytes, the balancer's */
};

enum { JDI_BALANCE_HERE = UINT32_MAX, JDI_BALANCE_GONE = UINT32_MAX - 1 };

/* ---- for the balancers: balance.c ----------------------------------------------------------- */

/* This rank knows what it is to have: `have` and `load` say so.  0 or an error. */
int jdi_balance_planned(struct jdi_balance *b) JD_MUST_CHECK;

#endif
