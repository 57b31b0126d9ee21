/*
 * human.c - see human.h.
 *
 * Role: see human.h.
 * Order: none.
 * See: human.h.
 */
#include "core/human.h"

#include <inttypes.h>
#include <stdio.h>

void jdi_human_scaled(double n, char *out, size_t room)
{
    static const char letters[] = " kMGTPE";
    size_t i = 0;
    for (; n >= 999.5 && i + 2 < sizeof letters; i++)
        n /= 1000;
    int digits = n < 9.995 && i ? 2 : n < 99.95 && i ? 1 : 0;
    snprintf(out, room, "%.*f%.*s", digits, n, i ? 1 : 0, &letters[i]);
}

void jdi_human_number(uint64_t n, char *out, size_t room)
{
    enum { EXACT_BELOW = 10000000 };
    if (n < EXACT_BELOW)
        snprintf(out, room, "%" PRIu64, n);
    else
        jdi_human_scaled((double)n, out, room);
}

void jdi_human_time(uint64_t ns, char *out, size_t room)
{
    uint64_t s = (ns + 500000000) / 1000000000, m = s / 60, h = m / 60;
    if (s < 60)
        snprintf(out, room, "%" PRIu64 "s", s);
    else if (h == 0)
        snprintf(out, room, "%" PRIu64 "m%02" PRIu64 "s", m, s % 60);
    else if (h < 48)
        snprintf(out, room, "%" PRIu64 "h%02" PRIu64 "m", h, m % 60);
    else
        snprintf(out, room, "%" PRIu64 "d%02" PRIu64 "h", h / 24, h % 24);
}
