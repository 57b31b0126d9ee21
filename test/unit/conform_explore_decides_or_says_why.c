/*
 * conform_explore_decides_or_says_why.c
 *
 * Role: a search of every state finds a right detector right, a wrong one wrong with the way to
 *       the fault, and says when it has not decided.
 * See: conform/conform.h.
 */
#include "conform/conform.h"
#include "termination/francez.h"
#include "test/kit/tap.h"

#include <stdlib.h>
#include <string.h>

static enum jd_conform_verdict explore(const char *name, const struct jd_conform_world *w,
                                       struct jd_conform_states *found)
{
    struct jd_conform_subject s;
    if (!jd_conform_find(name, &s))
        bail_out("no %s", name);
    return jd_conform_explore(&s, w, found);
}

/* The way that the search has found, as a schedule. */
static void fails_again(const struct jd_conform_run *run)
{
    struct jd_conform_subject s;
    char *line = NULL, error[JD_CONFORM_TEXT] = "";
    size_t len = 0;
    FILE *f = open_memstream(&line, &len);
    ok(jd_conform_run_is_told(run) && f, "with a schedule");
    if (!f || !jd_conform_find("no_root", &s))
        bail_out("no memory");
    jd_conform_run_write(run, f);
    fclose(f);
    struct jd_conform_run *again = jd_conform_replay(&s, line, error, sizeof error);
    is_str(again ? jd_conform_run_text(again) : error, jd_conform_run_text(run),
           "that says the same again");
    jd_conform_run_free(again);
    free(line);
}

/* What is told of a detector that lies about its waves is cut by the world's own count. */
static void forgets(void *td)
{
    struct jdi_francez *f = td;
    memset(&f->figures, 0, sizeof f->figures);
}

int main(void)
{
    struct jd_conform_world w = {.ranks = 3, .arity = 2, .messages = 2, .phases = 1};
    struct jd_conform_states found;
    enum jd_conform_verdict verdict = explore("francez", &w, &found);
    ok(verdict == JD_CONFORM_RIGHT && !found.run && !found.text[0],
       "francez is right in %u states", (unsigned)found.states);
    is_u64(found.cut, 0, "and none is left out");

    verdict = explore("no_root", &w, &found);
    ok(verdict == JD_CONFORM_WRONG, "no_root is wrong");
    is_str(jd_conform_run_rule(found.run), "O1", "by rule O1");
    is_str(jd_conform_run_text(found.run), found.text, "with the same text");
    fails_again(found.run);
    jd_conform_run_free(found.run);

    w.max_states = 100;
    verdict = explore("francez", &w, &found);
    ok(verdict == JD_CONFORM_OPEN && strstr(found.text, "states"),
       "a hundred states are not enough: %s", found.text);
    is_u64(found.states, 100, "they were looked at");

    /* As if it were of somebody else, who does not say what may be forgotten. */
    const struct jdi_td_ops copy = jdi_td_francez;
    const struct jd_conform_subject stranger = {.ops = &copy, .max_failed = 1};
    w = (struct jd_conform_world){
        .ranks = 2, .arity = 2, .messages = 1, .phases = 1, .max_waves = 1};
    verdict = jd_conform_explore(&stranger, &w, &found);
    ok(verdict == JD_CONFORM_RIGHT && found.cut > 0,
       "waves that are counted are followed up to one that fails: %u ways are cut",
       (unsigned)found.cut);
    uint32_t states = found.states;
    w.max_waves = 2;
    verdict = jd_conform_explore(&stranger, &w, &found);
    ok(verdict == JD_CONFORM_RIGHT && found.states > states, "or up to two");
    struct jd_conform_subject liar = stranger;
    liar.forget = forgets;
    w.ranks = 1;
    w.max_states = 10000;
    verdict = jd_conform_explore(&liar, &w, &found);
    ok(verdict == JD_CONFORM_RIGHT && found.cut > 0,
       "also if the figures are forgotten: %u states", (unsigned)found.states);

    w = (struct jd_conform_world){.ranks = 5, .arity = 2, .messages = 1, .phases = 1};
    verdict = explore("francez", &w, &found);
    ok(verdict == JD_CONFORM_OPEN && found.text[0], "five ranks are too many: %s",
       found.text);
    w = (struct jd_conform_world){.ranks = 2, .arity = 2, .messages = 1, .phases = 4};
    verdict = explore("francez", &w, &found);
    ok(verdict == JD_CONFORM_OPEN, "so are four phases");
    for (size_t i = 0; jd_conform_world_at(i); i++)
        ok(jd_conform_world_at(i)->ranks <= 4, "world %u is small", (unsigned)i);
    return done_testing();
}
