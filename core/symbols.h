/*
 * symbols.h - where a thread stands, by names of functions.
 *
 * Role: the return addresses of the caller's stack, and the functions in which they lie, static ones too.
 * Owner: jdi_symbols_walk: any thread, for its own stack.  A table belongs to whoever has opened it.
 * Invariants: I1 the program's file is not believed: what is out of its bounds has no name.
 * See: sched/self.c, which keeps stacks; sched/wait/causes.c, which shows them; JACKDAW_STATE in doc/jackdaw-env.7.md.
 */
#ifndef JDI_CORE_SYMBOLS_H
#define JDI_CORE_SYMBOLS_H

#include "core/text.h"

enum { JDI_SYMBOLS_DEPTH = 24 }; /* of a stack, from the innermost frame on */

/* Write the return addresses of the caller and of its callers; returns how many.  The first call of a process loads
 * a library, so it is to be made where there is stack enough.  Not for signal handlers. */
unsigned jdi_symbols_walk(void *at[JDI_SYMBOLS_DEPTH]);

struct jdi_symbols;

/* The names of the program's functions; NULL if there is no memory.  Not for signal handlers. */
struct jdi_symbols *jdi_symbols_open(void);
void jdi_symbols_close(struct jdi_symbols *s);
/* The function to which that address returns; NULL: it has no name. */
const char *jdi_symbols_name(const struct jdi_symbols *s, const void *back);
/* Add it, without a name as a place in its file. */
void jdi_symbols_say(const struct jdi_symbols *s, const void *back, struct jdi_text *t);

#endif
