/*
 * stage.c - what a rank gets of a checkpoint, before it takes it.
 *
 * Role: see stage.h.
 * Invariants: I1 and I2 of stage.h. I3 seeds that were added are staged in the order of their indices.
 * See: stage.h; sched/prune.h, which needs I3.
 */
#include "sched/checkpoint/stage.h"

#include "sched/prune.h"

/* ---- begin and end -------------------------------------------------------------------- */

static struct jdi_fault *fault_of_stage(const struct jdi_stage *s)
{
    return &s->coll->rank->am->fault;
}

static uint32_t rank_of_stage(const struct jdi_stage *s)
{
    return s->coll->rank->am->rank;
}

/* How long each old rank's list of added seeds is, and how much of all lists is this rank's. */
static void count_indices(struct jdi_stage *s)
{
    uint32_t mine = rank_of_stage(s);
    enum jdi_manifest_word word =
        s->m->origin ? JDI_MANIFEST_INDICES : JDI_MANIFEST_ADDED;
    for (uint32_t r = 0; r < s->m->nranks; r++) {
        uint64_t n = s->list[r] = jdi_manifest_row(s->m, r)[word];
        s->indices += jdi_deal_before(&s->ranks, r, n, (uint64_t)mine + 1) -
                      jdi_deal_before(&s->ranks, r, n, mine);
    }
}

static bool make_mems(struct jdi_stage *s)
{
    for (uint32_t i = 0; i < s->m->nmems; i++) {
        struct jdi_stage_mem *p = &s->mem[i];
        if (p->size && !(p->bytes = jdi_alloc(fault_of_stage(s), p->size)))
            return false;
    }
    return true;
}

int jdi_stage_init(struct jdi_stage *s, jd_coll *c, const struct jdi_manifest *m,
                   uint64_t first, uint64_t all)
{
    uint64_t units = 0;
    for (uint32_t r = 0; r < m->nranks; r++)
        units += jdi_manifest_row(m, r)[JDI_MANIFEST_WORKERS];
    s->coll = c;
    s->m = m;
    s->workers = (struct jdi_deal){units, all};
    s->ranks = (struct jdi_deal){m->nranks, c->rank->am->nranks};
    s->first_worker = first;
    s->list = jdi_alloc(fault_of_stage(s), m->nranks * sizeof *s->list);
    s->task = jdi_alloc(fault_of_stage(s), m->ntasks * sizeof *s->task);
    s->worker = jdi_zalloc(fault_of_stage(s), c->rank->nworkers * sizeof *s->worker);
    if (!s->list || !s->task || !s->worker || !make_mems(s))
        return JD_ENOMEM;
    count_indices(s);
    const char *name = m->names;
    for (uint32_t i = 0; i < m->ntasks; i++, name += strlen(name) + 1)
        s->task[i] = jdi_registry_find(&c->rank->registry, name);
    return 0;
}

void jdi_stage_fini(struct jdi_stage *s)
{
    for (unsigned i = 0; s->worker && i < s->coll->rank->nworkers; i++)
        jdi_record_free(&s->worker[i].kept);
    for (unsigned i = 0; i < JDI_MANIFEST_MEMS; i++)
        jdi_free(s->mem[i].bytes);
    jdi_record_free(&s->added);
    jdi_free(s->pruned.seed);
    jdi_free(s->worker);
    jdi_free(s->list);
    jdi_free(s->task);
}

/* ---- what is this rank's -------------------------------------------------------------- */

/* How many of the n elements of an old worker a worker of this rank gets. */
static uint64_t part_of(const struct jdi_stage *s, uint64_t unit, uint64_t n,
                        unsigned worker)
{
    uint64_t to = s->first_worker + worker;
    return jdi_deal_before(&s->workers, unit, n, to + 1) -
           jdi_deal_before(&s->workers, unit, n, to);
}

/* A worker without seeds has a load, too, which goes where a single seed would. */
static uint64_t at_least_one(uint64_t n)
{
    return n ? n : 1;
}

static bool wants_workers(const struct jdi_stage *s, uint32_t rank)
{
    const uint64_t *row = jdi_manifest_row(s->m, rank);
    for (uint64_t w = 0; w < row[JDI_MANIFEST_WORKERS]; w++)
        for (unsigned i = 0; i < s->coll->rank->nworkers; i++)
            if (part_of(s, s->unit + w, at_least_one(jdi_manifest_kept(s->m, rank, w)),
                        i))
                return true;
    return false;
}

static bool wants_mem(const struct jdi_stage *s, uint32_t rank)
{
    for (uint32_t i = 0; i < s->m->nmems; i++) {
        const struct jdi_stage_mem *p = &s->mem[i];
        uint64_t end = p->before + jdi_manifest_mem(s->m, rank, i);
        if (p->first < end && p->before < p->first + p->size)
            return true;
    }
    return false;
}

/* The new rank that gets the seeds of an old rank that were pruned. */
static uint64_t heir_of(const struct jdi_stage *s, uint32_t rank)
{
    return jdi_deal_to(&s->ranks, rank, 1, 0);
}

bool jdi_stage_wants(const struct jdi_stage *s, uint32_t rank)
{
    uint64_t mine = rank_of_stage(s), n = s->list[rank];
    return heir_of(s, rank) == mine || wants_workers(s, rank) || wants_mem(s, rank) ||
           jdi_deal_before(&s->ranks, rank, n, mine + 1) >
               jdi_deal_before(&s->ranks, rank, n, mine);
}

void jdi_stage_mem(void *stage, uint32_t mem, uint64_t offset, const unsigned char *bytes,
                   uint64_t n)
{
    struct jdi_stage *s = stage;
    const struct jdi_stage_mem *p = &s->mem[mem];
    uint64_t begin = p->before + offset, end = begin + n;
    uint64_t from = begin > p->first ? begin : p->first;
    uint64_t to = end < p->first + p->size ? end : p->first + p->size;
    if (from < to)
        memcpy(p->bytes + (from - p->first), bytes + (from - begin), to - from);
}

void jdi_stage_next(struct jdi_stage *s, uint32_t rank)
{
    s->unit += jdi_manifest_row(s->m, rank)[JDI_MANIFEST_WORKERS];
    for (uint32_t i = 0; i < s->m->nmems; i++)
        s->mem[i].before += jdi_manifest_mem(s->m, rank, i);
}

/* ---- seeds ---------------------------------------------------------------------------- */

/* What an origin of the old job is in this one. */
static struct jdi_pruned_seed origin_here(const struct jdi_stage *s, uint32_t rank,
                                          uint32_t index)
{
    return (struct jdi_pruned_seed){
        .rank = (uint32_t)jdi_deal_to(&s->ranks, rank, s->list[rank], index),
        .index = (uint32_t)jdi_deal_place(&s->ranks, s->list, rank, index)};
}

static const char *fault_of_seed(const struct jdi_stage *s,
                                 const struct jdi_share_task *t)
{
    const jd_coll *c = s->coll;
    if (s->task[t->fn] < 0 || c->row[s->task[t->fn]].hooks)
        return "it has seeds of a task that is not in this program";
    if (c->uniform && t->len - c->origin > c->arg_size)
        return "it has an argument that is larger than the collection takes";
    return NULL;
}

/* Append a seed to a record.  0, JD_ENOMEM, or JD_EFILE and *fault. */
static int stage_seed(struct jdi_stage *s, struct jdi_record *to,
                      const struct jdi_share_task *t, const char **fault)
{
    _Alignas(JDI_TASK_ALIGN) unsigned char slot[JDI_TASK_HEAD + JDI_TASK_ALIGN];
    struct jdi_task *seed = (struct jdi_task *)(void *)slot;
    size_t at = to->used;
    *fault = fault_of_seed(s, t);
    if (*fault)
        return JD_EFILE;
    *seed = (struct jdi_task){
        .fn = (uint16_t)s->task[t->fn], .flags = t->flags, .len = t->len};
    jdi_task_set_spill(seed, (void *)(uintptr_t)t->arg);
    if (jdi_record_add(to, seed, fault_of_stage(s)))
        return JD_ENOMEM;
    if (!s->m->origin)
        return 0;
    struct jdi_origin *o = jdi_origin_of(jdi_record_at(to, at));
    struct jdi_pruned_seed here = origin_here(s, o->rank, o->index);
    o->rank = here.rank;
    o->index = here.index;
    return 0;
}

static int stage_added(struct jdi_stage *s, const struct jdi_share *share,
                       const unsigned char **at, const char **fault)
{
    uint32_t rank = share->rank;
    int error = 0;
    for (uint64_t i = 0; i < share->nadded && !error; i++) {
        struct jdi_share_task t = jdi_share_next(at);
        struct jdi_origin o = {.index = (uint32_t)i};
        if (s->m->origin)
            memcpy(&o, t.arg, sizeof o);
        if (jdi_deal_to(&s->ranks, rank, s->list[rank], o.index) == rank_of_stage(s))
            error = stage_seed(s, &s->added, &t, fault);
    }
    return error;
}

/* The part of the old worker's load that goes with `some` of its n seeds. */
static uint64_t share_load(uint64_t load, uint64_t some, uint64_t n)
{
    return load / n * some + load % n * some / n;
}

static void stage_load(struct jdi_stage *s, const struct jdi_share_worker *from,
                       uint64_t unit)
{
    uint64_t n = at_least_one(from->kept);
    for (unsigned i = 0; i < s->coll->rank->nworkers; i++) {
        uint64_t some = part_of(s, unit, n, i);
        struct jdi_stage_worker *to = &s->worker[i];
        to->load += share_load(from->load, some, n);
        if (some && from->longest > to->longest)
            to->longest = from->longest;
    }
}

/* What an old worker has executed. */
static int stage_kept(struct jdi_stage *s, const struct jdi_share_worker *from,
                      uint64_t unit, const unsigned char **at, const char **fault)
{
    int error = 0;
    for (uint64_t i = 0; i < from->kept && !error; i++) {
        struct jdi_share_task t = jdi_share_next(at);
        uint64_t to = jdi_deal_to(&s->workers, unit, from->kept, i) - s->first_worker;
        if (to >=
            s->coll->rank->nworkers) /* also those before the first, by wrap-around */
            continue;
        s->worker[to].null += t.flags & JDI_TASK_NULL ? 1 : 0;
        error = stage_seed(s, &s->worker[to].kept, &t, fault);
    }
    return error;
}

static int stage_pruned(struct jdi_stage *s, const struct jdi_share *share)
{
    struct jdi_pruned_list *l = &s->pruned;
    if (!share->npruned || heir_of(s, share->rank) != rank_of_stage(s))
        return 0;
    if (jdi_prune_reserve(l, (size_t)share->npruned, fault_of_stage(s)))
        return JD_ENOMEM;
    for (uint64_t i = 0; i < share->npruned; i++)
        l->seed[l->n++] = origin_here(s, share->pruned[i].rank, share->pruned[i].index);
    return 0;
}

int jdi_stage_share(struct jdi_stage *s, const struct jdi_share *share,
                    const char **fault)
{
    const unsigned char *at = share->tasks;
    int error = stage_added(s, share, &at, fault);
    for (uint64_t w = 0; w < share->nworkers && !error; w++) {
        stage_load(s, &share->worker[w], s->unit + w);
        error = stage_kept(s, &share->worker[w], s->unit + w, &at, fault);
    }
    return error ? error : stage_pruned(s, share);
}

/* ---- taking --------------------------------------------------------------------------- */

static void take_history(struct jdi_stage *s)
{
    jd_coll *c = s->coll;
    struct jdi_history *h = c->history;
    jdi_history_begin(h); /* what pointed into the records is gone */
    for (unsigned i = 0; i < c->rank->nworkers; i++) {
        h->sheet[i].load = s->worker[i].load;
        h->sheet[i].longest = s->worker[i].longest;
        h->sheet[i].null = s->worker[i].null;
        c->info.load += s->worker[i].load;
        c->info.null += s->worker[i].null;
    }
    struct jdi_pruned_list last = h->pruned.here;
    h->pruned.here = s->pruned;
    s->pruned = last;
    h->pruned.over = c->phase - 1; /* the restore of this phase is still to come */
}

void jdi_stage_take(struct jdi_stage *s)
{
    jd_coll *c = s->coll;
    struct jdi_record last = c->seeds;
    c->info = (jd_coll_info){0};
    for (unsigned i = 0; i < c->rank->nworkers; i++) {
        struct jdi_record *kept = &c->seat[i].account.kept, old = *kept;
        *kept = s->worker[i].kept;
        s->worker[i].kept = old;
        c->info.retained += kept->count - s->worker[i].null;
    }
    c->seeds = s->added;
    s->added = last;
    if (!c->history)
        return;
    c->nseeds = (uint32_t)s->indices;
    take_history(s);
}
