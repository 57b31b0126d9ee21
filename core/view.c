/*
 * view.c - see view.h.
 *
 * Role: see view.h.
 * Invariants: those of view.h.
 * Order: those of view.h.
 * See: view.h.
 */
#include "core/view.h"

#include <string.h>

enum { TRIES = 1000 };

static _Atomic uint64_t *words_of(const struct jdi_view *v, uint32_t i)
{
    char *first = (char *)(uintptr_t)v + JDI_VIEW_HEAD;
    return (_Atomic uint64_t *)(void *)(first + i * sizeof(struct jdi_view_row));
}

void jdi_view_open(struct jdi_view *v)
{
    uint64_t seq = atomic_load_explicit(&v->seq, memory_order_relaxed);
    atomic_store_explicit(&v->seq, seq + 1, memory_order_relaxed);
    /* [pair: view-seq] release: who sees a word of what follows sees the odd number. */
    atomic_thread_fence(memory_order_release);
}

void jdi_view_put(struct jdi_view *v, uint32_t i, const struct jdi_view_row *row)
{
    _Atomic uint64_t *to = words_of(v, i);
    uint64_t words[JDI_VIEW_ROW_WORDS];
    memcpy(words, row, sizeof words);
    for (size_t k = 0; k < JDI_VIEW_ROW_WORDS; k++)
        atomic_store_explicit(&to[k], words[k], memory_order_relaxed);
}

void jdi_view_close(struct jdi_view *v, uint64_t now_ns)
{
    uint64_t seq = atomic_load_explicit(&v->seq, memory_order_relaxed);
    atomic_store_explicit(&v->written_ns, now_ns, memory_order_relaxed);
    /* [pair: view-seq] release: all rows. */
    atomic_store_explicit(&v->seq, seq + 1, memory_order_release);
}

bool jdi_view_fits(const struct jdi_view *v, size_t bytes)
{
    if (bytes < JDI_VIEW_HEAD ||
        /* [pair: view-head] acquire: all of the head. */
        atomic_load_explicit(&v->magic, memory_order_acquire) != jdi_view_magic)
        return false;
    return v->version == JDI_VIEW_VERSION && v->head_bytes == JDI_VIEW_HEAD &&
           v->row_bytes == sizeof(struct jdi_view_row) && v->rows >= 2 &&
           v->rows <= JDI_VIEW_THREADS && bytes >= jdi_view_bytes(v->rows) &&
           v->rank < v->nranks && memchr(v->job, 0, sizeof v->job) &&
           memchr(v->host, 0, sizeof v->host) &&
           memchr(v->program, 0, sizeof v->program) &&
           memchr(v->network, 0, sizeof v->network);
}

static void copy_rows(const struct jdi_view *v, struct jdi_view_row *rows, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const _Atomic uint64_t *from = words_of(v, i);
        uint64_t words[JDI_VIEW_ROW_WORDS];
        for (size_t k = 0; k < JDI_VIEW_ROW_WORDS; k++)
            words[k] = atomic_load_explicit(&from[k], memory_order_relaxed);
        memcpy(&rows[i], words, sizeof words);
        rows[i].task[sizeof rows[i].task - 1] = 0;
    }
}

bool jdi_view_read(const struct jdi_view *v, struct jdi_view_row *rows, uint32_t n,
                   uint64_t *written_ns)
{
    for (int i = 0; i < TRIES; i++) {
        /* [pair: view-seq] acquire: the rows that were written before this number. */
        uint64_t seq = atomic_load_explicit(&v->seq, memory_order_acquire);
        if (!seq)
            return false;
        copy_rows(v, rows, n);
        *written_ns = atomic_load_explicit(&v->written_ns, memory_order_relaxed);
        /* [pair: view-seq] acquire: if a word above was new, the number below is, too. */
        atomic_thread_fence(memory_order_acquire);
        if (!(seq & 1) && atomic_load_explicit(&v->seq, memory_order_relaxed) == seq)
            return true;
        jdi_idle_pause(JDI_IDLE_YIELD);
    }
    return false;
}

void jdi_view_want(struct jdi_view *v, uint64_t until_ns)
{
    uint64_t now = atomic_load_explicit(&v->wanted, memory_order_relaxed);
    /* Another viewer may look for longer.  Each turn of the loop ends with the larger of two numbers. */
    while (now < until_ns &&
           !atomic_compare_exchange_weak_explicit(
               &v->wanted, &now, until_ns, memory_order_relaxed, memory_order_relaxed))
        continue;
    if (v->wakes)
        jdi_idle_wake(&v->idle);
}
