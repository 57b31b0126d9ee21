/*
 * core_outfile_is_whole_or_not_there.c
 *
 * Role: names are made of patterns; a file has its name only when all of it is written; who cannot write
 *       learns why.
 * Owner: one thread.
 * Invariants: I1 of core/outfile.h.
 * See: core/outfile.c.
 */
#include "core/outfile.h"
#include "test/kit/tap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void test_names(void)
{
    const struct jdi_outfile_names names = {7, "node", "job.1"};
    char name[JDI_OUTFILE_NAME], longest[JDI_OUTFILE_NAME + 1];
    ok(jdi_outfile_fits("a%r%h%j%%", 9) && !jdi_outfile_fits("a%", 2) &&
           !jdi_outfile_fits("%x", 2) && !jdi_outfile_fits("", 0),
       "%%r, %%h, %%j and %%%% stand for something, and nothing else does");
    ok(!jdi_outfile_name("%j/%h-%r%%r", &names, name, sizeof name), "a pattern");
    is_str(name, "job.1/node-7%r", "and its name");
    ok(jdi_outfile_of_rank("a%r") && jdi_outfile_of_host("a%r%h") &&
           !jdi_outfile_of_rank("a%%r%h") && !jdi_outfile_of_host("a%%h%r"),
       "a doubled percent sign hides what comes after it");
    memset(longest, 'a', JDI_OUTFILE_NAME);
    longest[JDI_OUTFILE_NAME] = '\0';
    ok(jdi_outfile_name(longest, &names, name, sizeof name) == JD_EINVAL &&
           !jdi_outfile_name(longest + 1, &names, name, sizeof name),
       "a name has room for %d characters", JDI_OUTFILE_NAME - 1);
    memcpy(longest + JDI_OUTFILE_NAME - 3, "%h", 3);
    ok(jdi_outfile_name(longest, &names, name, sizeof name) == JD_EINVAL,
       "those of a host, too");
}

static bool holds(const char *name, const char *want)
{
    char got[64] = "";
    FILE *f = fopen(name, "r");
    if (!f)
        return !want;
    got[fread(got, 1, sizeof got - 1, f)] = '\0';
    fclose(f);
    return want && !strcmp(got, want);
}

int main(void)
{
    char dir[] = "/tmp/outfile-XXXXXX";
    struct jdi_outfile f;
    test_names();
    if (!mkdtemp(dir) || chdir(dir))
        bail_out("no directory");
    ok(!jdi_outfile_try(&f, "a") && holds("a", NULL) && holds("a.part", NULL),
       "a file that can be written is not there yet");
    ok(!jdi_outfile_open(&f) && holds("a", NULL), "an open file has no name yet");
    fputs("one", f.to);
    ok(!jdi_outfile_done(&f) && holds("a", "one"), "a file that is done has it");
    ok(!jdi_outfile_try(&f, "a") && !jdi_outfile_open(&f) && fputs("two", f.to) >= 0 &&
           holds("a", "one"),
       "until the next one is done, the last one stays");
    ok(!jdi_outfile_done(&f) && holds("a", "two"), "and is replaced");
    is_u64((uint64_t)jdi_outfile_try(&f, "no/a"), ENOENT, "no such directory");
    ok(!jdi_outfile_try(&f, "/dev/full") && !jdi_outfile_open(&f) &&
           fputs("three", f.to) >= 0 && jdi_outfile_done(&f) == ENOSPC,
       "a disk that is full is told at the end");
    ok(!jdi_outfile_try(&f, "/dev/null") && !jdi_outfile_open(&f) &&
           !jdi_outfile_done(&f) && !access("/dev/null", W_OK),
       "what is no regular file is written, not replaced");
    unlink("a");
    ok(!chdir("/") && !rmdir(dir), "nothing else is left behind");
    return done_testing();
}
