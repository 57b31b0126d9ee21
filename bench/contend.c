/*
 * contend.c - what a worker's queue of ready ULTs costs its owner and a thief.
 *
 * Role: the owner puts a ULT and takes it, again and again, while another thread does nothing, looks in
 *       vain, or steals; the thief looks at queues that nobody uses; and the two pass a ULT on through
 *       the queue.  Prints the medians of rounds in ns, and two settings of the simulator.
 * Owner: the main thread is the owner; each thread is bound to a core of its own.
 * Invariants: I1 all rows are measured by turns, in one run.
 *             I2 each row but the last has processor time of the thread that it is about, so a thread
 *                that is off its core adds nothing to its own row.
 * See: bench/README.md; core/knobs.def, SIM_LOOK and SIM_LOCK; doc/sim.md.
 */
#include "core/time.h"
#include "sched/runq.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TURNS = 200000, ROUNDS_DEFAULT = 15, ROUNDS_MAX = 1000 };
enum { QUEUES = 8, MOVABLE = 4, PASSES = 20000 };

enum row {
    ALONE,   /* the owner, with nobody beside it */
    AT_REST, /* a thief, for each look at queues that nobody uses */
    SEEN,    /* the owner, while a thief looks in vain */
    LOOKS,   /* that thief, for each look */
    ROBBED,  /* the owner, while a thief steals and brings back */
    STEALS,  /* that thief, for each access: both lock the queue */
    HANDED,  /* either, for an access to a queue that the other has just used */
    ROWS
};

static const char *const text[ROWS] = {
    [ALONE] = "owner alone, a put or a take",
    [AT_REST] = "thief among queues that nobody uses, a look",
    [SEEN] = "owner beside a thief that looks in vain, an access",
    [LOOKS] = "that thief, a look",
    [ROBBED] = "owner beside a thief that steals, an access",
    [STEALS] = "that thief, an access that locks",
    [HANDED] = "put by the one, stolen by the other, an access",
};

struct bench {
    _Alignas(128) struct jdi_runq queue[QUEUES];
    _Alignas(128) jd_self movable[MOVABLE], pinned;
    _Alignas(128) _Atomic bool over;
    _Atomic bool begun;
    bool steals;
    double took; /* ns of the thief's accesses, and their number */
    uint64_t n;
    int core[2];
};

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void bind_to(int core)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    if (sched_setaffinity(0, sizeof set, &set))
        perror("sched_setaffinity");
}

/* The owner's turns; the ULT that it puts is one that may be stolen, or not. */
static double own(struct bench *b, jd_self *s)
{
    struct jdi_runq *q = &b->queue[0];
    uint64_t n = 0;
    double before = cpu_ns();
    for (int i = 0; i < TURNS; i++) {
        jd_self *got = jdi_runq_take_front(q);
        n += got != NULL;
        if (got || !b->steals) {
            jdi_runq_put_front(q, got ? got : s);
            n++;
        }
    }
    double took = cpu_ns() - before;
    return n ? took / (double)n : 0;
}

static void *rob(void *arg)
{
    struct bench *b = arg;
    struct jdi_runq *q = &b->queue[0];
    bool more;
    bind_to(b->core[1]);
    atomic_store_explicit(&b->begun, true, memory_order_relaxed);
    double before = cpu_ns();
    while (!atomic_load_explicit(&b->over, memory_order_relaxed)) {
        jd_self *s = jdi_runq_steal(q, &more);
        b->n += !b->steals || s;
        if (s) {
            jdi_runq_put_back(q, s);
            b->n++;
        }
    }
    b->took = cpu_ns() - before;
    return NULL;
}

static void beside_a_thief(struct bench *b, bool steals, double *owner, double *thief)
{
    pthread_t t;
    b->steals = steals;
    b->n = 0;
    atomic_store_explicit(&b->over, false, memory_order_relaxed);
    atomic_store_explicit(&b->begun, false, memory_order_relaxed);
    if (steals)
        for (int i = 0; i < MOVABLE; i++)
            jdi_runq_put_front(&b->queue[0], &b->movable[i]);
    if (pthread_create(&t, NULL, rob, b))
        abort();
    while (!atomic_load_explicit(&b->begun, memory_order_relaxed))
        sched_yield();
    *owner = own(b, &b->pinned);
    atomic_store_explicit(&b->over, true, memory_order_relaxed);
    pthread_join(t, NULL);
    *thief = b->n ? b->took / (double)b->n : 0;
    while (jdi_runq_take_front(&b->queue[0]))
        ;
}

static void *take_all(void *arg)
{
    struct bench *b = arg;
    bool more;
    bind_to(b->core[1]);
    while (!atomic_load_explicit(&b->over, memory_order_relaxed))
        (void)jdi_runq_steal(&b->queue[0], &more);
    return NULL;
}

static double look_around(struct bench *b)
{
    bool more;
    uint64_t found = 0;
    double before = cpu_ns();
    for (int i = 0; i < TURNS; i++)
        found += jdi_runq_steal(&b->queue[i % QUEUES], &more) != NULL;
    return found ? 0 : (cpu_ns() - before) / TURNS;
}

/* The owner puts a ULT, the thief steals it, and so on: each access has to fetch the queue from the
 * other core.  ns of an access; the median of parts, because one part may lose its core. */
static double hand_over(struct bench *b)
{
    enum { PARTS = 20 };
    double part[PARTS];
    pthread_t t;
    struct jdi_runq *q = &b->queue[0];
    atomic_store_explicit(&b->over, false, memory_order_relaxed);
    if (pthread_create(&t, NULL, take_all, b))
        abort();
    for (int p = 0; p < PARTS; p++) {
        uint64_t before = jdi_time_ns();
        for (int i = 0; i < PASSES / PARTS; i++) {
            jdi_runq_put_front(q, &b->movable[0]);
            while (jdi_runq_size(q))
                ;
        }
        part[p] = (double)(jdi_time_ns() - before) / (2 * (PASSES / PARTS));
    }
    atomic_store_explicit(&b->over, true, memory_order_relaxed);
    pthread_join(t, NULL);
    qsort(part, PARTS, sizeof part[0], by_size);
    return part[PARTS / 2];
}

/* The first two cores that this process may use. */
static bool find_cores(int core[2])
{
    cpu_set_t set;
    int n = 0;
    if (sched_getaffinity(0, sizeof set, &set))
        return false;
    for (int i = 0; i < CPU_SETSIZE && n < 2; i++)
        if (CPU_ISSET(i, &set))
            core[n++] = i;
    return n == 2;
}

int main(int argc, char **argv)
{
    static struct bench b;
    static double ns[ROWS][ROUNDS_MAX];
    int rounds = argc > 1 ? atoi(argv[1]) : ROUNDS_DEFAULT;
    if (rounds < 1 || rounds > ROUNDS_MAX || !find_cores(b.core)) {
        fprintf(stderr, "usage: contend [ROUNDS up to %d], on two cores\n", ROUNDS_MAX);
        return 2;
    }
    bind_to(b.core[0]);
    for (int i = 0; i < QUEUES; i++)
        jdi_runq_init(&b.queue[i], false, NULL);
    b.pinned.frames = 1;
    for (int r = 0; r < rounds; r++) {
        b.steals = false;
        ns[ALONE][r] = own(&b, &b.pinned);
        while (jdi_runq_take_front(&b.queue[0]))
            ;
        beside_a_thief(&b, false, &ns[SEEN][r], &ns[LOOKS][r]);
        beside_a_thief(&b, true, &ns[ROBBED][r], &ns[STEALS][r]);
        ns[AT_REST][r] = look_around(&b);
        ns[HANDED][r] = hand_over(&b);
    }
    for (int i = 0; i < ROWS; i++) {
        qsort(ns[i], (size_t)rounds, sizeof(double), by_size);
        printf("%-52s %6.1f ns (%.1f-%.1f)\n", text[i], ns[i][rounds / 2], ns[i][0],
               ns[i][rounds - 1]);
    }
    /* The least of the second, because the cores of a virtual machine are far apart at times. */
    printf("JACKDAW_SIM_LOOK=%.0f JACKDAW_SIM_LOCK=%.0f\n", ns[LOOKS][rounds / 2],
           ns[HANDED][0]);
    return 0;
}
