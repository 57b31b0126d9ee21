/*
 * sched_times_are_exact.c - what timed collections say about their tasks is what these computed.
 *
 * Role: in virtual time the own times of all tasks are known.  The load is exact over ranks and workers, and
 *       each seed has its time, whoever ran it and however long its argument: also a seed that sleeps, yields,
 *       goes on on another worker, or opens a finish whose tasks run on its stack.  Seeds come sorted, and
 *       each is known by where it was first seeded.  RETAIN keeps the times of the last iterations.
 * Owner: the body; each task writes the row of its seed; time is virtual.
 * See: doc/history.md.
 */
#include "test/dist/sched_kit.h"

enum { WORK, CHILD, NESTED };
enum { PLAIN, SLEEPS, YIELDS, FINISHES, CREATES, KINDS };
enum { RANKS = 4, SEEDS = 60, ITERATIONS = 6, LONG = 200 };
enum { NAP_NS = 300000, NESTED_NS = 70000, CHILD_NS = 5000 };

struct work {
    uint32_t rank, index;
    uint32_t kind;
    uint32_t step_ns; /* three steps make the own time */
    unsigned char rest[LONG];
};

static struct {
    _Atomic uint32_t ran[RANKS][SEEDS];
    _Atomic uint32_t moved; /* seeds that ended on another worker than they began on */
} shared;

static size_t size_of(const struct work *w)
{
    return w->index % 5 ? offsetof(struct work, rest) : sizeof *w;
}

/* 2,048 ns and more: truncated. */
static uint32_t step_of(uint32_t rank, uint32_t index, uint32_t iteration)
{
    return (rank == 0 ? 4000 : 300) + 37 * index + 1000 * iteration;
}

static void child(jd_self *me, void *arg)
{
    (void)arg;
    jd_compute(me, CHILD_NS);
}

static void nested(jd_self *me, void *arg)
{
    jd_compute(me, NESTED_NS);
    if (*(int *)arg)
        must(me, jd_sleep(me, NAP_NS));
}

static void open_finish(jd_self *me, void *arg)
{
    (void)arg;
    for (int i = 0; i < 3; i++)
        must(me, jd_async(me, NESTED, &i, sizeof i));
}

static void step(jd_self *me, const struct work *w)
{
    switch (w->kind) {
    case SLEEPS:
        must(me, jd_sleep(me, NAP_NS));
        break;
    case YIELDS:
        jd_yield(me);
        break;
    case FINISHES:
        must(me, jd_finish(me, open_finish, NULL));
        break;
    case CREATES:
        must(me, jd_coll_add(me, jd_coll_mine(me), CHILD, NULL, 0));
        break;
    default:
        break;
    }
}

static void work(jd_self *me, void *arg)
{
    struct work *w = arg;
    unsigned worker = jd_worker(me);
    bool whole = size_of(w) < sizeof *w || w->rest[LONG - 1] == (unsigned char)w->index;
    jd_compute(me, w->step_ns);
    step(me, w);
    jd_compute(me, w->step_ns);
    step(me, w);
    jd_compute(me, w->step_ns);
    shared.moved += jd_worker(me) != worker;
    if (whole)
        shared.ran[w->rank][w->index]++;
    memset(arg, 0xee, size_of(w)); /* the record has a copy */
}

static const jd_task_def tasks[] = {[WORK] = JD_TASK(work),
                                    [CHILD] = JD_TASK(child),
                                    [NESTED] = JD_TASK(nested),
                                    JD_TASK_END};

/* ---- what is known ------------------------------------------------------------------ */

struct seen {
    uint64_t n, load, last;
    unsigned worker;
    bool right;
    uint32_t iteration;
};

/* A bin is as wide as the last of 11 bits. */
static bool is_truncated(uint64_t ns, uint64_t of)
{
    return ns <= of && of - ns <= of / 1024;
}

static int look(void *ctx, const jd_seed_time *t)
{
    struct seen *s = ctx;
    const struct work *w = t->arg;
    uint64_t own = 3 * (uint64_t)w->step_ns;
    bool one = t->rank == w->rank && t->index == w->index && t->task == WORK &&
               t->size == size_of(w) && is_truncated(t->ns[0], own) &&
               t->ns[0] >= s->last;
    for (uint32_t i = 1; i < JD_TIMES_KNOWN; i++)
        one = one && (i <= s->iteration ? is_truncated(t->ns[i], own) : t->ns[i] == 0);
    s->right = s->right && one;
    s->load += own;
    s->last = t->ns[0];
    s->n++;
    return 0;
}

static uint64_t own_of_rank(uint32_t rank)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < SEEDS; i++)
        sum +=
            3 * (uint64_t)step_of(rank, i, 0) + (i % KINDS == CREATES ? 2 * CHILD_NS : 0);
    return sum;
}

static uint64_t own_of_all(jd_self *me)
{
    uint64_t sum = 0;
    for (uint32_t r = 0; r < jd_nranks(me); r++)
        sum += own_of_rank(r);
    return sum;
}

static void seed(jd_self *me, jd_coll *c)
{
    for (uint32_t i = 0; i < SEEDS; i++) {
        struct work w = {.rank = jd_rank(me), .index = i, .kind = i % KINDS};
        w.step_ns = step_of(w.rank, i, 0);
        w.rest[LONG - 1] = (unsigned char)i;
        must(me, jd_coll_add(me, c, WORK, &w, size_of(&w)));
    }
}

static void check_iteration(jd_self *me, jd_coll *c, uint32_t i)
{
    jd_coll_info info = info_of(me, c);
    struct seen s = {.right = true, .iteration = i};
    jd_coll_spread load;
    must(me, jd_coll_each_time(me, c, look, &s));
    must(me, jd_coll_get_load(me, c, &load));
    uint64_t all = sum_of(me, info.load), most = info.load, least = info.load;
    must(me, jd_allreduce_u64(me, &most, 1, JD_MAX));
    must(me, jd_allreduce_u64(me, &least, 1, JD_MIN));
    ok_all(me, all == own_of_all(me), "iteration %u: the load is exact", i);
    ok_all(me, s.right && s.n == info.retained, "the time of each seed, too");
    ok_all(me, sum_of(me, s.n) == jd_nranks(me) * SEEDS, "each is known once");
    ok_all(me,
           load.ranks.most == most && load.ranks.least == least &&
               load.ranks.mean * jd_nranks(me) > 0.999 * (double)all &&
               load.workers.most <= most && load.workers.least <= least &&
               load.workers.imbalance >= 1 && load.longest >= 3 * 4000,
           "and so is how they are spread");
}

static void test_created_anew(jd_self *me, jd_coll *c)
{
    struct seen s = {.right = true, .iteration = 0};
    seed(me, c);
    must(me, jd_coll_process(me, c));
    must(me, jd_coll_each_time(me, c, look, &s));
    ok_all(me, s.right, "seeds that are added anew begin anew");
}

static int stop_at_once(void *ctx, const jd_seed_time *t)
{
    (void)t;
    ++*(int *)ctx;
    return 7;
}

static void test_refusals(jd_self *me, jd_coll *c)
{
    int visits = 0;
    jd_coll_spread load;
    jd_coll *other;
    must(me, jd_coll_create(me, NULL, &other));
    jd_coll_info info = info_of(me, c);
    int said = jd_coll_each_time(me, c, stop_at_once, &visits);
    ok_all(me, said == (info.retained ? 7 : 0) && visits == (info.retained > 0),
           "a visit ends when it is told to");
    ok_all(me,
           jd_coll_each_time(me, other, stop_at_once, &visits) == JD_ESTATE &&
               jd_coll_get_load(me, other, &load) == JD_ESTATE &&
               jd_task_null(me) == JD_ESTATE &&
               jd_coll_get_load(me, c, NULL) == JD_EINVAL &&
               jd_coll_each_time(me, c, NULL, NULL) == JD_EINVAL,
           "what is not timed has no times");
    must(me, jd_coll_restore(me, c, JD_RESTORE_RETAIN));
    ok_all(me, jd_coll_each_time(me, c, stop_at_once, &visits) == JD_ESTATE,
           "nor has what was restored");
    must(me, jd_coll_process(me, c));
    must(me, jd_coll_destroy(me, other));
}

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    jd_coll_props props = {.name = "timed", .timed = 1};
    jd_coll *c;
    must(me, jd_coll_create(me, &props, &c));
    seed(me, c);
    for (uint32_t i = 0; i < ITERATIONS; i++) {
        must(me, jd_coll_process(me, c));
        check_iteration(me, c, i);
        if (i + 1 < ITERATIONS)
            must(me, jd_coll_restore(me, c, JD_RESTORE_RETAIN));
    }
    test_created_anew(me, c);
    test_refusals(me, c);
    must(me, jd_coll_destroy(me, c));
    return 0;
}

static bool all_ran(unsigned ranks)
{
    bool right = true;
    for (unsigned r = 0; r < ranks; r++)
        for (unsigned i = 0; i < SEEDS; i++)
            right = right && shared.ran[r][i] == ITERATIONS + 2;
    memset(&shared.ran, 0, sizeof shared.ran);
    return right;
}

static void run(const char *ranks, const char *workers, const char *comm,
                const char *unblock, const char *latency)
{
    setenv("JACKDAW_RANKS", ranks, 1);
    setenv("JACKDAW_WORKERS", workers, 1);
    setenv("JACKDAW_COMM", comm, 1);
    setenv("JACKDAW_UNBLOCK", unblock, 1);
    setenv("JACKDAW_LATENCY", latency, 1);
    diag("%s ranks of %s workers, %s, %s, %s", ranks, workers, comm, unblock, latency);
    ok(jd_launch(0, NULL, body, tasks) == 0, "the job ends well");
    ok(all_ran((unsigned)atoi(ranks)), "each seed has run, with its argument");
}

int main(void)
{
    run("1", "1", "inline", "last", "hide");
    run("1", "3", "dedicated", "current", "hide");
    run("4", "1", "inline", "last", "hide");
    run("4", "2", "inline", "deque", "hide");
    run("4", "3", "dedicated", "current", "hide");
    run("3", "3", "dedicated", "last", "hide");
    ok(shared.moved > 0, "%u seeds have changed their worker", shared.moved);
    return done_testing();
}
