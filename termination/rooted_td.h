/*
 * rooted_td.h - detectors of collections made of rooted detectors: what they have in common.
 *
 * Role: a rooted detector for each phase behind detector.h, and TERM, which tells the end down the
 *       tree.  A kind says how ranks are engaged before a phase, and what its messages weigh.
 * Owner: as detector.h: the communication thread.
 * Invariants: I1 in a phase that has not been entered every rank is engaged, as the kind has it.
 * See: termination/credit_td.c, termination/diffuse_td.c, the kinds, which have the tables of
 *      messages; termination/rooted.h.
 */
#ifndef JDI_TERMINATION_ROOTED_TD_H
#define JDI_TERMINATION_ROOTED_TD_H

#include "core/base.h"
#include "termination/rooted.h"

struct jdi_rooted_td;

struct jdi_rooted_td_kind {
    const struct jdi_rooted_rule *rule;
    /* True: a stamp has an exponent beside the giver, and an ACK has a weight.  False: all weigh 1,
     * and none says so. */
    bool weighs;
    /* Engage this rank for the phase that comes next, in f->rooted, which is new (I1). */
    void (*engage)(struct jdi_rooted_td *f);
    /* This rank will be engaged in the phase that comes next, and got a token t of it.  True: t is
     * kept.  False: it goes back at once. */
    bool (*keeps_early)(const struct jdi_rooted_td *f, struct jdi_rooted_token t);
};

struct jdi_rooted_td {
    struct jdi_td_env env;
    const struct jdi_rooted_td_kind *kind;
    struct jdi_td_figures figures;
    struct jdi_rooted rooted; /* of the phase */
    uint8_t max_exponent;
    uint32_t nranks, parent, first_kid, nkids;
    uint32_t phase;
    uint32_t held,
        held_next;        /* imported before the phase was entered; for the next one */
    uint64_t weight_next; /* what was kept of those */
    bool open;            /* the phase has been entered */
    bool ended;           /* the root: done has been said */
    uint64_t result[JDI_TD_STATS];
};

/* The operation init.  A max_exponent smaller than the rule's makes the step on underflow common. */
void jdi_rooted_td_init(struct jdi_rooted_td *f, const struct jdi_td_config *c,
                        const struct jdi_td_env *env,
                        const struct jdi_rooted_td_kind *kind, uint8_t max_exponent);

/* The other operations of detector.h. */
void jdi_rooted_td_enter(void *td, uint32_t phase);
struct jdi_td_stamp jdi_rooted_td_exported(void *td);
bool jdi_rooted_td_imported(void *td, struct jdi_td_stamp stamp);
void jdi_rooted_td_message(void *td, uint32_t src, const struct jdi_td_msg *m);
uint64_t jdi_rooted_td_step(void *td, uint64_t now);
void jdi_rooted_td_figures(const void *td, struct jdi_td_figures *out);
void jdi_rooted_td_check(const void *td);

#endif
