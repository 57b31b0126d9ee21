/*
 * core_clock_parts_sum_to_lifetime.c
 *
 * Role: a clock loses no nanosecond over any sequence of bookings.
 * Owner: one thread.
 * Invariants: I1 of core/clock.h.
 * See: core/clock.c.
 */
#include "core/clock.h"
#include "test/kit/tap.h"

static uint64_t total(const struct jdi_clock *c)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < JDI_ARRAY_LEN(c->ns); i++)
        sum += c->ns[i];
    return sum;
}

int main(void)
{
    struct jdi_clock c;
    uint64_t now = 1000, start = now;
    bool exact = true;

    jdi_clock_start(&c, now, 70);
    jdi_clock_book(&c, JDI_ACT_STEAL, now += 10);
    jdi_clock_book(&c, JDI_ACT_WORK, now += 5);
    jdi_clock_book(&c, JDI_ACT_WORK, now += 25);
    jdi_clock_book(&c, JDI_ACT_IDLE, now += 7);
    jdi_clock_book(&c, JDI_ACT_PROGRESS, now += 3);
    is_u64(c.ns[JDI_ACT_STEAL], 10, "the first piece of time");
    is_u64(c.ns[JDI_ACT_WORK], 30, "two pieces of one part are added");
    is_u64(c.ns[JDI_ACT_IDLE], 7, "a third part");
    is_u64(c.ns[JDI_ACT_PROGRESS], 3, "a fourth");
    is_u64(c.ns[JDI_ACT_DETECT], 0, "a part of which nothing was booked");
    for (unsigned i = 0; i < 1000; i++) {
        enum jdi_activity next = (enum jdi_activity)(i * 7 % JDI_ACTIVITIES);
        jdi_clock_book(&c, next, now += i % 13);
        exact = exact && total(&c) == c.since - start;
    }
    ok(exact, "the parts sum to the time since the start after each of 1000 bookings");
    jdi_clock_end(&c, JDI_ACT_IDLE, now += 11, 570);
    is_u64(c.life, total(&c), "and to the life at its end");
    is_u64(c.cpu, 500, "which had so much of a processor");
    return done_testing();
}
