/*
 * own.h - what belongs to a ULT although languages keep it for each thread.
 *
 * Role: errno and C++'s exceptions of the thread that runs a stream: kept when a ULT stops, brought
 *       back when it goes on.
 * Owner: the stream.
 * See: core/ult/ult.h I5; sched/finish/finish.c, where tasks run on the stack of another one.
 */
#ifndef JDI_CORE_ULT_OWN_H
#define JDI_CORE_ULT_OWN_H

#include <stdbool.h>

/*
 * A thread's exceptions: those that are handled now, the innermost first, and how many are on their
 * way to a handler.  This is __cxa_eh_globals of the Itanium C++ ABI, whose layout is fixed.
 */
struct jdi_exceptions {
    void *caught;
    unsigned uncaught;
#ifdef __ARM_EABI_UNWINDER__
    void *propagating;
#endif
};

struct jdi_own {
    int error; /* errno */
    struct jdi_exceptions exceptions;
};

/* Where a thread has them; constant after find. */
struct jdi_own_at {
    int *error;
    struct jdi_exceptions *exceptions; /* `none` in a program without C++ */
    struct jdi_exceptions none;
};

/*
 * Those of the calling thread.  The addresses are taken once, because a look costs a call, and because a
 * compiler may keep the address of a thread-local across a jump, although the ULT may then be on
 * another thread.
 */
void jdi_own_find(struct jdi_own_at *at);

static inline struct jdi_own jdi_own_keep(const struct jdi_own_at *at)
{
    return (struct jdi_own){*at->error, *at->exceptions};
}

static inline void jdi_own_bring(const struct jdi_own_at *at, const struct jdi_own *own)
{
    *at->error = own->error;
    *at->exceptions = own->exceptions;
}

/* Does the thread handle an exception, or is one on its way? */
static inline bool jdi_own_handles(const struct jdi_own_at *at)
{
    return at->exceptions->caught || at->exceptions->uncaught;
}

#endif
