/*
 * steal.c - what a steal of one task costs, against GASNet's own short round trip.
 *
 * Role: rank 1 steals tasks from rank 0 one by one, and in the same run bounces GASNet's
 *       short messages off it, in alternating blocks.  Prints both and their ratio.
 * Owner: the communication thread of each rank; 2 ranks, smp or another conduit.
 * Invariants: I1 rank 0 only polls while it is measured: neither figure waits for its tasks.
 *             I2 a steal is timed from the turn that sends the request to the first
 *                instruction of the task, both on rank 1's clock.  A worker of rank 1 runs the task,
 *                so a steal has one change of threads.
 * See: bench/README.md.  Looks into the runtime: no public call can time a steal.
 */
#include "bench/on_comm.h"

#include "am/gasnet/gasnet.h"
#include "sched/coll.h"
#include "sched/comm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PING = GEX_AM_INDEX_BASE + 64, PONG, DONE };
enum { BLOCK = 2000, BLOCKS_DEFAULT = 15, BLOCKS_MAX = 1000 };

struct bench {
    struct jdi_am *am;
    uint64_t *took; /* ns of each round trip, or of each steal, of this block */
    uint32_t n;
    struct jdi_rank *rank;
    _Atomic bool robbed; /* rank 0 has no tasks left */
};

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint64_t median(uint64_t *v, uint32_t n)
{
    qsort(v, n, sizeof *v, compare);
    return n ? v[n / 2] : 0;
}

/* The stolen task: all it does is to look at the clock. */
static void task(jd_self *me, void *arg)
{
    struct bench *b = jd_coll_local(me->coll);
    uint64_t now = jdi_time_ns();
    (void)arg;
    if (b->n < BLOCK)
        b->took[b->n++] = now - me->coll->steal.moved_at;
}

/* ---- GASNet's own round trip -------------------------------------------------------- */

/* The words that the handlers count in; they find them by an address in the message. */
static gex_AM_Arg_t high(void *p)
{
    return (gex_AM_Arg_t)((uintptr_t)p >> 32);
}
static gex_AM_Arg_t low(void *p)
{
    return (gex_AM_Arg_t)(uintptr_t)p;
}
static void bump(gex_AM_Arg_t hi, gex_AM_Arg_t lo)
{
    uint32_t *n = (uint32_t *)((uintptr_t)(uint32_t)hi << 32 | (uint32_t)lo);
    ++*n;
}

static void on_ping(gex_Token_t token, gex_AM_Arg_t hi, gex_AM_Arg_t lo)
{
    gex_AM_ReplyShort2(token, PONG, 0, hi, lo);
}
static void on_pong(gex_Token_t token, gex_AM_Arg_t hi, gex_AM_Arg_t lo)
{
    (void)token;
    bump(hi, lo);
}

static void add_handlers(struct jdi_gas *g)
{
    gex_AM_Entry_t entries[] = {
        {PING, (gex_AM_Fn_t)on_ping, GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_SHORT, 2, NULL,
         "ping"},
        {PONG, (gex_AM_Fn_t)on_pong, GEX_FLAG_AM_REPLY | GEX_FLAG_AM_SHORT, 2, NULL,
         "pong"},
    };
    if (gex_EP_RegisterHandlers(g->ep, entries, JDI_ARRAY_LEN(entries)))
        exit(1);
}

static void round_trips(void *arg)
{
    struct bench *b = arg;
    struct jdi_gas *g = jdi_gasnet_of(b->am);
    uint32_t back = 0;
    for (uint32_t i = 0; i < BLOCK; i++) {
        uint64_t start = jdi_time_ns();
        gex_AM_RequestShort2(g->tm, 0, PING, 0, high(&back), low(&back));
        while (back == i)
            gasnet_AMPoll();
        b->took[i] = jdi_time_ns() - start;
    }
}

/* ---- blocks ------------------------------------------------------------------------- */

static void done_flag(void *flag)
{
    *(bool *)flag = true;
}

/* A barrier that polls the network and nothing else, so that pings are served meanwhile. */
static void polling_barrier(void *arg)
{
    struct jdi_am *am = ((struct bench *)arg)->am;
    bool done = false;
    struct jdi_am_reduce r = {
        .kind = JDI_AM_U64, .op = JD_SUM, .done = done_flag, .ctx = &done};
    if (jdi_am_reduce(am, &r))
        exit(1);
    while (!done)
        jdi_am_poll(am);
}

static void serve_thief(void *arg)
{
    struct bench *b = arg;
    while (!atomic_load_explicit(&b->robbed, memory_order_relaxed))
        jdi_comm_turn(b->rank, jdi_time_ns());
}

/* The victim opens its tasks, half of the rest whenever none is open, and only polls until all are
 * gone. */
static void be_robbed(jd_self *me, jd_coll *c, struct bench *b)
{
    struct jdi_shelf *s = &c->seat[jd_worker(me)].shelf;
    struct on_comm serving;
    atomic_store_explicit(&b->robbed, false, memory_order_relaxed);
    on_comm_start(&serving, me, serve_thief, b);
    while (jdi_store_has_own(s)) {
        jdi_store_offer(s);
        nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
    }
    atomic_store_explicit(&b->robbed, true, memory_order_relaxed);
    on_comm_wait(&serving);
}

static int steals(jd_self *me, jd_coll *c, struct bench *b)
{
    b->n = 0;
    for (int i = 0; jd_rank(me) == 0 && i < BLOCK; i++)
        if (jd_coll_add(me, c, 0, NULL, 0))
            return 1;
    if (jd_barrier(me) || jd_coll_start(me, c))
        return 1;
    if (jd_rank(me) == 0)
        be_robbed(me, c, b);
    return jd_coll_wait(me, c);
}

static void report(uint64_t *rtt, uint64_t *steal, uint64_t *ratio, int blocks)
{
    uint64_t lo = UINT64_MAX, hi = 0;
    for (int i = 0; i < blocks; i++) {
        lo = ratio[i] < lo ? ratio[i] : lo;
        hi = ratio[i] > hi ? ratio[i] : hi;
    }
    printf("%s, %d blocks of %d each, medians\n", jdi_conduit.name, blocks, BLOCK);
    printf("GASNet short round trip   %6llu ns\n",
           (unsigned long long)median(rtt, blocks));
    printf("steal of one task         %6llu ns\n",
           (unsigned long long)median(steal, blocks));
    printf("ratio                     %6.2f   (%.2f to %.2f)\n",
           (double)median(ratio, blocks) / 1000, (double)lo / 1000, (double)hi / 1000);
}

static int body(jd_self *me, int argc, char **argv)
{
    int blocks = argc > 1 ? atoi(argv[1]) : BLOCKS_DEFAULT;
    if (jd_nranks(me) != 2 || blocks < 1 || blocks > BLOCKS_MAX) {
        if (jd_rank(me) == 0)
            fprintf(stderr, "steal: wants 2 ranks and 1 to %d blocks\n", BLOCKS_MAX);
        return 2;
    }
    struct jdi_am *am = me->rank->am;
    uint64_t took[BLOCK];
    uint64_t rtt[BLOCKS_MAX], steal[BLOCKS_MAX], ratio[BLOCKS_MAX];
    struct bench b = {.am = am, .took = took, .rank = me->rank};
    jd_coll *c;
    jd_coll_props props = {.local = &b, .arg_size = 16, .uniform = 1, .no_restore = 1};
    if (jd_coll_create(me, &props, &c))
        return 1;
    add_handlers(jdi_gasnet_of(am));
    for (int i = 0; i < blocks; i++) {
        if (jd_barrier(me))
            return 1;
        if (jd_rank(me) == 1) {
            on_comm(me, round_trips, &b);
            rtt[i] = median(took, BLOCK);
        }
        on_comm(me, polling_barrier, &b);
        if (steals(me, c, &b))
            return 1;
        steal[i] = median(took, b.n);
        ratio[i] = jd_rank(me) == 1 ? 1000 * steal[i] / (rtt[i] ? rtt[i] : 1) : 0;
    }
    if (jd_rank(me) == 1)
        report(rtt, steal, ratio, blocks);
    return jd_coll_destroy(me, c);
}

int main(int argc, char **argv)
{
    static const jd_task_def tasks[] = {JD_TASK(task), JD_TASK_END};
    setenv("JACKDAW_WORKERS", "1", 1);
    setenv("JACKDAW_COMM", "inline", 1);
    setenv("JACKDAW_STEAL_AMOUNT", "one", 1);
    setenv("JACKDAW_IDLE", "spin:1000000,yield:1000000,sleep:100", 1);
    return jd_launch(argc, argv, body, tasks);
}
