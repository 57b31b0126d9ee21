/*
 * behaviour.c - one list of behaviours that every network must have.
 *
 * Role: a program of any number of ranks, linked with each conduit library in turn; each
 *       rank counts what went wrong, rank 0 reports the sum as TAP.
 * Owner: one struct tester per rank; its thread only.
 * Invariants: I1 a behaviour ends with a barrier and leaves no message in flight.
 * See: am/am.h, doc/am.md.  It has over 600 lines because it is one list.
 *      JACKDAW_RANKS chooses the number of ranks in process.
 */
#include "am/am.h"
#include "test/kit/tap.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum type { PING, PONG, STORM, STORM_ACK, HOP, HOME, BLOB, BLOB_BACK, FLOOD = 12 };
enum { STORM_MAX = 400, SIZES = 8, DEADLINE_S = 120 };

struct tester {
    struct jdi_am *am;
    uint32_t rank, n;
    uint64_t wrong; /* what went wrong in the present behaviour */
    uint64_t pings, pongs, storms, acks, hops, homes, blobs, backs, floods;
    unsigned char *seen;  /* n * STORM_MAX: how often each storm message came */
    unsigned char *bytes; /* room for the largest payload */
    uint32_t size[SIZES]; /* of blobs */
};

static void expect(struct tester *t, bool good, const char *what)
{
    if (good)
        return;
    t->wrong++;
    fprintf(stderr, "# rank %u: not so: %s\n", t->rank, what);
}

/* Poll until *counter has come to `goal`; gives up loudly after the deadline. */
static void until(struct tester *t, const uint64_t *counter, uint64_t goal)
{
    double end = tap_seconds() + DEADLINE_S;
    for (unsigned i = 0; *counter < goal; i++) {
        jdi_am_poll(t->am);
        sched_yield();
        if (tap_seconds() > end)
            jdi_die(&t->am->log, 99, "waited too long: %llu of %llu",
                    (unsigned long long)*counter, (unsigned long long)goal);
    }
    expect(t, *counter == goal, "as many as expected, and no more");
}

static void finish(struct tester *t)
{
    while (jdi_am_pending(t->am))
        jdi_am_poll(t->am);
    expect(t, !jdi_am_reduce_barrier(t->am), "barrier");
}

static void send(struct tester *t, uint32_t dst, const struct jdi_am_msg *m)
{
    expect(t, !jdi_am_send(t->am, dst, m), "send");
}

static void reply(struct tester *t, const struct jdi_am_in *in,
                  const struct jdi_am_msg *m)
{
    expect(t, !jdi_am_reply(in, m), "reply");
}

/* Bytes that depend on every one of their coordinates. */
static unsigned char pattern(uint64_t seed, uint64_t i)
{
    return (unsigned char)((seed * 31 + i) * 0x9E3779B97F4A7C15u >> 56);
}

static void fill(unsigned char *to, uint32_t len, uint64_t seed)
{
    for (uint32_t i = 0; i < len; i++)
        to[i] = pattern(seed, i);
}

static bool matches(const struct jdi_am_msg *m, uint64_t seed)
{
    const unsigned char *b = m->data;
    for (uint32_t i = 0; i < m->len; i++)
        if (b[i] != pattern(seed, i))
            return false;
    return true;
}

/* ---- ping-pong ----------------------------------------------------------------------- */

/* arg 0: seed, 1: bytes of the answer, 2..: to be returned plus one. */
static void on_ping(void *ctx, const struct jdi_am_in *in)
{
    struct tester *t = ctx;
    struct jdi_am_msg back = {.type = PONG, .nargs = in->msg->nargs};
    expect(t, in->token != NULL, "a request has a token");
    expect(t, matches(in->msg, in->msg->arg[0]), "payload of a request");
    t->pings++;
    for (unsigned i = 0; i < back.nargs; i++)
        back.arg[i] = in->msg->arg[i] + (i > 1);
    back.len = (uint32_t)in->msg->arg[1];
    back.data = t->bytes + t->size[SIZES - 1];
    fill(t->bytes + t->size[SIZES - 1], back.len, in->msg->arg[0] + 1);
    reply(t, in, &back);
}

static void on_pong(void *ctx, const struct jdi_am_in *in)
{
    struct tester *t = ctx;
    t->pongs++;
    expect(t, in->token == NULL, "a reply has no token");
    expect(t, matches(in->msg, in->msg->arg[0] + 1), "payload of a reply");
    expect(t, in->msg->len == in->msg->arg[1], "length of a reply");
    for (unsigned i = 2; i < in->msg->nargs; i++)
        expect(t, in->msg->arg[i] == (uint64_t)i * 0x100000001u + 1, "arguments");
}

static void ping(struct tester *t, uint32_t dst, uint8_t nargs, uint32_t len,
                 uint32_t back)
{
    struct jdi_am_msg m = {.type = PING, .nargs = nargs, .len = len, .data = t->bytes};
    m.arg[0] = t->rank * 1000 + len;
    m.arg[1] = back;
    for (unsigned i = 2; i < nargs; i++)
        m.arg[i] = (uint64_t)i * 0x100000001u;
    fill(t->bytes, len, m.arg[0]);
    uint64_t goal = t->pongs + 1;
    send(t, dst, &m);
    memset(t->bytes, 0, len); /* the caller's memory is free on return */
    until(t, &t->pongs, goal);
}

static void short_messages(struct tester *t)
{
    for (uint32_t dst = 0; dst < t->n; dst++)
        for (int i = 0; i < 100; i++)
            ping(t, dst, (uint8_t)(2 + i % 6), 0, 0);
}

static void medium_messages(struct tester *t)
{
    uint32_t max = t->am->max_data;
    uint32_t len[] = {1, 7, 8, 9, 64, 500, 4096, max - 1, max};
    for (uint32_t dst = 0; dst < t->n; dst++)
        for (unsigned i = 0; i < JDI_ARRAY_LEN(len); i++)
            ping(t, dst, 7, len[i], len[JDI_ARRAY_LEN(len) - 1 - i]);
}

/* ---- storms -------------------------------------------------------------------------- */

static void on_storm(void *ctx, const struct jdi_am_in *in)
{
    struct tester *t = ctx;
    uint64_t i = in->msg->arg[0];
    t->storms++;
    expect(t, i < STORM_MAX && matches(in->msg, i), "payload in a storm");
    t->seen[in->src * (uint64_t)STORM_MAX + i % STORM_MAX]++;
    struct jdi_am_msg ack = {.type = STORM_ACK};
    if (i % 3 == 0)
        reply(t, in, &ack);
    else if (i % 3 == 1)
        send(t, in->src, &ack);
}

static void on_ack(void *ctx, const struct jdi_am_in *in)
{
    struct tester *t = ctx;
    expect(t, in->msg->len == 0, "an empty acknowledgement");
    t->acks++;
}

/* Everybody sends `count` messages to everybody; two of three are acknowledged. */
static void storm(struct tester *t, unsigned credits, uint32_t count)
{
    t->am->credits = credits;
    t->storms = t->acks = 0;
    memset(t->seen, 0, t->n * (size_t)STORM_MAX);
    finish(t);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t dst = 0; dst < t->n; dst++) {
            struct jdi_am_msg m = {.type = STORM, .nargs = 1, .arg = {i}};
            m.len = i % 5 ? i % 97 : 0;
            m.data = t->bytes;
            fill(t->bytes, m.len, i);
            send(t, dst, &m);
            if (i % 7 == 0)
                jdi_am_poll(t->am);
        }
    until(t, &t->storms, (uint64_t)count * t->n);
    until(t, &t->acks,
          (uint64_t)(count / 3 * 2 + (count % 3 > 0) + (count % 3 > 1)) * t->n);
    finish(t);
    for (uint32_t src = 0; src < t->n; src++)
        for (uint32_t i = 0; i < count; i++)
            expect(t, t->seen[src * (uint64_t)STORM_MAX + i] == 1, "exactly once");
}

static void storm_1(struct tester *t)
{
    storm(t, 1, 200);
}

static void storm_2(struct tester *t)
{
    storm(t, 2, STORM_MAX);
}

static void storm_16(struct tester *t)
{
    storm(t, 16, STORM_MAX);
}

static void refusals(struct tester *t)
{
    uint64_t before = t->am->stats.deferred;
    struct jdi_fault *f = &t->am->fault;
    for (int round = 0; round < 20; round++) {
        uint64_t at =
            atomic_load_explicit(&f->count[JDI_FAULT_send], memory_order_relaxed);
        f->armed[JDI_FAULT_send] = at + 1 + (uint64_t)round % 5;
        storm(t, 16, 20);
    }
    f->armed[JDI_FAULT_send] = 0;
    expect(t, t->n == 1 || t->am->stats.deferred > before, "refused messages waited");
}

/* ---- messages from handlers ---------------------------------------------------------- */

enum { CHAINS = 20, CHAIN = 50 };

static void on_hop(void *ctx, const struct jdi_am_in *in)
{
    struct tester *t = ctx;
    struct jdi_am_msg m = *in->msg; /* arg 0: origin, 1: hops left */
    t->hops++;
    if (m.arg[1]-- == 0)
        m.type = HOME;
    uint32_t dst = m.type == HOME ? (uint32_t)m.arg[0]
                                  : (uint32_t)((t->rank * 7 + m.arg[1] + 1) % t->n);
    uint64_t before = t->hops + t->homes;
    send(t, dst, &m);
    expect(t, t->hops + t->homes == before, "handlers are not nested");
}

static void on_home(void *ctx, const struct jdi_am_in *in)
{
    (void)in;
    ((struct tester *)ctx)->homes++;
}

static void chains(struct tester *t)
{
    uint64_t goal = t->homes + CHAINS, hops = t->hops;
    finish(t);
    for (uint32_t i = 0; i < CHAINS; i++) {
        struct jdi_am_msg m = {.type = HOP, .nargs = 2, .arg = {t->rank, CHAIN}};
        send(t, (t->rank + i) % t->n, &m);
    }
    until(t, &t->homes, goal);
    finish(t);
    hops = t->hops - hops;
    expect(t, !jdi_am_reduce_all(t->am, &hops, 1, JDI_AM_U64, JD_SUM), "allreduce");
    expect(t, hops == (uint64_t)t->n * CHAINS * (CHAIN + 1), "every hop was made once");
}

/* ---- fragments ----------------------------------------------------------------------- */

static void on_blob(void *ctx, const struct jdi_am_in *in)
{
    struct tester *t = ctx;
    const struct jdi_am_msg *m = in->msg; /* arg 0: seed, 1: length */
    expect(t, m->nargs == 7 && m->len == m->arg[1] && m->arg[6] == ~m->arg[0],
           "shape of a large message");
    expect(t, matches(m, m->arg[0]), "bytes of a large message");
    t->blobs++;
    uint32_t len = t->size[m->arg[2]];
    struct jdi_am_msg back = {.type = BLOB_BACK, .nargs = 3, .len = len};
    back.arg[0] = m->arg[0] + 1;
    back.arg[1] = len;
    back.data = t->bytes + t->size[SIZES - 1];
    fill(t->bytes + t->size[SIZES - 1], len, back.arg[0]);
    reply(t, in, &back);
}

static void on_blob_back(void *ctx, const struct jdi_am_in *in)
{
    struct tester *t = ctx;
    expect(t, in->token == NULL, "a large reply has no token");
    expect(t, in->msg->len == in->msg->arg[1], "length of a large reply");
    expect(t, matches(in->msg, in->msg->arg[0]), "bytes of a large reply");
    t->backs++;
}

static void fragments(struct tester *t)
{
    t->blobs = t->backs = 0;
    finish(t);
    for (unsigned i = 0; i < SIZES; i++)
        for (uint32_t dst = 0; dst < t->n; dst++) {
            uint64_t seed = t->rank * 1009 + dst * 31 + i;
            struct jdi_am_msg m = {.type = BLOB, .nargs = 7, .len = t->size[i]};
            m.arg[0] = seed;
            m.arg[1] = m.len;
            m.arg[2] = SIZES - 1 - i;
            m.arg[6] = ~seed;
            m.data = t->bytes;
            fill(t->bytes, m.len, seed);
            send(t, dst, &m);
        }
    until(t, &t->blobs, (uint64_t)SIZES * t->n);
    until(t, &t->backs, (uint64_t)SIZES * t->n);
}

static void to_myself(struct tester *t)
{
    uint64_t pings = t->pings, pongs = t->pongs;
    struct jdi_am_msg m = {.type = PING, .nargs = 2};
    send(t, t->rank, &m);
    expect(t, t->pings == pings, "a message to myself is not delivered by recursion");
    expect(t, jdi_am_pending(t->am), "it is pending");
    until(t, &t->pings, pings + 1);
    until(t, &t->pongs, pongs + 1);
    expect(t, !jdi_am_pending(t->am), "nothing is left");
}

/* ---- reductions ---------------------------------------------------------------------- */

static double real(uint32_t rank, uint32_t i)
{
    return (double)(rank + 1) * 0.25 - (double)i;
}

static uint64_t whole(uint32_t rank, uint32_t i)
{
    return (uint64_t)(rank * 7 + 3) * (i + 1) ^ (uint64_t)rank << 40;
}

static uint64_t bits(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static uint64_t expected_u64(uint32_t n, uint32_t i, enum jd_op op)
{
    uint64_t x = whole(0, i);
    for (uint32_t r = 1; r < n; r++) {
        uint64_t y = whole(r, i);
        x = op == JD_SUM   ? x + y
            : op == JD_XOR ? x ^ y
            : op == JD_MIN ? (y < x ? y : x)
                           : (y > x ? y : x);
    }
    return x;
}

/* The sums are exact in binary, so the order of addition does not show. */
static uint64_t expected_f64(uint32_t n, uint32_t i, enum jd_op op)
{
    double x = real(0, i);
    for (uint32_t r = 1; r < n; r++) {
        double y = real(r, i);
        x = op == JD_SUM ? x + y : op == JD_MIN ? (y < x ? y : x) : (y > x ? y : x);
    }
    return bits(x);
}

static void set_values(struct tester *t, uint64_t *v, uint32_t n, enum jdi_am_kind kind)
{
    for (uint32_t i = 0; i < n; i++)
        v[i] = kind == JDI_AM_F64 ? bits(real(t->rank, i)) : whole(t->rank, i);
}

static void check_values(struct tester *t, const uint64_t *v, uint32_t n,
                         enum jdi_am_kind kind, enum jd_op op)
{
    for (uint32_t i = 0; i < n; i++)
        expect(t,
               v[i] == (kind == JDI_AM_F64 ? expected_f64(t->n, i, op)
                                           : expected_u64(t->n, i, op)),
               "the value of a reduction");
}

static void reductions(struct tester *t)
{
    static const uint32_t sizes[] = {1, 2, 5, 6, 7, 100, 4096};
    uint64_t *v = (uint64_t *)t->bytes;
    for (unsigned s = 0; s < JDI_ARRAY_LEN(sizes); s++)
        for (enum jdi_am_kind kind = JDI_AM_U64; kind <= JDI_AM_F64; kind++)
            for (enum jd_op op = JD_SUM; op <= (kind == JDI_AM_F64 ? JD_MAX : JD_XOR);
                 op++) {
                set_values(t, v, sizes[s], kind);
                expect(t, !jdi_am_reduce_all(t->am, v, sizes[s], kind, op), "allreduce");
                check_values(t, v, sizes[s], kind, op);
            }
    expect(t, jdi_am_reduce_all(t->am, v, 1, JDI_AM_F64, JD_XOR) == JD_EINVAL,
           "xor of doubles is refused");
}

enum { OPEN = 12 };

struct batch {
    struct tester *t;
    uint64_t done, again, extra;
    struct jdi_am_reduce r[OPEN], last;
};

static void on_last(void *ctx)
{
    ((struct batch *)ctx)->again++;
}

/* The first that finishes starts one more: also on every rank after all the others. */
static void on_reduced(void *ctx)
{
    struct batch *b = ctx;
    if (++b->done < OPEN)
        return;
    b->extra = 1;
    b->last = (struct jdi_am_reduce){.value = &b->extra,
                                     .n = 1,
                                     .kind = JDI_AM_U64,
                                     .op = JD_SUM,
                                     .done = on_last,
                                     .ctx = b};
    expect(b->t, !jdi_am_reduce(b->t->am, &b->last), "start from done");
}

static void open_together(struct tester *t)
{
    struct batch b = {.t = t};
    uint64_t *v = (uint64_t *)t->bytes;
    static const uint32_t n[OPEN] = {1, 3000, 2, 5, 6, 4096, 1, 9, 1, 700, 3, 1};
    for (unsigned i = 0; i < OPEN; i++, v += 4096) {
        enum jdi_am_kind kind = i % 3 ? JDI_AM_U64 : JDI_AM_F64;
        b.r[i] = (struct jdi_am_reduce){.value = v,
                                        .n = n[i],
                                        .kind = kind,
                                        .op = (enum jd_op)(1 + i % 3),
                                        .done = on_reduced,
                                        .ctx = &b};
        set_values(t, v, n[i], kind);
        expect(t, !jdi_am_reduce(t->am, &b.r[i]), "start");
        if (t->rank % 2)
            jdi_am_poll(t->am);
    }
    until(t, &b.again, 1);
    expect(t, b.extra == t->n, "the one started by done");
    for (unsigned i = 0; i < OPEN; i++)
        check_values(t, b.r[i].value, n[i], b.r[i].kind, b.r[i].op);
}

/* ---- words --------------------------------------------------------------------------- */

struct reading {
    struct jdi_am_get get;
    uint64_t value, *done;
};

static void on_word(void *ctx, uint64_t value)
{
    struct reading *r = ctx;
    r->value = value;
    ++*r->done;
}

static void words(struct tester *t)
{
    struct reading r[JDI_AM_WORDS];
    for (int round = 0; round < 3; round++) {
        for (unsigned i = 0; i < JDI_AM_WORDS; i++)
            jdi_am_publish(t->am, i, t->rank * 1000003ull + i * 17ull + (uint64_t)round);
        finish(t);
        for (uint32_t src = 0; src < t->n; src++) {
            uint64_t done = 0;
            for (unsigned i = 0; i < JDI_AM_WORDS; i++) {
                r[i] = (struct reading){.done = &done};
                r[i].get = (struct jdi_am_get){.done = on_word, .ctx = &r[i]};
                expect(t, !jdi_am_get_word(t->am, src, i, &r[i].get), "get_word");
            }
            until(t, &done, JDI_AM_WORDS);
            for (unsigned i = 0; i < JDI_AM_WORDS; i++) {
                uint64_t want = src * 1000003ull + i * 17ull + (uint64_t)round, seen = 0;
                expect(t, r[i].value == want, "the published value");
                if (jdi_am_peek_word(t->am, src, i, &seen))
                    expect(t, seen == want, "the same by a plain load");
                else
                    expect(t, src != t->rank, "this rank's own words are in its memory");
            }
        }
        finish(t);
    }
}

/* ---- sleeping ------------------------------------------------------------------------ */

enum { WAKINGS = 100 };
#define LONG_SLEEP_NS UINT64_C(20000000000)

/* Sleep until messages have brought *counter to `goal`.  A message that wakes nobody costs a whole
 * sleep. */
static void sleep_until(struct tester *t, const uint64_t *counter, uint64_t goal)
{
    while (*counter < goal) {
        uint64_t since = jdi_time_now(t->am->time);
        uint32_t key = jdi_idle_prepare(t->am->idle);
        if (jdi_am_rests(t->am) && !jdi_am_pending(t->am) && *counter < goal)
            jdi_time_wait(t->am->time, t->am->idle, key, LONG_SLEEP_NS);
        else
            jdi_idle_cancel(t->am->idle);
        expect(t, jdi_time_now(t->am->time) - since < LONG_SLEEP_NS / 2,
               "a message ends the sleep");
        jdi_am_poll(t->am);
    }
}

static void sleepers(struct tester *t)
{
    struct jdi_am_msg m = {.type = PING, .nargs = 2};
    t->pings = t->pongs = 0;
    finish(t);
    if (!t->am->wakes)
        return;
    for (uint32_t other = 1; other < t->n; other++) {
        for (unsigned i = 0; t->rank == 0 && i < WAKINGS; i++) {
            send(t, other, &m);
            sleep_until(t, &t->pongs, (other - 1) * WAKINGS + i + 1);
        }
        if (t->rank == other)
            sleep_until(t, &t->pings, WAKINGS);
    }
    finish(t);
}

/* ---- a peer that does not poll ------------------------------------------------------- */

enum { FLOODS = 60, SLOW_FLOODS = 20, DEAF_S = 20, DAWDLE_MS = 20 };

static void pass_ms(double ms)
{
    for (double end = tap_seconds() + ms / 1000; tap_seconds() < end;)
        sched_yield();
}

/* The first message takes long, so that others arrive behind it, which then are answered
 * in another poll or, here, much later: the answers to some of a sender's messages come
 * back while others are open. */
static void on_flood(void *ctx, const struct jdi_am_in *in)
{
    struct tester *t = ctx;
    expect(t, in->msg->arg[0] < FLOODS && matches(in->msg, 5), "a message of the flood");
    if (t->floods++ == 0)
        pass_ms(DAWDLE_MS);
}

/* A file says that a sender is through: its peer does not look at the network. */
static void mark(char path[static 64], uint64_t job, uint32_t rank)
{
    snprintf(path, 64, "/tmp/jackdaw-behaviour-%llu-%u", (unsigned long long)job, rank);
}

/* Deaf from the first message until the senders are through; false if they are not. */
static bool be_deaf(struct tester *t, uint64_t job)
{
    char path[64];
    uint32_t through = 0;
    while (t->floods == 0)
        jdi_am_poll(t->am);
    for (double end = tap_seconds() + DEAF_S; tap_seconds() < end && through < t->rank;) {
        sched_yield();
        mark(path, job, through);
        through += !access(path, F_OK);
    }
    return through == t->rank;
}

static void flood(struct tester *t, uint32_t to)
{
    fill(t->bytes, 1000, 5);
    for (uint64_t i = 0; i < FLOODS; i++) {
        struct jdi_am_msg m = {.type = FLOOD, .nargs = 1, .len = 1000, .arg = {i}};
        m.data = t->bytes;
        send(t, to, &m);
        jdi_am_poll(t->am);
        if (i < SLOW_FLOODS)
            pass_ms(3);
    }
    expect(t, jdi_am_pending(t->am), "the rest waits in the queue");
}

/* The last rank is deaf until the others have sent; they must not wait for it. */
static void deaf_peer(struct tester *t)
{
    char path[64];
    uint64_t job = (uint64_t)getpid();
    uint32_t deaf = t->n - 1;
    if (t->n == 1)
        return;
    t->floods = 0;
    expect(t, !jdi_am_reduce_all(t->am, &job, 1, JDI_AM_U64, JD_MAX), "allreduce");
    if (t->rank == deaf) {
        expect(t, be_deaf(t, job), "senders do not wait for a deaf peer");
        until(t, &t->floods, (uint64_t)FLOODS * (t->n - 1));
        finish(t);
        return;
    }
    flood(t, deaf);
    mark(path, job, t->rank);
    FILE *f = fopen(path, "w");
    expect(t, f && !fclose(f), "a file");
    finish(t);
    unlink(path);
}

/* ---- the list ------------------------------------------------------------------------ */

static const struct {
    const char *text;
    void (*run)(struct tester *t);
} behaviours[] = {
    {"a storm with one credit arrives exactly once", storm_1},
    {"a storm with two credits arrives exactly once", storm_2},
    {"a storm with 16 credits arrives exactly once", storm_16},
    {"short messages and replies keep their arguments", short_messages},
    {"payloads up to the largest go and come", medium_messages},
    {"handlers send messages that leave later", chains},
    {"fragments of several senders are put together", fragments},
    {"a message to oneself is delivered by the next poll", to_myself},
    {"reductions of all kinds and sizes", reductions},
    {"several reductions are open at once", open_together},
    {"a published word is read by every rank", words},
    {"a message wakes its receiver, an answer the asker", sleepers},
    {"a peer that does not poll does not block senders", deaf_peer},
    {"refused injections are tried again, once", refusals},
};

static void set_handlers(struct tester *t)
{
    static const struct {
        enum type type;
        jdi_am_handler *fn;
    } list[] = {{PING, on_ping}, {PONG, on_pong},           {STORM, on_storm},
                {HOP, on_hop},   {STORM_ACK, on_ack},       {HOME, on_home},
                {BLOB, on_blob}, {BLOB_BACK, on_blob_back}, {FLOOD, on_flood}};
    for (unsigned i = 0; i < JDI_ARRAY_LEN(list); i++)
        jdi_am_set_handler(t->am, list[i].type, list[i].fn, t);
}

static int rank_main(void *ctx, struct jdi_am *am, int argc, char **argv)
{
    (void)ctx, (void)argc, (void)argv;
    struct tester t = {.am = am, .rank = am->rank, .n = am->nranks};
    uint32_t max = am->max_data;
    uint32_t size[SIZES] = {1, 100, max, max + 1, 2 * max + 3, 300000, 500001, 1 << 20};
    memcpy(t.size, size, sizeof size);
    t.seen = calloc(t.n, STORM_MAX);
    t.bytes = calloc(2, size[SIZES - 1]);
    if (!t.seen || !t.bytes)
        bail_out("no memory");
    am->credits = 1; /* before the first message; it may only grow from here */
    set_handlers(&t);
    if (am->rank == 0)
        plan(JDI_ARRAY_LEN(behaviours));
    for (unsigned i = 0; i < JDI_ARRAY_LEN(behaviours); i++) {
        t.wrong = 0;
        double start = tap_seconds();
        behaviours[i].run(&t);
        finish(&t);
        uint64_t wrong = t.wrong;
        if (jdi_am_reduce_all(am, &wrong, 1, JDI_AM_U64, JD_SUM))
            wrong++;
        if (am->rank == 0) {
            ok(wrong == 0, "%s: %s", jdi_conduit.name, behaviours[i].text);
            diag("%u ranks, %.3f s", t.n, tap_seconds() - start);
        }
    }
    free(t.seen);
    free(t.bytes);
    return am->rank == 0 ? done_testing() : 0;
}

int main(int argc, char **argv)
{
    const char *ranks = getenv("JACKDAW_RANKS");
    struct jdi_conduit_start start = {.argc = argc,
                                      .argv = argv,
                                      .want_ranks = ranks ? (uint32_t)atoi(ranks) : 0,
                                      .allow_singleton = true,
                                      .rank_main = rank_main};
    return jdi_conduit.run(&start);
}
