/*
 * wanted.h - what JACKDAW_STATS asks for.
 *
 * Role: reads "1", "full,explain" or "json:FILE,csv:FILE" into a struct.
 * Owner: the caller.
 * See: doc/jackdaw-env.7.md; test/unit/core_wanted_*.
 */
#ifndef JDI_CORE_WANTED_H
#define JDI_CORE_WANTED_H

#include "core/outfile.h"

struct jdi_wanted {
    bool any;     /* something of the following */
    bool table;   /* the table of counters */
    bool full;    /* with a line for each rank and each worker */
    bool explain; /* what cost most */
    /* Patterns of file names, empty: no file. */
    char json[JDI_OUTFILE_NAME], csv[JDI_OUTFILE_NAME];
};

/* Is it "0"?  Asked first where memory is dear: the struct takes pages of a stack. */
static inline bool jdi_wanted_nothing(const char *text)
{
    return text[0] == '0' && !text[1];
}
/* 0, or JD_EINVAL. */
int jdi_wanted_parse(const char *text, struct jdi_wanted *out) JD_MUST_CHECK;
/* Does rank 0 need what all ranks have counted? */
bool jdi_wanted_gathers(const struct jdi_wanted *want);

#endif
