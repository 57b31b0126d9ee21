/*
 * uts_tree.h - the trees of the Unbalanced Tree Search benchmark.
 *
 * Role: make a node's children exactly as the reference does: same SHA-1 states, same
 *       floating-point expressions, so the same number of nodes.
 * Owner: a struct uts_tree is constant after uts_tree_init and may be read by any thread;
 *        the other structs belong to their caller.
 * Invariants: I1 a node's state holds the digest's five words in the machine's byte order;
 *             I2 a node's `children` is known from the moment the node is made;
 *             I3 log_miss[d] is the reference's log(1 - p) at depth d, bit for bit.
 * See: Olivier et al., "UTS: An Unbalanced Tree Search Benchmark", LCPC 2006;
 *      doc/jackdaw-uts.1.md; test/unit/uts_*.c.
 */
#ifndef EXAMPLES_UTS_TREE_H
#define EXAMPLES_UTS_TREE_H

#include <math.h>
#include <nettle/sha1.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum uts_type { UTS_BIN, UTS_GEO, UTS_HYBRID, UTS_BALANCED };
enum uts_shape { UTS_LINEAR, UTS_EXPDEC, UTS_CYCLIC, UTS_FIXED };
enum { UTS_STATE_WORDS = 5, UTS_MAX_CHILDREN = 100 };

/* What the reference reads from its command line about a tree. */
struct uts_shape_params {
    int type;        /* -t, enum uts_type */
    int shape;       /* -a, enum uts_shape */
    int depth;       /* -d, the reference's gen_mx */
    int seed;        /* -r */
    double b0;       /* -b, branching factor of the root */
    double q;        /* -q, chance that a BIN node has children */
    int m;           /* -m, children of such a node */
    double shift;    /* -f, share of `depth` where HYBRID turns from GEO to BIN */
    int granularity; /* -g, hashes per child */
};

struct uts_tree {
    struct uts_shape_params is;
    double geo_end;   /* a HYBRID node above this height has GEO children */
    double *log_miss; /* log(1 - p) of GEO nodes, by depth */
    int tabulated;    /* entries of log_miss */
};

/* 32 bytes: the argument of a task. */
struct uts_node {
    uint32_t state[UTS_STATE_WORDS];
    int32_t height;
    int32_t children;
    int32_t unused; /* keeps the size a multiple of 16 */
};

/* What a search found.  Leaves are the nodes that are not parents. */
struct uts_count {
    uint64_t nodes;
    uint64_t parents;
    uint64_t height;    /* of the deepest node */
    uint64_t truncated; /* nodes cut to UTS_MAX_CHILDREN, as the reference does */
};

/* A known tree: the reference's sample workloads.  0 leaves: nobody published them. */
struct uts_sample {
    const char *name;
    struct uts_shape_params is;
    uint64_t nodes, height, leaves;
};

/* Returns 0, or -1 when out of memory. */
int uts_tree_init(struct uts_tree *tree, const struct uts_shape_params *is);
void uts_tree_fini(struct uts_tree *tree);
/* Returns 1 if the root's children were cut to UTS_MAX_CHILDREN, else 0. */
int uts_root(const struct uts_tree *tree, struct uts_node *root);
/* The reference's log(1 - p) at any depth, not tabulated. */
double uts_log_miss(const struct uts_shape_params *is, int depth);
/*
 * Count the tree below `root`, depth first on an explicit stack of the heap, and add it
 * to `count`, without the root itself.  Returns 0, or -1 when out of memory.
 */
int uts_search(const struct uts_tree *tree, const struct uts_node *root,
               struct uts_count *count);

/* Row i of the samples, or NULL past the end. */
const struct uts_sample *uts_sample_row(size_t i);
const struct uts_sample *uts_sample_by_name(const char *name);
/* The sample with this shape, looking only at what its type of tree depends on. */
const struct uts_sample *uts_sample_by_shape(const struct uts_shape_params *is);

/* ---- the kernel, inline because a node costs less than a hundred nanoseconds -------- */

/* The reference's rng_rand: a number in [0, 2^31). */
static inline uint32_t uts_random(const struct uts_node *node)
{
    return node->state[UTS_STATE_WORDS - 1] & 0x7fffffff;
}

static inline int uts_children_bin(const struct uts_tree *tree,
                                   const struct uts_node *node)
{
    return uts_random(node) / 2147483648.0 < tree->is.q ? tree->is.m : 0;
}

static inline int uts_children_geo(const struct uts_tree *tree,
                                   const struct uts_node *node)
{
    double u = uts_random(node) / 2147483648.0;
    double miss = node->height < tree->tabulated ? tree->log_miss[node->height]
                                                 : uts_log_miss(&tree->is, node->height);
    double n = floor(log(1 - u) / miss);
    /* Written so that a NaN counts as none; INT32_MAX is above every cap. */
    return n > 0 ? n < INT32_MAX ? (int)n : INT32_MAX : 0;
}

/* How many children the node has, before the cap. */
static inline int uts_children_wanted(const struct uts_tree *tree,
                                      const struct uts_node *node)
{
    switch (tree->is.type) {
    case UTS_BIN:
        return node->height == 0 ? (int)floor(tree->is.b0) : uts_children_bin(tree, node);
    case UTS_GEO:
        return uts_children_geo(tree, node);
    case UTS_HYBRID:
        return node->height < tree->geo_end ? uts_children_geo(tree, node)
                                            : uts_children_bin(tree, node);
    default:
        return node->height < tree->is.depth ? (int)tree->is.b0 : 0;
    }
}

/* The root of a BIN tree and all of a BALANCED tree may have more than the cap. */
static inline int uts_capped(const struct uts_tree *tree, const struct uts_node *node)
{
    return tree->is.type != UTS_BALANCED &&
           !(tree->is.type == UTS_BIN && node->height == 0);
}

/* What the children of one parent have in common. */
struct uts_family {
    const struct uts_tree *tree;
    int32_t height; /* of the children */
    int32_t truncated;
    uint32_t block[16]; /* the padded message: parent's state, spawn number, length */
};

/* Big-endian order, which is SHA-1's, from the machine's; its own inverse. */
static inline uint32_t uts_swap(uint32_t word)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return __builtin_bswap32(word);
#else
    return word;
#endif
}

static inline void uts_family_init(struct uts_family *family, const struct uts_tree *tree,
                                   const struct uts_node *parent)
{
    enum { MESSAGE_BITS = 8 * 24 };
    family->tree = tree;
    family->height = parent->height + 1;
    family->truncated = 0;
    memset(family->block, 0, sizeof family->block);
    for (int i = 0; i < UTS_STATE_WORDS; i++)
        family->block[i] = uts_swap(parent->state[i]);
    family->block[UTS_STATE_WORDS + 1] =
        uts_swap(0x80000000); /* the padding's first bit */
    family->block[15] = uts_swap(MESSAGE_BITS);
}

/* SHA-1 of the one padded block; nettle calls this its compression function. */
static inline void uts_hash_block(const uint32_t block[16],
                                  uint32_t state[UTS_STATE_WORDS])
{
    static const uint32_t start[UTS_STATE_WORDS] = {0x67452301, 0xefcdab89, 0x98badcfe,
                                                    0x10325476, 0xc3d2e1f0};
    memcpy(state, start, sizeof start);
    nettle_sha1_compress(state, (const uint8_t *)block);
}

/*
 * Make child number `i` in place.  The reference hashes `granularity` times the same
 * message: work, without another result.
 */
static inline void uts_family_child(struct uts_family *family, int i,
                                    struct uts_node *child)
{
    const struct uts_tree *tree = family->tree;
    family->block[UTS_STATE_WORDS] = uts_swap((uint32_t)i);
    for (int g = 0; g < tree->is.granularity; g++)
        uts_hash_block(family->block, child->state);
    child->height = family->height;
    child->unused = 0;
    child->children = uts_children_wanted(tree, child);
    if (__builtin_expect(child->children > UTS_MAX_CHILDREN, 0) &&
        uts_capped(tree, child)) {
        child->children = UTS_MAX_CHILDREN;
        family->truncated++;
    }
}

/* Count a parent, and its children as nodes. */
static inline void uts_count_family(struct uts_count *count,
                                    const struct uts_family *family, int children)
{
    count->parents++;
    count->nodes += (uint64_t)children;
    count->truncated += (uint64_t)family->truncated;
    if (count->height < (uint64_t)family->height)
        count->height = (uint64_t)family->height;
}

#endif
