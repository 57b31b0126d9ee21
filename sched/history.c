/*
 * history.c - what the tasks of a timed collection took in the last phase, at one rank.
 *
 * Role: sheets of the workers, their sums, and the seeds in the order of their times.
 * Invariants: I1 and I2 of history.h.
 * Order: [pair: account-out].
 * See: history.h, which has the owners.
 */
#include "sched/history.h"

#include "core/grow.h"
#include "sched/coll.h"

enum { FIRST_LATE = 8, DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

struct jdi_history *jdi_history_new(unsigned nowners, struct jdi_fault *f)
{
    struct jdi_history *h = jdi_zalloc(f, sizeof *h);
    struct jdi_sheet *sheet = jdi_zalloc(f, nowners * sizeof *sheet);
    if (!h || !sheet) {
        jdi_free(h);
        jdi_free(sheet);
        return NULL;
    }
    *h = (struct jdi_history){.nowners = nowners, .sheet = sheet};
    return h;
}

void jdi_history_forget(struct jdi_history *h)
{
    jdi_free(h->seed);
    jdi_free(h->bin);
    h->seed = NULL;
    h->bin = NULL;
    h->nseeds = h->nbins = 0;
    h->sorted = false;
}

void jdi_history_free(struct jdi_history *h)
{
    if (!h)
        return;
    jdi_history_forget(h);
    for (unsigned i = 0; i < h->nowners; i++)
        jdi_free(h->sheet[i].late);
    jdi_free(h->pruned.here.seed);
    jdi_free(h->pruned.told.seed);
    jdi_free(h->sheet);
    jdi_free(h);
}

/* ---- a task has ended --------------------------------------------------------------- */

static bool add_late(struct jdi_sheet *s, const struct jdi_late *one, struct jdi_fault *f)
{
    void *late = jdi_grow(f, s->late, s->nlate, 1, sizeof *s->late, &s->room, FIRST_LATE);
    if (!late)
        return false;
    s->late = late;
    s->late[s->nlate++] = *one;
    return true;
}

static void add_time(struct jdi_sheet *s, uint64_t ns)
{
    s->load += ns;
    s->longest = ns > s->longest ? ns : s->longest;
}

/* Write the time of a seed into the record's copy of it. */
static void note_seed_time(struct jdi_sheet *s, struct jdi_record *kept,
                           const struct jdi_late *one)
{
    struct jdi_task *t = jdi_record_at(kept, one->at);
    JD_ASSERT(t->flags & JDI_TASK_SEED);
    jdi_origin_note(jdi_origin_of(t), one->ns);
    if (one->null) {
        t->flags |= JDI_TASK_NULL;
        s->null++;
    }
    add_time(s, one->ns);
}

bool jdi_history_ran(struct jdi_history *h, unsigned owner, struct jdi_record *kept,
                     const struct jdi_stopwatch *watch, uint64_t ns, struct jdi_fault *f)
{
    struct jdi_late one = {watch->at, ns, watch->owner, watch->null};
    JD_ASSERT(owner < h->nowners && watch->owner < h->nowners);
    if (JDI_UNLIKELY(watch->at == JDI_STOPWATCH_NO_SEED)) {
        add_time(&h->sheet[owner], ns);
        return true;
    }
    if (JDI_UNLIKELY(watch->owner != owner))
        return add_late(&h->sheet[owner], &one, f);
    note_seed_time(&h->sheet[owner], kept, &one);
    return true;
}

/* ---- phases ------------------------------------------------------------------------- */

void jdi_history_begin(struct jdi_history *h)
{
    jdi_history_forget(h);
    for (unsigned i = 0; i < h->nowners; i++) {
        struct jdi_sheet *s = &h->sheet[i];
        JD_ASSERT(!s->nlate);
        s->load = s->longest = s->null = 0;
    }
}

static void bring_home(jd_coll *c, struct jdi_sheet *from)
{
    for (size_t i = 0; i < from->nlate; i++) {
        const struct jdi_late *one = &from->late[i];
        note_seed_time(&c->history->sheet[one->owner], &c->seat[one->owner].account.kept,
                       one);
    }
    from->nlate = 0;
}

void jdi_history_end(jd_coll *c, jd_coll_info *info)
{
    JD_ASSERT(jdi_rank_is_comm(c->rank));
    struct jdi_history *h = c->history;
    for (unsigned i = 0; i < h->nowners; i++)
        bring_home(c, &h->sheet[i]);
    for (unsigned i = 0; i < h->nowners; i++) {
        info->load += h->sheet[i].load;
        info->null += h->sheet[i].null;
    }
}

/* ---- in the order of their times ---------------------------------------------------- */

static uint64_t list_seeds(jd_coll *c, struct jdi_task **out)
{
    uint64_t n = 0;
    for (unsigned i = 0; i + 1 < c->nowners; i++) {
        const struct jdi_record *kept = &c->seat[i].account.kept;
        for (size_t at = 0; at < kept->used;) {
            struct jdi_task *t = jdi_record_at(kept, at);
            if (!(t->flags & JDI_TASK_NULL))
                out[n++] = t;
            at += jdi_task_packed(t);
        }
    }
    return n;
}

static unsigned bin_digit(struct jdi_task *t, unsigned shift)
{
    return jdi_origin_of(t)->time[0] >> shift & (DIGITS - 1);
}

/* One pass of a radix sort: by eight bits of the bin, seeds with equal bits stay in their order. */
static void sort_by_digit(struct jdi_task **to, struct jdi_task *const *from, uint64_t n,
                          unsigned shift)
{
    uint64_t first[DIGITS] = {0}, sum = 0;
    for (uint64_t i = 0; i < n; i++)
        first[bin_digit(from[i], shift)]++;
    for (unsigned d = 0; d < DIGITS; d++) {
        uint64_t count = first[d];
        first[d] = sum;
        sum += count;
    }
    for (uint64_t i = 0; i < n; i++)
        to[first[bin_digit(from[i], shift)]++] = from[i];
}

void jdi_history_order(struct jdi_task **seed, struct jdi_task **spare, uint64_t n)
{
    sort_by_digit(spare, seed, n, 0);
    sort_by_digit(seed, spare, n, DIGIT_BITS);
}

/* Bins that are not empty.  bin: NULL, or where they go. */
static uint32_t divide_into_bins(const struct jdi_history *h, struct jdi_bin *bin)
{
    uint32_t n = 0;
    uint16_t last = 0; /* the bin of no seed */
    for (uint64_t i = 0; i < h->nseeds; i++) {
        uint16_t time = jdi_origin_of(h->seed[i])->time[0];
        JD_ASSERT(time >= last && time > 0);
        if (time != last && bin)
            bin[n] = (struct jdi_bin){.time = time, .first = i};
        n += time != last;
        if (bin)
            bin[n - 1].n++;
        last = time;
    }
    return n;
}

int jdi_history_sort(jd_coll *c)
{
    struct jdi_history *h = c->history;
    struct jdi_fault *f = &c->rank->am->fault;
    uint64_t n = 0;
    if (h->sorted)
        return 0;
    for (unsigned i = 0; i + 1 < c->nowners; i++)
        n += c->seat[i].account.kept.count;
    h->seed = jdi_alloc(f, n * sizeof *h->seed);
    struct jdi_task **spare = jdi_alloc(f, n * sizeof *spare);
    if (h->seed && spare) {
        h->nseeds = list_seeds(c, h->seed);
        jdi_history_order(h->seed, spare, h->nseeds);
        h->nbins = divide_into_bins(h, NULL);
        h->bin = jdi_zalloc(f, h->nbins * sizeof *h->bin);
        h->sorted = h->bin != NULL;
    }
    jdi_free(spare);
    if (!h->sorted) {
        jdi_history_forget(h);
        return JD_ENOMEM;
    }
    (void)divide_into_bins(h, h->bin);
    return 0;
}

unsigned jdi_history_owner(const jd_coll *c, const struct jdi_task *seed)
{
    uintptr_t at = (uintptr_t)seed;
    unsigned i = 0;
    while (i + 1 < c->nowners &&
           at - (uintptr_t)c->seat[i].account.kept.bytes >= c->seat[i].account.kept.used)
        i++;
    JD_ASSERT(i + 1 < c->nowners);
    return i;
}
