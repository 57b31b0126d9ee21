/*
 * err.c - the texts of the error codes, and the last resort.
 *
 * Role: jd_strerror, and jdi_panic for a broken invariant of ours.
 * Owner: nobody; holds no state.
 * Invariants: I1 every code of JD_ERRORS has its text, every other number has one too.
 * Order: none.
 * See: include/jackdaw.h (JD_ERRORS), core/base.h (JD_CHECK), test/unit/core_err_*.
 */
#include "core/base.h"
#include "core/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *jd_strerror(int code)
{
    switch (code) {
#define JD_ERROR_TEXT(name, value, text)                                                 \
    case name:                                                                           \
        return text;
        JD_ERRORS(JD_ERROR_TEXT)
#undef JD_ERROR_TEXT
    case JD_OK:
        return "success";
    default:
        return "unknown error code";
    }
}

void jdi_panic(const char *file, int line, const char *format, ...)
{
    char where[256];
    va_list args;

    snprintf(where, sizeof where, "%s:%d: ", file, line);
    va_start(args, format);
    jdi_log_line(where, format, args);
    va_end(args);
    abort();
}
