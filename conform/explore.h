/*
 * explore.h - breadth-first search over every state of a small world.
 *
 * Role: visit each state that the detector's own code can reach with n ranks and m task
 *       messages, whatever the order of events and deliveries, and ask the oracle in each.
 * Owner: a child process searches; the parent reads the result.
 * Invariants: I1 two worlds with equal packed states behave alike, up to what the codec says
 *                it leaves out.
 *             I3 the number of a wave is that of the messages that a rank has sent, whatever the
 *                detector's figures say.
 *             I2 a state from which nothing leads to another one is an end: all ranks know,
 *                no message is left.
 * See: world.h; codec_bytes.h, codec_francez.h; doc/termination.md section 9.
 */
#ifndef JDI_CONFORM_EXPLORE_H
#define JDI_CONFORM_EXPLORE_H

#include "conform/script.h"
#include "conform/world.h"

#include <stdio.h>

enum { JDI_EXPLORE_BYTES = 56, JDI_EXPLORE_RANKS = 4 }; /* of a packed state, at most */

/* How to write down a world with its detectors, and to make it again. */
struct jdi_explore_codec {
    size_t (*bytes)(const struct jdi_world_config *c);
    /* Calls jdi_oracle_fail if the world is not one that can be written down. */
    void (*pack)(const struct jdi_explore_codec *self, struct jdi_world *w, uint8_t *out);
    /* Into a world that jdi_world_init has made with the same config. */
    void (*unpack)(const struct jdi_explore_codec *self, struct jdi_world *w,
                   const uint8_t *in);
    /* Of a detector whose states never come back, as it numbers its waves: failed ones that are
     * followed. */
    unsigned max_waves;
};

enum jdi_explore_end {
    JDI_EXPLORE_COMPLETE = 1,
    JDI_EXPLORE_REJECTED, /* by the oracle */
    JDI_EXPLORE_CHECKED,  /* by a check of the detector */
    JDI_EXPLORE_FULL      /* more states than the limit, or no end */
};

struct jdi_explore_state {
    uint32_t parent;
    uint8_t kind, rank, variant; /* what led here from the parent */
    /* Of each rank in its phase: steps, and deliveries, in which it said something. */
    uint8_t spoke[2][JDI_EXPLORE_RANKS];
    uint8_t packed[JDI_EXPLORE_BYTES];
};

struct jdi_explore_result {
    enum jdi_explore_end end;
    uint32_t states, limit, cut; /* cut: ways that lead beyond */
    uint64_t transitions;
    uint32_t at;                   /* the state in which it went wrong */
    struct jdi_explore_state last; /* and the action there */
    char text[256];
    /* Of the way there, after jdi_explore_trace; without items if it cannot be told so. */
    struct jdi_world_trace trace;
    struct jdi_script script;
    struct jdi_explore_state state[];
};

struct jdi_explore_result *jdi_explore_run(const struct jdi_world_config *c,
                                           const struct jdi_explore_codec *codec,
                                           uint32_t limit);
void jdi_explore_free(struct jdi_explore_result *r);
/* After a search that found a fault: find the way there again and write down its trace. */
void jdi_explore_trace(struct jdi_explore_result *r, const struct jdi_world_config *c,
                       const struct jdi_explore_codec *codec);
/* What was wrong and the actions that lead there; each line begins with `prefix`. */
void jdi_explore_print(FILE *out, const struct jdi_explore_result *r, const char *prefix);

#endif
