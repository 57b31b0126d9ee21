/*
 * trace_hosts.c - the clocks of several hosts made one.
 *
 * Role: finds the distance of each host's clock from that of the first rank's host, at the start and at the end of the job.
 * Owner: one thread.
 * Invariants: I1 nobody leaves a barrier before all have come to it: so of two ranks a and b, with `came` and `left` by
 *                their own clocks, came(b) - left(a) <= distance <= left(b) - came(a), where the distance is by how much
 *                b's clock is ahead.
 * See: doc/trace.md "Clocks"; sched/clocks.c, which writes down the barriers.
 */
#include "tools/trace.h"

enum { HALF = TRACE_MEETINGS / 2 };

/* Ranks of one host have one clock: of these who came last and who left first says most. */
void trace_hosts_met(struct trace_clock *h, uint32_t rank, unsigned round, uint64_t came,
                     uint64_t left)
{
    if (round >= TRACE_MEETINGS)
        return;
    h->first = rank < h->first ? rank : h->first;
    h->came[round] = came > h->came[round] ? came : h->came[round];
    h->left[round] = left < h->left[round] ? left : h->left[round];
}

/* ---- the distance of two clocks --------------------------------------------------------- */

static bool both_met(const struct trace_clock *a, const struct trace_clock *b, unsigned i)
{
    return a->left[i] != UINT64_MAX && b->left[i] != UINT64_MAX;
}

/* From the barriers first .. first + HALF - 1; false: there are none. */
static bool find_distance(const struct trace_clock *a, const struct trace_clock *b,
                          unsigned first, struct trace_distance *d)
{
    int64_t least = INT64_MIN, most = INT64_MAX;
    for (unsigned i = first; i < first + HALF; i++) {
        if (!both_met(a, b, i))
            continue;
        int64_t low = (int64_t)(b->came[i] - a->left[i]);
        int64_t high = (int64_t)(b->left[i] - a->came[i]);
        least = low > least ? low : least;
        most = high < most ? high : most;
        d->at = b->came[i];
    }
    if (least == INT64_MIN)
        return false;
    uint64_t width = most > least ? (uint64_t)(most - least) : (uint64_t)(least - most);
    d->ahead = most > least ? least + (int64_t)(width / 2) : most + (int64_t)(width / 2);
    d->doubt = width / 2 + 1;
    d->known = true;
    return true;
}

void trace_hosts_compare(struct trace *t)
{
    const struct trace_clock *of = NULL;
    for (size_t i = 0; i < t->nclocks; i++)
        if (t->clock[i].first != UINT32_MAX && (!of || t->clock[i].first < of->first))
            of = &t->clock[i];
    for (size_t i = 0; i < t->nclocks; i++) {
        struct trace_clock *h = &t->clock[i];
        if (h == of || h->first == UINT32_MAX)
            continue;
        h->shifted = find_distance(of, h, 0, &h->start);
        (void)find_distance(of, h, HALF, &h->end);
    }
}

uint64_t trace_hosts_time(const struct trace_clock *h, uint64_t ns)
{
    if (!h->shifted)
        return ns;
    double ahead = (double)(h->end.ahead - h->start.ahead);
    double part = 0;
    if (h->end.known && h->end.at > h->start.at)
        part = ((double)ns - (double)h->start.at) /
               ((double)h->end.at - (double)h->start.at);
    part = part < 0 ? 0 : part > 1 ? 1 : part;
    int64_t shift = h->start.ahead + (int64_t)(ahead * part);
    return shift > 0 && ns < (uint64_t)shift ? 0 : ns - (uint64_t)shift;
}

uint64_t trace_hosts_doubt(const struct trace_clock *h)
{
    return h->end.known && h->end.doubt > h->start.doubt ? h->end.doubt : h->start.doubt;
}
