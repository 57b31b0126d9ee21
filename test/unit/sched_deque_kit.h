/*
 * sched_deque_kit.h - numbered tasks in a deque.
 *
 * Role: what the tests of the deque share.
 * Owner: the test.
 * See: test/unit/sched_deque_*, test/unit/sched_claim_*.
 */
#ifndef JDI_TEST_UNIT_SCHED_DEQUE_KIT_H
#define JDI_TEST_UNIT_SCHED_DEQUE_KIT_H

#include "sched/deque.h"
#include "test/kit/instrumented.h"
#include "test/kit/tap.h"

#include <stdlib.h>

enum { KIT_SLOT = JDI_TASK_HEAD + 16 };

enum { KIT_SLOWER = INSTRUMENTED ? 40 : 1 };

/* The number stands twice in a slot, so that a half-copied one shows. */
static inline void kit_number(struct jdi_task *t, uint64_t number)
{
    *t = (struct jdi_task){.id = number, .len = sizeof number};
    memcpy(t->arg, &number, sizeof number);
}

static inline void kit_push(struct jdi_deque *d, uint64_t number)
{
    struct jdi_task *t = jdi_deque_push(d);
    if (!t)
        bail_out("no memory for a slot");
    kit_number(t, number);
    jdi_deque_pushed(d);
}

/* The number in a slot, or UINT64_MAX if the two do not agree. */
static inline uint64_t kit_number_of(const struct jdi_task *t)
{
    uint64_t number;
    memcpy(&number, t->arg, sizeof number);
    return number == t->id && t->len == sizeof number ? number : UINT64_MAX;
}

/* The next number of the owner, 0 if there is none (numbers begin with 1). */
static inline uint64_t kit_pop(struct jdi_deque *d)
{
    const struct jdi_task *t = jdi_deque_pop(d);
    return t ? kit_number_of(t) : 0;
}

/* What players of a game have taken, by number; any of them writes. */
struct kit_taken {
    _Atomic unsigned char *times; /* 0 .. most */
    uint64_t most;
    _Atomic uint64_t torn;
};

static inline void kit_take(struct kit_taken *k, uint64_t number)
{
    if (number == 0 || number > k->most)
        atomic_fetch_add_explicit(&k->torn, 1, memory_order_relaxed);
    else
        atomic_fetch_add_explicit(&k->times[number], 1, memory_order_relaxed);
}

/* Each number was taken once, and whole. */
static inline void kit_taken_once(const struct kit_taken *k)
{
    uint64_t never = 0, twice = 0;
    for (uint64_t i = 1; i <= k->most; i++) {
        unsigned n = atomic_load_explicit(&k->times[i], memory_order_relaxed);
        never += n == 0;
        twice += n > 1;
    }
    is_u64(never, 0, "none is lost");
    is_u64(twice, 0, "none is taken twice");
    is_u64(atomic_load(&k->torn), 0, "none is torn");
}

/* xorshift64*; `state` is not 0. */
static inline uint64_t kit_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545F4914F6CDD1D);
}

#endif
