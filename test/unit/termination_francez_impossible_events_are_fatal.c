/*
 * termination_francez_impossible_events_are_fatal.c
 *
 * Role: events that no right run contains end the program with a message.
 * Owner: one thread.
 * See: doc/termination.md section 6: I1, I2, I5 to I8.
 */
#include "conform/child.h"
#include "conform/probe.h"
#include "test/kit/tap.h"

#include <string.h>

/* Rank 1 of 4 in a binary tree: parent 0, child 3.  It has entered phase 2, wave 0. */
static void start(struct jdi_probe *p)
{
    const struct jdi_td_config c = {.rank = 1, .nranks = 4, .arity = 2};
    jdi_probe_init(p, &jdi_td_francez, &c);
    p->ops->enter(p->td, 1);
    jdi_probe_message(p, 3,
                      (struct jdi_td_msg){.type = JDI_TD_UP, .phase = 1, .wave = 1});
    jdi_probe_step(p, 0);
    jdi_probe_message(p, 0,
                      (struct jdi_td_msg){.type = JDI_TD_TERM, .phase = 1, .wave = 1});
    p->ops->enter(p->td, 2);
}

static void report(struct jdi_probe *p)
{
    jdi_probe_message(p, 3,
                      (struct jdi_td_msg){.type = JDI_TD_UP, .phase = 2, .wave = 1});
    jdi_probe_step(p, 0);
}

static void stale_task(struct jdi_probe *p)
{
    p->ops->imported(p->td, (struct jdi_td_stamp){1, 1});
}
static void task_of_phase_after_next(struct jdi_probe *p)
{
    report(p);
    p->ops->imported(p->td, (struct jdi_td_stamp){4, 0});
}
static void next_phase_while_open(struct jdi_probe *p)
{
    p->ops->imported(p->td, (struct jdi_td_stamp){3, 0});
}
static void stamp_two_waves_newer(struct jdi_probe *p)
{
    p->ops->imported(p->td, (struct jdi_td_stamp){2, 2});
}
static void export_before_enter(struct jdi_probe *p)
{
    const struct jdi_td_config c = {.nranks = 1, .arity = 1};
    jdi_probe_init(p, &jdi_td_francez, &c);
    p->ops->exported(p->td);
}
static void report_of_wrong_wave(struct jdi_probe *p)
{
    jdi_probe_message(p, 3,
                      (struct jdi_td_msg){.type = JDI_TD_UP, .phase = 2, .wave = 2});
}
static void report_of_old_phase(struct jdi_probe *p)
{
    jdi_probe_message(p, 3,
                      (struct jdi_td_msg){.type = JDI_TD_UP, .phase = 1, .wave = 1});
}
static void report_of_stranger(struct jdi_probe *p)
{
    jdi_probe_message(p, 2,
                      (struct jdi_td_msg){.type = JDI_TD_UP, .phase = 2, .wave = 1});
}
static void report_twice(struct jdi_probe *p)
{
    for (int i = 0; i < 2; i++)
        jdi_probe_message(p, 3,
                          (struct jdi_td_msg){.type = JDI_TD_UP, .phase = 2, .wave = 1});
}
static void next_unasked(struct jdi_probe *p)
{
    jdi_probe_message(p, 0, (struct jdi_td_msg){.type = JDI_TD_NEXT, .phase = 2});
}
static void next_of_wrong_wave(struct jdi_probe *p)
{
    report(p);
    jdi_probe_message(p, 0,
                      (struct jdi_td_msg){.type = JDI_TD_NEXT, .phase = 2, .wave = 2});
}
static void verdict_from_child(struct jdi_probe *p)
{
    report(p);
    jdi_probe_message(p, 3,
                      (struct jdi_td_msg){.type = JDI_TD_NEXT, .phase = 2, .wave = 1});
}
static void term_while_busy(struct jdi_probe *p)
{
    report(p);
    p->idle = false;
    jdi_probe_message(p, 0,
                      (struct jdi_td_msg){.type = JDI_TD_TERM, .phase = 2, .wave = 1});
}
static void enter_twice(struct jdi_probe *p)
{
    p->ops->enter(p->td, 2);
}
static void enter_wrong_phase(struct jdi_probe *p)
{
    report(p);
    jdi_probe_message(p, 0,
                      (struct jdi_td_msg){.type = JDI_TD_TERM, .phase = 2, .wave = 1});
    p->ops->enter(p->td, 4);
}
static void no_such_type(struct jdi_probe *p)
{
    jdi_probe_message(p, 0, (struct jdi_td_msg){.type = (enum jdi_td_type)9, .phase = 2});
}

struct jdi_trial {
    const char *name;
    void (*fn)(struct jdi_probe *p);
};

#define TRIAL(fn)                                                                        \
    {                                                                                    \
#fn, fn                                                                          \
    }
static const struct jdi_trial trials[] = {TRIAL(stale_task),
                                          TRIAL(task_of_phase_after_next),
                                          TRIAL(next_phase_while_open),
                                          TRIAL(stamp_two_waves_newer),
                                          TRIAL(export_before_enter),
                                          TRIAL(report_of_wrong_wave),
                                          TRIAL(report_of_old_phase),
                                          TRIAL(report_of_stranger),
                                          TRIAL(report_twice),
                                          TRIAL(next_unasked),
                                          TRIAL(next_of_wrong_wave),
                                          TRIAL(verdict_from_child),
                                          TRIAL(term_while_busy),
                                          TRIAL(enter_twice),
                                          TRIAL(enter_wrong_phase),
                                          TRIAL(no_such_type)};

static void run(void *arg)
{
    const struct jdi_trial *t = arg;
    struct jdi_probe p;
    start(&p);
    if (t->fn)
        t->fn(&p);
}

int main(void)
{
    char said[256];
    struct jdi_trial none = {"nothing wrong", NULL};
    ok(jdi_child_run(run, &none, 10, said, sizeof said) == JDI_CHILD_RETURNED, "%s",
       none.name);
    for (size_t i = 0; i < JDI_ARRAY_LEN(trials); i++) {
        struct jdi_trial t = trials[i];
        enum jdi_child_end e = jdi_child_run(run, &t, 10, said, sizeof said);
        ok(e == JDI_CHILD_ABORTED && strstr(said, "francez"), "%s: %s", t.name, said);
    }
    return done_testing();
}
