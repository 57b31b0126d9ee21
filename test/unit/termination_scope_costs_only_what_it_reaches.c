/*
 * termination_scope_costs_only_what_it_reaches.c
 *
 * Role: a rooted scope by hand: nothing for work that stays at home, one RETURN for an idle
 *       episode however many messages came, the step on underflow, words that add up.
 * Owner: one thread.
 * Invariants: none.
 * See: termination/scope.h; doc/termination.md section 11.
 */
#include "termination/scope.h"
#include "test/conform/guard.h"
#include "test/kit/tap.h"

#include <string.h>

enum { RANKS = 4, HOME = 2, MAIL = 64 };

struct mail {
    uint32_t src, dst;
    struct jdi_scope_return m;
};

/* Four ranks and the RETURNs under way. */
struct town {
    struct house {
        struct town *town;
        struct jdi_scope scope;
        bool busy;
        uint64_t made, run;
    } house[RANKS];
    unsigned mails, done;
    struct mail mail[MAIL];
    uint64_t result[JDI_TD_STATS];
};

static void send(void *ctx, uint32_t dst, const struct jdi_scope_return *m)
{
    struct house *h = ctx;
    struct town *t = h->town;
    JD_CHECK(t->mails < MAIL);
    t->mail[t->mails++] = (struct mail){(uint32_t)(h - t->house), dst, *m};
}

static bool idle(void *ctx)
{
    const struct house *h = ctx;
    return !h->busy;
}

static void stat(void *ctx, uint64_t out[JDI_TD_STATS])
{
    const struct house *h = ctx;
    memset(out, 0, JDI_TD_STATS * sizeof out[0]);
    out[0] = h->made;
    out[1] = h->run;
    out[JDI_TD_STATS - 1] = h->made << 8 ^ h->run << 8;
}

static void done(void *ctx, const uint64_t result[JDI_TD_STATS])
{
    struct house *h = ctx;
    h->town->done++;
    memcpy(h->town->result, result, sizeof h->town->result);
}

static void found(struct town *t, uint8_t max_exponent)
{
    memset(t, 0, sizeof *t);
    for (uint32_t i = 0; i < RANKS; i++) {
        const struct jdi_scope_env env = {&t->house[i], send, idle, stat, done};
        t->house[i].town = t;
        jdi_scope_init(&t->house[i].scope, i, HOME, max_exponent, &env);
    }
    t->house[HOME].busy = true;
    t->house[HOME].made = 1;
}

/* A task from one rank to another, which makes it busy. */
static struct jdi_scope_token give(struct town *t, uint32_t from)
{
    t->house[from].made++;
    return jdi_scope_exported(&t->house[from].scope);
}

static void take(struct town *t, uint32_t to, struct jdi_scope_token token)
{
    jdi_scope_imported(&t->house[to].scope, token);
    jdi_scope_check(&t->house[to].scope);
    t->house[to].busy = true;
    t->house[to].run++;
}

static void rest(struct town *t, uint32_t rank)
{
    t->house[rank].busy = false;
    jdi_scope_step(&t->house[rank].scope);
    jdi_scope_check(&t->house[rank].scope);
}

/* The newest first: order means nothing. */
static void deliver(struct town *t)
{
    while (t->mails > 0) {
        struct mail m = t->mail[--t->mails];
        jdi_scope_returned(&t->house[m.dst].scope, &m.m);
        jdi_scope_step(&t->house[m.dst].scope);
        jdi_scope_check(&t->house[m.dst].scope);
    }
}

static void nothing_for_work_at_home(void)
{
    struct town t;
    found(&t, JDI_SCOPE_EXPONENT);
    jdi_scope_step(&t.house[HOME].scope);
    is_u64(t.done, 0, "a busy home is not done");
    t.house[HOME].run++;
    rest(&t, HOME);
    is_u64(t.done, 1, "it is when it is idle");
    is_u64(t.mails, 0, "without a message");
    ok(!jdi_scope_engaged(&t.house[HOME].scope), "nothing is left of it");
}

static void one_return_for_many_messages(void)
{
    struct town t;
    found(&t, JDI_SCOPE_EXPONENT);
    for (int i = 0; i < 10; i++)
        take(&t, 0, give(&t, HOME));
    struct jdi_scope_token deep = give(&t, 0); /* under way for a while */
    t.house[HOME].run++;
    rest(&t, HOME);
    rest(&t, 0);
    is_u64(t.mails, 1, "ten messages, one RETURN");
    deliver(&t);
    is_u64(t.done, 0, "not done: a task is under way");
    take(&t, 3, deep);
    rest(&t, 3);
    is_u64(t.mail[0].dst, HOME, "it goes to the home in one hop");
    deliver(&t);
    is_u64(t.done, 1, "done");
    is_u64(t.result[0], 12, "twelve tasks were made");
    is_u64(t.result[1], 12, "and run");
    is_u64(t.result[JDI_TD_STATS - 1], 0, "the last word is xor-ed");
    is_u64(t.house[1].scope.sent, 0, "rank 1 was never asked");
}

static void underflow_opens_a_child(void)
{
    struct town t;
    found(&t, 1);
    take(&t, 0, give(&t, HOME));
    struct jdi_scope_token a = give(&t, 0), b = give(&t, 0), c = give(&t, 0);
    is_u64(a.home, HOME, "the weight is halved once");
    is_u64(b.home, 0, "then rank 0 gives its own");
    is_u64(c.home, 0, "and goes on");
    is_u64(t.house[0].scope.steps, 1, "that is one step");
    take(&t, 1, b);
    take(&t, 1, a);
    is_u64(t.mails, 1, "a token of another giver goes back at once");
    take(&t, 3, c);
    rest(&t, 0);
    t.house[HOME].run++;
    rest(&t, HOME);
    deliver(&t);
    ok(jdi_scope_engaged(&t.house[0].scope), "rank 0 is idle, but waits for its own");
    rest(&t, 1);
    rest(&t, 3);
    is_u64(t.done, 0, "nothing is done");
    deliver(&t);
    is_u64(t.done, 1, "until all have come back");
    for (uint32_t i = 0; i < RANKS; i++)
        ok(!jdi_scope_engaged(&t.house[i].scope), "rank %u is free", (unsigned)i);
}

static void own_messages_are_taken_back(void)
{
    struct town t;
    found(&t, JDI_SCOPE_EXPONENT);
    jdi_scope_imported(&t.house[HOME].scope, jdi_scope_exported(&t.house[HOME].scope));
    is_u64(t.house[HOME].scope.debt, 0, "the home has no debt");
    take(&t, 0, give(&t, HOME));
    struct jdi_scope_token token = give(&t, 0);
    rest(&t, 0); /* the message cannot leave, and the rank was idle meanwhile */
    take(&t, 0, token);
    ok(t.house[0].scope.engaged, "it is engaged again");
    rest(&t, 0);
    t.house[HOME].run++;
    rest(&t, HOME);
    deliver(&t);
    is_u64(t.done, 1, "done");
}

static void too_much(void *arg)
{
    struct town *t = arg;
    const struct jdi_scope_return m = {.weight = 1};
    jdi_scope_returned(&t->house[HOME].scope, &m);
}
static void export_without_weight(void *arg)
{
    struct town *t = arg;
    jdi_scope_exported(&t->house[0].scope);
}

static void fatal(void (*fn)(void *arg), const char *what)
{
    struct town t;
    char said[256];
    found(&t, 4);
    ok(guard_run(fn, &t, 20, said, sizeof said) == GUARD_ABORTED, "%s is fatal", what);
    diag("%s", said);
}

int main(void)
{
    nothing_for_work_at_home();
    one_return_for_many_messages();
    underflow_opens_a_child();
    own_messages_are_taken_back();
    fatal(too_much, "credit that nobody gave");
    fatal(export_without_weight, "an export of a rank without weight");
    return done_testing();
}
