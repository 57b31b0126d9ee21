/*
 * sched_readout_line_says_it_shortly.c
 *
 * Role: the line of JACKDAW_PROGRESS: rates and shares are those of its span, percent and time left those of the
 *       total, and at each width the line has no more characters than that, and only whole parts.
 * Owner: one thread.
 * See: sched/live/readout.h.
 */
#include "core/human.h"
#include "sched/live/readout.h"
#include "test/kit/tap.h"

#include <stdio.h>
#include <string.h>

static const uint64_t s = 1000000000;

static struct jdi_readout sample(void)
{
    struct jdi_readout r = {.elapsed_ns = 12 * s, .span_ns = 2 * s, .nranks = 8};
    r.before = (struct jdi_tally){.workers = 16,
                                  .executed = 300000000,
                                  .steals = 100,
                                  .attempts = 200,
                                  .work_ns = 100 * s};
    r.now = (struct jdi_tally){.workers = 16,
                               .executed = 352000000,
                               .steals = 2500,
                               .attempts = 4200,
                               .work_ns = 130 * s + s / 2};
    r.ranks_idle = 1;
    return r;
}

static const char *text_of(const struct jdi_readout *r, unsigned width)
{
    static char text[JDI_READOUT_ROOM];
    jdi_readout_text(r, width, text, sizeof text);
    return text;
}

static const char *number(uint64_t n)
{
    static char text[16];
    jdi_human_number(n, text, sizeof text);
    return text;
}

static const char *time_of(uint64_t ns)
{
    static char text[32];
    jdi_human_time(ns, text, sizeof text);
    return text;
}

static void widths(const struct jdi_readout *r)
{
    char whole[JDI_READOUT_ROOM];
    bool fit = true, parts = true;
    snprintf(whole, sizeof whole, "%s", text_of(r, 200));
    for (unsigned width = 0; width < 120; width++) {
        const char *text = text_of(r, width);
        fit = fit && strlen(text) <= width;
        parts = parts && (!*text || strstr(text, "[12.0s]") == text);
    }
    ok(fit && parts, "at each width the line fits, and has the time if it has anything");
    is_str(text_of(r, 79), whole, "80 columns are enough for all of this one");
}

static void totals(struct jdi_readout r)
{
    r.now.of = 1000;
    r.now.done = 420;
    r.now.saying = 2; /* of eight ranks */
    r.now.base_age = 84 * s;
    is_str(
        text_of(&r, 200),
        "[12.0s] 42% 58s left | 352M tasks 26.0M/s | idle 5% | steals 1.20k/s ok 60% | "
        "ranks idle 1/8",
        "percent, and the time left at the pace since the total was said");
    r.now.base_done = 400;
    ok(strstr(text_of(&r, 200), "42% 20m18s left"),
       "what was done when the total was said first is not counted for the pace");
    r.now.done = 400;
    ok(strstr(text_of(&r, 200), "] 40% | "), "without a pace there is no time left");
    r.now.done = 999;
    ok(strstr(text_of(&r, 200), " 99% 0s left"), "99 percent are not all");
    r.now.done = 1000;
    ok(strstr(text_of(&r, 200), " 100% done |"), "100 are");
    r.now = (struct jdi_tally){
        .of = UINT64_MAX, .done = 1, .base_age = 1, .saying = 1, .workers = 1};
    ok(strstr(text_of(&r, 200), " 0% ") != NULL, "the largest total");
}

int main(void)
{
    struct jdi_readout r = sample();
    is_str(
        text_of(&r, 200),
        "[12.0s] 352M tasks 26.0M/s | idle 5% | steals 1.20k/s ok 60% | ranks idle 1/8",
        "rates and shares are of the span");
    widths(&r);
    totals(r);
    r.nranks = 1;
    r.now.idle = 3;
    is_str(text_of(&r, 200), "[12.0s] 352M tasks 26.0M/s | idle 5% | workers idle 3/16",
           "one rank has no steals, and workers instead of ranks");
    r.last = true;
    ok(strstr(text_of(&r, 200), "| ended"), "the last line says so");
    r = (struct jdi_readout){.nranks = 2};
    is_str(text_of(&r, 200),
           "[0.000000s] 0 tasks 0/s | idle 0% | steals 0/s | ranks idle 0/2",
           "nothing at all");
    is_str(number(9999999), "9999999", "a number of 7 digits is exact");
    is_str(number(10000000), "10.0M", "one of 8 is not");
    is_str(number(999499999), "999M", "three digits count");
    is_str(number(999500000), "1.00G", "also where they are rounded up");
    is_str(number(UINT64_MAX), "18.4E", "the largest number");
    is_str(time_of(59 * s), "59s", "seconds");
    is_str(time_of(190 * s), "3m10s", "minutes");
    is_str(time_of(7500 * s), "2h05m", "hours");
    is_str(time_of(100 * 3600 * s), "4d04h", "days");
    struct jdi_tally t = {.workers = 2, .idle = 3};
    ok(jdi_readout_fault(&t), "more idle workers than workers are refused");
    t = (struct jdi_tally){.workers = 2, .done = 2, .of = 1};
    ok(jdi_readout_fault(&t), "and more done than there is to do");
    t.of = 2;
    ok(!jdi_readout_fault(&t), "but not all of it");
    return done_testing();
}
