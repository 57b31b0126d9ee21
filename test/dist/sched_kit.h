/*
 * sched_kit.h - what the programs that test the whole runtime share.
 *
 * Role: checks that all ranks make and rank 0 reports; a tally of the tasks that ran on this rank.
 * Owner: the body; each row of a tally belongs to one worker.
 * Invariants: I1 only rank 0 prints results, because ranks in one process share the kit's counters.
 * See: test/kit/tap.h, test/dist/sched_runtime.sh.
 */
#ifndef JDI_TEST_DIST_SCHED_KIT_H
#define JDI_TEST_DIST_SCHED_KIT_H

#include "jackdaw.h"
#include "test/kit/tap.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define must(me, call)                                                                   \
    do {                                                                                 \
        int must_error = (call);                                                         \
        if (must_error < 0)                                                              \
            jd_abort((me), 99, "%s:%d: %s: %s", __FILE__, __LINE__, #call,               \
                     jd_strerror(must_error));                                           \
    } while (0)

static inline uint64_t sum_of(jd_self *me, uint64_t word)
{
    must(me, jd_allreduce_u64(me, &word, 1, JD_SUM));
    return word;
}

/* True if it is on every rank; a rank where it is not says so.  Body; collective. */
static inline bool true_on_all(jd_self *me, bool here, const char *what, int line)
{
    uint64_t word = here;
    if (!here)
        fprintf(stderr, "# rank %u, line %d: not so: %s\n", jd_rank(me), line, what);
    must(me, jd_allreduce_u64(me, &word, 1, JD_MIN));
    return word;
}

#define ok_all(me, condition, ...)                                                       \
    do {                                                                                 \
        bool ok_all_passed = true_on_all((me), (condition), #condition, __LINE__);       \
        if (jd_rank(me) == 0)                                                            \
            ok(ok_all_passed, __VA_ARGS__);                                              \
    } while (0)

/* The status of the body: rank 0 knows how the results were. */
static inline int end_of_tests(jd_self *me)
{
    return jd_rank(me) == 0 ? done_testing() : 0;
}

/* ---- a tally -------------------------------------------------------------------------- */

enum { TALLY_WORKERS = 64 };

/* What tasks with a number did on this rank, per worker. */
struct tally {
    struct tally_row {
        _Alignas(64) uint64_t ran, sum, mix;
    } row[TALLY_WORKERS];
};

static inline void tally_note(jd_self *me, struct tally *t, uint64_t number)
{
    struct tally_row *row = &t->row[jd_worker(me) % TALLY_WORKERS];
    row->ran++;
    row->sum += number;
    row->mix ^= number * UINT64_C(0x9E3779B97F4A7C15);
}

/* What this rank ran since the last call. */
static inline struct tally_row tally_take(jd_self *me, struct tally *t)
{
    struct tally_row all = {0};
    for (unsigned i = 0; i < jd_nworkers(me) && i < TALLY_WORKERS; i++) {
        all.ran += t->row[i].ran;
        all.sum += t->row[i].sum;
        all.mix ^= t->row[i].mix;
    }
    memset(t, 0, sizeof *t);
    return all;
}

static inline jd_coll_info info_of(jd_self *me, const jd_coll *c)
{
    jd_coll_info info;
    must(me, jd_coll_get_info(me, c, &info));
    return info;
}

/* Does the last process() of c add up, on every rank and over all?  Collective. */
static inline bool adds_up(jd_self *me, const jd_coll *c, uint64_t expected)
{
    jd_coll_info i = info_of(me, c);
    uint64_t sum[] = {i.created, i.executed, i.stolen_in, i.stolen_out};
    must(me, jd_allreduce_u64(me, sum, 4, JD_SUM));
    bool here = i.created + i.stolen_in == i.executed + i.stolen_out &&
                i.seeded <= i.created && i.retained <= i.executed &&
                i.steals <= i.attempts && i.steals <= i.stolen_in &&
                i.all_executed == expected && i.waves >= 1;
    bool over_all = sum[0] == expected && sum[1] == expected && sum[2] == sum[3];
    if (!here || !over_all)
        fprintf(stderr,
                "# rank %u: expected %llu, created %llu executed %llu in %llu out %llu; "
                "sums %llu %llu %llu %llu, all %llu\n",
                jd_rank(me), (unsigned long long)expected, (unsigned long long)i.created,
                (unsigned long long)i.executed, (unsigned long long)i.stolen_in,
                (unsigned long long)i.stolen_out, (unsigned long long)sum[0],
                (unsigned long long)sum[1], (unsigned long long)sum[2],
                (unsigned long long)sum[3], (unsigned long long)i.all_executed);
    return here && over_all;
}

#endif
