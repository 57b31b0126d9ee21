/*
 * stock.c - the tasks that a rank has in a session: what leaves, what comes.
 *
 * See: stock.h.
 */
#include "sched/balance/stock.h"

int jdi_stock_donate(struct jdi_balance *b, uint64_t limit, struct jdi_lots *pool)
{
    uint32_t n = 0;
    uint64_t load = b->load;
    for (; load > limit; n++)
        load -= b->have.at[n].time;
    int rc = jdi_lots_append(pool, b->have.at, n, b->c.fault);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < n; i++)
        if (b->have.at[i].rank == b->c.rank)
            b->to[b->have.at[i].place] = JDI_BALANCE_GONE;
    jdi_lots_behead(&b->have, n);
    b->load = load;
    b->work += n;
    return 0;
}

int jdi_stock_accept(struct jdi_balance *b, const struct jdi_lot *lot, uint32_t n)
{
    int rc = jdi_lots_merge(&b->have, lot, n, b->c.fault);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < n; i++) {
        b->load += lot[i].time;
        if (lot[i].rank == b->c.rank)
            b->to[lot[i].place] = JDI_BALANCE_HERE;
    }
    b->work += n > 0 ? b->have.n : 0;
    return 0;
}

static bool has_lot(const struct jdi_lots *l, const struct jdi_lot *lot)
{
    uint32_t from = 0, to = l->n;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (jdi_lots_before(&l->at[middle], lot))
            from = middle + 1;
        else
            to = middle;
    }
    return from < l->n && !jdi_lots_before(lot, &l->at[from]);
}

const char *jdi_stock_fault(const struct jdi_balance *b, const struct jdi_lot *lot,
                            uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (lot[i].rank >= b->c.nranks || lot[i].time > b->figures.largest)
            return "a task of no rank, or longer than the longest";
        if (i > 0 && !jdi_lots_before(&lot[i - 1], &lot[i]))
            return "tasks that do not ascend";
        if (lot[i].rank == b->c.rank &&
            (lot[i].place >= b->n || b->to[lot[i].place] != JDI_BALANCE_GONE ||
             b->task[lot[i].place].time != lot[i].time))
            return "a task that this rank has not given away";
        if (has_lot(&b->have, &lot[i]))
            return "a task that this rank has already";
    }
    return NULL;
}

void jdi_stock_remove(struct jdi_balance *b, const struct jdi_lot *lot, uint32_t n)
{
    uint32_t kept = 0, next = 0;
    for (uint32_t i = 0; i < b->have.n; i++) {
        const struct jdi_lot *have = &b->have.at[i];
        if (next == n || jdi_lots_before(have, &lot[next])) {
            b->have.at[kept++] = *have;
            continue;
        }
        JD_CHECK(!jdi_lots_before(&lot[next], have));
        b->load -= have->time;
        if (have->rank == b->c.rank)
            b->to[have->place] = JDI_BALANCE_GONE;
        next++;
    }
    JD_CHECK_EQ(next, n);
    b->work += b->have.n;
    b->have.n = kept;
}
