/*
 * names.h - objects of a rank whose names can be copied, sent, guessed and out of date.
 *
 * Role: gives an object a place and a number that is never used twice, and finds it again.
 * Owner: any thread; an object's fields belong to the holder of its lock.
 * Invariants: I1 the memory of an object stays until jdi_names_fini, so a name that is out of date finds
 *                an object there, under its lock, and sees that its number is another one.
 *             I2 `generation` is odd while the object lives, and only grows.  A place whose generations
 *                are used up is never given again.
 * Order: [pair: lock]; [pair: names-born] the fields of a new object before whoever finds it.
 * See: doc/waiting.md "Channels"; core/table.h; test/unit/sched_names_are_never_used_twice.c.
 */
#ifndef JDI_SCHED_NAMES_H
#define JDI_SCHED_NAMES_H

#include "core/lock.h"
#include "core/table.h"

/* The beginning of an object. */
struct jdi_named {
    struct jdi_named *next; /* of those that a worker keeps */
    struct jdi_lock lock;
    _Atomic uint32_t generation; /* writer: who has the lock, or whoever has taken it */
    uint32_t place;              /* constant */
};

/* A block of places, of which some may be free.  Free places are taken block by block and each block in
 * order, so objects that are made in turn are neighbours in memory, however they died. */
enum { JDI_NAMES_WORDS = 4, JDI_NAMES_BLOCK = 64 * JDI_NAMES_WORDS };
struct jdi_names_block {
    uint64_t free[JDI_NAMES_WORDS]; /* a bit for each place */
    struct jdi_names_block *next;   /* of those with a free place */
    uint32_t first;                 /* place; constant */
};

struct jdi_names {
    struct jdi_lock lock;
    uint32_t made; /* places that were used */
    struct jdi_names_block *free;
    struct jdi_table table, blocks;
};

/* Free objects that a worker keeps for itself: what died last is taken first. */
struct jdi_names_kept {
    struct jdi_named *first;
    uint32_t n;
};

/* For objects of `size` bytes, which begin with a struct jdi_named. */
void jdi_names_init(struct jdi_names *n, size_t size, struct jdi_fault *f);
/* Call fn for all objects, living or not, and free them. */
void jdi_names_fini(struct jdi_names *n, void (*fn)(struct jdi_named *o));

/* Take a free object, whose other fields are zero, or as they were when it was given back.  NULL: no
 * memory.  `kept` may be NULL. */
struct jdi_named *jdi_names_take(struct jdi_names *n, struct jdi_names_kept *kept);
/* The object has died, or was never born. */
void jdi_names_give(struct jdi_names *n, struct jdi_names_kept *kept,
                    struct jdi_named *o);
/* Lock an object at whose place there may be another one by now, or none; then false, and it is not locked. */
bool jdi_names_lock_at(struct jdi_named *o, uint64_t number);
/* The living object of that number, locked; NULL: there is none. */
struct jdi_named *jdi_names_lock(struct jdi_names *n, uint64_t number);

/* The object lives from now on.  Returns its number, which is 1 to INT64_MAX. */
static inline uint64_t jdi_named_born(struct jdi_named *o)
{
    uint32_t g = atomic_load_explicit(&o->generation, memory_order_relaxed) + 1;
    JD_ASSERT(g & 1);
    /* [pair: names-born] release: whoever guesses the name finds the fields. */
    atomic_store_explicit(&o->generation, g, memory_order_release);
    return (uint64_t)g << 32 | o->place;
}

static inline bool jdi_named_lives(const struct jdi_named *o)
{
    return atomic_load_explicit(&o->generation, memory_order_relaxed) & 1;
}

/* Under its lock: nobody finds it any more. */
static inline void jdi_named_dies(struct jdi_named *o)
{
    uint32_t g = atomic_load_explicit(&o->generation, memory_order_relaxed) + 1;
    JD_ASSERT(!(g & 1));
    atomic_store_explicit(&o->generation, g, memory_order_relaxed);
}

/* Under its lock: it lives, and that is its number. */
static inline bool jdi_named_is(const struct jdi_named *o, uint64_t number)
{
    uint32_t generation = (uint32_t)(number >> 32);
    /* [pair: names-born] acquire: the fields. */
    return generation & 1 &&
           atomic_load_explicit(&o->generation, memory_order_acquire) == generation;
}

/* What lies at the place of a name that was right once. */
static inline struct jdi_named *jdi_names_at(const struct jdi_names *n, uint64_t number)
{
    return jdi_table_at(&n->table, (uint32_t)number);
}

#endif
