/*
 * termination_rooted_diffuse_answers_each_message.c
 *
 * Role: a rooted detector with `diffuse`, by hand: as many answers as messages, the one that
 *       engaged a rank last; the end comes back over those who engaged each other; a rank that
 *       was let go can be engaged again, by another; words that add up.
 * Owner: one thread.
 * See: termination/diffuse.c; doc/termination.md section 11.
 */
#include "test/unit/termination_rooted_kit.h"

static bool engaged(const struct town *t, uint32_t rank)
{
    return jdi_rooted_engaged(&t->house[rank].rooted);
}

static uint64_t answers(const struct town *t)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < RANKS; i++)
        n += t->house[i].rooted.sent;
    return n;
}

static void home_rests(struct town *t)
{
    t->house[HOME].run++;
    town_rest(t, HOME);
}

static void nothing_for_work_at_home(void)
{
    struct town t;
    town_found(&t, &jdi_rooted_diffuse);
    home_rests(&t);
    is_u64(t.done, 1, "work that stays at home is done");
    is_u64(answers(&t), 0, "without a message");
}

static void each_message_is_answered(void)
{
    struct town t;
    town_found(&t, &jdi_rooted_diffuse);
    for (int i = 0; i < 10; i++)
        town_take(&t, 0, town_give(&t, HOME));
    is_u64(t.mails, 9, "all but the first are answered at once");
    town_deliver(&t);
    home_rests(&t);
    is_u64(t.done, 0, "not done: rank 0 is busy");
    town_rest(&t, 0);
    is_u64(t.mails, 1, "the first when it is idle");
    town_deliver(&t);
    is_u64(t.done, 1, "done");
    is_u64(answers(&t), 10, "ten messages, ten answers");
    is_u64(t.result[0], 11, "eleven tasks were made");
    is_u64(t.result[1], 11, "and run");
    is_u64(t.result[JDI_TD_STATS - 1], 0, "the last word is xor-ed");
    is_u64(t.house[1].rooted.sent, 0, "rank 1 was never asked");
}

/* HOME to 0 to 1 to 3, each idle as soon as it has given: the end goes the same way back. */
static void the_end_comes_back_hop_by_hop(void)
{
    struct town t;
    const uint32_t way[] = {HOME, 0, 1, 3};
    town_found(&t, &jdi_rooted_diffuse);
    for (int i = 0; i + 1 < RANKS; i++) {
        town_take(&t, way[i + 1], town_give(&t, way[i]));
        t.house[way[i]].run += way[i] == HOME;
        town_rest(&t, way[i]);
        ok(engaged(&t, way[i]), "rank %u waits for rank %u", (unsigned)way[i],
           (unsigned)way[i + 1]);
    }
    town_rest(&t, 3);
    for (int i = RANKS - 2; i >= 0; i--) {
        is_u64(t.mails, 1, "one answer is under way");
        is_u64(t.mail[0].dst, way[i], "to who engaged it");
        struct town_mail m = t.mail[--t.mails];
        jdi_rooted_returned(&t.house[m.dst].rooted, &m.m);
        jdi_rooted_step(&t.house[m.dst].rooted);
        ok(!engaged(&t, way[i]), "who lets go");
    }
    is_u64(t.done, 1, "done");
    is_u64(answers(&t), 3, "three messages, three answers");
    is_u64(t.result[0], 4, "the words of all have come");
}

/* Rank 0 gives to 1 and 1 back to 0: if 0 took 1 for its engager, nobody would let go. */
static void there_is_no_ring_of_engagers(void)
{
    struct town t;
    town_found(&t, &jdi_rooted_diffuse);
    town_take(&t, 0, town_give(&t, HOME));
    town_take(&t, 1, town_give(&t, 0));
    town_take(&t, 0, town_give(&t, 1));
    is_u64(t.house[0].rooted.home, HOME, "the engager stays");
    town_take(&t, HOME, town_give(&t, 1));
    is_u64(t.mails, 2, "both are answered at once, also by the home");
    town_deliver(&t);
    town_rest(&t, 0);
    home_rests(&t);
    ok(engaged(&t, 0), "rank 0 waits for rank 1");
    town_rest(&t, 1);
    town_deliver(&t);
    is_u64(t.done, 1, "done");
    is_u64(answers(&t), 4, "four messages, four answers");
}

static void a_rank_is_engaged_again(void)
{
    struct town t;
    town_found(&t, &jdi_rooted_diffuse);
    town_take(&t, 0, town_give(&t, HOME));
    town_take(&t, 1, town_give(&t, 0));
    struct jdi_rooted_token late = town_give(&t, 1); /* to rank 3 */
    town_take(&t, 3, town_give(&t, HOME));
    town_rest(&t, 3);
    town_deliver(&t);
    ok(!engaged(&t, 3), "rank 3 was let go");
    town_take(&t, 3, late);
    is_u64(t.house[3].rooted.home, 1, "and is engaged by another");
    for (uint32_t i = 0; i < RANKS; i++)
        if (i != HOME)
            town_rest(&t, i);
    home_rests(&t);
    town_deliver(&t);
    is_u64(t.done, 1, "done");
    is_u64(answers(&t), 4, "four messages, four answers");
}

static void own_messages_are_taken_back(void)
{
    struct town t;
    town_found(&t, &jdi_rooted_diffuse);
    jdi_rooted_imported(&t.house[HOME].rooted,
                        jdi_rooted_exported(&t.house[HOME].rooted));
    is_u64(t.house[HOME].rooted.debt, 0, "the home waits for nothing");
    town_take(&t, 0, town_give(&t, HOME));
    struct jdi_rooted_token token = town_give(&t, 0);
    town_rest(&t, 0); /* the message cannot leave, and the rank was idle meanwhile */
    ok(engaged(&t, 0), "rank 0 waits for its own message");
    town_take(&t, 0, token);
    town_rest(&t, 0);
    home_rests(&t);
    town_deliver(&t);
    is_u64(t.done, 1, "done");
    is_u64(answers(&t), 1, "what has not left is not answered");
}

static void answer(struct town *t, uint64_t weight)
{
    const struct jdi_rooted_return m = {.weight = weight};
    jdi_rooted_returned(&t->house[HOME].rooted, &m);
}
static void too_many(void *arg)
{
    answer(arg, 1);
}
static void two_in_one(void *arg)
{
    town_give(arg, HOME);
    answer(arg, 2);
}
static void export_while_not_engaged(void *arg)
{
    town_give(arg, 0);
}
static void half_a_message(void *arg)
{
    struct town *t = arg;
    jdi_rooted_imported(&t->house[0].rooted, (struct jdi_rooted_token){HOME, 1});
}

int main(void)
{
    nothing_for_work_at_home();
    each_message_is_answered();
    the_end_comes_back_hop_by_hop();
    there_is_no_ring_of_engagers();
    a_rank_is_engaged_again();
    own_messages_are_taken_back();
    town_fatal(&jdi_rooted_diffuse, too_many, "an answer to nothing");
    town_fatal(&jdi_rooted_diffuse, two_in_one, "one that counts twice");
    town_fatal(&jdi_rooted_diffuse, export_while_not_engaged,
               "an export of a rank that is not engaged");
    town_fatal(&jdi_rooted_diffuse, half_a_message,
               "a token that is a part of a message");
    return done_testing();
}
