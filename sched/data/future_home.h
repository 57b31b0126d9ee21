/*
 * future_home.h - a future as its home has it.
 *
 * Role: the object, and how a number leads to it; for the files that serve futures at home.
 * Owner: its fields are under its lock; a value that is set is constant while somebody holds it.
 * Invariants: I1 a future that does not live has nobody who listens.
 *             I2 one of an array lies in a memory of the library's, and its generation is made of the number of
 *                that memory, so it is no other future's.
 * See: doc/data.md "Futures"; sched/data/future.c, sched/data/future_array.c.
 */
#ifndef JDI_SCHED_DATA_FUTURE_HOME_H
#define JDI_SCHED_DATA_FUTURE_HOME_H

#include "sched/data/future.h"
#include "sched/data/mem.h"

/* Bytes of a value that lie in the future, which then is a cache line long. */
enum { JDI_FUTURE_INLINE = 24 };
#define JDI_FUTURE_UNSET UINT32_MAX

struct jdi_future {
    struct jdi_named named;    /* first */
    struct jdi_line listeners; /* struct jdi_listener; empty once it is set */
    uint32_t len;              /* of the value, or JDI_FUTURE_UNSET */
    uint32_t held;             /* those who read the value without the lock */
    union {
        unsigned char bytes[JDI_FUTURE_INLINE];
        unsigned char *block; /* of a longer one */
    } value;
};
_Static_assert(sizeof(struct jdi_future) == JDI_CACHE_LINE, "a future is one cache line");

/* The number of one of an array: ARRAY, the number of the array's memory, and from bit 32 down its place. */
#define JDI_FUTURE_ARRAY    (UINT64_C(1) << 63)
#define JDI_FUTURE_IN_ARRAY UINT32_MAX /* the place of such a future among the others */

static inline struct jdi_future *jdi_future_of_array(const struct jdi_mem *m)
{
    return (struct jdi_future *)(void *)m->bytes;
}
/* The number of an array's memory, and the generation of its futures while they live. */
static inline uint64_t jdi_future_array(uint64_t number)
{
    return (number & ~JDI_FUTURE_ARRAY) >> 32;
}
static inline uint32_t jdi_future_generation(uint64_t array)
{
    return (uint32_t)array << 1 | 1;
}

/* With its lock, which is given up: f does not live any more, who listens is told, and what nobody holds is
 * given back.  sched/data/future.c, as the next. */
void jdi_future_end(struct jdi_rank *r, struct jdi_worker *by, struct jdi_future *f);
/* Nobody holds the value, and nobody listens: forget it.  Returns the block to be freed, or NULL. */
unsigned char *jdi_future_forget(struct jdi_future *f);
/* Free the values in arrays that nobody has destroyed: sched/data/future_array.c. */
void jdi_future_array_free_all(struct jdi_rank *r);

#endif
