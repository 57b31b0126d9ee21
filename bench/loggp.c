/*
 * loggp.c - the LogGP parameters of a network, as the simulator wants them.
 *
 * Role: rank 1 bounces messages off rank 0, sends it a few while it does not look, and
 *       streams to it; prints overhead, latency, gap and gap per byte of the transport
 *       (am/am.h), which is what a simulated message is charged with.
 * Owner: the polling thread of each rank; 2 ranks, inline.
 * Invariants: I1 both ranks go from block to block by a reduction that only polls.
 *             I2 a figure is the median of a block; of the blocks the least counts, the one
 *                that the rest of the machine has disturbed least.
 * See: bench/README.md, bench/sim_reality.sh, doc/sim.md "The model".
 */
#include "sched/collective.h"

#include <stdio.h>
#include <stdlib.h>

enum { PING = 1, PONG, STREAM }; /* below the runtime's own types */
enum {
    BLOCKS_DEFAULT = 9,
    BLOCKS_MAX = 1000,
    SAMPLES = 1000,
    FEW = 8, /* sent without a look at the network: under the 16 credits */
    FEW_SAMPLES = 200,
    UNSEEN_NS = 100000, /* rank 0 does not look for so long */
    MANY = 4000,        /* streamed */
    BIG = 32768         /* bytes; less if the network cannot carry them at once */
};

struct bench {
    struct jdi_am *am;
    uint32_t pongs, streamed;
};

/* ns; of a block, then of the best block. */
struct figures {
    uint64_t round_trip, big_round_trip, send, receive, gap;
};

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint64_t median(uint64_t *v, uint32_t n)
{
    qsort(v, n, sizeof *v, compare);
    return v[n / 2];
}

/* ---- messages ------------------------------------------------------------------------ */

static void must(struct jdi_am *am, int error)
{
    if (error)
        jdi_die(&am->log, 1, "loggp: %s", jd_strerror(error));
}

static void on_ping(void *ctx, const struct jdi_am_in *in)
{
    struct bench *b = ctx;
    must(b->am, jdi_am_reply(in, &(struct jdi_am_msg){.type = PONG}));
}

static void on_pong(void *ctx, const struct jdi_am_in *in)
{
    (void)in;
    ((struct bench *)ctx)->pongs++;
}

static void on_stream(void *ctx, const struct jdi_am_in *in)
{
    (void)in;
    ((struct bench *)ctx)->streamed++;
}

static void send(struct bench *b, unsigned type, const void *data, uint32_t len)
{
    struct jdi_am_msg m = {.type = (uint8_t)type, .data = data, .len = len};
    must(b->am, jdi_am_send(b->am, 0, &m));
}

static void done_flag(void *flag)
{
    *(bool *)flag = true;
}

/* Both ranks have come here; polls, so that the other one is served until then (I1). */
static void meet(struct bench *b)
{
    bool done = false;
    struct jdi_am_reduce r = {
        .kind = JDI_AM_U64, .op = JD_SUM, .done = done_flag, .ctx = &done};
    must(b->am, jdi_am_reduce(b->am, &r));
    while (!done)
        jdi_am_poll(b->am);
}

/* ---- blocks -------------------------------------------------------------------------- */

static uint64_t round_trips(struct bench *b, const void *data, uint32_t len)
{
    uint64_t took[SAMPLES];
    for (int i = 0; b->am->rank == 1 && i < SAMPLES; i++) {
        uint64_t start = jdi_time_ns();
        b->pongs = 0;
        send(b, PING, data, len);
        while (!b->pongs)
            jdi_am_poll(b->am);
        took[i] = jdi_time_ns() - start;
    }
    meet(b);
    return b->am->rank == 1 ? median(took, SAMPLES) : 0;
}

/* What a message costs its sender, or its receiver, when all have arrived. */
static uint64_t overhead(struct bench *b)
{
    uint64_t took[FEW_SAMPLES];
    for (int i = 0; i < FEW_SAMPLES; i++) {
        b->streamed = 0;
        meet(b);
        uint64_t start = jdi_time_ns();
        if (b->am->rank == 1) {
            for (int k = 0; k < FEW; k++)
                send(b, STREAM, NULL, 0);
        } else {
            while (jdi_time_ns() - start < UNSEEN_NS)
                continue;
            start = jdi_time_ns();
            while (b->streamed < FEW)
                jdi_am_poll(b->am);
        }
        took[i] = (jdi_time_ns() - start) / FEW;
        meet(b);
    }
    return median(took, FEW_SAMPLES);
}

/* Time from one message to the next when many go one after the other. */
static uint64_t gap(struct bench *b)
{
    meet(b);
    uint64_t start = jdi_time_ns();
    if (b->am->rank == 1) {
        for (int i = 0; i < MANY; i++)
            send(b, STREAM, NULL, 0);
        b->pongs = 0;
        send(b, PING, NULL, 0);
        while (!b->pongs)
            jdi_am_poll(b->am);
    }
    uint64_t took = (jdi_time_ns() - start) / MANY;
    meet(b);
    return took;
}

static void least(uint64_t *best, uint64_t now)
{
    if (!*best || now < *best)
        *best = now;
}

/* ---- the whole ----------------------------------------------------------------------- */

static void block(struct bench *b, const void *data, uint32_t big, struct figures *best)
{
    uint64_t each[2] = {0};
    least(&best->round_trip, round_trips(b, NULL, 0));
    least(&best->big_round_trip, round_trips(b, data, big));
    least(&best->gap, gap(b));
    each[b->am->rank] = overhead(b);
    must(b->am, jdi_am_reduce_all(b->am, each, 2, JDI_AM_U64, JD_SUM));
    least(&best->receive, each[0]);
    least(&best->send, each[1]);
}

static void report(const struct figures *f, uint32_t big, int blocks)
{
    /* What overlaps in a round trip is not charged twice: o and g are cut to fit into it. */
    uint64_t way = f->round_trip / 2, o = (f->send + f->receive) / 2, g = f->gap;
    o = 2 * o < way ? o : way / 2;
    g = g < way ? g : way;
    uint64_t more =
        f->big_round_trip > f->round_trip ? f->big_round_trip - f->round_trip : 0;
    printf("# %s, least of the medians of %d blocks, ns: round trip %llu (%llu with %u "
           "bytes one way), send %llu, receive %llu, gap %llu\n",
           jdi_conduit.name, blocks, (unsigned long long)f->round_trip,
           (unsigned long long)f->big_round_trip, big, (unsigned long long)f->send,
           (unsigned long long)f->receive, (unsigned long long)f->gap);
    printf("o:%llu,L:%llu,g:%llu,G:%.4f\n", (unsigned long long)o,
           (unsigned long long)(way - 2 * o), (unsigned long long)g, (double)more / big);
}

static int body(jd_self *me, int argc, char **argv)
{
    int blocks = argc > 1 ? atoi(argv[1]) : BLOCKS_DEFAULT;
    if (jd_nranks(me) != 2 || blocks < 1 || blocks > BLOCKS_MAX) {
        if (jd_rank(me) == 0)
            fprintf(stderr, "loggp: wants 2 ranks and 1 to %d blocks\n", BLOCKS_MAX);
        return 2;
    }
    struct bench b = {.am = me->rank->am};
    struct figures best = {0};
    uint32_t big = b.am->max_data < BIG ? b.am->max_data : BIG;
    void *data = calloc(1, big);
    if (!data)
        return 1;
    jdi_am_set_handler(b.am, PING, on_ping, &b);
    jdi_am_set_handler(b.am, PONG, on_pong, &b);
    jdi_am_set_handler(b.am, STREAM, on_stream, &b);
    int error = jd_barrier(me);
    for (int i = 0; !error && i < blocks; i++)
        block(&b, data, big, &best);
    if (!error && jd_rank(me) == 1)
        report(&best, big, blocks);
    free(data);
    return error ? error : jd_barrier(me);
}

int main(int argc, char **argv)
{
    static const jd_task_def tasks[] = {JD_TASK_END};
    setenv("JACKDAW_WORKERS", "1", 1);
    setenv("JACKDAW_COMM", "inline", 1);
    return jd_launch(argc, argv, body, tasks);
}
