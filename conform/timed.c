/*
 * timed.c - the event loop, the work loads and the measurements.
 *
 * See: timed.h.
 */
#include "conform/timed.h"

#include "conform/dice.h"
#include "conform/heap.h"
#include "termination/tree.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BURSTS = 10,
    BURST = 16,
    SLEEP = 40,
    SHORT = 2,
    LATE = 50,
    ROUNDS = 10,
    EVENTS = 100000
};

enum kind { TASK_ARRIVES = 1, TASK_ENDS, CONTROL_ARRIVES, CONTROL_READ, ALARM };

struct event {
    uint8_t kind;
    uint32_t src, dst, fuel;
    struct jdi_td_stamp stamp;
    struct jdi_td_msg msg;
};

struct timed_rank {
    struct timed *t;
    uint32_t live, ended;
    uint32_t below; /* ranks with a live task in the tree from here */
    uint64_t alarm;
    uint64_t reads, writes; /* occupied until then */
    uint64_t created, executed, ids;
};

struct timed {
    const struct jdi_td_ops *ops;
    const struct jd_conform_load *c;
    struct jd_conform_timing *r;
    uint64_t now, dice, quiescent, last;
    uint64_t left;  /* tasks that exist */
    uint64_t after; /* events since quiescence */
    uint32_t busy, announced;
    struct jdi_heap heap;
    struct event *event; /* those under way, by number */
    uint32_t nevents, room, free_count;
    uint32_t *free;
    struct timed_rank *rank;
    unsigned char *td;
    size_t td_size;
    struct jdi_td_figures at_quiescence;
};

static double fraction(struct timed *t)
{
    return (double)(jdi_dice_roll(&t->dice) >> 11) / 9007199254740992.0;
}

static uint32_t any_rank(struct timed *t)
{
    return jdi_dice_below(&t->dice, t->c->ranks);
}

static uint64_t hop(struct timed *t)
{
    double x = fraction(t);
    if (t->c->law == JD_CONFORM_UNIFORM)
        return (uint64_t)(JDI_TIMED_HOP * (0.1 + 1.8 * x));
    if (t->c->law == JD_CONFORM_HEAVY)
        return (uint64_t)(JDI_TIMED_HOP * fmin(1000, pow(1 - x, -1 / 1.5) / 3));
    return JDI_TIMED_HOP;
}

static void wrong(struct timed *t, const char *format, ...) JDI_PRINTF(2, 3);
static void wrong(struct timed *t, const char *format, ...)
{
    va_list args;
    if (t->r->text[0])
        return;
    va_start(args, format);
    vsnprintf(t->r->text, sizeof t->r->text, format, args);
    va_end(args);
}

static void *timed_td(struct timed *t, uint32_t rank)
{
    return t->td + rank * t->td_size;
}

/* ---- events ------------------------------------------------------------------------- */

static void put_later(struct timed *t, uint64_t delay, const struct event *e)
{
    if (t->free_count == 0) {
        uint32_t more = t->room ? t->room : 1024;
        t->event = realloc(t->event, (t->room + more) * sizeof t->event[0]);
        t->free = realloc(t->free, (t->room + more) * sizeof t->free[0]);
        JD_CHECK(t->event && t->free);
        for (uint32_t i = 0; i < more; i++)
            t->free[t->free_count++] = t->room + i;
        t->room += more;
    }
    uint32_t at = t->free[--t->free_count];
    t->event[at] = *e;
    jdi_heap_put(&t->heap, t->now + delay, at);
}

/* ---- tasks -------------------------------------------------------------------------- */

static uint64_t duration(struct timed *t, uint32_t fuel)
{
    switch (t->c->work) {
    case JD_CONFORM_BUSY:
        return fuel > 0 ? JDI_TIMED_HOP * (10 + jdi_dice_roll(&t->dice) % 20)
                        : SHORT * JDI_TIMED_HOP;
    case JD_CONFORM_BURST:
        return fuel > 0 ? SLEEP * JDI_TIMED_HOP : SHORT * JDI_TIMED_HOP;
    default:
        return JDI_TIMED_HOP / 2 + jdi_dice_roll(&t->dice) % JDI_TIMED_HOP;
    }
}

/* A rank has got its first live task, or lost its last. */
static void count_busy(struct timed *t, uint32_t rank, bool busy)
{
    uint32_t change = busy ? 1 : UINT32_MAX;
    t->busy += change;
    for (; rank > 0; rank = jdi_tree_parent(rank, JDI_TIMED_ARITY))
        t->rank[rank].below += change;
    t->rank[0].below += change;
}

static void start_task(struct timed *t, uint32_t rank, uint32_t fuel)
{
    const struct event e = {.kind = TASK_ENDS, .dst = rank, .fuel = fuel};
    struct timed_rank *r = &t->rank[rank];
    if (r->live++ == 0)
        count_busy(t, rank, true);
    put_later(t, duration(t, fuel), &e);
}

static void create_task(struct timed *t, struct timed_rank *r)
{
    t->left++;
    r->created++;
    r->ids ^= r->created * 0x9e3779b97f4a7c15u;
}

static void send_task(struct timed *t, uint32_t src, uint32_t dst, uint32_t fuel,
                      uint64_t extra)
{
    struct event e = {.kind = TASK_ARRIVES, .src = src, .dst = dst, .fuel = fuel};
    create_task(t, &t->rank[src]);
    t->r->messages++;
    e.stamp = t->ops->exported(timed_td(t, src));
    put_later(t, hop(t) + extra, &e);
}

/* What the end of a task with so much fuel leads to. */
static void spawn_children(struct timed *t, uint32_t rank, uint32_t fuel)
{
    uint32_t half = fuel / 2;
    switch (t->c->work) {
    case JD_CONFORM_DIFFUSE:
        if (half > 0) {
            send_task(t, rank, any_rank(t), half, 0);
            send_task(t, rank, any_rank(t), fuel - half, 0);
        }
        break;
    case JD_CONFORM_BUSY:
        if (fuel > 0)
            send_task(t, rank, any_rank(t), 0, 0);
        break;
    case JD_CONFORM_BURST:
        for (int i = 0; fuel > 0 && i < BURST; i++)
            send_task(t, rank, any_rank(t), i == 0 ? fuel - 1 : 0, 0);
        break;
    case JD_CONFORM_PINGPONG:
        if (fuel > 0)
            send_task(t, rank, any_rank(t), fuel - 1, 0);
        break;
    case JD_CONFORM_LATE:
        if (fuel > 0)
            send_task(t, rank, any_rank(t), 0, fuel > 1 ? LATE * JDI_TIMED_HOP : 0);
        break;
    default:
        break;
    }
}

static void end_task(struct timed *t, uint32_t rank, uint32_t fuel)
{
    struct timed_rank *r = &t->rank[rank];
    spawn_children(t, rank, fuel);
    if (t->c->work == JD_CONFORM_BUSY && fuel > 1) { /* the long work goes on */
        const struct event e = {.kind = TASK_ENDS, .dst = rank, .fuel = fuel - 1};
        put_later(t, duration(t, fuel - 1), &e);
        return;
    }
    r->executed++;
    if (--r->live == 0)
        count_busy(t, rank, false);
    if (--t->left == 0) {
        t->quiescent = t->now;
        t->r->early = t->r->control;
        t->ops->figures(timed_td(t, 0), &t->at_quiescence);
    }
}

static void seed(struct timed *t)
{
    static const uint32_t first[JD_CONFORM_WORKS] = {
        [JD_CONFORM_BURST] = BURSTS, [JD_CONFORM_PINGPONG] = 1000, [JD_CONFORM_LATE] = 2};
    uint32_t n = t->c->ranks;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t fuel = t->c->work == JD_CONFORM_BUSY ? ROUNDS
                        : i == 0                      ? first[t->c->work]
                                                      : 0;
        if (t->c->work == JD_CONFORM_LATE && i > 0)
            fuel = 1;
        if (t->c->work == JD_CONFORM_DIFFUSE && i == 0)
            fuel = 2 * n;
        if (fuel > 0) {
            create_task(t, &t->rank[i]);
            start_task(t, i, fuel);
        }
    }
}

/* ---- what the detector asks --------------------------------------------------------- */

static void timed_send(void *ctx, uint32_t dst, const struct jdi_td_msg *m)
{
    struct timed_rank *r = ctx;
    struct timed *t = r->t;
    struct event e = {.kind = CONTROL_ARRIVES, .dst = dst, .msg = *m};
    e.src = (uint32_t)(r - t->rank);
    if (dst >= t->c->ranks) {
        wrong(t, "O6: a message to rank %u, which does not exist", (unsigned)dst);
        return;
    }
    t->r->control++;
    t->r->by_busy += r->live > 0 && m->type != JDI_TD_NEXT;
    t->r->over_busy += r->below > 0 && m->type == JDI_TD_UP;
    t->r->all_busy += t->busy == t->c->ranks;
    r->writes = (r->writes > t->now ? r->writes : t->now) + JDI_TIMED_WORK;
    put_later(t, r->writes - t->now + hop(t), &e);
}

static bool timed_idle(void *ctx)
{
    const struct timed_rank *r = ctx;
    return r->live == 0;
}

static void timed_stat(void *ctx, uint64_t out[JDI_TD_STATS])
{
    const struct timed_rank *r = ctx;
    out[0] = r->created;
    out[1] = r->executed;
    out[2] = 1;
    out[JDI_TD_STATS - 1] = r->ids;
}

static void timed_announce(void *ctx, uint32_t phase, const uint64_t stat[JDI_TD_STATS])
{
    struct timed_rank *r = ctx;
    struct timed *t = r->t;
    unsigned me = (unsigned)(r - t->rank);
    if (phase != 1 || r->ended)
        wrong(t, "O6: rank %u announces phase %u", me, (unsigned)phase);
    if (t->left > 0)
        wrong(t, "O1: rank %u announces phase 1: %llu tasks left", me,
              (unsigned long long)t->left);
    if (stat[0] != stat[1] || stat[2] != t->c->ranks)
        wrong(t, "O2: rank %u: the sums of phase 1 are wrong", me);
    r->ended = 1;
    if (t->announced++ == 0)
        t->r->root = (double)(t->now - t->quiescent) / JDI_TIMED_HOP;
    t->last = t->now;
}

/* ---- the loop ------------------------------------------------------------------------ */

static void step_rank(struct timed *t, uint32_t rank)
{
    struct timed_rank *r = &t->rank[rank];
    uint64_t wake;
    if (r->ended)
        return;
    do
        wake = t->ops->step(timed_td(t, rank), t->now);
    while (wake <= t->now && !r->ended && !t->r->text[0]);
    if (wake != JDI_TD_NEVER && wake > t->now && wake != r->alarm) {
        const struct event e = {.kind = ALARM, .dst = rank};
        r->alarm = wake;
        put_later(t, wake - t->now, &e);
    }
}

/* It is read when those that came before have been. */
static void queue_message(struct timed *t, const struct event *e)
{
    struct timed_rank *r = &t->rank[e->dst];
    struct event read = *e;
    uint64_t wait = r->reads > t->now ? r->reads - t->now : 0;
    read.kind = CONTROL_READ;
    r->reads = t->now + wait + JDI_TIMED_WORK;
    put_later(t, wait, &read);
}

static void happen(struct timed *t, const struct event *e)
{
    switch (e->kind) {
    case TASK_ARRIVES:
        if (!t->ops->imported(timed_td(t, e->dst), e->stamp))
            wrong(t, "O6: imported says keep, rank %u", (unsigned)e->dst);
        start_task(t, e->dst, e->fuel);
        break;
    case TASK_ENDS:
        end_task(t, e->dst, e->fuel);
        break;
    case CONTROL_ARRIVES:
        queue_message(t, e);
        return;
    case CONTROL_READ:
        t->ops->message(timed_td(t, e->dst), e->src, &e->msg);
        break;
    default:
        break;
    }
    step_rank(t, e->dst);
}

static void set_up(struct timed *t)
{
    uint32_t n = t->c->ranks;
    t->td_size = jdi_round_up(t->ops->size, 16);
    t->td = aligned_alloc(16, n * t->td_size);
    t->rank = calloc(n, sizeof t->rank[0]);
    JD_CHECK(t->td && t->rank);
    jdi_heap_init(&t->heap);
    for (uint32_t i = 0; i < n; i++) {
        const struct jdi_td_config config = {.rank = i,
                                             .nranks = n,
                                             .arity = JDI_TIMED_ARITY,
                                             .pause_min = t->c->pause_min,
                                             .pause_max = t->c->pause_max};
        const struct jdi_td_env env = {.ctx = &t->rank[i],
                                       .send = timed_send,
                                       .idle = timed_idle,
                                       .stat = timed_stat,
                                       .announce = timed_announce};
        t->rank[i].t = t;
        t->ops->init(timed_td(t, i), &config, &env);
        t->ops->enter(timed_td(t, i), 1);
    }
}

void jdi_timed_run(const struct jdi_td_ops *ops, const struct jd_conform_load *c,
                   struct jd_conform_timing *r)
{
    struct timed t = {.ops = ops, .c = c, .r = r, .dice = c->seed * 0x9e3779b97f4a7c15u};
    struct jdi_td_figures f;
    struct jdi_heap_item next;
    memset(r, 0, sizeof *r);
    set_up(&t);
    seed(&t);
    for (uint32_t i = 0; i < c->ranks; i++)
        step_rank(&t, i);
    while (!r->text[0] && jdi_heap_take(&t.heap, &next)) {
        struct event e = t.event[next.what];
        t.now = next.time;
        if (t.left == 0 && ++t.after > EVENTS + 128ull * c->ranks)
            wrong(&t, "O4: livelock: no end after %llu events",
                  (unsigned long long)t.after);
        t.free[t.free_count++] = next.what;
        happen(&t, &e);
    }
    if (t.announced < c->ranks)
        wrong(&t, "O4: nothing can happen and %u of %u ranks do not know the end",
              (unsigned)(c->ranks - t.announced), (unsigned)c->ranks);
    ops->figures(timed_td(&t, 0), &f);
    r->all = (double)(t.last - t.quiescent) / JDI_TIMED_HOP;
    for (uint32_t i = 0; i < c->ranks; i++)
        r->tasks += t.rank[i].executed;
    r->waves = f.waves;
    r->failed = f.failed;
    r->failed_after = f.failed - t.at_quiescence.failed;
    jdi_heap_fini(&t.heap);
    free(t.event);
    free(t.free);
    free(t.td);
    free(t.rank);
}
