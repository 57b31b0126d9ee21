/*
 * clock.c - see clock.h.
 */
#include "core/clock.h"

void jdi_clock_start(struct jdi_clock *c, uint64_t now_ns, uint64_t cpu_ns)
{
    /* Field by field, because the communication thread may read the parts from now on. */
    for (unsigned i = 0; i < JDI_ACTIVITIES; i++)
        jdi_stats_set(&c->ns[i], 0);
    jdi_stats_set(&c->since, now_ns);
    c->life = now_ns;
    c->cpu = cpu_ns;
}

void jdi_clock_end(struct jdi_clock *c, enum jdi_activity a, uint64_t now_ns,
                   uint64_t cpu_ns)
{
    jdi_clock_book(c, a, now_ns);
    c->life = now_ns - c->life;
    c->cpu = cpu_ns - c->cpu;
}
