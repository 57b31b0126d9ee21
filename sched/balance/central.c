/*
 * central.c - Algorithm 1: rank 0 gathers what is too much, and assigns it.
 *
 * Role: every rank donates its shortest tasks until its load is at most C times the average; rank 0
 *       gives the longest task to the rank with the least load, until no task is left.
 * Invariants: I1 rank 0 assigns when all ranks have donated, in the order of ranks, so that the
 *                order of arrival does not matter.
 * See: balance.h, machine.h; paper 003, Algorithm 1; doc/balance.md section 3.
 */
#include "sched/balance/letter.h"
#include "sched/balance/stock.h"

#include <string.h>

enum { WORD_LOAD };

/* Rank 0: of each rank its donation and its load. */
struct donation {
    struct jdi_lots pool;
    uint64_t load;
    bool here;
};

struct central {
    struct donation *of; /* by rank; NULL at others than rank 0 */
    uint32_t missing;
};

static struct central *central_of(const struct jdi_balance *b)
{
    return b->own;
}

/* ---- rank 0 ------------------------------------------------------------------------------ */

/* All donations in one list, which takes their memory's place. */
static int pool_donations(struct jdi_balance *b, struct jdi_lots *pool)
{
    struct central *c = central_of(b);
    int rc = 0;
    for (uint32_t r = 0; !rc && r < b->c.nranks; r++) {
        rc = jdi_lots_append(pool, c->of[r].pool.at, c->of[r].pool.n, b->c.fault);
        jdi_lots_free(&c->of[r].pool);
    }
    return rc;
}

/* The longest task to the rank with the least load, until no task is left. */
static int assign_all(struct jdi_balance *b, const struct jdi_lots *pool)
{
    struct central *c = central_of(b);
    struct jdi_keys task = {0}, load = {0};
    int rc = jdi_lots_keys_init(&task, pool->n, b->c.fault);
    if (!rc)
        rc = jdi_lots_keys_init(&load, b->c.nranks, b->c.fault);
    for (uint32_t i = 0; !rc && i < pool->n; i++)
        jdi_lots_keys_add(&task, ~pool->at[i].time, i);
    for (uint32_t r = 0; !rc && r < b->c.nranks; r++)
        jdi_lots_keys_add(&load, c->of[r].load, r);
    jdi_lots_keys_build(&task);
    jdi_lots_keys_build(&load);
    while (!rc && task.n > 0) {
        struct donation *to = &c->of[load.at[0].what];
        const struct jdi_lot *lot = &pool->at[task.at[0].what];
        to->load += lot->time;
        rc = jdi_lots_add(&to->pool, *lot, b->c.fault);
        jdi_lots_keys_change(&load, to->load);
        jdi_lots_keys_drop(&task);
    }
    b->work += task.steps + load.steps;
    jdi_lots_keys_fini(&task);
    jdi_lots_keys_fini(&load);
    return rc;
}

static int scatter(struct jdi_balance *b)
{
    struct central *c = central_of(b);
    int rc = 0;
    for (uint32_t r = 1; !rc && r < b->c.nranks; r++) {
        struct donation *to = &c->of[r];
        const struct jdi_balance_head what = {.type = JDI_BALANCE_SCATTER,
                                              .word = {[WORD_LOAD] = to->load}};
        b->work += jdi_lots_sort(&to->pool);
        rc = jdi_letter_send(b, r, &what, to->pool.at, to->pool.n);
    }
    b->work += jdi_lots_sort(&c->of[0].pool);
    if (!rc)
        rc = jdi_stock_accept(b, c->of[0].pool.at, c->of[0].pool.n);
    return rc ? rc : jdi_balance_planned(b);
}

static int assign_if_all_here(struct jdi_balance *b)
{
    struct jdi_lots pool = {0};
    if (central_of(b)->missing > 0)
        return 0;
    int rc = pool_donations(b, &pool);
    if (!rc)
        rc = assign_all(b, &pool);
    jdi_lots_free(&pool);
    return rc ? rc : scatter(b);
}

/* ---- all ranks ---------------------------------------------------------------------------- */

static int central_begin(struct jdi_balance *b)
{
    struct central *c = central_of(b);
    struct jdi_balance_head what = {.type = JDI_BALANCE_GATHER};
    struct jdi_lots pool = {0};
    int rc = jdi_stock_donate(b, b->limit, &pool);
    what.word[WORD_LOAD] = b->load;
    if (!rc && b->c.rank > 0)
        rc = jdi_letter_send(b, 0, &what, pool.at, pool.n);
    if (rc || b->c.rank > 0) {
        jdi_lots_free(&pool);
        return rc;
    }
    c->of = jdi_zalloc(b->c.fault, b->c.nranks * sizeof *c->of);
    if (!c->of) {
        jdi_lots_free(&pool);
        return JD_ENOMEM;
    }
    c->of[0] = (struct donation){pool, b->load, true};
    c->missing = b->c.nranks - 1;
    return assign_if_all_here(b);
}

static const char *fault_of_gather(const struct jdi_balance *b,
                                   const struct jdi_balance_in *in)
{
    const struct central *c = central_of(b);
    if (!c->of || c->of[in->src].here)
        return "a donation that nobody waits for";
    if (in->head.word[WORD_LOAD] > b->figures.most_before)
        return "a donation that leaves too much";
    for (uint32_t i = 0; i < in->n; i++)
        if (in->lot[i].rank != in->src)
            return "a donation of a task of somebody else";
    return jdi_stock_fault(b, in->lot, in->n);
}

static const char *fault_of_scatter(const struct jdi_balance *b,
                                    const struct jdi_balance_in *in)
{
    uint64_t load = b->load;
    const char *fault = jdi_stock_fault(b, in->lot, in->n);
    if (b->c.rank == 0 || in->src != 0 || b->own_judged)
        return "an assignment that nobody waits for";
    if (fault)
        return fault;
    for (uint32_t i = 0; i < in->n; i++)
        load += in->lot[i].time;
    return load == in->head.word[WORD_LOAD] ? NULL : "an assignment that does not add up";
}

static const char *central_fault(const struct jdi_balance *b,
                                 const struct jdi_balance_in *in)
{
    if (in->head.step != 0)
        return "a step where there is none";
    if (in->head.type == JDI_BALANCE_GATHER)
        return fault_of_gather(b, in);
    if (in->head.type == JDI_BALANCE_SCATTER)
        return fault_of_scatter(b, in);
    return "a message of another balancer";
}

static int central_message(struct jdi_balance *b, const struct jdi_balance_in *in)
{
    struct central *c = central_of(b);
    if (in->head.type == JDI_BALANCE_SCATTER) {
        int rc = jdi_stock_accept(b, in->lot, in->n);
        return rc ? rc : jdi_balance_planned(b);
    }
    struct donation *from = &c->of[in->src];
    int rc = jdi_lots_append(&from->pool, in->lot, in->n, b->c.fault);
    from->load = in->head.word[WORD_LOAD];
    from->here = true;
    c->missing--;
    return rc ? rc : assign_if_all_here(b);
}

static void central_end(struct jdi_balance *b)
{
    struct central *c = central_of(b);
    for (uint32_t r = 0; c->of && r < b->c.nranks; r++)
        jdi_lots_free(&c->of[r].pool);
    jdi_free(c->of);
    *c = (struct central){0};
}

const struct jdi_balance_ops jdi_balance_central = {
    .name = "central",
    .size = sizeof(struct central),
    .begin = central_begin,
    .fault = central_fault,
    .message = central_message,
    .end = central_end,
};
