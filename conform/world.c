/*
 * world.c - the actions of a world.
 *
 * Role: each kind of action calls the detector as the runtime would, and keeps the ledger by
 *       itself.
 * See: world.h, oracle.h.
 */
#include "conform/world.h"

#include "conform/cost.h"
#include "conform/holds.h"
#include "conform/oracle.h"

#include <string.h>

/* What memory holds before init: a detector that does not clear its state is found. */
enum { POISON = 0xa5 };

const char *jdi_world_kind_name(enum jdi_world_kind kind)
{
    static const char *const name[JDI_WORLD_KINDS] = {
        [JDI_WORLD_ENTER] = "enter", [JDI_WORLD_SEND] = "send",
        [JDI_WORLD_MOVE] = "move",   [JDI_WORLD_FINISH] = "finish",
        [JDI_WORLD_STEP] = "step",   [JDI_WORLD_TASK] = "task",
        [JDI_WORLD_BACK] = "back",   [JDI_WORLD_UP] = "up",
        [JDI_WORLD_NEXT] = "next",   [JDI_WORLD_TERM] = "term",
        [JDI_WORLD_TOKEN] = "token", [JDI_WORLD_ACK] = "ack",
        [JDI_WORLD_WAKE] = "wake",   [JDI_WORLD_TIME] = "time",
        [JDI_WORLD_HOLD] = "hold",   [JDI_WORLD_DROP] = "drop",
        [JDI_WORLD_FEED] = "feed"};
    return kind < JDI_WORLD_KINDS && name[kind] ? name[kind] : "?";
}

/* Before the action, so that a check that fails inside finds it in the trace. */
static void note(struct jdi_world *w, const struct jdi_world_event *e)
{
    if (w->trace)
        w->trace->event[w->trace->count++ % JDI_WORLD_TRACE] = *e;
}

/* And after it, with what it led to. */
static void note_again(struct jdi_world *w, struct jdi_world_event *e, uint32_t ended)
{
    if (!w->trace)
        return;
    e->said = w->said;
    e->ended = w->rank[e->rank].ended != ended;
    w->trace->event[(w->trace->count - 1) % JDI_WORLD_TRACE] = *e;
}

static void *world_td(struct jdi_world *w, unsigned rank)
{
    return w->td[rank];
}

static uint64_t id_of(uint32_t task)
{
    return (task + 1) * 0x9e3779b97f4a7c15u;
}

static unsigned number_of(const struct jdi_world *w, const struct jdi_world_rank *r)
{
    return (unsigned)(r - w->rank);
}

/* ---- what the detector asks ------------------------------------------------------- */

static void put_into_bag(struct jdi_world *w, const struct jdi_world_packet *p)
{
    if (w->nbag == JDI_WORLD_BAG) {
        jdi_oracle_fail(w, "O6: more than %d messages under way", JDI_WORLD_BAG);
        return;
    }
    if (w->over) {
        jdi_oracle_fail(w, "O5: rank %u sends a message after the end", p->src);
        return;
    }
    if (w->c.audit)
        jdi_oracle_sent(w, p);
    w->waiting[p->kind][p->dst]++;
    if (p->kind == JDI_WORLD_TASK)
        w->sent_by[p->src]++;
    w->bag[w->nbag++] = *p;
}

static void world_send(void *ctx, uint32_t dst, const struct jdi_td_msg *m)
{
    struct jdi_world_rank *r = ctx;
    struct jdi_world *w = r->world;
    unsigned me = number_of(w, r);
    struct jdi_world_packet p = {.src = (uint8_t)me, .msg = *m};
    p.dst = (uint8_t)(me - jdi_world_place(w, me) + dst);
    if (dst >= jdi_world_ranks(w)) {
        jdi_oracle_fail(w, "O6: a message to rank %u, which does not exist",
                        (unsigned)dst);
        return;
    }
    if (m->type < JDI_TD_UP || m->type > JDI_TD_ACK) {
        jdi_oracle_fail(w, "O6: a message of type %d, which does not exist",
                        (int)m->type);
        return;
    }
    p.kind = w->said = (uint8_t)(JDI_WORLD_UP + (m->type - JDI_TD_UP));
    p.phase = r->phase;
    put_into_bag(w, &p);
    jdi_cost_sent(w, me, p.dst);
}

static bool world_idle(void *ctx)
{
    const struct jdi_world_rank *r = ctx;
    const struct jdi_world_config *c = &r->world->c;
    return r->nlive == 0 && (r->nheld == 0 || !c->held_blocks_idle) &&
           (r->nholds == 0 || c->wrong == JDI_WORLD_BLIND_HOLD);
}

static void world_stat(void *ctx, uint64_t out[JDI_TD_STATS])
{
    const struct jdi_world_rank *r = ctx;
    memset(out, 0, JDI_TD_STATS * sizeof out[0]);
    if (r->world->c.no_stats)
        return;
    out[0] = r->created;
    out[1] = r->executed;
    out[2] = 1;
    out[JDI_TD_STATS - 1] = r->ids;
}

static void world_announce(void *ctx, uint32_t phase, const uint64_t stat[JDI_TD_STATS])
{
    struct jdi_world_rank *r = ctx;
    jdi_oracle_announced(r->world, number_of(r->world, r), phase, stat);
    r->ended++;
    r->created = r->executed = r->ids = 0;
}

/* ---- a fresh world ------------------------------------------------------------------ */

void jdi_world_init(struct jdi_world *w, const struct jdi_world_config *c,
                    struct jdi_world_trace *trace)
{
    size_t tail = offsetof(struct jdi_world, td);
    memset(w, 0, offsetof(struct jdi_world, bag));
    JD_CHECK(c->ranks >= 1 && c->ranks <= JDI_WORLD_RANKS);
    JD_CHECK(c->phases >= 1 && c->ranks * c->max_seeds < JDI_WORLD_TASKS);
    JD_CHECK(c->ops->size <= JDI_WORLD_TD && tail % 16 == 0);
    w->c = *c;
    w->c.colls = c->colls ? c->colls : 1;
    JD_CHECK(w->c.colls <= JDI_WORLD_COLLS && c->ranks % w->c.colls == 0);
    w->trace = trace;
    if (trace)
        trace->count = 0;
    w->now = c->first_time;
    w->budget = c->sends;
    w->holds = w->c.colls > 1 ? JDI_HOLDS_PER_RANK * jdi_world_ranks(w) : 0;
    for (unsigned i = 0; i < c->ranks; i++) {
        struct jdi_world_rank *r = &w->rank[i];
        const struct jdi_td_config config = {.rank = jdi_world_place(w, i),
                                             .nranks = jdi_world_ranks(w),
                                             .arity = c->arity,
                                             .pause_min = c->pause_min,
                                             .pause_max = c->pause_max};
        const struct jdi_td_env env = {.ctx = r,
                                       .send = world_send,
                                       .idle = world_idle,
                                       .stat = world_stat,
                                       .announce = world_announce};
        r->world = w;
        r->wake = JDI_TD_NEVER;
        memset(world_td(w, i), POISON, c->ops->size);
        c->ops->init(world_td(w, i), &config, &env);
        if (c->first_wave > 0 || c->first_phase > 1)
            c->lens->start(world_td(w, i), jdi_world_number(w, 1), c->first_wave);
    }
}

/* ---- what may happen ---------------------------------------------------------------- */

/* There is room for one more task beside all that ranks may enter with, and for its message. */
static bool has_room(const struct jdi_world *w)
{
    uint32_t tasks = w->c.ranks * w->c.max_seeds;
    if (w->c.sends + tasks <= JDI_WORLD_TASKS)
        return true;
    for (unsigned i = 0; i < w->c.colls * JDI_WORLD_LEDGER; i++)
        tasks += w->left[i];
    return tasks < JDI_WORLD_TASKS && w->nbag < JDI_WORLD_BAG / 2;
}

static unsigned can_send(const struct jdi_world *w, const struct jdi_world_rank *r)
{
    if (r->nlive == 0 || w->budget == 0 || !has_room(w))
        return 0;
    return jdi_world_ranks(w) > 1 ? jdi_world_ranks(w) - 1 : 1;
}

static bool alarm_set(const struct jdi_world *w)
{
    for (unsigned i = 0; i < w->c.ranks; i++)
        if (w->rank[i].wake != JDI_TD_NEVER && w->rank[i].wake > w->now)
            return true;
    return false;
}

unsigned jdi_world_enabled(const struct jdi_world *w, enum jdi_world_kind kind,
                           unsigned rank)
{
    const struct jdi_world_rank *r = &w->rank[rank];
    switch (kind) {
    case JDI_WORLD_ENTER:
        return r->ended == r->phase && r->phase < jdi_world_phases(w)
                   ? jdi_holds_variants(w)
                   : 0;
    case JDI_WORLD_SEND:
        return can_send(w, r);
    case JDI_WORLD_MOVE:
        return jdi_world_ranks(w) > 1 ? can_send(w, r) : 0;
    case JDI_WORLD_FINISH:
        return r->nlive > 0;
    case JDI_WORLD_STEP:
        return r->changed;
    case JDI_WORLD_TASK:
    case JDI_WORLD_UP:
    case JDI_WORLD_NEXT:
    case JDI_WORLD_TERM:
    case JDI_WORLD_TOKEN:
    case JDI_WORLD_ACK:
        return w->waiting[kind][rank];
    case JDI_WORLD_BACK:
        return w->sent_by[rank];
    case JDI_WORLD_WAKE:
        return r->nlate > 0;
    case JDI_WORLD_TIME:
        return rank == 0 && alarm_set(w);
    case JDI_WORLD_HOLD:
    case JDI_WORLD_DROP:
    case JDI_WORLD_FEED:
        return jdi_holds_enabled(w, kind, rank);
    case JDI_WORLD_KINDS:
        break;
    }
    return 0;
}

/* ---- actions ------------------------------------------------------------------------ */

static void count_task(struct jdi_world *w, struct jdi_world_rank *r, uint32_t task)
{
    unsigned at = jdi_world_entry(w, number_of(w, r), r->phase);
    r->created++;
    r->ids ^= id_of(task);
    w->tasks[at]++;
    w->left[at]++;
}

void jdi_world_create(struct jdi_world *w, struct jdi_world_rank *r)
{
    r->live[r->nlive++] = w->last_task;
    count_task(w, r, w->last_task++);
}

static void do_enter(struct jdi_world *w, struct jdi_world_rank *r, unsigned variant)
{
    unsigned me = number_of(w, r), coll = jdi_world_coll(w, me);
    uint32_t phase = ++r->phase;
    /* Nobody is two phases ahead, so the entry after the next one is of old. */
    unsigned later = jdi_world_entry(w, me, phase + 2);
    w->entered[later] = w->left[later] = w->tasks[later] = 0;
    w->entered[jdi_world_entry(w, me, phase)]++;
    jdi_cost_entered(w, me);
    for (unsigned i = jdi_holds_on_entry(w, r, variant); i > 0; i--)
        jdi_world_create(w, r);
    w->c.ops->enter(world_td(w, me), jdi_world_number(w, phase));
    if (jdi_world_place(w, me) == 0)
        w->failed_seen[coll] = w->failed_after[coll] = 0;
    for (uint32_t i = 0; i < r->nheld; i++)
        if (w->c.wrong == JDI_WORLD_LATE_HELD)
            r->late[r->nlate++] = r->held[i];
        else
            r->live[r->nlive++] = r->held[i];
    r->nheld = 0;
}

static void leave(struct jdi_world *w, struct jdi_world_rank *r, uint32_t task,
                  unsigned dst, struct jdi_world_event *e)
{
    unsigned me = number_of(w, r);
    struct jdi_world_packet p = {.kind = JDI_WORLD_TASK,
                                 .src = (uint8_t)me,
                                 .dst = (uint8_t)dst,
                                 .phase = r->phase,
                                 .task = task};
    p.stamp = w->c.ops->exported(world_td(w, me));
    e->peer = p.dst;
    e->phase = p.stamp.phase;
    e->wave = p.stamp.wave;
    put_into_bag(w, &p);
}

/* SEND makes a task for the message, MOVE gives a live one away. */
static void do_export(struct jdi_world *w, struct jdi_world_rank *r, unsigned variant,
                      bool move, struct jdi_world_event *e)
{
    unsigned me = number_of(w, r);
    uint32_t task = move ? r->live[--r->nlive] : w->last_task++;
    if (!move)
        count_task(w, r, task);
    w->budget--;
    if (w->c.wrong >= JDI_WORLD_UNSEEN)
        r->late[r->nlate++] = task;
    else
        leave(w, r, task, jdi_world_target(w, me, variant), e);
}

/* What a wrong runtime has put off. */
static void do_wake(struct jdi_world *w, struct jdi_world_rank *r,
                    struct jdi_world_event *e)
{
    unsigned me = number_of(w, r);
    uint32_t task = r->late[--r->nlate];
    if (w->c.wrong == JDI_WORLD_BUFFERED && r->ended < r->phase)
        leave(w, r, task, jdi_world_target(w, me, 0), e);
    else
        r->live[r->nlive++] = task;
}

static void do_import(struct jdi_world *w, struct jdi_world_rank *r,
                      const struct jdi_world_packet *p)
{
    unsigned me = number_of(w, r);
    w->cost.importing = true;
    bool open = w->c.ops->imported(world_td(w, me), p->stamp);
    w->cost.importing = false;
    jdi_oracle_imported(w, me, p->phase, open);
    if (w->fault[0])
        return;
    if (!open)
        r->held[r->nheld++] = p->task;
    else if (w->c.wrong == JDI_WORLD_LATE_LIVE)
        r->late[r->nlate++] = p->task;
    else
        r->live[r->nlive++] = p->task;
}

static void finish_tasks(struct jdi_world *w, struct jdi_world_rank *r)
{
    do {
        r->executed++;
        r->ids ^= id_of(r->live[--r->nlive]);
        w->left[jdi_world_entry(w, number_of(w, r), r->phase)]--;
    } while (w->c.one_bit_live && r->nlive > 0);
}

/* Take the variant-th packet of this kind out of the bag; BACK looks at the source. */
static struct jdi_world_packet take_from_bag(struct jdi_world *w,
                                             enum jdi_world_kind kind, unsigned rank,
                                             unsigned variant)
{
    enum jdi_world_kind want = kind == JDI_WORLD_BACK ? JDI_WORLD_TASK : kind;
    for (uint32_t i = 0; i < w->nbag; i++) {
        struct jdi_world_packet p = w->bag[i];
        unsigned end = kind == JDI_WORLD_BACK ? p.src : p.dst;
        if (p.kind != want || end != rank || variant-- > 0)
            continue;
        memmove(&w->bag[i], &w->bag[i + 1], (--w->nbag - i) * sizeof w->bag[0]);
        w->waiting[p.kind][p.dst]--;
        if (want == JDI_WORLD_TASK)
            w->sent_by[p.src]--;
        return p;
    }
    jdi_oracle_fail(w, "O6: no such packet");
    return (struct jdi_world_packet){0};
}

static void do_step(struct jdi_world *w, struct jdi_world_rank *r)
{
    unsigned me = number_of(w, r);
    bool over =
        r->phase > r->ended && jdi_oracle_quiescent(w, jdi_world_coll(w, me), r->phase);
    r->changed = false;
    r->wake = w->c.ops->step(world_td(w, me), w->now);
    if (r->wake <= w->now)
        r->changed = true;
    jdi_cost_stepped(w, me);
    if (jdi_world_place(w, me) == 0)
        jdi_oracle_stepped(w, me, over);
}

static void do_time(struct jdi_world *w)
{
    uint64_t next = JDI_TD_NEVER;
    for (unsigned i = 0; i < w->c.ranks; i++)
        if (w->rank[i].wake > w->now && w->rank[i].wake < next)
            next = w->rank[i].wake;
    jdi_cost_time(w, next);
    w->now = next;
    for (unsigned i = 0; i < w->c.ranks; i++)
        if (w->rank[i].wake <= next)
            w->rank[i].changed = true;
}

static void deliver_packet(struct jdi_world *w, enum jdi_world_kind kind, unsigned rank,
                           unsigned variant, struct jdi_world_event *e)
{
    struct jdi_world_packet p = take_from_bag(w, kind, rank, variant);
    struct jdi_world_rank *r = &w->rank[rank];
    bool task = p.kind == JDI_WORLD_TASK;
    e->peer = p.src;
    e->phase = task ? p.stamp.phase : p.msg.phase;
    e->wave = task ? p.stamp.wave : p.msg.wave;
    e->sum = (int32_t)p.msg.sum;
    e->flag = p.msg.crossed;
    note(w, e);
    if (task)
        do_import(w, r, &p);
    else
        w->c.ops->message(world_td(w, jdi_holds_addressee(w, rank, p.msg.phase)),
                          jdi_world_place(w, p.src), &p.msg);
}

static void act(struct jdi_world *w, enum jdi_world_kind kind, struct jdi_world_rank *r,
                unsigned variant, struct jdi_world_event *e)
{
    switch (kind) {
    case JDI_WORLD_ENTER:
        do_enter(w, r, variant);
        break;
    case JDI_WORLD_SEND:
    case JDI_WORLD_MOVE:
        do_export(w, r, variant, kind == JDI_WORLD_MOVE, e);
        break;
    case JDI_WORLD_FINISH:
        finish_tasks(w, r);
        break;
    case JDI_WORLD_STEP:
        do_step(w, r);
        break;
    case JDI_WORLD_WAKE:
        do_wake(w, r, e);
        break;
    case JDI_WORLD_HOLD:
    case JDI_WORLD_DROP:
    case JDI_WORLD_FEED:
        jdi_holds_do(w, kind, number_of(w, r));
        break;
    default:
        do_time(w);
    }
}

void jdi_world_do(struct jdi_world *w, enum jdi_world_kind kind, unsigned rank,
                  unsigned variant)
{
    struct jdi_world_rank *r = &w->rank[rank];
    struct jdi_world_event e = {.kind = (uint8_t)kind,
                                .rank = (uint8_t)rank,
                                .peer = (uint8_t)variant,
                                .phase = jdi_world_number(w, r->phase)};
    uint32_t ended = r->ended;
    w->actions++;
    w->said = 0;
    switch (kind) {
    case JDI_WORLD_TASK:
    case JDI_WORLD_BACK:
    case JDI_WORLD_UP:
    case JDI_WORLD_NEXT:
    case JDI_WORLD_TERM:
    case JDI_WORLD_TOKEN:
    case JDI_WORLD_ACK:
        deliver_packet(w, kind, rank, variant, &e);
        break;
    default:
        note(w, &e);
        act(w, kind, r, variant, &e);
    }
    note_again(w, &e, ended);
    if (r->ended != ended)
        jdi_oracle_ended(w);
    if (kind != JDI_WORLD_STEP && kind != JDI_WORLD_TIME)
        r->changed = true;
    w->c.ops->check(world_td(w, rank));
    if (w->c.audit && w->c.lens->balance && kind != JDI_WORLD_TIME && r->phase > 0)
        jdi_oracle_audit(w, rank, r->phase);
}
