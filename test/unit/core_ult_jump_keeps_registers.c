/*
 * core_ult_jump_keeps_registers.c
 *
 * Role: what a ULT holds in registers, integers and floating point, and errno, is there
 *       again when it goes on, although others used the same registers between.
 * Owner: one stream, entered by main.
 * Invariants: I1 and I5 of core/ult/ult.h.
 * See: core/ult/ult.h.
 */
#include "test/unit/core_ult_kit.h"

#include <errno.h>

enum { ULTS = 5, ROUNDS = 200 };

struct ring {
    struct ult_rig rig;
    struct jdi_ult *base, *ults[ULTS];
    unsigned wrong, finished;
};

struct member {
    struct ring *ring;
    unsigned number;
};

/* More values alive across the jump than there are registers to keep them in. */
static JDI_NOINLINE unsigned keep(struct ring *r, struct jdi_ult *self,
                                  struct jdi_ult *to, volatile long *seed)
{
    long s = *seed;
    long a = s + 1, b = s * 3, c = s ^ 5, d = s - 7, e = s * 11, f = s + 13, g = s * 17;
    double t = (double)s, u = t / 3, v = t * 0.7, w = t + 0.1, x = t - 2.5, y = t * 1e9;
    errno = (int)s;
    r->rig.ops->jump(self, to, NULL);
    long n = *seed; /* read again, so the compiler cannot know it is s */
    double m = (double)n;
    unsigned wrong = errno != (int)n;
    wrong += a != n + 1 || b != n * 3 || c != (n ^ 5) || d != n - 7;
    wrong += e != n * 11 || f != n + 13 || g != n * 17;
    wrong += u != m / 3 || v != m * 0.7 || w != m + 0.1 || x != m - 2.5 || y != m * 1e9;
    return wrong;
}

static struct jdi_ult *run_member(void *arg, void *data)
{
    struct member *m = arg;
    struct ring *r = m->ring;
    struct jdi_ult *self = r->ults[m->number];
    struct jdi_ult *next = m->number + 1 < ULTS ? r->ults[m->number + 1] : r->base;
    (void)data;
    for (unsigned i = 0; i < ROUNDS; i++) {
        volatile long seed = (long)(1000 * m->number + i);
        r->wrong += keep(r, self, next, &seed);
    }
    r->finished++;
    return next;
}

static void body(void *arg, unsigned stream, struct jdi_ult *base)
{
    struct ring *r = arg;
    struct member members[ULTS];
    (void)stream;
    r->base = base;
    for (unsigned i = 0; i < ULTS; i++) {
        members[i] = (struct member){r, i};
        r->ults[i] = ult_create(&r->rig, run_member, &members[i]);
    }
    for (unsigned i = 0; i < ROUNDS; i++) {
        volatile long seed = -(long)i;
        r->wrong += keep(r, base, r->ults[0], &seed);
    }
    r->rig.ops->jump(base, r->ults[0], NULL); /* the last round of all of them */
    for (unsigned i = 0; i < ULTS; i++)
        r->rig.ops->destroy(r->ults[i]);
}

static void test(const struct jdi_ult_ops *ops)
{
    struct ring r = {.wrong = 0};
    ult_open(&r.rig, ops, 1);
    ops->enter(r.rig.engine, 0, body, &r);
    ops->close(r.rig.engine);
    is_u64(r.wrong, 0, "%s: registers and errno survive a jump", ops->name);
    is_u64(r.finished, ULTS, "%s: all ULTs have finished", ops->name);
}

int main(void)
{
    ult_each(test);
    return done_testing();
}
