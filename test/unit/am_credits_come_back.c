/* A request's credit comes back with whatever goes to its sender; if nothing does, a CREDIT
 * message is sent when the sender has said that it is running out. */
#include "test/unit/am_fake.h"

enum { SILENT = 1, ANSWERED };

static void stay_silent(void *ctx, const struct jdi_am_in *in)
{
    (void)ctx, (void)in;
}

static void answer(void *ctx, const struct jdi_am_in *in)
{
    struct jdi_am_msg m = {.type = SILENT};
    (void)ctx;
    ok(!jdi_am_reply(in, &m), "a reply is accepted");
}

static void request(struct fake *f, uint32_t src, uint8_t type, bool urgent)
{
    struct jdi_am_msg m = {.type = type, .wire = urgent ? JDI_AM_URGE : 0};
    jdi_am_deliver(&f->am, src, &m, fake_token(src));
}

int main(void)
{
    static struct fake f;
    fake_init(&f, 0, 3);
    jdi_am_set_handler(&f.am, SILENT, stay_silent, NULL);
    jdi_am_set_handler(&f.am, ANSWERED, answer, NULL);

    request(&f, 1, SILENT, false);
    request(&f, 1, SILENT, false);
    jdi_am_poll(&f.am);
    is_u64(f.nsent, 0, "no message for credits that nobody misses");
    request(&f, 1, SILENT, true);
    ok(jdi_am_pending(&f.am), "an urgent debt is pending");
    jdi_am_poll(&f.am);
    is_u64(f.nsent, 1, "an urgent request has its sender's credits flushed");
    is_u64(f.sent[0].m.type, JDI_MSG_CREDIT, "by a CREDIT message");
    is_u64(f.sent[0].m.wire, 3, "with all that is owed, and not urgent itself");
    is_u64(f.sent[0].dst, 1, "to the sender");
    ok(!jdi_am_pending(&f.am), "nothing is pending any more");

    request(&f, 2, SILENT, false);
    request(&f, 2, ANSWERED, true);
    is_u64(f.nsent, 2, "a reply leaves at once");
    ok(f.sent[1].reply, "as a reply");
    is_u64(f.sent[1].m.wire, 2, "with all that is owed");
    jdi_am_poll(&f.am);
    is_u64(f.nsent, 2, "so nothing is left to flush");

    request(&f, 2, SILENT, false);
    struct jdi_am_msg m = {.type = SILENT};
    ok(!jdi_am_send(&f.am, 2, &m), "a request to a creditor");
    is_u64(f.sent[2].m.wire & JDI_AM_GIVEN, 1, "carries what is owed to it");

    request(&f, 1, SILENT, true);
    f.refuse = 2;
    jdi_am_poll(&f.am);
    jdi_am_poll(&f.am);
    is_u64(f.nsent, 3, "a CREDIT message may be refused");
    jdi_am_poll(&f.am);
    is_u64(f.nsent, 4, "and is sent again");
    is_u64(f.sent[3].m.wire, 1, "once, complete");
    fake_fini(&f);
    return done_testing();
}
