/*
 * conform_walk_failure_is_told_again.c
 *
 * Role: a walk that failed is found again by its seed, shrunk, written as one line, and that
 *       line fails by the same rule; the right detector survives it.
 * See: conform/conform.h.
 */
#include "conform/conform.h"
#include "test/kit/tap.h"

#include <stdlib.h>
#include <string.h>

static char *text_of(void (*write)(const struct jd_conform_run *run, FILE *out),
                     const struct jd_conform_run *run)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    if (!f)
        bail_out("no memory");
    write(run, f);
    fclose(f);
    return text;
}

static void explain(const struct jd_conform_run *run, FILE *out)
{
    jd_conform_run_explain(run, out, "> ");
}

static void replay(const char *name, const char *schedule, const char *rule)
{
    struct jd_conform_subject s;
    char error[JD_CONFORM_TEXT] = "";
    jd_conform_find(name, &s);
    struct jd_conform_run *run = jd_conform_replay(&s, schedule, error, sizeof error);
    is_str(error, "", "%s: the line is a schedule", name);
    is_str(run ? jd_conform_run_rule(run) : "none", rule, "%s: it ends with \"%s\"", name,
           rule);
    jd_conform_run_free(run);
}

static void fails(const char *name, const char *rule)
{
    const struct jd_conform_walks walks = {.seed = 1, .walks = 20000, .ranks = 3};
    struct jd_conform_walked walked;
    struct jd_conform_subject s;
    ok(jd_conform_find(name, &s), "%s is there", name);
    ok(jd_conform_walk(&s, &walks, &walked) == JD_CONFORM_WRONG, "%s is wrong: %s", name,
       walked.text);
    is_u64(walked.seed, walks.seed + walked.walks - 1, "%s: the seed is that of the last",
           name);
    struct jd_conform_run *run = jd_conform_walk_again(&s, &walks, &walked);
    is_str(jd_conform_run_rule(run), rule, "%s: the rule", name);
    is_str(jd_conform_run_text(run), walked.text, "%s: the same text again", name);
    unsigned before = jd_conform_run_actions(run), plays = jd_conform_run_shrink(run);
    ok(plays > 0 && jd_conform_run_actions(run) < before, "%s: %u actions of %u are left",
       name, jd_conform_run_actions(run), before);
    is_str(jd_conform_run_rule(run), rule, "%s: the rule is still that", name);
    char *line = text_of(jd_conform_run_write, run), *chart = text_of(explain, run);
    ok(!strchr(line, '\n'), "%s: one line", name);
    ok(strncmp(chart, "> rule ", 7) == 0 && strstr(chart, "rank 2\n> "),
       "%s: a chart of three ranks", name);
    replay(name, line, rule);
    replay("francez", line, "");
    free(line);
    free(chart);
    jd_conform_run_free(run);
}

int main(void)
{
    struct jd_conform_subject s;
    char error[JD_CONFORM_TEXT] = "";
    fails("giver", "O1");
    fails("never", "O4");
    ok(!jd_conform_find("nobody", &s), "no detector of that name");
    jd_conform_find("francez", &s);
    ok(!jd_conform_replay(&s, "enter 0 1; fly 0", error, sizeof error) &&
           strstr(error, "fly 0"),
       "no schedule, and where: %s", error);
    return done_testing();
}
