/*
 * gather.c - what all ranks have counted, at the end of a job.
 *
 * Role: see gather.h.
 * Owner: the communication thread.
 * Invariants: I1 of gather.h.
 *             I2 each rank sends its figures once, and rank 0 goes on when it has those of all.
 * Order: none: the workers have ended.
 * See: gather.h; core/figures.h.
 */
#include "sched/launch/gather.h"

#include "core/explain.h"
#include "core/figures.h"
#include "core/wanted.h"
#include "sched/coll.h"
#include "sched/finish/pools.h"
#include "sched/finish/remote.h"
#include "sched/job.h"
#include "sched/live/count.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

_Static_assert((int)JDI_FIGURES_HOST == (int)JDI_AM_HOST_BYTES,
               "a message has room for the name of a host");

struct jdi_gather {
    struct jdi_wanted want;
    struct jdi_figures f;
    struct jdi_figures_rank mine;
    struct jdi_figures_rank *others; /* on rank 0, if it gathers: of all ranks */
    uint32_t missing;                /* ranks whose figures have not come */
    uint64_t began;
    struct jdi_outfile json, csv;
    struct jdi_job job;
    uint32_t innermost; /* of the finishes that are open: its place, plus 1; 0: none */
};

static void *room(struct jdi_rank *r, size_t bytes)
{
    void *p = jdi_zalloc(&r->am->fault, bytes);
    if (!p)
        jdi_die(&r->am->log, JDI_EXIT_MEMORY, "out of memory for statistics");
    return p;
}

/* ---- the start ------------------------------------------------------------------------ */

static JD_NORETURN void die_of_file(struct jdi_rank *r, const char *name, const char *why)
{
    jdi_die(&r->am->log, r->status ? r->status : JDI_EXIT_OUTPUT,
            "JACKDAW_STATS: cannot write %s: %s", name, why);
}

static void try_pattern(struct jdi_rank *r, const char *pattern, struct jdi_outfile *f)
{
    char name[JDI_OUTFILE_NAME];
    if (!*pattern || (r->am->rank && !jdi_outfile_of_rank(pattern)))
        return;
    if (jdi_job_file(r, &r->gather->job, pattern, name, sizeof name))
        die_of_file(r, pattern, "its name is too long");
    int error = jdi_outfile_try(f, name);
    if (error)
        die_of_file(r, *f->part ? f->part : name, strerror(error));
}

static void note_phase(const jd_coll *c)
{
    struct jdi_gather *g = c->rank->gather;
    struct jdi_figures *f = &g->f;
    if (f->nphases == JDI_FIGURES_PHASES) {
        f->lost_phases++;
        return;
    }
    struct jdi_figures_phase *p = &f->phase[f->nphases++];
    *p = (struct jdi_figures_phase){.number = c->phase,
                                    .began_ns = c->began - g->began,
                                    .ended_ns = jdi_rank_now(c->rank) - g->began,
                                    .tasks = c->info.all_executed};
    memcpy(p->name, c->name, sizeof p->name);
}

static void begin_finish(struct jdi_rank *r, jd_finish_id id)
{
    struct jdi_gather *g = r->gather;
    struct jdi_figures *f = &g->f;
    if (f->nfinishes == JDI_FIGURES_PHASES) {
        f->lost_finishes++;
        return;
    }
    f->finish[f->nfinishes++] =
        (struct jdi_figures_finish){.number = id.number,
                                    .all_ranks = id.home == JDI_HOME_ALL,
                                    .outer = g->innermost,
                                    .began_ns = jdi_rank_now(r) - g->began,
                                    .tasks = jdi_pools_ran(r)};
    g->innermost = f->nfinishes;
}

/* The worker of the body.  Its finishes are nested. */
static void note_finish(struct jdi_rank *r, jd_finish_id id, bool opened)
{
    struct jdi_gather *g = r->gather;
    if (opened) {
        begin_finish(r, id);
        return;
    }
    struct jdi_figures_finish *p = g->innermost ? &g->f.finish[g->innermost - 1] : NULL;
    if (!p || p->number != id.number || p->all_ranks != (id.home == JDI_HOME_ALL))
        return; /* one that found no place */
    g->innermost = p->outer;
    p->ended_ns = jdi_rank_now(r) - g->began;
    p->tasks = jdi_pools_ran(r) - p->tasks;
}

static void describe_run(struct jdi_rank *r, struct jdi_gather *g)
{
    const struct jdi_placement *p = &r->place;
    g->f = (struct jdi_figures){
        .program = r->argc ? r->argv[0] : "",
        .argc = r->argc ? r->argc - 1 : 0,
        .argv = r->argv + (r->argc > 0),
        .job = g->job.name,
        .id = g->job.run,
        .network = jdi_conduit.name,
        .network_version = jdi_conduit.version(),
        .communication = p->dedicated ? "dedicated"
                         : p->apart   ? "beside worker 0"
                                      : "worker 0",
        .knobs = r->knobs,
        .nranks = r->am->nranks,
        .started = (uint64_t)time(NULL),
        .is_virtual = r->am->time != NULL,
    };
}

static JDI_NOINLINE void begin_gathering(struct jdi_rank *r)
{
    struct jdi_wanted want;
    JD_CHECK(!jdi_wanted_parse(r->knobs->stats, &want)); /* the knob was checked */
    struct jdi_gather *g = r->gather = room(r, sizeof *g);
    g->want = want;
    r->timed = true;
    r->tells = want.full;
    jdi_job_names(r, &g->job);
    describe_run(r, g);
    try_pattern(r, want.json, &g->json);
    try_pattern(r, want.csv, &g->csv);
    if (*g->json.name) {
        g->f.phase = room(r, JDI_FIGURES_PHASES * sizeof *g->f.phase);
        r->on_phase_end = note_phase;
        g->f.finish = room(r, JDI_FIGURES_PHASES * sizeof *g->f.finish);
        r->on_finish = note_finish;
    }
    if (r->am->rank == 0 && jdi_wanted_gathers(&want)) {
        g->others = room(r, r->am->nranks * sizeof *g->others);
        g->missing = r->am->nranks;
    }
    g->began = jdi_rank_now(r);
}

void jdi_gather_begin(struct jdi_rank *r)
{
    if (!jdi_wanted_nothing(r->knobs->stats))
        begin_gathering(r);
}

/* ---- meeting ---------------------------------------------------------------------------- */

static void count_mine(struct jdi_rank *r, struct jdi_figures_rank *mine)
{
    *mine = (struct jdi_figures_rank){.rank = r->am->rank, .nthreads = r->nworkers + 1};
    memcpy(mine->host, r->gather->job.host, sizeof mine->host);
    mine->thread = room(r, mine->nthreads * sizeof *mine->thread);
    for (unsigned i = 0; i <= r->nworkers; i++)
        jdi_count_thread(r, i, true, &mine->thread[i]);
    jdi_figures_add_up(mine);
}

static void on_figures(void *ctx, const struct jdi_am_in *in)
{
    struct jdi_rank *r = ctx;
    struct jdi_gather *g = r->gather;
    const char *bytes = in->msg->data;
    uint32_t n = (uint32_t)JDI_GET(in->msg, FIGURES, threads);
    size_t size = n * sizeof(struct jdi_stats);
    if (!g || !g->others)
        jdi_am_refuse(in, "nobody gathers figures here");
    struct jdi_figures_rank *from = &g->others[in->src];
    if (from->thread)
        jdi_am_refuse(in, "the figures of that rank have come already");
    if (in->msg->len != JDI_AM_HOST_BYTES + size)
        jdi_am_refuse(in, "figures of another length than their number of threads");
    *from = (struct jdi_figures_rank){.rank = in->src, .nthreads = n};
    memcpy(from->host, bytes, sizeof from->host - 1);
    from->thread = room(r, size);
    memcpy(from->thread, bytes + JDI_AM_HOST_BYTES, size);
    jdi_figures_add_up(from);
    g->missing--;
}

void jdi_gather_init(struct jdi_rank *r)
{
    jdi_am_set_handler(r->am, JDI_MSG_FIGURES, on_figures, r);
}

static void send_figures(struct jdi_rank *r)
{
    const struct jdi_figures_rank *mine = &r->gather->mine;
    size_t size = mine->nthreads * sizeof(struct jdi_stats);
    char *bytes = room(r, JDI_AM_HOST_BYTES + size);
    memcpy(bytes, mine->host, JDI_AM_HOST_BYTES);
    memcpy(bytes + JDI_AM_HOST_BYTES, mine->thread, size);
    struct jdi_am_msg m = {.type = JDI_MSG_FIGURES,
                           .nargs = 1,
                           .len = (uint32_t)(JDI_AM_HOST_BYTES + size),
                           .data = bytes};
    m.arg[0] = mine->nthreads | (uint64_t)JDI_STATS_COUNT << 32;
    if (jdi_am_send(r->am, 0, &m))
        jdi_die(&r->am->log, JDI_EXIT_MEMORY, "out of memory for a message");
    jdi_free(bytes);
}

void jdi_gather_meet(struct jdi_rank *r)
{
    struct jdi_gather *g = r->gather;
    g->f.wall = 1e-9 * (double)(jdi_rank_now(r) - g->began);
    g->f.engine = r->ult->name;
    g->f.status = r->status;
    count_mine(r, &g->mine);
    if (!jdi_wanted_gathers(&g->want))
        return;
    send_figures(r);
    while (g->missing) {
        jdi_am_poll(r->am);
        jdi_time_pause(r->am->time, JDI_IDLE_YIELD);
    }
    /* Until rank 0 has those of all ranks, the others see what comes, too. */
    int error = jdi_am_reduce_barrier(r->am);
    if (error)
        jdi_die(&r->am->log, JDI_EXIT_START, "gathering statistics: %s",
                jd_strerror(error));
}

/* ---- the end ---------------------------------------------------------------------------- */

/* The table alone needs no figures of each rank. */
static void reduce_table(struct jdi_rank *r, struct jdi_stats s[3])
{
    const enum jd_op ops[] = {JD_SUM, JD_MIN, JD_MAX};
    for (int i = 0; i < 3; i++) {
        s[i] = r->gather->mine.all;
        int error = jdi_am_reduce_all(r->am, (uint64_t *)(void *)&s[i], JDI_STATS_COUNT,
                                      JDI_AM_U64, ops[i]);
        if (error)
            jdi_die(&r->am->log, JDI_EXIT_START, "gathering statistics: %s",
                    jd_strerror(error));
    }
}

static void print_all(struct jdi_rank *r, const struct jdi_figures *all)
{
    const struct jdi_wanted *want = &r->gather->want;
    struct jdi_stats s[3];
    if (!want->table)
        return;
    if (!jdi_wanted_gathers(want))
        reduce_table(r, s);
    if (r->am->rank)
        return;
    if (all)
        jdi_figures_of_job(all, &s[0], &s[1], &s[2]);
    jdi_stats_print(stderr, &s[0], &s[1], &s[2], r->am->nranks);
    if (want->full)
        jdi_figures_print(stderr, all);
}

static void print_explanation(const struct jdi_figures *all)
{
    char text[JDI_EXPLAIN_TEXT];
    jdi_explain(all, text);
    fprintf(stderr, "%s\n", text);
}

/* A file of a rank has that rank's figures, another one those of all. */
static void write_file(struct jdi_rank *r, struct jdi_outfile *f, const char *pattern,
                       void (*write)(FILE *to, const struct jdi_figures *f))
{
    struct jdi_gather *g = r->gather;
    struct jdi_figures figures = g->f;
    if (!*f->name)
        return;
    bool own = jdi_outfile_of_rank(pattern);
    figures.n = own ? 1 : r->am->nranks;
    figures.rank = own ? &g->mine : g->others;
    int error = jdi_outfile_open(f);
    if (!error) {
        write(f->to, &figures);
        error = jdi_outfile_done(f);
    }
    if (error)
        die_of_file(r, f->name, strerror(error));
}

void jdi_gather_end(struct jdi_rank *r)
{
    struct jdi_gather *g = r->gather;
    struct jdi_figures all = g->f;
    all.n = r->am->nranks;
    all.rank = g->others;
    print_all(r, g->others ? &all : NULL);
    if (g->want.explain && r->am->rank == 0)
        print_explanation(&all);
    write_file(r, &g->json, g->want.json, jdi_figures_json);
    write_file(r, &g->csv, g->want.csv, jdi_figures_csv);
    for (uint32_t i = 0; g->others && i < r->am->nranks; i++)
        jdi_free(g->others[i].thread);
    if (g->others)
        jdi_free(g->others);
    if (g->f.phase)
        jdi_free(g->f.phase);
    if (g->f.finish)
        jdi_free(g->f.finish);
    jdi_free(g->mine.thread);
    jdi_free(g);
    r->gather = NULL;
}
