/*
 * registry.h - the program's task table.
 *
 * Role: check the table a program hands to jd_launch, count it, hash its names.
 * Owner: constant after init.
 * Invariants: I1 names are unique, non-empty, and every row before JD_TASK_END has a function.
 * See: jd_task_def in jackdaw.h.
 */
#ifndef JDI_CORE_REGISTRY_H
#define JDI_CORE_REGISTRY_H

#include "core/base.h"

struct jdi_registry {
    const jd_task_def *row;
    uint32_t count;
    uint64_t
        hash; /* of the names in order; equal tables have equal hashes on every rank */
};

/* 0, or JD_EINVAL with one line in err. */
int jdi_registry_init(struct jdi_registry *r, const jd_task_def *rows, char *err,
                      size_t errlen);
/* The row's index, or JD_EINVAL. */
int jdi_registry_find(const struct jdi_registry *r, const char *name);

/* 64-bit FNV-1a, also used for other start-up comparisons. */
uint64_t jdi_registry_hash(uint64_t seed, const void *bytes, size_t n);

#endif
