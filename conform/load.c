/*
 * load.c - the work loads: what a task leads to when it ends.
 *
 * Role: tasks, their durations and messages, and the ledger of the phases.
 * Owner: one run.
 * Invariants: I1 of timed_world.h.
 * See: enum jd_conform_work in conform.h.
 */
#include "conform/timed_world.h"

#include "termination/tree.h"

enum {
    BURSTS = 10,
    BURST = 16,
    SLEEP = 40,
    SHORT = 2,
    LATE = 50,
    LONG = 5000,
    ROUNDS = 10,
    TOGETHER = 300, /* hops until what has left together arrives */
    BYTE = 256,
    WORD = 1 << 16,
    SMALL = 5000, /* ranks, up to which a word's worth of messages is sent */
    TOP = 24,     /* ranks that are high up in the tree */
    CHASES = 8,   /* messages in a phase */
    SCALES = 10   /* powers of two that its times spread over */
};

static uint32_t any_rank(struct jdi_timed *t)
{
    return jdi_dice_below(&t->dice, t->c->ranks);
}

uint64_t jdi_load_any_time(struct jdi_timed *t)
{
    uint64_t base = JDI_TIMED_HOP / 20 << jdi_dice_below(&t->dice, SCALES);
    return base + jdi_dice_roll(&t->dice) % base;
}

static uint64_t duration(struct jdi_timed *t, uint32_t fuel)
{
    switch (t->c->work) {
    case JD_CONFORM_BUSY:
        return fuel > 0 ? JDI_TIMED_HOP * (10 + jdi_dice_roll(&t->dice) % 20)
                        : SHORT * JDI_TIMED_HOP;
    case JD_CONFORM_BURST:
        return fuel > 0 ? SLEEP * JDI_TIMED_HOP : SHORT * JDI_TIMED_HOP;
    case JD_CONFORM_CHASE:
        return jdi_load_any_time(t);
    default:
        return JDI_TIMED_HOP / 2 + jdi_dice_roll(&t->dice) % JDI_TIMED_HOP;
    }
}

/* A rank has got its first live task, or lost its last. */
static void count_busy(struct jdi_timed *t, uint32_t rank, bool busy)
{
    uint32_t change = busy ? 1 : UINT32_MAX;
    t->busy += change;
    for (; rank > 0; rank = jdi_tree_parent(rank, t->arity))
        t->rank[rank].below += change;
    t->rank[0].below += change;
}

void jdi_load_start(struct jdi_timed *t, uint32_t rank, uint32_t fuel)
{
    const struct jdi_timed_item e = {
        .kind = JDI_TIMED_TASK_ENDS, .dst = rank, .fuel = fuel};
    struct jdi_timed_rank *r = &t->rank[rank];
    if (r->live++ == 0)
        count_busy(t, rank, true);
    jdi_timed_put(t, duration(t, fuel), &e);
}

static void create_task(struct jdi_timed *t, struct jdi_timed_rank *r)
{
    uint64_t id = ++r->numbered * 0x9e3779b97f4a7c15u;
    t->left[r->phase]++;
    t->created[r->phase]++;
    t->ids[r->phase] ^= id;
    r->created++;
    r->ids ^= id;
}

/* Now and then the message cannot leave. */
static void send_task(struct jdi_timed *t, uint32_t src, uint32_t dst, uint32_t fuel,
                      uint64_t extra)
{
    struct jdi_timed_rank *r = &t->rank[src];
    struct jdi_timed_item e = {.kind = JDI_TIMED_TASK_ARRIVES,
                               .src = src,
                               .dst = dst,
                               .fuel = fuel,
                               .phase = r->phase};
    create_task(t, r);
    t->r->messages++;
    e.stamp = t->ops->exported(jdi_timed_td(t, src));
    if (t->c->work == JD_CONFORM_CHASE && jdi_dice_below(&t->dice, BURST) == 0) {
        e.back = true;
        e.dst = src;
    }
    jdi_timed_note(t, JDI_WORLD_SEND, src, dst);
    jdi_timed_put(t, jdi_timed_hop(t) + extra, &e);
}

static uint32_t one_of_few(struct jdi_timed *t)
{
    return t->few[jdi_dice_below(&t->dice, JDI_TIMED_FEW)];
}

static void chase(struct jdi_timed *t, uint32_t rank)
{
    for (uint32_t n = jdi_dice_below(&t->dice, 3); n > 0 && t->budget > 0; n--) {
        t->budget--;
        send_task(t, rank, one_of_few(t), 1, jdi_load_any_time(t));
    }
}

/* As many at once as a byte, or a word of two, cannot count.  With more phases than one the last rank
 * has not entered when they come. */
static void flood(struct jdi_timed *t, uint32_t rank)
{
    uint32_t n = t->c->ranks <= SMALL && t->c->seed / 2 % 2 ? WORD : BYTE;
    uint64_t all = TOGETHER * JDI_TIMED_HOP;
    for (uint32_t i = 0; i < n; i++)
        send_task(t, rank, t->c->ranks - 1, 0, all);
}

/* What the end of a task with so much fuel leads to. */
static void spawn_children(struct jdi_timed *t, uint32_t rank, uint32_t fuel)
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
    case JD_CONFORM_CHASE:
        chase(t, rank);
        break;
    case JD_CONFORM_FLOOD:
        if (fuel > 0)
            flood(t, rank);
        break;
    case JD_CONFORM_LONG:
        if (fuel > 0)
            send_task(t, rank, t->c->ranks - 1, 0, LONG * JDI_TIMED_HOP);
        break;
    default:
        break;
    }
}

void jdi_load_end(struct jdi_timed *t, uint32_t rank, uint32_t fuel)
{
    struct jdi_timed_rank *r = &t->rank[rank];
    spawn_children(t, rank, fuel);
    if (t->c->work == JD_CONFORM_BUSY && fuel > 1) { /* the long work goes on */
        const struct jdi_timed_item e = {
            .kind = JDI_TIMED_TASK_ENDS, .dst = rank, .fuel = fuel - 1};
        jdi_timed_put(t, duration(t, fuel - 1), &e);
        return;
    }
    r->executed++;
    t->r->tasks++;
    t->left[r->phase]--;
    if (--r->live == 0)
        count_busy(t, rank, false);
}

static uint32_t first_fuel(const struct jdi_timed *t, uint32_t rank)
{
    bool first = rank == 0;
    switch (t->c->work) {
    case JD_CONFORM_DIFFUSE:
        return first ? 2 * t->c->ranks : 0;
    case JD_CONFORM_BUSY:
        return ROUNDS;
    case JD_CONFORM_BURST:
        return first ? BURSTS : 0;
    case JD_CONFORM_PINGPONG:
        return first ? 1000 : 0;
    case JD_CONFORM_LATE:
        return first ? 2 : 1;
    case JD_CONFORM_CHASE:
        return rank == t->few[0];
    case JD_CONFORM_FLOOD:
    case JD_CONFORM_LONG:
        return first;
    default:
        return 0;
    }
}

void jdi_load_choose_few(struct jdi_timed *t)
{
    uint32_t n = t->c->ranks, high = n < TOP ? n : TOP;
    for (int i = 0; i < JDI_TIMED_FEW; i++)
        t->few[i] = jdi_dice_below(&t->dice, jdi_dice_below(&t->dice, 2) ? n : high);
}

bool jdi_load_is_few(const struct jdi_timed *t, uint32_t rank)
{
    bool any = false;
    for (int i = 0; i < JDI_TIMED_FEW; i++)
        any |= t->few[i] == rank;
    return any && t->c->work == JD_CONFORM_CHASE;
}

void jdi_load_seed(struct jdi_timed *t, uint32_t rank)
{
    uint32_t fuel = first_fuel(t, rank);
    if (t->c->work == JD_CONFORM_CHASE && rank == t->few[0])
        t->budget = CHASES;
    if (fuel > 0) {
        create_task(t, &t->rank[rank]);
        jdi_load_start(t, rank, fuel);
    }
}
