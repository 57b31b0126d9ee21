/*
 * deal.c - which worker of a rank begins the next iteration with which seeds.
 *
 * Role: Algorithm 1 of the paper, among the workers of a rank.
 * Invariants: I1 of deal.h. I2 a seed is in one record, but for the moment between its copy and the drop.
 * See: deal.h; sched/balance/central.c, which is the same between ranks.
 */
#include "sched/deal.h"

#include "core/knobs.h"
#include "sched/balance/lots.h"

enum { ANEW_SHARE = 100 }; /* of the largest load: what dealing anew must save */

/* How a seed is weighed. */
struct scale {
    jd_coll *c;
    const struct jdi_trust *trust;
};

static uint64_t weigh(const struct scale *s, const struct jdi_origin *o)
{
    return jdi_trust_ns(s->trust, jdi_model_ns(&s->c->model, o));
}

/* Its seeds as more lots: the place of each in the record, in units of 16 bytes. */
static int add_lots(const struct scale *s, const struct jdi_record *r,
                    struct jdi_lots *out)
{
    struct jdi_fault *f = &s->c->rank->am->fault;
    for (size_t at = 0; at < r->used;) {
        struct jdi_task *t = jdi_record_at(r, at);
        if (at / JDI_TASK_ALIGN > UINT32_MAX)
            return JD_ENOMEM;
        const struct jdi_lot lot = {.time = weigh(s, jdi_origin_of(t)),
                                    .place = (uint32_t)(at / JDI_TASK_ALIGN)};
        if (jdi_lots_add(out, lot, f))
            return JD_ENOMEM;
        at += jdi_task_packed(t);
    }
    return 0;
}

static int list_lots(const struct scale *s, const struct jdi_record *r,
                     struct jdi_lots *out)
{
    int error = add_lots(s, r, out);
    (void)jdi_lots_sort(out);
    return error;
}

static struct jdi_task *seed_at(const struct jdi_record *r, uint32_t place)
{
    return jdi_record_at(r, (size_t)place * JDI_TASK_ALIGN);
}

static uint64_t load_of(const struct scale *s, const struct jdi_record *r)
{
    uint64_t load = 0;
    for (const struct jdi_task *t = NULL; (t = jdi_record_next(r, t));) {
        const struct jdi_origin o = jdi_origin_in(t);
        load += weigh(s, &o);
    }
    return load;
}

/* Move the shortest seeds of a worker to the pool, until its load is at most `limit`. */
static int donate(const struct scale *s, struct jdi_record *kept, struct jdi_record *pool,
                  uint64_t limit, uint64_t *load)
{
    struct jdi_lots mine = {0};
    int error = *load > limit ? list_lots(s, kept, &mine) : 0;
    for (uint32_t i = 0; !error && i<mine.n && * load> limit; i++) {
        struct jdi_task *t = seed_at(kept, mine.at[i].place);
        error = jdi_record_add(pool, t, &s->c->rank->am->fault);
        t->flags |= JDI_TASK_GONE;
        *load -= mine.at[i].time;
    }
    jdi_lots_free(&mine);
    if (!error)
        jdi_record_drop(kept, JDI_TASK_GONE);
    return error;
}

/* The loads of the workers. */
static int list_loads(const struct scale *s, struct jdi_keys *out)
{
    const jd_coll *c = s->c;
    unsigned n = c->rank->nworkers;
    int error = jdi_lots_keys_init(out, n, &c->rank->am->fault);
    for (unsigned i = 0; !error && i < n; i++)
        jdi_lots_keys_add(out, load_of(s, &c->seat[i].account.kept), i);
    return error;
}

/* What no worker should have more of: C of the paper times the average. */
static uint64_t limit_of(const struct scale *s, const struct jdi_record *pool,
                         const struct jdi_keys *load)
{
    uint64_t sum = load_of(s, pool);
    double factor = 1;
    for (unsigned i = 0; i < load->n; i++)
        sum += load->at[i].key;
    jdi_knobs_factor(s->c->rank->knobs->balance_donate, &factor);
    return (uint64_t)(factor * (double)sum / load->n);
}

/* Whoever has least gets a seed of that time; *most: the largest load that a worker had after that. */
static void add_to_least(struct jdi_keys *load, uint64_t time, uint64_t *most)
{
    uint64_t sum = load->at[0].key + time;
    jdi_lots_keys_change(load, sum);
    *most = sum > *most ? sum : *most;
}

/* Each worker gives to the pool what it has above the limit; then all of the pool, the longest first, goes to whoever has
 * least.  `most`: the largest load then. */
static int deal_out(const struct scale *s, struct jdi_record *pool, uint64_t limit,
                    struct jdi_keys *load, uint64_t *most)
{
    jd_coll *c = s->c;
    struct jdi_lots lots = {0};
    int error = 0;
    *most = 0;
    for (unsigned i = 0; !error && i < load->n; i++) {
        uint64_t *mine = &load->at[i].key;
        if (load->n > 1)
            error = donate(s, &c->seat[load->at[i].what].account.kept, pool, limit, mine);
        *most = *mine > *most ? *mine : *most;
    }
    if (!error)
        error = list_lots(s, pool, &lots);
    jdi_lots_keys_build(load);
    for (uint32_t i = lots.n; !error && i-- > 0;) {
        struct jdi_record *to = &c->seat[load->at[0].what].account.kept;
        error = jdi_record_add(to, seed_at(pool, lots.at[i].place), &c->rank->am->fault);
        add_to_least(load, lots.at[i].time, most);
    }
    jdi_lots_free(&lots);
    jdi_record_clear(pool);
    return error;
}

/* What the largest load would be if all seeds were dealt anew, the longest first. */
static int most_anew(const struct scale *s, uint64_t *most)
{
    const jd_coll *c = s->c;
    struct jdi_lots all = {0};
    struct jdi_keys load = {0};
    int error = jdi_lots_keys_init(&load, c->rank->nworkers, &c->rank->am->fault);
    for (unsigned i = 0; !error && i < c->rank->nworkers; i++) {
        error = add_lots(s, &c->seat[i].account.kept, &all);
        jdi_lots_keys_add(&load, 0, i);
    }
    (void)jdi_lots_sort(&all);
    *most = 0;
    for (uint32_t i = all.n; !error && i-- > 0;)
        add_to_least(&load, all.at[i].time, most);
    jdi_lots_keys_fini(&load);
    jdi_lots_free(&all);
    return error;
}

/* Long seeds that have come may find no room where everybody has almost enough.  All are dealt anew only for a hundredth,
 * because what changes its worker is in no cache there. */
static int deal_anew(const struct scale *s, struct jdi_record *pool,
                     struct jdi_keys *load, uint64_t most)
{
    uint64_t anew = 0;
    int error = most_anew(s, &anew);
    if (error || anew + anew / ANEW_SHARE >= most)
        return error;
    return deal_out(s, pool, 0, load, &most);
}

int jdi_deal_seeds(jd_coll *c, struct jdi_record *arrived, const struct jdi_trust *t)
{
    const struct scale s = {c, t};
    struct jdi_keys load = {0};
    int error = list_loads(&s, &load);
    if (!error) {
        uint64_t most, limit = limit_of(&s, arrived, &load);
        error = deal_out(&s, arrived, limit, &load, &most);
        if (!error && most > limit && c->rank->nworkers > 1)
            error = deal_anew(&s, arrived, &load, most);
    }
    jdi_lots_keys_fini(&load);
    return error;
}
