/*
 * log.h - messages for people, on standard error.
 *
 * Role: one line per message, "jackdaw: rank R: text"; and the end of the job on errors that
 *       cannot be returned.
 * Owner: one struct jdi_log per rank, constant after init; any thread may write.
 * Invariants: a line is written with one write(2), so lines of ranks do not mix.
 * See: ARCHITECTURE.md "Errors".
 */
#ifndef JDI_CORE_LOG_H
#define JDI_CORE_LOG_H

#include "core/base.h"

#include <stdarg.h>

enum jdi_log_level { JDI_LOG_ERROR, JDI_LOG_WARN, JDI_LOG_INFO, JDI_LOG_DEBUG };

/* Exit statuses of our own; everything else is the program's. */
enum jdi_exit {
    JDI_EXIT_PEER_DIED = 70, /* another rank died (SIGQUIT from the network layer) */
    JDI_EXIT_EARLY = 71,     /* a rank left without the end of jd_launch */
    JDI_EXIT_STALL = 72,     /* no progress for too long */
    JDI_EXIT_AUDIT = 74,     /* tasks created and executed do not balance */
    JDI_EXIT_OUTPUT = 75,    /* the program's output could not be written */
    JDI_EXIT_START = 78,     /* start-up error: bad knob, mismatch, no memory */
    JDI_EXIT_MEMORY = 79,    /* out of memory where nothing could be returned */
    JDI_EXIT_BUG = 80,       /* a broken invariant of ours */
    JDI_EXIT_PEER = 81       /* another rank sent a message that cannot be */
};

struct jdi_log {
    uint32_t rank, nranks;
    enum jdi_log_level level; /* messages above it are dropped */
    /* Ends the whole job; set once the transport is up, else NULL (then exit(3)). */
    void (*end_job)(void *ctx, int status);
    void *ctx;
};

/* Any thread, does not block on locks. */
void jdi_log(const struct jdi_log *log, enum jdi_log_level level, const char *format, ...)
    JDI_PRINTF(3, 4);
/* As jdi_log, on rank 0 only: for messages that are the same on every rank. */
void jdi_log_once(const struct jdi_log *log, enum jdi_log_level level, const char *format,
                  ...) JDI_PRINTF(3, 4);
/* Start-up or run cannot go on: print, end the job with `status`.  Does not return. */
void jdi_die(const struct jdi_log *log, int status, const char *format, ...) JD_NORETURN
    JDI_PRINTF(3, 4);
/* Flush the program's streams.  Returns status, but JDI_EXIT_OUTPUT instead of 0 if output was lost, now or
 * before. */
int jdi_log_flush(const struct jdi_log *log, int status);
/* What was asked for is shown, whatever the level. */
void jdi_log_show(const char *format, ...) JDI_PRINTF(1, 2);
/* All others use this: "jackdaw: ", prefix, text, newline in one write(2). */
void jdi_log_line(const char *prefix, const char *format, va_list args) JDI_PRINTF(2, 0);

#endif
