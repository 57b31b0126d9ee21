/*
 * figures_csv.c - the figures as comma-separated values.
 *
 * Role: writes the lines of jdi_figures_csv.
 * Owner: who calls it.
 * Invariants: I1 each line has as many columns as the first one (RFC 4180).
 * Order: none.
 * See: figures.h; doc/jackdaw-stats.7.md "THE FILES".
 */
#include "core/figures.h"

#include <inttypes.h>
#include <string.h>

static void quote_field(FILE *to, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, to);
        return;
    }
    fputc('"', to);
    for (; *text; text++)
        fprintf(to, *text == '"' ? "\"\"" : "%c", *text);
    fputc('"', to);
}

static void name_columns(FILE *to)
{
    fputs("scope,rank,worker,host", to);
    for (size_t i = 0; jdi_stats_row(i); i++) {
        const struct jdi_stats_row *row = jdi_stats_row(i);
        for (uint32_t k = 0; k < row->n; k++)
            if (row->n == 1)
                fprintf(to, ",%s", row->name);
            else if (k + 1 < row->n)
                fprintf(to, ",%s_%" PRIu64, row->name, jdi_stats_bound(row, k));
            else
                fprintf(to, ",%s_more", row->name);
    }
    fputc('\n', to);
}

static void write_counters(FILE *to, const struct jdi_stats *s)
{
    for (size_t i = 0; jdi_stats_row(i); i++) {
        const struct jdi_stats_row *row = jdi_stats_row(i);
        for (uint32_t k = 0; k < row->n; k++)
            fprintf(to, ",%" PRIu64, jdi_stats_words(s)[row->at + k]);
    }
    fputc('\n', to);
}

static void write_threads(FILE *to, const struct jdi_figures_rank *r)
{
    for (uint32_t t = 0; t < r->nthreads; t++) {
        if (t + 1 < r->nthreads)
            fprintf(to, "worker,%u,%u,", r->rank, t);
        else
            fprintf(to, "communication,%u,,", r->rank);
        quote_field(to, r->host);
        write_counters(to, &r->thread[t]);
    }
    fprintf(to, "rank,%u,,", r->rank);
    quote_field(to, r->host);
    write_counters(to, &r->all);
}

void jdi_figures_csv(FILE *to, const struct jdi_figures *f)
{
    struct jdi_stats sum, least, most;
    name_columns(to);
    for (uint32_t i = 0; i < f->n; i++)
        write_threads(to, &f->rank[i]);
    if (f->n < f->nranks)
        return; /* a rank's own file */
    jdi_figures_of_job(f, &sum, &least, &most);
    fputs("job,,,", to);
    write_counters(to, &sum);
}
