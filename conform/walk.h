/*
 * walk.h - swarm random walks through worlds of detectors.
 *
 * Role: run N worlds, each with its own size and its own weights for every (kind of
 *       action, rank), so that ranks starve, messages pile up and waves are rushed.
 * Owner: the walks run in a child process; the parent reads the result.
 * Invariants: I1 a walk is a function of (config, seed + its number): one that fails can be
 *                run again alone with that seed and walks = 1.
 *             I2 neighbours with a past have the same one, so that it is lived through once:
 *                past.h.
 * See: world.h; doc/termination.md section 9; Groce and others, ISSTA 2012.
 */
#ifndef JDI_CONFORM_WALK_H
#define JDI_CONFORM_WALK_H

#include "conform/script.h"
#include "conform/world.h"

#include <stdio.h>

struct jdi_walk_config {
    const struct jdi_td_ops *ops;
    const struct jdi_world_lens *lens; /* as in world.h, like audit */
    bool audit;
    uint64_t seed, walks;
    unsigned ranks, arity, phases; /* 0: from the seed: 1..9, 1..8, 1..40 */
    unsigned sends;                /* 0: from the seed, 1..200 */
    unsigned colls; /* 0: from the seed: every eighth walk of up to four ranks has two */
    unsigned max_failed;
    uint64_t first_wave;
    bool
        varied; /* also worlds that have run for a while, and late phases, waves and times */
    enum jdi_world_wrong wrong;
    struct jdi_script
        *record; /* what the last walk did, in memory of jdi_child_alloc; or NULL */
};

enum jdi_walk_end {
    JDI_WALK_PASSED = 1,
    JDI_WALK_REJECTED, /* by the oracle of the world */
    JDI_WALK_CHECKED,  /* by a check of the detector itself */
    JDI_WALK_HUNG
};

struct jdi_walk_result {
    enum jdi_walk_end end;
    uint64_t walks, actions; /* done; the last one is the one that failed */
    uint64_t seed;           /* of the last one */
    uint32_t worst_failed;   /* waves after quiescence, over all walks */
    char text[256];          /* what was wrong */
    struct jdi_world world;  /* at the end of the last walk */
    struct jdi_world_trace trace;
};

/* The result is from jdi_child_alloc's memory: free it with jdi_walk_free. */
struct jdi_walk_result *jdi_walk_run(const struct jdi_walk_config *c);
void jdi_walk_free(struct jdi_walk_result *r);
/* What failed, its seed and its last steps; each line begins with `prefix`. */
void jdi_walk_print(FILE *out, const struct jdi_walk_result *r, const char *prefix);

#endif
