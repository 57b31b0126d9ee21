/*
 * tdtest.h - the parts of jackdaw-tdtest.
 *
 * Role: what is tested, with which effort, and how it is reported.
 * Owner: one thread.
 * Invariants: I1 a layer reports at least one result.
 * See: doc/jackdaw-tdtest.1.md; tools/jackdaw-tdtest.c.
 */
#ifndef JDI_TOOLS_TDTEST_H
#define JDI_TOOLS_TDTEST_H

#include "conform/conform.h"
#include "core/base.h"

#include <stdatomic.h>
#include <stdio.h>

enum { TDTEST_RANKS = 32 };
/* How a job ends: bits of its status. */
enum { TDTEST_WRONG = 1, TDTEST_OPEN = 2 };

struct tdtest {
    struct jd_conform_subject subject;
    const char *name;     /* of the subject */
    const char *argument; /* of --detector, for a line that can be pasted */
    /* The effort. */
    bool scripts, exhaustive, walk, timed, mutants;
    uint64_t walks, seed, seeds, jobs, max_waves, max_states;
    uint64_t ranks[TDTEST_RANKS]; /* 0 of them: as each layer likes */
    unsigned nranks;
    uint64_t pause_min, pause_max;
    uint64_t sends; /* 0: as each layer likes */
    bool has_max_waves, has_max_failed;
    const char *replay, *data, *save;
    FILE *data_file;
    /* The results so far: lines, those that are wrong, and those that are not decided. */
    unsigned count, failed, open;
    bool in_job; /* a child of tdtest_each */
    _Atomic bool
        *stop; /* shared by jobs: one has failed; relaxed, because it only saves time */
    bool progress;   /* a line on standard error that is written over */
    int interrupted; /* by this signal */
};

/* One TAP line; true if passed. */
bool tdtest_ok(struct tdtest *t, bool passed, const char *format, ...) JDI_PRINTF(3, 4);
/* One TAP line of something that was not decided, which is no success. */
void tdtest_undecided(struct tdtest *t, const char *why, const char *format, ...)
    JDI_PRINTF(3, 4);
/* A line of a table or an explanation: "# ..." on standard output. */
void tdtest_say(const char *format, ...) JDI_PRINTF(1, 2);
/* Written over by the next; NULL wipes it.  Only if standard error is a terminal. */
void tdtest_progress(const struct tdtest *t, const char *format, ...) JDI_PRINTF(2, 3);
/* The rule that broke, if one did, and the chart. */
void tdtest_explain(const struct jd_conform_run *run);
/* And before that the command that shows it again, if there is one. */
void tdtest_accuse(const struct tdtest *t, const struct jd_conform_run *run);

/* tdtest_pool.c.  Call fn for each job, in --jobs processes at a time, and print what the jobs
 * print in their order; what they change in t is lost but for failed and open. */
void tdtest_each(struct tdtest *t, unsigned jobs, bool last_first,
                 void (*fn)(struct tdtest *t, unsigned job));
/* In a job: another one has failed already. */
bool tdtest_is_stopped(const struct tdtest *t);
/* In a job: a line for --data, if there is one. */
void tdtest_put_data(const struct tdtest *t, const char *text);

/* The layers, each in a file of its own. */
void tdtest_scripts(struct tdtest *t);
void tdtest_exhaustive(struct tdtest *t);
/* False, after a message, if there is nothing to go on from; see `interrupted` too. */
bool tdtest_walks(struct tdtest *t);
void tdtest_timed(struct tdtest *t);
void tdtest_mutants(struct tdtest *t);
/* Returns false, after a message, if the text is no schedule. */
bool tdtest_replay(struct tdtest *t);

/* tdtest_save.c.  How many walks are known to have passed; false, after a message, if the file
 * is no good. */
bool tdtest_resume(const struct tdtest *t, uint64_t *done);
void tdtest_save(const struct tdtest *t, uint64_t done);
void tdtest_save_end(const struct tdtest *t);

/* Fill the detector from --detector; false after a message. */
bool tdtest_find(struct tdtest *t, const char *name);
void tdtest_list(FILE *out);

#endif
