/*
 * borrow.h - the operations of a right detector, as functions of one's own.
 *
 * Role: an initialiser may not read jdi_td_safra.init, so what a changed detector leaves as it
 *       is, is passed on by functions.
 * See: mutants_waves.c, mutants_rooted.c, known.c.
 */
#ifndef JDI_CONFORM_BORROW_H
#define JDI_CONFORM_BORROW_H

#include "termination/detector.h"

/* <mine>_init, <mine>_enter and so on; those that nobody needs are left out by the compiler. */
#define JDI_BORROW(mine, right)                                                          \
    JDI_BORROWED void mine##_init(void *td, const struct jdi_td_config *c,               \
                                  const struct jdi_td_env *env)                          \
    {                                                                                    \
        right.init(td, c, env);                                                          \
    }                                                                                    \
    JDI_BORROWED void mine##_enter(void *td, uint32_t phase)                             \
    {                                                                                    \
        right.enter(td, phase);                                                          \
    }                                                                                    \
    JDI_BORROWED struct jdi_td_stamp mine##_exported(void *td)                           \
    {                                                                                    \
        return right.exported(td);                                                       \
    }                                                                                    \
    JDI_BORROWED bool mine##_imported(void *td, struct jdi_td_stamp stamp)               \
    {                                                                                    \
        return right.imported(td, stamp);                                                \
    }                                                                                    \
    JDI_BORROWED void mine##_message(void *td, uint32_t src, const struct jdi_td_msg *m) \
    {                                                                                    \
        right.message(td, src, m);                                                       \
    }                                                                                    \
    JDI_BORROWED uint64_t mine##_step(void *td, uint64_t now)                            \
    {                                                                                    \
        return right.step(td, now);                                                      \
    }                                                                                    \
    JDI_BORROWED void mine##_figures(const void *td, struct jdi_td_figures *out)         \
    {                                                                                    \
        right.figures(td, out);                                                          \
    }                                                                                    \
    JDI_BORROWED void mine##_check(const void *td)                                       \
    {                                                                                    \
        right.check(td);                                                                 \
    }
#define JDI_BORROWED __attribute__((unused)) static

#endif
