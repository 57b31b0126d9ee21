/* A refused request leaves credits and debts as they were, and is sent once. */
#include "test/unit/am_fake.h"

static void ignore(void *ctx, const struct jdi_am_in *in)
{
    (void)ctx, (void)in;
}

int main(void)
{
    static struct fake f;
    fake_init(&f, 0, 2);
    f.am.credits = 2;
    jdi_am_set_handler(&f.am, 1, ignore, NULL);
    struct jdi_am_msg in = {.type = 1};
    jdi_am_deliver(&f.am, 1, &in, fake_token(1)); /* now one credit is owed */

    unsigned char bytes[3] = {1, 2, 3};
    struct jdi_am_msg m = {.type = 1, .len = 3, .data = bytes};
    f.refuse = 3;
    ok(!jdi_am_send(&f.am, 1, &m), "a refused message is accepted all the same");
    memset(bytes, 0, sizeof bytes);
    jdi_am_poll(&f.am);
    jdi_am_poll(&f.am);
    is_u64(f.nsent, 0, "three refusals");
    ok(jdi_am_pending(&f.am), "it is pending");
    jdi_am_poll(&f.am);
    jdi_am_poll(&f.am);
    is_u64(f.nsent, 1, "it leaves once");
    is_u64(f.sent[0].m.wire & JDI_AM_GIVEN, 1, "with the debt");
    ok(!memcmp(f.sent[0].bytes, "\1\2\3", 3), "with its payload as it was");
    ok(!jdi_am_send(&f.am, 1, &m), "and there is a second credit");
    is_u64(f.nsent, 2, "for a second message");

    f.am.fault.armed[JDI_FAULT_send] =
        atomic_load_explicit(&f.am.fault.count[JDI_FAULT_send], memory_order_relaxed) + 1;
    struct jdi_am_msg back = {.type = 1, .wire = 2};
    jdi_am_deliver(&f.am, 1, &back, NULL);
    ok(!jdi_am_send(&f.am, 1, &m), "an injected refusal");
    is_u64(f.nsent, 2, "does as a real one");
    jdi_am_poll(&f.am);
    is_u64(f.nsent, 3, "and is over in the next poll");
    fake_fini(&f);
    return done_testing();
}
