/*
 * timed.c - the event loop, and what the detector asks.
 *
 * See: timed.h, timed_world.h.
 */
#include "conform/timed_world.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    EVENTS = 100000,
    LINGER = 20,   /* hops, at most, that a rank stays out of the next phase */
    FLOODED = 1000 /* until the last rank is there, so that a flood finds it outside */
};
/* The clock begins before 2^32 ns in every other run. */
#define LATE_CLOCK ((UINT64_C(1) << 32) - 20000)

static double fraction(struct jdi_timed *t)
{
    return (double)(jdi_dice_roll(&t->dice) >> 11) / 9007199254740992.0;
}

uint64_t jdi_timed_hop(struct jdi_timed *t)
{
    double x = fraction(t);
    if (t->c->law == JD_CONFORM_UNIFORM)
        return (uint64_t)(JDI_TIMED_HOP * (0.1 + 1.8 * x));
    if (t->c->law == JD_CONFORM_HEAVY)
        return (uint64_t)(JDI_TIMED_HOP * fmin(1000, pow(1 - x, -1 / 1.5) / 3));
    return JDI_TIMED_HOP;
}

void jdi_timed_wrong(struct jdi_timed *t, const char *format, ...)
{
    va_list args;
    if (t->r->text[0])
        return;
    va_start(args, format);
    vsnprintf(t->r->text, sizeof t->r->text, format, args);
    va_end(args);
}

static uint32_t get_slot(struct jdi_timed *t)
{
    if (t->free_count == 0) {
        uint32_t more = t->room ? t->room : 1024;
        t->item = realloc(t->item, (t->room + more) * sizeof t->item[0]);
        t->free = realloc(t->free, (t->room + more) * sizeof t->free[0]);
        JD_CHECK(t->item && t->free);
        for (uint32_t i = 0; i < more; i++)
            t->free[t->free_count++] = t->room + i;
        t->room += more;
    }
    return t->free[--t->free_count];
}

void jdi_timed_put(struct jdi_timed *t, uint64_t delay, const struct jdi_timed_item *e)
{
    uint32_t at = get_slot(t);
    t->item[at] = *e;
    jdi_heap_put(&t->heap, t->now + delay, at);
}

void jdi_timed_note(struct jdi_timed *t, unsigned kind, uint32_t rank, uint32_t peer)
{
    if (!t->trace)
        return;
    struct jdi_timed_event *e = &t->trace->event[t->trace->count++ % JDI_WORLD_TRACE];
    *e = (struct jdi_timed_event){
        .kind = (uint8_t)kind, .rank = rank, .peer = peer, .phase = t->rank[rank].phase};
}

/* What the last action has led to. */
static void add_to_note(struct jdi_timed *t, uint8_t said, bool ended)
{
    if (!t->trace || t->trace->count == 0)
        return;
    struct jdi_timed_event *e = &t->trace->event[(t->trace->count - 1) % JDI_WORLD_TRACE];
    e->said = said ? said : e->said;
    e->ended |= ended;
}

/* It enters late, or hears late of the end, when others are in the next phase. */
static bool is_flooded(const struct jdi_timed *t, uint32_t rank)
{
    return t->c->work == JD_CONFORM_FLOOD && t->phases > 1 && rank > 0 &&
           rank + 1 == t->c->ranks;
}

/* ---- what the detector asks --------------------------------------------------------- */

static void timed_send(void *ctx, uint32_t dst, const struct jdi_td_msg *m)
{
    struct jdi_timed_rank *r = ctx;
    struct jdi_timed *t = r->t;
    struct jdi_timed_item e = {
        .kind = JDI_TIMED_CONTROL_ARRIVES, .dst = dst, .phase = r->phase, .msg = *m};
    e.src = (uint32_t)(r - t->rank);
    if (dst >= t->c->ranks) {
        jdi_timed_wrong(t, "O6: a message to rank %u, which does not exist",
                        (unsigned)dst);
        return;
    }
    if (m->type < JDI_TD_UP || m->type > JDI_TD_ACK) {
        jdi_timed_wrong(t, "O6: a message of type %d, which does not exist",
                        (int)m->type);
        return;
    }
    add_to_note(t, (uint8_t)(JDI_WORLD_UP + (m->type - JDI_TD_UP)), false);
    e.depth = jdi_toll_sent(t, e.src, dst);
    t->r->control++;
    t->r->by_busy += r->live > 0 && m->type != JDI_TD_NEXT;
    t->r->over_busy += r->below > 0 && m->type == JDI_TD_UP;
    t->r->all_busy += t->busy == t->c->ranks;
    r->writes = (r->writes > t->now ? r->writes : t->now) + JDI_TIMED_WORK;
    uint64_t more = 0;
    if ((jdi_load_is_few(t, e.src) || jdi_load_is_few(t, dst)) &&
        jdi_dice_below(&t->dice, 2))
        more = jdi_load_any_time(t);
    if (m->type == JDI_TD_TERM && is_flooded(t, dst))
        more = FLOODED * JDI_TIMED_HOP;
    jdi_timed_put(t, r->writes - t->now + jdi_timed_hop(t) + more, &e);
}

static bool timed_idle(void *ctx)
{
    const struct jdi_timed_rank *r = ctx;
    return r->live == 0;
}

static void timed_stat(void *ctx, uint64_t out[JDI_TD_STATS])
{
    const struct jdi_timed_rank *r = ctx;
    out[0] = r->created;
    out[1] = r->executed;
    out[2] = 1;
    out[JDI_TD_STATS - 1] = r->ids;
}

static void judge_end(struct jdi_timed *t, unsigned me, uint32_t phase,
                      const uint64_t stat[JDI_TD_STATS])
{
    const struct jdi_timed_rank *r = &t->rank[me];
    uint32_t p = r->phase;
    if (phase != p || r->ended + 1 != p)
        jdi_timed_wrong(t, "O6: rank %u announces phase %u but is in %u", me,
                        (unsigned)phase, (unsigned)p);
    else if (!t->quiet[p])
        jdi_timed_wrong(t,
                        "O1: rank %u announces phase %u: %u of %u ranks have entered, "
                        "%llu tasks left",
                        me, (unsigned)p, (unsigned)t->entered[p], (unsigned)t->c->ranks,
                        (unsigned long long)t->left[p]);
    else if (stat[0] != t->created[p] || stat[1] != stat[0] || stat[2] != t->c->ranks ||
             stat[JDI_TD_STATS - 1] != t->ids[p])
        jdi_timed_wrong(t, "O2: rank %u: the sums of phase %u are wrong", me,
                        (unsigned)p);
}

static void enter_later(struct jdi_timed *t, uint32_t rank)
{
    const struct jdi_timed_item e = {.kind = JDI_TIMED_ENTERS, .dst = rank};
    uint64_t delay = jdi_dice_roll(&t->dice) % (LINGER * JDI_TIMED_HOP);
    if (t->rank[rank].phase == 0 && is_flooded(t, rank))
        delay = FLOODED * JDI_TIMED_HOP;
    jdi_timed_put(t, delay, &e);
}

static void timed_announce(void *ctx, uint32_t phase, const uint64_t stat[JDI_TD_STATS])
{
    struct jdi_timed_rank *r = ctx;
    struct jdi_timed *t = r->t;
    uint32_t me = (uint32_t)(r - t->rank);
    add_to_note(t, 0, true);
    judge_end(t, me, phase, stat);
    if (t->r->text[0])
        return;
    jdi_toll_announced(t, me);
    r->ended++;
    r->created = r->executed = r->ids = 0;
    if (t->announced[phase]++ == 0 && phase == t->phases)
        t->r->root = (double)(t->now - t->quiet_at[phase]) / JDI_TIMED_HOP;
    if (t->announced[phase] == t->c->ranks) {
        t->open++;
        t->waited = 0;
    }
    t->last = t->now;
    if (phase < t->phases)
        enter_later(t, me);
}

/* ---- the loop ------------------------------------------------------------------------ */

/* Of the last phase some figures are kept. */
static void look_for_quiescence(struct jdi_timed *t, uint32_t phase)
{
    if (phase == 0 || t->quiet[phase] || t->left[phase] > 0 ||
        t->entered[phase] < t->c->ranks)
        return;
    t->quiet[phase] = true;
    t->quiet_at[phase] = t->now;
    t->after = 0;
    t->r->early = t->r->control;
    t->ops->figures(jdi_timed_td(t, 0), &t->at_quiescence);
}

static void step_rank(struct jdi_timed *t, uint32_t rank)
{
    struct jdi_timed_rank *r = &t->rank[rank];
    uint64_t wake, before;
    if (r->ended == r->phase && r->phase == t->phases && !t->over)
        return;
    do {
        jdi_timed_note(t, JDI_WORLD_STEP, rank, rank);
        before = t->r->control;
        wake = t->ops->step(jdi_timed_td(t, rank), t->now);
        jdi_toll_stepped(t, rank, t->r->control > before, wake);
        t->after += wake <= t->now;
    } while (wake <= t->now && r->ended < r->phase && !t->r->text[0] &&
             t->after <= EVENTS);
    if (wake != JDI_TD_NEVER && wake > t->now && wake != r->alarm) {
        const struct jdi_timed_item e = {.kind = JDI_TIMED_ALARM, .dst = rank};
        r->alarm = wake;
        jdi_timed_put(t, wake - t->now, &e);
    }
}

/* It is read when those that came before have been. */
static void queue_message(struct jdi_timed *t, const struct jdi_timed_item *e)
{
    struct jdi_timed_rank *r = &t->rank[e->dst];
    struct jdi_timed_item read = *e;
    uint64_t wait = r->reads > t->now ? r->reads - t->now : 0;
    read.kind = JDI_TIMED_CONTROL_READ;
    r->reads = t->now + wait + JDI_TIMED_WORK;
    jdi_timed_put(t, wait, &read);
}

static void import_task(struct jdi_timed *t, const struct jdi_timed_item *e)
{
    struct jdi_timed_rank *r = &t->rank[e->dst];
    bool is_open = e->phase == r->phase && r->ended < r->phase;
    jdi_timed_note(t, e->back ? JDI_WORLD_BACK : JDI_WORLD_TASK, e->dst, e->src);
    t->importing = true;
    bool open = t->ops->imported(jdi_timed_td(t, e->dst), e->stamp);
    t->importing = false;
    if (open != is_open)
        jdi_timed_wrong(t, "O6: imported says %s of a task of phase %u, rank %u is in %u",
                        open ? "live" : "keep", (unsigned)e->phase, (unsigned)e->dst,
                        (unsigned)r->phase);
    if (is_open) {
        jdi_load_start(t, e->dst, e->fuel);
        return;
    }
    uint32_t at = get_slot(t);
    t->item[at] = *e;
    t->item[at].follows = r->kept;
    r->kept = at + 1;
    r->early++;
}

static void enter_phase(struct jdi_timed *t, uint32_t rank)
{
    struct jdi_timed_rank *r = &t->rank[rank];
    r->phase++;
    r->depth = r->sent = r->again = r->early = 0;
    t->entered[r->phase]++;
    jdi_timed_note(t, JDI_WORLD_ENTER, rank, rank);
    t->ops->enter(jdi_timed_td(t, rank), r->phase);
    if (t->phases > 1)
        jdi_load_seed(t, rank);
    while (r->kept > 0) {
        uint32_t at = r->kept - 1;
        r->kept = t->item[at].follows;
        t->free[t->free_count++] = at;
        jdi_load_start(t, rank, t->item[at].fuel);
    }
}

static void read_message(struct jdi_timed *t, const struct jdi_timed_item *e)
{
    jdi_timed_note(t, JDI_WORLD_UP + (e->msg.type - JDI_TD_UP), e->dst, e->src);
    if (t->trace) {
        struct jdi_timed_event *n =
            &t->trace->event[(t->trace->count - 1) % JDI_WORLD_TRACE];
        n->sum = (int32_t)e->msg.sum;
        n->flag = e->msg.crossed;
    }
    jdi_toll_read(t, e);
    t->ops->message(jdi_timed_td(t, e->dst), e->src, &e->msg);
}

static void happen(struct jdi_timed *t, const struct jdi_timed_item *e)
{
    switch (e->kind) {
    case JDI_TIMED_TASK_ARRIVES:
        import_task(t, e);
        break;
    case JDI_TIMED_TASK_ENDS:
        jdi_timed_note(t, JDI_WORLD_FINISH, e->dst, e->dst);
        jdi_load_end(t, e->dst, e->fuel);
        break;
    case JDI_TIMED_CONTROL_ARRIVES:
        queue_message(t, e);
        return;
    case JDI_TIMED_CONTROL_READ:
        read_message(t, e);
        break;
    case JDI_TIMED_ENTERS:
        enter_phase(t, e->dst);
        break;
    default:
        break;
    }
    look_for_quiescence(t, t->rank[e->dst].phase);
    step_rank(t, e->dst);
    t->ops->check(jdi_timed_td(t, e->dst));
    if (!t->over && t->open > t->phases) {
        t->over = true;
        if (t->under_way > 0)
            jdi_timed_wrong(t, "O5: %u messages are left after the end",
                            (unsigned)t->under_way);
    }
}

static void make_rank(struct jdi_timed *t, uint32_t i)
{
    const struct jdi_td_config config = {.rank = i,
                                         .nranks = t->c->ranks,
                                         .arity = t->arity,
                                         .pause_min = t->c->pause_min,
                                         .pause_max = t->c->pause_max};
    const struct jdi_td_env env = {.ctx = &t->rank[i],
                                   .send = timed_send,
                                   .idle = timed_idle,
                                   .stat = timed_stat,
                                   .announce = timed_announce};
    t->rank[i].t = t;
    t->ops->init(jdi_timed_td(t, i), &config, &env);
}

static void set_up(struct jdi_timed *t)
{
    uint32_t n = t->c->ranks;
    t->td_size = jdi_round_up(t->ops->size, 16);
    t->td = aligned_alloc(16, n * t->td_size);
    t->rank = calloc(n, sizeof t->rank[0]);
    JD_CHECK(t->td && t->rank);
    jdi_heap_init(&t->heap);
    if (t->c->work == JD_CONFORM_CHASE)
        jdi_load_choose_few(t);
    for (uint32_t i = 0; i < n; i++) {
        make_rank(t, i);
        if (t->phases == 1)
            enter_phase(t, i);
    }
    for (uint32_t i = 0; i < n; i++)
        if (t->phases == 1)
            jdi_load_seed(t, i);
        else
            enter_later(t, i);
    look_for_quiescence(t, t->rank[0].phase);
    for (uint32_t i = 0; t->phases == 1 && i < n; i++)
        step_rank(t, i);
}

static void tear_down(struct jdi_timed *t)
{
    jdi_heap_fini(&t->heap);
    free(t->item);
    free(t->free);
    free(t->edge);
    free(t->td);
    free(t->rank);
}

static void run_events(struct jdi_timed *t)
{
    struct jdi_heap_item next;
    while (!t->r->text[0] && jdi_heap_take(&t->heap, &next)) {
        struct jdi_timed_item e = t->item[next.what];
        jdi_toll_time(t, next.time);
        t->now = next.time;
        if (t->open <= t->phases && t->quiet[t->open] &&
            ++t->after > EVENTS + 128ull * t->c->ranks + 4 * t->r->messages)
            jdi_timed_wrong(t, "O4: livelock: no end after %llu events",
                            (unsigned long long)t->after);
        t->free[t->free_count++] = next.what;
        if (!t->r->text[0])
            happen(t, &e);
    }
    uint32_t know = t->open <= t->phases ? t->announced[t->open] : t->c->ranks;
    if (know < t->c->ranks)
        jdi_timed_wrong(t,
                        "O4: nothing can happen and %u of %u ranks do not know the end",
                        (unsigned)(t->c->ranks - know), (unsigned)t->c->ranks);
}

void jdi_timed_run(const struct jdi_td_ops *ops, const struct jd_conform_load *c,
                   const struct jdi_timed_bounds *bounds, struct jd_conform_timing *r,
                   struct jdi_timed_trace *trace)
{
    struct jdi_timed t = {.ops = ops,
                          .c = c,
                          .bounds = bounds,
                          .r = r,
                          .trace = trace,
                          .arity = c->arity ? c->arity : JDI_TIMED_ARITY,
                          .phases = c->phases ? c->phases : 1,
                          .now = c->seed % 2 ? LATE_CLOCK : 0,
                          .open = 1,
                          .dice = c->seed * 0x9e3779b97f4a7c15u};
    struct jdi_td_figures f;
    memset(r, 0, sizeof *r);
    set_up(&t);
    run_events(&t);
    ops->figures(jdi_timed_td(&t, 0), &f);
    r->all = (double)(t.last - t.quiet_at[t.phases]) / JDI_TIMED_HOP;
    r->waves = f.waves;
    r->failed = f.failed;
    r->failed_after = f.failed - t.at_quiescence.failed;
    tear_down(&t);
}
