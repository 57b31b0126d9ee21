/*
 * uts_params_name_what_is_wrong.c
 *
 * Role: an error names the option, the value and what is allowed, or the nearest option.
 * Owner: one thread.
 * See: examples/uts_params.h, I1.
 */
#include "examples/uts_params.h"
#include "test/kit/tap.h"

#include <string.h>

struct row {
    const char *words[4];
    const char *error;
};

static const struct row rows[] = {
    {{"-t", "4"}, "option -t: '4' is not an integer from 0 to 3"},
    {{"-t", "-1"}, "option -t: '-1' is not an integer from 0 to 3"},
    {{"-a", "geo"}, "option -a: 'geo' is not an integer from 0 to 3"},
    {{"-d", "6x"}, "option -d: '6x' is not an integer from 1 to 1000000000"},
    {{"-d", ""}, "option -d: '' is not an integer from 1 to 1000000000"},
    {{"-d"}, "option -d: '[none]' is not an integer from 1 to 1000000000"},
    {{"-r", "99999999999999999999"},
     "option -r: '99999999999999999999' is not an integer from 0 to 2147483647"},
    {{"-q", "1.5"}, "option -q: '1.5' is not a number from 0 to 1"},
    {{"-q", "nan"}, "option -q: 'nan' is not a number from 0 to 1"},
    {{"-c", "0"}, "option -c: '0' is not an integer from 1 to 65535"},
    {{"-T", "1025"}, "option -T: '1025' is not an integer from 1 to 1024"},
    {{"--repeat=0"}, "option --repeat: '0' is not an integer from 1 to 1000000000"},
    {{"--check=1"}, "option --check: takes no value, got '1'"},
    {{"--help=me"}, "option --help: takes no value, got 'me'"},
    {{"--chekc"}, "unknown option --chekc; the nearest is --check"},
    {{"--Serial"}, "unknown option --Serial; the nearest is --serial"},
    {{"--tre=T1"}, "unknown option --tre; the nearest is --tree"},
    {{"-stats"}, "unknown option -stats; the nearest is --stats"},
    {{"-B", "4"}, "unknown option -B; the nearest is -b"},
    {{"-z", "4"}, "unknown option -z; -h lists them"},
    {{"T1"}, "unknown option T1; -h lists them"},
    {{""}, "unknown option ; -h lists them"},
    {{"--", "T1"}, "unknown option --; -h lists them"},
    {{"-v", "0", "extra"}, "unknown option extra; -h lists them"},
};

static void check(const struct row *row)
{
    struct uts_params p;
    char error[512] = "", text[4][64], *argv[5] = {"uts"};
    int argc = 1;
    for (; argc < 5 && row->words[argc - 1]; argc++)
        argv[argc] = strcpy(text[argc - 1], row->words[argc - 1]);
    ok(uts_params_parse(&p, argc, argv, error, sizeof error) == UTS_BAD,
       "'%s' is refused", row->words[0]);
    is_str(error, row->error, "'%s' %s", row->words[0], "is explained");
}

/* Whatever its length, a word neither overflows the text nor the search for a name. */
static void check_long_words(void)
{
    struct uts_params p;
    char word[600], error[64], *argv[] = {"uts", word};
    for (size_t n = 2; n < sizeof word; n++) {
        memset(word, 'x', n);
        word[0] = word[1] = '-';
        word[n] = '\0';
        error[0] = '\0';
        if (uts_params_parse(&p, 2, argv, error, sizeof error) != UTS_BAD ||
            strlen(error) >= sizeof error) {
            fail("a word of %zu letters", n);
            return;
        }
    }
    pass("long words are refused as well");
}

int main(void)
{
    struct uts_params p;
    char error[512], *tree[] = {"uts", "--tree=T9"},
                     *size[] = {"uts", "--check", "-d", "7"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check(&rows[i]);
    ok(uts_params_parse(&p, 2, tree, error, sizeof error) == UTS_BAD &&
           strstr(error, "--tree: 'T9' is not one of") && strstr(error, "T1, T2, T3"),
       "an unknown tree is refused with the known ones");
    ok(uts_params_parse(&p, 4, size, error, sizeof error) == UTS_BAD &&
           strstr(error, "--check"),
       "--check needs a known tree");
    check_long_words();
    return done_testing();
}
