/*
 * registry.h - the program's task table.
 *
 * Role: check the table a program hands to jd_launch, count it, hash its names.
 * Owner: constant after init.
 * Invariants: I1 names are unique, non-empty, every row before JD_TASK_END has a function, and a stack
 *                that an engine can make.
 * See: jd_task_def in jackdaw.h.
 */
#ifndef JDI_CORE_REGISTRY_H
#define JDI_CORE_REGISTRY_H

#include "core/base.h"

/* Bytes that a row may ask for. */
enum { JDI_REGISTRY_STACK_LEAST = 16 << 10, JDI_REGISTRY_STACK_MOST = 1 << 30 };

struct jdi_registry {
    const jd_task_def *row; /* what runs: sched/ownstack.c puts its own functions here */
    const jd_task_def *given; /* the program's */
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
