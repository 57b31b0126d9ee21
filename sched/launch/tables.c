/*
 * tables.c - the task tables of the ranks must be one.
 *
 * Role: one reduction says whether the tables are equal; if not, one for each row finds the
 *       first that differs, and two more fetch what two ranks have there.
 * Owner: the communication thread, at the start.
 * Invariants: I1 every rank gets the results of the same reductions, so all ranks start the same
 *                ones, and say the same.
 * See: tables.h.
 */
#include "sched/launch/tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NAME_WORDS = 8, NAME_BYTES = 8 * NAME_WORDS }; /* a longer name is cut */

static int reduce_min(struct jdi_am *am, uint64_t *value, uint32_t n)
{
    return jdi_am_reduce_all(am, value, n, JDI_AM_U64, JD_MIN);
}

/* Reduce a hash and its complement by minimum: they still fit if all ranks have the same. */
static int compare_hashes(struct jdi_am *am, uint64_t hash, uint64_t *least, bool *same)
{
    uint64_t ends[2] = {hash, ~hash};
    int error = reduce_min(am, ends, 2);
    *least = ends[0];
    *same = ends[0] == ~ends[1];
    return error;
}

/* The row's name, "" behind the last row. */
static const char *name_of(const struct jdi_registry *g, uint32_t row)
{
    return row < g->count ? g->row[row].name : "";
}

static uint64_t hash_row(const struct jdi_registry *g, uint32_t row)
{
    const char *name = name_of(g, row);
    return jdi_registry_hash(0, name, strlen(name));
}

/* The first rank of those that have `least` in the row, and the first of the others. */
static int find_two(struct jdi_am *am, uint64_t hash, uint64_t least, uint64_t *rank)
{
    rank[0] = hash == least ? am->rank : UINT64_MAX;
    rank[1] = hash == least ? UINT64_MAX : am->rank;
    int error = reduce_min(am, rank, 2);
    if (rank[0] < rank[1])
        return error;
    uint64_t first = rank[1];
    rank[1] = rank[0];
    rank[0] = first;
    return error;
}

/* The names that the two ranks have in the row; the words of the other ranks are zeros. */
static int fetch_names(struct jdi_am *am, const char *mine, const uint64_t *rank,
                       char (*name)[NAME_BYTES])
{
    uint64_t words[2 * NAME_WORDS] = {0};
    for (int i = 0; i < 2; i++)
        if (rank[i] == am->rank)
            snprintf((char *)&words[i * NAME_WORDS], NAME_BYTES, "%s", mine);
    int error = jdi_am_reduce_all(am, words, 2 * NAME_WORDS, JDI_AM_U64, JD_SUM);
    memcpy(name, words, sizeof words);
    return error;
}

static int describe_row(struct jdi_am *am, const struct jdi_registry *mine, uint32_t row,
                        uint64_t least, char *err, size_t errlen)
{
    uint64_t rank[2];
    char name[2][NAME_BYTES];
    int error = find_two(am, hash_row(mine, row), least, rank);
    if (!error)
        error = fetch_names(am, name_of(mine, row), rank, name);
    if (error)
        return error;
    snprintf(err, errlen,
             "the task tables of the ranks differ in row %" PRIu32 ": %s on rank %" PRIu64
             ", %s on rank %" PRIu64,
             row, *name[0] ? name[0] : "no such row", rank[0],
             *name[1] ? name[1] : "no such row", rank[1]);
    return JD_EMISMATCH;
}

int jdi_tables_compare(struct jdi_am *am, const struct jdi_registry *mine, char *err,
                       size_t errlen)
{
    uint64_t least;
    bool same;
    int error = compare_hashes(am, mine->hash, &least, &same);
    if (error || same)
        return error;
    for (uint32_t row = 0; row <= UINT16_MAX; row++) {
        error = compare_hashes(am, hash_row(mine, row), &least, &same);
        if (error)
            return error;
        if (!same)
            return describe_row(am, mine, row, least, err, errlen);
    }
    snprintf(err, errlen, "the task tables of the ranks differ"); /* two hashes collide */
    return JD_EMISMATCH;
}
