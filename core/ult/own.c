/*
 * own.c - what belongs to a ULT although languages keep it for each thread.
 *
 * See: own.h.
 */
#include "core/ult/own.h"

#include <errno.h>

/* The C++ ABI's own function.  Weak, because only a program that uses C++ has it: this library must
 * not bring C++ into any other one. */
void *__cxa_get_globals(void) __attribute__((weak, visibility("default")));

void jdi_own_find(struct jdi_own_at *at)
{
    at->error = &errno;
    at->exceptions = __cxa_get_globals ? __cxa_get_globals() : &at->none;
}
