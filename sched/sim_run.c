/*
 * sim_run.c - the conduit "sim": every rank a ULT of one thread, driven by the simulation.
 *
 * Role: jdi_conduit of libjackdaw-sim.a; switches between ranks as am/sim.c decides, and
 *       gives them an engine whose stacks all come from one pool.
 * Owner: the thread that called jd_launch.
 * Invariants: I1 exactly one rank runs at a time, from jdi_sim_next until it yields.
 *             I2 a rank yields on its own base context only, never on a task's stack: the
 *                transport is polled there (comm.h), and so is every wait.
 * See: am/sim.h, doc/sim.md, ARCHITECTURE.md "The simulator".
 */
#include "am/sim.h"
#include "am/sim_adversary.h"
#include "sched/ult.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { RANK_STACK = 64 << 10 }; /* of a rank's base: polling, detector, launch */

struct simrank {
    struct simulation *sim;
    struct jdi_am *am;
    struct jdi_ult *base;
    int status;
    bool ended;
};

struct simulation {
    const struct jdi_conduit_start *start;
    struct jdi_sim *sim;
    struct jdi_engine *bases; /* stacks of the ranks' own contexts */
    struct jdi_engine *loops; /* stacks of their ULTs, made by the first rank */
    unsigned users;           /* ranks that have opened `loops` */
    struct jdi_ult *self;     /* the simulation's own context */
    struct simrank *rank;
    struct jdi_log log;
    struct jdi_fault fault;
};

/* ---- the engine of a simulated rank: one for all ------------------------------------- */

/* What the scheduler holds as its engine is its rank. */
static struct simrank *rank_of(struct jdi_engine *e)
{
    return (struct simrank *)(void *)e;
}

static int sim_open(struct jdi_engine **out, const struct jdi_ult_config *c)
{
    struct simrank *r = c->network;
    struct simulation *s = r->sim;
    if (!s->loops) {
        struct jdi_ult_config one = {.streams = 1,
                                     .stack_size = c->stack_size,
                                     .log = &s->log,
                                     .fault = &s->fault};
        int error = jdi_ult_boost.open(&s->loops, &one);
        if (error)
            return error;
    }
    s->users++;
    *out = (struct jdi_engine *)(void *)r;
    return 0;
}

static int sim_start(struct jdi_engine *e, unsigned i, jdi_stream_fn *fn, void *arg)
{
    (void)e, (void)i, (void)fn, (void)arg;
    return JD_ESYS; /* a simulated rank has one stream */
}

static void sim_enter(struct jdi_engine *e, unsigned i, jdi_stream_fn *fn, void *arg)
{
    fn(arg, i, rank_of(e)->base);
}

static void sim_join(struct jdi_engine *e, unsigned i)
{
    (void)e, (void)i;
}

static struct jdi_ult *sim_create(struct jdi_engine *e, jdi_ult_fn *fn, void *arg)
{
    return jdi_ult_boost.create(rank_of(e)->sim->loops, fn, arg);
}

static void *sim_jump(struct jdi_ult *self, struct jdi_ult *to, void *data)
{
    return jdi_ult_boost.jump(self, to, data);
}

static void sim_destroy(struct jdi_ult *u)
{
    jdi_ult_boost.destroy(u);
}

static void sim_close(struct jdi_engine *e)
{
    struct simulation *s = rank_of(e)->sim;
    if (--s->users == 0) {
        jdi_ult_boost.close(s->loops);
        s->loops = NULL;
    }
}

static const struct jdi_ult_ops ult_sim = {
    .name = "sim",
    .open = sim_open,
    .start = sim_start,
    .enter = sim_enter,
    .join = sim_join,
    .create = sim_create,
    .jump = sim_jump,
    .destroy = sim_destroy,
    .close = sim_close,
};

/* ---- switching between ranks --------------------------------------------------------- */

static void yield(void *ctx, uint32_t rank)
{
    struct simulation *s = ctx;
    jdi_ult_boost.jump(s->rank[rank].base, s->self, NULL);
}

static struct jdi_ult *run_rank(void *arg, void *data)
{
    struct simrank *r = arg;
    const struct jdi_conduit_start *start = r->sim->start;
    (void)data;
    r->status = start->rank_main(start->ctx, r->am, start->argc, start->argv);
    jdi_am_flush(r->am);
    jdi_sim_ended(r->sim->sim, r->am->rank);
    r->ended = true;
    return r->sim->self;
}

static void stuck(struct simulation *s)
{
    fprintf(stderr, "jackdaw: the simulation stands still: every rank waits, and no "
                    "message is on its way\n");
    jdi_sim_dump(s->sim, stderr, 16);
    exit(JDI_EXIT_STALL);
}

/* The simulation's stream: runs ranks until all have ended. */
static void drive(void *arg, unsigned stream, struct jdi_ult *base)
{
    struct simulation *s = arg;
    (void)stream;
    s->self = base;
    uint32_t left = s->start->want_ranks;
    while (left) {
        uint32_t rank = jdi_sim_next(s->sim);
        if (rank == JDI_SIM_NOBODY)
            stuck(s);
        struct simrank *r = &s->rank[rank];
        if (!r->base)
            r->base = jdi_ult_boost.create(s->bases, run_rank, r);
        if (!r->base)
            jdi_die(&s->log, JDI_EXIT_MEMORY, "out of memory for the stack of rank %u",
                    rank);
        jdi_ult_boost.jump(base, r->base, NULL);
        if (r->ended) {
            jdi_ult_boost.destroy(r->base);
            left--;
        }
    }
}

/* ---- start and end ------------------------------------------------------------------- */

static const char *sim_lookup(void *ctx, const char *name)
{
    (void)ctx;
    return getenv(name);
}

static int open_all(struct simulation *s, const struct jdi_sim_params *p)
{
    int error = jdi_sim_new(&s->sim, p, yield, s);
    if (error)
        return error;
    s->rank = jdi_zalloc(NULL, p->nranks * sizeof *s->rank);
    if (!s->rank)
        return JD_ENOMEM;
    for (uint32_t i = 0; i < p->nranks; i++) {
        struct jdi_am *am = jdi_sim_am(s->sim, i);
        s->rank[i] = (struct simrank){.sim = s, .am = am};
        am->ult = &ult_sim;
        am->network = &s->rank[i];
    }
    struct jdi_ult_config config = {
        .streams = 1, .stack_size = RANK_STACK, .log = &s->log, .fault = &s->fault};
    return jdi_ult_boost.open(&s->bases, &config);
}

static void report(const struct simulation *s, double began)
{
    struct jdi_sim_figures f;
    struct rusage used = {0};
    jdi_sim_figures(s->sim, &f);
    getrusage(RUSAGE_SELF, &used); /* without it the figure is 0 */
    fprintf(stderr,
            "jackdaw: simulated %u ranks, %.6f s of virtual time in %.2f s: "
            "%llu events, %llu messages, %ld KiB of memory at most\n",
            s->start->want_ranks, 1e-9 * (double)f.now,
            1e-9 * (double)jdi_now_ns() - began, (unsigned long long)f.events,
            (unsigned long long)f.messages, used.ru_maxrss);
}

static int run(const struct jdi_conduit_start *start)
{
    struct jdi_conduit_start here = *start;
    struct jdi_knobs knobs;
    struct jdi_sim_params params;
    struct simulation s = {.start = &here, .log = {.level = JDI_LOG_WARN}};
    char text[256];
    double began = 1e-9 * (double)jdi_now_ns();
    struct jdi_early *early = jdi_early_watch();
    here.want_ranks = start->want_ranks ? start->want_ranks : 1;
    if (jdi_knobs_read(&knobs, sim_lookup, NULL, text, sizeof text) ||
        jdi_sim_params_read(&params, &knobs, text, sizeof text))
        jdi_die(&s.log, JDI_EXIT_START, "%s", text);
    params.nranks = here.want_ranks;
    if (jdi_sim_adversary_new(&params.adversary, &params, text, sizeof text))
        jdi_die(&s.log, JDI_EXIT_START, "%s", text);
    int error = open_all(&s, &params);
    if (error)
        jdi_die(&s.log, JDI_EXIT_START, "cannot simulate %u ranks: %s", params.nranks,
                jd_strerror(error));
    jdi_ult_boost.enter(s.bases, 0, drive, &s);
    if (knobs.stats || knobs.verbose >= 2)
        report(&s, began);
    int status = 0;
    for (uint32_t i = 0; i < params.nranks; i++)
        status = s.rank[i].status > status ? s.rank[i].status : status;
    jdi_ult_boost.close(s.bases);
    jdi_sim_free(s.sim);
    jdi_sim_adversary_free(params.adversary);
    jdi_free(s.rank);
    jdi_early_over(early);
    return status;
}

static const char *version(void)
{
    return "simulated network in virtual time";
}

const struct jdi_conduit jdi_conduit = {
    .name = "sim",
    .run = run,
    .lookup = sim_lookup,
    .version = version,
};
