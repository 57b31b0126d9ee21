/*
 * sched_finish_is_counted_while_it_runs.c
 *
 * Role: jd_stats tells what finishes have run, to the body and to their tasks, of a worker, a rank and the job.
 * Owner: as sched_finish_kit.h.
 * See: include/jackdaw.h; sched/live/count.c.
 */
#include "test/dist/sched_finish_kit.h"

enum { LOOK = OWN, DEPTH = 6, LOOKERS = 50 };

static const char *const name[5] = {"finishes_opened", "finish_tasks", "executed",
                                    "most_stopped", "ready_ns"};
enum { FINISHES, FINISH_TASKS, EXECUTED, NAMES = 5 };

/* Meanwhile others run, and count. */
static void look(jd_self *me, void *arg)
{
    uint64_t worker[NAMES], rank[NAMES], again[NAMES];
    (void)arg;
    must(me, jd_stats(me, JD_STATS_WORKER, name, NAMES, worker));
    must(me, jd_stats(me, JD_STATS_RANK, name, NAMES, rank));
    must(me, jd_stats(me, JD_STATS_RANK, name, NAMES, again));
    complain(me, worker[EXECUTED] <= rank[EXECUTED]);
    complain(me, rank[FINISH_TASKS] <= rank[EXECUTED]);
    for (unsigned i = 0; i < NAMES; i++)
        complain(me, rank[i] <= again[i]);
    complain(me, jd_stats(me, JD_STATS_JOB, name, 1, again) == JD_ESTATE);
}

static const jd_task_def tasks[] = {SHARED_TASKS, [LOOK] = JD_TASK(look), JD_TASK_END};

static void run_finish(jd_self *me)
{
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    must(me, jd_async(me, TREE, (uint64_t[]){DEPTH, 1}, 16));
    for (int i = 0; i < LOOKERS; i++)
        must(me, jd_async(me, LOOK, NULL, 0));
    must(me, jd_finish_end(me, &s));
}

static void test_counts(jd_self *me)
{
    uint64_t n = jd_nranks(me), before[NAMES], after[NAMES];
    must(me, jd_stats(me, JD_STATS_JOB, name, NAMES, before));
    run_finish(me);
    must(me, jd_barrier(me));
    must(me, jd_stats(me, JD_STATS_JOB, name, NAMES, after));
    ok_all(me, after[FINISHES] - before[FINISHES] == n, "a finish of each rank");
    ok_all(me,
           after[FINISH_TASKS] - before[FINISH_TASKS] ==
               n * (heap_nodes(DEPTH) + LOOKERS),
           "with all its tasks, wherever they have run");
    ok_all(me, after[EXECUTED] - before[EXECUTED] == n * (heap_nodes(DEPTH) + LOOKERS),
           "which are all that was executed");
    ok_all(me, !atomic_load(&here(me)->wrong), "tasks see counters that only grow");
}

static void test_names(jd_self *me)
{
    uint64_t value[2] = {7, 7};
    size_t n = 0;
    bool found = false;
    while (jd_stats_name(n))
        found = !strcmp(jd_stats_name(n++), "finishes_opened") || found;
    ok_all(me, found && n > 40, "each counter has a name");
    ok_all(me,
           jd_stats(me, JD_STATS_RANK, (const char *const[]){"created", "create"}, 2,
                    value) == JD_EINVAL &&
               value[0] == 7,
           "another one is refused, and nothing is read");
    ok_all(me, !jd_stats(me, JD_STATS_WORKER, NULL, 0, NULL), "no name at all is fine");
    ok_all(me, jd_stats(me, (enum jd_stats_of)9, name, 1, value) == JD_EINVAL,
           "whose counters has to be said");
}

static int body(jd_self *me, int argc, char **argv)
{
    struct here *mine = begin_counting(me);
    (void)argc, (void)argv;
    test_counts(me);
    test_names(me);
    end_counting(me, mine);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
