/* A reduction combines own value, first child, second child ..., in whatever order they
 * come, also before it has started here: a sum of doubles is the same every time. */
#include "test/unit/am_fake.h"

enum { CHILDREN = 4 };

static const double value[1 + CHILDREN] = {1.0, 1e100, 1.0, -1e100, 3.0};

static uint64_t bits(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static void set_flag(void *ctx)
{
    *(bool *)ctx = true;
}

static void child_value(struct fake *f, uint32_t child)
{
    struct jdi_am_msg m = {.type = JDI_MSG_UP, .nargs = 3};
    m.arg[1] = 1ull << 32 | JDI_AM_F64 << 8 | JD_SUM;
    m.arg[2] = bits(value[child]);
    jdi_am_deliver(&f->am, child, &m, fake_token(child));
}

/* The sum with children in an order given by `step`, rank 0 after `before` of them. */
static double sum(unsigned step, unsigned before)
{
    static struct fake f;
    bool done = false;
    uint64_t own = bits(value[0]);
    double out;
    struct jdi_am_reduce r = {.value = &own,
                              .n = 1,
                              .kind = JDI_AM_F64,
                              .op = JD_SUM,
                              .done = set_flag,
                              .ctx = &done};
    fake_init(&f, 0, 1 + CHILDREN);
    for (unsigned i = 0; i <= CHILDREN; i++) {
        if (i == before && jdi_am_reduce(&f.am, &r))
            bail_out("no memory");
        ok(!done, "not done before all have come");
        if (i < CHILDREN)
            child_value(&f, 1 + i * step % CHILDREN);
    }
    jdi_am_poll(&f.am);
    ok(done, "done when all have come");
    is_u64(f.nsent, CHILDREN, "every child is told");
    for (unsigned i = 0; i < f.nsent; i++)
        is_u64(f.sent[i].m.arg[2], own, "the same result");
    memcpy(&out, &own, sizeof out);
    fake_fini(&f);
    return out;
}

int main(void)
{
    double expected = value[0];
    for (unsigned i = 1; i <= CHILDREN; i++)
        expected += value[i];
    for (unsigned step = 1; step < CHILDREN; step += 2)
        for (unsigned before = 0; before <= CHILDREN; before++)
            is_u64(bits(sum(step, before)), bits(expected), "step %u, %u children early",
                   step, before);
    return done_testing();
}
