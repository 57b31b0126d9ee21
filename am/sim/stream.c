/*
 * stream.c - streams of simulated ranks: clocks, computing, waiting, waking.
 *
 * Role: struct jdi_time in virtual time; starting and joining streams.
 * Owner: the simulation's thread.
 * Invariants: I1-I3 of inside.h. I4 a stream that waits has announced itself at the struct
 *             jdi_idle on which it waits, and the waker of that struct schedules the stream.
 * See: am/sim/inside.h has the states; doc/sim.md "Workers".
 */
#include "am/sim/inside.h"

#include <stdlib.h>

enum { SPIN_NS = 100, YIELD_NS = 1000, PAUSE_SHIFT_MAX = 5 };

static void set_stream_state(struct jdi_sim_stream *st, enum jdi_sim_state from,
                             enum jdi_sim_state to)
{
    JD_CHECK_EQ(st->state, from);
    st->state = to;
}

/* ---- events --------------------------------------------------------------------------- */

static bool is_void(const void *ctx, const struct jdi_sim_event *e)
{
    const struct jdi_sim *s = ctx;
    const struct jdi_sim_stream *st = s->stream[e->stream];
    return !e->parcel && e->turn != JDI_SIM_RELEASE &&
           (e->turn != st->turn || st->state == JDI_SIM_ENDED);
}

/* Void timers (I3) would stay until their time. */
static void grow_events(struct jdi_sim *s)
{
    jdi_sim_queue_clean(&s->queue, is_void, s);
    if (s->queue.room && s->queue.n < s->queue.room / 2)
        return;
    if (jdi_sim_queue_grow(&s->queue))
        jdi_die(&s->node[0]->am.log, JDI_EXIT_MEMORY, "out of memory for %zu events",
                2 * s->queue.room);
}

void jdi_sim_stream_push(struct jdi_sim *s, struct jdi_sim_event e)
{
    if (s->queue.n == s->queue.room)
        grow_events(s);
    jdi_sim_queue_put(&s->queue, e);
}

static void set_timer(struct jdi_sim_stream *st, uint64_t at)
{
    jdi_sim_stream_push(
        st->node->sim,
        (struct jdi_sim_event){.time = at, .stream = st->id, .turn = st->turn});
}

/* ---- giving way ------------------------------------------------------------------------ */

/* Give the thread away until `until`, or, if WAITING, until a message or a wake has come. */
static void give_way(struct jdi_sim_stream *st, enum jdi_sim_state how, uint64_t until)
{
    struct jdi_sim *s = st->node->sim;
    set_stream_state(st, JDI_SIM_RUNNING, how);
    if (until != UINT64_MAX)
        set_timer(st, until);
    st->frame = __builtin_frame_address(0);
    s->yield(s->ctx, st->id, &st->back);
    JD_CHECK_EQ(st->state, JDI_SIM_RUNNING);
    if (st->clock < s->now)
        st->clock = s->now;
}

void jdi_sim_stream_catch_up(struct jdi_sim_stream *st)
{
    if (st->clock > st->node->sim->now)
        give_way(st, JDI_SIM_COMPUTING, st->clock);
}

void jdi_sim_stream_resume(struct jdi_sim_stream *st)
{
    struct jdi_sim *s = st->node->sim;
    st->turn = (st->turn + 1) % JDI_SIM_RELEASE;
    set_stream_state(st, st->state, JDI_SIM_RUNNING);
    if (st->clock < s->now)
        st->clock = s->now;
    s->running = st;
}

/* ---- what comes next ----------------------------------------------------------------------- */

/* Each turn of an idle rank is short and touches some fifty lines of memory.  With thousands of
 * ranks none of these lines is in a cache any more, and to wait for them one by one is most of the
 * time.  The queue knows whose turn is next, so they are fetched while others run.  First comes
 * what leads to the rest, some events before it is needed. */
enum { FEW_RANKS = 1024 }; /* they lie in the cache anyway */
enum { EVENTS_AHEAD = 8, LEADS_AHEAD = 4, REST_AHEAD = 1 };
enum { LINE = 64, FRAMES_BELOW = 256, FRAMES = 1024 };
/* Streams of one rank compute more in a turn. */
enum { LEADS_AHEAD_BESIDE = 2, FRAMES_BELOW_BESIDE = 128, FRAMES_BESIDE = 768 };

/* Inlined by force: gcc 12 takes a function that does nothing else for one without an effect, and
 * leaves its calls out. */
static inline __attribute__((always_inline)) void fetch(const void *at, size_t size)
{
    for (size_t i = 0; i < size; i += LINE)
        __builtin_prefetch((const char *)at + i);
}

/* The rank of which st is main.  Without a look at st, which is not here yet. */
static const struct jdi_sim_node *node_around(const struct jdi_sim_stream *st)
{
    const char *main = (const char *)st;
    return (const void *)(main - offsetof(struct jdi_sim_node, main));
}

/* Where ranks have several streams: what the switch to the next one uses.  To fetch more of its rank gains
 * nothing, because its other streams have just used that. */
static void expect_beside(const struct jdi_sim *s)
{
    const struct jdi_sim_event *e[LEADS_AHEAD_BESIDE + 1];
    unsigned n = jdi_sim_queue_peek(&s->queue, e, LEADS_AHEAD_BESIDE + 1);
    if (n > LEADS_AHEAD_BESIDE)
        fetch(s->stream[e[LEADS_AHEAD_BESIDE]->stream], sizeof(struct jdi_sim_stream));
    if (n <= REST_AHEAD)
        return;
    const struct jdi_sim_stream *st = s->stream[e[REST_AHEAD]->stream];
    if (!st->frame)
        return;
    fetch(st->frame - FRAMES_BELOW_BESIDE, FRAMES_BESIDE);
    fetch(st->back.at[0], 2 * LINE);
    fetch(st->back.at[1], LINE);
    fetch(st->back.at[2], LINE);
}

void jdi_sim_stream_expect(const struct jdi_sim *s)
{
    const struct jdi_sim_event *e[EVENTS_AHEAD];
    if (s->nstreams > s->p.nranks) {
        expect_beside(s);
        return;
    }
    if (s->p.nranks <= FEW_RANKS)
        return;
    unsigned n = jdi_sim_queue_peek(&s->queue, e, EVENTS_AHEAD);
    for (unsigned i = LEADS_AHEAD; i < n; i++) {
        const struct jdi_sim_stream *st = s->stream[e[i]->stream];
        fetch(st, sizeof *st);
        fetch(node_around(st)->am.hot, sizeof node_around(st)->am.hot);
        if (e[i]->parcel)
            fetch(e[i]->parcel, sizeof *e[i]->parcel);
    }
    if (n <= REST_AHEAD)
        return;
    const struct jdi_sim_stream *st = s->stream[e[REST_AHEAD]->stream];
    const struct jdi_am *am = &node_around(st)->am;
    if (st->frame)
        fetch(st->frame - FRAMES_BELOW, FRAMES);
    fetch(am, sizeof *am);
    for (int i = 0; i < JDI_AM_HOT; i++)
        fetch(am->hot[i].at, am->hot[i].size);
}

/* ---- a rank's clock, which is that of its stream that runs ------------------------------ */

static struct jdi_sim_stream *running(const struct jdi_sim_node *n)
{
    struct jdi_sim_stream *st = n->sim->running;
    JD_ASSERT(st->node == n);
    return st;
}

static uint64_t later(uint64_t from, uint64_t by)
{
    return by > UINT64_MAX - from ? UINT64_MAX : from + by;
}

static uint64_t time_now(void *ctx)
{
    return running(ctx)->clock;
}

/* All events before this stream's clock, less the time that it may be ahead, happen first. */
static void let_others(struct jdi_sim_stream *st)
{
    struct jdi_sim *s = st->node->sim;
    if (st->clock - s->now < s->p.ahead_ns)
        return;
    if (s->queue.n && jdi_sim_queue_first(&s->queue) <= st->clock)
        jdi_sim_stream_catch_up(st);
    else if (st->clock > s->now)
        s->now = st->clock;
}

/* The stream's clock moves on by `ns`, or by more where a setting says so. */
static void spend(struct jdi_sim_stream *st, uint64_t ns)
{
    const struct jdi_sim_params *p = &st->node->sim->p;
    uint32_t rank = st->node->am.rank;
    if (p->slow_factor && p->slow_rank == rank)
        ns *= p->slow_factor;
    st->clock += ns;
    if (p->pause_for && p->pause_rank == rank && st->clock >= p->pause_at &&
        st->clock < p->pause_at + p->pause_for)
        st->clock = p->pause_at + p->pause_for;
}

static void time_charge(void *ctx, uint64_t ns)
{
    struct jdi_sim_node *n = ctx;
    struct jdi_sim_stream *st = running(n);
    spend(st, ns);
    if (n->time.shared)
        let_others(st);
}

/* First come, first served, in the order in which the streams run, which is that of their clocks.
 * A stream that comes back finds the lock in its own cache, so that its access costs no more than
 * what a task costs anyway. */
static void time_lock(void *ctx, struct jdi_time_lock *l)
{
    struct jdi_sim_stream *st = running(ctx);
    uint32_t who = st->id + 1;
    if (st->clock < l->free_at)
        st->clock = l->free_at;
    if (l->last != who)
        spend(st, st->node->time.lock_ns);
    l->last = who;
    l->free_at = st->clock;
}

static void wait_until(struct jdi_sim_stream *st, uint64_t until)
{
    if (st != &st->node->main || !st->node->inbox)
        give_way(st, JDI_SIM_WAITING, until);
}

static void time_wait(void *ctx, struct jdi_idle *i, uint32_t key, uint64_t timeout_ns)
{
    struct jdi_sim_stream *st = running(ctx);
    if (atomic_load_explicit(&i->seq, memory_order_relaxed) == key) {
        i->sleeper = &st->sleeper;
        wait_until(st, later(st->clock, timeout_ns));
        i->sleeper = NULL;
    }
    jdi_idle_cancel(i);
}

/* Another stream of the rank has something for this one.  On a real machine this stream would
 * look on for a while before it sleeps.  So here, too, it sees the news at once, before the waker
 * does anything more that takes time.  Otherwise a task could go from rank to rank for ever and
 * never run. */
static void wake_stream(struct jdi_idle_sleeper *sleeper)
{
    struct jdi_sim_stream *st = (struct jdi_sim_stream *)(void *)sleeper;
    const struct jdi_sim *s = st->node->sim;
    JD_CHECK_EQ(st->state, JDI_SIM_WAITING);
    set_timer(st, s->running->clock);
}

static void time_pause(void *ctx, enum jdi_idle_stage stage)
{
    struct jdi_sim_node *n = ctx;
    struct jdi_sim_stream *st = running(n);
    uint64_t ns = stage == JDI_IDLE_SPIN ? SPIN_NS : YIELD_NS;
    if (st != &n->main || (n->time.shared && n->time.look_ns)) {
        wait_until(st, later(st->clock, ns));
        return;
    }
    wait_until(st, later(st->clock, ns << n->pauses));
    if (n->pauses < PAUSE_SHIFT_MAX)
        n->pauses++;
}

void jdi_sim_stream_time_init(struct jdi_sim_node *n)
{
    const struct jdi_sim_params *p = &n->sim->p;
    n->time = (struct jdi_time){
        .now = time_now,
        .wait = time_wait,
        .pause = time_pause,
        .charge = time_charge,
        .lock = time_lock,
        .ctx = n,
        .task_ns = p->task_ns,
        .take_ns = p->take_ns,
        .look_ns = p->look_ns,
        .lock_ns = p->lock_ns,
    };
}

/* ---- start and end ---------------------------------------------------------------------- */

static int grow_streams(struct jdi_sim *s)
{
    uint32_t room = s->room ? 2 * s->room : s->p.nranks;
    struct jdi_sim_stream **stream =
        realloc(s->stream, room * sizeof(struct jdi_sim_stream *));
    if (!stream)
        return JD_ENOMEM;
    s->stream = stream;
    s->room = room;
    return 0;
}

int jdi_sim_stream_init(struct jdi_sim_stream *st, struct jdi_sim_node *n, uint64_t now)
{
    struct jdi_sim *s = n->sim;
    if (s->nstreams == s->room && grow_streams(s))
        return JD_ENOMEM;
    *st = (struct jdi_sim_stream){.sleeper = {.wake = wake_stream},
                                  .node = n,
                                  .id = s->nstreams,
                                  .state = JDI_SIM_READY,
                                  .clock = now};
    s->stream[s->nstreams++] = st;
    s->left++;
    set_timer(st, now);
    return 0;
}

uint32_t jdi_sim_stream_start(struct jdi_sim *s, uint32_t rank)
{
    struct jdi_sim_node *n = s->node[rank];
    struct jdi_sim_stream *st = jdi_alloc(&n->am.fault, sizeof *st);
    if (!st || jdi_sim_stream_init(st, n, running(n)->clock)) {
        jdi_free(st);
        return JDI_SIM_NOBODY;
    }
    n->time.shared = true;
    return st->id;
}

void jdi_sim_stream_ended(struct jdi_sim *s, uint32_t stream)
{
    struct jdi_sim_stream *st = s->stream[stream];
    set_stream_state(st, JDI_SIM_RUNNING, JDI_SIM_ENDED);
    s->left--;
    if (st->joiner)
        set_timer(st->joiner, st->clock);
}

void jdi_sim_stream_join(struct jdi_sim *s, uint32_t stream)
{
    struct jdi_sim_stream *st = s->stream[stream], *joiner = s->running;
    st->joiner = joiner;
    while (st->state != JDI_SIM_ENDED) /* a message wakes it too */
        give_way(joiner, JDI_SIM_WAITING, UINT64_MAX);
    if (joiner->clock < st->clock)
        joiner->clock = st->clock;
}
