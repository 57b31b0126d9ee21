/*
 * isoc23.c - C23 names that GASNet's libraries want from a C library older than 2.38.
 *
 * Role: forwards __isoc23_strtol and its kin to the functions of the same purpose; the
 *       difference, binary literals, is of no use to GASNet.
 * Owner: holds no state.
 * Invariants: I1 weak, so a C library that has the names wins; empty unless configure
 *                finds that it has not.
 * See: configure.ac (JDI_NEED_ISOC23).
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef JDI_NEED_ISOC23

#define SHIM __attribute__((weak))

long __isoc23_strtol(const char *text, char **end, int base);
unsigned long __isoc23_strtoul(const char *text, char **end, int base);
long long __isoc23_strtoll(const char *text, char **end, int base);
unsigned long long __isoc23_strtoull(const char *text, char **end, int base);
int __isoc23_sscanf(const char *text, const char *format, ...);
int __isoc23_fscanf(FILE *from, const char *format, ...);

SHIM long __isoc23_strtol(const char *text, char **end, int base)
{
    return strtol(text, end, base);
}

SHIM unsigned long __isoc23_strtoul(const char *text, char **end, int base)
{
    return strtoul(text, end, base);
}

SHIM long long __isoc23_strtoll(const char *text, char **end, int base)
{
    return strtoll(text, end, base);
}

SHIM unsigned long long __isoc23_strtoull(const char *text, char **end, int base)
{
    return strtoull(text, end, base);
}

SHIM int __isoc23_sscanf(const char *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsscanf(text, format, args);
    va_end(args);
    return n;
}

SHIM int __isoc23_fscanf(FILE *from, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vfscanf(from, format, args);
    va_end(args);
    return n;
}

#else

/* A translation unit must not be empty. */
extern int jdi_isoc23_is_not_needed;

#endif
