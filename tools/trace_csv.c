/*
 * trace_csv.c - a trace as lines of values with commas between them.
 *
 * Role: one line for each event, as it was recorded; the first line has the names of the columns.
 * See: doc/jackdaw-trace.1.md "CSV".
 */
#include "tools/trace.h"

#include <inttypes.h>
#include <string.h>

struct csv {
    const struct trace *t;
    const struct trace_thread *th;
    FILE *to;
};

/* What the row of each kind of events is. */
static const char *row_meaning(enum jdi_trace_kind kind)
{
    static const char *const meaning[] = {
        "",
#define JDI_EVENT(kind, name, row, a, b, text) row,
#include "core/trace.def"
#undef JDI_EVENT
    };
    return meaning[kind];
}

/* In quotes, because a name may have a comma; a quote in it is doubled. */
static void put_quoted(FILE *to, const char *text)
{
    putc('"', to);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', to);
        putc(*text, to);
    }
    putc('"', to);
}

static void put_line(void *ctx, const struct jdi_trace_event *e)
{
    const struct csv *c = ctx;
    enum jdi_trace_kind kind = jdi_trace_kind(e);
    const char *meaning = row_meaning(kind);
    char name[256] = "";
    bool task = kind == JDI_TRACE_TASK || kind == JDI_TRACE_TASK_LONG;
    if (!strcmp(meaning, "task"))
        snprintf(name, sizeof name, "%s", trace_row_name(c->t, jdi_trace_row(e)));
    else if (!strcmp(meaning, "home"))
        snprintf(name, sizeof name, "%u", jdi_trace_row(e));
    else if (*meaning)
        trace_coll_name(c->t, jdi_trace_row(e), name, sizeof name);
    fprintf(c->to, "%" PRIu32 ",%u,%" PRIu64 ",%s,", c->th->rank, c->th->owner,
            e->ns - c->t->begin, trace_kind_name(kind));
    put_quoted(c->to, name);
    fprintf(c->to, ",%" PRIu64 ",%" PRIu64 "\n", task ? trace_task_ns(e) : jdi_trace_a(e),
            e->b);
}

void trace_csv(const struct trace *t, FILE *to)
{
    fputs("rank,thread,ns,event,name,a,b\n", to);
    for (size_t i = 0; i < t->nthreads; i++) {
        struct csv c = {t, &t->thread[i], to};
        trace_each(c.th, put_line, &c);
    }
}
