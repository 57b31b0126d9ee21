/*
 * termination_rooted_kit.h - a rooted detector by hand: four ranks, and the RETURNs under way.
 *
 * Role: what the tests of both rules share.
 * Owner: one thread.
 * See: termination/rooted.h; test/unit/termination_rooted_*.
 */
#ifndef JDI_TEST_TERMINATION_ROOTED_KIT_H
#define JDI_TEST_TERMINATION_ROOTED_KIT_H

#include "conform/child.h"
#include "termination/rooted.h"
#include "test/kit/tap.h"

#include <string.h>

enum { RANKS = 4, HOME = 2, MAIL = 64 };

struct town_mail {
    uint32_t src, dst;
    struct jdi_rooted_return m;
};

/* Four ranks and the RETURNs under way. */
struct town {
    struct house {
        struct town *town;
        struct jdi_rooted rooted;
        bool busy;
        uint64_t made, run;
    } house[RANKS];
    unsigned mails, done;
    struct town_mail mail[MAIL];
    uint64_t result[JDI_TD_STATS];
};

static inline void town_send(void *ctx, uint32_t dst, const struct jdi_rooted_return *m)
{
    struct house *h = ctx;
    struct town *t = h->town;
    JD_CHECK(t->mails < MAIL);
    t->mail[t->mails++] = (struct town_mail){(uint32_t)(h - t->house), dst, *m};
}

static inline bool town_idle(void *ctx)
{
    const struct house *h = ctx;
    return !h->busy;
}

static inline void town_stat(void *ctx, uint64_t out[JDI_TD_STATS])
{
    const struct house *h = ctx;
    memset(out, 0, JDI_TD_STATS * sizeof out[0]);
    out[0] = h->made;
    out[1] = h->run;
    out[JDI_TD_STATS - 1] = h->made << 8 ^ h->run << 8;
}

static inline void town_done(void *ctx, const uint64_t result[JDI_TD_STATS])
{
    struct house *h = ctx;
    h->town->done++;
    memcpy(h->town->result, result, sizeof h->town->result);
}

static inline void town_found(struct town *t, const struct jdi_rooted_rule *rule)
{
    memset(t, 0, sizeof *t);
    for (uint32_t i = 0; i < RANKS; i++) {
        const struct jdi_rooted_env env = {&t->house[i], town_send, town_idle, town_stat,
                                           town_done};
        t->house[i].town = t;
        jdi_rooted_init(&t->house[i].rooted, i, HOME, rule, &env);
    }
    t->house[HOME].busy = true;
    t->house[HOME].made = 1;
}

/* A task from one rank to another, which makes it busy. */
static inline struct jdi_rooted_token town_give(struct town *t, uint32_t from)
{
    t->house[from].made++;
    return jdi_rooted_exported(&t->house[from].rooted);
}

static inline void town_take(struct town *t, uint32_t to, struct jdi_rooted_token token)
{
    jdi_rooted_imported(&t->house[to].rooted, token);
    jdi_rooted_check(&t->house[to].rooted);
    t->house[to].busy = true;
    t->house[to].run++;
}

static inline void town_rest(struct town *t, uint32_t rank)
{
    t->house[rank].busy = false;
    jdi_rooted_step(&t->house[rank].rooted);
    jdi_rooted_check(&t->house[rank].rooted);
}

/* The newest first: order means nothing. */
static inline void town_deliver(struct town *t)
{
    while (t->mails > 0) {
        struct town_mail m = t->mail[--t->mails];
        jdi_rooted_returned(&t->house[m.dst].rooted, &m.m);
        jdi_rooted_step(&t->house[m.dst].rooted);
        jdi_rooted_check(&t->house[m.dst].rooted);
    }
}

/* fn must end the program, and say where. */
static inline void town_fatal(const struct jdi_rooted_rule *rule, void (*fn)(void *arg),
                              const char *what)
{
    struct town t;
    char said[256];
    town_found(&t, rule);
    ok(jdi_child_run(fn, &t, 20, said, sizeof said) == JDI_CHILD_ABORTED &&
           strstr(said, "termination/"),
       "%s is fatal", what);
    diag("%s", said);
}

#endif
