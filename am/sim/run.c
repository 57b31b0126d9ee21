/*
 * run.c - the conduit "sim": every stream a ULT of one thread, driven by the simulation.
 *
 * Role: jdi_conduit of libjackdaw-sim.a; switches between streams as am/sim/sim.c decides, and
 *       gives ranks an engine whose stacks all come from one pool.
 * Owner: the thread that called jd_launch.
 * Invariants: I1 exactly one stream runs at a time, from jdi_sim_next until it yields.
 *             I2 a stream yields on whatever stack it is on, that of a task too, and goes on
 *                there: st->now.  A rank's only stream yields on its base alone, where it
 *                polls (comm.h) and waits.
 * See: am/sim/sim.h, doc/sim.md, ARCHITECTURE.md "The simulator".
 */
#include "am/note.h"
#include "am/sim/adversary.h"
#include "am/sim/sim.h"
#include "core/ult/ult.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum {
    BASE_STACK = 64 << 10, /* of a stream's base: polling, detector, launch */
    /* At the top of a rank's base, which touches little more than 2 KiB of its page. */
    ROOM = 1536
};

/* The room that the engine makes at the top of a stream's base. */
struct base_room {
    struct simstream *of;
    JDI_ALIGNED unsigned char spare[]; /* the rank's */
};

/* What the scheduler holds as a ULT of its engine; in the room of the real one. */
struct simult {
    struct jdi_ult *real;
    struct simulation *sim;
    jdi_ult_fn *fn;
    void *arg;
};

struct simstream {
    struct simrank *rank;
    struct simstream *next; /* of the rank */
    uint32_t id;
    unsigned index; /* as the scheduler counts */
    jdi_stream_fn *fn;
    void *arg;
    struct simult base;
    struct simult *now; /* on whose stack it is; NULL: it has not begun */
    bool ended;
};

struct simrank {
    struct simulation *sim;
    struct jdi_am *am;
    struct simstream main;
    struct simstream *others;
    int status;
};

struct simulation {
    const struct jdi_conduit_start *start;
    struct jdi_sim *sim;
    struct jdi_engine *bases; /* stacks of the streams' own contexts */
    struct jdi_engine *loops; /* stacks of their ULTs, made by the first rank */
    unsigned users;           /* ranks that have opened `loops` */
    struct jdi_ult *self;     /* the simulation's own context */
    struct simrank *rank;
    struct simstream **stream; /* by id */
    uint32_t room;
    struct simstream *running;
    struct jdi_log log;
    struct jdi_fault fault;
};

/* ---- streams --------------------------------------------------------------------------- */

/* The table has a place for it afterwards. */
static int table_stream(struct simulation *s, struct simstream *st)
{
    if (st->id >= s->room) {
        uint32_t room = st->id < 2 * s->room ? 2 * s->room : st->id + 1;
        struct simstream **more = realloc(s->stream, room * sizeof(struct simstream *));
        if (!more)
            return JD_ENOMEM;
        s->stream = more;
        s->room = room;
    }
    s->stream[st->id] = st;
    return 0;
}

static void yield(void *ctx, uint32_t stream, struct jdi_sim_way *back)
{
    struct simulation *s = ctx;
    const struct simstream *st = s->stream[stream];
    *back = (struct jdi_sim_way){{st, st->now, st->now->real}};
    jdi_ult_boost.jump(st->now->real, s->self, NULL);
}

/* The base of a stream: the rank's main, or what the scheduler has started. */
static struct jdi_ult *sim_run_stream(void *room, void *data)
{
    struct simstream *st = ((struct base_room *)room)->of;
    struct simrank *r = st->rank;
    struct simulation *s = r->sim;
    (void)data;
    if (st == &r->main) {
        r->status =
            s->start->rank_main(s->start->ctx, r->am, s->start->argc, s->start->argv);
        jdi_am_flush(r->am);
    } else {
        st->fn(st->arg, st->index, (struct jdi_ult *)(void *)&st->base);
    }
    jdi_sim_stream_ended(s->sim, st->id);
    st->ended = true;
    return s->self;
}

static void furnish_base(struct simulation *s, struct simstream *st)
{
    struct jdi_am *am = st->rank->am;
    bool is_main = st == &st->rank->main;
    struct jdi_ult_room room = {.bytes = sizeof(struct base_room) + (is_main ? ROOM : 0)};
    st->base.sim = s;
    st->base.real = jdi_ult_boost.create(s->bases, sim_run_stream, NULL, &room);
    st->now = &st->base;
    if (!st->base.real)
        jdi_die(&s->log, JDI_EXIT_MEMORY, "out of memory for the stack of rank %u",
                am->rank);
    struct base_room *top = room.at;
    top->of = st;
    if (is_main) {
        am->room = top->spare;
        am->room_bytes = ROOM;
    }
}

static void go_on(struct simulation *s, struct simstream *st)
{
    if (!st->now)
        furnish_base(s, st);
    s->running = st;
    jdi_ult_boost.jump(s->self, st->now->real, NULL);
    if (st->ended)
        jdi_ult_boost.destroy(st->base.real);
}

/* ---- the engine of a simulated rank: one for all ------------------------------------- */

/* What the scheduler holds as its engine is its rank. */
static struct simrank *rank_of(struct jdi_engine *e)
{
    return (struct simrank *)(void *)e;
}

static struct simult *ult_of(struct jdi_ult *u)
{
    return (struct simult *)(void *)u;
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
    struct simrank *r = rank_of(e);
    struct simstream *st = jdi_alloc(&r->am->fault, sizeof *st);
    if (!st)
        return JD_ENOMEM;
    *st = (struct simstream){.rank = r, .index = i, .fn = fn, .arg = arg};
    st->id = jdi_sim_stream_start(r->sim->sim, r->am->rank);
    if (st->id == JDI_SIM_NOBODY || table_stream(r->sim, st)) {
        jdi_free(st);
        return JD_ENOMEM;
    }
    st->next = r->others;
    r->others = st;
    return 0;
}

static void sim_enter(struct jdi_engine *e, unsigned i, jdi_stream_fn *fn, void *arg)
{
    fn(arg, i, (struct jdi_ult *)(void *)&rank_of(e)->main.base);
}

static void sim_join(struct jdi_engine *e, unsigned i)
{
    struct simrank *r = rank_of(e);
    struct simstream **at = &r->others, *st;
    while ((st = *at)->index != i)
        at = &st->next;
    jdi_sim_stream_join(r->sim->sim, st->id);
    *at = st->next;
    r->sim->stream[st->id] = NULL;
    jdi_free(st);
}

static struct jdi_ult *run_ult(void *arg, void *data)
{
    struct simult *u = arg, *next = ult_of(u->fn(u->arg, data));
    u->sim->running->now = next;
    return next->real;
}

static struct jdi_ult *sim_create(struct jdi_engine *e, jdi_ult_fn *fn, void *arg,
                                  struct jdi_ult_room *room)
{
    struct simrank *r = rank_of(e);
    size_t head = jdi_round_up(sizeof(struct simult), 16);
    struct jdi_ult_room whole = {.stack = room ? room->stack : 0,
                                 .bytes = head + (room ? room->bytes : 0)};
    struct jdi_ult *real = jdi_ult_boost.create(r->sim->loops, run_ult, NULL, &whole);
    if (!real)
        return NULL;
    struct simult *u = whole.at;
    if (room)
        room->at = (char *)whole.at + head;
    *u = (struct simult){
        .real = real, .sim = r->sim, .fn = fn, .arg = room ? room->at : arg};
    return (struct jdi_ult *)(void *)u;
}

static void *sim_jump(struct jdi_ult *self, struct jdi_ult *to, void *data)
{
    struct simult *u = ult_of(self), *next = ult_of(to);
    u->sim->running->now = next;
    return jdi_ult_boost.jump(u->real, next->real, data);
}

static void sim_destroy(struct jdi_ult *u)
{
    jdi_ult_boost.destroy(ult_of(u)->real);
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

/* ---- the simulation's own loop -------------------------------------------------------- */

static void stuck(struct simulation *s)
{
    fprintf(stderr, "jackdaw: the simulation stands still: every rank waits, and no "
                    "message is on its way\n");
    jdi_sim_dump(s->sim, stderr, 16);
    exit(JDI_EXIT_STALL);
}

/* The simulation's stream: runs the others until every rank has ended. */
static void drive(void *arg, unsigned stream, struct jdi_ult *base)
{
    struct simulation *s = arg;
    (void)stream;
    s->self = base;
    uint32_t left = s->start->want_ranks;
    while (left) {
        uint32_t id = jdi_sim_next(s->sim);
        if (id == JDI_SIM_NOBODY)
            stuck(s);
        struct simstream *st = s->stream[id];
        go_on(s, st);
        left -= st->ended && st == &st->rank->main;
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
        struct simrank *r = &s->rank[i];
        *r = (struct simrank){.sim = s, .am = am, .main = {.rank = r, .id = i}};
        am->ult = &ult_sim;
        am->pools_stacks = true;
        am->network = r;
        am->hot[1] = (struct jdi_am_hot){r, sizeof *r};
        if (table_stream(s, &r->main))
            return JD_ENOMEM;
    }
    struct jdi_ult_config config = {
        .streams = 1, .stack_size = BASE_STACK, .log = &s->log, .fault = &s->fault};
    return jdi_ult_boost.open(&s->bases, &config);
}

static void print_figures(const struct simulation *s, double began)
{
    struct jdi_sim_figures f;
    struct rusage used = {0};
    jdi_sim_figures(s->sim, &f);
    getrusage(RUSAGE_SELF, &used); /* without it the figure is 0 */
    fprintf(stderr,
            "jackdaw: simulated %u ranks, %.6f s of virtual time in %.2f s: "
            "%llu events, %llu messages, %ld KiB of memory at most\n",
            s->start->want_ranks, 1e-9 * (double)f.now,
            1e-9 * (double)jdi_time_ns() - began, (unsigned long long)f.events,
            (unsigned long long)f.messages, used.ru_maxrss);
}

/* On the heap: a leak checker at an exit on a task's stack does not look at this one. */
static struct simulation *new_simulation(const struct jdi_conduit_start *start)
{
    struct jdi_log log = {.level = JDI_LOG_WARN};
    struct simulation *s = jdi_zalloc(NULL, sizeof *s);
    if (!s)
        jdi_die(&log, JDI_EXIT_MEMORY, "out of memory for the simulation");
    s->start = start;
    s->log = log;
    return s;
}

static int end_all(struct simulation *s)
{
    int status = 0;
    for (uint32_t i = 0; i < s->start->want_ranks; i++)
        status = s->rank[i].status > status ? s->rank[i].status : status;
    jdi_ult_boost.close(s->bases);
    jdi_sim_free(s->sim);
    free(s->stream);
    jdi_free(s->rank);
    jdi_free(s);
    return status;
}

static int sim_run(const struct jdi_conduit_start *start)
{
    struct jdi_conduit_start here = *start;
    struct jdi_knobs knobs;
    struct jdi_sim_params params;
    struct simulation *s = new_simulation(&here);
    char text[256];
    double began = 1e-9 * (double)jdi_time_ns();
    struct jdi_early *early = jdi_early_watch();
    here.want_ranks = start->want_ranks ? start->want_ranks : 1;
    if (jdi_knobs_read(&knobs, sim_lookup, NULL, text, sizeof text) ||
        jdi_sim_params_read(&params, &knobs, here.want_ranks, text, sizeof text) ||
        jdi_sim_adversary_new(&params.adversary, &params, text, sizeof text))
        jdi_die(&s->log, JDI_EXIT_START, "%s", text);
    int error = open_all(s, &params);
    if (error)
        jdi_die(&s->log, JDI_EXIT_START, "cannot simulate %u ranks: %s", params.nranks,
                jd_strerror(error));
    if (jdi_sim_trace(s->sim, text, sizeof text))
        jdi_die(&s->log, JDI_EXIT_START, "%s", text);
    jdi_ult_boost.enter(s->bases, 0, drive, s);
    if (strcmp(knobs.stats, "0") || knobs.verbose >= 2)
        print_figures(s, began);
    int status = end_all(s);
    jdi_sim_adversary_free(params.adversary);
    jdi_early_over(early);
    return status;
}

static const char *version(void)
{
    return "simulated network in virtual time";
}

JDI_NOTE("sim", 0);

const struct jdi_conduit jdi_conduit = {
    .name = "sim",
    .run = sim_run,
    .lookup = sim_lookup,
    .version = version,
    .in_virtual_time = true,
};
