/*
 * text.c - text of a bounded length, put together piece by piece.
 *
 * Role: see text.h.
 * Owner: one thread.
 * Invariants: I1 of text.h.
 * See: text.h.
 */
#include "core/text.h"

#include <stdarg.h>
#include <stdio.h>

void jdi_text_add(struct jdi_text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->at + t->used, t->room - t->used, format, args);
    va_end(args);
    t->used += n > 0 ? (size_t)n : 0;
    t->used = t->used < t->room ? t->used : t->room - 1;
}
