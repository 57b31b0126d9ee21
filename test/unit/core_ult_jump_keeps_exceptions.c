/*
 * core_ult_jump_keeps_exceptions.c
 *
 * Role: what C++ keeps for a thread about exceptions goes with the ULT: it is there again when the
 *       ULT goes on, on whatever stream, and a new ULT has none.  This program is C, so it has the
 *       function of the C++ ABI that says where that is.
 * Owner: two streams, 0 entered by main; they hand each other the ULTs, one at a time.
 * Invariants: I5 of core/ult/ult.h.
 * See: core/ult/own.h.
 */
#include "test/unit/core_ult_kit.h"

#include <sched.h>
#include <stdatomic.h>

enum { ULTS = 4, ROUNDS = 50, STREAMS = 2 };

static _Thread_local struct jdi_test_globals {
    void *caught;
    unsigned uncaught;
} globals;

JD_PUBLIC void *__cxa_get_globals(void);
void *__cxa_get_globals(void)
{
    return &globals;
}

struct traveller {
    struct travels *all;
    struct jdi_ult *self, *back; /* whom it leaves to */
    unsigned rounds, wrong;
};

struct travels {
    struct ult_rig rig;
    struct traveller traveller[ULTS];
    atomic_uint turn; /* the stream of that remainder runs all of them once */
    unsigned wrong_base;
};

/* Not inlined, so that the address of a thread-local is not kept across a jump. */
static JDI_NOINLINE void set_globals(void *caught, unsigned uncaught)
{
    globals = (struct jdi_test_globals){caught, uncaught};
}

static JDI_NOINLINE bool has_globals(const void *caught, unsigned uncaught)
{
    return globals.caught == caught && globals.uncaught == uncaught;
}

static struct jdi_ult *travel(void *arg, void *data)
{
    struct traveller *t = arg;
    (void)data;
    t->wrong += !has_globals(NULL, 0);
    for (; t->rounds < ROUNDS; t->rounds++) {
        set_globals(t, t->rounds);
        t->all->rig.ops->jump(t->self, t->back, NULL);
        t->wrong += !has_globals(t, t->rounds);
    }
    return t->back;
}

/* Each ULT goes on here in every second of its rounds. */
static void body(void *arg, unsigned stream, struct jdi_ult *base)
{
    struct travels *all = arg;
    set_globals(base, 1000 + stream);
    for (unsigned turn = stream; turn <= ROUNDS; turn += STREAMS) {
        while (atomic_load_explicit(&all->turn, memory_order_acquire) != turn)
            sched_yield();
        for (unsigned i = 0; i < ULTS; i++) {
            all->traveller[i].back = base;
            all->rig.ops->jump(base, all->traveller[i].self, NULL);
            all->wrong_base += !has_globals(base, 1000 + stream);
        }
        atomic_store_explicit(&all->turn, turn + 1, memory_order_release);
    }
    set_globals(NULL, 0);
}

static void test(const struct jdi_ult_ops *ops)
{
    static struct travels all;
    unsigned wrong = 0, rounds = 0;
    memset(&all, 0, sizeof all);
    ult_open(&all.rig, ops, STREAMS);
    for (unsigned i = 0; i < ULTS; i++) {
        struct traveller *t = &all.traveller[i];
        t->all = &all;
        t->self = ult_create(&all.rig, travel, t);
    }
    if (ops->start(all.rig.engine, 1, body, &all))
        bail_out("%s does not start a stream", ops->name);
    ops->enter(all.rig.engine, 0, body, &all);
    ops->join(all.rig.engine, 1);
    for (unsigned i = 0; i < ULTS; i++) {
        wrong += all.traveller[i].wrong;
        rounds += all.traveller[i].rounds;
        ops->destroy(all.traveller[i].self);
    }
    ops->close(all.rig.engine);
    is_u64(rounds, (uint64_t)ULTS * ROUNDS, "%s: all ULTs have finished", ops->name);
    is_u64(wrong, 0, "%s: a ULT's exceptions go with the ULT, a new one has none",
           ops->name);
    is_u64(all.wrong_base, 0, "%s: those of a base context stay with its stream",
           ops->name);
}

int main(void)
{
    ult_each(test);
    return done_testing();
}
