/*
 * failure.h - a failure as a script, made as short as it goes.
 *
 * Role: play a script in a world of its own, in a process of its own, and leave out what the
 *       failure does not need.
 * Invariants: I1 what is left fails by the same rule as what it was made of.
 *             I2 no single item of what is left can be left out (if there was time).
 * See: script.h; Zeller and Hildebrandt, IEEE TSE 28(2), 2002.
 */
#ifndef JDI_CONFORM_FAILURE_H
#define JDI_CONFORM_FAILURE_H

#include "conform/script.h"
#include "conform/walk.h"

/* In memory of jdi_child_alloc. */
struct jdi_failure {
    struct jdi_world_config config;
    struct jdi_script script;
    struct jdi_world *warm; /* with its past, in the process that shrinks; or NULL */
    char text[256];         /* which rule broke, and how */
    struct jdi_world_trace trace; /* of the last time it was played */
};

struct jdi_failure *jdi_failure_new(void);
void jdi_failure_free(struct jdi_failure *f);
/* Play it, then run the world out.  True if something is wrong: text, trace. */
bool jdi_failure_play(struct jdi_failure *f);
/* One walk, which has failed with this text, once more as a script.  False if it is too long for
 * one, or fails differently: then text and trace are there, but no script. */
bool jdi_failure_of_walk(struct jdi_failure *f, const struct jdi_walk_config *c,
                         const char *text);
/* Returns how often it was played. */
unsigned jdi_failure_shrink(struct jdi_failure *f);
/* The rule of a text: "O1" .. "O6". */
const char *jdi_failure_rule(const char *text);
/* As one line that jdi_failure_read understands. */
void jdi_failure_write(const struct jdi_failure *f, FILE *out);
/* The config and the script of such a line; ops and lens stay.  False: error says why. */
bool jdi_failure_read(struct jdi_failure *f, const char *line, char *error,
                      size_t errorlen);

#endif
