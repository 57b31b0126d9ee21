/*
 * manifest.c - the file of a checkpoint that names all others.
 *
 * Role: see manifest.h.
 * Invariants: I1 of manifest.h.
 * See: manifest.h.
 */
#include "sched/checkpoint/manifest.h"

#include "sched/origin.h"

#include <string.h>

/* What stands between the head and the table. */
struct numbers {
    char name[JDI_MANIFEST_NAME];
    uint32_t arg_size, origin, ntasks, nmems;
    uint64_t phases, state_size, most_workers, names_size;
    uint64_t learned[JDI_LEARNED_WORDS];
};
enum {
    TABLE_AT = sizeof(struct jdi_head) + sizeof(struct numbers),
    MOST_RANKS = 1 << 24,
    MOST_WORKERS = 1 << 16,
    MOST_TASKS = 1 << 16
};
_Static_assert(TABLE_AT == 200 && TABLE_AT % JDI_HEAD_UNIT == 0, "words are aligned");

static uint64_t table_bytes(const struct jdi_manifest *m)
{
    return m->nranks * jdi_manifest_row_words(m) * sizeof(uint64_t);
}

static uint64_t padded(uint64_t n)
{
    return (n + JDI_HEAD_UNIT - 1) / JDI_HEAD_UNIT * JDI_HEAD_UNIT;
}

uint64_t jdi_manifest_size(const struct jdi_manifest *m)
{
    return TABLE_AT + table_bytes(m) + padded(m->names_size) + padded(m->state_size) +
           JDI_HEAD_SUM;
}

void jdi_manifest_put(const struct jdi_manifest *m, unsigned char *to)
{
    uint64_t size = jdi_manifest_size(m);
    struct jdi_head head =
        jdi_head_make(JDI_HEAD_MANIFEST, m->nranks, m->generation, size);
    struct numbers n = {.arg_size = m->arg_size,
                        .origin = m->origin,
                        .ntasks = m->ntasks,
                        .nmems = m->nmems,
                        .phases = m->phases,
                        .state_size = m->state_size,
                        .most_workers = m->most_workers,
                        .names_size = m->names_size};
    unsigned char *at = to + TABLE_AT;
    memset(to, 0, size);
    memcpy(n.name, m->name, sizeof n.name);
    memcpy(n.learned, m->learned, sizeof n.learned);
    memcpy(to, &head, sizeof head);
    memcpy(to + sizeof head, &n, sizeof n);
    memcpy(at, m->table, table_bytes(m));
    at += table_bytes(m);
    memcpy(at, m->names, m->names_size);
    if (m->state_size)
        memcpy(at + padded(m->names_size), m->state, m->state_size);
    jdi_head_seal(to, size - JDI_HEAD_SUM);
}

/* Do the sizes fit into the file of that length?  Each is bounded first, so nothing overflows. */
static const char *fault_of_sizes(const struct jdi_manifest *m, uint64_t length)
{
    if (!m->nranks || m->nranks > MOST_RANKS || !m->most_workers ||
        m->most_workers > MOST_WORKERS || m->nmems > JDI_MANIFEST_MEMS)
        return "it contradicts itself: ranks, workers or memories";
    if (!m->ntasks || m->ntasks > MOST_TASKS || m->names_size > length ||
        m->state_size > JDI_MANIFEST_STATE)
        return "it contradicts itself: tasks or state";
    return length == jdi_manifest_size(m) ? NULL : "it contradicts itself: its length";
}

/* Is it what a collection can have learned?  AUTO subtracts `foreseen` from `was`, and divides both. */
static const char *fault_of_learned(const struct jdi_manifest *m)
{
    const uint64_t *w = m->learned;
    uint64_t any = 0;
    for (int i = 0; i < JDI_LEARNED_WORDS; i++)
        any |= w[i];
    if (!m->origin)
        return any ? "it contradicts itself: times of what is not timed" : NULL;
    if (w[JDI_LEARNED_MODEL] < JD_LOAD_LAST || w[JDI_LEARNED_MODEL] > JD_LOAD_TREND ||
        w[JDI_LEARNED_PHASES] < 1 || w[JDI_LEARNED_PHASES] > JDI_ORIGIN_TIMES)
        return "it contradicts itself: a load model";
    for (int i = JDI_LEARNED_RESTS; i <= JDI_LEARNED_BACKOFF; i++)
        if (w[i] > UINT32_MAX)
            return "it contradicts itself: what AUTO counts";
    if (w[JDI_LEARNED_WAS] > INT64_MAX ||
        (w[JDI_LEARNED_WAS] && w[JDI_LEARNED_FORESEEN] > w[JDI_LEARNED_WAS]))
        return "it contradicts itself: what AUTO has foreseen";
    return NULL;
}

static const char *fault_of_names(const struct jdi_manifest *m)
{
    uint64_t ends = 0;
    for (uint64_t i = 0; i < m->names_size; i++)
        ends += !m->names[i];
    if (ends != m->ntasks || m->names[m->names_size - 1])
        return "it contradicts itself: names of tasks";
    return memchr(m->name, 0, sizeof m->name) ? NULL : "its collection has no name";
}

/* Does a share have its sizes, and its sums stay below 2^63, as long as those of all ranks do? */
static const char *fault_of_share_row(const struct jdi_manifest *m, uint64_t rank,
                                      uint64_t *all)
{
    const uint64_t *row = jdi_manifest_row(m, rank);
    uint64_t bytes = 0;
    if (row[JDI_MANIFEST_WORKERS] < 1 || row[JDI_MANIFEST_WORKERS] > m->most_workers)
        return "it contradicts itself: workers of a rank";
    if (row[JDI_MANIFEST_INDICES] > UINT32_MAX || row[JDI_MANIFEST_PRUNED] > UINT32_MAX ||
        row[JDI_MANIFEST_LENGTH] > INT64_MAX - *all ||
        row[JDI_MANIFEST_FRONT] > row[JDI_MANIFEST_LENGTH] ||
        row[JDI_MANIFEST_FRONT] % JDI_HEAD_UNIT)
        return "it contradicts itself: a share";
    *all += row[JDI_MANIFEST_LENGTH];
    for (uint32_t i = 0; i < m->nmems; i++) {
        uint64_t size = jdi_manifest_mem(m, rank, i);
        if (size > row[JDI_MANIFEST_LENGTH])
            return "it contradicts itself: a memory";
        bytes += padded(size);
    }
    if (row[JDI_MANIFEST_FRONT] + bytes + JDI_HEAD_SUM != row[JDI_MANIFEST_LENGTH])
        return "it contradicts itself: the length of a share";
    /* Each seed takes 8 bytes or more of the share. */
    uint64_t seeds = row[JDI_MANIFEST_ADDED];
    bool few = seeds <= row[JDI_MANIFEST_FRONT];
    for (uint64_t w = 0; w < m->most_workers && few; w++) {
        few = jdi_manifest_kept(m, rank, w) <= row[JDI_MANIFEST_FRONT] &&
              (w < row[JDI_MANIFEST_WORKERS] || !jdi_manifest_kept(m, rank, w));
        seeds += jdi_manifest_kept(m, rank, w);
    }
    return few && seeds <= row[JDI_MANIFEST_FRONT] / JDI_HEAD_UNIT
               ? NULL
               : "it contradicts itself: seeds of a rank";
}

const char *jdi_manifest_get(const unsigned char *bytes, size_t n, struct jdi_manifest *m)
{
    struct jdi_head head;
    struct numbers k;
    uint64_t all = 0;
    const char *fault = jdi_head_fault_of_file(bytes, n, JDI_HEAD_MANIFEST);
    if (fault)
        return fault;
    if (n < TABLE_AT + JDI_HEAD_SUM)
        return "it is cut off";
    memcpy(&head, bytes, sizeof head);
    memcpy(&k, bytes + sizeof head, sizeof k);
    *m = (struct jdi_manifest){.nranks = head.rank,
                               .generation = head.generation,
                               .arg_size = k.arg_size,
                               .origin = k.origin,
                               .ntasks = k.ntasks,
                               .nmems = k.nmems,
                               .phases = k.phases,
                               .state_size = k.state_size,
                               .most_workers = k.most_workers,
                               .names_size = k.names_size};
    memcpy(m->name, k.name, sizeof m->name);
    memcpy(m->learned, k.learned, sizeof m->learned);
    fault = fault_of_sizes(m, n);
    fault = fault ? fault : fault_of_learned(m);
    if (fault)
        return fault;
    m->table = (const uint64_t *)(const void *)(bytes + TABLE_AT);
    m->names = (const char *)bytes + TABLE_AT + table_bytes(m);
    m->state = (const unsigned char *)m->names + padded(m->names_size);
    fault = fault_of_names(m);
    for (uint32_t rank = 0; rank < m->nranks && !fault; rank++)
        fault = fault_of_share_row(m, rank, &all);
    return fault;
}

const char *jdi_manifest_task(const struct jdi_manifest *m, uint32_t task)
{
    const char *name = m->names;
    JD_ASSERT(task < m->ntasks);
    while (task--)
        name += strlen(name) + 1;
    return name;
}
