/*
 * rooted.h - the rooted detector: the end of work that one rank has begun and only it waits for.
 *
 * Role: what a nested finish needs: no collective call, no wave, no state on ranks that the work
 *       does not reach.  Two rules: `credit` and `diffuse`.
 * Owner: the communication thread of the rank; nothing here is atomic.
 * Invariants: S1 to S3 at the top of termination/rooted.c.
 * See: doc/termination.md section 11; termination/credit.c, termination/diffuse.c; their
 *      detectors of collections, termination/credit_td.c and termination/diffuse_td.c.
 *
 * The home of a finish makes one of these with jdi_rooted_init(root = itself).  Any other rank
 * makes one when the first task message of the finish arrives, and may free it whenever
 * jdi_rooted_engaged says no.  After `done` no message of the finish exists anywhere, so its
 * number may be used again at once.
 */
#ifndef JDI_TERMINATION_ROOTED_H
#define JDI_TERMINATION_ROOTED_H

#include "core/base.h"
#include "termination/detector.h"

/* Weights are counted in units of 2^-max_exponent; a message of weight 2^-e. */
enum { JDI_ROOTED_EXPONENT = 32 };

/* In every message that carries tasks of the finish: 2^-e of the credit that `home` gave. */
struct jdi_rooted_token {
    uint32_t home;
    uint8_t e;
};

/* The only control message.  Never duplicated; may be reordered against anything. */
struct jdi_rooted_return {
    uint64_t weight; /* in units */
    uint64_t stat[JDI_TD_STATS];
};

/* None of these may call the rooted detector, but `done` may free it. */
struct jdi_rooted_env {
    void *ctx;
    void (*send)(void *ctx, uint32_t dst, const struct jdi_rooted_return *m);
    /* True iff this rank has no live task of the finish and nothing to flush. */
    bool (*idle)(void *ctx);
    /* This rank's words, as in detector.h; called right after idle said true. */
    void (*stat)(void *ctx, uint64_t out[JDI_TD_STATS]);
    /* At home: the finish has ended everywhere. */
    void (*done)(void *ctx, const uint64_t stat[JDI_TD_STATS]);
};

struct jdi_rooted;

/* How weight is given, and what is kept; the same on all ranks. */
struct jdi_rooted_rule {
    const char *name;
    uint8_t max_exponent; /* up to JDI_ROOTED_EXPONENT */
    /* For a message of an engaged rank.  Each engaged rank but the root keeps a unit. */
    struct jdi_rooted_token (*give)(struct jdi_rooted *s);
    /* An engaged rank that is not the root has got a token t of another rank.  True: t is added
     * to the rank's weight, which must be of t's home.  False: t goes back at once. */
    bool (*keeps)(const struct jdi_rooted *s, struct jdi_rooted_token t);
};

extern const struct jdi_rooted_rule jdi_rooted_credit, jdi_rooted_diffuse;

struct jdi_rooted {
    struct jdi_rooted_env env;
    const struct jdi_rooted_rule *rule;
    uint32_t rank, root;
    uint8_t max_exponent; /* the rule's, or smaller: more givers, which hear less each */
    bool engaged;         /* holds weight of `home`; the root: until done */
    uint32_t home;
    uint64_t weight; /* of home, in units; 0 at the root */
    uint64_t debt;   /* of the credit that this rank gave: what has not come back */
    uint64_t sent;   /* messages, for figures */
    uint64_t steps;  /* children opened by an underflow, for figures */
    uint64_t told[JDI_TD_STATS], heard[JDI_TD_STATS];
};

/* Everything below: the communication thread; does not block; cannot fail. */
void jdi_rooted_init(struct jdi_rooted *s, uint32_t rank, uint32_t root,
                     const struct jdi_rooted_rule *rule,
                     const struct jdi_rooted_env *env);
/* One message with tasks is about to leave; legal only while a task is live here. */
struct jdi_rooted_token jdi_rooted_exported(struct jdi_rooted *s);
/* What is wrong with a token, or a return, that has come from another rank: to be asked before
 * the following, which end the process.  NULL: nothing. */
const char *jdi_rooted_fault_of_token(const struct jdi_rooted *s,
                                      struct jdi_rooted_token t);
const char *jdi_rooted_fault_of_return(const struct jdi_rooted *s,
                                       const struct jdi_rooted_return *m);
/* One message with tasks has arrived, and they are live; or an own one is taken back. */
void jdi_rooted_imported(struct jdi_rooted *s, struct jdi_rooted_token t);
void jdi_rooted_returned(struct jdi_rooted *s, const struct jdi_rooted_return *m);
/* Call this when something has changed and the rank may be idle; once is enough. */
void jdi_rooted_step(struct jdi_rooted *s);
bool jdi_rooted_engaged(const struct jdi_rooted *s);
/* Assert every invariant that one rank can see. */
void jdi_rooted_check(const struct jdi_rooted *s);

/* The i-th rule in the order of the words of JACKDAW_FINISH, NULL after the last; any thread. */
const struct jdi_rooted_rule *jdi_rooted_rule_at(size_t i);
/* For rules: a token made out of nothing, which is owed to this rank. */
struct jdi_rooted_token jdi_rooted_lend(struct jdi_rooted *s);

static inline bool jdi_rooted_is_root(const struct jdi_rooted *s)
{
    return s->rank == s->root;
}

/* A weight of 2^-e in units. */
static inline uint64_t jdi_rooted_units(const struct jdi_rooted *s, uint8_t e)
{
    return UINT64_C(1) << (s->max_exponent - e);
}

#endif
