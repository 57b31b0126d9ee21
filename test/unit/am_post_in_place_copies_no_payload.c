/* A payload that is posted in place is read when the message leaves, not before; one that is
 * larger than a message of the network is copied all the same. */
#include "test/unit/am_fake.h"

static void post(struct fake *f, const void *data, uint32_t len)
{
    struct jdi_am_msg m = {.type = 1, .nargs = 1, .arg = {7}, .len = len, .data = data};
    if (jdi_am_post_in_place(&f->am, 1, &m))
        bail_out("no memory");
}

static void test_waits(struct fake *f)
{
    unsigned char bytes[FAKE_MAX_DATA] = {1, 2, 3};
    f->refuse = 2;
    post(f, bytes, sizeof bytes);
    is_u64(f->nsent, 0, "nothing is sent inside");
    jdi_am_poll(&f->am);
    jdi_am_poll(&f->am);
    is_u64(f->nsent, 0, "the network refuses it twice");
    bytes[1] = 9;
    jdi_am_poll(&f->am);
    is_u64(f->nsent, 1, "then it leaves");
    ok(f->sent[0].m.len == sizeof bytes && f->sent[0].m.arg[0] == 7, "whole");
    ok(!memcmp(f->sent[0].bytes, "\1\11\3", 3), "with what is there when it does");
    memset(bytes, 0, sizeof bytes);
    jdi_am_poll(&f->am);
    is_u64(f->nsent, 1, "and once");
    ok(!jdi_am_pending(&f->am), "nothing is left");
}

static void test_large(struct fake *f)
{
    unsigned char bytes[FAKE_MAX_DATA + 1] = {5};
    f->nsent = 0;
    post(f, bytes, sizeof bytes);
    bytes[0] = 6;
    while (jdi_am_pending(&f->am))
        jdi_am_poll(&f->am);
    is_u64(f->nsent, 2, "a larger one travels in fragments");
    is_u64(f->sent[0].bytes[sizeof(uint64_t)], 5, "of what it was when it was posted");
}

int main(void)
{
    static struct fake f;
    fake_init(&f, 0, 2);
    f.am.credits = 100;
    test_waits(&f);
    test_large(&f);
    f.am.fault.armed[JDI_FAULT_alloc] =
        atomic_load_explicit(&f.am.fault.count[JDI_FAULT_alloc], memory_order_relaxed) +
        1;
    struct jdi_am_msg m = {.type = 1};
    ok(jdi_am_post_in_place(&f.am, 1, &m) == JD_ENOMEM, "no memory is said");
    ok(!jdi_am_pending(&f.am), "and then nothing was posted");
    fake_fini(&f);
    return done_testing();
}
