/*
 * text.h - text of a bounded length, put together piece by piece.
 *
 * Role: what a report is written into before anybody prints or sends it.
 * Owner: one thread.
 * Invariants: I1 the text ends with a zero byte and fits into its room; what does not fit is cut off.
 * See: sched/wait/causes.c, sched/live/state.c.
 */
#ifndef JDI_CORE_TEXT_H
#define JDI_CORE_TEXT_H

#include "core/base.h"

struct jdi_text {
    char *at;
    size_t used, room; /* bytes, `used` without the zero byte */
};

/* An empty text in the caller's room, of one byte or more. */
static inline struct jdi_text jdi_text_in(char *at, size_t room)
{
    at[0] = '\0';
    return (struct jdi_text){.at = at, .room = room};
}
static inline void jdi_text_clear(struct jdi_text *t)
{
    t->used = 0;
    t->at[0] = '\0';
}
void jdi_text_add(struct jdi_text *t, const char *format, ...) JDI_PRINTF(2, 3);

#endif
