/*
 * conform_child_takes_every_end.c
 *
 * Role: whatever way a detector goes down, it is wrong, the text says how, and the caller goes
 *       on: an abort with and without a word, a signal, an exit, a walk without an end.
 * See: conform/conform.h, conform/child.h.
 */
#include "conform/conform.h"
#include "termination/detector.h"
#include "test/kit/tap.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void aborts(const void *td)
{
    (void)td;
    abort();
}

static void says_why(const void *td)
{
    (void)td;
    fprintf(stderr, "the count is wrong\n");
    abort();
}

static void crashes(const void *td)
{
    (void)td;
    signal(SIGSEGV, SIG_DFL); /* a sanitizer would tell a story of its own */
    raise(SIGSEGV);
}

static void leaves(const void *td)
{
    (void)td;
    _Exit(3);
}

/* Always wants to be called again. */
static uint64_t is_restless(void *td, uint64_t now)
{
    jdi_td_francez.step(td, now);
    return now;
}

static void goes_down(const char *what, const struct jdi_td_ops *ops, const char *rule,
                      const char *text)
{
    const struct jd_conform_subject s = {.ops = ops, .max_failed = 1};
    const struct jd_conform_walks walks = {.seed = 1, .walks = 5, .ranks = 2};
    const struct jd_conform_world world = {
        .ranks = 2, .arity = 2, .messages = 1, .phases = 1};
    struct jd_conform_walked walked;
    struct jd_conform_states states;
    ok(jd_conform_walk(&s, &walks, &walked) == JD_CONFORM_WRONG &&
           strstr(walked.text, text),
       "it %s in a walk: %s", what, walked.text);
    struct jd_conform_run *run = jd_conform_walk_again(&s, &walks, &walked);
    is_str(jd_conform_run_rule(run), rule, "it %s: rule %s", what, rule);
    jd_conform_run_free(run);
    if (ops->check == jdi_td_francez.check)
        return;
    ok(jd_conform_explore(&s, &world, &states) == JD_CONFORM_WRONG &&
           strstr(states.text, text),
       "it %s in a search: %s", what, states.text);
    jd_conform_run_free(states.run);
}

int main(void)
{
    struct jdi_td_ops ops = jdi_td_francez;
    ops.check = aborts;
    goes_down("aborts", &ops, "O6", "without a word");
    ops.check = says_why;
    goes_down("says why", &ops, "O6", "the count is wrong");
    ops.check = crashes;
    goes_down("crashes", &ops, "O6", "signal 11");
    ops.check = leaves;
    goes_down("leaves", &ops, "O6", "without a word");
    ops.check = jdi_td_francez.check;
    ops.step = is_restless;
    goes_down("is restless", &ops, "O4", "livelock");
    return done_testing();
}
