/*
 * steals.h - what the iterative examples say of their steals, and the times of their tasks.
 *
 * Role: a line for each iteration that bench/iterate.sh reads; a file with the time of each task, which the simulator
 *       can run again (bench/iterations.c).
 * Owner: the body of each rank.
 * Invariants: I1 only rank 0 prints.
 * See: bench/iterate.sh, bench/sim_iterate.sh.
 */
#ifndef JDI_EXAMPLES_STEALS_H
#define JDI_EXAMPLES_STEALS_H

#include "jackdaw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Of a rank, until the last iteration; of all ranks, in this one. */
struct steals {
    uint64_t takes; /* from other workers of the rank */
    double restore; /* seconds, of the restore before this iteration */
};

/* Takes inside of this rank since the last call. */
static inline int steals_count_takes(jd_self *me, struct steals *s, uint64_t *takes)
{
    static const char *const name[] = {"steals_local"};
    uint64_t now;
    int error = jd_stats(me, JD_STATS_RANK, name, 1, &now);
    *takes = error ? 0 : now - s->takes;
    s->takes = error ? s->takes : now;
    return error;
}

/* Of what a rank has counted: the mean for each worker, and the standard deviation over the ranks of a rank's mean. */
static inline void steals_print_one(jd_self *me, const char *what, const double sum[2])
{
    double n = jd_nranks(me), mean = sum[0] / n, more = sum[1] / n - mean * mean;
    printf(" %s %.3f %.3f", what, mean, more > 0 ? sqrt(more) : 0);
}

/*
 * The line of an iteration that took so many seconds: requests to other ranks, those that brought tasks, and
 * takes from other workers of the rank.  Collective.  0, or an error.
 */
static inline int steals_report(jd_self *me, struct steals *s, const jd_coll *coll,
                                int64_t iteration, double seconds)
{
    jd_coll_info info;
    uint64_t takes;
    int error = jd_coll_get_info(me, coll, &info);
    if (!error)
        error = steals_count_takes(me, s, &takes);
    if (error)
        return error;
    double w = jd_nworkers(me), attempts = (double)info.attempts / w;
    double steals = (double)info.steals / w, local = (double)takes / w;
    double sum[] = {attempts, attempts * attempts, steals, steals * steals,
                    local,    local * local};
    double most[] = {seconds, s->restore};
    error = jd_allreduce_f64(me, sum, 6, JD_SUM);
    if (!error)
        error = jd_allreduce_f64(me, most, 2, JD_MAX);
    if (error || jd_rank(me))
        return error;
    printf("steals %lld ms %.3f restore %.3f", (long long)iteration, 1e3 * most[0],
           1e3 * most[1]);
    steals_print_one(me, "attempted", sum);
    steals_print_one(me, "successful", sum + 2);
    steals_print_one(me, "taken", sum + 4);
    puts("");
    fflush(stdout);
    return 0;
}

/* jd_coll_restore, and how long it takes. */
static inline int steals_restore(jd_self *me, struct steals *s, jd_coll *coll, int how)
{
    double begin = jd_now(me);
    int error = jd_coll_restore(me, coll, (enum jd_restore)how);
    s->restore = jd_now(me) - begin;
    return error;
}

/* "index ns": the number of a task among those of the rank that seeded it, and the least time that it has taken in the
 * phases that are known: what else the machine does makes times longer, never shorter. */
static inline int steals_write_time(void *file, const jd_seed_time *t)
{
    uint64_t least = t->ns[0];
    for (int i = 1; i < JD_TIMES_KNOWN && t->ns[i]; i++)
        least = t->ns[i] < least ? t->ns[i] : least;
    return fprintf(file, "%u %llu\n", (unsigned)t->index, (unsigned long long)least) < 0;
}

/* Of a timed collection that has ended a phase, in a job of one rank.  0, or why not. */
static inline const char *steals_write_times(const jd_self *me, jd_coll *coll,
                                             const char *name)
{
    if (jd_nranks(me) != 1)
        return "the times of tasks are written by jobs of one rank";
    FILE *to = fopen(name, "w");
    if (!to)
        return "the file for the times of tasks cannot be made";
    int bad = jd_coll_each_time(me, coll, steals_write_time, to);
    bad |= fclose(to);
    return bad ? "the times of tasks cannot be written" : NULL;
}

#endif
