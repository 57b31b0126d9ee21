/*
 * figures_json.c - the figures as JSON.
 *
 * Role: writes the object of jdi_figures_json.
 * Owner: who calls it.
 * Invariants: I1 what is written is as tools/stats.schema.json says.
 * Order: none.
 * See: figures.h; tools/stats.schema.json; doc/jackdaw-stats.7.md "THE FILES".
 */
#include "core/figures.h"
#include "core/json.h"
#include "core/knobs.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <time.h>

enum { SCHEMA = 1 };

static void write_knobs(struct jdi_json *j, const struct jdi_knobs *knobs)
{
    jdi_json_open(j, "knobs", '[');
    for (size_t i = 0; knobs && jdi_knobs_row(i); i++) {
        char value[4096];
        jdi_knobs_show(knobs, i, value, sizeof value);
        jdi_json_open_flat(j, NULL, '{');
        jdi_json_text(j, "name", jdi_knobs_row(i)->name);
        jdi_json_text(j, "value", value);
        jdi_json_text(j, "origin", jdi_knobs_origin(knobs, i));
        jdi_json_close(j, '}');
    }
    jdi_json_close(j, ']');
}

static void write_run(struct jdi_json *j, const struct jdi_figures *f)
{
    char start[32];
    time_t at = (time_t)f->started;
    struct tm utc;
    strftime(start, sizeof start, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&at, &utc));
    jdi_json_open(j, "run", '{');
    jdi_json_text(j, "program", f->program);
    jdi_json_open_flat(j, "arguments", '[');
    for (int i = 0; i < f->argc; i++)
        jdi_json_text(j, NULL, f->argv[i]);
    jdi_json_close(j, ']');
    jdi_json_text(j, "job", f->job);
    jdi_json_text(j, "id", f->id);
    jdi_json_text(j, "version", PACKAGE_VERSION);
    jdi_json_text(j, "network", f->network);
    jdi_json_text(j, "network_version", f->network_version);
    jdi_json_text(j, "engine", f->engine);
    jdi_json_number(j, "ranks", f->nranks);
    jdi_json_number(j, "workers", f->n ? f->rank[0].nthreads - 1 : 0);
    jdi_json_text(j, "communication", f->communication);
    jdi_json_text(j, "start", start);
    jdi_json_real(j, "wall_seconds", f->wall);
    jdi_json_truth(j, "virtual_time", f->is_virtual);
    jdi_json_number(j, "status", (uint64_t)f->status);
    write_knobs(j, f->knobs);
    jdi_json_close(j, '}');
}

/* ---- what was counted ------------------------------------------------------------------- */

static void describe_counters(struct jdi_json *j)
{
    static const char *const kinds[] = {
        [JDI_STATS_KIND_SUM] = "sum",
        [JDI_STATS_KIND_MOST] = "most",
        [JDI_STATS_KIND_TIMES] = "classes",
        [JDI_STATS_KIND_NUMBERS] = "classes",
    };
    jdi_json_open(j, "counters", '[');
    for (size_t i = 0; jdi_stats_row(i); i++) {
        const struct jdi_stats_row *row = jdi_stats_row(i);
        jdi_json_open_flat(j, NULL, '{');
        jdi_json_text(j, "name", row->name);
        jdi_json_text(j, "text", row->text);
        jdi_json_text(j, "kind", kinds[row->kind]);
        if (row->n > 1) {
            jdi_json_open_flat(j, "bounds", '[');
            for (uint32_t k = 0; k + 1 < row->n; k++)
                jdi_json_number(j, NULL, jdi_stats_bound(row, k));
            jdi_json_close(j, ']');
        }
        jdi_json_close(j, '}');
    }
    jdi_json_close(j, ']');
}

static void write_thread(struct jdi_json *j, const char *name, const struct jdi_stats *s)
{
    const uint64_t *words = jdi_stats_words(s);
    jdi_json_open_flat(j, name, '{');
    for (size_t i = 0; jdi_stats_row(i); i++) {
        const struct jdi_stats_row *row = jdi_stats_row(i);
        if (row->n == 1) {
            jdi_json_number(j, row->name, words[row->at]);
            continue;
        }
        jdi_json_open_flat(j, row->name, '[');
        for (uint32_t k = 0; k < row->n; k++)
            jdi_json_number(j, NULL, words[row->at + k]);
        jdi_json_close(j, ']');
    }
    jdi_json_close(j, '}');
}

static void write_rank(struct jdi_json *j, const struct jdi_figures_rank *r)
{
    jdi_json_open(j, NULL, '{');
    jdi_json_number(j, "rank", r->rank);
    jdi_json_text(j, "host", r->host);
    write_thread(j, "all", &r->all);
    jdi_json_open(j, "workers", '[');
    for (uint32_t t = 0; t + 1 < r->nthreads; t++)
        write_thread(j, NULL, &r->thread[t]);
    jdi_json_close(j, ']');
    write_thread(j, "communication", &r->thread[r->nthreads - 1]);
    jdi_json_close(j, '}');
}

static void write_spread(struct jdi_json *j, const struct jdi_figures *f,
                         const struct jdi_stats_row *row, const char *name, uint32_t at)
{
    struct jdi_figures_spread s;
    jdi_figures_spread(f, at, row->kind == JDI_STATS_KIND_MOST, &s);
    jdi_json_open_flat(j, name, '{');
    jdi_json_number(j, "sum", s.sum);
    jdi_json_number(j, "least", s.least);
    jdi_json_real(j, "mean", s.mean);
    jdi_json_number(j, "most", s.most);
    jdi_json_real(j, "deviation", s.deviation);
    jdi_json_close(j, '}');
}

static void write_job(struct jdi_json *j, const struct jdi_figures *f)
{
    struct jdi_stats sum, least, most;
    jdi_figures_of_job(f, &sum, &least, &most);
    jdi_json_open(j, "job", '{');
    for (size_t i = 0; jdi_stats_row(i); i++) {
        const struct jdi_stats_row *row = jdi_stats_row(i);
        if (row->n == 1) {
            write_spread(j, f, row, row->name, row->at);
            continue;
        }
        jdi_json_open_flat(j, row->name, '[');
        for (uint32_t k = 0; k < row->n; k++)
            jdi_json_number(j, NULL, jdi_stats_words(&sum)[row->at + k]);
        jdi_json_close(j, ']');
    }
    jdi_json_close(j, '}');
}

static void write_phases(struct jdi_json *j, const struct jdi_figures *f)
{
    jdi_json_open(j, "phases", '[');
    for (uint32_t i = 0; i < f->nphases; i++) {
        const struct jdi_figures_phase *p = &f->phase[i];
        jdi_json_open_flat(j, NULL, '{');
        jdi_json_text(j, "collection", p->name);
        jdi_json_number(j, "phase", p->number);
        jdi_json_number(j, "began_ns", p->began_ns);
        jdi_json_number(j, "ended_ns", p->ended_ns);
        jdi_json_number(j, "tasks", p->tasks);
        jdi_json_close(j, '}');
    }
    jdi_json_close(j, ']');
    jdi_json_number(j, "phases_lost", f->lost_phases);
}

static void write_finishes(struct jdi_json *j, const struct jdi_figures *f)
{
    jdi_json_open(j, "finishes", '[');
    for (uint32_t i = 0; i < f->nfinishes; i++) {
        const struct jdi_figures_finish *p = &f->finish[i];
        jdi_json_open_flat(j, NULL, '{');
        jdi_json_number(j, "number", p->number);
        jdi_json_truth(j, "all_ranks", p->all_ranks);
        jdi_json_number(j, "began_ns", p->began_ns);
        jdi_json_number(j, "ended_ns", p->ended_ns);
        jdi_json_number(j, "tasks", p->tasks);
        jdi_json_close(j, '}');
    }
    jdi_json_close(j, ']');
    jdi_json_number(j, "finishes_lost", f->lost_finishes);
}

void jdi_figures_json(FILE *to, const struct jdi_figures *f)
{
    struct jdi_json j;
    jdi_json_init(&j, to);
    jdi_json_open(&j, NULL, '{');
    jdi_json_text(&j, "format", "jackdaw-stats");
    jdi_json_number(&j, "version", SCHEMA);
    write_run(&j, f);
    describe_counters(&j);
    jdi_json_open(&j, "ranks", '[');
    for (uint32_t i = 0; i < f->n; i++)
        write_rank(&j, &f->rank[i]);
    jdi_json_close(&j, ']');
    write_job(&j, f);
    write_phases(&j, f);
    write_finishes(&j, f);
    jdi_json_close(&j, '}');
}
