/*
 * counterexample.h - the shortest runs in which wrong detectors announce too early.
 *
 * Role: scripts that a right detector has to survive.
 * Invariants: I1 made for three ranks in a binary tree, 0 is the root.
 * See: script.h, mutants_francez.h; found with test/models/.
 */
#ifndef JDI_CONFORM_COUNTEREXAMPLE_H
#define JDI_CONFORM_COUNTEREXAMPLE_H

#include "termination/detector.h"

struct jdi_counterexample {
    const struct jdi_td_ops *wrong; /* which it convicts */
    const char *script;
};

/* NULL after the last. */
const struct jdi_counterexample *jdi_counterexample_at(size_t i);

#endif
