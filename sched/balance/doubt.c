/*
 * doubt.c - what can be wrong with a whole message.
 *
 * See: doubt.h.
 */
#include "sched/balance/doubt.h"
#include "sched/balance/shape.h"

#define TASKS_MOST (UINT64_C(1) << 40)

static bool has_said(const struct jdi_balance *b, uint32_t child)
{
    return b->said[child / 64] >> child % 64 & 1;
}

static bool is_rank_sums(const uint64_t w[])
{
    return w[SUM_TASKS] <= TASKS_MOST && w[SUM_SUM] <= JDI_BALANCE_SUM_MOST &&
           w[SUM_LARGEST] <= JDI_BALANCE_TIME_MOST && w[SUM_LARGEST] <= w[SUM_MOST] &&
           w[SUM_MOST] <= w[SUM_SUM] && (w[SUM_TASKS] > 0 || w[SUM_SUM] == 0);
}

static const char *fault_of_sum(const struct jdi_balance *b,
                                const struct jdi_balance_in *in)
{
    const uint64_t *w = in->head.word;
    uint32_t child = jdi_shape_child(b, in->src);
    if (b->state != JDI_BALANCE_SUMS || child == UINT32_MAX || has_said(b, child))
        return "sums that nobody waits for";
    if (!is_rank_sums(w) || w[SUM_PLANNED] != 0)
        return "sums that cannot be";
    if (b->below.sum + w[SUM_SUM] > JDI_BALANCE_SUM_MOST ||
        b->below.tasks + w[SUM_TASKS] > TASKS_MOST)
        return "sums that are too large with those of others";
    return NULL;
}

static const char *fault_of_average(const struct jdi_balance *b,
                                    const struct jdi_balance_in *in)
{
    const uint64_t *w = in->head.word;
    const struct jdi_balance_figures *f = &b->below;
    if (b->state != JDI_BALANCE_SUMS || b->missing > 0 || b->c.rank == 0 ||
        in->src != jdi_shape_parent(b, b->c.rank))
        return "an average that nobody waits for";
    if (!is_rank_sums(w) || w[SUM_PLANNED] > 1 || w[SUM_TASKS] < f->tasks ||
        w[SUM_SUM] < f->sum || w[SUM_LARGEST] < f->largest ||
        w[SUM_MOST] < f->most_before)
        return "an average that cannot be";
    return NULL;
}

static const char *fault_of_judge(const struct jdi_balance *b,
                                  const struct jdi_balance_in *in)
{
    const uint64_t *w = in->head.word;
    const struct jdi_balance_figures *f = &b->below;
    uint32_t child = jdi_shape_child(b, in->src);
    if ((b->state != JDI_BALANCE_PLANS && b->state != JDI_BALANCE_JUDGES) ||
        child == UINT32_MAX || has_said(b, child))
        return "figures that nobody waits for";
    if (w[JUDGE_TASKS] > b->figures.tasks - f->tasks ||
        w[JUDGE_SUM] > b->figures.sum - f->sum || w[JUDGE_MOST] > w[JUDGE_SUM] ||
        w[JUDGE_MOVED] > b->figures.tasks - f->moved ||
        w[JUDGE_BYTES] > w[JUDGE_MOVED] * UINT32_MAX)
        return "figures that cannot be";
    return NULL;
}

static const char *fault_of_verdict(const struct jdi_balance *b,
                                    const struct jdi_balance_in *in)
{
    const uint64_t *w = in->head.word;
    const struct jdi_balance_figures *f = &b->below;
    bool taken = false;
    if (b->state != JDI_BALANCE_JUDGES || b->missing > 0 || !b->own_judged ||
        b->c.rank == 0 || in->src != jdi_shape_parent(b, b->c.rank))
        return "a verdict that nobody waits for";
    for (uint32_t i = 0; i < b->n; i++)
        taken |= b->to[i] < JDI_BALANCE_GONE;
    if (w[VERDICT_KEPT] > 1 || w[VERDICT_MOST] < f->most_after ||
        w[VERDICT_MOVED] < f->moved || w[VERDICT_MOVED] > b->figures.tasks ||
        w[VERDICT_BYTES] < f->moved_bytes ||
        (w[VERDICT_KEPT] ? w[VERDICT_MOST] >= b->figures.most_before : taken))
        return "a verdict that cannot be";
    return NULL;
}

static const char *fault_of_taken(const struct jdi_balance *b,
                                  const struct jdi_balance_in *in)
{
    bool waits = b->state == JDI_BALANCE_SETTLES || b->state == JDI_BALANCE_JUDGES;
    if (!waits || !b->own_judged || in->n == 0)
        return "a taker that nobody waits for";
    for (uint32_t i = 0; i < in->n; i++)
        if (in->lot[i].time != 0 || in->lot[i].rank != b->c.rank ||
            in->lot[i].place >= b->n || b->to[in->lot[i].place] != JDI_BALANCE_GONE ||
            (i > 0 && in->lot[i].place <= in->lot[i - 1].place))
            return "a taker of a task that is not given away";
    return NULL;
}

const char *jdi_doubt_fault(const struct jdi_balance *b, const struct jdi_balance_in *in)
{
    if (in->head.session != b->session)
        return "a message of another session";
    if (in->head.type > JDI_BALANCE_TAKEN)
        return b->state == JDI_BALANCE_PLANS || b->state == JDI_BALANCE_JUDGES
                   ? b->c.ops->fault(b, in)
                   : "a message of a plan that nobody makes";
    if (in->head.step != 0 || (in->n > 0 && in->head.type != JDI_BALANCE_TAKEN))
        return "a list or a step where none can be";
    switch (in->head.type) {
    case JDI_BALANCE_SUM:
        return fault_of_sum(b, in);
    case JDI_BALANCE_AVERAGE:
        return fault_of_average(b, in);
    case JDI_BALANCE_JUDGE:
        return fault_of_judge(b, in);
    case JDI_BALANCE_VERDICT:
        return fault_of_verdict(b, in);
    default:
        return fault_of_taken(b, in);
    }
}
