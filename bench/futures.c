/*
 * futures.c - what a future costs at home, with many of them alive, and from another rank.
 *
 * Role: rank 0 makes, sets, gets and destroys futures: one at a time, and while very many live; then it asks
 *       rank 1, which only waits: a value that is set, a set, and beside these a jd_get of the same size,
 *       which is one message there and one back.  Rounds are interleaved; prints the median and the range.
 * Owner: rank 0's body.
 * Invariants: I1 each round has each row once, so what else runs on the machine disturbs all of them.
 * See: bench/README.md; doc/data.md "Futures".
 *
 *     ./dev bench futures [ROUNDS]
 */
#include "jackdaw.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS_DEFAULT = 9, ROUNDS_MOST = 101, FEW = 4000, MANY = 256000 };
enum { TURNS = 400000, ASKS = 2000 };

enum row { ALONE, AMONG_FEW, AMONG_MANY, WAIT, GET_FAR, SET_FAR, WORD_FAR, ROWS };
static const char *const row_name[ROWS] = {
    [ALONE] = "create, set, get, destroy",    [AMONG_FEW] = "the same, 4,000 alive",
    [AMONG_MANY] = "the same, 256,000 alive", [WAIT] = "and a task that waits for it",
    [GET_FAR] = "get of another rank's",      [SET_FAR] = "set of another rank's",
    [WORD_FAR] = "jd_get of 8 bytes",
};

enum { ANSWER };

static void must(jd_self *me, int error)
{
    if (error)
        jd_abort(me, 1, "%s", jd_strerror(error));
}

static void turn(jd_self *me, jd_future *f, uint64_t i)
{
    uint64_t got = 0;
    must(me, jd_future_create(me, f));
    must(me, jd_future_set(me, *f, &i, sizeof i));
    must(me, jd_future_get(me, *f, &got, sizeof got));
    if (got != i)
        jd_abort(me, 1, "a wrong value");
}

/* ns of a turn while `alive` futures live; the oldest dies. */
static double turns(jd_self *me, uint64_t alive)
{
    jd_future *f = malloc(alive * sizeof *f);
    if (!f)
        jd_abort(me, 1, "no memory");
    for (uint64_t i = 0; i < alive; i++)
        turn(me, &f[i], i);
    double begin = jd_now(me);
    for (uint64_t i = 0, at = 0; i < TURNS; i++) {
        must(me, jd_future_destroy(me, f[at]));
        turn(me, &f[at], i);
        at = at + 1 < alive ? at + 1 : 0;
    }
    double end = jd_now(me);
    for (uint64_t i = 0; i < alive; i++)
        must(me, jd_future_destroy(me, f[i]));
    free(f);
    return 1e9 * (end - begin) / TURNS;
}

static void answer(jd_self *me, void *arg)
{
    const jd_future *f = arg;
    uint64_t word = 1;
    must(me, jd_future_get(me, f[0], &word, sizeof word));
    must(me, jd_future_set(me, f[1], &word, sizeof word));
}

/* ns of two futures, a task that waits for the one and sets the other, for which the body waits. */
static double waits(jd_self *me)
{
    jd_scope s;
    must(me, jd_finish_begin(me, &s));
    double begin = jd_now(me);
    for (uint64_t i = 0; i < ASKS; i++) {
        jd_future f[2];
        uint64_t got;
        must(me, jd_future_create(me, &f[0]));
        must(me, jd_future_create(me, &f[1]));
        must(me, jd_async_local(me, ANSWER, f, sizeof f));
        must(me, jd_future_set(me, f[0], &i, sizeof i));
        must(me, jd_future_get(me, f[1], &got, sizeof got));
        must(me, jd_future_destroy(me, f[0]));
        must(me, jd_future_destroy(me, f[1]));
    }
    double end = jd_now(me);
    must(me, jd_finish_end(me, &s));
    return 1e9 * (end - begin) / ASKS;
}

static double gets_far(jd_self *me, jd_future f)
{
    uint64_t got;
    double begin = jd_now(me);
    for (int i = 0; i < ASKS; i++)
        must(me, jd_future_get(me, f, &got, sizeof got));
    return 1e9 * (jd_now(me) - begin) / ASKS;
}

static double sets_far(jd_self *me, const uint64_t *number)
{
    uint64_t word = 1;
    double begin = jd_now(me);
    for (int i = 1; i <= ASKS; i++)
        must(me, jd_future_set(me, (jd_future){.number = number[i], .home = 1}, &word,
                               sizeof word));
    return 1e9 * (jd_now(me) - begin) / ASKS;
}

static double words_far(jd_self *me, jd_mem mem)
{
    uint64_t word;
    double begin = jd_now(me);
    for (int i = 0; i < ASKS; i++)
        must(me, jd_get(me, mem, 1, 0, &word, sizeof word));
    return 1e9 * (jd_now(me) - begin) / ASKS;
}

/* Collective: rank 1 has futures, rank 0 asks. */
static void ask_far(jd_self *me, double *ns)
{
    const size_t bytes = (ASKS + 1) * sizeof(uint64_t);
    jd_mem mem;
    must(me, jd_mem_create(me, NULL, bytes, &mem));
    uint64_t *number = jd_mem_local(me, mem, NULL), word = 7;
    jd_future f = {.home = jd_rank(me)};
    for (int i = 0; i <= ASKS && jd_rank(me) == 1; i++) {
        must(me, jd_future_create(me, &f));
        number[i] = f.number;
    }
    if (jd_rank(me) == 1)
        must(me, jd_future_set(me, (jd_future){.number = number[0], .home = 1}, &word,
                               sizeof word));
    must(me, jd_barrier(me));
    if (jd_rank(me) == 0) {
        must(me, jd_get(me, mem, 1, 0, number, bytes));
        ns[GET_FAR] = gets_far(me, (jd_future){.number = number[0], .home = 1});
        ns[SET_FAR] = sets_far(me, number);
        ns[WORD_FAR] = words_far(me, mem);
    }
    must(me, jd_barrier(me));
    for (int i = 0; i <= ASKS && jd_rank(me) == 1; i++)
        must(me, jd_future_destroy(me, (jd_future){.number = number[i], .home = 1}));
    must(me, jd_mem_destroy(me, mem));
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int body(jd_self *me, int argc, char **argv)
{
    static double ns[ROWS][ROUNDS_MOST];
    int rounds = argc > 1 ? atoi(argv[1]) : ROUNDS_DEFAULT;
    if (rounds < 1 || rounds > ROUNDS_MOST) {
        fprintf(stderr, "usage: futures [ROUNDS]   1 to %d\n", ROUNDS_MOST);
        return 2;
    }
    for (int i = 0; i < rounds; i++) {
        double now[ROWS] = {0};
        if (jd_rank(me) == 0) {
            now[ALONE] = turns(me, 1);
            now[AMONG_FEW] = turns(me, FEW);
            now[AMONG_MANY] = turns(me, MANY);
            now[WAIT] = waits(me);
        }
        if (jd_nranks(me) > 1)
            ask_far(me, now);
        for (int row = 0; row < ROWS && jd_rank(me) == 0; row++)
            ns[row][i] = now[row];
    }
    for (int row = 0; row < ROWS && jd_rank(me) == 0; row++) {
        qsort(ns[row], (size_t)rounds, sizeof ns[row][0], by_size);
        if (ns[row][0] > 0)
            printf("%-30s %8.1f (%.1f-%.1f) ns\n", row_name[row], ns[row][rounds / 2],
                   ns[row][0], ns[row][rounds - 1]);
    }
    return 0;
}

static const jd_task_def tasks[] = {[ANSWER] = JD_TASK(answer), JD_TASK_END};

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
