/*
 * script.h - written sequences of actions: to replay, to record, to shrink.
 *
 * Role: counterexamples as text, and walks that failed as something that can be made
 *       shorter and played again.
 * Invariants: I1 an item means the same after items before it have been left out, or is not
 *                possible any more: messages are named by their ends and their age.
 * See: world.h, failure.h; test/conform/termination_francez_counterexamples_fail.c.
 *
 * Commands, separated by ';': rank a acts or receives, b is the other one.
 *     enter a n       a enters the next phase with n seeds; from 3 on with n-3 and a hold
 *     send a b        a's live task makes one for b
 *     move a b        a gives a live task to b
 *     finish a        one live task ends
 *     idle a          all live tasks end
 *     step a          the detector's step
 *     task a b [i]    a gets b's task; the i-th of those under way, 0 is the oldest
 *     back a b [i]    a takes back its own task for b
 *     up a b, next a b, term a b, token a b, ack a b     a gets b's control message
 *     reports a       a gets all UP that are under way to it
 *     wake a          what a wrong runtime has put off
 *     hold a, drop a  a hold of a's collection is taken, is given up
 *     feed a          a's live task adds one to the other collection
 *     time 0          the clock moves
 */
#ifndef JDI_CONFORM_SCRIPT_H
#define JDI_CONFORM_SCRIPT_H

#include "conform/world.h"

#include <stdio.h>

enum { JDI_SCRIPT_ITEMS = 8192 };

/* Kinds beyond those of the world. */
enum { JDI_SCRIPT_IDLE = JDI_WORLD_KINDS, JDI_SCRIPT_REPORTS, JDI_SCRIPT_KINDS };

struct jdi_script_item {
    uint8_t kind, rank, peer, nth;
};

struct jdi_script {
    uint32_t count; /* may be larger than what was kept: then it is of no use */
    struct jdi_script_item item[JDI_SCRIPT_ITEMS];
};

/* What the action (kind, rank, variant) of this world is called; before it is done. */
struct jdi_script_item jdi_script_item_of(const struct jdi_world *w,
                                          enum jdi_world_kind kind, unsigned rank,
                                          unsigned variant);
void jdi_script_add(struct jdi_script *s, struct jdi_script_item item);
/* Do it; false if it is not possible now (no such message, no live task). */
bool jdi_script_do(struct jdi_world *w, struct jdi_script_item item);
/* False, with where and why in error, if the text is not a script for so many ranks. */
bool jdi_script_parse(struct jdi_script *s, const char *text, unsigned ranks, char *error,
                      size_t errorlen);
void jdi_script_write(const struct jdi_script *s, FILE *out);
/*
 * Play a text until the end or until the oracle objects.  Returns how many commands were not
 * possible: a right detector may leave a script made for a wrong one.  A text that is no
 * script ends the program.
 */
unsigned jdi_script_play(struct jdi_world *w, const char *text);
/* Whatever is possible, in a fair order, but no new work; then the oracle's last word. */
void jdi_script_run_out(struct jdi_world *w);

#endif
