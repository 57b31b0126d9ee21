/*
 * worth.h - AUTO: is a session of a balancer worth its price?
 *
 * Role: two decisions of each session, and when to ask again.  Pure: numbers come in, answers come out.
 * Owner: the body between sessions; the communication thread while one runs.
 * Invariants: I1 when a rank asks depends on the number of restores and on figures that all ranks have, so it is the
 *                same on all ranks.
 * See: doc/balance.md section 8; sched/session.c.
 */
#ifndef JDI_SCHED_WORTH_H
#define JDI_SCHED_WORTH_H

#include "sched/balance/balance.h"

struct jdi_worth {
    unsigned workers;         /* of a rank; constant */
    uint32_t nranks;          /* constant */
    uint64_t since;           /* restores by AUTO after the last plan that was kept */
    uint32_t rests;           /* restores that it still lets pass */
    uint32_t pause;           /* how many it let pass the last time; 0: a plan was kept */
    uint32_t wrong;           /* predictions, one after the other */
    uint32_t backoff;         /* how many restores it let pass after wrong ones */
    uint64_t loss_with_plans; /* when it began to let them pass; 0: it does not */
    bool drifts;  /* the loads, so that a plan does not bring what it foresees */
    bool trusts;  /* the times of seeds foretell the next ones */
    double doubt; /* that a plan brings what it foresees, where they do not: 0 to 1 */
    /* The last plan that was kept: the largest load before it, and as planned; 0: none. */
    uint64_t was, foreseen;
    /* Rank 0's alone. */
    uint64_t plan_ns; /* what the last whole session took; 0: none was whole */
    int64_t brought;  /* of what was foreseen, if `judged` */
    uint64_t promised;
    bool judged; /* in the last session */
};

/* A restore by AUTO.  Shall all ranks run a session before it? */
bool jdi_worth_asks(struct jdi_worth *w);
/* Is the imbalance worth a plan; is the plan worth its moves?  Rank 0. */
bool jdi_worth_goes(const struct jdi_worth *w, enum jdi_balance_question q,
                    const struct jdi_balance_figures *f);
/* A session has ended, and took `ns`. */
void jdi_worth_ended(struct jdi_worth *w, const struct jdi_balance_figures *f,
                     uint64_t ns);

/* For rank 0's line: what an iteration loses by its imbalance, and would gain by the plan, ns; iterations that are
 * expected. */
uint64_t jdi_worth_loss(const struct jdi_worth *w, const struct jdi_balance_figures *f);
uint64_t jdi_worth_gain(const struct jdi_worth *w, const struct jdi_balance_figures *f);
uint64_t jdi_worth_expected(const struct jdi_worth *w);

#endif
