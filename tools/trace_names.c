/*
 * trace_names.c - what people read of a trace.
 *
 * Role: names of kinds, rows, collections and threads; times.
 * Owner: one thread.
 * See: tools/trace.h.
 */
#include "tools/trace.h"

#include <inttypes.h>

const char *trace_kind_name(enum jdi_trace_kind kind)
{
    static const char *const name[] = {
        "none",
#define JDI_EVENT(kind, name, row, a, b, text) #name,
#include "core/trace.def"
#undef JDI_EVENT
    };
    return kind < JDI_TRACE_KINDS ? name[kind] : name[0];
}

const char *trace_row_name(const struct trace *t, uint32_t row)
{
    return row < t->nrows && t->row[row] ? t->row[row] : "-";
}

void trace_coll_name(const struct trace *t, uint32_t coll, char *out, size_t room)
{
    if (coll < t->ncolls && t->coll[coll])
        snprintf(out, room, "%s", t->coll[coll]);
    else
        snprintf(out, room, "collection %" PRIu32, coll);
}

void trace_thread_name(const struct trace_thread *th, char *out, size_t room)
{
    if (th->of->known && th->owner >= th->of->workers)
        snprintf(out, room, "communication");
    else
        snprintf(out, room, "worker %u", th->owner);
}

const char *trace_show_ns(double ns, char text[24])
{
    static const char *const unit[] = {"ns", "us", "ms", "s"};
    unsigned i = 0;
    for (; ns >= 999.5 && i < 3; i++)
        ns /= 1000;
    snprintf(text, 24, "%.*f %s", ns < 9.995 ? 2 : ns < 99.95 ? 1 : 0, ns, unit[i]);
    return text;
}
