/*
 * name.h - what a task is called in every run of a program: its name.
 *
 * Role: makes the name of a task of its parent's name and its number among the parent's children.
 * Owner: nobody: these are functions of numbers.
 * Invariants: I1 a name depends on who added the task, as how manieth, and on nothing else: not on who ran
 *                it, nor when, nor on what was stolen.
 *             I2 the children of a task have consecutive names, in the order in which it added them; so
 *                have the seeds of a rank.
 *             I3 two tasks of a run have the same name by chance only.
 * See: doc/steallog.md "Names"; test/sim/sched_names_are_the_same_in_each_run.c.
 */
#ifndef JDI_SCHED_NAME_H
#define JDI_SCHED_NAME_H

#include <stdint.h>

/* What the four sorts of tasks are mixed with, so that their names differ. */
enum { JDI_NAME_CHILD = 1, JDI_NAME_SEED = 2, JDI_NAME_STRANGER = 3, JDI_NAME_BODY = 4 };

/* A bijection of 64 bits in which each bit of the input changes half of the output. */
static inline uint64_t jdi_name_mix(uint64_t x)
{
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93ULL;
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93ULL;
    return x ^ x >> 32;
}

/* The first child of the task of that name; the others follow. */
static inline uint64_t jdi_name_children(uint64_t parent)
{
    return jdi_name_mix(parent + JDI_NAME_CHILD * 0x9E3779B97F4A7C15ULL);
}

/* The seed that the rank has added after `index` others. */
static inline uint64_t jdi_name_seed(uint32_t rank, uint32_t index)
{
    return jdi_name_mix(rank + JDI_NAME_SEED * 0x9E3779B97F4A7C15ULL) + index;
}

/* A task that no task of its collection has added, and that is no seed: its id stands for it, which is
 * another one in each run. */
static inline uint64_t jdi_name_stranger(uint64_t id)
{
    return jdi_name_mix(id + JDI_NAME_STRANGER * 0x9E3779B97F4A7C15ULL);
}

/* The first task that the body of the rank spawns in a finish; the others follow. */
static inline uint64_t jdi_name_body(uint32_t rank)
{
    return jdi_name_mix(rank + JDI_NAME_BODY * 0x9E3779B97F4A7C15ULL);
}

#endif
