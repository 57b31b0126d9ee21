/*
 * random.h - small random numbers for choosing victims.
 *
 * Role: a generator of eight bytes of state.
 * Owner: the caller's state.
 * Invariants: I1 a state is never 0.
 * See: sched/steal/steal.c, sched/worker.c.
 */
#ifndef JDI_CORE_RANDOM_H
#define JDI_CORE_RANDOM_H

#include <stdint.h>

/* xorshift64*: the next number. */
static inline uint64_t jdi_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545F4914F6CDD1DULL;
}

/* A number below n > 0, without a division. */
static inline uint32_t jdi_random_below(uint64_t *state, uint32_t n)
{
    return (uint32_t)(((jdi_random(state) >> 32) * n) >> 32);
}

#endif
