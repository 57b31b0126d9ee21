/*
 * sched_stealing_can_be_switched_off.c - jd_coll_stealing, and JACKDAW_STEAL=none and local.
 *
 * Role: the same load, all of it on one worker of each second rank, with stealing by all, inside
 *       ranks, by nobody, and by all again; every task runs in each, where it may.  With RETAIN
 *       and nobody stealing, each worker runs what it ran before.  Ranks that do not agree: what
 *       one of them keeps for itself runs there.  Wrong calls are refused.  All policies, both
 *       ways to communicate.
 * Owner: the body; time is virtual.
 * See: doc/transfer.md "Stealing switched off".
 */
#include "test/dist/sched_kit.h"

enum { WORK, FROM_TASK, SENT };
enum { TASKS = 200, TASK_NS = 20000, RANKS = 4, WORKERS = 3, CHILDREN = 60 };

static struct tally tallies[RANKS];

static void work(jd_self *me, void *arg)
{
    jd_compute(me, TASK_NS);
    tally_note(me, &tallies[jd_rank(me)], *(uint64_t *)arg);
}

/* Only the body may say who steals. */
static void from_task(jd_self *me, void *arg)
{
    (void)arg;
    bool *refused = jd_coll_local(jd_coll_mine(me));
    *refused = jd_coll_stealing(me, jd_coll_mine(me), JD_STEAL_ALL) == JD_ESTATE;
}

static void sent(jd_self *me, void *arg)
{
    work(me, arg);
}

static void spread(jd_self *me, void *arg)
{
    for (uint64_t i = 1; jd_rank(me) == 0 && i <= CHILDREN; i++)
        must(me, jd_async(me, WORK, &i, sizeof i));
    if (jd_rank(me) == 0)
        must(me, jd_async_at(me, jd_nranks(me) - 1, SENT, arg, sizeof(uint64_t)));
}

static const jd_task_def tasks[] = {[WORK] = JD_TASK(work),
                                    [FROM_TASK] = JD_TASK(from_task),

                                    [SENT] = JD_TASK(sent),
                                    JD_TASK_END};

/* Tasks that a phase moved, over all ranks. */
struct moves {
    uint64_t between, inside, asked;
};

static struct moves process(jd_self *me, jd_coll *c)
{
    must(me, jd_barrier(me));
    must(me, jd_coll_process(me, c));
    jd_coll_info info = info_of(me, c);
    uint64_t sum[] = {info.stolen_in, info.stolen_local, info.attempts};
    must(me, jd_allreduce_u64(me, sum, 3, JD_SUM));
    return (struct moves){sum[0], sum[1], sum[2]};
}

static void seed(jd_self *me, jd_coll *c)
{
    for (uint64_t i = 1; jd_rank(me) % 2 == 0 && i <= TASKS; i++)
        must(me, jd_coll_add(me, c, WORK, &i, sizeof i));
}

static struct moves phase(jd_self *me, jd_coll *c, enum jd_stealing who, const char *what)
{
    memset(&tallies[jd_rank(me)], 0, sizeof *tallies);
    must(me, jd_coll_stealing(me, c, who));
    seed(me, c);
    struct moves m = process(me, c);
    ok_all(me, adds_up(me, c, TASKS * RANKS / 2), "%s: each task runs once", what);
    return m;
}

static void test_phases(jd_self *me, jd_coll *c)
{
    struct moves m = phase(me, c, JD_STEAL_ALL, "all");
    ok_all(me, m.between && m.inside && m.asked, "all: tasks move");
    m = phase(me, c, JD_STEAL_LOCAL, "local");
    ok_all(me, !m.between && m.inside && !m.asked, "local: inside ranks only");
    m = phase(me, c, JD_STEAL_NONE, "none");
    ok_all(me, !m.between && !m.inside && !m.asked, "none: nowhere");
    ok_all(me, tallies[jd_rank(me)].row[0].ran == (jd_rank(me) % 2 ? 0 : TASKS),
           "none: the worker that added them runs all");
    m = phase(me, c, JD_STEAL_ALL, "all again");
    ok_all(me, m.between && m.inside, "all again: tasks move");
}

/* After test_phases: each worker runs again what it has run. */
static void test_retained(jd_self *me, jd_coll *c)
{
    struct tally *mine = &tallies[jd_rank(me)], before = *mine;
    memset(mine, 0, sizeof *mine);
    must(me, jd_coll_restore(me, c, JD_RESTORE_RETAIN));
    must(me, jd_coll_stealing(me, c, JD_STEAL_NONE));
    struct moves m = process(me, c);
    ok_all(me, !m.between && !m.inside && !m.asked, "retained, none: nothing moves");
    ok_all(me, !memcmp(mine, &before, sizeof before), "each worker runs what it ran");
}

/* Rank 0 keeps its tasks for its own workers, rank 2 does not. */
static void test_disagreement(jd_self *me, jd_coll *c)
{
    bool first = jd_rank(me) == 0;
    phase(me, c, first ? JD_STEAL_LOCAL : JD_STEAL_ALL, "rank 0 local");
    jd_coll_info info = info_of(me, c);
    ok_all(me, !first || (info.executed == TASKS && !info.attempts && info.stolen_local),
           "rank 0 keeps its tasks and asks nobody");
    uint64_t others = sum_of(me, first ? 0 : info.stolen_in);
    ok_all(me, others > 0, "the others share theirs");
    phase(me, c, first ? JD_STEAL_NONE : JD_STEAL_LOCAL, "rank 0 none");
    info = info_of(me, c);
    ok_all(me, !info.attempts && (!first || !info.stolen_local),
           "rank 0 none, the others local");
}

static void test_refusals(jd_self *me)
{
    bool refused = false;
    jd_coll_props props = {.local = &refused};
    jd_coll *c;
    must(me, jd_coll_create(me, &props, &c));
    ok_all(me,
           jd_coll_stealing(me, c, (enum jd_stealing)0) == JD_EINVAL &&
               jd_coll_stealing(me, c, (enum jd_stealing)4) == JD_EINVAL,
           "no other value is taken");
    must(me, jd_coll_add(me, c, FROM_TASK, NULL, 0));
    must(me, jd_coll_stealing(me, c, JD_STEAL_NONE));
    must(me, jd_coll_start(me, c));
    ok_all(me, jd_coll_stealing(me, c, JD_STEAL_ALL) == JD_ESTATE,
           "not once it is started");
    must(me, jd_coll_wait(me, c));
    ok_all(me, refused, "not from a task");
    ok_all(me, jd_coll_stealing(me, c, JD_STEAL_ALL) == 0, "when it has ended");
    must(me, jd_coll_destroy(me, c));
}

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    jd_coll *c;
    must(me, jd_coll_create(me, NULL, &c));
    test_phases(me, c);
    test_retained(me, c);
    test_disagreement(me, c);
    must(me, jd_coll_destroy(me, c));
    test_refusals(me);
    return 0;
}

/* With JACKDAW_STEAL=none or local: what a collection and a finish do by themselves. */
static int body_of_knob(jd_self *me, int argc, char **argv)
{
    (void)argv;
    bool local = argc > 0;
    uint64_t number = 1;
    jd_coll *c;
    must(me, jd_coll_create(me, NULL, &c));
    seed(me, c);
    struct moves m = process(me, c);
    ok_all(me, adds_up(me, c, TASKS * RANKS / 2), "each task runs once");
    ok_all(me, !m.between && !m.asked && (m.inside > 0) == local, "%s",
           local ? "inside ranks only" : "nowhere");
    memset(&tallies[jd_rank(me)], 0, sizeof *tallies);
    must(me, jd_finish_spmd(me, spread, &number));
    const struct tally *t = &tallies[jd_rank(me)];
    uint64_t ran = 0, want = jd_rank(me) == 0 ? CHILDREN : jd_rank(me) == RANKS - 1;
    for (unsigned w = 0; w < WORKERS; w++)
        ran += t->row[w].ran;
    ok_all(me, ran == want,
           "tasks of a finish stay at their rank, or go where they are sent");
    ok_all(me, local || jd_rank(me) != 0 || t->row[0].ran == CHILDREN,
           "and, with none, at their worker");
    ok_all(me, !local || jd_rank(me) != 0 || t->row[0].ran < CHILDREN,
           "and, with local, are shared there");
    must(me, jd_coll_stealing(me, c, JD_STEAL_ALL));
    seed(me, c);
    m = process(me, c);
    ok_all(me, m.between && m.inside, "a collection that may steal does");
    must(me, jd_coll_destroy(me, c));
    return 0;
}

static void job(const char *steal, const char *comm, jd_body run, bool local)
{
    static char word[] = "local", *argv[] = {word, NULL};
    setenv("JACKDAW_STEAL", steal, 1);
    setenv("JACKDAW_COMM", comm, 1);
    ok(jd_launch(local, argv, run, tasks) == 0, "%s, %s", steal, comm);
}

int main(void)
{
    static const char *const comm[] = {"inline", "dedicated"};
    static const char *const steal[] = {"random", "baseline", "success-only", "lifeline"};
    setenv("JACKDAW_RANKS", "4", 1);
    setenv("JACKDAW_WORKERS", "3", 1);
    setenv("JACKDAW_SEED", "1", 0);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 4; k++)
            job(steal[k], comm[i], body, false);
        job("none", comm[i], body_of_knob, false);
        job("local", comm[i], body_of_knob, true);
    }
    return done_testing();
}
