/*
 * figures.c - what a whole job has counted, and how it was run.
 *
 * Role: sums, spreads, and the lines of ranks and threads for people.
 * Owner: rank 0, or each rank.
 * Invariants: I1 of figures.h.
 * Order: none.
 * See: figures.h.
 */
#include "core/figures.h"

#include <inttypes.h>
#include <math.h>

void jdi_figures_add_up(struct jdi_figures_rank *r)
{
    r->all = (struct jdi_stats){0};
    for (uint32_t i = 0; i < r->nthreads; i++)
        jdi_stats_add(&r->all, &r->thread[i]);
}

void jdi_figures_spread(const struct jdi_figures *f, uint32_t at, bool is_most,
                        struct jdi_figures_spread *out)
{
    struct jdi_figures_spread s = {.least = UINT64_MAX};
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < f->n; i++) {
        uint64_t v = jdi_stats_words(&f->rank[i].all)[at];
        s.sum += v;
        s.least = v < s.least ? v : s.least;
        s.most = v > s.most ? v : s.most;
        sum += (double)v;
    }
    if (!f->n)
        s.least = 0;
    s.mean = f->n ? sum / f->n : 0;
    for (uint32_t i = 0; i < f->n; i++) {
        double off = (double)jdi_stats_words(&f->rank[i].all)[at] - s.mean;
        squares += off * off;
    }
    s.deviation = f->n ? sqrt(squares / f->n) : 0;
    if (is_most)
        s.sum = s.most;
    *out = s;
}

void jdi_figures_of_job(const struct jdi_figures *f, struct jdi_stats *sum,
                        struct jdi_stats *least, struct jdi_stats *most)
{
    uint64_t *words[] = {(uint64_t *)(void *)sum, (uint64_t *)(void *)least,
                         (uint64_t *)(void *)most};
    for (size_t i = 0; jdi_stats_row(i); i++) {
        const struct jdi_stats_row *row = jdi_stats_row(i);
        for (uint32_t at = row->at; at < row->at + row->n; at++) {
            struct jdi_figures_spread s;
            jdi_figures_spread(f, at, row->kind == JDI_STATS_KIND_MOST, &s);
            words[0][at] = s.sum;
            words[1][at] = s.least;
            words[2][at] = s.most;
        }
    }
}

static double share(uint64_t part, uint64_t all)
{
    return all ? 100.0 * (double)part / (double)all : 0;
}

static void print_line(FILE *to, const char *who, const struct jdi_stats *s)
{
    fprintf(to,
            "%-26s %14" PRIu64 " %10.3f %6.1f%% %6.1f%% %6.1f%% %8.1f%% %9.1f%% %10.3f\n",
            who, s->executed, 1e-9 * (double)s->ns_life, share(s->ns_work, s->ns_life),
            share(s->ns_steal, s->ns_life), share(s->ns_idle, s->ns_life),
            share(s->ns_progress, s->ns_life), share(s->ns_detect, s->ns_life),
            1e-9 * (double)s->ns_cpu);
}

void jdi_figures_print(FILE *to, const struct jdi_figures *f)
{
    fprintf(to, "%-26s %14s %10s %7s %7s %7s %9s %10s %10s\n", "ranks and threads",
            "tasks executed", "seconds", "work", "steal", "idle", "progress", "detection",
            "processor");
    for (uint32_t i = 0; i < f->n; i++) {
        const struct jdi_figures_rank *r = &f->rank[i];
        char who[JDI_FIGURES_HOST + 32];
        snprintf(who, sizeof who, "rank %u on %s", r->rank, r->host);
        print_line(to, who, &r->all);
        for (uint32_t t = 0; t < r->nthreads && r->nthreads > 2; t++) {
            const struct jdi_stats *s = &r->thread[t];
            bool last = t + 1 == r->nthreads;
            if (last && !s->ns_life) /* worker 0 communicates */
                continue;
            snprintf(who, sizeof who, last ? "  communication" : "  worker %u", t);
            print_line(to, who, s);
        }
    }
}
