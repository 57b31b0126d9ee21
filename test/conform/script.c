/*
 * script.c - see script.h.
 *
 * Role: the parser, and finding the action that a command means.
 * Owner: one thread.
 * Invariants: I1 of script.h.
 * See: script.h.
 */
#include "test/conform/script.h"

#include <stdio.h>
#include <string.h>

static bool try_do(struct world *w, enum world_kind kind, unsigned rank, unsigned variant)
{
    if (variant >= world_enabled(w, kind, rank))
        return false;
    world_do(w, kind, rank, variant);
    return true;
}

/* The oldest packet of this kind from b to a. */
static bool take(struct world *w, enum world_kind kind, unsigned a, unsigned b)
{
    unsigned variant = 0;
    for (uint32_t i = 0; i < w->nbag; i++) {
        const struct world_packet *p = &w->bag[i];
        if (p->kind != kind || p->dst != a)
            continue;
        if (p->src == b)
            return try_do(w, kind, a, variant);
        variant++;
    }
    return false;
}

static bool finish_all(struct world *w, unsigned a)
{
    bool any = false;
    while (!w->fault[0] && try_do(w, WORLD_FINISH, a, 0))
        any = true;
    return any;
}

static bool take_reports(struct world *w, unsigned a)
{
    bool any = false;
    while (!w->fault[0] && try_do(w, WORLD_UP, a, 0))
        any = true;
    return any;
}

static bool command(struct world *w, const char *verb, unsigned a, unsigned b)
{
    if (strcmp(verb, "enter") == 0)
        return try_do(w, WORLD_ENTER, a, b);
    if (strcmp(verb, "send") == 0)
        return try_do(w, WORLD_SEND, a, (b + w->c.ranks - a - 1) % w->c.ranks);
    if (strcmp(verb, "idle") == 0)
        return finish_all(w, a);
    if (strcmp(verb, "task") == 0)
        return take(w, WORLD_TASK, a, b);
    if (strcmp(verb, "up") == 0)
        return take(w, WORLD_UP, a, b);
    if (strcmp(verb, "reports") == 0)
        return take_reports(w, a);
    if (strcmp(verb, "next") == 0)
        return try_do(w, WORLD_NEXT, a, 0);
    if (strcmp(verb, "term") == 0)
        return try_do(w, WORLD_TERM, a, 0);
    JD_CHECK(strcmp(verb, "step") == 0);
    world_do(w, WORLD_STEP, a, 0); /* also if nothing has changed */
    return true;
}

unsigned script_play(struct world *w, const char *text)
{
    unsigned skipped = 0;
    for (const char *at = text; *at && !w->fault[0];) {
        char verb[16];
        unsigned a = 0, b = 0;
        JD_CHECK(sscanf(at, " %15[a-z] %u %u", verb, &a, &b) >= 2);
        JD_CHECK(a < w->c.ranks);
        skipped += !command(w, verb, a, b);
        at += strcspn(at, ";");
        at += *at == ';';
        at += strspn(at, " \n");
    }
    return skipped;
}
