/*
 * trial.c - the table of what must be rejected.
 *
 * Role: one row for each wrong detector and wrong runtime.  The number of walks is the budget
 *       of I1 in trial.h.
 * See: trial.h; doc/termination.md section 12.
 */
#include "conform/trial.h"

#include "conform/lens.h"
#include "conform/mutants_francez.h"
#include "conform/mutants_late.h"
#include "conform/mutants_lone.h"
#include "conform/mutants_rooted.h"
#include "conform/mutants_waves.h"

enum { ANY_FAILED = 1000000, WALKS = 300000, LOADS = 474 };

static const struct jdi_trial trials[] = {
    {&jdi_mutant_no_count, &jdi_lens_francez, "1",
     "receiver's colour, but messages are not counted", 100, 3, 1, ANY_FAILED, 0,
     JDI_WORLD_RIGHT},
    {&jdi_mutant_giver, &jdi_lens_francez, "2",
     "the giver turns black, messages are not counted", 100, 3, 1, ANY_FAILED, 0,
     JDI_WORLD_RIGHT},
    {&jdi_mutant_giver_counted, &jdi_lens_francez, "3",
     "the giver turns black, messages are counted", 20000, 3, 1, ANY_FAILED, 0,
     JDI_WORLD_RIGHT},
    {&jdi_mutant_no_colour, &jdi_lens_francez, "4",
     "messages are counted, there is no colour", 1500, 3, 1, ANY_FAILED, 0,
     JDI_WORLD_RIGHT},
    {&jdi_mutant_zero_twice, &jdi_lens_francez, "5",
     "no colour, the sum is 0 in two waves", 1000000, 3, 1, ANY_FAILED, 0,
     JDI_WORLD_RIGHT},
    {&jdi_mutant_clear_at_next, &jdi_lens_francez, "6",
     "the colour is cleared when NEXT comes", 60000, 3, 1, ANY_FAILED, 0,
     JDI_WORLD_RIGHT},
    {&jdi_mutant_early_sample, &jdi_lens_francez, "7",
     "counters and colour are sampled when NEXT comes", 10000, 3, 1, ANY_FAILED, 0,
     JDI_WORLD_RIGHT},
    {&jdi_mutant_latched_idle, &jdi_lens_francez, "8",
     "the idle test is not at the instant of the report", 150, 3, 1, ANY_FAILED, 0,
     JDI_WORLD_RIGHT},
    {&jdi_mutant_no_root, &jdi_lens_francez, "9", "the root leaves itself out", 50, 3, 1,
     ANY_FAILED, 0, JDI_WORLD_RIGHT},
    {&jdi_mutant_no_interior, &jdi_lens_francez, "10",
     "interior ranks leave themselves out", 50, 4, 1, ANY_FAILED, 0, JDI_WORLD_RIGHT},
    {&jdi_mutant_old_stamp, &jdi_lens_francez, "11", "a task passed on keeps its stamp",
     1500, 3, 1, ANY_FAILED, 0, JDI_WORLD_RIGHT},
    {&jdi_td_francez, &jdi_lens_francez, "12", "an import is counted, and live later",
     100, 3, 1, ANY_FAILED, 0, JDI_WORLD_LATE_LIVE},
    {&jdi_mutant_late_count, &jdi_lens_francez, "13",
     "a message is counted after it has left", 50, 3, 1, ANY_FAILED, 0, JDI_WORLD_RIGHT},
    {&jdi_mutant_two_steps, &jdi_lens_francez, "14",
     "the colour is read and cleared in two steps", 60000, 3, 1, ANY_FAILED, 0,
     JDI_WORLD_RIGHT},
    {&jdi_mutant_no_forward, &jdi_lens_francez, "17", "TERM is not forwarded", 20, 4, 1,
     ANY_FAILED, 0, JDI_WORLD_RIGHT},
    {&jdi_mutant_need_work, &jdi_lens_francez, "18", "announces only if there was a task",
     100, 3, 1, 1, 0, JDI_WORLD_RIGHT},
    {&jdi_mutant_no_phase, &jdi_lens_francez, "19", "task messages carry no phase", 300,
     3, 2, ANY_FAILED, 0, JDI_WORLD_RIGHT},
    {&jdi_mutant_clear_at_enter, &jdi_lens_francez, "20", "the slot is cleared on entry",
     50, 3, 2, ANY_FAILED, 0, JDI_WORLD_RIGHT},
    {&jdi_mutant_clear_both, &jdi_lens_francez, "21", "both slots are cleared on entry",
     50, 3, 2, ANY_FAILED, 0, JDI_WORLD_RIGHT},
    {&jdi_td_francez, &jdi_lens_francez, "22", "a kept task is live late", 300, 3, 2,
     ANY_FAILED, 0, JDI_WORLD_LATE_HELD},
    {&jdi_td_francez, &jdi_lens_francez, "27",
     "idle does not see suspended tasks, timers, completions", 100, 3, 1, ANY_FAILED, 0,
     JDI_WORLD_UNSEEN},
    {&jdi_mutant_byte_count, &jdi_lens_francez, "29", "counters have eight bits", 100, 3,
     1, ANY_FAILED, 0, JDI_WORLD_RIGHT},
    {&jdi_mutant_byte_stamp, &jdi_lens_francez, "",
     "stamps have eight bits and are compared as numbers", 5000, 3, 1, ANY_FAILED, 254,
     JDI_WORLD_RIGHT},
    {&jdi_mutant_signed_stamp, &jdi_lens_francez, "30",
     "stamps are compared as signed numbers", 5000, 3, 1, ANY_FAILED, 0x7ffffffe,
     JDI_WORLD_RIGHT},
    {&jdi_td_francez, &jdi_lens_francez, "31",
     "idle does not see tasks in an outgoing buffer", 100, 3, 1, ANY_FAILED, 0,
     JDI_WORLD_BUFFERED},
    {&jdi_td_francez, &jdi_lens_francez, "",
     "two collections: control messages carry no id", 100, 3, 1, ANY_FAILED, 0,
     JDI_WORLD_NO_ID},
    {&jdi_td_francez, &jdi_lens_francez, "32", "two collections: idle does not see holds",
     200, 3, 1, ANY_FAILED, 0, JDI_WORLD_BLIND_HOLD},
    {&jdi_td_francez, &jdi_lens_francez, "33",
     "two collections: a hold is taken when nothing is live", 500, 3, 1, ANY_FAILED, 0,
     JDI_WORLD_IDLE_HOLD},
    {&jdi_mutant_own_colour, &jdi_lens_francez, "39",
     "a rank forwards its own colour, not that of its children", 5000, 3, 1, ANY_FAILED,
     0, JDI_WORLD_RIGHT},
    {&jdi_mutant_safra_no_count, NULL, "", "safra: the token carries no count", 200, 3, 1,
     ANY_FAILED, 0, JDI_WORLD_RIGHT},
    {&jdi_mutant_safra_giver, NULL, "", "safra: the giver turns black", 20000, 3, 1,
     ANY_FAILED, 0, JDI_WORLD_RIGHT},
    {&jdi_mutant_safra_own_colour, NULL, "39",
     "safra: a rank passes on its own colour, not that of the token", 50000, 3, 1,
     ANY_FAILED, 0, JDI_WORLD_RIGHT},
    {&jdi_mutant_safra_white_early, NULL, "6",
     "safra: a rank turns white when the token comes", 20000, 3, 1, ANY_FAILED, 0,
     JDI_WORLD_RIGHT},
    {&jdi_mutant_safra_white_root, NULL, "", "safra: rank 0 forgets its own colour",
     20000, 3, 1, ANY_FAILED, 0, JDI_WORLD_RIGHT},
    {&jdi_mutant_fourcounter_one_wave, NULL, "4", "fourcounter: one wave with S = R",
     5000, 3, 1, ANY_FAILED, 0, JDI_WORLD_RIGHT},
    {&jdi_mutant_fourcounter_zero_twice, NULL, "5",
     "fourcounter: S = R in two waves that may differ", 1000000, 3, 1, ANY_FAILED, 0,
     JDI_WORLD_RIGHT},
    {&jdi_mutant_fourcounter_no_interior, NULL, "10",
     "fourcounter: interior ranks leave themselves out", 200, 4, 1, ANY_FAILED, 0,
     JDI_WORLD_RIGHT},
    {&jdi_mutant_diffuse_deficit, NULL, "",
     "diffuse: a rank lets go before it is answered", 200, 3, 1, ANY_FAILED, 0,
     JDI_WORLD_RIGHT},
    {&jdi_mutant_diffuse_anew, NULL, "", "diffuse: the last sender becomes the engager",
     1000, 3, 1, ANY_FAILED, 0, JDI_WORLD_RIGHT},
    {&jdi_mutant_credit_busy, NULL, "", "credit: weight is given back by a busy rank",
     100, 3, 1, ANY_FAILED, 0, JDI_WORLD_RIGHT},
    {&jdi_mutant_credit_foreign, NULL, "",
     "credit: weight of one giver is taken for another's", 5000, 4, 1, ANY_FAILED, 0,
     JDI_WORLD_RIGHT},
    {&jdi_mutant_credit_debt, NULL, "",
     "credit: a giver lets go before its credit is back", 100, 3, 1, ANY_FAILED, 0,
     JDI_WORLD_RIGHT},
    {&jdi_mutant_credit_last_unit, NULL, "", "credit: no step on underflow", 1000, 3, 1,
     ANY_FAILED, 0, JDI_WORLD_RIGHT},
    {&jdi_mutant_never, NULL, "", "never announces", 20, 3, 1, ANY_FAILED, 0,
     JDI_WORLD_RIGHT},
    {&jdi_mutant_at_once, NULL, "", "announces as soon as a rank is idle", 20, 3, 1,
     ANY_FAILED, 0, JDI_WORLD_RIGHT},
    {&jdi_mutant_alone, NULL, "", "announces when a rank has got as much as it sent", 100,
     3, 1, ANY_FAILED, 0, JDI_WORLD_RIGHT},
    {&jdi_mutant_six_ranks, &jdi_lens_francez, "", "six ranks: there is no colour", WALKS,
     0, 1, 2, 0, JDI_WORLD_RIGHT},
    {&jdi_mutant_nine_ranks, &jdi_lens_francez, "", "nine ranks: there is no colour",
     WALKS, 0, 1, 2, 0, JDI_WORLD_RIGHT},
    {&jdi_mutant_late_phase, &jdi_lens_francez, "",
     "after three hundred phases there is no colour", WALKS, 0, 1, 2, 0, JDI_WORLD_RIGHT},
    {&jdi_mutant_word_phase, &jdi_lens_francez, "",
     "after 2^16 phases there is no colour", WALKS, 0, 1, 2, 0, JDI_WORLD_RIGHT},
    {&jdi_mutant_signed_phase, &jdi_lens_francez, "",
     "after 2^31 phases there is no colour", WALKS, 0, 1, 2, 0, JDI_WORLD_RIGHT},
    {&jdi_mutant_word_stamp, &jdi_lens_francez, "",
     "stamps have sixteen bits and are compared as numbers", WALKS, 0, 1, 2, 0,
     JDI_WORLD_RIGHT},
    {&jdi_mutant_unsigned_stamp, &jdi_lens_francez, "",
     "stamps are compared as unsigned numbers", WALKS, 0, 1, 2, 0, JDI_WORLD_RIGHT},
    {&jdi_mutant_many_imports, &jdi_lens_francez, "",
     "after two hundred imports there is no colour", WALKS, 0, 1, 2, 0, JDI_WORLD_RIGHT},
    {&jdi_mutant_word_count, &jdi_lens_francez, "", "counters have sixteen bits", WALKS,
     0, 1, 2, 0, JDI_WORLD_RIGHT},
    {&jdi_mutant_liar, &jdi_lens_francez, "",
     "fifty waves more, of which the figures say nothing", WALKS, 0, 1, 2, 0,
     JDI_WORLD_RIGHT},
    {&jdi_mutant_slow, &jdi_lens_francez, "36", "pauses double without end", WALKS, 0, 1,
     2, 0, JDI_WORLD_RIGHT},
    {&jdi_mutant_narrow_clock, &jdi_lens_francez, "", "the clock has 32 bits", WALKS, 0,
     1, 2, 0, JDI_WORLD_RIGHT},
    {&jdi_mutant_afterword, &jdi_lens_francez, "", "a message after the end", WALKS, 0, 1,
     2, 0, JDI_WORLD_RIGHT},
    {&jdi_mutant_thousand_ranks, &jdi_lens_francez, "",
     "more than a thousand ranks: there is no colour", LOADS, 0, 0, 2, 0,
     JDI_WORLD_RIGHT},
    {&jdi_mutant_more_ranks, &jdi_lens_francez, "",
     "more than four thousand ranks: the colour of the children is lost", LOADS, 0, 0, 2,
     0, JDI_WORLD_RIGHT},
    {&jdi_mutant_word_sum, &jdi_lens_francez, "", "the sum in a report has sixteen bits",
     LOADS, 0, 0, 2, 0, JDI_WORLD_RIGHT},
    {&jdi_mutant_teller, &jdi_lens_francez, "",
     "the root sends something to every rank in each wave", LOADS, 0, 0, 2, 0,
     JDI_WORLD_RIGHT},
};

const struct jdi_trial *jdi_trial_at(size_t i)
{
    return i < JDI_ARRAY_LEN(trials) ? &trials[i] : NULL;
}

struct jdi_walk_config jdi_trial_config(const struct jdi_trial *t, uint64_t seed)
{
    return (struct jdi_walk_config){.ops = t->ops,
                                    .lens = t->lens,
                                    .seed = seed,
                                    .walks = t->walks,
                                    .ranks = t->ranks,
                                    .arity = 2,
                                    .phases = t->phases,
                                    .sends = 6,
                                    .colls = t->wrong >= JDI_WORLD_NO_ID ? 2 : 1,
                                    .max_failed = t->max_failed,
                                    .first_wave = t->first_wave,
                                    .wrong = t->wrong};
}

struct jdi_walk_result *jdi_trial_run(const struct jdi_trial *t, uint64_t seed)
{
    const struct jdi_walk_config c = jdi_trial_config(t, seed);
    return jdi_walk_run(&c);
}

bool jdi_trial_killed(const struct jdi_walk_result *r)
{
    return r->end == JDI_WALK_REJECTED || r->end == JDI_WALK_CHECKED;
}
