/* A large message is put together from fragments that come in any order, mixed with those
 * of others. */
#include "test/unit/am_fake.h"

enum { LARGE = 3, LEN = 1000 };

struct got {
    unsigned count;
    bool right, token;
};

static unsigned char byte_of(uint32_t src, uint64_t number, unsigned i)
{
    return (unsigned char)(src * 57 + number * 13 + i * 7 + (i >> 5));
}

static void on_large(void *ctx, const struct jdi_am_in *in)
{
    struct got *g = ctx;
    const unsigned char *b = in->msg->data;
    g->count++;
    g->token = in->token != NULL;
    g->right = g->right && in->msg->nargs == 2 && in->msg->arg[1] == in->src &&
               in->msg->len == LEN - in->msg->arg[0];
    for (unsigned i = 0; i < in->msg->len; i++)
        g->right = g->right && b[i] == byte_of(in->src, in->msg->arg[0], i);
}

static void send_large(struct fake *f, uint64_t number)
{
    unsigned char bytes[LEN];
    struct jdi_am_msg m = {.type = LARGE, .nargs = 2, .data = bytes};
    m.arg[0] = number;
    m.arg[1] = f->am.rank;
    m.len = (uint32_t)(LEN - number);
    for (unsigned i = 0; i < m.len; i++)
        bytes[i] = byte_of(f->am.rank, number, i);
    if (jdi_am_send(&f->am, 0, &m))
        bail_out("no memory");
}

static void make(struct fake *f, uint32_t rank)
{
    fake_init(f, rank, 3);
    f->am.credits = 1000;
    send_large(f, 0);
    send_large(f, 1);
    while (jdi_am_pending(&f->am))
        jdi_am_poll(&f->am);
}

/* A permutation of 0 .. 2n-1 by a step that has no factor in common with 2n. */
static void deliver_mixed(struct fake *a, struct fake *b, struct fake *to, unsigned step)
{
    unsigned n = a->nsent;
    for (unsigned i = 0; i < 2 * n; i++) {
        unsigned j = i * step % (2 * n);
        fake_carry(j < n ? a : b, j % n, to);
    }
}

int main(void)
{
    static struct fake a, b, to;
    static const unsigned steps[] = {1, 3, 7, 13, 61};
    for (unsigned s = 0; s < JDI_ARRAY_LEN(steps); s++) {
        struct got got = {.right = true};
        make(&a, 1);
        make(&b, 2);
        fake_init(&to, 0, 3);
        jdi_am_set_handler(&to.am, LARGE, on_large, &got);
        is_u64(a.nsent, 2 * ((LEN + 16 + 63) / 64), "as many fragments as needed");
        deliver_mixed(&a, &b, &to, steps[s]);
        is_u64(got.count, 4, "step %u: four messages", steps[s]);
        ok(got.right, "with the right arguments and bytes");
        ok(got.token, "that can be answered");
        ok(to.am.core->wholes == NULL, "nothing is left half put together");
        fake_fini(&a);
        fake_fini(&b);
        fake_fini(&to);
    }
    return done_testing();
}
