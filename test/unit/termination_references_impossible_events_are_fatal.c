/*
 * termination_references_impossible_events_are_fatal.c
 *
 * Role: events that no right run contains end the program with a message.
 * Owner: one thread.
 * See: the invariants at the tops of termination/safra.c, fourcounter.c and diffuse.c there.
 */
#include "conform/child.h"
#include "conform/probe.h"
#include "termination/find.h"
#include "test/kit/tap.h"

#include <string.h>

/* Rank 1 of 4: in the tree its parent is 0, its child 3; in the ring it is between 2 and 0. */
static void start(struct jdi_probe *p, const struct jdi_td_ops *ops)
{
    const struct jdi_td_config c = {.rank = 1, .nranks = 4, .arity = 2};
    jdi_probe_init(p, ops, &c);
    p->ops->enter(p->td, 1);
}

static void token(struct jdi_probe *p, uint32_t src, uint32_t phase)
{
    jdi_probe_message(
        p, src, (struct jdi_td_msg){.type = JDI_TD_TOKEN, .phase = phase, .wave = 1});
}
static void safra_token_twice(struct jdi_probe *p)
{
    p->idle = false;
    token(p, 2, 1);
    token(p, 2, 1);
}
static void safra_token_after_it_has_left(struct jdi_probe *p)
{
    token(p, 2, 1);
    jdi_probe_step(p, 0);
    token(p, 2, 1);
}
static void safra_token_from_elsewhere(struct jdi_probe *p)
{
    token(p, 3, 1);
}
static void safra_token_of_a_far_phase(struct jdi_probe *p)
{
    token(p, 2, 3);
}
static void safra_term_with_the_token_here(struct jdi_probe *p)
{
    token(p, 2, 1);
    jdi_probe_message(p, 2, (struct jdi_td_msg){.type = JDI_TD_TERM, .phase = 1});
}
static void safra_end_while_busy(struct jdi_probe *p)
{
    p->idle = false;
    jdi_probe_message(p, 2, (struct jdi_td_msg){.type = JDI_TD_TERM, .phase = 1});
}
static void safra_up(struct jdi_probe *p)
{
    jdi_probe_message(p, 2, (struct jdi_td_msg){.type = JDI_TD_UP, .phase = 1});
}

static void up(struct jdi_probe *p, uint32_t src)
{
    jdi_probe_message(p, src, (struct jdi_td_msg){.type = JDI_TD_UP, .phase = 1});
}
static void fourcounter_report_twice(struct jdi_probe *p)
{
    up(p, 3);
    up(p, 3);
}
static void fourcounter_next_twice(struct jdi_probe *p)
{
    const struct jdi_td_msg next = {.type = JDI_TD_NEXT, .phase = 1, .wave = 1};
    for (uint32_t wave = 0; wave < 2; wave++) {
        up(p, 3);
        jdi_probe_step(p, 0);
        jdi_probe_message(p, 0, next);
    }
}
static void fourcounter_report_of_stranger(struct jdi_probe *p)
{
    up(p, 2);
}
static void fourcounter_next_unasked(struct jdi_probe *p)
{
    jdi_probe_message(p, 0, (struct jdi_td_msg){.type = JDI_TD_NEXT, .phase = 1});
}
static void fourcounter_token(struct jdi_probe *p)
{
    token(p, 0, 1);
}
static void fourcounter_stale_task(struct jdi_probe *p)
{
    p->ops->imported(p->td, (struct jdi_td_stamp){0, 0});
}

static void ack(struct jdi_probe *p, uint32_t phase)
{
    jdi_probe_message(p, 3, (struct jdi_td_msg){.type = JDI_TD_ACK, .phase = phase});
}
static void diffuse_answer_too_many(struct jdi_probe *p)
{
    ack(p, 1);
    ack(p, 1);
}
static void diffuse_answer_of_another_phase(struct jdi_probe *p)
{
    ack(p, 2);
}
static void diffuse_task_of_nobody(struct jdi_probe *p)
{
    p->ops->imported(p->td, (struct jdi_td_stamp){1, 4});
}
static void diffuse_next_phase_while_engaged(struct jdi_probe *p)
{
    p->ops->imported(p->td, (struct jdi_td_stamp){2, 0});
}
static void diffuse_term_while_engaged(struct jdi_probe *p)
{
    jdi_probe_message(p, 0, (struct jdi_td_msg){.type = JDI_TD_TERM, .phase = 1});
}

struct event {
    const char *what;
    const char *detector;
    void (*fn)(struct jdi_probe *p);
};

static const struct event events[] = {
    {"a second token", "safra", safra_token_twice},
    {"a token twice", "safra", safra_token_after_it_has_left},
    {"a token from elsewhere", "safra", safra_token_from_elsewhere},
    {"a token two phases ahead", "safra", safra_token_of_a_far_phase},
    {"the end with the token here", "safra", safra_term_with_the_token_here},
    {"the end while busy", "safra", safra_end_while_busy},
    {"a message of another detector", "safra", safra_up},
    {"a report twice", "fourcounter", fourcounter_report_twice},
    {"NEXT twice", "fourcounter", fourcounter_next_twice},
    {"a report of a stranger", "fourcounter", fourcounter_report_of_stranger},
    {"NEXT before the report", "fourcounter", fourcounter_next_unasked},
    {"a message of another detector", "fourcounter", fourcounter_token},
    {"a stale task", "fourcounter", fourcounter_stale_task},
    {"an answer too many", "diffuse", diffuse_answer_too_many},
    {"an answer of another phase", "diffuse", diffuse_answer_of_another_phase},
    {"a task of a rank that does not exist", "diffuse", diffuse_task_of_nobody},
    {"a task of the next phase while engaged", "diffuse",
     diffuse_next_phase_while_engaged},
    {"the end while engaged", "diffuse", diffuse_term_while_engaged},
};

static void happen(void *arg)
{
    const struct event *e = arg;
    struct jdi_probe p;
    start(&p, jdi_td_find(e->detector));
    e->fn(&p);
}

int main(void)
{
    for (size_t i = 0; i < JDI_ARRAY_LEN(events); i++) {
        struct event e = events[i];
        char said[256];
        enum jdi_child_end end = jdi_child_run(happen, &e, 20, said, sizeof said);
        ok(end == JDI_CHILD_ABORTED && strstr(said, "termination/"), "%s: %s is fatal",
           e.detector, e.what);
        diag("%s", said);
    }
    return done_testing();
}
