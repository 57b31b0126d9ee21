/*
 * share.c - what one rank adds to a checkpoint, but for the bytes of memories.
 *
 * Role: see share.h.
 * Invariants: I1 of share.h.
 * See: share.h.
 */
#include "sched/checkpoint/share.h"

#include "sched/origin.h"

#include <string.h>

struct numbers {
    uint64_t front, nworkers, nmems, indices, nadded, npruned;
};
struct task_head {
    uint16_t fn, flags;
    uint32_t len;
};
enum {
    SIZES_AT = sizeof(struct jdi_head) + sizeof(struct numbers),
    KEPT_FLAGS = JDI_TASK_SEED | JDI_TASK_AGAIN | JDI_TASK_NULL
};
_Static_assert(sizeof(struct task_head) == JDI_HEAD_UNIT &&
                   sizeof(struct jdi_pruned_seed) == JDI_HEAD_UNIT,
               "all parts of a share are whole units");

/* ---- making ------------------------------------------------------------------------- */

static size_t task_bytes(uint32_t len)
{
    return sizeof(struct task_head) + jdi_round_up(len, JDI_HEAD_UNIT);
}

uint64_t jdi_share_bytes(const struct jdi_record *tasks)
{
    uint64_t bytes = 0;
    for (const struct jdi_task *t = NULL; (t = jdi_record_next(tasks, t));)
        bytes += task_bytes(t->len);
    return bytes;
}

uint64_t jdi_share_begin(const struct jdi_share *s)
{
    return SIZES_AT + s->nmems * sizeof *s->mem + s->nworkers * sizeof *s->worker +
           s->npruned * sizeof *s->pruned;
}

uint64_t jdi_share_mem_bytes(uint64_t size)
{
    return (size + JDI_HEAD_UNIT - 1) / JDI_HEAD_UNIT * JDI_HEAD_UNIT;
}

uint64_t jdi_share_length(const struct jdi_share *s)
{
    uint64_t bytes = s->front + JDI_HEAD_SUM;
    for (uint64_t i = 0; i < s->nmems; i++)
        bytes += jdi_share_mem_bytes(s->mem[i]);
    return bytes;
}

static unsigned char *put_bytes(unsigned char *to, const void *from, size_t n)
{
    if (n) /* from may be NULL otherwise */
        memcpy(to, from, n);
    return to + n;
}

unsigned char *jdi_share_put(const struct jdi_share *s, unsigned char *to)
{
    struct jdi_head head =
        jdi_head_make(JDI_HEAD_SHARE, s->rank, s->generation, jdi_share_length(s));
    struct numbers n = {s->front,   s->nworkers, s->nmems,
                        s->indices, s->nadded,   s->npruned};
    to = put_bytes(to, &head, sizeof head);
    to = put_bytes(to, &n, sizeof n);
    to = put_bytes(to, s->mem, s->nmems * sizeof *s->mem);
    to = put_bytes(to, s->worker, s->nworkers * sizeof *s->worker);
    return put_bytes(to, s->pruned, s->npruned * sizeof *s->pruned);
}

unsigned char *jdi_share_put_tasks(const struct jdi_record *tasks, unsigned char *to)
{
    for (const struct jdi_task *t = NULL; (t = jdi_record_next(tasks, t));) {
        struct task_head head = {t->fn, t->flags & KEPT_FLAGS, t->len};
        unsigned char *next = to + task_bytes(t->len);
        to = put_bytes(to, &head, sizeof head);
        to = put_bytes(to, t->arg, t->len);
        memset(to, 0, (size_t)(next - to));
        to = next;
    }
    return to;
}

/* ---- reading ------------------------------------------------------------------------ */

/* A walk over the tasks of a share. */
struct walk {
    const struct jdi_manifest *m;
    const unsigned char *at, *end;
    const char *fault;
    uint64_t next; /* the least index that may come */
};

struct jdi_share_task jdi_share_next(const unsigned char **at)
{
    struct task_head head;
    memcpy(&head, *at, sizeof head);
    struct jdi_share_task t = {head.fn, head.flags, head.len, *at + sizeof head};
    *at += task_bytes(head.len);
    return t;
}

static bool is_origin(const struct jdi_manifest *m, uint32_t rank, uint32_t index)
{
    return rank < m->nranks && index < jdi_manifest_row(m, rank)[JDI_MANIFEST_INDICES];
}

static const char *fault_of_saved_task(const struct jdi_manifest *m,
                                       const struct jdi_share_task *t)
{
    struct jdi_origin o;
    if (t->fn >= m->ntasks)
        return "it contradicts itself: a task that is not in the table";
    if (!(t->flags & JDI_TASK_SEED) || t->flags & ~KEPT_FLAGS)
        return "it contradicts itself: flags of a seed";
    if (t->len > JDI_TASK_ARG_MAX + m->origin || t->len < m->origin)
        return "it contradicts itself: an argument";
    if (!m->origin)
        return t->flags & JDI_TASK_NULL ? "it contradicts itself: a null seed" : NULL;
    memcpy(&o, t->arg, sizeof o);
    return is_origin(m, o.rank, o.index) ? NULL : "it contradicts itself: an origin";
}

/* Look at the next task, which is there as far as its head says. */
static struct jdi_share_task walk_on(struct walk *w)
{
    struct jdi_share_task t = {0};
    struct task_head head = {0};
    size_t left = (size_t)(w->end - w->at);
    if (left >= sizeof head)
        memcpy(&head, w->at, sizeof head);
    if (left < sizeof head || head.len > left || task_bytes(head.len) > left) {
        w->fault = "it contradicts itself: seeds";
        return t;
    }
    t = jdi_share_next(&w->at);
    w->fault = fault_of_saved_task(w->m, &t);
    return t;
}

/* Seeds that were added stand in the order of their indices, and are those of this rank. */
static void walk_added(struct walk *w, const struct jdi_share *s)
{
    for (uint64_t i = 0; i < s->nadded && !w->fault; i++) {
        struct jdi_origin o;
        struct jdi_share_task t = walk_on(w);
        if (w->fault || !w->m->origin)
            continue;
        memcpy(&o, t.arg, sizeof o);
        if (o.rank != s->rank || o.index < w->next || t.flags & JDI_TASK_NULL)
            w->fault = "it contradicts itself: seeds that were added";
        w->next = (uint64_t)o.index + 1;
    }
}

/* Seeds that were executed have a time. */
static void walk_kept(struct walk *w, uint64_t n)
{
    for (uint64_t i = 0; i < n && !w->fault; i++) {
        struct jdi_origin o;
        struct jdi_share_task t = walk_on(w);
        if (w->fault || !w->m->origin)
            continue;
        memcpy(&o, t.arg, sizeof o);
        if (!o.time[0])
            w->fault = "it contradicts itself: a seed without a time";
    }
}

static const char *fault_of_numbers(const struct jdi_share *s, const struct jdi_head *h,
                                    const struct jdi_manifest *m, uint32_t rank)
{
    const uint64_t *row = jdi_manifest_row(m, rank);
    if (jdi_head_fault(h, row[JDI_MANIFEST_LENGTH], JDI_HEAD_SHARE))
        return jdi_head_fault(h, row[JDI_MANIFEST_LENGTH], JDI_HEAD_SHARE);
    if (h->rank != rank || h->generation != m->generation ||
        h->length != row[JDI_MANIFEST_LENGTH])
        return "it is another one than its manifest says";
    if (s->front != row[JDI_MANIFEST_FRONT] || s->nworkers != row[JDI_MANIFEST_WORKERS] ||
        s->nmems != m->nmems || s->indices != row[JDI_MANIFEST_INDICES] ||
        s->nadded != row[JDI_MANIFEST_ADDED] || s->npruned != row[JDI_MANIFEST_PRUNED])
        return "it contradicts its manifest";
    return jdi_share_begin(s) <= s->front ? NULL : "it contradicts itself: its front";
}

static const char *fault_of_lists(const struct jdi_share *s, const struct jdi_manifest *m)
{
    for (uint32_t i = 0; i < s->nmems; i++)
        if (s->mem[i] != jdi_manifest_mem(m, s->rank, i))
            return "it contradicts its manifest: a memory";
    for (uint64_t i = 0; i < s->nworkers; i++)
        if (s->worker[i].kept != jdi_manifest_kept(m, s->rank, i))
            return "it contradicts its manifest: a worker";
    for (uint64_t i = 0; i < s->npruned; i++)
        if (!is_origin(m, s->pruned[i].rank, s->pruned[i].index))
            return "it contradicts its manifest: a pruned seed";
    return NULL;
}

const char *jdi_share_get(const unsigned char *bytes, const struct jdi_manifest *m,
                          uint32_t rank, struct jdi_share *s)
{
    struct jdi_head head;
    struct numbers n;
    const uint64_t *row = jdi_manifest_row(m, rank);
    if (row[JDI_MANIFEST_FRONT] < SIZES_AT)
        return "it is cut off";
    if (m->origin && m->origin != sizeof(struct jdi_origin))
        return "its manifest has origins of another size";
    memcpy(&head, bytes, sizeof head);
    memcpy(&n, bytes + sizeof head, sizeof n);
    *s = (struct jdi_share){.rank = rank,
                            .generation = head.generation,
                            .front = n.front,
                            .nworkers = n.nworkers,
                            .nmems = n.nmems,
                            .indices = n.indices,
                            .nadded = n.nadded,
                            .npruned = n.npruned};
    const char *fault = fault_of_numbers(s, &head, m, rank);
    if (fault)
        return fault;
    s->mem = (const uint64_t *)(const void *)(bytes + SIZES_AT);
    s->worker = (const struct jdi_share_worker *)(const void *)(s->mem + s->nmems);
    s->pruned = (const struct jdi_pruned_seed *)(const void *)(s->worker + s->nworkers);
    s->tasks = (const unsigned char *)(s->pruned + s->npruned);
    fault = fault_of_lists(s, m);
    if (fault)
        return fault;
    struct walk w = {.m = m, .at = s->tasks, .end = bytes + s->front};
    walk_added(&w, s);
    for (uint64_t i = 0; i < s->nworkers && !w.fault; i++)
        walk_kept(&w, s->worker[i].kept);
    return w.fault || w.at == w.end ? w.fault : "it contradicts itself: its length";
}
