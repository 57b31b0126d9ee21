/*
 * conform_right_ones_pass_by_default.c
 *
 * Role: no bound of the suite rejects a detector of the project: walks that begin late, and
 *       loads of all kinds at up to 5,000 ranks.
 * Owner: one thread.
 * Invariants: what fails is printed as a schedule.
 * See: conform/conform.h; jackdaw-tdtest walks and loads more.
 */
#include "conform/conform.h"
#include "test/kit/tap.h"

enum { WALKS = 32000, FEW = 2000, EVERY = 4, MOST_RANKS = 5000 };

static void walks_pass(const char *name, const struct jd_conform_subject *s)
{
    const struct jd_conform_walks w = {.seed = 1, .walks = tap_sanitized() ? FEW : WALKS};
    struct jd_conform_walked walked;
    enum jd_conform_verdict verdict = jd_conform_walk(s, &w, &walked);
    ok(verdict == JD_CONFORM_RIGHT, "%s: %llu walks%s%s", name,
       (unsigned long long)walked.walks, walked.text[0] ? ": " : "", walked.text);
}

static void loads_pass(const char *name, const struct jd_conform_subject *s, size_t every)
{
    struct jd_conform_timing timing = {.text = ""};
    struct jd_conform_load load;
    unsigned count = 0;
    for (size_t i = 0; !timing.text[0] && jd_conform_load_at(i, 1, &load); i += every)
        if (load.ranks <= MOST_RANKS) {
            jd_conform_time(s, &load, &timing);
            count++;
        }
    ok(!timing.text[0] && count > 20, "%s: %u loads%s%s", name, count,
       timing.text[0] ? ": " : "", timing.text);
    if (!timing.text[0])
        return;
    struct jd_conform_run *run = jd_conform_time_again(s, &load);
    fputs("# ", stderr);
    jd_conform_run_write(run, stderr);
    fputs("\n", stderr);
    jd_conform_run_free(run);
}

int main(void)
{
    struct jd_conform_subject s;
    for (size_t i = 0; jd_conform_name_at(i); i++) {
        const char *name = jd_conform_name_at(i);
        jd_conform_find(name, &s);
        walks_pass(name, &s);
        /* A step that is no divisor of twelve, so that each kind of load is among them. */
        loads_pass(name, &s, tap_sanitized() ? 5 * EVERY + 1 : EVERY + 1);
    }
    return done_testing();
}
