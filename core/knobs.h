/*
 * knobs.h - the JACKDAW_* environment variables.
 *
 * Role: one table (core/knobs.def) makes the parser, the values, jackdaw-info and the man
 *       page; bad values are errors that name variable, value and range.
 * Owner: one struct jdi_knobs per rank, constant after jdi_knobs_read.
 * Invariants: I1 no getenv of a JACKDAW_* variable anywhere else.
 * See: core/knobs.def, doc/jackdaw-env.7.md, test/unit/core_knobs_*.
 */
#ifndef JDI_CORE_KNOBS_H
#define JDI_CORE_KNOBS_H

#include "core/base.h"

struct jdi_idle_policy; /* core/idle.h */

/* The order of these is that of the words in core/knobs.def. */
enum jdi_comm { JDI_COMM_AUTO, JDI_COMM_INLINE, JDI_COMM_DEDICATED };
enum jdi_unblock {
    JDI_UNBLOCK_LAST,
    JDI_UNBLOCK_CURRENT,
    JDI_UNBLOCK_DEQUE,
    JDI_UNBLOCK_PROACTIVE
};
enum jdi_latency { JDI_LATENCY_HIDE, JDI_LATENCY_BLOCK };
enum jdi_tristate { JDI_TRI_AUTO, JDI_TRI_NO, JDI_TRI_YES };
enum jdi_engine_kind { JDI_ENGINE_AUTO, JDI_ENGINE_ARGOBOTS, JDI_ENGINE_BOOST };
enum jdi_steal_kind {
    JDI_STEAL_KIND_RANDOM,
    JDI_STEAL_KIND_BASELINE,
    JDI_STEAL_KIND_SUCCESS_ONLY,
    JDI_STEAL_KIND_LIFELINE,
    JDI_STEAL_KIND_NONE,
    JDI_STEAL_KIND_LOCAL
};
enum jdi_trace_tasks { JDI_TRACE_TASKS_NO, JDI_TRACE_TASKS_YES };
enum jdi_display_env { JDI_DISPLAY_ENV_NO, JDI_DISPLAY_ENV_YES, JDI_DISPLAY_ENV_VERBOSE };
enum jdi_display_binding { JDI_DISPLAY_BINDING_NO, JDI_DISPLAY_BINDING_YES };
enum jdi_state { JDI_STATE_NO, JDI_STATE_YES, JDI_STATE_STACKS };
enum jdi_victim_kind { JDI_VICTIM_RANDOM, JDI_VICTIM_LAST, JDI_VICTIM_NEAR };

/* Steal amount: tasks per steal, or one of these. */
enum { JDI_AMOUNT_HALF = 0 };

struct jdi_knobs {
#define JDI_KNOB_INT(field, name, def, lo, hi, text)  int64_t field;
#define JDI_KNOB_SIZE(field, name, def, lo, hi, text) uint64_t field;
#define JDI_KNOB_ENUM(field, name, def, words, text)  int field;
#define JDI_KNOB_TEXT(field, name, def, range, text)  const char *field;
#define JDI_KNOB_FREE(field, name, def, range, text)  const char *field;
#include "core/knobs.def"
    uint64_t given; /* bit i: row i came from the environment */
};

/* What JACKDAW_WATCHDOG says; *ns is 0 if there is none.  0, or JD_EINVAL. */
int jdi_knobs_watchdog(const char *text, uint64_t *ns, bool *aborts);

/* How a value is looked up: getenv on this machine, gasnet_getenv under GASNet. */
typedef const char *jdi_getenv_fn(void *ctx, const char *name);

/*
 * Read and check every knob.  Returns 0, or JD_EINVAL with the first error as one line in
 * err[0..errlen).  Strings point into the environment.
 */
int jdi_knobs_read(struct jdi_knobs *k, jdi_getenv_fn *lookup, void *ctx, char *err,
                   size_t errlen);
/*
 * Call `warn` once for every JACKDAW_* variable of `environ_list` that is no knob, with
 * the nearest knob's name (NULL if none is near).
 */
void jdi_knobs_unknown(char *const *environ_list,
                       void (*warn)(void *ctx, const char *name, const char *nearest),
                       void *ctx);

/* One row, for jackdaw-info and the documentation test. */
struct jdi_knob_row {
    const char *name, *range, *def, *text; /* name: "JACKDAW_WORKERS" */
};
/* Row i, or NULL past the end. */
const struct jdi_knob_row *jdi_knobs_row(size_t i);
/* The value in force of row i as text, normalised ("half", "256K"). */
void jdi_knobs_show(const struct jdi_knobs *k, size_t i, char *out, size_t outlen);
/* Where that value comes from: "default" or "environment". */
const char *jdi_knobs_origin(const struct jdi_knobs *k, size_t i);

/*
 * The meaning of the texts of some knobs: 0, or JD_EINVAL.  jdi_knobs_read has checked the texts
 * with these functions, so after jdi_knobs_read they succeed.
 */
int jdi_knobs_amount(const char *text, unsigned *out);
int jdi_knobs_local_amount(const char *text, unsigned steal_amount, unsigned *out);
/* A number from 1 to 16 with up to six decimals. */
int jdi_knobs_factor(const char *text, double *out);
/* Nanoseconds; 0: never. */
int jdi_knobs_progress(const char *text, uint64_t *ns);
/* `auto` waits less busily where threads outnumber cores. */
int jdi_knobs_idle(const char *text, bool oversubscribed, struct jdi_idle_policy *out);

#endif
