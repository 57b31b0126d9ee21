/*
 * sched_data_cached_reads_are_right.c
 *
 * Role: tasks of all ranks read the same tiles by jd_get_cached and jd_borrow, some across a wait, while others are cancelled
 *       and while bodies meet: each read has what was written before the last meeting, or by the rank itself; each tile comes
 *       once if there is room.  Argument: how many tasks read on each rank.
 * Owner: the body writes its tiles between two barriers; tasks only read them.
 * Invariants: I1 the words of a tile follow from its rank, its number and the round.
 * See: include/jackdaw.h; doc/data.md "Cached reads".
 */
#include "core/random.h"
#include "sched/data/data.h" /* jdi_cache_check; whether the body is in a meeting */
#include "sched/worker.h"    /* the bound, as the knob says it */
#include "test/dist/sched_data_kit.h"

enum { READER, SAME, STORE, LOOK };
enum { TILES = 6, WORDS = 40, ROUNDS = 5, READS = 12, BYTES = WORDS * sizeof(uint64_t) };

/* What the tasks of a rank share. */
struct shared {
    jd_mem mem;
    uint64_t round;
    _Atomic uint64_t wrong, different, ended;
    _Atomic unsigned char *touched; /* by rank and tile */
};

static uint64_t word_of(uint32_t rank, uint64_t tile, uint64_t round, uint64_t i)
{
    return ((round * 100 + rank) * 100 + tile) * 1000 + i;
}

static void write_tiles(jd_self *me, const struct shared *s)
{
    uint64_t *own = jd_mem_local(me, s->mem, NULL);
    for (uint64_t i = 0; i < (uint64_t)TILES * WORDS; i++)
        own[i] = word_of(jd_rank(me), i / WORDS, s->round, i % WORDS);
}

static bool is_tile(const uint64_t *at, uint32_t rank, uint64_t tile, uint64_t round)
{
    for (uint64_t i = 0; i < WORDS; i++)
        if (at[i] != word_of(rank, tile, round, i))
            return false;
    return true;
}

static void touch_tile(struct shared *s, size_t at)
{
    if (!atomic_exchange(&s->touched[at], 1))
        atomic_fetch_add(&s->different, 1);
}

static uint64_t counted(jd_self *me, const char *name)
{
    uint64_t value = 0;
    must(me, jd_stats(me, JD_STATS_RANK, &name, 1, &value));
    return value;
}

/* ---- many tasks, many tiles ------------------------------------------------------------ */

static void read_copy(jd_self *me, struct shared *s, uint32_t rank, uint64_t tile)
{
    uint64_t copy[WORDS];
    must(me, jd_get_cached(me, s->mem, rank, tile * BYTES, copy, BYTES));
    atomic_fetch_add(&s->wrong, !is_tile(copy, rank, tile, s->round));
}

static void read_loan(jd_self *me, struct shared *s, uint32_t rank, uint64_t tile,
                      bool waits)
{
    jd_loan loan;
    must(me, jd_borrow(me, s->mem, rank, tile * BYTES, BYTES, &loan));
    atomic_fetch_add(&s->wrong, !is_tile(loan.bytes, rank, tile, s->round));
    if (waits) {
        jd_yield(me);
        atomic_fetch_add(&s->wrong, !is_tile(loan.bytes, rank, tile, s->round));
    }
    jd_give_back(me, &loan);
}

static void reader(jd_self *me, void *arg)
{
    struct shared *s = jd_local(me);
    const struct job j = *(const struct job *)arg;
    uint64_t rng = j.number + 1000 * s->round + 100000 * jd_rank(me);
    for (int i = 0; i < READS; i++) {
        uint32_t rank = jdi_random_below(&rng, jd_nranks(me));
        uint64_t tile = jdi_random_below(&rng, TILES);
        if (rank != jd_rank(me))
            touch_tile(s, rank * TILES + tile);
        if (jdi_random_below(&rng, 2))
            read_copy(me, s, rank, tile);
        else
            read_loan(me, s, rank, tile, jdi_random_below(&rng, 2));
    }
    atomic_fetch_add(&s->ended, 1);
    if (j.from) /* one of them ends the finish for the others */
        must(me, jd_cancel(me, jd_finish_mine(me)));
}

/* All tasks of this rank; the other ranks cannot have them. */
static int run_readers(jd_self *me, uint32_t ntasks, bool cancels)
{
    jd_scope scope;
    must(me, jd_finish_begin(me, &scope));
    for (uint32_t i = 0; i < ntasks; i++) {
        struct job j = {.number = i, .from = cancels && i == ntasks / 2};
        must(me, jd_async_local(me, READER, &j, sizeof j));
    }
    return jd_finish_end(me, &scope);
}

/* The bytes that all entries with users can have, beside those that the bound is for. */
static bool is_bounded(jd_self *me, uint32_t ntasks)
{
    uint64_t bound = me->rank->knobs->cache, used = (uint64_t)ntasks * (BYTES + 300);
    return counted(me, "most_cached") <= (bound > used ? bound : used);
}

static void test_rounds(jd_self *me, struct shared *s, uint32_t ntasks)
{
    bool room = me->rank->knobs->cache >= (uint64_t)jd_nranks(me) * TILES * (BYTES + 300);
    bool once = true, all = true;
    for (s->round = 1; s->round <= ROUNDS; s->round++) {
        bool cancels = s->round == 3;
        uint64_t fetches = counted(me, "cache_fetches");
        write_tiles(me, s);
        memset((void *)s->touched, 0, (size_t)jd_nranks(me) * TILES);
        s->different = 0;
        must(me, jd_barrier(me));
        int error = run_readers(me, ntasks, cancels);
        all = all && (cancels ? error == JD_ECANCELED || error == 0 : error == 0);
        fetches = counted(me, "cache_fetches") - fetches;
        once = once && (room ? fetches == s->different : fetches >= s->different);
        jdi_cache_check(me->rank);
        must(me, jd_barrier(me));
    }
    ok_all(me, all && !s->wrong, "%u tasks on each rank read what was written", ntasks);
    ok_all(me, once, "each tile comes once in a round, if there is room");
    ok_all(me, is_bounded(me, ntasks), "the cache has as many bytes as it may have");
}

/* ---- the same tile at the same time ----------------------------------------------------- */

static void same(jd_self *me, void *arg)
{
    struct shared *s = jd_local(me);
    const struct job j = *(const struct job *)arg;
    read_copy(me, s, right_of(me, 1), j.number);
}

static void test_same(jd_self *me, struct shared *s, uint32_t ntasks)
{
    uint64_t before[3], after[3];
    const char *const name[] = {"cache_fetches", "cache_hits", "cache_waits"};
    jd_scope scope;
    s->round = 77;
    write_tiles(me, s);
    must(me, jd_barrier(me));
    must(me, jd_stats(me, JD_STATS_RANK, name, 3, before));
    must(me, jd_finish_begin(me, &scope));
    for (uint32_t i = 0; i < ntasks; i++) {
        struct job j = {.number = 2};
        must(me, jd_async_local(me, SAME, &j, sizeof j));
    }
    must(me, jd_finish_end(me, &scope));
    must(me, jd_stats(me, JD_STATS_RANK, name, 3, after));
    uint64_t reads = jd_nranks(me) > 1 ? ntasks : 0;
    uint64_t fetches = after[0] - before[0],
             rest = after[1] - before[1] + after[2] - before[2];
    ok_all(me, fetches + rest == reads && !s->wrong,
           "each read is a fetch, a hit or a wait");
    ok_all(me, !me->rank->knobs->cache || fetches == (reads > 0),
           "tasks that want the same at a time ask for it once");
    must(me, jd_barrier(me));
}

/* ---- what ends validity ----------------------------------------------------------------- */

static uint64_t first_word(jd_self *me, jd_mem mem, uint32_t rank, uint64_t at)
{
    uint64_t word[2] = {0};
    must(me, jd_get_cached(me, mem, rank, at * 16, word, sizeof word));
    return word[0];
}

static void test_own_writes(jd_self *me)
{
    uint32_t right = right_of(me, 1), far = right_of(me, 2);
    jd_mem mem = make(me, NULL, (size_t)jd_nranks(me) * 16);
    uint64_t slot = jd_rank(me), two[2] = {5, 5};
    double more[1] = {2.5}, sum;
    jd_done done = JD_DONE_INIT;
    bool right_so_far = first_word(me, mem, right, slot) == 0;
    must(me, jd_put(me, mem, right, slot * 16 + 8, two, 8)); /* it overlaps */
    must(me, jd_get_cached(me, mem, right, slot * 16, two, 16));
    right_so_far = right_so_far && two[0] == 0 && two[1] == 5;
    must(me, jd_put_nb(me, mem, right, slot * 16, &(uint64_t){9}, 8, &done));
    must(me, jd_done_wait(me, &done));
    right_so_far = right_so_far && first_word(me, mem, right, slot) == 9;
    ok_all(me, right_so_far, "a rank reads what it has put");
    must(me, jd_put(me, mem, right, slot * 16, &(double){1.0}, 8));
    (void)first_word(me, mem, right, slot);
    must(me, jd_accumulate(me, mem, right, slot * 16, more, 1));
    uint64_t word = first_word(me, mem, right, slot);
    memcpy(&sum, &word, sizeof sum);
    ok_all(me, sum == 3.5, "and what it has added");
    must(me, jd_put(me, mem, far, slot * 16, &(uint64_t){1234}, 8));
    (void)first_word(me, mem, right, slot);
    must(me, jd_copy(me, mem, far, slot * 16, right, slot * 16, 8));
    ok_all(me, first_word(me, mem, right, slot) == 1234, "and what it has copied");
    must(me, jd_mem_destroy(me, mem));
}

/* Stores a word at home. */
static void store(jd_self *me, void *arg)
{
    const struct job j = *(const struct job *)arg;
    uint64_t *own = jd_mem_local(me, j.mem, NULL);
    own[2 * j.from] = j.number;
}

static void test_forget(jd_self *me)
{
    uint32_t right = right_of(me, 1);
    jd_mem mem = make(me, NULL, (size_t)jd_nranks(me) * 16), none = {0};
    uint64_t slot = jd_rank(me);
    jd_scope scope;
    struct job j = {.mem = mem, .from = jd_rank(me), .number = 42};
    bool old = first_word(me, mem, right, slot) == 0;
    must(me, jd_finish_begin(me, &scope));
    must(me, jd_async_at(me, right, STORE, &j, sizeof j));
    must(me, jd_finish_end(me, &scope));
    uint64_t seen = first_word(me, mem, right, slot);
    old = old && (seen == 42 || (seen == 0 && me->rank->knobs->cache));
    bool kept = me->rank->knobs->cache < 4096 || jd_nranks(me) == 1 || seen == 0;
    ok_all(me, old && kept, "what is cached stays, whatever another rank stores");
    must(me, jd_forget(me, mem));
    ok_all(me, first_word(me, mem, right, slot) == 42, "until it is forgotten");
    ok_all(me, jd_forget(me, none) == JD_EINVAL, "no memory cannot be forgotten");
    must(me, jd_mem_destroy(me, mem));
}

/* After each kind of meeting a rank sees what was stored before. */
static void test_meetings(jd_self *me)
{
    uint32_t right = right_of(me, 1), left = right_of(me, jd_nranks(me) - 1);
    jd_mem mem = make(me, NULL, 16);
    uint64_t *own = jd_mem_local(me, mem, NULL), seen = 0;
    bool fresh = true;
    for (uint64_t i = 1; i <= 6; i++) {
        own[0] = i * 100 + jd_rank(me);
        if (i % 2)
            must(me, jd_barrier(me));
        else
            (void)sum_of(me, 1);
        seen = first_word(me, mem, right, 0);
        fresh = fresh && seen == i * 100 + right;
        seen = first_word(me, mem, left, 0);
        fresh = fresh && seen == i * 100 + left;
        must(me, jd_barrier(me)); /* nobody stores while others read */
    }
    ok_all(me, fresh, "a barrier and a reduction end the validity");
    must(me, jd_mem_destroy(me, mem));
}

static bool body_meets(jd_self *me)
{
    struct jdi_cache *c = &me->rank->data->cache;
    jdi_lock(&c->lock);
    bool meets = c->closed;
    jdi_unlock(&c->lock);
    return meets;
}

/* When the body of this rank waits for others: read the word of rank 0, and put it behind that. */
static void look(jd_self *me, void *arg)
{
    const struct job j = *(const struct job *)arg;
    jd_time end = jd_deadline(me, UINT64_C(30000000000));
    uint64_t word = 0;
    while (!body_meets(me) && jd_clock(me) < end)
        jd_yield(me);
    must(me, jd_get_cached(me, j.mem, 0, 0, &word, sizeof word));
    must(me, jd_put(me, j.mem, 0, 8, &word, sizeof word));
}

/* What is read while the body is in a barrier that rank 0 has not entered may change before that. */
static void test_inside(jd_self *me)
{
    jd_mem mem = make(me, NULL, 16);
    uint64_t *own = jd_mem_local(me, mem, NULL);
    struct job j = {.mem = mem};
    bool fresh = true;
    must(me, jd_barrier(me));
    for (uint64_t i = 1; i <= 4 && jd_rank(me) == 0; i++) {
        jd_scope scope;
        own[0] = i;
        must(me, jd_finish_begin(me, &scope));
        must(me, jd_async_at(me, jd_nranks(me) - 1, LOOK, &j, sizeof j));
        must(me, jd_finish_end(me, &scope));
        fresh = fresh && own[1] == i;
    }
    ok_all(me, fresh, "what is read while the body is in a barrier is not kept");
    must(me, jd_mem_destroy(me, mem));
}

/* ---- frozen memory ---------------------------------------------------------------------- */

static void test_frozen(jd_self *me)
{
    uint32_t right = right_of(me, 1);
    jd_mem mem = make(me, NULL, 16);
    uint64_t *own = jd_mem_local(me, mem, NULL), before = counted(me, "cache_fetches");
    double one = 1;
    bool same = true;
    own[0] = 10 + jd_rank(me);
    must(me, jd_mem_freeze(me, mem, 1));
    for (int i = 0; i < 5; i++) {
        same = same && first_word(me, mem, right, 0) == 10 + right;
        must(me, jd_barrier(me));
    }
    uint64_t fetches = counted(me, "cache_fetches") - before;
    bool room = me->rank->knobs->cache >= 4096, alone = jd_nranks(me) == 1;
    ok_all(me, same && (alone ? fetches == 0 : !room || fetches == 1),
           "frozen memory is fetched once, through barriers");
    bool refused = jd_put(me, mem, right, 0, own, 8) == JD_ESTATE &&
                   jd_accumulate(me, mem, right, 0, &one, 1) == JD_ESTATE &&
                   jd_copy(me, mem, right, 0, right_of(me, 2), 0, 8) == JD_ESTATE;
    ok_all(me, refused, "and is not written to");
    must(me, jd_mem_freeze(me, mem, 0));
    own[0] = 20 + jd_rank(me);
    must(me, jd_barrier(me));
    same = first_word(me, mem, right, 0) == 20 + right;
    must(me, jd_barrier(me));
    must(me, jd_put(me, mem, right, 0, &(uint64_t){30 + right}, 8));
    ok_all(me, same && first_word(me, mem, right, 0) == 30 + right,
           "until it is not frozen any more");
    must(me, jd_mem_freeze(me, mem, 1)); /* destroyed while frozen, with entries */
    (void)first_word(me, mem, right, 0);
    must(me, jd_mem_destroy(me, mem));
    jdi_cache_check(me->rank);
    mem = make(me, NULL, 16); /* never destroyed, frozen, with entries */
    must(me, jd_mem_freeze(me, mem, 1));
    (void)first_word(me, mem, right, 0);
    int mixed = jd_mem_freeze(me, make(me, NULL, 8), jd_rank(me) == 0);
    ok_all(me, mixed == (alone ? 0 : JD_EMISMATCH), "ranks have to say the same");
}

/* ---- refusals, and loans that last ------------------------------------------------------ */

static void test_cache_refusals(jd_self *me)
{
    jd_mem mem = make(me, NULL, 64), none = {0};
    unsigned char some[64];
    jd_loan loan;
    bool refused = true;
    for (uint32_t r = 0; r < jd_nranks(me); r++)
        refused = refused && jd_get_cached(me, mem, r, 8, some, 57) == JD_EINVAL &&
                  jd_get_cached(me, mem, r, 65, some, 0) == JD_EINVAL &&
                  jd_get_cached(me, mem, r, 0, NULL, 1) == JD_EINVAL &&
                  jd_get_cached(me, none, r, 0, some, 1) == JD_EINVAL &&
                  jd_borrow(me, mem, r, UINT64_MAX, 2, &loan) == JD_EINVAL &&
                  jd_borrow(me, mem, r, 0, 64, NULL) == JD_EINVAL &&
                  jd_borrow(me, none, r, 0, 1, &loan) == JD_EINVAL &&
                  jd_borrow(me, mem, jd_nranks(me) + r, 0, 1, &loan) == JD_EINVAL;
    ok_all(me, refused, "ranges that are not there are refused");
    for (uint32_t r = 0; r < jd_nranks(me); r++)
        refused = refused && jd_get_cached(me, mem, r, 8, some, 56) == 0 &&
                  jd_get_cached(me, mem, r, 64, NULL, 0) == 0;
    ok_all(me, refused, "and those that are there are read");
    must(me, jd_mem_destroy(me, mem));
}

static void test_loans(jd_self *me)
{
    jd_mem mem = make(me, NULL, 16);
    uint64_t *own = jd_mem_local(me, mem, NULL);
    uint32_t right = right_of(me, 1);
    jd_loan before, after, lost;
    own[0] = 1 + jd_rank(me);
    must(me, jd_barrier(me));
    must(me, jd_borrow(me, mem, right, 0, 16, &before));
    must(me, jd_barrier(me));
    own[0] = 100 + jd_rank(me);
    must(me, jd_barrier(me));
    must(me, jd_borrow(me, mem, right, 0, 16, &after));
    must(me, jd_borrow(me, mem, right, 0, 16, &lost)); /* never given back */
    uint64_t old = *(const uint64_t *)before.bytes, now = *(const uint64_t *)after.bytes;
    ok_all(me, right == jd_rank(me) || old == 1 + right,
           "what is borrowed stays as it was");
    ok_all(me, now == 100 + right, "and what is borrowed later is new");
    jd_give_back(me, &before);
    jd_give_back(me, &after);
    jdi_cache_check(me->rank);
    must(me, jd_mem_destroy(me, mem));
}

static int body(jd_self *me, int argc, char **argv)
{
    struct shared s = {.touched = (void *)space(me, (size_t)jd_nranks(me) * TILES)};
    uint32_t ntasks = argc > 1 ? (uint32_t)atol(argv[1]) : 10;
    s.mem = make(me, NULL, (size_t)TILES * BYTES);
    jd_set_local(me, &s);
    must(me, jd_barrier(me));
    test_rounds(me, &s, ntasks);
    test_same(me, &s, ntasks);
    test_own_writes(me);
    test_forget(me);
    test_meetings(me);
    if (jd_nranks(me) > 1)
        test_inside(me);
    test_frozen(me);
    test_cache_refusals(me);
    test_loans(me);
    must(me, jd_mem_destroy(me, s.mem));
    free((void *)s.touched);
    return end_of_tests(me);
}

static const jd_task_def tasks[] = {[READER] = JD_TASK(reader),
                                    [SAME] = JD_TASK(same),
                                    [STORE] = JD_TASK(store),
                                    [LOOK] = JD_TASK(look),
                                    JD_TASK_END};

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
