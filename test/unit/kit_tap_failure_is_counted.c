/*
 * kit_tap_failure_is_counted.c - a failed check, a broken plan and an empty test fail.
 *
 * Role: run the kit in child processes and look at their statuses and their output.
 * Owner: one thread.
 * Invariants: I1 of test/kit/tap.h.
 * See: test/kit/tap.c.
 */
#include "test/kit/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void all_pass(void)
{
    plan(2);
    ok(1, "one");
    is_u64(7, 7, "seven");
}
static void one_fails(void)
{
    plan(2);
    ok(1, "one");
    ok(0, "zero");
}
static void number_differs(void)
{
    is_u64(1, 2, "numbers");
}
static void text_differs(void)
{
    is_str("a", NULL, "texts");
}
static void too_few(void)
{
    plan(2);
    pass("the only one");
}
static void too_many(void)
{
    plan(1);
    pass("one");
    pass("two");
}
static void nothing(void) {}
static void bails(void)
{
    bail_out("no %s", "way");
}
static void skips(void)
{
    skip_all("not %s", "here");
}

static const struct {
    const char *name;
    void (*fn)(void);
    int status;
    const char *text; /* must occur in the output */
} cases[] = {
    {"all pass", all_pass, 0, "1..2\nok 1 - one\nok 2 - seven\n"},
    {"one fails", one_fails, 1, "ok 1 - one\nnot ok 2 - zero\n"},
    {"a number differs", number_differs, 1, "expected 2"},
    {"a text differs", text_differs, 1, "expected '(null)'"},
    {"too few results", too_few, 1, "planned 2 tests but ran 1"},
    {"too many results", too_many, 1, "planned 1 tests but ran 2"},
    {"no results", nothing, 1, "1..0"},
    {"bail out", bails, 255, "Bail out! no way"},
    {"skip", skips, 0, "1..0 # SKIP not here"},
};

/* The status of case i, run by this program itself in a child; its output goes to out. */
static int status_of(size_t i, char *out, size_t outlen)
{
    int end[2], status;
    char number[24];
    snprintf(number, sizeof number, "%zu", i);
    if (pipe(end))
        return -1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        dup2(end[1], STDOUT_FILENO);
        dup2(end[1], STDERR_FILENO);
        close(end[0]);
        close(end[1]);
        execl("/proc/self/exe", "kit_tap", number, (char *)NULL);
        _exit(127);
    }
    close(end[1]);
    size_t have = 0;
    for (ssize_t n; (n = read(end[0], out + have, outlen - 1 - have)) > 0;)
        have += (size_t)n;
    out[have] = '\0';
    close(end[0]);
    if (child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
    char out[4096];
    if (argc > 1) {
        cases[atoi(argv[1])].fn();
        return done_testing();
    }
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int status = status_of(i, out, sizeof out);
        is_u64((uint64_t)status, (uint64_t)cases[i].status, "%s: status", cases[i].name);
        if (!ok(strstr(out, cases[i].text) != NULL, "%s: output", cases[i].name))
            diag("%s", out);
    }
    return done_testing();
}
