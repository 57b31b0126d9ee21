/*
 * sched_data_kit.h - what the programs that test registered memory share.
 *
 * Role: bytes whose values follow from their place, and memory to put them in.
 * Owner: the body; a task has a range of its own on every rank.
 * Invariants: I1 the value of a byte follows from its place and its writer (pattern).
 * See: include/jackdaw.h, doc/data.md; test/dist/sched_kit.h.
 */
#ifndef JDI_TEST_DIST_SCHED_DATA_KIT_H
#define JDI_TEST_DIST_SCHED_DATA_KIT_H

#include "test/dist/sched_kit.h"

struct job {
    jd_mem mem;
    uint32_t from, number;
    uint64_t offset;
};

static inline unsigned char pattern(uint64_t who, uint64_t i)
{
    uint64_t mix = (who * 1000003 + i) * UINT64_C(0x9E3779B97F4A7C15);
    return (unsigned char)(mix >> 56);
}

static inline void fill(unsigned char *p, size_t n, uint64_t who)
{
    for (size_t i = 0; i < n; i++)
        p[i] = pattern(who, i);
}

static inline bool filled(const unsigned char *p, size_t n, uint64_t who)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] != pattern(who, i))
            return false;
    return true;
}

static inline bool blank(const unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i])
            return false;
    return true;
}

static inline unsigned char *space(jd_self *me, size_t n)
{
    unsigned char *p = calloc(n ? n : 1, 1);
    if (!p)
        jd_abort(me, 99, "no memory for the test");
    return p;
}

static inline uint32_t right_of(jd_self *me, uint32_t by)
{
    return (jd_rank(me) + by) % jd_nranks(me);
}

static inline jd_mem make(jd_self *me, void *ptr, size_t size)
{
    jd_mem mem = {0};
    must(me, jd_mem_create(me, ptr, size, &mem));
    return mem;
}

#endif
