/*
 * run_words.c - words of command lines.
 *
 * Role: lists of words, quotes for the shell, numbers, and the way to refuse.
 * Owner: as run.h says.
 * Invariants: I1 what run_words_quote returns is one word to any POSIX shell, with the same bytes.
 * Order: none.
 * See: tools/run.h.
 */
#include "tools/run.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OF_ANYTHING = 1048576 };

void run_refuse(int status, const char *format, ...)
{
    va_list args;

    fflush(stdout);
    fputs("jackdaw-run: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(status);
}

void run_words_add(struct run_words *w, const char *format, ...)
{
    va_list args;
    char **at = realloc(w->at, (w->n + 2) * sizeof *at);
    int length;

    if (!at)
        run_refuse(RUN_CANNOT, "%s", jd_strerror(JD_ENOMEM));
    w->at = at;
    va_start(args, format);
    length = vasprintf(&at[w->n], format, args);
    va_end(args);
    if (length < 0)
        run_refuse(RUN_CANNOT, "%s", jd_strerror(JD_ENOMEM));
    at[++w->n] = NULL;
}

void run_words_free(struct run_words *w)
{
    for (size_t i = 0; i < w->n; i++)
        free(w->at[i]);
    free(w->at);
    *w = (struct run_words){NULL, 0};
}

char *run_words_more(char *text, const char *format, ...)
{
    va_list args;
    char *more, *both;

    va_start(args, format);
    if (vasprintf(&more, format, args) < 0 ||
        asprintf(&both, "%s%s", text ? text : "", more) < 0)
        run_refuse(RUN_CANNOT, "%s", jd_strerror(JD_ENOMEM));
    va_end(args);
    free(more);
    free(text);
    return both;
}

static bool needs_quotes(const char *text)
{
    for (const char *c = text; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_-./=:,@%+", *c))
            return true;
    return !*text;
}

char *run_words_quote(const char *text)
{
    /* Each quote becomes four characters: '\'' */
    char *quoted = malloc(4 * strlen(text) + 3), *to = quoted;

    if (!quoted)
        run_refuse(RUN_CANNOT, "%s", jd_strerror(JD_ENOMEM));
    if (!needs_quotes(text))
        return strcpy(quoted, text);
    *to++ = '\'';
    for (; *text; text++) {
        if (*text == '\'')
            to = stpcpy(to, "'\\'");
        *to++ = *text;
    }
    strcpy(to, "'");
    return quoted;
}

long run_words_number(const char *text, long least)
{
    char *end;
    long n;

    if (!isdigit((unsigned char)*text))
        return -1;
    errno = 0;
    n = strtol(text, &end, 10);
    return errno || *end || n < least || n > MOST_OF_ANYTHING ? -1 : n;
}
