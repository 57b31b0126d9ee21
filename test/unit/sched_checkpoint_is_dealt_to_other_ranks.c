/*
 * sched_checkpoint_is_dealt_to_other_ranks.c - a chain of jobs with other numbers of ranks and workers.
 *
 * Role: each job loads what the one before has saved: every seed is there once, in the record of what was added, and in
 *       those of the workers; seeds that had nothing to do stay away; memory is cut anew; then it saves.
 * Owner: the bodies, between phases; tasks count with atomics.
 * Invariants: I1 what a task does depends on its number alone.
 * See: doc/checkpoint.md "Who gets what".
 */
#include "sched/checkpoint/load.h"
#include "sched/checkpoint/save.h"
#include "sched/coll.h"
#include "test/dist/sched_kit.h"
#include "test/unit/sched_checkpoint_kit.h"

enum { SEEDS = 240, CELLS = 1000, LONG = 200 };

struct seed {
    uint32_t number, pad;
    unsigned char more[LONG];
};

static struct disk disk;
static _Atomic uint32_t ran[SEEDS]; /* in this phase */
static bool timed, after_one;       /* the job before had one worker */

/* A third of the seeds does not fit into a slot. */
static size_t size_of(uint32_t number)
{
    return number % 3 ? 8 + number % 16 : sizeof(struct seed);
}

/* Has it nothing to do in the phase of that number, of all jobs, or in one before?  In each phase it is some more. */
static bool is_null(uint32_t number, unsigned phase)
{
    static const unsigned every[] = {5,  7,  11, 13, 17, 19, 23,
                                     29, 31, 37, 41, 43, 47, 53};
    bool null = false;
    for (unsigned i = 0; i < phase; i++)
        null = null || number % every[i] == 1;
    return timed && null;
}

static void work(jd_self *me, void *arg)
{
    const struct seed *s = arg;
    size_t more = size_of(s->number) - 8;
    for (size_t i = 0; i < more; i++)
        if (s->more[i] != (unsigned char)(s->number + i))
            jd_abort(me, 1, "seed %u has changed", s->number);
    ran[s->number]++;
    unsigned phase = *(unsigned *)jd_coll_local(jd_coll_mine(me));
    if (is_null(s->number, phase))
        must(me, jd_task_null(me));
}

/* The ranks add unequal numbers. */
static void add_seeds(jd_self *me, jd_coll *c)
{
    for (uint32_t i = 0; i < SEEDS; i++) {
        struct seed s = {.number = i};
        for (unsigned k = 0; k < LONG; k++)
            s.more[k] = (unsigned char)(i + k);
        if ((uint64_t)i * i / SEEDS * jd_nranks(me) / SEEDS == jd_rank(me))
            must(me, jd_coll_add(me, c, 0, &s, size_of(i)));
    }
}

/* Process the next phase, and see that each seed has run once that was not null in a phase before. */
static void process(jd_self *me, jd_coll *c, const char *what)
{
    unsigned *phase = jd_coll_local(c);
    bool right = true;
    for (uint32_t i = 0; i < SEEDS && jd_rank(me) == 0; i++)
        ran[i] = 0;
    ++*phase;
    must(me, jd_barrier(me)); /* before any of them runs */
    must(me, jd_coll_process(me, c));
    for (uint32_t i = 0; i < SEEDS; i++)
        right = right && ran[i] == !is_null(i, *phase - 1);
    ok_all(me, right, "%u ranks, %s: every seed runs once", jd_nranks(me), what);
}

static size_t cells_before(jd_self *me, uint32_t rank)
{
    return (size_t)CELLS * rank * rank / (jd_nranks(me) * jd_nranks(me));
}

static void fill(jd_self *me, unsigned char *cell, bool with)
{
    size_t first = cells_before(me, jd_rank(me)),
           n = cells_before(me, jd_rank(me) + 1) - first;
    for (size_t i = 0; i < n; i++)
        cell[i] = with ? (unsigned char)((first + i) * 31 % 251) : 0;
}

static bool is_filled(jd_self *me, const unsigned char *cell)
{
    size_t first = cells_before(me, jd_rank(me)),
           n = cells_before(me, jd_rank(me) + 1) - first;
    bool right = true;
    for (size_t i = 0; i < n; i++)
        right = right && cell[i] == (unsigned char)((first + i) * 31 % 251);
    return right;
}

/* Has each worker of this rank as many seeds as the others?  So it is if one worker had all of them. */
static bool is_even(jd_self *me, jd_coll *c, uint64_t all, uint64_t workers)
{
    bool right = true;
    for (unsigned w = 0; w < jd_nworkers(me); w++) {
        uint64_t n = c->seat[w].account.kept.count;
        right = right && n + 1 >= all / workers && n <= all / workers + 1;
    }
    return right;
}

static void save_first(jd_self *me, jd_coll *c, jd_checkpoint *what)
{
    add_seeds(me, c);
    process(me, c, "first");
    must(me, jd_coll_restore(me, c, JD_RESTORE_RETAIN));
    process(me, c, "again");
    fill(me, jd_mem_local(me, what->mem[0], NULL), true);
}

static void load_next(jd_self *me, jd_coll *c, jd_checkpoint *what)
{
    unsigned char *cell = jd_mem_local(me, what->mem[0], NULL);
    jd_coll_info info;
    fill(me, cell, false);
    ok_all(me,
           !jdi_load(me, c, what, &disk.files) && is_filled(me, cell) &&
               *(unsigned *)what->state > 1,
           "%u ranks: memory and state are there", jd_nranks(me));
    must(me, jd_coll_get_info(me, c, &info));
    uint64_t here = 0, workers = sum_of(me, jd_nworkers(me));
    for (unsigned w = 0; w < jd_nworkers(me); w++)
        here += c->seat[w].account.kept.count;
    ok_all(me, info.retained + info.null == here, "info says what is kept");
    uint64_t all = sum_of(me, here);
    ok_all(me, !after_one || is_even(me, c, all, workers), "all have as many seeds");
    /* In turns, because the first restore after a load is that of its phase 0. */
    bool seed = jd_nranks(me) > 4 || jd_nranks(me) == 2;
    must(me, jd_coll_restore(me, c, seed ? JD_RESTORE_SEED : JD_RESTORE_RETAIN));
    process(me, c, seed ? "seeded" : "retained");
    must(me, jd_coll_restore(me, c, seed ? JD_RESTORE_RETAIN : JD_RESTORE_SEED));
    process(me, c, seed ? "retained" : "seeded");
}

static int body(jd_self *me, int argc, char **argv)
{
    bool first = !strcmp(argv[1], "first");
    unsigned phase = 0; /* the state of the program */
    jd_mem mem;
    jd_coll *c;
    jd_coll_props props = {
        .name = "chain", .arg_size = 32, .local = &phase, .timed = timed};
    (void)argc;
    size_t cells = cells_before(me, jd_rank(me) + 1) - cells_before(me, jd_rank(me));
    must(me, jd_mem_create(me, NULL, cells, &mem));
    must(me, jd_coll_create(me, &props, &c));
    jd_checkpoint what = {"chain", &mem, 1, &phase, sizeof phase};
    if (first)
        save_first(me, c, &what);
    else
        load_next(me, c, &what);
    must(me, jdi_save(me, c, &what, &disk.files));
    must(me, jd_coll_destroy(me, c));
    return jd_mem_destroy(me, mem);
}

static void run_chain(bool with_times)
{
    static const jd_task_def tasks[] = {JD_TASK(work), JD_TASK_END};
    static const char *const jobs[][2] = {{"4", "2"}, {"1", "1"}, {"4", "1"}, {"2", "3"},
                                          {"3", "1"}, {"5", "2"}, {"8", "1"}};
    timed = with_times;
    disk_init(&disk);
    for (unsigned i = 0; i < JDI_ARRAY_LEN(jobs); i++) {
        char *argv[] = {(char[]){"chain"}, i ? (char[]){"next"} : (char[]){"first"},
                        NULL};
        after_one = i && !strcmp(jobs[i - 1][0], "1") && !strcmp(jobs[i - 1][1], "1");
        setenv("JACKDAW_RANKS", jobs[i][0], 1);
        setenv("JACKDAW_WORKERS", jobs[i][1], 1);
        ok(!jd_launch(2, argv, body, tasks), "the job of %s ranks has ended well",
           jobs[i][0]);
    }
    disk_fini(&disk);
}

int main(void)
{
    setenv("JACKDAW_ULT", "boost", 1);
    run_chain(false);
    run_chain(true);
    return done_testing();
}
