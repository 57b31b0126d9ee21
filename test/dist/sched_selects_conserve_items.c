/*
 * sched_selects_conserve_items.c
 *
 * Role: a torture by seed: tasks select among sends, receives, reservations and events, with deadlines of every
 *       kind, beside others that use the same channels directly, until the channels are closed or the finish is
 *       cancelled.  Every item that was sent is inside or was received, once; no other item is, and a case
 *       that was not carried out has written nothing.  Arguments: how many rounds, the first seed.
 * Owner: the body makes the game of a round; each item belongs to the task that sends it.
 * See: doc/waiting.md "Select".
 */
#include "core/random.h"
#include "test/dist/sched_channels_kit.h"

enum { PLAYER, STOPPER };
enum { CHANNELS = 4, EVENTS = 2, CASES = 6, PLAYERS = 16, MOVES = 24 };
enum { ITEMS = PLAYERS * MOVES * CASES, SOON_NS = 30000, END_NS = 300000 };

static const uint64_t NOTHING = UINT64_MAX;

struct game {
    jd_channel channel[CHANNELS];
    jd_event event[EVENTS];
    unsigned nchannels;
    uint64_t seed;
    struct ends *ends; /* of all games */
    _Atomic uint64_t moves, wrong;
    _Atomic uint8_t sent[ITEMS], received[ITEMS];
};

/* The cases of one move, and the items that they are about. */
struct move {
    jd_case c[CASES];
    uint64_t item[CASES], first;
    size_t n;
};

static void demand(struct game *g, bool right)
{
    if (!right)
        atomic_fetch_add(&g->wrong, 1);
}

static void got(struct game *g, uint64_t item)
{
    demand(g, item < ITEMS);
    if (item < ITEMS)
        atomic_fetch_add(&g->received[item], 1);
}

static jd_time some_deadline(jd_self *me, uint64_t *rng)
{
    switch (jdi_random_below(rng, 4)) {
    case 0:
        return JD_NOW;
    case 1:
        return JD_FOREVER;
    default:
        return jd_deadline(me, jdi_random_below(rng, SOON_NS));
    }
}

static jd_case some_case(struct game *g, uint64_t *rng, uint64_t *item)
{
    jd_channel c = g->channel[jdi_random_below(rng, g->nchannels)];
    jd_case off = {0};
    switch (jdi_random_below(rng, 8)) {
    case 0:
        return off;
    case 1:
        return jd_case_event(g->event[jdi_random_below(rng, EVENTS)]);
    case 2:
        return jd_case_reserve(g->channel[0]);
    case 3:
    case 4:
    case 5:
        return jd_case_send(c, item);
    default:
        return jd_case_receive(c, item);
    }
}

/* At least one case is about a channel, whose end then ends the wait.  An item is counted before it is sent,
 * because it may be received before the call returns. */
static void choose_cases(struct game *g, struct move *m, uint64_t *rng)
{
    m->n = 1 + jdi_random_below(rng, 1 + jdi_random_below(rng, CASES));
    for (size_t i = 0; i < m->n; i++) {
        m->c[i] = i ? some_case(g, rng, &m->item[i])
                    : jd_case_receive(g->channel[jdi_random_below(rng, g->nchannels)],
                                      &m->item[i]);
        bool sends = m->c[i].kind == JD_CASE_SEND;
        m->item[i] = sends ? m->first + i : NOTHING;
        if (sends)
            atomic_fetch_add(&g->sent[m->item[i]], 1);
    }
}

/* What was not carried out has neither sent nor received; only the case that was returned may have an error. */
static void check_others(struct game *g, struct move *m, int at, int done)
{
    for (int i = 0; i < (int)m->n; i++) {
        if (m->c[i].kind == JD_CASE_SEND) {
            demand(g, m->item[i] == m->first + (uint64_t)i);
            if (i != done)
                atomic_fetch_sub(&g->sent[m->item[i]], 1);
        } else if (i != done) {
            demand(g, m->item[i] == NOTHING);
        }
        demand(g, i == at || !m->c[i].error);
    }
}

/* Use reserved room for item `at` of the move, or give it back. */
static int use_room(jd_self *me, struct game *g, struct move *m, int at)
{
    uint64_t item = m->first + (uint64_t)at;
    if (item % 3 == 0)
        jd_yield(me);
    if (item % 4 == 0)
        return jd_channel_release(me, g->channel[0]);
    atomic_fetch_add(&g->sent[item], 1);
    int error = jd_channel_commit(me, g->channel[0], &item);
    if (error)
        atomic_fetch_sub(&g->sent[item], 1);
    return error;
}

static int select_one(jd_self *me, struct game *g, uint64_t first, uint64_t *rng)
{
    struct move m = {.first = first};
    choose_cases(g, &m, rng);
    int flags = jdi_random_below(rng, 2) ? JD_ORDERED : 0;
    jd_time deadline = some_deadline(me, rng);
    bool waits = would_wait(me, deadline);
    int at = jd_select(me, m.c, m.n, flags, deadline);
    count_end(g->ends, OF_SELECT, waits, at);
    demand(g, at < (int)m.n);
    int error = at < 0 ? at : m.c[at].error;
    check_others(g, &m, at, error ? -1 : at);
    if (error)
        return error;
    switch (m.c[at].kind) {
    case JD_CASE_RECEIVE:
        got(g, m.item[at]);
        return 0;
    case JD_CASE_EVENT:
        return jd_event_reset(me, g->event[jdi_random_below(rng, EVENTS)],
                              1 + jdi_random_below(rng, 3));
    case JD_CASE_RESERVE:
        return use_room(me, g, &m, at);
    default:
        demand(g, m.c[at].kind == JD_CASE_SEND);
        return 0;
    }
}

/* One call that is no select. */
static int do_one(jd_self *me, struct game *g, uint64_t item, uint64_t *rng)
{
    jd_channel c = g->channel[jdi_random_below(rng, g->nchannels)];
    jd_time deadline = some_deadline(me, rng);
    uint64_t word = NOTHING;
    bool waits = would_wait(me, deadline);
    int error;
    switch (jdi_random_below(rng, 5)) {
    case 0:
        return jd_event_signal(me, g->event[jdi_random_below(rng, EVENTS)], 1);
    case 1:
    case 2:
        atomic_fetch_add(&g->sent[item], 1);
        error = jd_channel_send(me, c, &item, deadline);
        count_end(g->ends, OF_SEND, waits, error);
        if (error)
            atomic_fetch_sub(&g->sent[item], 1);
        return error;
    default:
        error = jd_channel_receive(me, c, &word, deadline);
        count_end(g->ends, OF_RECEIVE, waits, error);
        demand(g, !error == (word != NOTHING));
        if (!error)
            got(g, word);
        return error;
    }
}

static void player(jd_self *me, void *arg)
{
    struct game *g = jd_local(me);
    uint64_t k = *(uint64_t *)arg, rng = g->seed * PLAYERS + k + 1;
    int error = 0;
    for (uint64_t i = 0; i < MOVES && (!error || error == JD_ETIMEDOUT); i++) {
        uint64_t first = (k * MOVES + i) * CASES;
        error = jdi_random_below(&rng, 3) ? select_one(me, g, first, &rng)
                                          : do_one(me, g, first, &rng);
        atomic_fetch_add(&g->moves, 1);
        if (jdi_random_below(&rng, 8) == 0)
            jd_compute(me, jdi_random_below(&rng, 2000));
    }
    if (error && error != JD_ETIMEDOUT && error != JD_ECANCELED && error != JD_ECLOSED)
        jd_abort(me, 99, "a move ends with: %s", jd_strerror(error));
}

static void stopper(jd_self *me, void *arg)
{
    const struct game *g = jd_local(me);
    stop_after(me, *(uint64_t *)arg, END_NS, g->channel, g->nchannels);
}

static const jd_task_def tasks[] = {
    [PLAYER] = JD_TASK(player), [STOPPER] = JD_TASK(stopper), JD_TASK_END};

static void drain(jd_self *me, struct game *g, jd_channel c)
{
    int error;
    do {
        uint64_t word = NOTHING;
        error = jd_channel_receive(me, c, &word, JD_NOW);
        if (!error)
            got(g, word);
    } while (!error);
    demand(g, error == JD_ETIMEDOUT || error == JD_ECLOSED);
    must(me, jd_channel_destroy(me, c));
}

/* Play one game; true if every item is accounted for. */
static bool play(jd_self *me, struct game *g, uint64_t seed)
{
    static const size_t capacity[] = {0, 1, 2, 7};
    uint64_t rng = (seed + 1) * UINT64_C(0x9E3779B97F4A7C15);
    jd_scope s;
    struct ends *ends = g->ends;
    memset(g, 0, sizeof *g);
    g->ends = ends;
    g->seed = seed;
    g->nchannels = 1 + jdi_random_below(&rng, CHANNELS);
    for (unsigned i = 0; i < g->nchannels; i++)
        g->channel[i] =
            new_channel(me, 8, capacity[i ? jdi_random_below(&rng, 4) : 1 + seed % 3]);
    for (unsigned i = 0; i < EVENTS; i++)
        must(me, jd_event_create(me, jdi_random_below(&rng, 3), &g->event[i]));
    must(me, jd_finish_begin(me, &s));
    must(me, jd_async_local(me, STOPPER, &rng, sizeof rng));
    for (uint64_t k = 0, n = 2 + jdi_random_below(&rng, PLAYERS - 1); k < n; k++)
        must(me, jd_async_local(me, PLAYER, &k, sizeof k));
    int error = jd_finish_end(me, &s);
    demand(g, !error || error == JD_ECANCELED);
    for (unsigned i = 0; i < EVENTS; i++)
        must(me, jd_event_destroy(me, g->event[i]));
    for (unsigned i = 0; i < g->nchannels; i++)
        drain(me, g, g->channel[i]);
    bool right = !atomic_load(&g->wrong);
    for (int i = 0; i < ITEMS; i++)
        right = right && g->sent[i] == g->received[i] && g->sent[i] <= 1;
    return right;
}

static int body(jd_self *me, int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 30, seed = argc > 2 ? atol(argv[2]) : 1;
    uint64_t moves = 0, sent = 0;
    bool right = true;
    struct game *g = malloc(sizeof *g);
    if (!g)
        jd_abort(me, 99, "no memory");
    struct ends ends = {0};
    g->ends = &ends;
    jd_set_local(me, g);
    must(me, jd_barrier(me));
    for (long i = 0; i < rounds && right; i++) {
        right = play(me, g, (uint64_t)(seed + i) * jd_nranks(me) + jd_rank(me));
        moves += atomic_load(&g->moves);
        for (int k = 0; k < ITEMS; k++)
            sent += g->sent[k];
        if (!right)
            fprintf(stderr, "# rank %u: wrong with seed %ld\n", jd_rank(me), seed + i);
    }
    moves = sum_of(me, moves), sent = sum_of(me, sent);
    add_up_ends(me, &ends);
    ok_all(me, right, "each item is received once, of %llu in %llu moves",
           (unsigned long long)sent, (unsigned long long)moves);
    ok_all(me, sent > 0 && sum_of_ends(ends.by_deadline) > 0,
           "deadlines have ended waits");
    if (jd_rank(me) == 0)
        tell_ends(&ends);
    must(me, jd_barrier(me));
    free(g);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
