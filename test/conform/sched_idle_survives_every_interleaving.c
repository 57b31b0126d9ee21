/*
 * sched_idle_survives_every_interleaving.c
 *
 * Role: the idle test of sched/coll.c against two workers that make, take and run tasks, hold
 *       the collection and give the hold up: at every load of the test, everything that they
 *       could have done meanwhile.  It never says "idle" while a task or a hold exists, and
 *       says so when none does.  Each wrong order of reads, and each wrong worker, is caught.
 * Owner: one thread.
 * Invariants: I1 a point is the state of the workers and the values loaded so far; from each,
 *                every step is tried once.
 *             I2 stores of `in` may become visible late, until a release by the same worker
 *                or until the commit step: what a weakly ordered machine may do.
 * See: doc/termination.md rule R3 and section 12, numbers 23 to 27, 33, 38; test/models/idle.pml.
 */
#include "conform/pieces.h"
#include "sched/coll.h"
#include "test/conform/idle_hook.h"
#include "test/kit/tap.h"

#include <setjmp.h>
#include <stdlib.h>

enum {
    WORKERS = 2,
    ACCOUNTS = WORKERS + 1,
    SPAWNS = 2,
    HOLDS = 1,
    DEPTH = 200,
    LOADS = 16
};

/* Where a worker is: its task has been counted out already in LAST and LAST_SPAWN; the holder
 * has counted its task in and not let go in BRINGING. */
enum at { FREE, RUNNING, SPAWNING, LAST, LAST_SPAWN, BRINGING };

/* How the workers are wrong. */
struct wrong_worker {
    bool late_in;   /* a task can be taken before it is counted in */
    bool early_out; /* a task is counted out before its last child is counted in */
    bool relaxed;   /* `out` is stored without release */
    bool late_add;  /* a hold is given up before the task that it was for is counted in */
};

/* Bytes only: two equal ones are one state. */
struct state {
    uint8_t at[WORKERS], queue[WORKERS];
    uint8_t hidden[WORKERS]; /* stores of `in` that nobody else sees yet */
    uint8_t in[ACCOUNTS], out[ACCOUNTS], hold_in, hold_out;
    uint8_t spawns, holds; /* that may still come */
    uint8_t exist;         /* tasks and holds: the truth */
    uint8_t nloads, load[LOADS];
};

struct play {
    struct jdi_seat seat[ACCOUNTS];
    struct jd_coll coll;
    struct state s;
    struct wrong_worker wrong;
    struct jdi_pieces seen;
    uint8_t choice[DEPTH],
        open[DEPTH]; /* the way here, and how many choices there were */
    unsigned depth, length;
    bool quiet; /* nothing was left when the scan began */
    uint64_t early, late, quiets, scans;
    jmp_buf pruned;
};

/* The loads of the idle test have no other way to find it. */
static struct play *playing;

/* ---- the workers ------------------------------------------------------------------------ */

static void commit(struct state *s, unsigned w)
{
    s->in[w] = (uint8_t)(s->in[w] + s->hidden[w]);
    s->hidden[w] = 0;
}

static bool take(struct state *s, unsigned w, unsigned from)
{
    if (s->at[w] != FREE || s->queue[from] == 0)
        return false;
    if (w != from)
        commit(s, from); /* a task is shared by a release store */
    s->queue[from]--;
    s->at[w] = RUNNING;
    return true;
}

/* The first half: counted in, or, wrongly, in the deque; the other half is finish_spawn. */
static bool spawn(const struct play *p, struct state *s, unsigned w)
{
    if ((s->at[w] != RUNNING && s->at[w] != LAST) || s->spawns == 0)
        return false;
    s->spawns--;
    s->exist++;
    if (p->wrong.late_in)
        s->queue[w]++;
    else
        s->hidden[w]++;
    s->at[w] = s->at[w] == LAST ? LAST_SPAWN : SPAWNING;
    return true;
}

static bool finish_spawn(const struct play *p, struct state *s, unsigned w)
{
    if (s->at[w] != SPAWNING && s->at[w] != LAST_SPAWN)
        return false;
    if (p->wrong.late_in)
        s->hidden[w]++;
    else
        s->queue[w]++;
    s->at[w] = s->at[w] == LAST_SPAWN ? FREE : RUNNING;
    return true;
}

static bool finish(const struct play *p, struct state *s, unsigned w)
{
    if (s->at[w] == LAST) { /* it has been counted out already */
        s->at[w] = FREE;
        return true;
    }
    if (s->at[w] != RUNNING)
        return false;
    if (!p->wrong.relaxed)
        commit(s, w);
    s->out[w]++;
    s->exist--;
    s->at[w] = p->wrong.early_out ? LAST : FREE;
    return true;
}

/* A running task holds the collection; later the other end of the hold, a thread of worker 0
 * that has no task of it, adds a task and lets go. */
static bool hold(struct state *s, unsigned w)
{
    if (s->at[w] != RUNNING || s->holds == 0)
        return false;
    s->holds--;
    s->exist++;
    s->hold_in++;
    return true;
}

static void let_go(struct state *s)
{
    commit(s, 0);
    s->hold_out++;
    s->exist--;
}

static bool bring(const struct play *p, struct state *s, unsigned w)
{
    if (w != 0 || s->at[w] != FREE || s->hold_in == s->hold_out)
        return false;
    if (p->wrong.late_add)
        let_go(s);
    s->exist++;
    s->hidden[w]++;
    s->queue[w]++;
    if (!p->wrong.late_add)
        s->at[w] = BRINGING;
    return true;
}

static bool finish_bringing(struct state *s, unsigned w)
{
    if (s->at[w] != BRINGING)
        return false;
    let_go(s);
    s->at[w] = FREE;
    return true;
}

static bool become_visible(struct state *s, unsigned w)
{
    bool any = s->hidden[w] > 0;
    commit(s, w);
    return any;
}

enum { KINDS = 9 };

/* Step number k of worker w, if it is possible. */
static bool try_step(const struct play *p, struct state *s, unsigned w, unsigned k)
{
    switch (k) {
    case 0:
        return take(s, w, w);
    case 1:
        return take(s, w, !w);
    case 2:
        return spawn(p, s, w);
    case 3:
        return finish_spawn(p, s, w);
    case 4:
        return finish(p, s, w);
    case 5:
        return hold(s, w);
    case 6:
        return bring(p, s, w);
    case 7:
        return finish_bringing(s, w);
    default:
        return become_visible(s, w);
    }
}

/* ---- every way -------------------------------------------------------------------------- */

/* The n-th possible step; false if there are not so many. */
static bool do_step(struct play *p, unsigned n)
{
    for (unsigned w = 0; w < WORKERS; w++)
        for (unsigned k = 0; k < KINDS; k++) {
            struct state next = p->s;
            if (try_step(p, &next, w, k) && n-- == 0) {
                p->s = next;
                return true;
            }
        }
    return false;
}

static unsigned count_steps(const struct play *p)
{
    unsigned n = 0;
    for (unsigned w = 0; w < WORKERS; w++)
        for (unsigned k = 0; k < KINDS; k++) {
            struct state next = p->s;
            n += try_step(p, &next, w, k);
        }
    return n;
}

/* What the idle test can see of the state. */
static void show(struct play *p)
{
    for (unsigned i = 0; i < ACCOUNTS; i++) {
        atomic_store_explicit(&p->seat[i].account.in, p->s.in[i], memory_order_relaxed);
        atomic_store_explicit(&p->seat[i].account.out, p->s.out[i], memory_order_relaxed);
    }
    atomic_store_explicit(&p->coll.hold_in, p->s.hold_in, memory_order_relaxed);
    atomic_store_explicit(&p->coll.hold_out, p->s.hold_out, memory_order_relaxed);
}

/* Choice 0 is to go on, choice n + 1 the n-th step.  A state that was here before has been
 * followed already. */
static unsigned choose(struct play *p)
{
    if (p->depth == p->length) {
        uint32_t known = p->seen.count;
        if (jdi_pieces_put(&p->seen, &p->s, sizeof p->s) < known)
            longjmp(p->pruned, 1);
        JD_CHECK(p->length < DEPTH);
        p->choice[p->length] = 0;
        p->open[p->length++] = (uint8_t)(count_steps(p) + 1);
    }
    return p->choice[p->depth++];
}

void idle_point(const void *place)
{
    struct play *p = playing;
    for (unsigned n; p && (n = choose(p)) > 0;)
        JD_CHECK(do_step(p, n - 1));
    if (!p)
        return;
    if (p->s.nloads == 0)
        p->quiet = p->s.exist == 0 && count_steps(p) == 0;
    show(p);
    const _Atomic uint64_t *word = place;
    JD_CHECK(p->s.nloads < LOADS);
    p->s.load[p->s.nloads++] = (uint8_t)*word;
}

/* To the next way that has not been gone; false: there is none. */
static bool turn(struct play *p)
{
    while (p->length > 0 && p->choice[p->length - 1] + 1 >= p->open[p->length - 1])
        p->length--;
    if (p->length > 0)
        p->choice[p->length - 1]++;
    return p->length > 0;
}

typedef bool scan_fn(const jd_coll *c);

/* One seed that waits and one import, and a scan that begins at any time. */
static void one_scan(struct play *p, scan_fn *scan)
{
    p->s = (struct state){
        .queue = {1, 1}, .in = {1, 0, 1}, .spawns = SPAWNS, .holds = HOLDS, .exist = 2};
    p->depth = 0;
    if (setjmp(p->pruned))
        return;
    bool said = scan(&p->coll);
    p->scans++;
    p->early += said && p->s.exist > 0;
    p->quiets += p->quiet;
    p->late += p->quiet && !said;
}

static void explore(struct play *p, scan_fn *scan, struct wrong_worker wrong)
{
    memset(p, 0, sizeof *p);
    p->coll.seat = p->seat;
    p->coll.nowners = ACCOUNTS;
    p->wrong = wrong;
    jdi_pieces_init(&p->seen);
    playing = p;
    do
        one_scan(p, scan);
    while (turn(p));
    playing = NULL;
}

/* ---- wrong scans ------------------------------------------------------------------------ */

static uint64_t look(const _Atomic uint64_t *place)
{
    return atomic_load_explicit(place, memory_order_acquire);
}

static bool in_before_out(const jd_coll *c)
{
    uint64_t in = look(&c->hold_in), out = look(&c->hold_out);
    for (unsigned i = 0; i < c->nowners; i++)
        in += look(&c->seat[i].account.in);
    for (unsigned i = 0; i < c->nowners; i++)
        out += look(&c->seat[i].account.out);
    return in == out;
}

static bool one_by_one(const jd_coll *c)
{
    uint64_t out = look(&c->hold_out), in = look(&c->hold_in);
    for (unsigned i = 0; i < c->nowners; i++) {
        out += look(&c->seat[i].account.out);
        in += look(&c->seat[i].account.in);
    }
    return in == out;
}

static bool without_holds(const jd_coll *c)
{
    uint64_t out = 0, in = 0;
    for (unsigned i = 0; i < c->nowners; i++)
        out += look(&c->seat[i].account.out);
    for (unsigned i = 0; i < c->nowners; i++)
        in += look(&c->seat[i].account.in);
    return in == out;
}

/* The last load is only there to be a point. */
static bool deques_are_empty(const jd_coll *c)
{
    look(&c->seat[0].account.in);
    return playing->s.queue[0] == 0 && playing->s.queue[1] == 0;
}

/* ---- cases ------------------------------------------------------------------------------ */

static void rejects(struct play *p, const char *what, scan_fn *scan,
                    struct wrong_worker wrong)
{
    explore(p, scan, wrong);
    ok(p->early > 0, "%s: said too early in %llu of %llu scans", what,
       (unsigned long long)p->early, (unsigned long long)p->scans);
    jdi_pieces_fini(&p->seen);
}

int main(void)
{
    struct play *p = malloc(sizeof *p);
    const struct wrong_worker right = {0};
    if (!p)
        bail_out("no memory");
    explore(p, jdi_coll_settled, right);
    ok(p->scans > 1000 && p->early == 0,
       "idle is never said too early in %llu scans, %u points",
       (unsigned long long)p->scans, (unsigned)p->seen.count);
    ok(p->quiets > 0 && p->late == 0, "and always when nothing is left (%llu scans)",
       (unsigned long long)p->quiets);
    jdi_pieces_fini(&p->seen);
    rejects(p, "23: in is read before out", in_before_out, right);
    rejects(p, "24: in and out of one account, then of the next", one_by_one, right);
    rejects(p, "25: a task is published before it is counted in", jdi_coll_settled,
            (struct wrong_worker){.late_in = true});
    rejects(p, "26: a task is counted out before its last child is counted in",
            jdi_coll_settled, (struct wrong_worker){.early_out = true});
    rejects(p, "27: idle is that all deques are empty", deques_are_empty, right);
    rejects(p, "38: out is stored without release", jdi_coll_settled,
            (struct wrong_worker){.relaxed = true});
    rejects(p, "holds are not counted", without_holds, right);
    rejects(p, "a hold is given up before its task is counted in", jdi_coll_settled,
            (struct wrong_worker){.late_add = true});
    free(p);
    return done_testing();
}
