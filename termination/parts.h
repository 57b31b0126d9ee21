/*
 * parts.h - what several detectors have in common.
 *
 * Role: the sums of the reports, and the pause between waves that fail.
 * Owner: nobody; pure functions.
 * Invariants: I1 a pause lies between min and max.
 * See: doc/termination.md rule R12; termination/safra.c, termination/fourcounter.c.
 */
#ifndef JDI_TERMINATION_PARTS_H
#define JDI_TERMINATION_PARTS_H

#include "core/base.h"
#include "termination/detector.h"

/* Failed waves in a row before a root pauses: as many as may fail after quiescence. */
enum { JDI_TD_FREE_WAVES = 2 };

/* The last word is xor-ed, the others are summed. */
static inline void jdi_td_add_stat(uint64_t to[JDI_TD_STATS],
                                   const uint64_t more[JDI_TD_STATS])
{
    for (int i = 0; i < JDI_TD_STATS - 1; i++)
        to[i] += more[i];
    to[JDI_TD_STATS - 1] ^= more[JDI_TD_STATS - 1];
}

/* After `failed` waves in a row: 0, then min, doubling up to max. */
static inline uint64_t jdi_td_pause(uint32_t failed, uint64_t min, uint64_t max)
{
    if (failed <= JDI_TD_FREE_WAVES)
        return 0;
    unsigned doublings = failed - JDI_TD_FREE_WAVES - 1;
    if (doublings >= 64 || min > max >> doublings)
        return max;
    return min << doublings;
}

/* src has sent what cannot be: env->impossible in detector.h. */
static inline JD_NORETURN void jdi_td_refuse(const struct jdi_td_env *env, uint32_t src,
                                             const char *file, int line, const char *text)
{
    if (env->impossible)
        env->impossible(env->ctx, src, text);
    jdi_panic(file, line, "from rank %u: %s", (unsigned)src, text);
}
/* If there is a text. */
#define JDI_TD_EXPECT_NONE(env, src, text)                                               \
    do {                                                                                 \
        const char *refuse_text = (text);                                                \
        if (JDI_UNLIKELY(refuse_text != NULL))                                           \
            jdi_td_refuse(env, src, __FILE__, __LINE__, refuse_text);                    \
    } while (0)

/* One bit for each child of a rank: there are no more than 64. */
enum { JDI_TD_ARITY_MOST = 64 };
static inline uint64_t jdi_td_kid(uint32_t first_kid, uint32_t src)
{
    return UINT64_C(1) << (src - first_kid);
}

#endif
