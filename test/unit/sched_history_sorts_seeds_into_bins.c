/*
 * sched_history_sorts_seeds_into_bins.c
 *
 * Role: of the seeds that ran on several workers, each stands once in the order of the times, in the bin of its
 *       time, and the bins are in order and have no gaps; also those that ended on another worker than they
 *       began on.  Null seeds are left out.  The sums are exact.  Without memory nothing is sorted, and it
 *       can be tried again.
 * Owner: one thread.
 * See: sched/history.h; doc/history.md.
 */
#include "core/random.h"
#include "sched/prune.h"
#include "test/unit/sched_rank_kit.h"

enum { SEEDS = 5000, WORKERS = 3, NULLS = 7, LATE = 11, LONG = 100 };

static uint64_t time_of_seed(uint32_t index)
{
    uint64_t rng = index + 1;
    return jdi_random(&rng) >> (20 + index % 40);
}

static void add(jd_self *me, jd_coll *c, uint32_t index)
{
    int error;
    size_t size = index % 13 ? sizeof index : LONG;
    struct jdi_task *t = jdi_coll_new_task(me, c, 0, size, &error);
    if (!t)
        bail_out("no task: %s", jd_strerror(error));
    memcpy(jdi_coll_arg(c, t), &index, sizeof index);
    jdi_store_put(jdi_coll_shelf(me, c));
}

/* As if the task ran on one worker, and ended on that or on the next one. */
static void run_one(jd_coll *c, struct jdi_task *t, uint64_t *load)
{
    uint32_t index;
    memcpy(&index, jdi_coll_arg(c, t), sizeof index);
    unsigned from = index % WORKERS, to = index % LATE ? from : (from + 1) % WORKERS;
    struct jdi_account *a = &c->seat[from].account, *b = &c->seat[to].account;
    struct jdi_stopwatch watch = {
        .at = a->kept.used, .owner = from, .null = index % NULLS == 0};
    jdi_account_starts(a, t->id);
    if (jdi_record_add(&a->kept, t, NULL) ||
        !jdi_history_ran(c->history, to, &b->kept, &watch, time_of_seed(index), NULL))
        bail_out("no memory");
    if (t->flags & JDI_TASK_SPILLED)
        jdi_free(jdi_task_spill(t));
    load[from] += time_of_seed(index);
    jdi_account_out(b, 1);
}

static void run_all(struct kit_rank *k, jd_coll *c, uint64_t *load)
{
    for (uint32_t i = 0; i < SEEDS; i++)
        add(&k->body, c, i);
    if (jdi_coll_note_seeds(&k->body, c))
        bail_out("no memory");
    kit_open(c);
    for (struct jdi_task *t; (t = jdi_store_pop(&c->seat[0].shelf));)
        run_one(c, t, load);
    kit_close(c);
}

/* Is each seed in its bin, and each bin where the one before it ends? */
static bool bins_are_right(const struct jdi_history *h, bool seen[SEEDS])
{
    uint64_t at = 0;
    uint16_t last = 0;
    bool right = true;
    for (uint32_t b = 0; b < h->nbins && right; b++) {
        right = h->bin[b].first == at && h->bin[b].n > 0 && h->bin[b].time > last;
        last = h->bin[b].time;
        for (uint64_t i = 0; i < h->bin[b].n && right; i++, at++) {
            const struct jdi_origin *o = jdi_origin_of(h->seed[at]);
            right = o->time[0] == last &&
                    last == jdi_origin_bin(time_of_seed(o->index)) && !seen[o->index];
            seen[o->index] = true;
        }
    }
    return right && at == h->nseeds;
}

static void test_sorted(struct kit_rank *k, jd_coll *c)
{
    static bool seen[SEEDS];
    uint64_t load[WORKERS] = {0}, nulls = (SEEDS + NULLS - 1) / NULLS, sum = 0;
    run_all(k, c, load);
    for (unsigned i = 0; i < WORKERS; i++) {
        is_u64(c->history->sheet[i].load, load[i], "the load of worker %u", i);
        sum += load[i];
    }
    is_u64(c->info.load, sum, "and of the rank");
    is_u64(c->info.null, nulls, "null seeds are counted");
    is_u64(c->info.retained, SEEDS - nulls, "and not retained");
    char text[64];
    if (jdi_fault_parse(&k->am.fault, "alloc:3", text, sizeof text))
        bail_out("%s", text);
    ok(jdi_history_sort(c) == JD_ENOMEM && !c->history->nseeds, "not without memory");
    is_u64((uint64_t)jdi_history_sort(c), 0, "later it is sorted");
    is_u64(c->history->nseeds, SEEDS - nulls, "but for the null ones");
    ok(bins_are_right(c->history, seen), "each seed is in its bin");
    ok(c->history->nbins > 100 && c->history->nbins < SEEDS - nulls,
       "of which there are fewer");
}

int main(void)
{
    static struct kit_rank k;
    jd_coll_props props = {.timed = 1};
    jd_coll *c;
    kit_rank_init(&k, 1, 2, WORKERS);
    if (jdi_coll_new(&k.rank, &jdi_plain_timed, &props, &c))
        bail_out("no collection");
    test_sorted(&k, c);
    is_u64((uint64_t)jdi_prune_kept(c), 0, "null seeds leave the records");
    is_u64(c->history->pruned.here.n, (SEEDS + NULLS - 1) / NULLS, "and are remembered");
    jdi_coll_free(c);
    return done_testing();
}
