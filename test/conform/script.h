/*
 * script.h - play a written sequence of actions in a world.
 *
 * Role: replay counterexamples step by step.
 * Owner: one thread.
 * Invariants: I1 the world has at most one message of a kind between two ranks, or it does
 *                not matter which of them is taken (the oldest is).
 * See: world.h; termination_francez_counterexamples_fail.c.
 *
 * Commands, separated by ';': rank a acts, b is the other one.
 *     enter a n      with n seeds          send a b      a's live task makes one for b
 *     idle a         all live tasks end    step a        the detector's step
 *     task a b       a gets b's task       up a b        a gets b's report
 *     next a, term a from the parent       reports a     a gets all reports under way to it
 */
#ifndef TEST_CONFORM_SCRIPT_H
#define TEST_CONFORM_SCRIPT_H

#include "test/conform/world.h"

/*
 * Play until the end or until the oracle objects.  Returns how many commands were not
 * possible (no such message, no live task): a right detector may leave a script made for a
 * wrong one.  A command that does not exist ends the program.
 */
unsigned script_play(struct world *w, const char *text);

#endif
