/*
 * pools.c - the pool of a rank, made when the first finish in the job is opened.
 *
 * Role: makes the pool on every rank, gives its tasks their kind, checks at the end of the job that
 *       no task was lost.
 * Owner: the communication thread.
 * Invariants: I1 of pool.h. I3 at the end of the job the ranks have created as many tasks as they
 *             have executed.
 * Order: [pair: rank-pool].
 * See: doc/async.md; sched/finish/pool.h; sched/kind.h.
 */
#include "sched/finish/pools.h"

#include "sched/ask.h"
#include "sched/detect.h"
#include "sched/finish/cancel.h"
#include "sched/finish/finish_all.h"
#include "sched/finish/pool.h"
#include "sched/finish/remote.h"
#include "sched/finish/wire.h"
#include "sched/recall.h"
#include "sched/traces.h"
#include "termination/tree.h"

/* ---- made once ---------------------------------------------------------------------- */

/* The kind, with one way or the other to run tasks. */
#define POOL_KIND(run_some)                                                              \
    {                                                                                    \
        .run = run_some, .taken = jdi_pool_taken, .idle = jdi_finish_all_idle,           \
        .announced = jdi_finish_all_announced, .fit = jdi_wire_fit,                      \
        .pack = jdi_wire_export, .fault = jdi_wire_fault, .unpack = jdi_wire_import,     \
    }

static const struct jdi_kind pool_kind = POOL_KIND(jdi_pool_run);
static const struct jdi_kind pool_traced = POOL_KIND(jdi_pool_run_traced);

static jd_coll *new_pool(struct jdi_rank *r, bool traced, uint16_t id, const char *name)
{
    const jd_coll_props props = {.name = name, .no_restore = 1};
    jd_coll *c;
    if (jdi_coll_new(r, traced ? &pool_traced : &pool_kind, &props, &c))
        jdi_die(&r->am->log, JDI_EXIT_MEMORY, "out of memory for the pool of tasks");
    JD_CHECK(c->slot_size == JDI_POOL_SLOT);
    c->id = id;
    c->phase = 1;
    jdi_traces_name(r, id, name);
    jdi_coll_set_state(c, JDI_COLL_SEEDING, JDI_COLL_OPEN);
    return c;
}

static void tell_of_pool(struct jdi_rank *r, uint32_t dst)
{
    struct jdi_am_msg m = {.type = JDI_MSG_AWAKE};
    if (jdi_am_post(r->am, dst, &m))
        jdi_die(&r->am->log, JDI_EXIT_MEMORY, "out of memory for a message");
}

/* Every rank tells its neighbours in the tree once, so every rank hears of the pool. */
static void tell_neighbours(struct jdi_rank *r, uint32_t except)
{
    uint32_t rank = r->am->rank, arity = (uint32_t)r->knobs->tree_arity;
    uint32_t first = (uint32_t)jdi_tree_first_kid(rank, arity);
    uint32_t kids = jdi_tree_kids(rank, arity, r->am->nranks);
    if (rank && jdi_tree_parent(rank, arity) != except)
        tell_of_pool(r, jdi_tree_parent(rank, arity));
    for (uint32_t i = 0; i < kids; i++)
        if (first + i != except)
            tell_of_pool(r, first + i);
}

/* Tasks have names if steals are logged, or replayed. */
static void log_tasks(struct jdi_pool *a)
{
    jd_coll *c = a->any;
    if (!jdi_recall_wanted(c->rank, false))
        return;
    if (jdi_recall_new(c, false))
        jdi_die(&c->rank->am->log, JDI_EXIT_MEMORY,
                "out of memory for the pool of tasks");
    c->recall->serial = JDI_STEALLOG_FINISHES;
    c->began = jdi_rank_now(c->rank);
    jdi_recall_begin(c);
}

static struct jdi_pool *make(struct jdi_rank *r, uint32_t except)
{
    JD_ASSERT(jdi_rank_is_comm(r));
    unsigned nhands = r->nworkers + (r->place.apart ? 1 : 0);
    struct jdi_pool *a = jdi_zalloc(&r->am->fault, sizeof *a + nhands * sizeof *a->hand);
    if (!a)
        jdi_die(&r->am->log, JDI_EXIT_MEMORY, "out of memory for the pool of tasks");
    a->nhands = nhands;
    a->comm = &a->hand[r->place.apart ? nhands - 1 : 0];
    a->traced = jdi_traces_tasks(r);
    a->any = new_pool(r, a->traced, JDI_POOL_ANY, "async");
    a->here = new_pool(r, a->traced, JDI_POOL_HERE, "async at home");
    log_tasks(a);
    jdi_keyed_init(&a->remote, &r->am->fault);
    jdi_keyed_init(&a->cancelled, &r->am->fault);
    for (unsigned i = 0; i < nhands; i++) {
        jdi_hand_init(&a->hand[i], r, i, nhands);
        a->hand[i].any = &a->any->seat[i];
        a->hand[i].here = &a->here->seat[i];
        if (a->traced || a->any->recall)
            a->hand[i].ntasks = 0; /* no spawn takes the short way, which has no labels */
    }
    jdi_detect_open(a->any);
    jdi_steal_init(&a->any->steal, &r->steal_config);
    jdi_ask_begin(a->any);
    r->colls[JDI_POOL_ANY] = a->any;
    if (r->ncolls <= JDI_POOL_ANY)
        r->ncolls = JDI_POOL_ANY + 1;
    /* [pair: rank-pool] release: the pool's fields, written above. */
    atomic_store_explicit(&r->pool, a, memory_order_release);
    jdi_coll_activate(a->here);
    jdi_coll_activate(a->any);
    tell_neighbours(r, except);
    jdi_rank_news(r);
    return a;
}

static void on_awake(void *ctx, const struct jdi_am_in *in)
{
    struct jdi_rank *r = ctx;
    uint32_t arity = (uint32_t)r->knobs->tree_arity;
    if (!jdi_tree_adjacent(r->am->rank, in->src, arity))
        jdi_am_refuse(in, "its sender is no neighbour in the tree");
    if (jdi_pool_of(r) || r->finished)
        jdi_am_ignore(in);
    else
        make(r, in->src);
}

static bool hold_finish(jd_self *me, struct jdi_counted *h)
{
    h->part = me->part;
    if (h->part)
        h->part->live++;
    return h->part;
}

static void end_counted(struct jdi_rank *r, struct jdi_call *call)
{
    struct jdi_counted *h = jdi_container_of(call, struct jdi_counted, call);
    struct jdi_part *part = h->part;
    (void)r;
    jdi_free(h);
    jdi_part_less(part, 1);
}

static void release_finish(struct jdi_counted *h)
{
    h->call.run = end_counted;
    jdi_hand_post(h->part->hand, &h->call);
}

static const _Atomic bool *mark_of(const jd_self *me)
{
    return me->part ? &me->part->root->cancelled : NULL;
}

static jd_finish_id finish_of(const jd_self *me, jd_finish_id *around)
{
    const struct jdi_part *outer = me->part ? me->part->root->outer : NULL;
    *around = outer ? outer->root->id : (jd_finish_id){0};
    return jd_finish_mine(me);
}

/* A message names the pool before AWAKE has come: make the pool now. */
static jd_coll *make_unheard(struct jdi_rank *r, unsigned id)
{
    if (id != JDI_POOL_ANY || r->finished)
        return NULL;
    return (jdi_pool_of(r) ? jdi_pool_of(r) : make(r, UINT32_MAX))->any;
}

void jdi_pools_init(struct jdi_rank *r)
{
    r->on_unknown = make_unheard;
    r->mark_of = mark_of;
    r->finish_of = finish_of;
    r->hold_finish = hold_finish;
    r->release_finish = release_finish;
    r->on_move = jdi_pool_moved;
    jdi_am_set_handler(r->am, JDI_MSG_AWAKE, on_awake, r);
    jdi_remote_init(r);
    jdi_wire_init(r);
    jdi_cancel_init(r);
}

uint64_t jdi_pools_opened(const struct jdi_rank *r, unsigned owner)
{
    const struct jdi_pool *a = jdi_pool_of(r);
    return a && owner < a->nhands ? jdi_stats_get(&a->hand[owner].opened) : 0;
}

uint64_t jdi_pools_ran(const struct jdi_rank *r)
{
    const struct jdi_pool *a = jdi_pool_of(r);
    uint64_t sum = 0;
    for (unsigned i = 0; a && i < r->nworkers; i++)
        sum += atomic_load_explicit(&a->any->seat[i].account.out, memory_order_relaxed) +
               atomic_load_explicit(&a->here->seat[i].account.out, memory_order_relaxed);
    return sum;
}

/* ---- the end ------------------------------------------------------------------------ */

static void add_counters(struct jdi_rank *r, jd_coll *c, uint64_t sum[2])
{
    jdi_coll_end(c);
    sum[0] += c->info.created;
    sum[1] += c->info.executed;
    r->stats->stolen_in += c->info.stolen_in;
    r->stats->stolen_out += c->info.stolen_out;
}

/* Who logs steals expects these there. */
static void tell_unlogged(struct jdi_rank *r, uint64_t ntasks)
{
    if (r->stealfile && ntasks)
        jdi_log_once(&r->am->log, JDI_LOG_WARN,
                     "%llu tasks of finishes without names have changed ranks: they are "
                     "in no steal log",
                     (unsigned long long)ntasks);
}

void jdi_pools_audit(struct jdi_rank *r)
{
    JD_ASSERT(jdi_rank_is_comm(r));
    struct jdi_pool *a = jdi_pool_of(r);
    uint64_t sum[3] = {0}; /* created, executed, left without a name */
    jdi_cancel_settle(r);
    if (a) {
        JD_AUDIT(jdi_pool_check(a));
        add_counters(r, a->here, sum);
        add_counters(r, a->any, sum);
        sum[2] = a->any->recall ? a->any->recall->unnamed : 0;
        jdi_recall_end(a->any);
    }
    int error = jdi_am_reduce_all(r->am, sum, 3, JDI_AM_U64, JD_SUM);
    if (error || sum[0] != sum[1])
        jdi_die(&r->am->log, JDI_EXIT_AUDIT,
                "tasks lost or doubled in finishes: created %llu, executed %llu%s%s",
                (unsigned long long)sum[0], (unsigned long long)sum[1], error ? ", " : "",
                error ? jd_strerror(error) : "");
    tell_unlogged(r, sum[2]);
}

void jdi_pools_free(struct jdi_rank *r)
{
    struct jdi_pool *a = jdi_pool_of(r);
    if (!a)
        return;
    for (unsigned i = 0; i < a->nhands; i++)
        jdi_hand_fini(&a->hand[i]);
    JD_CHECK(a->remote.n == 0);
    jdi_keyed_fini(&a->remote);
    jdi_cancel_free(a);
    jdi_coll_free(a->here);
    atomic_store_explicit(&r->pool, NULL, memory_order_relaxed);
    jdi_free(a);
}
