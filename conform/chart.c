/*
 * chart.c - draws a trace as a sequence chart.
 *
 * Role: one column per rank, one row per action, an arrow where a message arrives.
 * Invariants: I2 no text is wider than its column.
 * See: chart.h.
 */
#include "conform/chart.h"

#include <string.h>

enum { WIDTH = 16, ROWS = 200, LEFT = 6, LINE = LEFT + WIDTH * JDI_WORLD_RANKS + 64 };

static char *column(char *line, unsigned rank)
{
    return line + LEFT + WIDTH * rank;
}

static void write_at(char *at, const char *text)
{
    memcpy(at, text, strlen(text));
}

/* What happens, without who. */
static void describe(const struct jdi_world_event *e, const uint32_t *number, char *text,
                     size_t len)
{
    const char *name = jdi_world_kind_name((enum jdi_world_kind)e->kind);
    switch (e->kind) {
    case JDI_WORLD_ENTER:
        snprintf(text, len, "enter %u +%u", (unsigned)e->phase + 1, e->peer);
        break;
    case JDI_WORLD_SEND:
    case JDI_WORLD_MOVE:
        snprintf(text, len, "%s to %u", name,
                 number ? (unsigned)number[e->peer] : e->peer);
        break;
    case JDI_WORLD_BACK:
        snprintf(text, len, "takes back");
        break;
    case JDI_WORLD_UP:
    case JDI_WORLD_TOKEN:
        snprintf(text, len, "%s %d%s", name, (int)e->sum, e->flag ? " black" : "");
        break;
    default:
        snprintf(text, len, "%s", name);
    }
    size_t n = strlen(text);
    if (e->ended)
        snprintf(text + n, len - n, " ENDS %u", (unsigned)e->phase);
    else if (e->said)
        snprintf(text + n, len - n, " >%s",
                 jdi_world_kind_name((enum jdi_world_kind)e->said));
}

/* From the column of src to that of dst; the text stands at dst. */
static void arrow(char *line, unsigned src, unsigned dst, size_t textlen)
{
    char *from = column(line, src), *to = column(line, dst);
    if (src < dst) {
        memset(from + 1, '-', (size_t)(to - from) - 2);
        to[-1] = '>';
    } else {
        char *start = to + textlen + 1;
        memset(start, '-', (size_t)(from - start));
        *start = '<';
    }
    *from = 'o';
}

static void print_row(FILE *out, uint64_t row, const struct jdi_world_event *e,
                      unsigned ranks, const uint32_t *number, const char *prefix)
{
    char line[LINE], text[WIDTH + 16], head[LEFT + 8];
    memset(line, ' ', sizeof line);
    line[LEFT + WIDTH * ranks + 16] = '\0';
    snprintf(head, sizeof head, "%4u", (unsigned)(row % 10000));
    memcpy(line, head, 4);
    for (unsigned r = 0; r < ranks; r++)
        *column(line, r) = '|';
    describe(e, number, text, sizeof text);
    bool arrives = e->kind >= JDI_WORLD_TASK && e->kind <= JDI_WORLD_ACK &&
                   e->kind != JDI_WORLD_BACK;
    if (arrives && e->peer != e->rank)
        arrow(line, e->peer, e->rank, strlen(text));
    write_at(column(line, e->rank), text);
    for (size_t n = strlen(line); n > 0 && line[n - 1] == ' '; n--)
        line[n - 1] = '\0';
    fprintf(out, "%s%s\n", prefix, line);
}

void jdi_chart_print(FILE *out, const struct jdi_world_trace *t, unsigned ranks,
                     const uint32_t *number, const char *prefix)
{
    uint64_t first = t->count > ROWS ? t->count - ROWS : 0;
    fprintf(out, "%s%*s", prefix, LEFT, "");
    for (unsigned r = 0; r < ranks; r++) {
        unsigned name = number ? (unsigned)number[r] : r;
        int wide = fprintf(out, "rank %u", name);
        if (r + 1 < ranks)
            fprintf(out, "%*s", WIDTH - wide, "");
    }
    fprintf(out, "\n");
    if (first > 0)
        fprintf(out, "%s      %llu rows before are left out\n", prefix,
                (unsigned long long)first);
    for (uint64_t i = first; i < t->count; i++)
        print_row(out, i + 1, &t->event[i % JDI_WORLD_TRACE], ranks, number, prefix);
}
