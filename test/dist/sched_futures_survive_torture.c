/*
 * sched_futures_survive_torture.c
 *
 * Role: whatever tasks of all ranks do with the same futures at once, from a seed: each future is set once
 *       at most and destroyed once, whoever gets a value gets the right one, whoever waits goes on, each task
 *       that waits to begin begins once.  Every third game is cancelled.
 *       Arguments: games, the first seed, tasks of each rank.
 * Owner: as sched_futures_kit.h.
 * See: doc/data.md "Futures".
 */
#include "core/random.h"
#include "test/dist/sched_futures_kit.h"

enum { DEED, BEGUN };
enum { FUTURES = 6, LONG = 40 }; /* of each rank; bytes of the longer values */
enum { RANKS_MOST = 40 };

struct shared { /* of one rank, in registered memory */
    _Atomic uint64_t set, destroyed, wrong, begun, awaited;
    uint64_t number[FUTURES];
};

struct deed {
    jd_mem mem;
    uint64_t seed, deeds;
};

static struct shared *shared_of(jd_self *me, jd_mem mem)
{
    return jd_mem_local(me, mem, NULL);
}

/* The value of a future: a word, or LONG bytes that are told from it. */
static size_t value_of(jd_future f, unsigned char *bytes)
{
    size_t n = f.number & 1 ? LONG : sizeof(uint64_t);
    for (size_t i = 0; i < n; i++)
        bytes[i] = (unsigned char)(f.number * (i + 1) + f.home);
    return n;
}

static bool is_right(jd_future f, const unsigned char *got)
{
    unsigned char want[LONG];
    return !memcmp(got, want, value_of(f, want));
}

static void get(jd_self *me, struct shared *s, jd_future f, jd_time deadline)
{
    unsigned char got[LONG], want[LONG];
    int e = jd_future_get_until(me, f, got, value_of(f, want), deadline);
    if (e == 0 ? !is_right(f, got)
               : e != JD_EINVAL && e != JD_ECANCELED &&
                     (e != JD_ETIMEDOUT || deadline == JD_FOREVER))
        count(&s->wrong, 1);
}

/* The value of the one, or the other one set. */
static void take_one(jd_self *me, struct shared *s, jd_future a, jd_future b,
                     jd_time deadline)
{
    unsigned char got[LONG], want[LONG];
    jd_case c[] = {jd_case_future(a, got, value_of(a, want)), jd_case_future(b, NULL, 0)};
    int i = jd_select(me, c, 2, 0, deadline);
    bool stale = i == JD_EINVAL && (c[0].error || c[1].error);
    bool taken =
        i >= 0 && (c[i].error == JD_EINVAL || (!c[i].error && (i || is_right(a, got))));
    if (!stale && !taken && i != JD_ECANCELED &&
        (i != JD_ETIMEDOUT || deadline == JD_FOREVER))
        count(&s->wrong, 1);
}

static void set_it(jd_self *me, struct shared *s, jd_future f)
{
    unsigned char bytes[LONG];
    size_t n = value_of(f, bytes);
    int e = jd_future_set(me, f, bytes, n);
    if (!e)
        count(&s->set, 1);
    else if (e != JD_ESTATE && e != JD_EINVAL)
        count(&s->wrong, 1);
}

static void destroy_it(jd_self *me, struct shared *s, jd_future f)
{
    int e = jd_future_destroy(me, f);
    if (!e)
        count(&s->destroyed, 1);
    else if (e != JD_EINVAL)
        count(&s->wrong, 1);
}

static void begun(jd_self *me, void *arg)
{
    const struct deed d = *(const struct deed *)arg;
    count(&shared_of(me, d.mem)->begun, 1);
}

static void do_one(jd_self *me, const struct deed *d, struct shared *s, uint64_t *rng,
                   const jd_future *f)
{
    uint64_t dice = jdi_random(rng), some = jdi_random(rng) % 40000;
    jd_future a = f[dice / 64 % (FUTURES * jd_nranks(me))];
    jd_future b = f[dice / 65536 % (FUTURES * jd_nranks(me))];
    jd_future both[] = {a, b};
    switch (dice % 16) {
    case 0:
    case 1:
        set_it(me, s, a);
        break;
    case 2:
        destroy_it(me, s, a);
        break;
    case 3:
        get(me, s, a, JD_FOREVER);
        break;
    case 4:
    case 5:
    case 6:
        get(me, s, a, jd_deadline(me, some));
        break;
    case 7:
        get(me, s, a, JD_NOW);
        break;
    case 8:
        (void)!jd_future_ready(me, a);
        break;
    case 9:
        (void)!jd_future_wait_until(me, a, NULL, jd_deadline(me, some));
        break;
    case 10:
    case 11:
        must(me, jd_async_await(me, both, 2, BEGUN, d, sizeof *d));
        count(&s->awaited, 1);
        break;
    case 12:
        must(me, jd_async_await_at(me, (uint32_t)(some % jd_nranks(me)), both, 2, BEGUN,
                                   d, sizeof *d));
        count(&s->awaited, 1);
        break;
    case 13:
        must(me, jd_async_after(me, jd_deadline(me, some), BEGUN, d, sizeof *d));
        count(&s->awaited, 1);
        break;
    case 14:
        take_one(me, s, a, b, some & 7 ? jd_deadline(me, some) : JD_FOREVER);
        break;
    default:
        (void)!jd_sleep(me, some / 8);
        break;
    }
}

/* All futures of a game; the numbers of other ranks are read again each time. */
static void all_futures(jd_self *me, jd_mem mem, jd_future *f)
{
    for (uint32_t r = 0; r < jd_nranks(me); r++) {
        uint64_t number[FUTURES];
        must(me,
             jd_get(me, mem, r, offsetof(struct shared, number), number, sizeof number));
        for (int i = 0; i < FUTURES; i++)
            f[r * FUTURES + i] = (jd_future){.number = number[i], .home = r};
    }
}

static void deed(jd_self *me, void *arg)
{
    const struct deed d = *(const struct deed *)arg;
    jd_future f[FUTURES * RANKS_MOST];
    uint64_t rng = d.seed;
    all_futures(me, d.mem, f);
    for (uint64_t i = 0; i < d.deeds; i++)
        do_one(me, &d, shared_of(me, d.mem), &rng, f);
}

static const jd_task_def tasks[] = {
    [DEED] = JD_TASK(deed), [BEGUN] = JD_TASK(begun), JD_TASK_END};

/* Returns true if all is right on this rank. */
static bool play(jd_self *me, uint64_t seed, uint64_t ntasks)
{
    uint64_t rng = seed * 64 + jd_rank(me) + 1;
    bool cancel = seed % 3 == 0;
    jd_future mine[FUTURES];
    jd_mem mem;
    jd_scope scope;
    must(me, jd_mem_create(me, NULL, sizeof(struct shared), &mem));
    struct shared *s = shared_of(me, mem);
    for (int i = 0; i < FUTURES; i++) {
        must(me, jd_future_create(me, &mine[i]));
        s->number[i] = mine[i].number;
    }
    must(me, jd_barrier(me));
    must(me, jd_finish_begin(me, &scope));
    for (uint64_t i = 0; i < ntasks; i++) {
        struct deed d = {mem, jdi_random(&rng), 1 + jdi_random(&rng) % 8};
        must(me, jd_async(me, DEED, &d, sizeof d));
    }
    must(me, jd_sleep(me, jdi_random(&rng) % 50000));
    if (cancel && jd_rank(me) == seed / 3 % jd_nranks(me))
        must(me, jd_cancel(me, jd_finish_mine(me)));
    /* From here on nothing has to wait for ever. */
    for (int i = 0; i < FUTURES; i++)
        set_it(me, s, mine[i]);
    int ended = jd_finish_end(me, &scope);
    must(me, jd_barrier(me));
    for (int i = 0; i < FUTURES; i++)
        destroy_it(me, s, mine[i]);
    uint64_t set = sum_of(me, s->set), destroyed = sum_of(me, s->destroyed);
    uint64_t awaited = sum_of(me, s->awaited), began = sum_of(me, s->begun);
    bool right = !s->wrong && set <= FUTURES * (uint64_t)jd_nranks(me) &&
                 destroyed == FUTURES * (uint64_t)jd_nranks(me) &&
                 (cancel ? began <= awaited : began == awaited) &&
                 (!ended || (cancel && ended == JD_ECANCELED));
    if (!right)
        fprintf(
            stderr,
            "# rank %u, seed %llu: wrong %llu, set %llu, destroyed %llu, awaited %llu, "
            "begun %llu, the finish %d\n",
            jd_rank(me), (unsigned long long)seed, (unsigned long long)s->wrong,
            (unsigned long long)set, (unsigned long long)destroyed,
            (unsigned long long)awaited, (unsigned long long)began, ended);
    must(me, jd_mem_destroy(me, mem));
    return right;
}

static int body(jd_self *me, int argc, char **argv)
{
    uint64_t games = argc > 1 ? strtoull(argv[1], NULL, 10) : 5;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    uint64_t ntasks = argc > 3 ? strtoull(argv[3], NULL, 10) : 12, right = 0;
    if (jd_nranks(me) > RANKS_MOST)
        jd_abort(me, 99, "for up to %d ranks", RANKS_MOST);
    for (uint64_t i = 0; i < games; i++)
        right += play(me, first + i, ntasks);
    ok_all(me, right == games, "%llu games from seed %llu", (unsigned long long)games,
           (unsigned long long)first);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
