/*
 * account.h - what one thread of a rank has done for one collection, in numbers.
 *
 * Role: counts tasks in and out, gives each task its id, keeps the sums that the audit needs and
 *       the seeds that RETAIN starts from.  An account holds no task and knows no deque.
 * Owner: one thread: a worker, or the communication thread for what ranks exchange.  The
 *        communication thread reads `in` and `out` at any time, the rest between phases.
 * Invariants: I1 a task is counted `in` before anybody else can see it.  The task is counted `out`
 *                when it has ended, after every task that it added was counted `in`
 *                (TERMINATION 4.3).
 *             I2 at the end of a phase the ids of the tasks that were created and of those that
 *                ran agree over all accounts of all ranks.
 * Order: [pair: account-out] see jdi_coll_settled.
 * See: doc/termination.md rule R3; sched/coll.h.
 */
#ifndef JDI_SCHED_ACCOUNT_H
#define JDI_SCHED_ACCOUNT_H

#include "sched/record.h"

#include <stdatomic.h>

struct jdi_account {
    /* Writer: the owner; readers: the owner and the communication thread. */
    JDI_ALIGNED _Atomic uint64_t in; /* tasks created here; for the network: imported */
    _Atomic uint64_t out;            /* tasks executed here; for the network: exported */
    /* Writer and reader: the owner. */
    uint64_t id_base;               /* ids of tasks created here: id_base + in */
    uint64_t id_sum, id_xor;        /* over the ids of tasks executed here, this phase */
    uint64_t in_before, out_before; /* at the start of the phase */
    bool
        named; /* ids are names (sched/name.h); then also the sums over those created here: */
    uint64_t new_sum, new_xor;
    uint64_t stolen;        /* tasks taken from other owners of the rank, this phase */
    struct jdi_record kept; /* seeds executed here, this phase */
};

/* Tasks in and out of some accounts in this phase. */
struct jdi_account_sums {
    uint64_t in, out, stolen, kept;
};

/* `number` is the owner's, unique in the job. */
void jdi_account_init(struct jdi_account *a, uint64_t number);
void jdi_account_fini(struct jdi_account *a);

/*
 * The owner has n more tasks (I1), or n fewer.  The account has one writer, so a load and a store
 * are enough.  The store to `in` is relaxed, because whoever counts the task out is this owner, or
 * has claimed the task from here; the release of `out` covers both cases.
 */
static inline uint64_t jdi_account_in(struct jdi_account *a, uint64_t n)
{
    uint64_t in = atomic_load_explicit(&a->in, memory_order_relaxed) + n;
    atomic_store_explicit(&a->in, in, memory_order_relaxed);
    return in;
}
static inline void jdi_account_out(struct jdi_account *a, uint64_t n)
{
    uint64_t out = atomic_load_explicit(&a->out, memory_order_relaxed) + n;
    /* [pair: account-out] release: see jdi_coll_settled. */
    atomic_store_explicit(&a->out, out, memory_order_release);
}

/* Count a new task and write its id into its slot, which nobody else can see yet (I1). */
static inline struct jdi_task *jdi_account_new(struct jdi_account *a, struct jdi_task *t,
                                               jd_task fn, uint16_t flags, size_t len)
{
    t->id = a->id_base + jdi_account_in(a, 1);
    t->fn = fn;
    t->flags = flags;
    t->len = (uint32_t)len;
    return t;
}

/* The task, or one that was counted in without an id, has this name instead.  Only if `named`. */
static inline void jdi_account_name(struct jdi_account *a, uint64_t name)
{
    JD_ASSERT(a->named);
    a->new_sum += name;
    a->new_xor ^= name;
}

/* A task with this id starts here.  The worker on which it ends counts it out. */
static inline void jdi_account_starts(struct jdi_account *a, uint64_t id)
{
    a->id_sum += id;
    a->id_xor ^= id;
}

/* A phase begins.  Returns how many tasks were counted in since the last phase ended. */
uint64_t jdi_account_begin(struct jdi_account *a);
/* A phase ends: add its counts to `sums`, and let the next phase count from here. */
void jdi_account_end(struct jdi_account *a, struct jdi_account_sums *sums);
/* Add what this phase has counted up to now to `in` and `out`.  The communication thread, at any time. */
void jdi_account_live(const struct jdi_account *a, struct jdi_account_sums *sums);
/* Add this phase to the four audit words: tasks created, tasks executed, and the sum and the xor of
 * the created ids less those of the executed ids.  Over all accounts of all ranks, words 1 and 2
 * are equal and words 3 and 4 are 0 if no task was lost. */
void jdi_account_audit(const struct jdi_account *a, uint64_t words[4]);
/* Assert what holds between phases.  Called by the owner, or when no other thread uses it. */
void jdi_account_check(const struct jdi_account *a);

#endif
