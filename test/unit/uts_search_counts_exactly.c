/*
 * uts_search_counts_exactly.c
 *
 * Role: the serial search finds the nodes, depth, leaves and cut nodes of small trees that
 *       another program counted from the reference's formulas, and of published T4, whose
 *       nodes are of both kinds.
 * Owner: one thread.
 * See: examples/uts_tree.h.
 */
#include "examples/uts_tree.h"
#include "test/kit/tap.h"

struct row {
    const char *name;
    struct uts_shape_params
        is; /* type, shape, depth, seed, b0, q, m, shift, granularity */
    uint64_t nodes, height, leaves, truncated;
};

static const struct row rows[] = {
    {"default", {UTS_GEO, UTS_LINEAR, 6, 0, 4, 0, 0, 0, 1}, 1732, 6, 1050, 0},
    {"linear", {UTS_GEO, UTS_LINEAR, 5, 0, 3, 0, 0, 0, 1}, 267, 5, 159, 0},
    {"expdec", {UTS_GEO, UTS_EXPDEC, 5, 0, 3, 0, 0, 0, 1}, 1098, 16, 567, 0},
    {"cyclic", {UTS_GEO, UTS_CYCLIC, 5, 0, 3, 0, 0, 0, 1}, 1896, 26, 1061, 0},
    {"fixed", {UTS_GEO, UTS_FIXED, 5, 0, 3, 0, 0, 0, 1}, 1757, 5, 1343, 0},
    {"a root without children", {UTS_GEO, UTS_FIXED, 5, 2, 3, 0, 0, 0, 1}, 1, 0, 1, 0},
    {"binomial", {UTS_BIN, UTS_LINEAR, 6, 7, 500, 0.2, 4, 0, 1}, 2101, 13, 1700, 0},
    {"b0 with a fraction",
     {UTS_BIN, UTS_LINEAR, 6, 42, 120.7, 0.12, 8, 0, 1},
     1001,
     17,
     890,
     0},
    {"hybrid", {UTS_HYBRID, UTS_LINEAR, 8, 1, 5, 0.2, 4, 0.5, 1}, 2582, 22, 1935, 0},
    {"hybrid, early",
     {UTS_HYBRID, UTS_FIXED, 8, 0, 4, 0.2, 4, 0.3, 1},
     1525,
     26,
     1181,
     0},
    {"balanced", {UTS_BALANCED, UTS_LINEAR, 5, 0, 4, 0, 0, 0, 1}, 1365, 5, 1024, 0},
    {"a broad balanced tree",
     {UTS_BALANCED, UTS_LINEAR, 1, 0, 5000, 0, 0, 0, 1},
     5001,
     1,
     5000,
     0},
    {"cut, linear", {UTS_GEO, UTS_LINEAR, 2, 0, 60, 0, 0, 0, 1}, 3055, 2, 2960, 3},
    {"cut, fixed", {UTS_GEO, UTS_FIXED, 2, 4, 40, 0, 0, 0, 1}, 2241, 2, 2178, 5},
    {"several hashes per child",
     {UTS_GEO, UTS_FIXED, 5, 0, 3, 0, 0, 0, 5},
     1757,
     5,
     1343,
     0},
};

static void check(const struct row *row)
{
    struct uts_count count = {.nodes = 1};
    struct uts_tree tree;
    struct uts_node root;
    if (uts_tree_init(&tree, &row->is))
        bail_out("out of memory");
    count.truncated = (uint64_t)uts_root(&tree, &root);
    ok(!uts_search(&tree, &root, &count), "%s: searched", row->name);
    is_u64(count.nodes, row->nodes, "%s: nodes", row->name);
    is_u64(count.height, row->height, "%s: depth", row->name);
    is_u64(count.nodes - count.parents, row->leaves, "%s: leaves", row->name);
    is_u64(count.truncated, row->truncated, "%s: nodes cut", row->name);
    uts_tree_fini(&tree);
}

int main(void)
{
    const struct uts_sample *t4 = uts_sample_by_name("t4");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check(&rows[i]);
    if (!ok(t4 != NULL, "T4 is known, whatever its case"))
        return done_testing();
    check(&(struct row){t4->name, t4->is, 4132453, 134, 3108986, 0});
    return done_testing();
}
