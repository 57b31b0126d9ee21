/*
 * uts_children_follow_the_shape.c
 *
 * Role: a GEO node's number of children at a given height, for each shape, is the
 *       reference's; the cap of 100 spares what the reference spares.  The expected values
 *       were computed with another program from the reference's formulas.
 * Owner: one thread.
 * See: examples/uts_tree.h, I2 and I3.
 */
#include "examples/uts_tree.h"
#include "test/kit/tap.h"

enum { SEEDS = 12, HEIGHTS = 6 };
static const int heights[HEIGHTS] = {0, 1, 3, 6, 7, 31};

/* [shape][height][seed of the state], for b0 = 4 and depth 6 */
static const int expected[4][HEIGHTS][SEEDS] = {
    [UTS_LINEAR] = {{13, 8, 0, 0, 7, 1, 1, 19, 1, 7, 8, 4},
                    {11, 7, 0, 0, 5, 1, 0, 16, 0, 6, 7, 3},
                    {7, 4, 0, 0, 3, 0, 0, 10, 0, 3, 4, 2},
                    {0},
                    {0},
                    {0}},
    [UTS_EXPDEC] = {{13, 8, 0, 0, 7, 1, 1, 19, 1, 7, 8, 4},
                    {13, 8, 0, 0, 7, 1, 1, 19, 1, 7, 8, 4},
                    {6, 4, 0, 0, 3, 0, 0, 9, 0, 3, 4, 2},
                    {4, 2, 0, 0, 2, 0, 0, 6, 0, 2, 2, 1},
                    {3, 2, 0, 0, 2, 0, 0, 5, 0, 2, 2, 1},
                    {1, 1, 0, 0, 1, 0, 0, 2, 0, 1, 1, 0}},
    [UTS_CYCLIC] = {{13, 8, 0, 0, 7, 1, 1, 19, 1, 7, 8, 4},
                    {11, 7, 0, 0, 5, 1, 0, 16, 0, 6, 7, 3},
                    {4, 2, 0, 0, 2, 0, 0, 6, 0, 2, 2, 1},
                    {4, 2, 0, 0, 2, 0, 0, 6, 0, 2, 2, 1},
                    {11, 7, 0, 0, 5, 1, 0, 16, 0, 6, 7, 3},
                    {0}},
    [UTS_FIXED] = {{13, 8, 0, 0, 7, 1, 1, 19, 1, 7, 8, 4},
                   {13, 8, 0, 0, 7, 1, 1, 19, 1, 7, 8, 4},
                   {13, 8, 0, 0, 7, 1, 1, 19, 1, 7, 8, 4},
                   {0},
                   {0},
                   {0}},
};

static int count_differences(int shape, int row)
{
    int differences = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
        struct uts_shape_params is = {.type = UTS_GEO,
                                      .shape = shape,
                                      .depth = 6,
                                      .b0 = 4,
                                      .seed = seed,
                                      .granularity = 1};
        struct uts_tree tree;
        struct uts_node node;
        if (uts_tree_init(&tree, &is))
            bail_out("out of memory");
        uts_root(&tree, &node);
        node.height = heights[row];
        int tabulated = uts_children_wanted(&tree, &node);
        tree.tabulated = 0; /* the same without the table */
        int computed = uts_children_wanted(&tree, &node);
        if (tabulated != expected[shape][row][seed] || computed != tabulated) {
            diag("seed %d: %d from the table, %d computed, expected %d", seed, tabulated,
                 computed, expected[shape][row][seed]);
            differences++;
        }
        uts_tree_fini(&tree);
    }
    return differences;
}

static int root_children(int type, double b0)
{
    struct uts_shape_params is = {
        .type = type, .depth = 6, .b0 = b0, .shift = 0.5, .granularity = 1};
    struct uts_tree tree;
    struct uts_node root;
    if (uts_tree_init(&tree, &is))
        bail_out("out of memory");
    uts_root(&tree, &root);
    uts_tree_fini(&tree);
    return root.children;
}

/* Children of a BIN node whose random number is u, where q is a half. */
static int bin_children(double u)
{
    struct uts_tree tree = {.is = {.type = UTS_BIN, .q = 0.5, .m = 4}};
    struct uts_node node = {.height = 1};
    node.state[UTS_STATE_WORDS - 1] = (uint32_t)(u * 2147483648.0);
    return uts_children_wanted(&tree, &node);
}

int main(void)
{
    for (int shape = 0; shape < 4; shape++)
        for (int row = 0; row < HEIGHTS; row++)
            is_u64((uint64_t)count_differences(shape, row), 0, "shape %d at height %d",
                   shape, heights[row]);
    is_u64((uint64_t)bin_children(0.4999999), 4, "a BIN node below q has m children");
    is_u64((uint64_t)bin_children(0.5), 0, "a BIN node at q has none");
    is_u64((uint64_t)root_children(UTS_BIN, 2000.9), 2000, "a BIN root has floor(b0)");
    is_u64((uint64_t)root_children(UTS_GEO, 1e5), 100, "a GEO root is cut to 100");
    is_u64((uint64_t)root_children(UTS_HYBRID, 1e5), 100, "a HYBRID root is cut to 100");
    is_u64((uint64_t)root_children(UTS_BALANCED, 1000), 1000,
           "a BALANCED tree is not cut");
    return done_testing();
}
