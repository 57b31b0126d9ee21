/*
 * nqueens.c - in how many ways can N queens stand on a board without a threat?
 *
 * Role: a search whose tasks are boards: three masks of threatened columns and a row.
 * Owner: each worker adds to its own sum; the body reads them after jd_coll_process.
 * Invariants: I1 only rank 0 prints.
 * See: examples/README.md.
 *
 *     nqueens [--check] [--style=async] [--board=NS] [N [CUTOFF]]
 *
 *         N from 1 to 20 (12); the first CUTOFF rows (4) are tasks, the rest is plain
 *         recursion.  The tasks are those of a collection, or, with --style=async and six
 *         rows, asyncs of one finish.  Each board of the recursion computes NS (0) more
 *         nanoseconds: without it, it takes no time in the simulator.
 */
#include "jackdaw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 20, BOARD_MAX_NS = 1000000 };

/* Threatened squares of the next row, one bit each. */
struct board {
    uint32_t columns;
    uint32_t falling; /* diagonals that move left from row to row */
    uint32_t rising;  /* and right */
    uint32_t row;
};

struct sum {
    _Alignas(64) uint64_t value; /* a cache line for each worker */
};

struct run {
    struct sum *sums;
    uint32_t all; /* the N lowest bits */
    uint32_t n, cutoff, board_ns;
    int check, async;
};

enum { PLACE, PLACE_ASYNC };
enum { CUTOFF = 4, CUTOFF_ASYNC = 6 };

static const uint64_t known[LARGEST + 1] = {
    1,      1,       0,        0,        2,         10,         4,
    40,     92,      352,      724,      2680,      14200,      73712,
    365596, 2279184, 14772512, 95815104, 666090624, 4968057848, 39029188884};

static struct board with_queen(const struct board *b, uint32_t queen)
{
    return (struct board){b->columns | queen, (b->falling | queen) << 1,
                          (b->rising | queen) >> 1, b->row + 1};
}

static uint32_t free_squares(const struct board *b, uint32_t all)
{
    return all & ~(b->columns | b->falling | b->rising);
}

static uint64_t count(const struct board *b, uint32_t all, uint64_t *boards)
{
    uint64_t solutions = 0;
    ++*boards;
    if (b->columns == all)
        return 1;
    for (uint32_t open = free_squares(b, all); open; open &= open - 1) {
        struct board next = with_queen(b, open & -open);
        solutions += count(&next, all, boards);
    }
    return solutions;
}

/* The rest of a board, without tasks. */
static void finish_board(jd_self *me, const struct run *run, const struct board *b)
{
    uint64_t boards = 0;
    uint64_t solutions = count(b, run->all, &boards);
    if (run->board_ns)
        jd_compute(me, boards * run->board_ns);
    run->sums[jd_worker(me)].value += solutions;
}

static void place(jd_self *me, void *arg)
{
    struct board b = *(const struct board *)arg; /* an add may move the argument */
    jd_coll *coll = jd_coll_mine(me);
    struct run *run = jd_coll_local(coll);
    if (b.row >= run->cutoff || b.row == run->n) {
        finish_board(me, run, &b);
        return;
    }
    for (uint32_t open = free_squares(&b, run->all); open; open &= open - 1) {
        struct board *next = jd_coll_add_inplace(me, coll, PLACE, sizeof *next);
        if (!next)
            jd_abort(me, 1, "nqueens: no memory for another board");
        *next = with_queen(&b, open & -open);
    }
}

static void place_async(jd_self *me, void *arg)
{
    struct board b = *(const struct board *)arg;
    struct run *run = jd_local(me);
    if (b.row >= run->cutoff || b.row == run->n) {
        finish_board(me, run, &b);
        return;
    }
    for (uint32_t open = free_squares(&b, run->all); open; open &= open - 1) {
        struct board next = with_queen(&b, open & -open);
        if (jd_async(me, PLACE_ASYNC, &next, sizeof next))
            jd_abort(me, 1, "nqueens: no memory for another board");
    }
}

static const jd_task_def tasks[] = {
    [PLACE] = JD_TASK(place), [PLACE_ASYNC] = JD_TASK(place_async), JD_TASK_END};

static int add_up(jd_self *me, const struct run *run, uint64_t *solutions)
{
    *solutions = 0;
    for (unsigned w = 0; w < jd_nworkers(me); w++)
        *solutions += run->sums[w].value;
    return jd_allreduce_u64(me, solutions, 1, JD_SUM);
}

/* Rank 0 opens the finish; the workers of the others steal. */
static int solve_async(jd_self *me, struct run *run, uint64_t *solutions)
{
    struct board empty = {0};
    jd_set_local(me, run);
    int error = jd_barrier(me);
    if (!error && jd_rank(me) == 0)
        error = jd_finish(me, place_async, &empty);
    if (!error)
        error = jd_barrier(me);
    return error ? error : add_up(me, run, solutions);
}

static int solve(jd_self *me, struct run *run, uint64_t *solutions, uint64_t *ran)
{
    jd_coll_props props = {
        .name = "boards", .arg_size = sizeof(struct board), .uniform = 1, .local = run};
    jd_coll_info info;
    jd_coll *coll;
    int error = jd_coll_create(me, &props, &coll);
    if (!error && jd_rank(me) == 0) {
        struct board empty = {0};
        error = jd_coll_add(me, coll, PLACE, &empty, sizeof empty);
    }
    if (!error)
        error = jd_coll_process(me, coll);
    if (!error)
        error = jd_coll_get_info(me, coll, &info);
    if (error)
        return error;
    *ran = info.all_executed;
    error = add_up(me, run, solutions);
    return error ? error : jd_coll_destroy(me, coll);
}

/* Reads a number in [least, most]; returns -1 if the text is not one. */
static int read_number(const char *text, uint32_t least, uint32_t most, uint32_t *out)
{
    char *end;
    long value = strtol(text, &end, 10);
    if (end == text || *end || value < (long)least || value > (long)most)
        return -1;
    *out = (uint32_t)value;
    return 0;
}

static int parse(struct run *run, int argc, char **argv)
{
    int at = 1;
    *run = (struct run){.n = 12, .cutoff = CUTOFF};
    for (; argc > at && !strncmp(argv[at], "--", 2); at++) {
        if (!strcmp(argv[at], "--check"))
            run->check = 1;
        else if (!strcmp(argv[at], "--style=async"))
            run->async = 1;
        else if (strncmp(argv[at], "--board=", 8) ||
                 read_number(argv[at] + 8, 0, BOARD_MAX_NS, &run->board_ns))
            return -1;
    }
    if (run->async)
        run->cutoff = CUTOFF_ASYNC;
    if (argc > at && read_number(argv[at++], 1, LARGEST, &run->n))
        return -1;
    if (argc > at && read_number(argv[at++], 0, LARGEST, &run->cutoff))
        return -1;
    run->all = (UINT32_C(1) << run->n) - 1;
    return argc > at ? -1 : 0;
}

static int body(jd_self *me, int argc, char **argv)
{
    struct run run;
    uint64_t solutions = 0, ran = 0;
    if (parse(&run, argc, argv)) {
        if (jd_rank(me) == 0)
            fprintf(stderr,
                    "usage: nqueens [--check] [--style=async] [--board=NS] [N [CUTOFF]]: "
                    "N from 1 to %d, CUTOFF from 0 to %d\n",
                    LARGEST, LARGEST);
        return 2;
    }
    run.sums = aligned_alloc(64, jd_nworkers(me) * sizeof *run.sums);
    if (!run.sums)
        jd_abort(me, 1, "nqueens: out of memory");
    memset(run.sums, 0, jd_nworkers(me) * sizeof *run.sums);

    double start = jd_now(me);
    int error =
        run.async ? solve_async(me, &run, &solutions) : solve(me, &run, &solutions, &ran);
    double seconds = jd_now(me) - start;
    free(run.sums);
    if (error)
        jd_abort(me, 1, "nqueens: %s", jd_strerror(error));
    int wrong = run.check && solutions != known[run.n];
    if (jd_rank(me) == 0 && run.async)
        printf("%u queens: %llu solutions in %.3f s%s\n", run.n,
               (unsigned long long)solutions, seconds, wrong ? ": WRONG" : "");
    else if (jd_rank(me) == 0)
        printf("%u queens: %llu solutions, %llu tasks in %.3f s%s\n", run.n,
               (unsigned long long)solutions, (unsigned long long)ran, seconds,
               wrong ? ": WRONG" : "");
    return wrong;
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
