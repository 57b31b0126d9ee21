/*
 * options.h - what the examples share that are told by options.
 *
 * Role: reads a number, and ends with the text that says how to call the program.
 * See: examples/kpn.c.
 */
#ifndef JDI_EXAMPLES_OPTIONS_H
#define JDI_EXAMPLES_OPTIONS_H

#include "jackdaw.h"

#include <stdio.h>
#include <stdlib.h>

/* 1 if the text is a whole number within these bounds; then it is in *out. */
static inline int read_number(const char *text, int64_t least, int64_t most, int64_t *out)
{
    char *end;
    *out = strtoll(text, &end, 10);
    return end != text && !*end && *out >= least && *out <= most;
}

/* The status of a body that was called with the option argv[bad], which is wrong; bad < 0: the user wants the
 * text. */
static inline int end_with_usage(const jd_self *me, const char *program, char **argv,
                                 int bad, const char *usage)
{
    if (jd_rank(me) == 0 && bad > 0)
        fprintf(stderr, "%s: bad option '%s'\n%s", program, argv[bad], usage);
    else if (jd_rank(me) == 0)
        fputs(usage, stdout);
    return bad > 0 ? 2 : 0;
}

#endif
