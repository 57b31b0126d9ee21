/*
 * report_read.c - from files of JACKDAW_STATS=json to runs.
 *
 * Role: takes from the tree what a report needs, and says where a file is not as tools/stats.schema.json has it.
 * Owner: one thread.
 * Invariants: I1 nothing of a file is believed: each value is looked at before it is used.
 *             I2 a counter that the file does not have is 0, because an older library had none of it; the parts
 *                of time and the number of tasks have to be there.
 * See: tools/report.h; doc/jackdaw-stats.7.md "THE FILES".
 */
#include "tools/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SCHEMA = 1, RANKS_MOST = 1 << 24 };

struct reader {
    const char *file;
    bool failed;
};

static void fault(struct reader *r, const struct json_node *at, const char *name,
                  const char *what)
{
    if (!r->failed)
        fprintf(stderr, "jackdaw-report: %s:%u: %s%s%s\n", r->file, at->line, name,
                *name ? " " : "", what);
    r->failed = true;
}

/* The member of that name and kind; where it is not, what stands for it is empty. */
static const struct json_node *member(struct reader *r, const struct json_node *of,
                                      const char *name, enum json_kind kind)
{
    static const struct json_node nothing = {.text = ""};
    const struct json_node *n = json_tree_member(of, name);
    char what[64];
    if (n && n->kind == kind)
        return n;
    snprintf(what, sizeof what, "is not %s", json_tree_kind(kind));
    fault(r, n ? n : of, name, n ? what : "is missing");
    return &nothing;
}

static const char *text_of(struct reader *r, const struct json_node *of, const char *name)
{
    return member(r, of, name, JSON_TEXT)->text;
}

static uint64_t count_at(struct reader *r, const struct json_node *n, const char *name)
{
    if (!n->is_count)
        fault(r, n, name, "is no count");
    return n->count;
}

static uint64_t count_of(struct reader *r, const struct json_node *of, const char *name)
{
    const struct json_node *n = json_tree_member(of, name);
    if (n)
        return count_at(r, n, name);
    fault(r, of, name, "is missing");
    return 0;
}

/* ---- the run ---------------------------------------------------------------------------- */

static void read_arguments(struct reader *r, const struct json_node *of,
                           struct jdi_figures *f)
{
    const struct json_node *list = member(r, of, "arguments", JSON_LIST);
    f->argv = trace_grow(NULL, list->n, sizeof *f->argv);
    for (const struct json_node *n = list->first; n; n = n->next) {
        if (n->kind != JSON_TEXT)
            fault(r, n, "an argument", "is not a text");
        f->argv[f->argc++] = (char *)n->text;
    }
}

static void read_settings(struct reader *r, const struct json_node *of,
                          struct report_run *run)
{
    const struct json_node *list = member(r, of, "knobs", JSON_LIST);
    run->setting = trace_grow(NULL, list->n, sizeof *run->setting);
    for (const struct json_node *n = list->first; n; n = n->next) {
        struct report_setting *s = &run->setting[run->nsettings++];
        s->name = text_of(r, n, "name");
        s->value = text_of(r, n, "value");
        s->is_default = !strcmp(text_of(r, n, "origin"), "default");
    }
}

static void read_run(struct reader *r, const struct json_node *root,
                     struct report_run *run)
{
    const struct json_node *of = member(r, root, "run", JSON_OBJECT);
    struct jdi_figures *f = &run->f;
    if (r->failed)
        return;
    f->program = text_of(r, of, "program");
    f->job = text_of(r, of, "job");
    f->id = text_of(r, of, "id");
    f->network = text_of(r, of, "network");
    f->network_version = text_of(r, of, "network_version");
    f->engine = text_of(r, of, "engine");
    f->communication = text_of(r, of, "communication");
    f->wall = member(r, of, "wall_seconds", JSON_NUMBER)->real;
    f->is_virtual = member(r, of, "virtual_time", JSON_TRUTH)->true_;
    f->status = (int)member(r, of, "status", JSON_NUMBER)->real;
    run->version = text_of(r, of, "version");
    run->start = text_of(r, of, "start");
    read_arguments(r, of, f);
    read_settings(r, of, run);
    uint64_t ranks = count_of(r, of, "ranks");
    if (ranks < 1 || ranks > RANKS_MOST)
        fault(r, of, "ranks", "is no number of ranks");
    f->nranks = (uint32_t)ranks;
}

/* ---- what was counted ------------------------------------------------------------------- */

static bool must_be_there(const char *name)
{
    static const char *const names[] = {"executed", "ns_work",     "ns_steal", "ns_idle",
                                        "ns_life",  "ns_progress", "ns_detect"};
    for (size_t i = 0; i < JDI_ARRAY_LEN(names); i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

static void read_classes(struct reader *r, const struct json_node *list,
                         const struct jdi_stats_row *row, uint64_t *word)
{
    if (list->kind != JSON_LIST || list->n != row->n) {
        fault(r, list, row->name,
              "has another number of classes than this jackdaw-report knows");
        return;
    }
    for (const struct json_node *n = list->first; n; n = n->next)
        *word++ = count_at(r, n, row->name);
}

static void read_thread(struct reader *r, const struct json_node *of,
                        struct jdi_stats *out)
{
    uint64_t *words = (uint64_t *)(void *)out;
    *out = (struct jdi_stats){0};
    if (of->kind != JSON_OBJECT)
        fault(r, of, "what a thread has counted", "is not an object");
    for (size_t i = 0; jdi_stats_row(i) && !r->failed; i++) {
        const struct jdi_stats_row *row = jdi_stats_row(i);
        const struct json_node *n = json_tree_member(of, row->name);
        if (!n && must_be_there(row->name))
            fault(r, of, row->name, "is missing");
        else if (n && row->n > 1)
            read_classes(r, n, row, words + row->at);
        else if (n)
            words[row->at] = count_at(r, n, row->name);
    }
}

static void read_rank(struct reader *r, const struct json_node *of, uint32_t nranks,
                      struct jdi_figures_rank *out)
{
    const struct json_node *workers = member(r, of, "workers", JSON_LIST);
    uint64_t rank = count_of(r, of, "rank");
    uint32_t t = 0;
    if (rank >= nranks)
        fault(r, of, "rank", "is no rank of the run");
    if (!r->failed && (!workers->n || workers->n > UINT16_MAX))
        fault(r, workers, "workers", "is no list of workers");
    if (r->failed)
        return;
    *out = (struct jdi_figures_rank){.rank = (uint32_t)rank,
                                     .nthreads = (uint32_t)workers->n + 1};
    snprintf(out->host, sizeof out->host, "%s", text_of(r, of, "host"));
    out->thread = trace_grow(NULL, out->nthreads, sizeof *out->thread);
    for (const struct json_node *n = workers->first; n; n = n->next)
        read_thread(r, n, &out->thread[t++]);
    read_thread(r, member(r, of, "communication", JSON_OBJECT), &out->thread[t]);
    jdi_figures_add_up(out);
}

static void read_ranks(struct reader *r, const struct json_node *root,
                       struct jdi_figures *f)
{
    const struct json_node *list = member(r, root, "ranks", JSON_LIST);
    if (!r->failed && !list->n)
        fault(r, list, "ranks", "has no rank");
    f->rank = trace_grow(NULL, list->n, sizeof *f->rank);
    for (const struct json_node *n = list->first; n && !r->failed; n = n->next) {
        f->rank[f->n].thread = NULL;
        read_rank(r, n, f->nranks, &f->rank[f->n++]);
        if (!r->failed && f->n > 1 && f->rank[f->n - 1].rank <= f->rank[f->n - 2].rank)
            fault(r, n, "rank", "is not larger than the one before");
    }
}

static void read_phases(struct reader *r, const struct json_node *root,
                        struct jdi_figures *f)
{
    const struct json_node *list = member(r, root, "phases", JSON_LIST);
    f->phase = trace_grow(NULL, list->n, sizeof *f->phase);
    for (const struct json_node *n = list->first; n && !r->failed; n = n->next) {
        struct jdi_figures_phase *p = &f->phase[f->nphases++];
        snprintf(p->name, sizeof p->name, "%s", text_of(r, n, "collection"));
        p->number = (uint32_t)count_of(r, n, "phase");
        p->began_ns = count_of(r, n, "began_ns");
        p->ended_ns = count_of(r, n, "ended_ns");
        p->tasks = count_of(r, n, "tasks");
        if (!r->failed && (p->ended_ns < p->began_ns ||
                           1e-9 * (double)p->ended_ns > 1.01 * f->wall + 1e-3))
            fault(r, n, "ended_ns", "is before the phase began, or after the run");
    }
    f->lost_phases = count_of(r, root, "phases_lost");
}

/* ---- files of one run ------------------------------------------------------------------- */

static bool has_rank(const struct jdi_figures *f, uint32_t rank)
{
    for (uint32_t i = 0; i < f->n; i++)
        if (f->rank[i].rank == rank)
            return true;
    return false;
}

static bool same_run(const struct jdi_figures *a, const struct jdi_figures *b)
{
    return !strcmp(a->id, b->id) && a->nranks == b->nranks;
}

/* With %r in its name a file has one rank; those of a run are put together. */
static struct report_run *run_of_rank(struct report *r, const struct jdi_figures *f)
{
    for (size_t i = 0; i < r->nruns && f->n == 1; i++)
        if (r->run[i].f.n < f->nranks && same_run(&r->run[i].f, f) &&
            !has_rank(&r->run[i].f, f->rank[0].rank))
            return &r->run[i];
    return NULL;
}

static void add_rank(struct jdi_figures *f, const struct jdi_figures_rank *rank)
{
    uint32_t at = f->n++;
    f->rank = trace_grow(f->rank, f->n, sizeof *f->rank);
    for (; at && f->rank[at - 1].rank > rank->rank; at--)
        f->rank[at] = f->rank[at - 1];
    f->rank[at] = *rank;
}

static void check_format(struct reader *r, const struct json_node *root)
{
    const struct json_node *format = json_tree_member(root, "format");
    if (!format || format->kind != JSON_TEXT || strcmp(format->text, "jackdaw-stats"))
        fault(r, format ? format : root, "",
              "it is JSON, and not of JACKDAW_STATS=json:FILE");
    else if (count_of(r, root, "version") != SCHEMA)
        fault(r, json_tree_member(root, "version"), "version",
              "is another than 1: use the jackdaw-report that came with the library");
}

/* The text of a file becomes a tree; both stay until report_free. */
static const struct json_node *read_tree(struct report *r, const char *name, char *text,
                                         size_t n)
{
    r->source = trace_grow(r->source, r->nsources + 1, sizeof *r->source);
    struct report_source *s = &r->source[r->nsources++];
    s->text = text;
    if (json_tree_read(&s->tree, text, n))
        return s->tree.root;
    fprintf(stderr, "jackdaw-report: %s:%u:%u: it is no JSON: %s\n", name, s->tree.line,
            s->tree.column, s->tree.fault);
    return NULL;
}

static void free_run(struct report_run *run)
{
    for (uint32_t i = 0; i < run->f.n; i++)
        free(run->f.rank[i].thread);
    free(run->f.rank);
    free(run->f.argv);
    free(run->f.phase);
    free(run->setting);
}

static bool fill_run(struct reader *in, const struct json_node *root,
                     struct report_run *run)
{
    check_format(in, root);
    if (!in->failed)
        read_run(in, root, run);
    if (!in->failed)
        read_ranks(in, root, &run->f);
    if (!in->failed)
        read_phases(in, root, &run->f);
    return !in->failed;
}

bool report_read(struct report *r, const char *name, char *text, size_t n)
{
    struct reader in = {.file = name};
    struct report_run run = {.file = name};
    const struct json_node *root = read_tree(r, name, text, n);
    if (!root || !fill_run(&in, root, &run)) {
        free_run(&run);
        return false;
    }
    struct report_run *same = run_of_rank(r, &run.f);
    if (same) {
        add_rank(&same->f, &run.f.rank[0]);
        run.f.n = 0; /* it has moved */
        free_run(&run);
        return true;
    }
    r->run = trace_grow(r->run, r->nruns + 1, sizeof *r->run);
    r->run[r->nruns++] = run;
    return true;
}

void report_free(struct report *r)
{
    for (size_t i = 0; i < r->nruns; i++)
        free_run(&r->run[i]);
    for (size_t i = 0; i < r->nsources; i++) {
        json_tree_free(&r->source[i].tree);
        free(r->source[i].text);
    }
    if (r->trace)
        trace_free(r->trace);
    free(r->trace);
    free(r->run);
    free(r->source);
}

bool report_read_end(struct report *r)
{
    for (size_t i = 0; i < r->nruns; i++) {
        struct report_run *run = &r->run[i];
        struct jdi_figures *f = &run->f;
        if (f->n != f->nranks) {
            fprintf(stderr,
                    "jackdaw-report: %s: it has %" PRIu32 " of the %" PRIu32
                    " ranks of the run: give the files of all of them\n",
                    run->file, f->n, f->nranks);
            return false;
        }
        run->workers = f->rank[0].nthreads - 1;
        for (uint32_t k = 0; k < f->n; k++) {
            jdi_stats_add(&run->all, &f->rank[k].all);
            for (uint32_t t = 0; t + 1 < f->rank[k].nthreads; t++)
                jdi_stats_add(&run->working, &f->rank[k].thread[t]);
        }
    }
    return true;
}
