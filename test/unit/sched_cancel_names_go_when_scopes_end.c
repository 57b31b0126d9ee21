/*
 * sched_cancel_names_go_when_scopes_end.c
 *
 * Role: a rank keeps the name of a cancelled finish until it has heard that the finish was
 *       cancelled and that the finish has ended, in either order; the home tells the others once.
 * Owner: one thread plays both ranks and the network between them.
 * See: doc/async.md "Cancellation", C1 and C4; sched/finish/cancel.c.
 */
#include "test/unit/sched_cancel_kit.h"

enum { SCOPES = 1000 };

static uint32_t names(const struct cancel_rank *k)
{
    return jdi_pool_of(&k->kit.rank)->cancelled.n;
}

static void test_orders(struct cancel_rank *k)
{
    for (uint64_t i = 1; i <= SCOPES; i++)
        cancel_tell(k, i % 2 ? JDI_MSG_CANCELLED : JDI_MSG_OVER, i);
    is_u64(names(k), SCOPES, "one name for each scope");
    jd_finish_id heard = {.number = 1}, over = {.number = 2};
    ok(jdi_cancel_known(jdi_pool_of(&k->kit.rank), heard), "cancelled");
    ok(!jdi_cancel_known(jdi_pool_of(&k->kit.rank), over), "over before that is known");
    for (uint64_t i = 1; i <= SCOPES; i++)
        cancel_tell(k, i % 2 ? JDI_MSG_OVER : JDI_MSG_CANCELLED, i);
    is_u64(names(k), 0, "none when both have come, in either order");
}

/* Messages of that type that k has sent. */
static unsigned sent(const struct cancel_rank *k, unsigned type)
{
    unsigned n = 0;
    for (unsigned i = 0; i < k->fake.nsent; i++)
        n += k->fake.sent[i].m.type == type;
    return n;
}

static void test_home(struct cancel_rank *k)
{
    struct jdi_part away, here;
    cancel_scope_open(k, &away);
    cancel_scope_open(k, &here);
    (void)cancel_send_task(k, &away);
    for (int twice = 0; twice < 2; twice++) {
        ok(jd_cancel(&k->kit.self[0], away.id) == 0, "cancel");
        ok(jd_cancel(&k->kit.self[0], here.id) == 0, "cancel the other");
        cancel_turn(k);
    }
    is_u64(sent(k, JDI_MSG_CANCELLED), 1, "told once, and only who may have tasks");
    is_u64(names(k), 1, "home has the name too");
    jdi_cancel_over(&away);
    jdi_cancel_over(&here);
    cancel_turn(k);
    is_u64(sent(k, JDI_MSG_OVER), 1, "and that it is over, likewise");
    is_u64(names(k), 0, "home has forgotten it");
}

int main(void)
{
    static struct cancel_rank home, other;
    cancel_rank_init(&home, 0, true);
    cancel_rank_init(&other, 1, true);
    test_orders(&other);
    test_home(&home);
    return done_testing();
}
