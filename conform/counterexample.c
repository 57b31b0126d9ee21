/*
 * counterexample.c - the runs, with the story of each.
 *
 * See: counterexample.h; script.h for the words.
 */
#include "conform/counterexample.h"

#include "conform/mutants_francez.h"
#include "core/base.h"

#define START "enter 0 1; enter 1 0; enter 2 0; "

static const struct jdi_counterexample examples[] = {
    /* The message to 1 is under way, and only its receiver would be black. */
    {&jdi_mutant_no_count, START "step 2; step 1; send 0 1; idle 0; reports 0; step 0"},
    /* The message to 1 outlives two waves; its giver is white again. */
    {&jdi_mutant_giver, START "step 2; step 1; send 0 1; idle 0; reports 0; step 0;"
                              "next 2 0; step 2; next 1 0; step 1; reports 0; step 0"},
    /* The same with counts: 1 answers with a message that makes the sum 0. */
    {&jdi_mutant_giver_counted,
     START "step 2; step 1; send 0 1; idle 0; reports 0; step 0;"
           "next 2 0; step 2; next 1 0; step 1; task 1 0; send 1 0; "
           "task 0 1; idle 0; reports 0; step 0"},
    /* A message forward and one backward over the cut cancel out. */
    {&jdi_mutant_no_colour, START
     "step 2; step 1; send 0 1; task 1 0; send 1 0; task 0 1; idle 0; reports 0; step 0"},
    /* They do so in two waves in a row. */
    {&jdi_mutant_zero_twice, START
     "step 2; step 1; send 0 1; task 1 0; send 1 0; send 1 2; task 0 1; idle 0; "
     "reports 0;"
     "step 0; next 2 0; step 2; task 2 1; send 2 1; task 1 2; idle 1; next 1 0; step 1;"
     "reports 0; step 0"},
    /* 2 turns black before NEXT has come, and NEXT makes it white. */
    {&jdi_mutant_clear_at_next,
     START "step 2; step 1; send 0 1; idle 0; reports 0; step 0;"
           "next 1 0; step 1; task 1 0; send 1 2; task 2 1; idle 2; "
           "next 2 0; step 2; reports 0; step 0"},
    /* 1 reports what it had sent when NEXT came. */
    {&jdi_mutant_early_sample,
     START "step 2; step 1; send 0 1; task 1 0; idle 0; reports 0; step 0;"
           "next 2 0; step 2; next 1 0; send 1 0; idle 1; step 1; reports 0; step 0"},
    /* 1 was idle, then got a task, then reports. */
    {&jdi_mutant_latched_idle,
     START "step 2; send 0 1; task 1 0; step 1; idle 0; reports 0; step 0"},
    /* 1 passes a task on with the stamp of the one it got. */
    {&jdi_mutant_old_stamp, START
     "step 2; step 1; send 0 1; task 1 0; send 1 0; task 0 1; idle 0; reports 0; step 0"},
    /* 0 is idle before its message is counted. */
    {&jdi_mutant_late_count, START "step 2; step 1; send 0 1; idle 0; reports 0; step 0"},
};

const struct jdi_counterexample *jdi_counterexample_at(size_t i)
{
    return i < JDI_ARRAY_LEN(examples) ? &examples[i] : NULL;
}
