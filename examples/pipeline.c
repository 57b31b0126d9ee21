/*
 * pipeline.c - stages on different ranks, connected by futures.
 *
 * Role: a stream of numbers goes through stages that each do a step; a stage is one task,
 *       stage s on rank s modulo the ranks.  What it hands on is a future whose value is a
 *       number and the future of the next number: so a stage needs to know one name only.
 * Owner: a stage creates the futures that it sets; the next stage destroys them.
 * Invariants: I1 only rank 0 prints.
 * See: examples/README.md; doc/data.md.
 *
 *     pipeline [--check] [ITEMS [STAGES [USEC]]]     1000 numbers, a stage for each rank
 *                                                    and at least 2, no extra work per step
 */
#include "jackdaw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STAGE, REPORT };

enum { USEC_NS = 1000 };

struct job {
    int64_t items, stages, usec;
};

/* What travels from stage to stage. */
struct item {
    uint64_t value;
    jd_future next; /* of the next number */
};

struct start {
    struct job job;
    int64_t stage;
    jd_future input, result;
};

static void must(jd_self *me, int error)
{
    if (error)
        jd_abort(me, 1, "pipeline: %s", jd_strerror(error));
}

/* What stage s makes of a number: any function will do that depends on the order. */
static uint64_t step(uint64_t value, int64_t stage)
{
    value = (value ^ (uint64_t)stage) * UINT64_C(0x9E3779B97F4A7C15);
    return value ^ value >> 29;
}

static uint64_t sum_of_all(const struct job *job)
{
    uint64_t sum = 0;
    for (int64_t i = 0; i < job->items; i++) {
        uint64_t value = (uint64_t)i;
        for (int64_t s = 0; s < job->stages; s++)
            value = step(value, s);
        sum += value;
    }
    return sum;
}

/* ---- tasks -------------------------------------------------------------------------- */

/* The next number: made by the first stage, read by the others, which destroy the future. */
static struct item take(jd_self *me, const struct start *s, int64_t i, jd_future *input)
{
    struct item item = {.value = (uint64_t)i};
    if (s->stage == 0)
        return item;
    must(me, jd_future_get(me, *input, &item, sizeof item));
    must(me, jd_future_destroy(me, *input));
    *input = item.next;
    return item;
}

/* Set the future of this number, with that of the next one in it. */
static void give(jd_self *me, struct item item, int last, jd_future *output)
{
    jd_future mine = *output;
    item.next = (jd_future){0};
    if (!last)
        must(me, jd_future_create(me, &item.next));
    *output = item.next;
    must(me, jd_future_set(me, mine, &item, sizeof item));
}

static void start_next(jd_self *me, const struct start *s, jd_future *output)
{
    struct start next = *s;
    must(me, jd_future_create(me, output));
    next.stage++;
    next.input = *output;
    must(me, jd_async_at(me, (uint32_t)(next.stage % jd_nranks(me)), STAGE, &next,
                         sizeof next));
}

static void stage(jd_self *me, void *arg)
{
    struct start s = *(const struct start *)arg;
    jd_future input = s.input, output;
    int64_t items = s.job.items;
    int last = s.stage + 1 == s.job.stages;
    uint64_t sum = 0;
    if (!last)
        start_next(me, &s, &output);
    for (int64_t i = 0; i < items; i++) {
        struct item item = take(me, &s, i, &input);
        item.value = step(item.value, s.stage);
        jd_compute(me, (uint64_t)s.job.usec * USEC_NS);
        if (last)
            sum += item.value;
        else
            give(me, item, i + 1 == items, &output);
    }
    if (last)
        must(me, jd_future_set(me, s.result, &sum, sizeof sum));
}

/* Starts when the result is there. */
static void report(jd_self *me, void *arg)
{
    const struct start *s = arg;
    uint64_t sum;
    must(me, jd_future_get(me, s->result, &sum, sizeof sum));
    printf("%lld numbers through %lld stages on %u ranks: %016llx\n",
           (long long)s->job.items, (long long)s->job.stages, jd_nranks(me),
           (unsigned long long)sum);
}

static const jd_task_def tasks[] = {
    [STAGE] = JD_TASK(stage), [REPORT] = JD_TASK(report), JD_TASK_END};

/* ---- the body ----------------------------------------------------------------------- */

static uint64_t run(jd_self *me, const struct job *job)
{
    struct start s = {.job = *job};
    uint64_t sum;
    jd_scope scope;
    must(me, jd_future_create(me, &s.result));
    must(me, jd_finish_begin(me, &scope));
    must(me, jd_async_await(me, &s.result, 1, REPORT, &s, sizeof s));
    must(me, jd_async_local(me, STAGE, &s, sizeof s));
    must(me, jd_finish_end(me, &scope));
    must(me, jd_future_get(me, s.result, &sum, sizeof sum));
    must(me, jd_future_destroy(me, s.result));
    return sum;
}

/* argv[at] as a number from `least` up, `otherwise` without one, -1 if it is wrong. */
static int64_t number(int argc, char **argv, int at, int64_t otherwise, int64_t least)
{
    char *end;
    if (argc <= at)
        return otherwise;
    long value = strtol(argv[at], &end, 10);
    return end == argv[at] || *end || value < least || value > 1000000000 ? -1 : value;
}

static int body(jd_self *me, int argc, char **argv)
{
    int check = argc > 1 && !strcmp(argv[1], "--check");
    int64_t ranks = jd_nranks(me);
    struct job job = {.items = number(argc, argv, check + 1, 1000, 1),
                      .stages = number(argc, argv, check + 2, ranks > 2 ? ranks : 2, 1),
                      .usec = number(argc, argv, check + 3, 0, 0)};
    if (job.items < 0 || job.stages < 0 || job.usec < 0 || argc > check + 4) {
        if (jd_rank(me) == 0)
            fprintf(stderr, "usage: pipeline [--check] [ITEMS [STAGES [USEC]]]\n");
        return 2;
    }
    if (jd_rank(me))
        return 0; /* stages run here all the same, until every body has returned */
    double start = jd_now(me);
    uint64_t sum = run(me, &job);
    double seconds = jd_now(me) - start;
    printf("%.3f s, %.1f us per number\n", seconds, seconds * 1e6 / (double)job.items);
    if (!check || sum == sum_of_all(&job))
        return 0;
    fprintf(stderr, "pipeline: WRONG: it should be %016llx\n",
            (unsigned long long)sum_of_all(&job));
    return 1;
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
