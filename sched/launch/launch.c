/*
 * launch.c - jd_launch: from main to the body and back.
 *
 * Role: makes the rank step by step, runs its streams, takes it apart.
 * Owner: the communication thread (main, or the rank's thread if ranks share a process).
 * Invariants: I1 a step that fails says why and ends the job on all ranks.
 *             I2 at the end every task that was added has run (law 5).
 * Order: [pair: rank-stop] joining the streams is its last step.
 * See: ARCHITECTURE.md "Start and end".
 */
#include "core/fence.h"
#include "sched/ask.h"
#include "sched/collective.h"
#include "sched/comm.h"
#include "sched/data/data.h"
#include "sched/deques.h"
#include "sched/detect.h"
#include "sched/finish/cancel.h"
#include "sched/finish/phased.h"
#include "sched/finish/pools.h"
#include "sched/inspect.h"
#include "sched/launch/display.h"
#include "sched/launch/gather.h"
#include "sched/launch/tables.h"
#include "sched/live/live.h"
#include "sched/live/panel.h"
#include "sched/live/progress.h"
#include "sched/ownstack.h"
#include "sched/prune.h"
#include "sched/session.h"
#include "sched/stealfile.h"
#include "sched/traces.h"
#include "sched/transfer.h"
#include "sched/wait/channel.h"
#include "sched/wait/event.h"
#include "sched/wait/fd.h"
#include "sched/wait/foreign.h"
#include "sched/wait/phaser.h"
#include "sched/wait/waits.h"
#include "sched/worker.h"
#include "termination/find.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

struct launch {
    jd_body body;
    const jd_task_def *tasks;
    struct jdi_knobs knobs; /* of the process that was started */
};

static const char *plain_lookup(void *ctx, const char *name)
{
    (void)ctx;
    return getenv(name);
}

static void end_job(void *am, int status)
{
    jdi_am_end_job(am, status);
}

static JD_NORETURN void die_of(struct jdi_rank *r, const char *what, int error)
{
    jdi_die(&r->am->log, JDI_EXIT_START, "%s: %s", what, jd_strerror(error));
}

/* ---- knobs, tasks, agreement -------------------------------------------------------- */

static void warn_unknown(void *ctx, const char *name, const char *nearest)
{
    struct jdi_rank *r = ctx;
    if (nearest)
        jdi_log_once(&r->am->log, JDI_LOG_WARN, "unknown variable %s; did you mean %s?",
                     name, nearest);
    else
        jdi_log_once(&r->am->log, JDI_LOG_WARN, "unknown variable %s", name);
}

/* As the network hands the environment out.  In virtual time the process has read it for all its ranks. */
static const struct jdi_knobs *take_knobs(struct jdi_rank *r, const struct launch *l)
{
    char text[256];
    if (r->am->time)
        return &l->knobs;
    r->own_knobs = jdi_alloc(NULL, sizeof *r->own_knobs);
    if (!r->own_knobs)
        jdi_die(&r->am->log, JDI_EXIT_START, "no memory for the rank");
    if (jdi_knobs_read(r->own_knobs, jdi_conduit.lookup, NULL, text, sizeof text))
        jdi_die(&r->am->log, JDI_EXIT_START, "%s", text);
    return r->own_knobs;
}

static void read_knobs(struct jdi_rank *r, const struct launch *l)
{
    struct jdi_am *am = r->am;
    char text[256];
    r->knobs = take_knobs(r, l);
    am->log.level = (enum jdi_log_level)r->knobs->verbose;
    unsigned before = am->credits; /* credits that other ranks may still hold */
    am->credits = (unsigned)r->knobs->credits;
    jdi_am_set_bound(am, JDI_AM_BOUND_CREDITS,
                     am->credits > before ? am->credits : before);
    unsigned amount, local;
    jdi_knobs_amount(r->knobs->steal_amount, &amount);
    jdi_knobs_local_amount(r->knobs->local_amount, amount, &local);
    r->amount = amount;
    r->local_amount = local;
    r->detector = jdi_td_find_at((size_t)r->knobs->detector);
    if (jdi_fault_parse(&am->fault, r->knobs->fault, text, sizeof text))
        jdi_die(&am->log, JDI_EXIT_START, "%s", text);
    if (am->rank == 0)
        jdi_knobs_unknown(environ, warn_unknown, r);
    uint64_t seed = r->knobs->seed ? (uint64_t)r->knobs->seed : jdi_rank_now(r);
    r->rng = (seed + 1 + am->rank) * 0x9E3779B97F4A7C15ULL | 1;
    jdi_ask_init(r);
    jdi_display_env(r);
}

static void check_tasks(struct jdi_rank *r, const jd_task_def *tasks)
{
    char text[256];
    if (jdi_registry_init(&r->registry, tasks, text, sizeof text))
        jdi_die(&r->am->log, JDI_EXIT_START, "%s", text);
    int error = jdi_tables_compare(r->am, &r->registry, text, sizeof text);
    /* One rank is enough to say it: the others wait for the end. */
    if (error == JD_EMISMATCH && r->am->rank == 0)
        jdi_die(&r->am->log, JDI_EXIT_START, "%s", text);
    if (error == JD_EMISMATCH)
        error = jdi_am_reduce_barrier(r->am); /* returns only with an error */
    if (error)
        die_of(r, "comparing task tables", error);
    if ((error = jdi_ownstack_init(r)))
        die_of(r, "the task table", error);
}

/* ---- placement ---------------------------------------------------------------------- */

struct word_read {
    struct jdi_am_get get;
    uint64_t *to;
    unsigned *left;
};

static void word_arrived(void *ctx, uint64_t value)
{
    struct word_read *read = ctx;
    *read->to = value;
    --*read->left;
}

enum { PEER_WORDS = sizeof(struct jdi_topo_peer) / sizeof(uint64_t) };
_Static_assert((int)PEER_WORDS <= (int)JDI_AM_WORDS,
               "a peer fits into the published words");

static void read_peer(struct jdi_rank *r, uint32_t src, struct jdi_topo_peer *to)
{
    struct word_read read[PEER_WORDS];
    unsigned left = PEER_WORDS;
    for (unsigned i = 0; i < PEER_WORDS; i++) {
        read[i].get = (struct jdi_am_get){.done = word_arrived, .ctx = &read[i]};
        read[i].to = (uint64_t *)(void *)to + i;
        read[i].left = &left;
        int error = jdi_am_get_word(r->am, src, i, &read[i].get);
        if (error)
            die_of(r, "reading another rank's cores", error);
    }
    while (left)
        jdi_am_poll(r->am);
}

/*
 * A network that runs the ranks itself wakes whoever waits for messages.  So workers sleep at once
 * and do not spin first, because a wake-up costs nothing in virtual time, unless what they look at
 * while they spin is to cost something (JACKDAW_SIM_LOOK).  But no message tells
 * what other workers of the rank do.  So the communication worker of a rank with several streams
 * looks around as often as a busy worker.
 */
static void place_virtual(struct jdi_rank *r)
{
    enum { LOOK_NS = 20000 };
    r->nworkers = r->knobs->workers ? (unsigned)r->knobs->workers : 1;
    r->place = (struct jdi_placement){
        .workers = r->nworkers,
        .bind = JDI_BIND_NONE,
        .dedicated = r->knobs->comm == JDI_COMM_DEDICATED && r->am->nranks > 1,
    };
    r->place.apart = r->place.dedicated;
    bool alone = r->nworkers == 1 && !r->place.dedicated;
    if (r->knobs->sim_look)
        jdi_knobs_idle(r->knobs->idle, false, &r->patience);
    r->patience.sleep_ns = alone ? UINT64_MAX : LOOK_NS;
}

static void place(struct jdi_rank *r)
{
    struct jdi_am *am = r->am;
    if (am->ult) {
        place_virtual(r);
        jdi_live_make(r, NULL);
        return;
    }
    int error = jdi_topo_new(&r->topo);
    if (error)
        die_of(r, "reading the topology", error);
    struct jdi_topo_peer mine;
    jdi_topo_self(r->topo, &mine);
    for (unsigned i = 0; i < PEER_WORDS; i++)
        jdi_am_publish(am, i, ((const uint64_t *)(const void *)&mine)[i]);
    struct jdi_topo_peer *peers = jdi_zalloc(&am->fault, am->host_size * sizeof *peers);
    if (!peers)
        die_of(r, "reading the topology", JD_ENOMEM);
    if ((error = jdi_am_reduce_barrier(am)))
        die_of(r, "barrier", error);
    for (uint32_t i = 0; i < am->host_size; i++)
        read_peer(r, am->host_peers[i], &peers[i]);
    jdi_topo_place(r->topo, r->knobs, peers, am->host_size, am->host_rank, am->nranks,
                   &r->place);
    char text[256];
    if (jdi_topo_place_file(&r->place, am->rank, &r->bind_list, text, sizeof text) ||
        jdi_topo_place_check(r->topo, &r->place, text, sizeof text))
        jdi_die(&am->log, JDI_EXIT_START, "%s", text);
    /* A worker that is alone in its job is never asked for anything while it runs a task, but for this. */
    if (strcmp(r->knobs->progress, "0"))
        r->place.apart = true;
    jdi_display_binding(r, peers);
    jdi_live_make(r, peers);
    jdi_free(peers);
    r->nworkers = r->place.workers;
    jdi_knobs_idle(r->knobs->idle, r->place.oversubscribed, &r->patience);
    jdi_log_once(&am->log, JDI_LOG_INFO,
                 "%u ranks, %u workers each, %s, %u threads on %u cores", am->nranks,
                 r->nworkers, r->place.dedicated ? "dedicated" : "inline",
                 r->place.host_threads, r->place.host_cores);
}

/* ---- workers and the body ----------------------------------------------------------- */

static void all_returned(void *ctx)
{
    struct jdi_rank *r = ctx;
    jdi_standstill_leave(r);
    r->status = (int)(r->status_word >> 1);
    r->any_finish = r->status_word == 1;
    r->finished = true;
}

static void body_returned(struct jdi_rank *r, struct jdi_call *call)
{
    (void)call;
    /* One word for a maximum: the status, or, if every status is 0, whether finishes were used. */
    uint64_t status = (uint64_t)(r->status < 0 || r->status > 125 ? 1 : r->status);
    r->status_word = status << 1 | (jdi_pool_of(r) != NULL);
    r->end = (struct jdi_am_reduce){.value = &r->status_word,
                                    .n = 1,
                                    .kind = JDI_AM_U64,
                                    .op = JD_MAX,
                                    .call = JDI_COLLECTIVE_END,
                                    .done = all_returned,
                                    .ctx = r};
    int error = jdi_am_reduce(r->am, &r->end);
    if (error)
        die_of(r, "ending", error);
    jdi_standstill_reduce(r, &r->end);
}

static struct jdi_ult *body_ult(void *arg, void *data)
{
    jd_self *me = arg;
    struct jdi_rank *r = me->rank;
    (void)data;
    me->stack = (uintptr_t)__builtin_frame_address(0);
    jdi_self_arrive(me);
    r->status = r->body(me, r->argc, r->argv);
    atomic_store_explicit(&r->returned, true, memory_order_relaxed);
    jdi_phaser_end(me);
    if (me->part)
        jdi_die(&r->am->log, JDI_EXIT_AUDIT, "the body ends inside a finish it began");
    r->body_call.run = body_returned;
    jdi_rank_post(r, &r->body_call);
    return jdi_self_end(me);
}

static jd_self *new_body(struct jdi_worker *w)
{
    struct jdi_rank *r = w->rank;
    jd_self *me = jdi_self_new(r, body_ult, true);
    if (!me)
        die_of(r, "the body's stack", JD_ENOMEM);
    return me;
}

/* A jdi_ult_what_fn. */
static void what_runs(void *arg, unsigned stream, const char **kind, const char **name)
{
    const struct jdi_rank *r = arg;
    const jd_self *me = r->workers ? r->workers[stream].running : NULL;
    if (!me || !(me->coll || me->is_body))
        return;
    *kind = me->coll ? "task " : "the body";
    if (me->coll)
        *name = r->registry.row[me->task].name;
}

static struct jdi_worker *new_workers(struct jdi_rank *r)
{
    size_t bytes = r->nworkers * sizeof *r->workers;
    return bytes <= r->am->room_bytes ? memset(r->am->room, 0, bytes)
                                      : jdi_zalloc(&r->am->fault, bytes);
}

static void free_workers(struct jdi_rank *r)
{
    if ((void *)r->workers != r->am->room)
        jdi_free(r->workers);
    r->workers = NULL;
}

static void make_workers(struct jdi_rank *r)
{
    struct jdi_am *am = r->am;
    static const char *const names[] = {NULL, "argobots", "boost"};
    const char *name = names[r->knobs->ult];
    r->ult = am->ult ? am->ult : jdi_ult_find(name);
    if (!r->ult)
        jdi_die(&am->log, JDI_EXIT_START, "JACKDAW_ULT=%s: not built into this library",
                name);
    struct jdi_ult_config config = {
        .streams = r->nworkers,
        .stack_size = (size_t)r->knobs->stack_size,
        .log = &am->log,
        .fault = &am->fault,
        .network = am->network,
        .what = what_runs,
        .what_arg = r,
    };
    /* Before there are threads, because with several the kernel waits for every core. */
    r->fences = jdi_fence_start();
    jdi_inspect_init(r);
    int error = r->ult->open(&r->engine, &config);
    if (error)
        die_of(r, "user-level threads", error);
    r->workers = new_workers(r);
    if (!r->workers)
        die_of(r, "workers", JD_ENOMEM);
    r->stats =
        r->place.apart ? jdi_zalloc(&am->fault, sizeof *r->stats) : &r->workers[0].stats;
    if (!r->stats)
        die_of(r, "statistics", JD_ENOMEM);
    if (jdi_deques_init(r))
        die_of(r, "deques", JD_ENOMEM);
    for (unsigned i = 0; i < r->nworkers; i++)
        jdi_worker_init(&r->workers[i], r, i);
}

static void run_workers(struct jdi_rank *r)
{
    unsigned first = r->place.apart ? 0 : 1;
    for (unsigned i = first; i < r->nworkers; i++)
        if (r->ult->start(r->engine, i, jdi_worker_stream, r))
            jdi_die(&r->am->log, JDI_EXIT_START,
                    "cannot start the thread of worker %u of %u", i, r->nworkers);
    if (r->place.apart)
        jdi_comm_apart(r);
    else
        r->ult->enter(r->engine, 0, jdi_comm_stream, r);
    for (unsigned i = first; i < r->nworkers; i++)
        r->ult->join(r->engine, i);
}

/* ---- the end ------------------------------------------------------------------------ */

static const jd_coll *leftover(const struct jdi_rank *r)
{
    for (unsigned i = 0; i < r->ncolls; i++) {
        const jd_coll *c = r->colls[i];
        if (c && c->kind->visible &&
            (!jdi_coll_idle(c) || jdi_coll_state(c) == JDI_COLL_OPEN))
            return c;
    }
    return NULL;
}

/* Only the first rank with leftovers reports, because often all ranks have the same. */
static void check_leftovers(struct jdi_rank *r)
{
    const jd_coll *c = leftover(r);
    uint64_t first = c ? r->am->rank : UINT64_MAX;
    int error = jdi_am_reduce_all(r->am, &first, 1, JDI_AM_U64, JD_MIN);
    if (!error && first != r->am->rank && first != UINT64_MAX)
        error = jdi_am_reduce_barrier(r->am); /* returns only with an error */
    if (error)
        die_of(r, "looking for what is left over", error);
    if (first == r->am->rank)
        jdi_die(&r->am->log, JDI_EXIT_AUDIT,
                jdi_coll_idle(c) ? "%s was started, and nobody waited for its end"
                                 : "%s ends with tasks that were added and never "
                                   "processed",
                c->name);
}

/* Free collections when no message that names one is under way: every request of this rank has been
 * answered, and after the barrier every request of the other ranks too (rule R13). */
static void free_colls(struct jdi_rank *r)
{
    r->leaving = true;
    for (unsigned i = 0; i < r->ncolls; i++)
        if (r->colls[i])
            jdi_ask_end(r->colls[i]);
    for (unsigned i = 0; i < r->ncolls; i++)
        while (r->colls[i] && jdi_ask_open(r->colls[i])) {
            jdi_am_poll(r->am);
            jdi_time_pause(r->am->time, JDI_IDLE_YIELD);
        }
    int error = jdi_am_reduce_barrier(r->am);
    if (error)
        die_of(r, "barrier", error);
    if (r->gather)
        jdi_gather_meet(r); /* its messages come before the rank expects none */
    jdi_progress_end(r);
    jdi_am_retire(r->am);
    for (unsigned i = 0; i < r->ncolls; i++)
        if (r->colls[i]) {
            jdi_ask_forget(r->colls[i]);
            jdi_coll_free(r->colls[i]);
        }
}

static void take_apart(struct jdi_rank *r)
{
    jdi_traces_end(r);
    jdi_panel_end(r);
    jdi_fd_free_all(r); /* first, because it ends a thread that wakes workers */
    JD_AUDIT(jdi_rank_check(r));
    for (unsigned i = 0; i < r->nworkers; i++)
        jdi_worker_read(&r->workers[i]); /* cancellations of what has ended since */
    for (unsigned i = 0; i < r->nworkers; i++)
        jdi_worker_fini(&r->workers[i]);
    jdi_deques_fini(r);
    jdi_waits_free(r);
    jdi_channel_free_all(r);
    jdi_event_free_all(r);
    jdi_foreign_free_all(r);
    jdi_phased_free_all(r);
    jdi_phaser_free_all(r);
    check_leftovers(r);
    if (r->any_finish)
        jdi_pools_audit(r);
    else if (r->status) /* then the use of finishes is unknown */
        jdi_cancel_settle(r);
    jdi_data_settle(r); /* must come before the barrier in free_colls */
    free_colls(r);
    jdi_data_free(r);
    if (r->gather)
        jdi_gather_end(r);
    jdi_pools_free(r);
    jdi_traces_close(r);
    jdi_stealfile_end(r);
    jdi_am_flush(r->am); /* the last results go down the tree */
    jdi_standstill_fini(r);
    jdi_live_free(r);
    if (r->place.apart)
        jdi_free(r->stats);
    free_workers(r);
    r->ult->close(r->engine);
    jdi_ownstack_fini(r);
    if (r->topo)
        jdi_topo_free(r->topo);
    jdi_free(r->bind_list);
}

/* ---- the whole way ------------------------------------------------------------------ */

static int rank_main(void *ctx, struct jdi_am *am, int argc, char **argv)
{
    const struct launch *l = ctx;
    am->log.end_job = end_job;
    am->log.ctx = am;
    am->disagree = jdi_collective_disagree;
    struct jdi_rank *r = jdi_zalloc(NULL, sizeof *r);
    if (!r)
        jdi_die(&am->log, JDI_EXIT_START, "no memory for the rank");
    r->am = am;
    jdi_owner_take(&am->comm);
    r->body = l->body;
    r->new_body = new_body;
    r->argc = argc;
    r->argv = argv;
    jdi_mailbox_init(&r->mailbox);
    jdi_lock_init(&r->spares_lock);
    jdi_am_set_bound(am, JDI_AM_BOUND_COLLS, JDI_COLLS_MAX);
    jdi_transfer_init(r);
    jdi_prune_init(r);
    jdi_session_init(r);
    jdi_ask_handlers(r);
    jdi_pools_init(r);
    jdi_data_init(r);
    jdi_detect_init(r);
    jdi_standstill_init(r);
    jdi_waits_init(r);
    jdi_channel_init(r);
    jdi_event_init(r);
    jdi_foreign_init(r);
    jdi_phaser_init(r);
    jdi_fd_init(r);
    jdi_gather_init(r);
    jdi_progress_init(r);
    jdi_live_init(r);
    read_knobs(r, l);
    check_tasks(r, l->tasks);
    place(r);
    jdi_gather_begin(r);
    jdi_progress_begin(r);
    jdi_panel_begin(r);
    make_workers(r);
    jdi_traces_make(r);
    jdi_stealfile_begin(r);
    int error = jdi_am_reduce_barrier(am);
    if (error)
        die_of(r, "barrier", error);
    jdi_traces_begin(r);
    jdi_ask_clear_loads(r); /* all ranks have read the old contents */
    jdi_live_begin(r);
    run_workers(r);
    jdi_live_end(r);
    take_apart(r);
    int status = r->status;
    jdi_log_once(&am->log, JDI_LOG_INFO, "clean end, status %d", status);
    jdi_free(r->own_knobs);
    jdi_free(r);
    return status;
}

int jd_launch(int argc, char **argv, jd_body body, const jd_task_def *tasks)
{
    /* Checked here too, while there is one process, so that the error is printed once. */
    struct jdi_log log = {.level = JDI_LOG_WARN};
    struct launch l = {.body = body, .tasks = tasks};
    const struct jdi_knobs *knobs = &l.knobs;
    struct jdi_registry registry;
    char text[256];
    if (!body)
        jdi_die(&log, JDI_EXIT_START, "jd_launch: no body");
    if (jdi_registry_init(&registry, tasks, text, sizeof text) ||
        jdi_knobs_read(&l.knobs, plain_lookup, NULL, text, sizeof text))
        jdi_die(&log, JDI_EXIT_START, "%s", text);
    struct jdi_conduit_start start = {
        .argc = argc,
        .argv = argv,
        .want_ranks = (uint32_t)knobs->ranks,
        .limit_s = (int)knobs->start_timeout,
        .allow_singleton = knobs->singleton,
        .rank_main = rank_main,
        .ctx = &l,
    };
    sigset_t mask;
    bool listens = knobs->state != JDI_STATE_NO && !jdi_conduit.in_virtual_time;
    if (listens)
        jdi_listen_block(&mask);
    int status = jdi_conduit.run(
        &start); /* over GASNet it returns only if there is a job already */
    if (listens)
        jdi_listen_unblock(&mask);
    return status < 0 ? status : jdi_log_flush(&log, status);
}
