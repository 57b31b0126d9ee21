/*
 * uts_params_read_the_reference_flags.c
 *
 * Role: the defaults and every flag arrive where they belong; a sample tree is recognised
 *       by name and by the flags that its authors published, and has the size they gave.
 * Owner: one thread.
 * See: examples/uts_params.h.
 */
#include "examples/uts_params.h"
#include "test/kit/tap.h"

#include <string.h>

enum { MOST_WORDS = 40 };

static enum uts_parsed parse(struct uts_params *p, const char *line)
{
    char text[512], error[512] = "", *argv[MOST_WORDS] = {"uts"}, *save = NULL;
    int argc = 1;
    strcpy(text, line);
    for (char *w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save))
        argv[argc++] = w;
    enum uts_parsed result = uts_params_parse(p, argc, argv, error, sizeof error);
    if (result == UTS_BAD)
        diag("%s", error);
    return result;
}

/* Both ways of naming a tree mean the same tree. */
static void check_sample(const char *name, const char *flags, uint64_t nodes,
                         uint64_t height, uint64_t leaves)
{
    struct uts_params by_name, by_flags;
    char line[64] = "--check --tree=";
    strcat(line, name);
    ok(parse(&by_name, line) == UTS_RUN, "%s is known", name);
    ok(parse(&by_flags, flags) == UTS_RUN, "'%s' is understood", flags);
    ok(by_flags.expected && by_flags.expected == by_name.expected &&
           !strcmp(by_name.expected->name, name),
       "'%s' is recognised as %s", flags, name);
    if (by_name.expected)
        ok(by_name.expected->nodes == nodes && by_name.expected->height == height &&
               by_name.expected->leaves == leaves,
           "%s has the published size", name);
}

static void check_every_flag(void)
{
    struct uts_params p;
    ok(parse(&p, "-t 2 -a 1 -d 7 -b 2.5 -r 77 -q 0.25 -m 3 -f 0.75 -g 9 -v 0 -x 1 -c 50 "
                 "-i 8 -s 0 -T 3 --serial --stats --parents --repeat 4") == UTS_RUN,
       "all flags are understood");
    ok(p.is.type == 2 && p.is.shape == 1 && p.is.depth == 7 && p.is.seed == 77 &&
           p.is.m == 3 && p.is.granularity == 9,
       "integers of the tree");
    ok(p.is.b0 > 2.4 && p.is.b0 < 2.6 && p.is.q > 0.24 && p.is.q < 0.26 &&
           p.is.shift > 0.74 && p.is.shift < 0.76,
       "real numbers of the tree");
    ok(p.verbose == 0 && p.debug == 1 && p.chunk == 50 && p.interval == 8 &&
           p.steal == 0 && p.workers == 3,
       "flags of the search");
    ok(p.serial && p.stats && p.parents && p.repeat == 4 && !p.check, "our options");
}

int main(void)
{
    struct uts_params p;
    ok(parse(&p, "") == UTS_RUN && p.is.type == UTS_GEO && p.is.shape == UTS_LINEAR &&
           p.is.depth == 6 && p.is.seed == 0 && p.is.m == 4 && p.is.granularity == 1 &&
           p.verbose == 1 && p.steal == 1 && p.repeat == 1,
       "the defaults are the reference's");
    check_every_flag();
    check_sample("T1", "-t 1 -a 3 -d 10 -b 4 -r 19", 4130071, 10, 3305118);
    check_sample("T2", "-t 1 -a 2 -d 16 -b 6 -r 502", 4117769, 81, 2342762);
    check_sample("T3", "-t 0 -b 2000 -q 0.124875 -m 8 -r 42", 4112897, 1572, 3599034);
    check_sample("T4", "-t 2 -a 0 -d 16 -b 6 -r 1 -q 0.234375 -m 4 -r 1", 4132453, 134,
                 3108986);
    check_sample("T5", "-t 1 -a 0 -d 20 -b 4 -r 34", 4147582, 20, 2181318);
    check_sample("T1L", "-t 1 -a 3 -d 13 -b 4 -r 29", 102181082, 13, 81746377);
    check_sample("T2L", "-t 1 -a 2 -d 23 -b 7 -r 220", 96793510, 67, 53791152);
    check_sample("T3L", "-t 0 -b 2000 -q 0.200014 -m 5 -r 7", 111345631, 17844, 89076904);
    check_sample("T1XL", "-t 1 -a 3 -d 15 -b 4 -r 29", 1635119272, 15, 1308100063);
    check_sample("T1XXL", "-t 1 -a 3 -d 15 -b 4 -r 19", 4230646601, 15, 0);
    check_sample("T2XXL", "-t 0 -b 2000 -q 0.499999995 -m 2 -r 0", 10612052303, 216370,
                 5306027151);
    check_sample("T3XXL", "-t 0 -b 2000 -q 0.499995 -m 2 -r 316", 2793220501, 0, 0);
    check_sample("T1WL", "-t 1 -a 3 -d 18 -b 4 -r 19", 270751679750, 18, 216601257283);
    check_sample("T2WL", "-t 0 -b 2000 -q 0.4999999995 -m 2 -r 559", 295393891003,
                 1021239, 147696946501);
    check_sample("T3WL", "-t 0 -b 2000 -q 0.4999995 -m 2 -r 559", 157063495159, 758577,
                 78531748579);
    ok(parse(&p, "--tree T1 -r 20") == UTS_RUN && !p.expected,
       "a flag after --tree changes the tree, and it is no longer a known one");
    ok(parse(&p, "-g 3 --tree=T1") == UTS_RUN && p.is.granularity == 3,
       "--tree leaves the granularity alone");
    ok(parse(&p, "--repeat=4 --stats") == UTS_RUN && p.repeat == 4 && p.stats,
       "a value after = takes no second word");
    ok(parse(&p, "-h") == UTS_HELP && parse(&p, "--help") == UTS_HELP, "help");
    ok(parse(&p, "--version") == UTS_VERSION, "version");
    return done_testing();
}
