/*
 * uts_state_matches_the_reference.c
 *
 * Role: a root's and a child's state are the SHA-1 digests that the benchmark defines.  The
 *       expected values were computed with another implementation of SHA-1.
 * Owner: one thread.
 * See: examples/uts_tree.h, I1.
 */
#include "examples/uts_tree.h"
#include "test/kit/tap.h"

#include <stdio.h>

struct row {
    int seed, child; /* child -1: the root itself */
    const char *state;
};

static const struct row rows[] = {
    {0, -1, "6768033e216468247bd031a0a2d9876d79818f8f"},
    {0, 0, "f6b4e21a6db7135e161960a04c6bd6cab35bd8d3"},
    {0, 1, "5f9ce39723964a09decdaecdd937b9f50107e514"},
    {1, -1, "9a8f128265e48cf2cb691b4cefccc0556d9cbd3a"},
    {1, 255, "53258b4b4d41e6d89222db1a799a4237719bd03d"},
    {1, 256, "23da2e7bd6e43d4bd09548411db8b48b40f87d79"},
    {19, -1, "c6988ab70cc9559ae4d6cba254e29a845a85f86b"},
    {19, 0, "2fb3131030280c1617a81d6a49c1e29effb19645"},
    {42, -1, "a11dabbcec7aab309c890ab3dbc256eaeb582782"},
    {42, 99999, "4657ef945ff93e3bdd5bd87be7bef6f19f14c370"},
    {502, 1, "642e234f715ef7ee7cd5ed5c4c5d5260e42647d7"},
    {2147483647, -1, "1565ced228f1e41de0af4edfedab19a6d8df6f72"},
    {2147483647, 99999, "472070a086e1692f01bc09038a7ce1e1efe4544d"},
};

static void state_text(const struct uts_node *node, char out[41])
{
    for (int i = 0; i < UTS_STATE_WORDS; i++)
        snprintf(out + 8 * i, 9, "%08x", node->state[i]);
}

static void check(const struct row *row, int granularity)
{
    struct uts_shape_params is = {.type = UTS_GEO,
                                  .depth = 6,
                                  .b0 = 4,
                                  .seed = row->seed,
                                  .granularity = granularity};
    struct uts_tree tree;
    struct uts_node node;
    char text[41];
    if (uts_tree_init(&tree, &is))
        bail_out("out of memory");
    uts_root(&tree, &node);
    if (row->child >= 0) {
        struct uts_family family;
        struct uts_node child;
        uts_family_init(&family, &tree, &node);
        uts_family_child(&family, row->child, &child);
        node = child;
    }
    state_text(&node, text);
    is_str(text, row->state, "seed %d, child %d, granularity %d", row->seed, row->child,
           granularity);
    uts_tree_fini(&tree);
}

int main(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check(&rows[i], 1);
        check(&rows[i], 3);
    }
    /* rng_rand of the reference: the last four bytes, big-endian, without the top bit. */
    struct uts_node node = {.state = {1, 2, 3, 4, 0xfedcba98}};
    is_u64(uts_random(&node), 0x7edcba98, "the random number is the last word's 31 bits");
    return done_testing();
}
