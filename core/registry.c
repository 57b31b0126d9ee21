/*
 * registry.c - the program's task table.
 *
 * Role: check the rows, count them, hash their names.
 * Owner: constant after jdi_registry_init; the rows stay the program's.
 * Invariants: I1 of registry.h.
 *             I2 the hash tells tables apart whose names differ, or only their order, or
 *                only where one name ends and the next begins.
 * Order: none.
 * See: core/registry.h, test/unit/core_registry_*.
 */
#include "core/registry.h"

#include <stdio.h>
#include <string.h>

#define FNV_BASIS UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

uint64_t jdi_registry_hash(uint64_t seed, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;
    uint64_t h = seed ? seed : FNV_BASIS;

    for (size_t i = 0; i < n; i++)
        h = (h ^ at[i]) * FNV_PRIME;
    return h;
}

/* The row of JD_TASK_END.  A program may have a task of that name, but not without a function. */
static bool is_end(const jd_task_def *row)
{
    static const jd_task_def end = JD_TASK_END;
    return row->name && !strcmp(row->name, end.name) && !row->fn;
}

/* What is wrong with row i, beside the rows before it, or NULL. */
static const char *fault_of_row(const jd_task_def *rows, uint32_t i)
{
    if (!rows[i].name && !rows[i].fn)
        return "is empty: only JD_TASK_END ends a table";
    if (!rows[i].name || !*rows[i].name)
        return "has no name";
    if (!rows[i].fn)
        return "has no function";
    size_t stack = rows[i].stack;
    if (stack && (stack < JDI_REGISTRY_STACK_LEAST || stack > JDI_REGISTRY_STACK_MOST))
        return "wants a stack that is not of 16 KiB to 1 GiB";
    /* Quadratic, but tables have tens of rows and this runs once. */
    for (uint32_t j = 0; j < i; j++)
        if (!strcmp(rows[j].name, rows[i].name))
            return "has the name of an earlier one";
    return NULL;
}

int jdi_registry_init(struct jdi_registry *r, const jd_task_def *rows, char *err,
                      size_t errlen)
{
    static const jd_task_def none[] = {JD_TASK_END};
    uint64_t hash = jdi_registry_hash(0, NULL, 0);
    uint32_t count = 0;

    if (!rows)
        rows = none; /* a program without tasks */
    for (; !is_end(&rows[count]); count++) {
        const char *name = rows[count].name;
        const char *wrong = fault_of_row(rows, count);

        if (count > UINT16_MAX)
            wrong = "is one too many: a jd_task has 16 bits";
        if (wrong) {
            snprintf(err, errlen, "task table: row %u (%s) %s", (unsigned)count,
                     name ? name : "NULL", wrong);
            return JD_EINVAL;
        }
        /* I2: the zero at the end of the name is hashed with it. */
        hash = jdi_registry_hash(hash, name, strlen(name) + 1);
    }
    *r = (struct jdi_registry){.row = rows, .given = rows, .count = count, .hash = hash};
    return 0;
}

int jdi_registry_find(const struct jdi_registry *r, const char *name)
{
    for (uint32_t i = 0; i < r->count; i++)
        if (!strcmp(r->row[i].name, name))
            return (int)i;
    return JD_EINVAL;
}
