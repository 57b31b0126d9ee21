/*
 * core_ult_migrates_without_loss.c
 *
 * Role: ULTs that stop on one stream and go on on the other lose no step and keep errno.
 * Owner: a walker belongs to the stream that took it from a door; a door is a one-place
 *        mailbox between the streams.
 * Invariants: I3 and I5 of core/ult/ult.h.
 * Order: the door's store is a release, its exchange an acquire [pair: test-door].
 * See: core/ult/ult.h.
 */
#include "test/unit/core_ult_kit.h"

#include <errno.h>
#include <stdatomic.h>

enum { WALKERS = 8 };

struct walker {
    struct hall *hall;
    struct jdi_ult *ult;
    int number;
    unsigned steps;
    bool arrived;
};

struct hall {
    struct ult_rig rig;
    struct walker walkers[WALKERS];
    _Atomic(struct walker *) door[2][WALKERS]; /* to stream 0 and 1 */
    _Atomic unsigned home;                     /* walkers that have finished */
    unsigned seen[2];                          /* by stream */
};

/* Not inlined: the address of errno differs from one call to the next. */
static JDI_NOINLINE int errno_now(void)
{
    __asm__ volatile("" ::: "memory");
    return errno;
}

static JDI_NOINLINE void errno_set(int value)
{
    __asm__ volatile("" ::: "memory");
    errno = value;
}

/* data is the base context of the stream it runs on now. */
static struct jdi_ult *walk(void *arg, void *data)
{
    struct walker *w = arg;
    unsigned wrong = 0;
    errno_set(100 + w->number);
    while (++w->steps < ULT_HOPS / WALKERS) {
        data = w->hall->rig.ops->jump(w->ult, data, w);
        wrong += errno_now() != 100 + w->number;
    }
    w->hall->walkers[w->number].steps += wrong; /* shows up as a wrong sum */
    w->arrived = true;
    return data;
}

/* One visit: run the walker until it stops, then pass it on to the other stream. */
static void visit(struct hall *h, unsigned stream, struct jdi_ult *base, struct walker *w)
{
    h->rig.ops->jump(base, w->ult, base);
    h->seen[stream]++;
    if (!w->arrived) {
        atomic_store_explicit(&h->door[!stream][w->number], w,
                              memory_order_release); /* [pair: test-door] */
        return;
    }
    h->rig.ops->destroy(w->ult);
    atomic_fetch_add_explicit(&h->home, 1, memory_order_release); /* [pair: test-door] */
}

static void usher(void *arg, unsigned stream, struct jdi_ult *base)
{
    struct hall *h = arg;
    while (atomic_load_explicit(&h->home, memory_order_acquire) < WALKERS) {
        bool idle = true;
        for (int i = 0; i < WALKERS; i++) {
            struct walker *w = atomic_exchange_explicit(
                &h->door[stream][i], NULL, memory_order_acquire); /* [pair: test-door] */
            if (w) {
                visit(h, stream, base, w);
                idle = false;
            }
        }
        if (idle)
            tap_breathe();
    }
}

static void test(const struct jdi_ult_ops *ops)
{
    struct hall h = {.home = 0};
    unsigned steps = 0;
    ult_open(&h.rig, ops, 2);
    for (int i = 0; i < WALKERS; i++) {
        struct walker *w = &h.walkers[i];
        *w = (struct walker){.hall = &h, .number = i};
        w->ult = ult_create(&h.rig, walk, w);
        atomic_store_explicit(&h.door[i % 2][i], w, memory_order_relaxed);
    }
    if (ops->start(h.rig.engine, 1, usher, &h))
        bail_out("%s does not start a stream", ops->name);
    ops->enter(h.rig.engine, 0, usher, &h);
    ops->join(h.rig.engine, 1);
    ops->close(h.rig.engine);
    for (int i = 0; i < WALKERS; i++)
        steps += h.walkers[i].steps;
    is_u64(steps, ULT_HOPS, "%s: every step was walked once, errno at hand", ops->name);
    is_u64(h.seen[0] + h.seen[1], ULT_HOPS, "%s: every visit came back", ops->name);
    ok(h.seen[0] >= ULT_HOPS / 2 - WALKERS && h.seen[1] >= ULT_HOPS / 2 - WALKERS,
       "%s: both streams had half of them", ops->name);
}

int main(void)
{
    ult_each(test);
    return done_testing();
}
