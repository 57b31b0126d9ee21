/*
 * outfile.h - files that a job leaves behind.
 *
 * Role: makes the name of a file from a pattern, sees at the start of a job whether the file can be written,
 *       and writes it at the end under a name of its own, until all of it is there.
 * Owner: one thread.
 * Invariants: I1 a reader never sees half of a file: under its name there is what was there before, or
 *                all of it.
 *             I2 a job that does not come to its end leaves nothing.
 * See: doc/jackdaw-env.7.md, JACKDAW_STATS; test/unit/core_outfile_*.
 */
#ifndef JDI_CORE_OUTFILE_H
#define JDI_CORE_OUTFILE_H

#include "core/base.h"

#include <stdio.h>

enum { JDI_OUTFILE_NAME = 1024 };

/* What stands for %r, %h and %j in a pattern; %% is a percent sign. */
struct jdi_outfile_names {
    uint32_t rank;
    const char *host, *job;
};

/* Is the pattern not empty, and is each percent sign in it one of the four? */
bool jdi_outfile_fits(const char *pattern, size_t n);
/* Has each rank a file of its own?  Each host? */
bool jdi_outfile_of_rank(const char *pattern);
bool jdi_outfile_of_host(const char *pattern);
/* The name, of up to `room` bytes with its end.  0, or JD_EINVAL: it is too long. */
int jdi_outfile_name(const char *pattern, const struct jdi_outfile_names *names,
                     char *name, size_t room) JD_MUST_CHECK;

struct jdi_outfile {
    FILE *to;                    /* NULL: nothing is written now */
    char name[JDI_OUTFILE_NAME]; /* what the file will be called; empty: there is none */
    char part[JDI_OUTFILE_NAME +
              8]; /* and is called while it is written; empty: it is no regular file */
};

/* See whether `name` can be written, and leave nothing behind; 0, or what errno has. */
int jdi_outfile_try(struct jdi_outfile *f, const char *name) JD_MUST_CHECK;
/* Open it, to write to f->to.  After jdi_outfile_try; 0, or what errno has. */
int jdi_outfile_open(struct jdi_outfile *f) JD_MUST_CHECK;
/* All is written: give the file its name.  0, or what errno has; the file is closed in any case. */
int jdi_outfile_done(struct jdi_outfile *f) JD_MUST_CHECK;

#endif
