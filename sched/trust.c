/*
 * trust.c - how far the times of seeds foretell the next ones.
 *
 * Role: sums, the line through them, and what a seed weighs by it.
 * Invariants: I1 of trust.h.
 * See: trust.h.
 */
#include "sched/trust.h"

/* Nearly all: the line is taken to be the model itself, and its noise is not followed. */
static const double nearly_all = 0.95;

void jdi_trust_add(double sum[JDI_TRUST_SUMS], const struct jdi_model *m,
                   const struct jdi_origin *o)
{
    struct jdi_origin before = *o;
    sum[JDI_TRUST_ALL] += 1;
    sum[JDI_TRUST_NEXT] += (double)jdi_model_ns(m, o);
    for (unsigned i = 0; i < JDI_ORIGIN_TIMES; i++)
        before.time[i] = i + 1 < JDI_ORIGIN_TIMES ? o->time[i + 1] : 0;
    double x = (double)jdi_model_ns(m, &before), y = (double)jdi_origin_ns(o->time[0]);
    if (!before.time[0])
        return;
    sum[JDI_TRUST_KNOWN] += 1;
    sum[JDI_TRUST_FORESEEN] += x;
    sum[JDI_TRUST_WAS] += y;
    sum[JDI_TRUST_FORESEEN_SQUARED] += x * x;
    sum[JDI_TRUST_PRODUCT] += x * y;
}

struct jdi_trust jdi_trust_of(const double sum[JDI_TRUST_SUMS])
{
    double n = sum[JDI_TRUST_KNOWN], all = sum[JDI_TRUST_ALL];
    double x = n > 0 ? sum[JDI_TRUST_FORESEEN] / n : 0;
    double spread = n > 0 ? sum[JDI_TRUST_FORESEEN_SQUARED] / n - x * x : 0;
    struct jdi_trust t = {1, all > 0 ? sum[JDI_TRUST_NEXT] / all : 0};
    /* If all seeds take as long, there is no line, and nothing depends on it. */
    if (spread <= 1e-6 * x * x)
        return t;
    t.slope = (sum[JDI_TRUST_PRODUCT] / n - x * sum[JDI_TRUST_WAS] / n) / spread;
    if (!(t.slope > 0))
        t.slope = 0;
    if (t.slope > nearly_all)
        t.slope = 1;
    return t;
}

uint64_t jdi_trust_ns(const struct jdi_trust *t, uint64_t ns)
{
    if (t->slope >= 1 || ns == 0)
        return ns;
    double weight = t->mean + t->slope * ((double)ns - t->mean);
    return weight > 1 ? (uint64_t)weight : 1;
}
