/*
 * core_wanted_words_are_read.c
 *
 * Role: each word of JACKDAW_STATS asks for what it says, words can be combined, and others are refused.
 * Owner: one thread.
 * See: core/wanted.c; doc/jackdaw-env.7.md.
 */
#include "core/wanted.h"
#include "test/kit/tap.h"

static bool refused(const char *text)
{
    struct jdi_wanted w;
    return jdi_wanted_parse(text, &w) == JD_EINVAL;
}

int main(void)
{
    struct jdi_wanted w;
    ok(!jdi_wanted_parse("0", &w) && !w.any && !w.table, "0 asks for nothing");
    ok(!jdi_wanted_parse("1", &w) && w.any && w.table && !w.full &&
           !jdi_wanted_gathers(&w),
       "1 asks for the table, which needs sums only");
    ok(!jdi_wanted_parse("full", &w) && w.table && w.full && jdi_wanted_gathers(&w),
       "full asks for the table with the figures of all ranks");
    ok(!jdi_wanted_parse("json:a%r.json", &w) && w.any && !w.table &&
           !jdi_wanted_gathers(&w),
       "a file of each rank needs that rank only");
    is_str(w.json, "a%r.json", "and has that name");
    ok(!jdi_wanted_parse("json:a=b:c,csv:d,1", &w) && w.table && jdi_wanted_gathers(&w),
       "three of them");
    is_str(w.json, "a=b:c", "the first file");
    is_str(w.csv, "d", "the second file");
    ok(refused("") && refused("2") && refused("0,1") && refused("1,") && refused(",1") &&
           refused("json") && refused("json:") && refused("xml:a") && refused("FULL"),
       "other words are refused");
    ok(refused("csv:a%") && refused("csv:%q"), "and patterns that mean nothing");
    ok(refused("csv:a,csv:b"), "and two files of one kind");
    return done_testing();
}
