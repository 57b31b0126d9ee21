/*
 * model.c - how long a seed of a timed collection will take, from what it took before.
 *
 * Role: the last time, the median, the straight line.
 * Invariants: I1 and I2 of model.h.
 * See: model.h.
 */
#include "sched/model.h"

#include "sched/balance/balance.h"

/* The known times, the last phase first.  Returns how many. */
static unsigned known_times(const struct jdi_model *m, const struct jdi_origin *o,
                            uint64_t ns[JDI_ORIGIN_TIMES])
{
    unsigned n = 0;
    while (n < m->phases && o->time[n]) {
        ns[n] = jdi_origin_ns(o->time[n]);
        n++;
    }
    return n;
}

/* Of an even number the mean of the two in the middle. */
static uint64_t median_of(uint64_t ns[], unsigned n)
{
    for (unsigned i = 1; i < n; i++)
        for (unsigned k = i; k > 0 && ns[k - 1] > ns[k]; k--) {
            uint64_t more = ns[k - 1];
            ns[k - 1] = ns[k];
            ns[k] = more;
        }
    uint64_t below = ns[(n - 1) / 2], above = ns[n / 2];
    return below + (above - below) / 2;
}

/* The least-squares line through the times, one phase further.  Phase -i took ns[i], so it is about phase 1. */
static uint64_t trend_of(const uint64_t ns[], unsigned n)
{
    double mean_at = -0.5 * (n - 1), mean = 0, slope = 0;
    for (unsigned i = 0; i < n; i++)
        mean += (double)ns[i] / n;
    for (unsigned i = 0; i < n; i++)
        slope += (-(double)i - mean_at) * (double)ns[i];
    slope *= n > 1 ? 12.0 / n / ((double)n * n - 1) : 0;
    double next = mean + slope * (1 - mean_at);
    return next > 1 ? (uint64_t)next : 1; /* a seed that gets shorter still has to run */
}

uint64_t jdi_model_ns(const struct jdi_model *m, const struct jdi_origin *o)
{
    uint64_t ns[JDI_ORIGIN_TIMES], next;
    unsigned n = known_times(m, o, ns);
    JD_ASSERT(m->phases >= 1 && m->phases <= JDI_ORIGIN_TIMES);
    if (n == 0)
        return 0;
    switch (m->kind) {
    case JD_LOAD_MEDIAN:
        next = median_of(ns, n);
        break;
    case JD_LOAD_TREND:
        next = trend_of(ns, n);
        break;
    case JD_LOAD_LAST:
    default:
        next = ns[0];
        break;
    }
    return next < JDI_BALANCE_TIME_MOST ? next : JDI_BALANCE_TIME_MOST;
}
