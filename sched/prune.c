/*
 * prune.c - seeds that had nothing to do are not seeded again.
 *
 * Role: the lists of such seeds, and the message PRUNE.
 * Owner: see prune.h.
 * Invariants: I1 and I2 of prune.h. I3 c->seeds is in the order of the seeds' indices.
 * See: prune.h; doc/history.md.
 */
#include "sched/prune.h"

#include "core/grow.h"
#include "sched/collective.h"

#include <stdlib.h>

enum { FIRST_SEEDS = 64, SEEDS_IN_MESSAGE = 16384 };

/* ---- lists -------------------------------------------------------------------------- */

int jdi_prune_reserve(struct jdi_pruned_list *l, size_t more, struct jdi_fault *f)
{
    if (!more)
        return 0;
    void *seed = jdi_grow(f, l->seed, l->n, more, sizeof *l->seed, &l->room, FIRST_SEEDS);
    if (!seed)
        return JD_ENOMEM;
    l->seed = seed;
    return 0;
}

/* By rank, then by index. */
static int compare_pruned(const void *a, const void *b)
{
    const struct jdi_pruned_seed *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static int compare_indices(const void *a, const void *b)
{
    const struct jdi_pruned_seed *x = a, *y = b;
    return x->index < y->index ? -1 : x->index > y->index;
}

static void sort_pruned(struct jdi_pruned_list *l,
                        int (*compare)(const void *, const void *))
{
    if (l->n)
        qsort(l->seed, l->n, sizeof *l->seed, compare);
}

static JD_NORETURN void no_memory_to_prune(const jd_coll *c)
{
    jdi_die(&c->rank->am->log, JDI_EXIT_MEMORY,
            "out of memory for the seeds of %s that had nothing to do", c->name);
}

/* ---- the records of this rank's workers --------------------------------------------- */

static void remember_null(struct jdi_pruned_list *here, const struct jdi_record *kept)
{
    for (size_t at = 0; at < kept->used;) {
        struct jdi_task *t = jdi_record_at(kept, at);
        const struct jdi_origin *o = jdi_origin_of(t);
        if (t->flags & JDI_TASK_NULL)
            here->seed[here->n++] = (struct jdi_pruned_seed){o->rank, o->index};
        at += jdi_task_packed(t);
    }
}

int jdi_prune_kept(jd_coll *c)
{
    struct jdi_history *h = c->history;
    for (unsigned i = 0; i + 1 < c->nowners; i++) {
        struct jdi_sheet *s = &h->sheet[i];
        if (!s->null)
            continue;
        if (jdi_prune_reserve(&h->pruned.here, s->null, &c->rank->am->fault))
            return JD_ENOMEM;
        remember_null(&h->pruned.here, &c->seat[i].account.kept);
        jdi_history_forget(h);
        jdi_record_drop(&c->seat[i].account.kept, JDI_TASK_NULL);
        s->null = 0;
    }
    return 0;
}

/* ---- the record of what was seeded -------------------------------------------------- */

/* `told` is sorted by index, so one walk finds all.  Each must be there, once. */
static void drop_seeds(jd_coll *c)
{
    struct jdi_pruned_list *told = &c->history->pruned.told;
    size_t i = 0;
    sort_pruned(told, compare_indices);
    for (size_t at = 0; at < c->seeds.used && i < told->n;) {
        struct jdi_task *t = jdi_record_at(&c->seeds, at);
        if (jdi_origin_of(t)->index == told->seed[i].index) {
            t->flags |= JDI_TASK_NULL;
            i++;
        }
        at += jdi_task_packed(t);
    }
    if (i < told->n)
        jdi_am_peer_fault(c->rank->am, told->seed[i].rank, JDI_MSG_PRUNE,
                          "seed %u, which is not on record", told->seed[i].index);
    jdi_record_drop(&c->seeds, JDI_TASK_NULL);
    told->n = 0;
}

/* ---- the message -------------------------------------------------------------------- */

/* Add a seed of this rank that rank `src` has found to have nothing to do. */
static void add_told(jd_coll *c, uint32_t src, uint32_t index)
{
    struct jdi_pruned_list *told = &c->history->pruned.told;
    if (jdi_prune_reserve(told, 1, &c->rank->am->fault))
        no_memory_to_prune(c);
    told->seed[told->n++] = (struct jdi_pruned_seed){src, index};
}

static const char *fault_of_prune(const jd_coll *c, const struct jdi_am_msg *m)
{
    uint64_t n = JDI_GET(m, PRUNE, seeds);
    if (!c || !c->history)
        return "a collection that is not here, or not timed";
    if (c->phase != JDI_GET(m, PRUNE, phase))
        return "another phase";
    if (c->history->pruned.over == c->phase)
        return "a restore that is over";
    return m->len != n * sizeof(uint32_t) ? "more seeds than it says, or fewer" : NULL;
}

static void on_prune(void *ctx, const struct jdi_am_in *in)
{
    struct jdi_rank *r = ctx;
    jd_coll *c = r->colls[JDI_GET(in->msg, PRUNE, collection)];
    const char *fault = fault_of_prune(c, in->msg);
    if (fault)
        jdi_am_refuse(in, fault);
    for (uint32_t i = 0; i < JDI_GET(in->msg, PRUNE, seeds); i++) {
        uint32_t index;
        memcpy(&index, (const char *)in->msg->data + i * sizeof index, sizeof index);
        add_told(c, in->src, index);
    }
    c->history->pruned.received++;
}

void jdi_prune_init(struct jdi_rank *r)
{
    jdi_am_set_handler(r->am, JDI_MSG_PRUNE, on_prune, r);
}

static void tell_rank(jd_coll *c, uint32_t rank, const uint32_t *index, uint32_t n)
{
    struct jdi_am_msg m = {.type = JDI_MSG_PRUNE,
                           .nargs = 2,
                           .len = n * (uint32_t)sizeof *index,
                           .arg = {jdi_coll_word(c), n},
                           .data = index};
    if (jdi_am_send(c->rank->am, rank, &m))
        no_memory_to_prune(c);
    c->history->pruned.sent++;
}

static void tell_all(jd_coll *c)
{
    struct jdi_pruned_list *here = &c->history->pruned.here;
    uint32_t *index = jdi_alloc(&c->rank->am->fault, here->n * sizeof *index);
    if (!index)
        no_memory_to_prune(c);
    sort_pruned(here, compare_pruned);
    for (size_t i = 0; i < here->n; i++)
        index[i] = here->seed[i].index;
    for (size_t i = 0, n; i < here->n; i += n) {
        uint32_t rank = here->seed[i].rank;
        n = 1;
        while (n < SEEDS_IN_MESSAGE && i + n < here->n && here->seed[i + n].rank == rank)
            n++;
        if (rank != c->rank->am->rank)
            tell_rank(c, rank, &index[i], (uint32_t)n);
        for (size_t k = i; rank == c->rank->am->rank && k < i + n; k++)
            add_told(c, rank, index[k]);
    }
    here->n = 0;
    jdi_free(index);
}

/* ---- until all have arrived --------------------------------------------------------- */

/* All that this rank has to send is sent.  So the messages that were sent less those that have arrived come,
 * over all ranks, to the number of those under way; never less, unless a rank has lied. */
static void count_messages(struct jdi_collective *all)
{
    const struct jdi_pruned *p = &all->coll->history->pruned;
    all->value[0] = p->sent - p->received;
    jdi_collective_reduce(all, all->value, 1, JDI_AM_U64, JD_SUM);
}

static void counted(struct jdi_collective *all)
{
    jd_coll *c = all->coll;
    struct jdi_pruned *p = &c->history->pruned;
    if (all->value[0] > UINT64_MAX / 2)
        jdi_die(&c->rank->am->log, JDI_EXIT_AUDIT,
                "more messages PRUNE of %s have come than were sent", c->name);
    if (all->value[0]) {
        count_messages(all);
        return;
    }
    drop_seeds(c);
    p->sent = p->received = 0;
    p->over = c->phase;
    jdi_collective_done(all, 0);
}

static void run_prune(struct jdi_rank *r, struct jdi_call *call)
{
    struct jdi_collective *all = jdi_container_of(call, struct jdi_collective, call);
    JD_ASSERT(all->coll->rank == r);
    tell_all(all->coll);
    count_messages(all);
}

int jdi_prune_seeds(jd_self *me, jd_coll *c)
{
    struct jdi_collective all = {
        .what = JDI_COLLECTIVE_COLL_RESTORE, .coll = c, .reduced = counted};
    return jdi_collective(me, &all, run_prune);
}
