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

/* How a seed is weighed. */
struct scale {
    jd_coll *c;
    const struct jdi_trust *trust;
};

static uint64_t weigh(const struct scale *s, const struct jdi_origin *o)
{
    return jdi_trust_ns(s->trust, jdi_model_ns(&s->c->model, o));
}

/* Its seeds as lots: the place of each, in units of 16 bytes. */
static int list_lots(const struct scale *s, const struct jdi_record *r,
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
    (void)jdi_lots_sort(out);
    return 0;
}

static struct jdi_task *seed_at(const struct jdi_record *r, uint32_t place)
{
    return jdi_record_at(r, (size_t)place * JDI_TASK_ALIGN);
}

static uint64_t load_of(const struct scale *s, const struct jdi_record *r)
{
    uint64_t load = 0;
    for (const struct jdi_task *t = NULL; (t = jdi_record_next(r, t));) {
        struct jdi_origin o;
        memcpy(&o, t->arg, sizeof o);
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

/* The keys are the loads of the workers, in their order. */
static int donate_all(const struct scale *s, struct jdi_record *pool,
                      struct jdi_keys *load)
{
    const jd_coll *c = s->c;
    uint64_t sum = load_of(s, pool);
    int error = 0;
    for (unsigned i = 0; i < c->rank->nworkers; i++)
        sum += load->at[i].key;
    double factor = 1; /* C of the paper: what a worker has above it is given away */
    jdi_knobs_factor(c->rank->knobs->balance_donate, &factor);
    uint64_t limit = (uint64_t)(factor * (double)sum / c->rank->nworkers);
    for (unsigned i = 0; !error && i < c->rank->nworkers; i++)
        error = donate(s, &c->seat[i].account.kept, pool, limit, &load->at[i].key);
    return error;
}

int jdi_deal_seeds(jd_coll *c, struct jdi_record *arrived, const struct jdi_trust *t)
{
    const struct scale s = {c, t};
    struct jdi_fault *f = &c->rank->am->fault;
    struct jdi_lots pool = {0};
    struct jdi_keys load = {0};
    int error = jdi_lots_keys_init(&load, c->rank->nworkers, f);
    for (unsigned i = 0; !error && i < c->rank->nworkers; i++)
        jdi_lots_keys_add(&load, load_of(&s, &c->seat[i].account.kept), i);
    if (!error && c->rank->nworkers > 1)
        error = donate_all(&s, arrived, &load);
    if (!error)
        error = list_lots(&s, arrived, &pool);
    jdi_lots_keys_build(&load);
    for (uint32_t i = pool.n; !error && i-- > 0;) {
        struct jdi_record *to = &c->seat[load.at[0].what].account.kept;
        error = jdi_record_add(to, seed_at(arrived, pool.at[i].place), f);
        jdi_lots_keys_change(&load, load.at[0].key + pool.at[i].time);
    }
    jdi_lots_keys_fini(&load);
    jdi_lots_free(&pool);
    jdi_record_clear(arrived);
    return error;
}
