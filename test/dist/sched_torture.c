/*
 * sched_torture.c - random graphs of tasks and nested finishes, each end checked at once.
 *
 * Role: from a seed, a tree of tasks, some spawned here, some anywhere, some at a rank, some
 *       each in a finish of its own; along one path every task has a finish of its own.  The
 *       number of tasks of a finish is an exact function of the seed.  Each task counts itself at
 *       its very end, in memory that all ranks share; each finish compares when it returns.
 * Owner: any task of any rank writes the counters.
 * Invariants: I1 a finish that returns early finds a count that is too small.
 * See: doc/async.md; test/dist/sched_async.sh, test/sim/sched_async_under_every_law.sh.
 *
 *     sched_torture FILE [SEEDS [DEPTH]]     FILE is made, all ranks map it; "-": one process
 */
#include "test/dist/sched_kit.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NODE };
enum { SLOTS = 1 << 16 };

/* What all ranks share. */
struct shared {
    _Atomic uint64_t next, tasks, scopes, early;
    _Atomic uint64_t done[SLOTS];
};
static struct shared *shared;

struct node {
    uint64_t seed;
    uint32_t slot;
    uint16_t depth;
    uint16_t spine; /* levels of nested finishes still to come */
};

/* ---- the graph, a function of the seed ---------------------------------------------- */

static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

static unsigned children(const struct node *n)
{
    static const unsigned char bush[16] = {0, 0, 0, 0, 0, 0, 1, 1,
                                           1, 1, 2, 2, 2, 2, 3, 3};
    unsigned few = n->depth ? bush[n->seed >> 8 & 15] : 0;
    return few + (n->spine > 0);
}

static struct node child(const struct node *n, unsigned i)
{
    struct node c = {.seed = mix(n->seed + i + 1), .slot = n->slot};
    c.depth = n->depth ? (uint16_t)(n->depth - 1) : 0;
    if (n->spine && i == 0) {
        c.spine = (uint16_t)(n->spine - 1);
        c.depth = n->depth;
    }
    return c;
}

static bool in_finish(const struct node *c)
{
    return c->spine || (c->seed >> 20 & 7) == 0;
}

/* Tasks from n down that are in the same finish as n. */
static uint64_t count(const struct node *n)
{
    uint64_t sum = 1;
    for (unsigned i = 0; i < children(n); i++) {
        struct node c = child(n, i);
        if (!in_finish(&c))
            sum += count(&c);
    }
    return sum;
}

static uint64_t count_all(const struct node *n, uint64_t *scopes)
{
    uint64_t sum = 1;
    for (unsigned i = 0; i < children(n); i++) {
        struct node c = child(n, i);
        *scopes += in_finish(&c);
        sum += count_all(&c, scopes);
    }
    return sum;
}

/* ---- running it --------------------------------------------------------------------- */

static void spawn(jd_self *me, const struct node *n)
{
    uint32_t at = (uint32_t)(n->seed >> 40) % jd_nranks(me);
    switch (n->seed >> 30 & 7) {
    case 0:
    case 1:
        must(me, jd_async_at(me, at, NODE, n, sizeof *n));
        return;
    case 2:
        must(me, jd_async_local(me, NODE, n, sizeof *n));
        return;
    default:
        must(me, jd_async(me, NODE, n, sizeof *n));
    }
}

static void finish(jd_self *me, struct node n)
{
    jd_scope s;
    n.slot = (uint32_t)(atomic_fetch_add(&shared->next, 1) % SLOTS);
    atomic_store(&shared->done[n.slot], 0);
    must(me, jd_finish_begin(me, &s));
    spawn(me, &n);
    must(me, jd_finish_end(me, &s));
    uint64_t done = atomic_load(&shared->done[n.slot]);
    atomic_fetch_add(&shared->scopes, 1);
    if (done != count(&n))
        atomic_fetch_add(&shared->early, 1);
}

static void node(jd_self *me, void *arg)
{
    struct node n = *(struct node *)arg;
    for (unsigned i = 0; i < children(&n); i++) {
        struct node c = child(&n, i);
        if (in_finish(&c))
            finish(me, c);
        else
            spawn(me, &c);
    }
    if ((n.seed >> 50 & 15) == 0)
        jd_yield(me);
    if ((n.seed >> 54 & 15) == 0)
        jd_compute(me, 5000);
    atomic_fetch_add(&shared->tasks, 1);
    atomic_fetch_add(&shared->done[n.slot], 1);
}

static const jd_task_def tasks[] = {[NODE] = JD_TASK(node), JD_TASK_END};

/* Every rank the root of a graph. */
static void one_seed(jd_self *me, uint64_t seed, uint16_t depth)
{
    struct node n = {.seed = mix(seed * 1000 + jd_rank(me)), .depth = 12, .spine = depth};
    uint64_t want[2] = {0, 1};
    want[0] = count_all(&n, &want[1]);
    if (jd_rank(me) == 0) {
        atomic_store(&shared->tasks, 0);
        atomic_store(&shared->scopes, 0);
    }
    must(me, jd_barrier(me));
    finish(me, n);
    must(me, jd_barrier(me));
    must(me, jd_allreduce_u64(me, want, 2, JD_SUM));
    uint64_t early = atomic_load(&shared->early);
    ok_all(me, early == 0, "seed %llu: none of %llu finishes was early",
           (unsigned long long)seed, (unsigned long long)want[1]);
    ok_all(me,
           atomic_load(&shared->tasks) == want[0] &&
               atomic_load(&shared->scopes) == want[1],
           "and %llu tasks ran once each", (unsigned long long)want[0]);
}

static int body(jd_self *me, int argc, char **argv)
{
    uint64_t seeds = argc > 2 ? (uint64_t)atol(argv[2]) : 3;
    long depth = argc > 3 ? atol(argv[3]) : 120;
    if (jd_rank(me) == 0 && shared)
        memset(shared, 0, sizeof *shared);
    must(me, jd_barrier(me));
    if (!shared)
        return 1;
    for (uint64_t s = 1; s <= seeds; s++)
        one_seed(me, s, (uint16_t)depth);
    return end_of_tests(me);
}

/* Ranks of smp are made inside jd_launch, those of udp are started: both map the file. */
static struct shared *map(const char *name)
{
    int fd = strcmp(name, "-") ? open(name, O_RDWR | O_CREAT, 0600) : -1;
    if (fd >= 0 && ftruncate(fd, sizeof(struct shared)))
        return NULL;
    void *p = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE,
                   MAP_SHARED | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);
    return p == MAP_FAILED ? NULL : p;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc && !shared; i++) /* udp puts words of its own before */
        if (argv[i][0] == '/' || !strcmp(argv[i], "-"))
            shared = map(argv[i]);
    return jd_launch(argc, argv, body, tasks);
}
