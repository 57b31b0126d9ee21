/*
 * phases.c - which phase runs, by what has been signalled: a pure data structure.
 *
 * Role: see phases.h.
 * Invariants: those of phases.h.
 * See: phases.h; doc/phasers.md.
 */
#include "sched/wait/phases.h"

#include "core/container.h"

static struct jdi_signaller *signaller_of(struct jdi_link *e)
{
    return jdi_container_of(e, struct jdi_signaller, ahead);
}

static void leave_ahead(struct jdi_phases *p, struct jdi_signaller *s)
{
    jdi_line_leave(&p->ahead, &s->ahead);
    p->nahead--;
}

/* s->signals is new. */
static void note_signals(struct jdi_phases *p, struct jdi_signaller *s)
{
    if (s->signals > p->signalled)
        p->signalled = s->signals;
    if (s->signals < p->phase + 2 || jdi_link_is_in(&s->ahead))
        return;
    jdi_line_join(&p->ahead, &s->ahead);
    p->nahead++;
}

static uint64_t least_ahead(const struct jdi_phases *p)
{
    uint64_t least = UINT64_MAX;
    struct jdi_link *e = p->ahead.first;
    for (uint64_t n = p->nahead; n > 0; n--, e = e->next)
        if (signaller_of(e)->signals < least)
            least = signaller_of(e)->signals;
    return least;
}

/* The phase that I1 demands, when nobody lags. */
static uint64_t phase_to_come(const struct jdi_phases *p)
{
    if (!p->signallers)
        return p->signalled;
    return p->nahead < p->signallers ? p->phase + 1 : least_ahead(p);
}

/* The phase is another one: I2 again.  Those who were not ahead are where the next phase begins. */
static void sort_ahead(struct jdi_phases *p)
{
    struct jdi_link *e = p->ahead.first;
    p->lagging = p->signallers - p->nahead;
    for (uint64_t n = p->nahead; n > 0; n--) {
        struct jdi_link *next = e->next;
        uint64_t lead = signaller_of(e)->signals - p->phase;
        p->lagging += !lead;
        if (lead < 2)
            leave_ahead(p, signaller_of(e));
        e = next;
    }
}

static bool settle_phase(struct jdi_phases *p)
{
    uint64_t next = p->lagging ? p->phase : phase_to_come(p);
    JD_ASSERT(next >= p->phase);
    if (next == p->phase)
        return false;
    p->phase = next;
    sort_ahead(p);
    JD_ASSERT(p->lagging || !p->signallers);
    return true;
}

void jdi_phases_add(struct jdi_phases *p, struct jdi_signaller *s)
{
    JD_ASSERT(s->signals >= p->phase);
    s->ahead.next = NULL;
    p->signallers++;
    p->lagging += s->signals == p->phase;
    note_signals(p, s);
}

bool jdi_phases_signal(struct jdi_phases *p, struct jdi_signaller *s)
{
    JD_ASSERT(p->lagging && s->signals >= p->phase);
    p->lagging -= s->signals == p->phase;
    s->signals++;
    note_signals(p, s);
    return settle_phase(p);
}

bool jdi_phases_remove(struct jdi_phases *p, struct jdi_signaller *s)
{
    JD_ASSERT(p->lagging && p->signallers && s->signals >= p->phase);
    p->signallers--;
    p->lagging -= s->signals == p->phase;
    if (jdi_link_is_in(&s->ahead))
        leave_ahead(p, s);
    return settle_phase(p);
}

void jdi_phases_end(struct jdi_phases *p)
{
    while (p->ahead.first)
        jdi_line_leave(&p->ahead, p->ahead.first);
    *p = (struct jdi_phases){0};
}
