/*
 * sched_recalls_send_tasks_ahead.c - a phase that begins with the steals of the last one runs each task once.
 *
 * Role: collections with props.recall over phases: trees that stay the same, and one that changes, so that
 *       the log is of another tree; seeded again, retained, timed, with stealing off in a phase; tasks
 *       that are added in place and with a copy, that yield in between, and with arguments outside of their slots.
 *       In each phase what ran is what the tree has, and the counts add up.
 * Owner: the body; rows of the tally belong to workers.
 * See: doc/steallog.md; test/sim/sched_recalls_replace_steals.c counts the steals.
 */
#include "test/dist/sched_kit.h"

enum { NODE };
enum { SEEDS = 6, DEPTH = 7, LONG = 200, PHASES = 6 };

struct node {
    uint64_t number;
    uint32_t depth, size;
    unsigned char rest[LONG];
};

static uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 31) * UINT64_C(0x7FB5D329728EA185);
    return x ^ x >> 29;
}

static unsigned children_of(const struct node *n)
{
    return n->depth ? (unsigned)(mixed(n->number) >> 40) % 5 : 0;
}

/* The i-th child; some have arguments that no slot holds. */
static struct node child_of(const struct node *n, unsigned i)
{
    struct node c = {.number = mixed(n->number * 8 + i + 1), .depth = n->depth - 1};
    c.size = c.number % 7 ? offsetof(struct node, rest) : sizeof c;
    memset(c.rest, (int)(c.number & 0xff), LONG);
    return c;
}

static struct node root_of(unsigned rank, unsigned i, unsigned tree)
{
    return (struct node){.number = mixed(tree * 1000 + rank * 64 + i + 1),
                         .depth = rank ? DEPTH - 3 : DEPTH,
                         .size = offsetof(struct node, rest)};
}

static void must_be_whole(jd_self *me, const struct node *n)
{
    for (size_t i = 0; n->size == sizeof *n && i < LONG; i++)
        if (n->rest[i] != (n->number & 0xff))
            jd_abort(me, 99, "an argument has changed on its way");
}

static void node(jd_self *me, void *arg)
{
    struct node n;
    jd_coll *mine = jd_coll_mine(me);
    memcpy(&n, arg, offsetof(struct node, rest));
    if (n.size == sizeof n)
        memcpy(&n, arg, sizeof n);
    must_be_whole(me, &n);
    tally_note(me, jd_coll_local(mine), n.number);
    jd_compute(me, 200 + n.number % 2000);
    for (unsigned i = 0; i < children_of(&n); i++) {
        struct node c = child_of(&n, i);
        if (i % 2) {
            must(me, jd_coll_add(me, mine, NODE, &c, c.size));
            continue;
        }
        struct node *slot = jd_coll_add_inplace(me, mine, NODE, c.size);
        if (!slot)
            jd_abort(me, 99, "no slot");
        memcpy(slot, &c, c.size);
        if (c.number % 11 == 0)
            jd_yield(me);
    }
}

static const jd_task_def tasks[] = {[NODE] = JD_TASK(node), JD_TASK_END};

static struct tally_row walk(const struct node *n)
{
    struct tally_row all = {.ran = 1, .sum = n->number};
    for (unsigned i = 0; i < children_of(n); i++) {
        struct node c = child_of(n, i);
        struct tally_row below = walk(&c);
        all.ran += below.ran;
        all.sum += below.sum;
    }
    return all;
}

static struct tally_row whole_tree(jd_self *me, unsigned tree)
{
    struct tally_row all = {0};
    for (unsigned r = 0; r < jd_nranks(me); r++)
        for (unsigned i = 0; i < (r ? 1u : SEEDS); i++) {
            struct node n = root_of(r, i, tree);
            struct tally_row below = walk(&n);
            all.ran += below.ran;
            all.sum += below.sum;
        }
    return all;
}

static void seed(jd_self *me, jd_coll *c, unsigned tree)
{
    for (unsigned i = 0; i < (jd_rank(me) ? 1u : SEEDS); i++) {
        struct node n = root_of(jd_rank(me), i, tree);
        must(me, jd_coll_add(me, c, NODE, &n, n.size));
    }
}

/* One phase; true on all ranks if it was right. */
static bool phase(jd_self *me, jd_coll *c, struct tally *t, unsigned tree)
{
    struct tally_row want = whole_tree(me, tree);
    must(me, jd_coll_process(me, c));
    struct tally_row here = tally_take(me, t);
    uint64_t ran = sum_of(me, here.ran), sum = sum_of(me, here.sum);
    return adds_up(me, c, want.ran) && ran == want.ran && sum == want.sum;
}

static void iterate(jd_self *me, const char *what, jd_coll_props props, bool retain)
{
    struct tally *t = props.local;
    bool right = true;
    jd_coll *c;
    must(me, jd_coll_create(me, &props, &c));
    seed(me, c, 1);
    for (int i = 0; i < PHASES; i++) {
        unsigned tree = i == PHASES - 1 ? 2 : 1; /* the last log is of another one */
        if (i && tree == 1)
            must(me,
                 jd_coll_restore(me, c, retain ? JD_RESTORE_RETAIN : JD_RESTORE_SEED));
        else if (i)
            seed(me, c, tree);
        must(me, jd_coll_stealing(me, c, i == 3 ? JD_STEAL_LOCAL : JD_STEAL_ALL));
        right = phase(me, c, t, tree) && right;
    }
    must(me, jd_coll_destroy(me, c));
    ok_all(me, right, "%s", what);
}

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    struct tally *t = calloc(1, sizeof *t);
    if (!t)
        return 99;
    iterate(me, "seeded again", (jd_coll_props){.local = t, .recall = 1}, false);
    iterate(me, "retained", (jd_coll_props){.local = t, .recall = 1}, true);
    iterate(me, "timed", (jd_coll_props){.local = t, .recall = 1, .timed = 1}, true);
    iterate(me, "in small slots",
            (jd_coll_props){.local = t, .recall = 1, .arg_size = 16}, false);
    free(t);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
