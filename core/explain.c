/*
 * explain.c - the largest loss of a job, in words.
 *
 * Role: see explain.h.
 * Owner: nobody; holds no state.
 * Invariants: I1, I2 of explain.h.
 *             I3 a loss is a share of the time of the workers; losses of two rules may overlap.
 * Order: none.
 * See: explain.h.
 */
#include "core/explain.h"

#include <inttypes.h>

/* What the rules look at. */
struct seen {
    const struct jdi_figures *f;
    struct jdi_stats all;     /* of the job */
    struct jdi_stats workers; /* of its workers */
    double life;              /* of all workers, ns */
    double task;              /* mean time of a task, ns */
    uint32_t nworkers;
    const struct jdi_figures_rank *idlest, *busiest; /* ranks, by the share of work */
    uint32_t least_worker, most_worker;              /* of `busiest`, by work */
};

/*
 *   loss   share of the time of the workers that the cause has cost, 0 .. 1; 0: it is another cause
 *   say    what happened and what to change
 */
struct rule {
    const char *name;
    double (*loss)(const struct seen *s);
    void (*say)(const struct seen *s, double loss, char *to, size_t size);
};

static double ratio_of(double part, double all)
{
    return all > 0 ? part / all : 0;
}

static double work_share(const struct jdi_stats *s)
{
    return ratio_of((double)s->ns_work, (double)s->ns_life);
}

static double idle_of(const struct jdi_figures_rank *r)
{
    double idle = 0, life = 0;
    for (uint32_t t = 0; t + 1 < r->nthreads; t++) {
        idle += (double)(r->thread[t].ns_idle + r->thread[t].ns_steal);
        life += (double)r->thread[t].ns_life;
    }
    return ratio_of(idle, life);
}

static void look_at_job(const struct jdi_figures *f, struct seen *s)
{
    struct jdi_stats least, most;
    *s = (struct seen){.f = f, .idlest = f->rank, .busiest = f->rank};
    jdi_figures_of_job(f, &s->all, &least, &most);
    for (uint32_t i = 0; i < f->n; i++) {
        const struct jdi_figures_rank *r = &f->rank[i];
        s->nworkers += r->nthreads - 1;
        for (uint32_t t = 0; t + 1 < r->nthreads; t++)
            jdi_stats_add(&s->workers, &r->thread[t]);
        if (idle_of(r) > idle_of(s->idlest))
            s->idlest = r;
        if (idle_of(r) < idle_of(s->busiest))
            s->busiest = r;
    }
    for (uint32_t t = 0; t + 1 < s->busiest->nthreads; t++) {
        const struct jdi_stats *w = s->busiest->thread;
        if (w[t].ns_work < w[s->least_worker].ns_work)
            s->least_worker = t;
        if (w[t].ns_work > w[s->most_worker].ns_work)
            s->most_worker = t;
    }
    s->life = (double)s->workers.ns_life;
    s->task = ratio_of((double)s->workers.ns_work, (double)s->all.executed);
}

/* What workers were without work, as a share of their time. */
static double without_work(const struct seen *s)
{
    return ratio_of((double)(s->workers.ns_idle + s->workers.ns_steal), s->life);
}

static double milliseconds(double ns)
{
    return 1e-6 * ns;
}

/* ---- the processor -------------------------------------------------------------------- */

/* Threads that are awake and do not run wait for a core. */
static double lost_to_others(const struct seen *s)
{
    double awake = s->life - (double)s->workers.ns_idle;
    double without = awake - (double)s->workers.ns_cpu;
    return s->f->is_virtual || without < 0 ? 0 : ratio_of(without, s->life);
}

static void say_others(const struct seen *s, double loss, char *to, size_t size)
{
    snprintf(to, size,
             "The workers were awake and had no processor for %.0f%% of their time: %u "
             "workers, or other "
             "programs, wanted the same cores. Start fewer ranks or workers "
             "(JACKDAW_WORKERS), or "
             "look at JACKDAW_VERBOSE=2 for the cores that this job may use.",
             100 * loss, s->nworkers);
}

/* ---- too little to do ------------------------------------------------------------------- */

enum { FEW_TASKS = 16 }; /* of each worker: with fewer, one task too many is seen */

static bool tasks_are_few(const struct seen *s)
{
    return s->all.executed < (uint64_t)FEW_TASKS * s->nworkers;
}

static double lost_to_large_tasks(const struct seen *s)
{
    return tasks_are_few(s) ? without_work(s) : 0;
}

static void say_large_tasks(const struct seen *s, double loss, char *to, size_t size)
{
    snprintf(
        to, size,
        "The workers had nothing to do for %.0f%% of their time, those of rank %u for "
        "%.0f%%: %" PRIu64
        " tasks of %.1f ms on average ran on %u workers. Split the tasks into more and "
        "smaller ones (16 for each worker or more), or use fewer workers.",
        100 * loss, s->idlest->rank, 100 * idle_of(s->idlest), s->all.executed,
        milliseconds(s->task), s->nworkers);
}

/* One worker works most of the time beside others that do not. */
static double lost_to_one_worker(const struct seen *s)
{
    const struct jdi_stats *most = &s->busiest->thread[s->most_worker];
    double rest = (double)s->workers.ns_work - (double)most->ns_work;
    bool alone = s->nworkers > 1 && work_share(most) > 0.8 &&
                 rest / (s->nworkers - 1) < 0.5 * (double)most->ns_work;
    return alone ? without_work(s) * 1.01 : 0; /* it says more than the rule before */
}

static void say_one_worker(const struct seen *s, double loss, char *to, size_t size)
{
    const struct jdi_stats *most = &s->busiest->thread[s->most_worker];
    snprintf(to, size,
             "The workers had nothing to do for %.0f%% of their time, while worker %u of "
             "rank %u worked for "
             "%.0f%% of its own, on %" PRIu64 " of %" PRIu64
             " tasks. One long task, or a body that computes, "
             "keeps the others waiting: split it, or have it add tasks early.",
             100 * (loss > 1 ? 1 : loss / 1.01), s->most_worker, s->busiest->rank,
             100 * work_share(most), most->executed, s->all.executed);
}

/* Thieves ask, and get nothing. */
static double lost_in_vain(const struct seen *s)
{
    double asked = (double)s->all.attempts, got = (double)s->all.steals;
    return s->f->nranks > 1 && asked > 10 * (got + 1) ? without_work(s) : 0;
}

static void say_in_vain(const struct seen *s, double loss, char *to, size_t size)
{
    snprintf(to, size,
             "The workers had nothing to do for %.0f%% of their time, and of %" PRIu64
             " steal requests between ranks %" PRIu64
             " brought tasks: there was little to steal, or few ranks had it. Have tasks "
             "add tasks on "
             "more ranks from the start, or try JACKDAW_STEAL=success-only or lifeline.",
             100 * loss, s->all.attempts, s->all.steals);
}

/* Tasks wait, and nothing else is there to run. */
static double lost_in_waits(const struct seen *s)
{
    double waits = (double)s->all.suspended, tasks = (double)s->all.executed;
    return waits > 0.5 * tasks && waits > s->nworkers * FEW_TASKS ? without_work(s) : 0;
}

static void say_waits(const struct seen *s, double loss, char *to, size_t size)
{
    snprintf(to, size,
             "The workers had nothing to do for %.0f%% of their time, and %" PRIu64
             " waits in %" PRIu64 " tasks stopped these: tasks wait for other ranks, "
             "channels or deadlines, and too few others "
             "are ready meanwhile. Start more tasks at once, ask for data earlier "
             "(jd_get_nb and the "
             "like), or put the tasks where their data are (jd_async_at).",
             100 * loss, s->all.suspended, s->all.executed);
}

static double lost_idle(const struct seen *s)
{
    return 0.99 * without_work(s); /* any other rule says more */
}

static void say_idle(const struct seen *s, double loss, char *to, size_t size)
{
    snprintf(to, size,
             "The workers had nothing to do for %.0f%% of their time, those of rank %u "
             "for %.0f%%: there was too "
             "little work for %u workers, at the beginning or the end of phases, or "
             "while the body "
             "computed. Give larger problems to as many workers, or use fewer; more work "
             "in each "
             "phase helps, too.",
             100 * loss / 0.99, s->idlest->rank, 100 * idle_of(s->idlest), s->nworkers);
}

/* ---- the network ------------------------------------------------------------------------ */

/* Of the workers' own time; a communication thread has a core of its own. */
static double lost_to_network(const struct seen *s)
{
    return ratio_of((double)(s->workers.ns_progress + s->workers.ns_detect), s->life);
}

static void say_network(const struct seen *s, double loss, char *to, size_t size)
{
    snprintf(to, size,
             "The network took %.0f%% of the time of the workers: %" PRIu64
             " messages with %" PRIu64 " bytes, for %" PRIu64
             " tasks of %.3f ms on average. Make tasks larger or their arguments "
             "smaller, and steal "
             "more of them at a time (JACKDAW_STEAL_AMOUNT=half); with four cores or "
             "more for each rank, "
             "JACKDAW_COMM=dedicated takes the network away from the workers.",
             100 * loss, s->all.messages, s->all.bytes, s->all.executed,
             milliseconds(s->task));
}

/* ---- the rules --------------------------------------------------------------------------- */

/* Of equal losses the first one is named, so the more special rules come first. */
static const struct rule rules[] = {
    {"others", lost_to_others, say_others},
    {"one worker", lost_to_one_worker, say_one_worker},
    {"large tasks", lost_to_large_tasks, say_large_tasks},
    {"waits", lost_in_waits, say_waits},
    {"in vain", lost_in_vain, say_in_vain},
    {"idle", lost_idle, say_idle},
    {"network", lost_to_network, say_network},
};

void jdi_explain(const struct jdi_figures *f, char text[JDI_EXPLAIN_TEXT])
{
    const struct rule *most = NULL;
    double loss = 0;
    struct seen s;
    look_at_job(f, &s);
    for (size_t i = 0; i < JDI_ARRAY_LEN(rules); i++) {
        double one = rules[i].loss(&s);
        if (one > loss) {
            loss = one;
            most = &rules[i];
        }
    }
    if (100 * loss >= JDI_EXPLAIN_LEAST)
        most->say(&s, loss, text, JDI_EXPLAIN_TEXT);
    else
        snprintf(text, JDI_EXPLAIN_TEXT,
                 "The workers ran tasks for %.0f%% of their time: there is little to "
                 "gain but in the "
                 "tasks themselves.",
                 100 * work_share(&s.workers));
}
