/*
 * sched_select_is_fair.c
 *
 * Role: of cases that are ready, jd_select takes each equally often, also if others stand between them; with
 *       JD_ORDERED always the first.
 * Owner: the body.
 * See: sched/wait/select.c; doc/waiting.md "Select".
 */
#include "test/dist/sched_channels_kit.h"

enum { CASES = 7, TURNS = 8000 };

static jd_channel full, empty;

/* How often each case is taken; those of `ready` receive from a channel that is never empty. */
static void count_turns(jd_self *me, unsigned ready, int flags, unsigned taken[CASES])
{
    uint64_t word = 1;
    jd_case c[CASES];
    for (int i = 0; i < CASES; i++) {
        taken[i] = 0;
        c[i] = jd_case_receive(ready >> i & 1 ? full : empty, &word);
    }
    for (int i = 0; i < TURNS; i++) {
        send_word(me, full, 1);
        int at = jd_select(me, c, CASES, flags, JD_NOW);
        must(me, at);
        taken[at]++;
    }
}

/* Seven standard deviations and more from the mean do not happen. */
static bool is_even(const unsigned taken[CASES], unsigned ready)
{
    unsigned n = (unsigned)__builtin_popcount(ready), mean = TURNS / n, far = mean / 5;
    bool even = true;
    for (int i = 0; i < CASES; i++)
        even = even && (ready >> i & 1 ? taken[i] > mean - far && taken[i] < mean + far
                                       : !taken[i]);
    return even;
}

static int body(jd_self *me, int argc, char **argv)
{
    unsigned taken[CASES];
    (void)argc, (void)argv;
    full = new_channel(me, 8, 1);
    empty = new_channel(me, 8, 1);
    count_turns(me, 0x03, 0, taken);
    ok(is_even(taken, 0x03), "of two that are ready each is taken half the time");
    count_turns(me, 0x49, 0, taken);
    ok(is_even(taken, 0x49), "of three among others, a third");
    count_turns(me, 0x7f, 0, taken);
    ok(is_even(taken, 0x7f), "of seven, a seventh");
    count_turns(me, 0x4c, JD_ORDERED, taken);
    is_u64(taken[2], TURNS, "on request the first that is ready");
    must(me, jd_channel_destroy(me, full));
    must(me, jd_channel_destroy(me, empty));
    return done_testing();
}

int main(int argc, char **argv)
{
    static const jd_task_def none[] = {JD_TASK_END};
    setenv("JACKDAW_RANKS", "1", 1);
    setenv("JACKDAW_WORKERS", "1", 1);
    return jd_launch(argc, argv, body, none);
}
