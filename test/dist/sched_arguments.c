/*
 * sched_arguments.c
 *
 * Role: arguments of every size arrive whole: in the slot, spilled, stolen by other ranks,
 *       made in place, or brought back by restore().  Argument: the number of tasks.
 * Owner: the body; a tally row per worker.
 * Invariants: those of test/dist/sched_kit.h.
 * See: sched/transfer.c.
 */
#include "test/dist/sched_kit.h"

enum { CHECK, SPREAD };
enum { SLOT = 48, HUGE_SIZE = 16 << 20, SIZES = 16 };

struct shared {
    struct tally *tally;
    _Atomic uint64_t wrong;
};

/* The first bytes of an argument, as far as it is long enough. */
struct head {
    uint32_t number, size;
};

/* Sizes around the edges of a slot and of a message, in turn. */
static uint32_t size_of_number(uint64_t number)
{
    static const uint32_t size[SIZES] = {8,    SLOT, SLOT + 1,   9,     4096,  65536,
                                         63,   64,   8000,       65488, 65520, 70000,
                                         SLOT, 47,   300 * 1024, 1000};
    return size[number % SIZES];
}

static uint8_t byte_at(uint64_t number, size_t i)
{
    return (uint8_t)((number * 131 + i) * 2654435761u >> 11);
}

static void fill(void *to, uint32_t number, uint32_t size)
{
    struct head h = {number, size};
    unsigned char *bytes = to;
    memcpy(bytes, &h, sizeof h);
    for (size_t i = sizeof h; i < size; i++)
        bytes[i] = byte_at(number, i);
}

static bool is_whole(const void *arg)
{
    const unsigned char *bytes = arg;
    struct head h;
    memcpy(&h, bytes, sizeof h);
    if (h.size > HUGE_SIZE || (uintptr_t)arg % 16)
        return false;
    for (size_t i = sizeof h; i < h.size; i++)
        if (bytes[i] != byte_at(h.number, i))
            return false;
    return true;
}

static void look(jd_self *me, const void *arg)
{
    struct shared *s = jd_coll_local(jd_coll_mine(me));
    struct head h;
    memcpy(&h, arg, sizeof h);
    tally_note(me, s->tally, h.number);
    if (!is_whole(arg))
        atomic_fetch_add(&s->wrong, 1);
}

static void check(jd_self *me, void *arg)
{
    look(me, arg);
    memset(arg, 0xEE, sizeof(struct head)); /* the task's own copy */
}

/* Two children, of other sizes; the parent's argument is there still afterwards, although other
 * tasks of the worker run meanwhile. */
static void spread(jd_self *me, void *arg)
{
    struct head h;
    memcpy(&h, arg, sizeof h);
    for (uint32_t k = 1; k <= 2; k++) {
        uint32_t number = h.number + k, size = size_of_number(number);
        void *to = jd_coll_add_inplace(me, jd_coll_mine(me), CHECK, size);
        if (!to)
            jd_abort(me, 99, "no place for %u bytes", size);
        fill(to, number, size);
        jd_yield(me);
    }
    look(me, arg);
}

static const jd_task_def tasks[] = {
    [CHECK] = JD_TASK(check), [SPREAD] = JD_TASK(spread), JD_TASK_END};

static void add(jd_self *me, jd_coll *c, jd_task task, uint32_t number, uint32_t size)
{
    unsigned char *bytes = malloc(size);
    if (!bytes)
        jd_abort(me, 99, "no memory");
    fill(bytes, number, size);
    must(me, jd_coll_add(me, c, task, bytes, size));
    memset(bytes, 0xDD, size); /* the copy is what counts */
    free(bytes);
}

static bool all_were_whole(jd_self *me, struct shared *s, uint64_t tasks_run)
{
    uint64_t ran = tally_take(me, s->tally).ran;
    return sum_of(me, ran) == tasks_run && !sum_of(me, atomic_load(&s->wrong));
}

static void test_all_sizes(jd_self *me, struct shared *s, uint32_t n, size_t arg_size)
{
    jd_coll *c;
    must(me, jd_coll_create(me, &(jd_coll_props){.local = s, .arg_size = arg_size}, &c));
    if (jd_rank(me) == 0)
        for (uint32_t k = 0; k < n; k++)
            add(me, c, k % 4 ? CHECK : SPREAD, 3 * k, size_of_number(3 * k));
    must(me, jd_coll_process(me, c));
    uint64_t total = n + 2 * ((uint64_t)(n + 3) / 4);
    ok_all(me, adds_up(me, c, total) && all_were_whole(me, s, total),
           "arguments of all sizes, %zu bytes in the slot", arg_size);
    uint64_t stolen = sum_of(me, info_of(me, c).stolen_in);
    if (jd_rank(me) == 0)
        diag("%llu of %llu tasks were stolen", (unsigned long long)stolen,
             (unsigned long long)total);
    for (int how = JD_RESTORE_SEED; how <= JD_RESTORE_RETAIN; how++) {
        must(me, jd_coll_restore(me, c, how));
        must(me, jd_coll_process(me, c));
        ok_all(me, adds_up(me, c, total) && all_were_whole(me, s, total), "restored, %s",
               how == JD_RESTORE_SEED ? "as seeded" : "as retained");
    }
    must(me, jd_coll_destroy(me, c));
}

static void count_empty(jd_self *me, struct shared *s, uint64_t n)
{
    jd_coll *c;
    must(me, jd_coll_create(me, &(jd_coll_props){.local = s, .uniform = 1, .arg_size = 8},
                            &c));
    for (uint32_t k = 0; k < n; k++)
        add(me, c, CHECK, k, 8);
    must(me, jd_coll_process(me, c));
    uint64_t total = n * jd_nranks(me);
    ok_all(me, adds_up(me, c, total) && all_were_whole(me, s, total),
           "all of one small size");
    must(me, jd_coll_destroy(me, c));
}

static void test_largest(jd_self *me, struct shared *s)
{
    jd_coll *c;
    must(me, jd_coll_create(me, &(jd_coll_props){.local = s}, &c));
    if (jd_rank(me) == 0)
        for (uint32_t k = 0; k < 2; k++)
            add(me, c, CHECK, k, HUGE_SIZE);
    must(me, jd_coll_process(me, c));
    ok_all(me, adds_up(me, c, 2) && all_were_whole(me, s, 2),
           "the largest argument of all");
    must(me, jd_coll_destroy(me, c));
}

static int body(jd_self *me, int argc, char **argv)
{
    struct tally tally = {0};
    struct shared s = {.tally = &tally};
    uint32_t n = argc > 1 ? (uint32_t)atol(argv[1]) : 64;
    test_all_sizes(me, &s, n, 0);
    test_all_sizes(me, &s, n, 1);
    test_all_sizes(me, &s, n, 4096);
    count_empty(me, &s, 20);
    if (argc > 2) /* 16 MB through the network take their time */
        test_largest(me, &s);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
