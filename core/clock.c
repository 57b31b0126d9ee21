/*
 * clock.c - see clock.h.
 */
#include "core/clock.h"

#include <string.h>

void jdi_clock_start(struct jdi_clock *c, enum jdi_activity a, uint64_t now_ns)
{
    memset(c, 0, sizeof *c);
    c->now = a;
    c->since = now_ns;
}

void jdi_clock_switch(struct jdi_clock *c, enum jdi_activity a, uint64_t now_ns)
{
    if (a == c->now)
        return;
    c->ns[c->now] += now_ns - c->since;
    c->now = a;
    c->since = now_ns;
}
