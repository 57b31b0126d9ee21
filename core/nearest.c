/*
 * nearest.c - "did you mean ...?"
 *
 * Role: Levenshtein's distance over one row of the table, and the least of a list.
 * Owner: nobody; holds no state.
 * Invariants: I1 of nearest.h.
 *             I2 row[j] is the distance of the letters of a read so far from b's first j letters.
 * Order: none.
 * See: core/nearest.h, test/unit/core_nearest_*.
 */
#include "core/nearest.h"

#include <ctype.h>
#include <string.h>

enum { MOST_EDITS = 3, LONGEST_WORD = 63 };

static size_t least(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Insertions, deletions and replacements that turn b into a; words up to LONGEST_WORD. */
static size_t distance(const char *a, const char *b)
{
    size_t row[LONGEST_WORD + 1];
    size_t columns = strlen(b);

    for (size_t j = 0; j <= columns; j++)
        row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 1; j <= columns; j++) {
            bool same = tolower((unsigned char)a[i]) == tolower((unsigned char)b[j - 1]);
            size_t above = row[j];
            row[j] = least(above + 1, row[j - 1] + 1, diagonal + !same);
            diagonal = above;
        }
    }
    return row[columns];
}

int jdi_nearest(const char *word, const char *const *list, size_t n)
{
    size_t length = strlen(word);
    size_t best = MOST_EDITS + 1;
    int found = -1;

    if (length > LONGEST_WORD)
        return -1;
    if (best > length)
        best = length; /* I1: so many edits make any short word from any other */
    for (size_t i = 0; i < n; i++) {
        size_t d = strlen(list[i]) > LONGEST_WORD ? best : distance(word, list[i]);
        if (d < best) {
            best = d;
            found = (int)i;
        }
    }
    return found;
}
