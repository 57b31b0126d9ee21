/*
 * log.c - messages for people, on standard error.
 *
 * Role: build a line in a buffer on the stack and hand it to write(2) in one piece.
 * Owner: any thread; the only state is the caller's const struct jdi_log.
 * Invariants: I1 a message is one line, whatever newlines its text has.
 *             I2 a line is at most LINE_BYTES, below PIPE_BUF, so pipes, too, keep it whole.
 *             I3 errno does not change, so that a message can be put anywhere.
 * Order: none; messages do not use stdio and its locks.
 * See: core/log.h, test/unit/core_log_*.
 */
#include "core/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_BYTES = 2048 };

/* A failure to write a message cannot be told to anybody, so it is dropped. */
static void write_all(const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t done = write(STDERR_FILENO, bytes, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return;
        bytes += done;
        n -= (size_t)done;
    }
}

/* I1: newlines at the end go, those inside become blanks. */
static size_t flatten(char *text, size_t n)
{
    while (n > 0 && text[n - 1] == '\n')
        n--;
    for (size_t i = 0; i < n; i++)
        if (text[i] == '\n' || text[i] == '\r')
            text[i] = ' ';
    return n;
}

void jdi_log_line(const char *prefix, const char *format, va_list args)
{
    static const char cut[] = "...";
    int saved_errno = errno;
    char line[LINE_BYTES];
    size_t room = sizeof line - 1; /* the last byte is for the newline */
    size_t head, n;

    snprintf(line, room, "jackdaw: %s", prefix);
    head = strlen(line);
    vsnprintf(line + head, room - head, format, args);
    n = strlen(line);
    if (n == room - 1)
        memcpy(line + n - strlen(cut), cut, strlen(cut));
    n = flatten(line, n);
    line[n++] = '\n';
    write_all(line, n);
    errno = saved_errno;
}

void jdi_log_show(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    jdi_log_line("", format, args);
    va_end(args);
}

static void log_args(const struct jdi_log *log, const char *format, va_list args)
{
    char prefix[32] = "";

    /* Before the network is up there is no rank to name. */
    if (log->nranks > 0)
        snprintf(prefix, sizeof prefix, "rank %u: ", (unsigned)log->rank);
    jdi_log_line(prefix, format, args);
}

void jdi_log(const struct jdi_log *log, enum jdi_log_level level, const char *format, ...)
{
    va_list args;

    if (level > log->level)
        return;
    va_start(args, format);
    log_args(log, format, args);
    va_end(args);
}

void jdi_log_once(const struct jdi_log *log, enum jdi_log_level level, const char *format,
                  ...)
{
    va_list args;

    if (level > log->level || log->rank != 0)
        return;
    va_start(args, format);
    log_args(log, format, args);
    va_end(args);
}

void jdi_die(const struct jdi_log *log, int status, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    log_args(log, format, args);
    va_end(args);
    if (log->end_job)
        log->end_job(log->ctx, status);
    exit(status);
}

/* Of the other streams only what is still in them can be known. */
int jdi_log_flush(const struct jdi_log *log, int status)
{
    errno = 0;
    if (!fflush(NULL) && !ferror(stdout))
        return status;
    if (errno)
        jdi_log(log, JDI_LOG_ERROR, "output could not be written: %s", strerror(errno));
    else
        jdi_log(log, JDI_LOG_ERROR, "output could not be written");
    return status ? status : JDI_EXIT_OUTPUT;
}
