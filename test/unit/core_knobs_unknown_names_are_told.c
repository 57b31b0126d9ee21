/*
 * core_knobs_unknown_names_are_told.c
 *
 * Role: JACKDAW_* variables that are no knobs are told once each, with the nearest name.
 * Owner: one thread.
 * Invariants: known names and other people's variables are never told.
 * See: core/knobs.c, core/nearest.c.
 */
#include "core/knobs.h"
#include "test/kit/tap.h"

#include <stdio.h>
#include <string.h>

static void note(void *ctx, const char *name, const char *nearest)
{
    char *said = ctx;
    size_t n = strlen(said);

    snprintf(said + n, 4096 - n, "%.40s>%s ", name, nearest ? nearest : "?");
}

static void tells(char *variable, const char *want)
{
    char *environ_list[] = {"HOME=/", variable, "JACKDAW_COMM=inline", NULL};
    char said[4096] = "";

    jdi_knobs_unknown(environ_list, note, said);
    is_str(said, want, "'%.40s': '%s'", variable, want);
}

static void test_every_knob_is_known(void)
{
    char said[4096] = "";

    for (size_t i = 0; jdi_knobs_row(i); i++) {
        char variable[64];
        char *environ_list[] = {variable, NULL};
        snprintf(variable, sizeof variable, "%s=1", jdi_knobs_row(i)->name);
        jdi_knobs_unknown(environ_list, note, said);
    }
    is_str(said, "", "every knob is known");
}

int main(void)
{
    char *nothing[] = {NULL};
    char said[4096] = "";
    char endless[600];

    test_every_knob_is_known();
    tells("JACKDAW_WORKRES=3", "JACKDAW_WORKRES>JACKDAW_WORKERS ");
    tells("JACKDAW_WORKER=3", "JACKDAW_WORKER>JACKDAW_WORKERS ");
    tells("JACKDAW_workers=3", "JACKDAW_workers>JACKDAW_WORKERS ");
    tells("JACKDAW_STACKSIZE=64K", "JACKDAW_STACKSIZE>JACKDAW_STACK_SIZE ");
    tells("JACKDAW_STEAL_AMOUNTS=one", "JACKDAW_STEAL_AMOUNTS>JACKDAW_STEAL_AMOUNT ");
    tells("JACKDAW_RANK", "JACKDAW_RANK>JACKDAW_RANKS ");
    tells("JACKDAW_NOTHING_LIKE_IT=1", "JACKDAW_NOTHING_LIKE_IT>? ");
    tells("JACKDAW_=1", "JACKDAW_>? ");
    tells("JACKDAW_Q=1", "JACKDAW_Q>? ");
    tells("JACKDAWS=1", "");
    tells("XJACKDAW_WORKRES=1", "");
    tells("JACKDAW=1", "");
    memset(endless, 'A', sizeof endless - 1);
    memcpy(endless, "JACKDAW_", 8);
    endless[sizeof endless - 1] = '\0';
    tells(endless, "JACKDAW_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA>? ");
    jdi_knobs_unknown(nothing, note, said);
    is_str(said, "", "an empty environment");
    return done_testing();
}
