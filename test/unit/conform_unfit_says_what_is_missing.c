/*
 * conform_unfit_says_what_is_missing.c
 *
 * Role: a detector that the suite cannot run is told apart before it runs, and a load that
 *       cannot be run is not called right.
 * See: conform/conform.h.
 */
#include "conform/conform.h"
#include "termination/detector.h"
#include "test/kit/tap.h"

#include <string.h>

static void is_unfit(const struct jdi_td_ops *ops, const char *text)
{
    const char *why = jd_conform_unfit(ops);
    ok(why && strstr(why, text), "%s", why ? why : "fit");
}

int main(void)
{
    struct jdi_td_ops ops = jdi_td_francez;
    struct jd_conform_subject s;
    struct jd_conform_load load = {.ranks = 4, .work = JD_CONFORM_BURST, .seed = 1};
    struct jd_conform_timing timing;
    for (size_t i = 0; jd_conform_name_at(i); i++) {
        const char *name = jd_conform_name_at(i);
        ok(jd_conform_find(name, &s) && !jd_conform_unfit(s.ops), "%s is fit", name);
        is_str(jd_conform_name(&s), name, "and called so");
    }
    struct jd_conform_mutant wrong;
    for (size_t i = 0; jd_conform_mutant_at(i, &wrong); i++)
        ok(jd_conform_find(wrong.name, &s) && !jd_conform_unfit(s.ops),
           "%s is fit, if wrong", wrong.name);
    ops.version++;
    is_unfit(&ops, "version");
    ops = jdi_td_francez;
    ops.size = 0;
    is_unfit(&ops, "0 bytes");
    ops.size = JD_CONFORM_STATE + 1;
    is_unfit(&ops, "more than 1024");
    ops = jdi_td_francez;
    ops.figures = NULL;
    is_unfit(&ops, "missing");

    jd_conform_find("francez", &s);
    enum jd_conform_verdict verdict = jd_conform_time(&s, &load, &timing);
    ok(verdict == JD_CONFORM_RIGHT && timing.tasks > 100 && timing.all > 0,
       "francez knows the end of %u tasks after %.1f hops", (unsigned)timing.tasks,
       timing.all);
    load.work = JD_CONFORM_WORKS;
    ok(jd_conform_time(&s, &load, &timing) == JD_CONFORM_OPEN && timing.text[0],
       "no such work: %s", timing.text);
    const struct jd_conform_walks walks = {.walks = 1, .ranks = JD_CONFORM_RANKS + 1};
    struct jd_conform_walked walked;
    ok(jd_conform_walk(&s, &walks, &walked) == JD_CONFORM_OPEN && walked.text[0],
       "no walks of so many: %s", walked.text);
    return done_testing();
}
