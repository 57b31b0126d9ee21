/*
 * nearest.h - "did you mean ...?"
 *
 * Role: the word of a list that somebody most likely meant.
 * Owner: nobody; holds no state.
 * Invariants: I1 a proposal shares at least a character with what was written.
 * Order: none.
 * See: jdi_knobs_unknown, tools/jackdaw-info.c, test/unit/core_nearest_*.
 */
#ifndef JDI_CORE_NEAREST_H
#define JDI_CORE_NEAREST_H

#include "core/base.h"

/*
 * The index of the word nearest to `word`; -1 if every word is more than three edits away, or
 * so far that no character of `word` would be left.  Case does not count.  Of equally near
 * words the first one is returned.
 */
int jdi_nearest(const char *word, const char *const *list, size_t n);

#endif
