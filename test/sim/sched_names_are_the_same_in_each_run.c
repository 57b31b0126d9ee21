/*
 * sched_names_are_the_same_in_each_run.c - a task has the same name whoever runs it and whatever is stolen.
 *
 * Role: a random program in which tasks add tasks, some yield in between, and seeds come from two ranks.  Each task
 *       knows its path by itself.  It is run on 6 ranks with different seeds of the simulator, numbers of
 *       workers, amounts of a steal and policies, so with other steals in each run.  The name of each path is the
 *       same in all runs, and no two paths have one name.
 * Owner: the body; rank 0 compares; one thread, because time is virtual.
 * See: sched/name.h; doc/steallog.md "Names".
 */
#include "sched/name.h"
#include "sched/self.h"
#include "test/dist/sched_kit.h"

enum { STEP };
enum { LAST = 5, DEPTH = 9, SEEDS = 5, MOST = 1 << 17 };

/* The path is a number in base 8 of what child of what child it is, below rank and seed. */
struct step {
    uint64_t path;
    uint32_t depth;
};

struct pair {
    uint64_t path, name;
};
static struct pair seen[2][MOST];
static unsigned count[2], run;
static uint64_t stolen[2];

static uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 31) * UINT64_C(0x7FB5D329728EA185);
    return x ^ x >> 29;
}

static void step(jd_self *me, void *arg)
{
    struct step s = *(struct step *)arg;
    unsigned children = s.depth ? (unsigned)(mixed(s.path) >> 33) % 5 : 0;
    if (count[run] == MOST)
        jd_abort(me, 99, "more tasks than the test has room for");
    /* Before the first add, this is what the names of the children begin with: one-to-one with the task's. */
    seen[run][count[run]++] = (struct pair){s.path | (uint64_t)s.depth << 56, me->child};
    jd_compute(me, 500 + s.path % 3000);
    for (unsigned i = 0; i < children; i++) {
        struct step c = {s.path * 8 + i + 1, s.depth - 1};
        must(me, jd_coll_add(me, jd_coll_mine(me), STEP, &c, sizeof c));
        if (mixed(c.path) % 9 == 0)
            jd_yield(me);
    }
}

static const jd_task_def tasks[] = {[STEP] = JD_TASK(step), JD_TASK_END};

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    jd_coll_props props = {.recall = 1};
    jd_coll *c;
    must(me, jd_coll_create(me, &props, &c));
    for (unsigned i = 0;
         i < (jd_rank(me) == LAST ? 1u : SEEDS) && jd_rank(me) % LAST == 0; i++) {
        struct step s = {jd_rank(me) * SEEDS + i + 1, DEPTH};
        must(me, jd_coll_add(me, c, STEP, &s, sizeof s));
    }
    must(me, jd_coll_process(me, c));
    uint64_t moved = sum_of(me, info_of(me, c).stolen_in + info_of(me, c).stolen_local);
    if (jd_rank(me) == 0)
        stolen[run] = moved;
    return jd_coll_destroy(me, c);
}

static int by_path(const void *a, const void *b)
{
    const struct pair *p = a, *q = b;
    return p->path < q->path ? -1 : p->path > q->path;
}
static int by_name(const void *a, const void *b)
{
    const struct pair *p = a, *q = b;
    return p->name < q->name ? -1 : p->name > q->name;
}

static bool launch(const char *seed, const char *workers, const char *amount,
                   const char *policy)
{
    setenv("JACKDAW_RANKS", "6", 1);
    setenv("JACKDAW_SEED", seed, 1);
    setenv("JACKDAW_WORKERS", workers, 1);
    setenv("JACKDAW_STEAL_AMOUNT", amount, 1);
    setenv("JACKDAW_STEAL", policy, 1);
    count[run] = 0;
    bool ended = jd_launch(0, NULL, body, tasks) == 0;
    qsort(seen[run], count[run], sizeof *seen[run], by_path);
    return ended;
}

static void same(const char *workers, const char *amount, const char *policy)
{
    run = 1;
    bool ended = launch(workers, workers, amount, policy);
    bool equal =
        count[0] == count[1] && !memcmp(seen[0], seen[1], count[0] * sizeof *seen[0]);
    ok(ended && equal && stolen[1] > 20, "%s workers, %s, %s: %d tasks, %d moved",
       workers, amount, policy, (int)count[1], (int)stolen[1]);
}

int main(void)
{
    ok(launch("77", "2", "half", "random") && stolen[0] > 20, "a run");
    same("1", "half", "random");
    same("2", "one", "random");
    same("3", "half", "success-only");
    same("5", "8", "lifeline");
    unsigned twice = 0;
    qsort(seen[0], count[0], sizeof *seen[0], by_name);
    for (unsigned i = 1; i < count[0]; i++)
        twice += seen[0][i].name == seen[0][i - 1].name;
    is_u64(twice, 0, "no two tasks have one name");
    return done_testing();
}
