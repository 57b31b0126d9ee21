/*
 * stats.h - counters, declared once in core/stats.def.
 *
 * Role: per-worker counters and maxima, combined when nobody writes, printed as a table.
 * Owner: each struct jdi_stats has one writer (a worker or the communication worker).
 * Invariants: I1 plain fields: they are read only after the writer has stopped or been
 *             waited for, and through relaxed atomics where a worker writes while the
 *             communication thread reads for jd_stats.
 * See: core/stats.def, jd_coll_get_info, sched/live/count.c.
 */
#ifndef JDI_CORE_STATS_H
#define JDI_CORE_STATS_H

#include "core/base.h"

#include <stdatomic.h>
#include <stdio.h>

enum {
    JDI_STATS_TIMES = 25, /* classes of times: up to 256 ns, 512 ns, ... */
    JDI_STATS_TIME_MIN = 256
};

struct jdi_stats {
#define JDI_STAT(field, text)                  uint64_t field;
#define JDI_CLASSES(field, number, what, text) uint64_t field[number];
#include "core/stats.def"
#undef JDI_STAT
};

/* Count, in a field that has one writer.  Relaxed, because another thread may read it meanwhile, and
 * gets the number before or after. */
static inline void jdi_stats_set(uint64_t *field, uint64_t n)
{
    atomic_store_explicit((_Atomic uint64_t *)field, n, memory_order_relaxed);
}
static inline void jdi_stats_count(uint64_t *field, uint64_t n)
{
    jdi_stats_set(field, *field + n);
}
static inline uint64_t jdi_stats_get(const uint64_t *field)
{
    return atomic_load_explicit((const _Atomic uint64_t *)field, memory_order_relaxed);
}
/* Read a struct that its owner goes on writing to. */
void jdi_stats_read(struct jdi_stats *to, const struct jdi_stats *from);

/* dst += src, field by field; a maximum is the larger of both. */
void jdi_stats_add(struct jdi_stats *dst, const struct jdi_stats *src);
/* As an array of numbers, for reduction over ranks. */
#define JDI_STATS_COUNT (sizeof(struct jdi_stats) / sizeof(uint64_t))

/* What a row of the table is.  SUM and MOST are one number; TIMES and NUMBERS are classes: times up to
 * 256 ns, 512 ns, ..., or the numbers 0, 1, ...; the last class has no end. */
enum jdi_stats_kind {
    JDI_STATS_KIND_SUM,
    JDI_STATS_KIND_MOST,
    JDI_STATS_KIND_TIMES,
    JDI_STATS_KIND_NUMBERS
};
struct jdi_stats_row {
    const char *name, *text;
    enum jdi_stats_kind kind;
    uint32_t at, n; /* its words in the array of numbers */
};
/* Row i, or NULL past the end. */
const struct jdi_stats_row *jdi_stats_row(size_t i);
/* The row of that name, or NULL. */
const struct jdi_stats_row *jdi_stats_find(const char *name);
static inline const uint64_t *jdi_stats_words(const struct jdi_stats *s)
{
    return (const uint64_t *)(const void *)s;
}
/* The largest value that class i of the row counts; UINT64_MAX for the last one. */
uint64_t jdi_stats_bound(const struct jdi_stats_row *row, uint32_t i);

/* Count a time among n classes, each twice as wide as the one before. */
void jdi_stats_log2(uint64_t *classes, unsigned n, uint64_t ns);
/* The upper end of the class that holds the share `part` of n classes; 0: nothing there. */
uint64_t jdi_stats_quantile(const uint64_t *classes, unsigned n, double part);
/* A table: one line per counter with sum, and min/max over ranks.  The sum of a maximum is its max. */
void jdi_stats_print(FILE *to, const struct jdi_stats *sum, const struct jdi_stats *min,
                     const struct jdi_stats *max, uint32_t nranks);

#endif
