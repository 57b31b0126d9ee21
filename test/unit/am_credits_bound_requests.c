/* No more requests than credits are out; the rest waits in order and leaves as credits
 * come back. */
#include "test/unit/am_fake.h"

static void send_number(struct fake *f, uint64_t number)
{
    struct jdi_am_msg m = {.type = 1, .nargs = 1, .arg = {number}};
    if (jdi_am_send(&f->am, 1, &m))
        bail_out("no memory");
}

/* Rank 1 hands back `credits` with a reply. */
static void hand_back(struct fake *f, uint16_t credits)
{
    struct jdi_am_msg m = {.type = 2, .wire = credits};
    jdi_am_deliver(&f->am, 1, &m, NULL);
}

static void ignore(void *ctx, const struct jdi_am_in *in)
{
    (void)ctx, (void)in;
}

/* A network that would wait for the third one gets two. */
static void test_bears(void)
{
    static struct fake f;
    fake_init(&f, 0, 2);
    f.am.credits = 4;
    f.am.bears = 2;
    jdi_am_set_handler(&f.am, 2, ignore, NULL);
    for (uint64_t i = 0; i < 3; i++)
        send_number(&f, i);
    is_u64(f.nsent, 2, "no more than the network bears");
    ok(f.sent[1].m.wire & JDI_AM_URGE, "the last of them is urgent");
    hand_back(&f, 2);
    jdi_am_poll(&f.am);
    is_u64(f.nsent, 3, "the third follows");
    hand_back(&f, 1);
    f.am.bears = 9;
    for (uint64_t i = 0; i < 5; i++)
        send_number(&f, i);
    is_u64(f.nsent, 7, "and never more than there are credits");
    fake_fini(&f);
}

int main(void)
{
    static struct fake f;
    fake_init(&f, 0, 2);
    f.am.credits = 4;
    jdi_am_set_handler(&f.am, 2, ignore, NULL);
    for (uint64_t i = 0; i < 10; i++)
        send_number(&f, i);
    is_u64(f.nsent, 4, "as many leave as there are credits");
    ok(jdi_am_pending(&f.am), "the others are pending");
    is_u64(f.am.stats.deferred, 6, "and counted as deferred");
    ok(!(f.sent[0].m.wire & JDI_AM_URGE), "the first request is not urgent");
    ok(f.sent[1].m.wire & JDI_AM_URGE, "the one that takes the middle credit is");
    ok(!(f.sent[2].m.wire & JDI_AM_URGE), "the third is not");
    ok(f.sent[3].m.wire & JDI_AM_URGE, "the one that takes the last credit is");

    jdi_am_poll(&f.am);
    is_u64(f.nsent, 4, "polling does not help without a credit");
    hand_back(&f, 1);
    is_u64(f.nsent, 4, "what waits does not leave inside a delivery");
    jdi_am_poll(&f.am);
    is_u64(f.nsent, 5, "one credit lets one go");
    ok(f.sent[4].m.wire & JDI_AM_URGE, "it takes the last credit again");
    send_number(&f, 10);
    hand_back(&f, 4);
    jdi_am_poll(&f.am);
    hand_back(&f, 2);
    jdi_am_poll(&f.am);
    is_u64(f.nsent, 11, "all have left in the end");
    ok(!jdi_am_pending(&f.am), "nothing is pending");
    bool in_order = true;
    for (unsigned i = 0; i < f.nsent; i++)
        in_order = in_order && f.sent[i].m.arg[0] == i;
    ok(in_order, "a later message does not overtake those that wait");
    fake_fini(&f);
    test_bears();
    return done_testing();
}
