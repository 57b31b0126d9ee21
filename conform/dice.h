/*
 * dice.h - numbers that chance decides, the same for the same seed.
 *
 * Role: splitmix64 (Steele, Lea and Flood, OOPSLA 2014), whose state is one word, so that a
 *       seed is a state.
 * Invariants: I1 what a seed gives never changes: a walk that failed is found again by it.
 * See: walk.c, timed.c.
 */
#ifndef JDI_CONFORM_DICE_H
#define JDI_CONFORM_DICE_H

#include <stdint.h>

/* The next 64 bits. */
static inline uint64_t jdi_dice_roll(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* A number below n. */
static inline uint32_t jdi_dice_below(uint64_t *state, uint32_t n)
{
    return (uint32_t)((jdi_dice_roll(state) >> 32) * n >> 32);
}

#endif
