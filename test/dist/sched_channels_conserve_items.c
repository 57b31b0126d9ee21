/*
 * sched_channels_conserve_items.c
 *
 * Role: a torture by seed: tasks send and receive on a few channels, and reserve room in them, with deadlines of
 *       every kind, until the channels are closed or the finish is cancelled.  Every item that was sent is inside or was
 *       received, once; no other item is.  Arguments: how many rounds, the first seed.
 * Owner: the body makes the game of a round; each item belongs to the task that sends it.
 * See: doc/waiting.md "Channels".
 */
#include "core/random.h"
#include "test/dist/sched_channels_kit.h"

enum { PLAYER, STOPPER };
enum { CHANNELS = 4, PLAYERS = 16, MOVES = 40, SOON_NS = 30000, END_NS = 300000 };

struct game {
    jd_channel channel[CHANNELS];
    unsigned nchannels;
    uint64_t seed;
    struct ends *ends; /* of all games */
    _Atomic uint64_t moves, wrong;
    _Atomic uint8_t sent[PLAYERS * MOVES], received[PLAYERS * MOVES];
};

static void got(struct game *g, uint64_t item)
{
    if (item >= PLAYERS * MOVES)
        atomic_fetch_add(&g->wrong, 1);
    else
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

/* The item is counted before it is sent, because it may be received before the call returns. */
static int send_item(jd_self *me, struct game *g, jd_channel c, uint64_t item,
                     jd_time deadline)
{
    atomic_fetch_add(&g->sent[item], 1);
    bool waits = would_wait(me, deadline);
    int error = jd_channel_send(me, c, &item, deadline);
    count_end(g->ends, OF_SEND, waits, error);
    if (error)
        atomic_fetch_sub(&g->sent[item], 1);
    return error;
}

/* Send the item with room that is reserved first; one of four times give the room back instead. */
static int commit_item(jd_self *me, struct game *g, jd_channel c, uint64_t item,
                       jd_time deadline)
{
    bool waits = would_wait(me, deadline);
    int error = jd_channel_reserve(me, c, deadline);
    count_end(g->ends, OF_SEND, waits, error);
    if (error)
        return error == JD_EINVAL ? 0 : error; /* no capacity */
    if (item % 3 == 0)
        jd_yield(me);
    if (item % 4 == 0)
        return jd_channel_release(me, c);
    atomic_fetch_add(&g->sent[item], 1);
    error = jd_channel_commit(me, c, &item);
    if (error)
        atomic_fetch_sub(&g->sent[item], 1);
    return error;
}

static int receive_item(jd_self *me, struct game *g, jd_channel c, jd_time deadline)
{
    uint64_t item = UINT64_MAX;
    bool waits = would_wait(me, deadline);
    int error = jd_channel_receive(me, c, &item, deadline);
    count_end(g->ends, OF_RECEIVE, waits, error);
    if (!error)
        got(g, item);
    else if (item != UINT64_MAX)
        atomic_fetch_add(&g->wrong, 1);
    return error;
}

static void player(jd_self *me, void *arg)
{
    struct game *g = jd_local(me);
    uint64_t k = *(uint64_t *)arg, rng = g->seed * PLAYERS + k + 1;
    int error = 0;
    for (uint64_t i = 0; i < MOVES && (!error || error == JD_ETIMEDOUT); i++) {
        jd_channel c = g->channel[jdi_random_below(&rng, g->nchannels)];
        bool sends = jdi_random_below(&rng, 4) < 2 + (k & 1) - (k >> 1 & 1);
        bool commits = jdi_random_below(&rng, 4) == 0;
        jd_time deadline = some_deadline(me, &rng);
        error = !sends    ? receive_item(me, g, c, deadline)
                : commits ? commit_item(me, g, c, k * MOVES + i, deadline)
                          : send_item(me, g, c, k * MOVES + i, deadline);
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
    while (!(error = receive_item(me, g, c, JD_NOW)))
        ;
    if (error != JD_ETIMEDOUT && error != JD_ECLOSED)
        atomic_fetch_add(&g->wrong, 1);
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
        g->channel[i] = new_channel(me, 8, capacity[jdi_random_below(&rng, 4)]);
    must(me, jd_finish_begin(me, &s));
    must(me, jd_async_local(me, STOPPER, &rng, sizeof rng));
    for (uint64_t k = 0, n = 2 + jdi_random_below(&rng, PLAYERS - 1); k < n; k++)
        must(me, jd_async_local(me, PLAYER, &k, sizeof k));
    int error = jd_finish_end(me, &s);
    if (error && error != JD_ECANCELED)
        atomic_fetch_add(&g->wrong, 1);
    for (unsigned i = 0; i < g->nchannels; i++)
        drain(me, g, g->channel[i]);
    bool right = !atomic_load(&g->wrong);
    for (int i = 0; i < PLAYERS * MOVES; i++)
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
        for (int k = 0; k < PLAYERS * MOVES; k++)
            sent += g->sent[k];
        if (!right)
            fprintf(stderr, "# rank %u: wrong with seed %ld\n", jd_rank(me), seed + i);
    }
    moves = sum_of(me, moves), sent = sum_of(me, sent);
    ok_all(me, right, "each item is received once, of %llu in %llu moves",
           (unsigned long long)sent, (unsigned long long)moves);
    ok_all(me, sent > 0 && sent < moves, "some were sent, and not all");
    add_up_ends(me, &ends);
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
