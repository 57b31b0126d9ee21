/*
 * oracle.c - the rules, each with its text.
 *
 * See: oracle.h; doc/termination.md section 6 for what is audited.
 */
#include "conform/oracle.h"

#include <stdarg.h>
#include <stdio.h>

void jdi_oracle_fail(struct jdi_world *w, const char *format, ...)
{
    va_list args;
    if (w->fault[0])
        return;
    va_start(args, format);
    vsnprintf(w->fault, sizeof w->fault, format, args);
    va_end(args);
}

bool jdi_oracle_quiescent(const struct jdi_world *w, unsigned coll, uint32_t phase)
{
    unsigned at = jdi_world_entry(w, coll * jdi_world_ranks(w), phase);
    return w->entered[at] == jdi_world_ranks(w) && w->left[at] == 0;
}

void jdi_oracle_announced(struct jdi_world *w, unsigned me, uint32_t phase,
                          const uint64_t stat[JDI_TD_STATS])
{
    const struct jdi_world_rank *r = &w->rank[me];
    uint32_t number = jdi_world_number(w, r->phase);
    unsigned at = jdi_world_entry(w, me, r->phase);
    if (phase != number || r->ended + 1 != r->phase)
        jdi_oracle_fail(w, "O6: rank %u announces phase %u but is in %u", me,
                        (unsigned)phase, (unsigned)number);
    else if (!jdi_oracle_quiescent(w, jdi_world_coll(w, me), r->phase))
        jdi_oracle_fail(
            w,
            "O1: rank %u announces phase %u: %u of %u ranks have entered, %u tasks left",
            me, (unsigned)phase, (unsigned)w->entered[at], jdi_world_ranks(w),
            (unsigned)w->left[at]);
    else if (!w->c.no_stats &&
             (stat[0] != w->tasks[at] || stat[1] != stat[0] ||
              stat[2] != jdi_world_ranks(w) || stat[JDI_TD_STATS - 1] != 0))
        jdi_oracle_fail(w, "O2: rank %u: the sums of phase %u are wrong", me,
                        (unsigned)phase);
}

void jdi_oracle_imported(struct jdi_world *w, unsigned me, uint32_t phase, bool open)
{
    const struct jdi_world_rank *r = &w->rank[me];
    bool is_open = phase == r->phase && r->ended < r->phase;
    if (phase <= r->ended)
        jdi_oracle_fail(w, "O5: a task of phase %u comes to rank %u after the end",
                        (unsigned)jdi_world_number(w, phase), me);
    else if (open != is_open)
        jdi_oracle_fail(
            w, "O6: imported says %s of a task of phase %u, rank %u is in phase %u",
            open ? "live" : "keep", (unsigned)jdi_world_number(w, phase), me,
            (unsigned)jdi_world_number(w, r->phase));
}

void jdi_oracle_stepped(struct jdi_world *w, unsigned me, bool over)
{
    unsigned coll = jdi_world_coll(w, me);
    uint32_t *after = &w->failed_after[coll];
    struct jdi_td_figures f;
    w->c.ops->figures(w->td[me], &f);
    if (over && f.failed > w->failed_seen[coll] &&
        (*after += (uint32_t)(f.failed - w->failed_seen[coll])) > w->c.max_failed)
        jdi_oracle_fail(w, "O4: %u waves failed after quiescence", (unsigned)*after);
    w->failed_seen[coll] = f.failed;
    if (*after > w->worst_failed)
        w->worst_failed = *after;
}

bool jdi_oracle_over(const struct jdi_world *w)
{
    for (unsigned i = 0; i < w->c.ranks; i++)
        if (w->rank[i].ended < jdi_world_phases(w))
            return false;
    return true;
}

void jdi_oracle_ended(struct jdi_world *w)
{
    w->over = jdi_oracle_over(w);
    if (w->over && w->nbag > 0)
        jdi_oracle_fail(w, "O5: %u messages are left after the end", (unsigned)w->nbag);
}

void jdi_oracle_end(struct jdi_world *w)
{
    if (!jdi_oracle_over(w))
        jdi_oracle_fail(
            w, "O4: deadlock: nothing can happen and not all ranks know the end");
    else if (w->nbag > 0)
        jdi_oracle_fail(w, "O5: %u messages are left after the end", (unsigned)w->nbag);
}

/* I2 of the protocol: one UP, one of NEXT and TERM, one TOKEN between two ranks. */
void jdi_oracle_sent(struct jdi_world *w, const struct jdi_world_packet *p)
{
    if (p->kind == JDI_WORLD_TASK || p->kind == JDI_WORLD_ACK)
        return;
    for (uint32_t i = 0; i < w->nbag; i++) {
        const struct jdi_world_packet *q = &w->bag[i];
        bool down = p->kind == JDI_WORLD_NEXT || p->kind == JDI_WORLD_TERM;
        if (q->src == p->src && q->dst == p->dst &&
            (q->kind == p->kind ||
             (down && (q->kind == JDI_WORLD_NEXT || q->kind == JDI_WORLD_TERM))))
            jdi_oracle_fail(w, "O6 (I2): two control messages from rank %u to rank %u",
                            (unsigned)p->src, (unsigned)p->dst);
    }
}

/* I1 and I3 of the protocol, which no rank can see alone. */
void jdi_oracle_audit(struct jdi_world *w, unsigned rank, uint32_t phase)
{
    unsigned first = rank - jdi_world_place(w, rank), n = jdi_world_ranks(w);
    uint32_t base = 0;
    int64_t balance = 0, flying = 0;
    uint32_t number = jdi_world_number(w, phase);
    int32_t low = 0, high = 0;
    bool any = false;
    for (unsigned i = first; i < first + n; i++) {
        if (w->rank[i].ended >= phase)
            return; /* its slot is cleared: the phase is over */
        uint32_t wave = w->c.lens->wave ? w->c.lens->wave(w->td[i], number) : 0;
        balance += w->c.lens->balance(w->td[i], number);
        base = any ? base : wave;
        any = true;
        int32_t d = (int32_t)(wave - base);
        low = d < low ? d : low;
        high = d > high ? d : high;
    }
    for (uint32_t i = 0; i < w->nbag; i++)
        flying += w->bag[i].kind == JDI_WORLD_TASK && w->bag[i].stamp.phase == number &&
                  w->bag[i].dst / n == rank / n;
    if (high - low > 1)
        jdi_oracle_fail(w, "O6 (I1): wave numbers differ by %d", (int)(high - low));
    if (balance != flying)
        jdi_oracle_fail(w, "O6 (I3): balance %d, messages %d", (int)balance, (int)flying);
}
