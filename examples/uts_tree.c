/*
 * uts_tree.c - see uts_tree.h.
 *
 * Role: what is not hot: set-up, the reference's shape functions, the serial search and the
 *       table of known trees.
 * Owner: as uts_tree.h.
 * Invariants: I3 of uts_tree.h.
 * See: uts_tree.h.
 */
#include "examples/uts_tree.h"

#include <stdlib.h>
#include <strings.h>

/* Deeper nodes are rare in every shape: computed when they come. */
enum { TABULATE_MOST = 65536 };

/* The reference's target branching factor of a GEO node. */
static double branching(const struct uts_shape_params *is, int depth)
{
    if (depth == 0)
        return is->b0;
    switch (is->shape) {
    case UTS_EXPDEC:
        return is->b0 * pow((double)depth, -log(is->b0) / log((double)is->depth));
    case UTS_CYCLIC:
        if (depth > 5 * is->depth)
            return 0;
        return pow(is->b0,
                   sin(2.0 * 3.141592653589793 * (double)depth / (double)is->depth));
    case UTS_FIXED:
        return depth < is->depth ? is->b0 : 0;
    default:
        return is->b0 * (1.0 - (double)depth / (double)is->depth);
    }
}

double uts_log_miss(const struct uts_shape_params *is, int depth)
{
    double p = 1.0 / (1.0 + branching(is, depth));
    return log(1 - p);
}

int uts_tree_init(struct uts_tree *tree, const struct uts_shape_params *is)
{
    /* Beyond 5 * depth every shape but EXPDEC has no children at all. */
    int depths = is->depth < TABULATE_MOST / 5 - 1 ? 5 * is->depth + 2 : TABULATE_MOST;
    *tree = (struct uts_tree){.is = *is, .geo_end = is->shift * is->depth};
    tree->log_miss = malloc((size_t)depths * sizeof *tree->log_miss);
    if (!tree->log_miss)
        return -1;
    tree->tabulated = depths;
    for (int d = 0; d < depths; d++)
        tree->log_miss[d] = uts_log_miss(is, d);
    return 0;
}

void uts_tree_fini(struct uts_tree *tree)
{
    free(tree->log_miss);
    tree->log_miss = NULL;
    tree->tabulated = 0;
}

/* The reference's rng_init: the hash of 16 zero bytes and the seed, big-endian. */
int uts_root(const struct uts_tree *tree, struct uts_node *root)
{
    enum { MESSAGE_BITS = 8 * 20 };
    uint32_t block[16] = {[4] = uts_swap((uint32_t)tree->is.seed),
                          [5] = uts_swap(0x80000000),
                          [15] = uts_swap(MESSAGE_BITS)};
    *root = (struct uts_node){.height = 0};
    uts_hash_block(block, root->state);
    root->children = uts_children_wanted(tree, root);
    if (root->children <= UTS_MAX_CHILDREN || !uts_capped(tree, root))
        return 0;
    root->children = UTS_MAX_CHILDREN;
    return 1;
}

int uts_search(const struct uts_tree *tree, const struct uts_node *root,
               struct uts_count *count)
{
    size_t room = 1024, used = 1;
    struct uts_node *stack = malloc(room * sizeof *stack);
    if (!stack)
        return -1;
    stack[0] = *root;
    while (used > 0) {
        struct uts_family family;
        int children = stack[--used].children;
        if (children == 0)
            continue;
        uts_family_init(&family, tree, &stack[used]);
        if (room - used < (size_t)children) {
            room = 2 * (room + (size_t)children);
            struct uts_node *larger = realloc(stack, room * sizeof *stack);
            if (!larger) {
                free(stack);
                return -1;
            }
            stack = larger;
        }
        for (int i = 0; i < children; i++)
            uts_family_child(&family, i, &stack[used++]);
        uts_count_family(count, &family, children);
    }
    free(stack);
    return 0;
}

/* ---- known trees -------------------------------------------------------------------- */

/* What a workload does not give keeps the reference's default: its record prints it. */
#define GEO(a, d, b, r)                                                                  \
    {                                                                                    \
        UTS_GEO, a, d, r, b, 15.0 / 64.0, 4, 0.5, 1                                      \
    }
#define BIN(b, q, m, r)                                                                  \
    {                                                                                    \
        UTS_BIN, UTS_LINEAR, 6, r, b, q, m, 0.5, 1                                       \
    }
#define HYBRID(a, d, b, q, m, f, r)                                                      \
    {                                                                                    \
        UTS_HYBRID, a, d, r, b, q, m, f, 1                                               \
    }

static const struct uts_sample samples[] = {
    {"default", GEO(UTS_LINEAR, 6, 4, 0), 1732, 6, 1050},
    {"T1", GEO(UTS_FIXED, 10, 4, 19), 4130071, 10, 3305118},
    {"T2", GEO(UTS_CYCLIC, 16, 6, 502), 4117769, 81, 2342762},
    {"T3", BIN(2000, 0.124875, 8, 42), 4112897, 1572, 3599034},
    {"T4", HYBRID(UTS_LINEAR, 16, 6, 0.234375, 4, 0.5, 1), 4132453, 134, 3108986},
    {"T5", GEO(UTS_LINEAR, 20, 4, 34), 4147582, 20, 2181318},
    {"T1L", GEO(UTS_FIXED, 13, 4, 29), 102181082, 13, 81746377},
    {"T2L", GEO(UTS_CYCLIC, 23, 7, 220), 96793510, 67, 53791152},
    {"T3L", BIN(2000, 0.200014, 5, 7), 111345631, 17844, 89076904},
    {"T1XL", GEO(UTS_FIXED, 15, 4, 29), 1635119272, 15, 1308100063},
    {"T1XXL", GEO(UTS_FIXED, 15, 4, 19), 4230646601, 15, 0},
    {"T2XXL", BIN(2000, 0.499999995, 2, 0), 10612052303, 216370, 5306027151},
    {"T3XXL", BIN(2000, 0.499995, 2, 316), 2793220501, 0, 0},
    {"T1WL", GEO(UTS_FIXED, 18, 4, 19), 270751679750, 18, 216601257283},
    {"T2WL", BIN(2000, 0.4999999995, 2, 559), 295393891003, 1021239, 147696946501},
    {"T3WL", BIN(2000, 0.4999995, 2, 559), 157063495159, 758577, 78531748579},
};

const struct uts_sample *uts_sample_row(size_t i)
{
    return i < sizeof samples / sizeof samples[0] ? &samples[i] : NULL;
}

const struct uts_sample *uts_sample_by_name(const char *name)
{
    for (size_t i = 0; uts_sample_row(i); i++)
        if (!strcasecmp(samples[i].name, name))
            return &samples[i];
    return NULL;
}

/* Numbers here were all read from decimal text, so equal means equal. */
static int same_bits(double a, double b)
{
    return !memcmp(&a, &b, sizeof a);
}

static int same_geo(const struct uts_shape_params *a, const struct uts_shape_params *b)
{
    return a->shape == b->shape && a->depth == b->depth;
}

static int same_bin(const struct uts_shape_params *a, const struct uts_shape_params *b)
{
    return same_bits(a->q, b->q) && a->m == b->m;
}

static int same_tree(const struct uts_shape_params *a, const struct uts_shape_params *b)
{
    if (a->type != b->type || a->seed != b->seed || !same_bits(a->b0, b->b0))
        return 0;
    if (a->type == UTS_GEO)
        return same_geo(a, b);
    if (a->type == UTS_BIN)
        return same_bin(a, b);
    return same_geo(a, b) && same_bin(a, b) && same_bits(a->shift, b->shift);
}

const struct uts_sample *uts_sample_by_shape(const struct uts_shape_params *is)
{
    for (size_t i = 0; uts_sample_row(i); i++)
        if (same_tree(&samples[i].is, is))
            return &samples[i];
    return NULL;
}
