/*
 * termination_rooted_costs_only_what_it_reaches.c
 *
 * Role: a rooted detector with `credit`, by hand: nothing for work that stays at home, one RETURN
 *       for an idle episode however many messages came, the step on underflow, words that add
 *       up.
 * Owner: one thread.
 * See: termination/credit.c; doc/termination.md section 11.
 */
#include "test/unit/termination_rooted_kit.h"

static void nothing_for_work_at_home(void)
{
    struct town t;
    town_found(&t, &jdi_rooted_credit);
    jdi_rooted_step(&t.house[HOME].rooted);
    is_u64(t.done, 0, "a busy home is not done");
    t.house[HOME].run++;
    town_rest(&t, HOME);
    is_u64(t.done, 1, "it is when it is idle");
    is_u64(t.mails, 0, "without a message");
    ok(!jdi_rooted_engaged(&t.house[HOME].rooted), "nothing is left of it");
}

static void one_return_for_many_messages(void)
{
    struct town t;
    town_found(&t, &jdi_rooted_credit);
    for (int i = 0; i < 10; i++)
        town_take(&t, 0, town_give(&t, HOME));
    struct jdi_rooted_token deep = town_give(&t, 0); /* under way for a while */
    t.house[HOME].run++;
    town_rest(&t, HOME);
    town_rest(&t, 0);
    is_u64(t.mails, 1, "ten messages, one RETURN");
    town_deliver(&t);
    is_u64(t.done, 0, "not done: a task is under way");
    town_take(&t, 3, deep);
    town_rest(&t, 3);
    is_u64(t.mail[0].dst, HOME, "it goes to the home in one hop");
    town_deliver(&t);
    is_u64(t.done, 1, "done");
    is_u64(t.result[0], 12, "twelve tasks were made");
    is_u64(t.result[1], 12, "and run");
    is_u64(t.result[JDI_TD_STATS - 1], 0, "the last word is xor-ed");
    is_u64(t.house[1].rooted.sent, 0, "rank 1 was never asked");
}

static void underflow_opens_a_child(void)
{
    struct town t;
    const struct jdi_rooted_rule coarse = {"coarse", 1, jdi_rooted_credit.give,
                                           jdi_rooted_credit.keeps};
    town_found(&t, &coarse);
    town_take(&t, 0, town_give(&t, HOME));
    struct jdi_rooted_token a = town_give(&t, 0), b = town_give(&t, 0),
                            c = town_give(&t, 0);
    is_u64(a.home, HOME, "the weight is halved once");
    is_u64(b.home, 0, "then rank 0 gives its own");
    is_u64(c.home, 0, "and goes on");
    is_u64(t.house[0].rooted.steps, 1, "that is one step");
    town_take(&t, 1, b);
    town_take(&t, 1, a);
    is_u64(t.mails, 1, "a token of another giver goes back at once");
    town_take(&t, 3, c);
    town_rest(&t, 0);
    t.house[HOME].run++;
    town_rest(&t, HOME);
    town_deliver(&t);
    ok(jdi_rooted_engaged(&t.house[0].rooted), "rank 0 is idle, but waits for its own");
    town_rest(&t, 1);
    town_rest(&t, 3);
    is_u64(t.done, 0, "nothing is done");
    town_deliver(&t);
    is_u64(t.done, 1, "until all have come back");
    for (uint32_t i = 0; i < RANKS; i++)
        ok(!jdi_rooted_engaged(&t.house[i].rooted), "rank %u is free", (unsigned)i);
}

static void own_messages_are_taken_back(void)
{
    struct town t;
    town_found(&t, &jdi_rooted_credit);
    jdi_rooted_imported(&t.house[HOME].rooted,
                        jdi_rooted_exported(&t.house[HOME].rooted));
    is_u64(t.house[HOME].rooted.debt, 0, "the home has no debt");
    town_take(&t, 0, town_give(&t, HOME));
    struct jdi_rooted_token token = town_give(&t, 0);
    town_rest(&t, 0); /* the message cannot leave, and the rank was idle meanwhile */
    town_take(&t, 0, token);
    ok(t.house[0].rooted.engaged, "it is engaged again");
    town_rest(&t, 0);
    t.house[HOME].run++;
    town_rest(&t, HOME);
    town_deliver(&t);
    is_u64(t.done, 1, "done");
}

static void too_much(void *arg)
{
    struct town *t = arg;
    const struct jdi_rooted_return m = {.weight = 1};
    jdi_rooted_returned(&t->house[HOME].rooted, &m);
}
static void export_without_weight(void *arg)
{
    struct town *t = arg;
    jdi_rooted_exported(&t->house[0].rooted);
}

int main(void)
{
    nothing_for_work_at_home();
    one_return_for_many_messages();
    underflow_opens_a_child();
    own_messages_are_taken_back();
    town_fatal(&jdi_rooted_credit, too_much, "credit that nobody gave");
    town_fatal(&jdi_rooted_credit, export_without_weight,
               "an export of a rank without weight");
    return done_testing();
}
