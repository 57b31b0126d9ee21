/*
 * data.c - what jd_put, jd_get and jd_copy cost, against GASNet's own messages and memcpy.
 *
 * Role: rank 0 moves 8 bytes to 16 MiB to and from rank 1, which only waits; in the same run
 *       GASNet's own Mediums of the greatest size carry as much, and memcpy does inside rank 0.
 *       Rounds are interleaved; prints the median of each and MB/s.
 * Owner: rank 0's body; raw messages are sent and handled by the communication threads.
 * Invariants: I1 raw messages have as many requests open as the transport would have.
 *             I2 each size is moved by each row in turn, round by round: what else runs on
 *                the machine disturbs all of them.
 * See: bench/README.md, doc/data.md.  Looks into the runtime to find GASNet's endpoint.
 */
#include "bench/on_comm.h"

#include "am/gasnet/gasnet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PUT = GEX_AM_INDEX_BASE + 64, PUT_DONE, GET, GET_DONE };
enum { LARGEST = 16 << 20, ROUNDS_DEFAULT = 9, MOST = 101, RAW_WINDOW = 16 };
/* A sample moves so many bytes at least, in so many calls at most. */
enum { SAMPLE_BYTES = 8 << 20, SAMPLE_CALLS = 400 };

struct bench {
    jd_self *me;
    struct jdi_gas *g;
    jd_mem mem;
    uint64_t there;              /* address of rank 1's part, in rank 1 */
    unsigned char *here, *local; /* rank 0's part, and memory that is not registered */
    size_t medium;               /* bytes of a raw message */
    unsigned window;
};

/* ---- raw messages ------------------------------------------------------------------- */

/* What has been answered of one raw transfer; handlers find it by its address. */
struct raw {
    unsigned answered;
    unsigned char *dst; /* of a get */
};

static gex_AM_Arg_t high(uint64_t v)
{
    return (gex_AM_Arg_t)(v >> 32);
}
static gex_AM_Arg_t low(uint64_t v)
{
    return (gex_AM_Arg_t)v;
}
static void *join(gex_AM_Arg_t hi, gex_AM_Arg_t lo)
{
    return (void *)((uintptr_t)(uint32_t)hi << 32 | (uint32_t)lo); // NOLINT
}

static void on_put(gex_Token_t token, void *data, size_t len, gex_AM_Arg_t hi,
                   gex_AM_Arg_t lo, gex_AM_Arg_t raw_hi, gex_AM_Arg_t raw_lo)
{
    memcpy(join(hi, lo), data, len);
    gex_AM_ReplyShort2(token, PUT_DONE, 0, raw_hi, raw_lo);
}

static void on_put_done(gex_Token_t token, gex_AM_Arg_t hi, gex_AM_Arg_t lo)
{
    (void)token;
    ((struct raw *)join(hi, lo))->answered++;
}

static void on_get(gex_Token_t token, gex_AM_Arg_t hi, gex_AM_Arg_t lo, gex_AM_Arg_t len,
                   gex_AM_Arg_t offset, gex_AM_Arg_t raw_hi, gex_AM_Arg_t raw_lo)
{
    gex_AM_ReplyMedium3(token, GET_DONE, join(hi, lo), (uint32_t)len, GEX_EVENT_NOW, 0,
                        offset, raw_hi, raw_lo);
}

static void on_get_done(gex_Token_t token, void *data, size_t len, gex_AM_Arg_t offset,
                        gex_AM_Arg_t hi, gex_AM_Arg_t lo)
{
    struct raw *raw = join(hi, lo);
    (void)token;
    memcpy(raw->dst + (uint32_t)offset, data, len);
    raw->answered++;
}

static void add_handlers(struct jdi_gas *g)
{
#define ENTRY(index, fn, kind, nargs) {index, (gex_AM_Fn_t)fn, kind, nargs, NULL, #fn}
    gex_AM_Entry_t entries[] = {
        ENTRY(PUT, on_put, GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_MEDIUM, 4),
        ENTRY(PUT_DONE, on_put_done, GEX_FLAG_AM_REPLY | GEX_FLAG_AM_SHORT, 2),
        ENTRY(GET, on_get, GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_SHORT, 6),
        ENTRY(GET_DONE, on_get_done, GEX_FLAG_AM_REPLY | GEX_FLAG_AM_MEDIUM, 3),
    };
#undef ENTRY
    if (gex_EP_RegisterHandlers(g->ep, entries, JDI_ARRAY_LEN(entries)))
        exit(1);
}

static void await(const struct raw *raw, unsigned n)
{
    while (raw->answered < n)
        gasnet_AMPoll();
}

static int raw_put(struct bench *b, size_t n)
{
    struct raw raw = {0};
    uint64_t self = (uintptr_t)&raw;
    unsigned sent = 0;
    for (size_t at = 0; at < n; at += b->medium) {
        size_t len = n - at < b->medium ? n - at : b->medium;
        uint64_t to = b->there + at;
        await(&raw, sent < b->window ? 0 : sent - b->window + 1);
        gex_AM_RequestMedium4(b->g->tm, 1, PUT, b->local + at, len, GEX_EVENT_NOW, 0,
                              high(to), low(to), high(self), low(self));
        sent++;
    }
    await(&raw, sent);
    return 0;
}

static int raw_get(struct bench *b, size_t n)
{
    struct raw raw = {.dst = b->local};
    uint64_t self = (uintptr_t)&raw;
    unsigned sent = 0;
    for (size_t at = 0; at < n; at += b->medium) {
        size_t len = n - at < b->medium ? n - at : b->medium;
        uint64_t from = b->there + at;
        await(&raw, sent < b->window ? 0 : sent - b->window + 1);
        gex_AM_RequestShort6(b->g->tm, 1, GET, 0, high(from), low(from),
                             (gex_AM_Arg_t)len, (gex_AM_Arg_t)at, high(self), low(self));
        sent++;
    }
    await(&raw, sent);
    return 0;
}

/* ---- rows --------------------------------------------------------------------------- */

static int put(struct bench *b, size_t n)
{
    return jd_put(b->me, b->mem, 1, 0, b->local, n);
}

static int get(struct bench *b, size_t n)
{
    return jd_get(b->me, b->mem, 1, 0, b->local, n);
}

/* From rank 1 to the last one: inside it, if there are two. */
static int copy(struct bench *b, size_t n)
{
    return jd_copy(b->me, b->mem, 1, 0, jd_nranks(b->me) - 1, LARGEST, n);
}

static int here(struct bench *b, size_t n)
{
    memcpy(b->local, b->here, n);
    return 0;
}

static const struct {
    const char *name;
    int (*run)(struct bench *b, size_t n);
    bool raw; /* calls GASNet itself */
} row[] = {{"jd_put", put, false},   {"raw put", raw_put, true},
           {"jd_get", get, false},   {"raw get", raw_get, true},
           {"jd_copy", copy, false}, {"memcpy", here, false}};
enum { ROWS = sizeof row / sizeof *row };
static const size_t sizes[] = {8,        64,        512,     4 << 10,
                               32 << 10, 256 << 10, 2 << 20, LARGEST};
enum { SIZES = sizeof sizes / sizeof *sizes };

struct results {
    double ns[SIZES][ROWS][MOST];
};

struct sample {
    struct bench *b;
    size_t n;
    int row;
    double ns; /* of one call */
};

static void take_sample(void *arg)
{
    struct sample *s = arg;
    size_t calls = SAMPLE_BYTES / s->n;
    calls = calls > SAMPLE_CALLS ? SAMPLE_CALLS : calls ? calls : 1;
    uint64_t start = jdi_time_ns();
    for (size_t i = 0; i < calls; i++) {
        int error = row[s->row].run(s->b, s->n);
        if (error)
            jd_abort(s->b->me, 1, "%s: %s", row[s->row].name, jd_strerror(error));
    }
    s->ns = (double)(jdi_time_ns() - start) / (double)calls;
}

static double sample(struct bench *b, size_t n, int r)
{
    struct sample s = {b, n, r, 0};
    if (row[r].raw)
        on_comm(b->me, take_sample, &s);
    else
        take_sample(&s);
    return s.ns;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void report(const struct bench *b, struct results *t, size_t rounds)
{
    printf("%s, %u ranks, messages of %zu bytes, %zu rounds: median us (MB/s)\n%9s",
           jdi_conduit.name, jd_nranks(b->me), b->medium, rounds, "bytes");
    for (int r = 0; r < ROWS; r++)
        printf(" %17s", row[r].name);
    for (int s = 0; s < SIZES; s++) {
        printf("\n%9zu", sizes[s]);
        for (int r = 0; r < ROWS; r++) {
            qsort(t->ns[s][r], rounds, sizeof(double), compare);
            double ns = t->ns[s][r][rounds / 2];
            printf(" %9.2f (%5.0f)", ns / 1000, (double)sizes[s] * 1000 / ns);
        }
    }
    printf("\n");
}

static void measure(struct bench *b, size_t rounds)
{
    struct results *t = calloc(1, sizeof *t);
    b->local = calloc(1, LARGEST);
    if (!t || !b->local ||
        jd_get(b->me, b->mem, 1, 2 * (uint64_t)LARGEST, &b->there, sizeof b->there))
        jd_abort(b->me, 1, "bench/data: no memory");
    memset(b->local, 1, LARGEST);
    for (size_t i = 0; i <= rounds; i++) /* the first is to warm up */
        for (int s = 0; s < SIZES; s++)
            for (int r = 0; r < ROWS; r++)
                t->ns[s][r][i ? i - 1 : 0] = sample(b, sizes[s], r);
    report(b, t, rounds);
    free(b->local);
    free(t);
}

static int body(jd_self *me, int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : ROUNDS_DEFAULT;
    struct bench b = {.me = me, .g = jdi_gasnet_of(me->rank->am)};
    if (jd_nranks(me) < 2 || rounds < 1 || rounds > MOST) {
        if (jd_rank(me) == 0)
            fprintf(stderr, "data: wants 2 ranks and 1 to %d rounds\n", MOST);
        return 2;
    }
    const struct jdi_am *am = &b.g->am;
    b.medium = am->max_data;
    b.window = am->bears ? am->bears : RAW_WINDOW;
    if (jd_mem_create(me, NULL, 2 * (size_t)LARGEST + sizeof b.there, &b.mem))
        return 1;
    b.here = jd_mem_local(me, b.mem, NULL);
    memset(b.here, 1, 2 * (size_t)LARGEST);
    memcpy(b.here + 2 * (size_t)LARGEST, &(uint64_t){(uintptr_t)b.here},
           sizeof(uint64_t));
    add_handlers(b.g);
    if (jd_barrier(me))
        return 1;
    if (jd_rank(me) == 0)
        measure(&b, (size_t)rounds);
    int error = jd_barrier(me);
    return error ? error : jd_mem_destroy(me, b.mem);
}

int main(int argc, char **argv)
{
    static const jd_task_def tasks[] = {JD_TASK_END};
    setenv("JACKDAW_WORKERS", "1", 0);
    setenv("JACKDAW_COMM", "inline", 0);
    /* Raw messages are no events for the runtime: rank 1 must not fall asleep over them. */
    setenv("JACKDAW_IDLE", "spin:1000000,yield:1000000,sleep:100", 0);
    return jd_launch(argc, argv, body, tasks);
}
