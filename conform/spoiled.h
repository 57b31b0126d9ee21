/*
 * spoiled.h - francez behind operations that lie to it or spoil its state.
 *
 * Role: what the wrong detectors of mutants_francez.c have in common, so that each of them is
 *       a few hooks and the shipped object needs no switches.
 * Invariants: I1 without hooks it is francez, but for its check, which does nothing.
 * See: mutants_francez.c; termination/francez.h.
 */
#ifndef JDI_CONFORM_SPOILED_H
#define JDI_CONFORM_SPOILED_H

#include "termination/francez.h"

struct jdi_spoiled;

/* All may be NULL. */
struct jdi_spoiled_hooks {
    void (*before_enter)(struct jdi_spoiled *m, uint32_t phase);
    void (*sent)(struct jdi_spoiled *m, struct jdi_td_stamp *stamp); /* after exported */
    void (*got)(struct jdi_spoiled *m, struct jdi_td_stamp *stamp);  /* before imported */
    void (*got_it)(struct jdi_spoiled *m, struct jdi_francez_slot *s);
    void (*before_step)(struct jdi_spoiled *m, struct jdi_francez_slot *s);
    /* The phase is still open; reported: a wave number was used up. */
    void (*after_step)(struct jdi_spoiled *m, struct jdi_francez_slot *s, bool reported);
    void (*next)(struct jdi_spoiled *m, struct jdi_francez_slot *s); /* the wave begins */
    void (*say)(struct jdi_spoiled *m, uint32_t dst, struct jdi_td_msg *msg);
    void (*ended)(struct jdi_spoiled *m, uint32_t phase); /* after announce */
    bool lies;         /* no wave fails, as the figures have it */
    bool narrow_clock; /* of 32 bits */
    bool drop_term;    /* TERM is not passed on */
    bool latch_idle;   /* idle if the rank has been so since its last report */
};

/* A detector with its lies. */
struct jdi_spoiled {
    struct jdi_francez f; /* first: its operations take a pointer to this */
    const struct jdi_spoiled_hooks *hooks;
    struct jdi_td_env world;
    struct jdi_francez_slot real, sample;
    bool latched, sampled, zero, saved;
    int64_t late, sum;
    uint64_t pause_end;
    uint32_t stamp;
    bool stamped;
};

/* The slot of a phase in the detector inside. */
static inline struct jdi_francez_slot *jdi_spoiled_slot(struct jdi_spoiled *m,
                                                        uint32_t phase)
{
    return &m->f.slot[phase & 1];
}

/* As the operations of detector.h; start is init with the hooks. */
void jdi_spoiled_start(void *td, const struct jdi_td_config *c,
                       const struct jdi_td_env *env,
                       const struct jdi_spoiled_hooks *hooks);
void jdi_spoiled_enter(void *td, uint32_t phase);
struct jdi_td_stamp jdi_spoiled_exported(void *td);
bool jdi_spoiled_imported(void *td, struct jdi_td_stamp stamp);
void jdi_spoiled_message(void *td, uint32_t src, const struct jdi_td_msg *msg);
uint64_t jdi_spoiled_step(void *td, uint64_t now);
void jdi_spoiled_figures(const void *td, struct jdi_td_figures *out);
void jdi_spoiled_check(const void *td);

/* The operations of the wrong detector whose hooks have this name. */
#define JDI_SPOILED_OPS(mutant)                                                          \
    static void mutant##_init(void *td, const struct jdi_td_config *c,                   \
                              const struct jdi_td_env *env)                              \
    {                                                                                    \
        jdi_spoiled_start(td, c, env, &mutant);                                          \
    }                                                                                    \
    const struct jdi_td_ops jdi_mutant_##mutant = {.name = #mutant,                      \
                                                   .size = sizeof(struct jdi_spoiled),   \
                                                   .version = JDI_TD_VERSION,            \
                                                   .init = mutant##_init,                \
                                                   .enter = jdi_spoiled_enter,           \
                                                   .exported = jdi_spoiled_exported,     \
                                                   .imported = jdi_spoiled_imported,     \
                                                   .message = jdi_spoiled_message,       \
                                                   .step = jdi_spoiled_step,             \
                                                   .figures = jdi_spoiled_figures,       \
                                                   .check = jdi_spoiled_check};

#endif
