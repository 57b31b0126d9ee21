/*
 * retain.c - retained seeds on their way to the shelf of the worker that ran them.
 *
 * Role: listing what each worker has run, and putting the lists onto shelves.
 * Invariants: I1 to I3 of retain.h.
 * Order: [pair: retain-waiting].
 * See: retain.h, which has the states and their owners.
 */
#include "sched/coll.h"

/* A worker that is in a long task of another collection does not fetch its list.  Others get the
 * list then.  The time is longer than the time slices of a host with more threads than cores. */
enum { LATE_NS = 10000000 };
/* What takes more than this part of its list is long. */
enum { LONG_SHARE = 256 };

void jdi_retain_list(jd_self *me, jd_coll *c)
{
    struct jdi_account *counts = &c->seat[me->worker->index].account;
    for (unsigned i = 0; i < c->rank->nworkers; i++) {
        struct jdi_retained *list = &c->seat[i].retained;
        struct jdi_record *kept = &c->seat[i].account.kept, last = list->seeds;
        JD_ASSERT(!last.count && !jdi_retained_waits(list));
        list->seeds = *kept;
        *kept = last; /* its memory is used again */
        for (const struct jdi_task *t = NULL;
             c->recall && (t = jdi_record_next(&list->seeds, t));)
            jdi_account_name(counts, t->id);
        list->id = counts->id_base + 1 + jdi_account_in(counts, 0);
        (void)jdi_account_in(counts, list->seeds.count);
    }
}

void jdi_retain_begin(jd_coll *c, uint64_t now)
{
    JD_ASSERT(jdi_rank_is_comm(c->rank));
    uint32_t lists = 0;
    for (unsigned i = 0; i < c->rank->nworkers; i++)
        lists += c->seat[i].retained.seeds.count > 0;
    if (!lists)
        return;
    c->opened_at = now;
    /* Relaxed, because whoever subtracts from it has seen `waiting`. */
    atomic_store_explicit(&c->lists, lists, memory_order_relaxed);
    for (unsigned i = 0; i < c->rank->nworkers; i++)
        /* [pair: retain-waiting] release: the list, which the body wrote, and the open phase. */
        atomic_store_explicit(&c->seat[i].retained.waiting,
                              c->seat[i].retained.seeds.count > 0, memory_order_release);
}

static JD_NORETURN void no_memory_for_seeds(const jd_coll *c, uint64_t n)
{
    jdi_die(&c->rank->am->log, JDI_EXIT_MEMORY,
            "out of memory for %llu retained seeds of %s", (unsigned long long)n,
            c->name);
}

/* Write a seed into a slot.  False when out of memory. */
static bool write_seed(jd_coll *c, struct jdi_task *t, const struct jdi_task *seed,
                       uint64_t id)
{
    bool spilled = seed->len > c->room;
    void *spill = spilled ? jdi_alloc(&c->rank->am->fault, seed->len) : NULL;
    *t = (struct jdi_task){.id = id, .fn = seed->fn, .len = seed->len};
    t->flags = JDI_TASK_SEED | JDI_TASK_AGAIN;
    if (spill)
        jdi_task_set_spill(t, spill);
    else if (spilled)
        return false;
    memcpy(jdi_task_arg(t), seed->arg, seed->len);
    return true;
}

static uint64_t last_time(const struct jdi_task *seed)
{
    return jdi_origin_ns(jdi_origin_in(seed).time[0]);
}

/* How many seeds of the list are long; `limit`: what long ones take more than. */
static uint64_t count_long(const struct jdi_record *seeds, uint64_t *limit)
{
    uint64_t sum = 0, n = 0;
    for (const struct jdi_task *t = NULL; (t = jdi_record_next(seeds, t));)
        sum += last_time(t);
    *limit = sum / LONG_SHARE;
    for (const struct jdi_task *t = NULL; (t = jdi_record_next(seeds, t));)
        n += last_time(t) > *limit;
    return n;
}

/* The seeds of a timed collection as they shall run, the last one first: the long ones run first, the longest of them before
 * the others; what is as long as another one, and what is not long, runs in the order of the list.  Behind them is more
 * memory, for the caller to free with them.  NULL when out of it. */
static struct jdi_task **by_time(jd_coll *c, const struct jdi_record *seeds)
{
    uint64_t n = seeds->count, limit, longs = count_long(seeds, &limit);
    uint64_t last_long = n, last_short = n - longs;
    struct jdi_task **seed = jdi_alloc(&c->rank->am->fault, (n + longs) * sizeof *seed);
    if (!seed)
        return NULL;
    for (size_t at = 0; at < seeds->used;) {
        struct jdi_task *t = jdi_record_at(seeds, at);
        seed[last_time(t) > limit ? --last_long : --last_short] = t;
        at += jdi_task_packed(t);
    }
    JD_ASSERT(last_long == n - longs && !last_short);
    jdi_history_order(seed + n - longs, seed + n, longs);
    return seed;
}

/* Whoever calls this has set `waiting` to false, so the list is the caller's. */
static void put_onto(jd_coll *c, struct jdi_retained *list, struct jdi_shelf *s)
{
    const struct jdi_record *seeds = &list->seeds;
    uint64_t n = seeds->count, k = 0;
    struct jdi_task **sorted = c->history ? by_time(c, seeds) : NULL;
    if ((c->history && !sorted) || jdi_store_reserve(s, n))
        no_memory_for_seeds(c, n);
    for (uint64_t i = 0; i < n; i++)
        (void)jdi_store_land(s);
    for (const struct jdi_task *t = NULL; (t = jdi_record_next(seeds, t)); k++) {
        const struct jdi_task *seed = sorted ? sorted[n - 1 - k] : t;
        uint64_t id = c->recall ? seed->id : list->id + k;
        if (!write_seed(c, jdi_store_youngest(s, k), seed, id))
            no_memory_for_seeds(c, n);
    }
    JD_ASSERT(k == n);
    jdi_free(sorted);
    jdi_record_clear(&list->seeds);
    /* Relaxed: a hint for the communication thread while the phase is open; it sees the last value
     * when it has seen these tasks counted out.  [pair: account-out] */
    atomic_fetch_sub_explicit(&c->lists, 1, memory_order_relaxed);
    jdi_store_arrived(s, n);
}

/* [pair: retain-waiting] acquire: the list and the open phase. */
static bool fetched(struct jdi_retained *list)
{
    return jdi_retained_waits(list) &&
           atomic_exchange_explicit(&list->waiting, false, memory_order_acquire);
}

void jdi_retain_fetch(jd_coll *c, struct jdi_seat *seat)
{
    if (fetched(&seat->retained))
        put_onto(c, &seat->retained, &seat->shelf);
}

void jdi_retain_turn(jd_coll *c, uint64_t now)
{
    JD_ASSERT(jdi_rank_is_comm(c->rank));
    if (!atomic_load_explicit(&c->lists, memory_order_relaxed) ||
        c->sharing == JD_STEAL_NONE)
        return;
    if (now < c->opened_at + LATE_NS) /* the turn may have begun before the phase */
        return;
    for (unsigned i = 0; i < c->rank->nworkers; i++)
        if (fetched(&c->seat[i].retained))
            put_onto(c, &c->seat[i].retained, jdi_coll_landing(c));
}

void jdi_retain_fini(struct jdi_retained *list)
{
    jdi_record_free(&list->seeds);
}
