/*
 * tree.c - Algorithm 2: donations up a tree, greedy assignments at each level, the rest down.
 *
 * Role: see doc/balance.md section 4, also for what the paper leaves open.
 * Invariants: I1 a node assigns when all of its children have donated, in their order, so that the
 *                order of arrival does not matter.
 *             I2 a task is at one place: in `have` of a rank, in the donation of a side, or in what
 *                a side is given.
 *             I3 a rank begins a pass after DOWN of the last one; so whoever hears UP of a pass has
 *                said DOWN of the last one there.
 * See: balance.h, machine.h; paper 003, section 5.2 and Algorithm 2.
 *
 *   state of a node   event                          next     who sends what
 *   GATHERS           donations of all children      WAITS    UP to the parent
 *   WAITS             DOWN of the parent             GATHERS  DOWN to the children
 *   GATHERS           the same at the root           GATHERS  DOWN to the children
 */
#include "sched/balance/letter.h"
#include "sched/balance/shape.h"
#include "sched/balance/stock.h"

#include <string.h>

/* The words of UP and of DOWN. */
enum { UP_LOAD, UP_LEAVES, UP_TASKS, UP_MOST };
enum { DOWN_LAST };

/* A task goes to a leaf on the way up if it fills a fifth of its room at least. */
enum { TIGHT = 5 };

/* A child of a node. */
struct side {
    bool said;
    uint64_t load, leaves; /* of its leaves, with what it has been given */
    uint64_t most;         /* the largest load of a leaf when the pass began */
    struct jdi_lots pool;  /* its donation, ascending */
    struct jdi_lots
        room; /* its leaves with room: `time` the bin, `rank` how many; ascending */
    struct jdi_lots given; /* what it gets, ascending */
    struct jdi_lots more;  /* what it gets in an assignment that goes on, descending */
};

enum node_state { GATHERS = 1, WAITS };
struct node {
    enum node_state state;
    uint16_t pass;
    uint32_t missing, sides;
    struct side *side;
};

struct tree {
    struct node *node; /* of levels 1, 2, ... at this rank */
    uint16_t pass;
    uint64_t limit, full; /* what a rank keeps at most; up to which it is filled */
    uint64_t width;       /* of a bin of room */
};

static struct tree *tree_of(const struct jdi_balance *b)
{
    return b->own;
}

static bool is_printed(const struct jdi_balance *b)
{
    return b->c.holes == JDI_BALANCE_AS_PRINTED;
}

static uint64_t max_time(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* ---- assigning ---------------------------------------------------------------------------- */

/*
 * Where tasks can go.  Leaves with room stand in bins by how much room they have, for each side how many;
 * `top` is the highest bin that is not empty.  As printed there are no bins, and a side counts as one
 * spot with the room of its average leaf.
 */
struct spots {
    uint32_t *count; /* [bin * sides + side] */
    uint32_t top;    /* bin + 1; 0: all are empty */
};

static int64_t average_room(const struct jdi_balance *b, const struct side *s)
{
    return (int64_t)tree_of(b)->full - (int64_t)(s->load / s->leaves);
}

/* The side whose average leaf has the most room. */
static uint32_t roomiest(const struct jdi_balance *b, const struct node *n)
{
    uint32_t best = 0;
    for (uint32_t k = 1; k < n->sides; k++)
        if (average_room(b, &n->side[k]) > average_room(b, &n->side[best]))
            best = k;
    return best;
}

/* The least room that a leaf of the bin has. */
static uint64_t room_of(const struct jdi_balance *b, uint32_t bin)
{
    return bin * tree_of(b)->width;
}

static int find_spots(struct jdi_balance *b, const struct node *n, struct spots *spots)
{
    uint32_t bins = is_printed(b) ? 1 : b->c.holes + 1;
    *spots = (struct spots){
        .count = jdi_zalloc(b->c.fault, (size_t)bins * n->sides * sizeof *spots->count)};
    if (!spots->count)
        return JD_ENOMEM;
    for (uint32_t k = 0; k < n->sides; k++)
        for (uint32_t i = 0; i < n->side[k].room.n; i++) {
            const struct jdi_lot *lot = &n->side[k].room.at[i];
            uint32_t bin = (uint32_t)lot->time;
            spots->count[bin * n->sides + k] = lot->rank;
            spots->top = bin >= spots->top ? bin + 1 : spots->top;
        }
    return 0;
}

/* Take a leaf out of the highest bin; returns its side. */
static uint32_t take_top(const struct node *n, struct spots *spots)
{
    uint32_t *count = spots->count + (size_t)(spots->top - 1) * n->sides, side = 0;
    for (uint32_t k = 1; k < n->sides; k++)
        side = count[k] > count[side] ? k : side;
    JD_CHECK(count[side] > 0);
    count[side]--;
    return side;
}

static bool is_empty_bin(const struct node *n, const struct spots *spots, uint32_t bin)
{
    for (uint32_t k = 0; k < n->sides; k++)
        if (spots->count[bin * n->sides + k] > 0)
            return false;
    return true;
}

/* A task to a leaf with the most room, or to the side with the most. */
static int give_lot(struct jdi_balance *b, struct node *n, struct spots *spots,
                    const struct jdi_lot *lot)
{
    uint32_t side;
    b->work += n->sides;
    if (spots->top == 0)
        side = roomiest(b, n);
    else {
        uint64_t room = room_of(b, spots->top - 1);
        side = take_top(n, spots);
        if (room > lot->time) {
            uint32_t bin = (uint32_t)((room - lot->time) / tree_of(b)->width);
            spots->count[bin * n->sides + side] += bin > 0;
        }
    }
    for (; spots->top > 0 && is_empty_bin(n, spots, spots->top - 1); b->work++)
        spots->top--;
    n->side[side].load += lot->time;
    return jdi_lots_add(&n->side[side].more, *lot, b->c.fault);
}

/* The assignment is over: remember how much room is left, and forget the spots. */
static int leave_spots(struct jdi_balance *b, struct node *n, struct spots *spots)
{
    int rc = 0;
    for (uint32_t k = 0; k < n->sides; k++)
        n->side[k].room.n = 0;
    for (uint32_t i = 0; !rc && i < spots->top * n->sides; i++)
        if (spots->count[i] > 0)
            rc = jdi_lots_add(&n->side[i % n->sides].room,
                              (struct jdi_lot){i / n->sides, spots->count[i], 0},
                              b->c.fault);
    b->work += spots->top;
    jdi_free(spots->count);
    for (uint32_t k = 0; !rc && k < n->sides; k++) {
        struct side *s = &n->side[k];
        jdi_lots_reverse(&s->more);
        rc = jdi_lots_merge(&s->given, s->more.at, s->more.n, b->c.fault);
        b->work += s->more.n > 0 ? s->given.n : 0;
        jdi_lots_free(&s->more);
    }
    return rc;
}

/* Is there room, and not far too much of it?  A short task is better kept until the long ones have a
 * place, maybe one from elsewhere.  As printed: is there any room? */
static bool finds_room(const struct jdi_balance *b, const struct node *n,
                       const struct spots *spots, uint64_t time)
{
    if (is_printed(b))
        return average_room(b, &n->side[roomiest(b, n)]) > 0;
    uint64_t room = spots->top > 0 ? room_of(b, spots->top - 1) : 0;
    return time <= room && time >= room / TIGHT;
}

/* The way up: what fits goes to the children; `pool` keeps the rest, ascending. */
static int assign_up(struct jdi_balance *b, struct node *n, struct jdi_lots *pool)
{
    struct spots spots;
    uint32_t left = pool->n;
    int rc = find_spots(b, n, &spots);
    if (rc)
        return rc;
    for (uint32_t i = pool->n; !rc && i-- > 0;)
        if (finds_room(b, n, &spots, pool->at[i].time))
            rc = give_lot(b, n, &spots, &pool->at[i]);
        else
            pool->at[--left] = pool->at[i];
    jdi_lots_behead(pool, left);
    int left_rc = leave_spots(b, n, &spots);
    return rc ? rc : left_rc;
}

/* The way down: everything goes to the children. */
static int assign_down(struct jdi_balance *b, struct node *n, const struct jdi_lots *pool)
{
    struct spots spots;
    int rc = find_spots(b, n, &spots);
    if (rc)
        return rc;
    for (uint32_t i = pool->n; !rc && i-- > 0;)
        rc = give_lot(b, n, &spots, &pool->at[i]);
    int left_rc = leave_spots(b, n, &spots);
    return rc ? rc : left_rc;
}

/* ---- up ------------------------------------------------------------------------------------ */

/* What a node, or a leaf, tells the node above. */
struct report {
    uint64_t load, leaves, most;
    struct jdi_lots pool, room;
};

static void free_report(struct report *r)
{
    jdi_lots_free(&r->pool);
    jdi_lots_free(&r->room);
}

static int go_down(struct jdi_balance *b, unsigned level, struct jdi_lots *pool,
                   bool last);
static int node_done(struct jdi_balance *b, unsigned level);

/* Node `level`, of this rank, hears of its child k.  Takes what is in the report. */
static int hear_child(struct jdi_balance *b, unsigned level, uint32_t k, struct report *r)
{
    struct node *n = &tree_of(b)->node[level - 1];
    struct side *s = &n->side[k];
    JD_CHECK(!s->said && n->state == GATHERS);
    s->said = true;
    s->load = r->load;
    s->leaves = r->leaves;
    s->most = r->most;
    s->pool = r->pool;
    s->room = r->room;
    return --n->missing == 0 ? node_done(b, level) : 0;
}

static int send_up(struct jdi_balance *b, struct report *r)
{
    const struct jdi_balance_head what = {
        .type = JDI_BALANCE_UP,
        .step = tree_of(b)->pass,
        .word = {r->load, r->leaves, r->pool.n, r->most}};
    uint32_t to = jdi_shape_parent(b, b->c.rank);
    int rc = jdi_lots_append(&r->pool, r->room.at, r->room.n, b->c.fault);
    if (!rc)
        rc = jdi_letter_send(b, to, &what, r->pool.at, r->pool.n);
    free_report(r);
    return rc;
}

static int report_up(struct jdi_balance *b, unsigned level, struct report *r)
{
    if (level < b->level)
        return hear_child(b, level + 1, 0, r);
    if (b->c.rank > 0)
        return send_up(b, r);
    bool last = is_printed(b) || tree_of(b)->pass + 1u >= b->c.iterations ||
                r->most <= tree_of(b)->limit;
    int rc = go_down(b, level, &r->pool, last);
    free_report(r);
    return rc;
}

/* The room of the leaves of all sides, by bins. */
static int add_up_room(struct jdi_balance *b, const struct node *n, struct jdi_lots *out)
{
    uint32_t at[JDI_BALANCE_ARITY_MOST] = {0};
    int rc = 0;
    for (uint32_t bin = 0; !rc && bin <= b->c.holes; bin++) {
        struct jdi_lot sum = {bin, 0, 0};
        for (uint32_t k = 0; k < n->sides; k++) {
            const struct jdi_lots *room = &n->side[k].room;
            if (at[k] < room->n && room->at[at[k]].time == bin)
                sum.rank += room->at[at[k]++].rank;
        }
        if (sum.rank > 0)
            rc = jdi_lots_add(out, sum, b->c.fault);
    }
    b->work += b->c.holes;
    return rc;
}

/* All children have said what they have. */
static int node_done(struct jdi_balance *b, unsigned level)
{
    struct node *n = &tree_of(b)->node[level - 1];
    struct report r = {0};
    bool root = b->c.rank == 0 && level == b->level;
    int rc = 0;
    n->state = WAITS;
    for (uint32_t k = 0; !rc && k < n->sides; k++) {
        struct side *s = &n->side[k];
        rc = jdi_lots_merge(&r.pool, s->pool.at, s->pool.n, b->c.fault);
        b->work += s->pool.n > 0 ? r.pool.n : 0;
        jdi_lots_free(&s->pool);
    }
    if (!rc && !(root && is_printed(b)))
        rc = assign_up(b, n, &r.pool);
    for (uint32_t k = 0; k < n->sides; k++) {
        r.load += n->side[k].load;
        r.leaves += n->side[k].leaves;
        r.most = max_time(r.most, n->side[k].most);
    }
    if (!rc && !root && !is_printed(b))
        rc = add_up_room(b, n, &r.room);
    if (rc)
        free_report(&r);
    return rc ? rc : report_up(b, level, &r);
}

/* ---- down ----------------------------------------------------------------------------------- */

static int begin_pass(struct jdi_balance *b);

static int leaf_down(struct jdi_balance *b, const struct jdi_lots *given, bool last)
{
    int rc = jdi_stock_accept(b, given->at, given->n);
    if (rc)
        return rc;
    if (last)
        return jdi_balance_planned(b);
    tree_of(b)->pass++;
    return begin_pass(b);
}

static void next_pass(struct node *n)
{
    for (uint32_t k = 0; k < n->sides; k++) {
        jdi_lots_free(&n->side[k].room);
        jdi_lots_free(&n->side[k].given);
        n->side[k].said = false;
    }
    n->missing = n->sides;
    n->pass++;
    n->state = GATHERS;
}

static int pass_down(struct jdi_balance *b, unsigned level, bool last)
{
    struct node *n = &tree_of(b)->node[level - 1];
    const struct jdi_balance_head what = {
        .type = JDI_BALANCE_DOWN, .step = n->pass, .word = {[DOWN_LAST] = last}};
    uint64_t span = jdi_shape_span(b, level - 1);
    int rc = 0;
    for (uint32_t k = 1; !rc && k < n->sides; k++)
        rc = jdi_letter_send(b, (uint32_t)(b->c.rank + k * span), &what,
                             n->side[k].given.at, n->side[k].given.n);
    return rc;
}

/* The node of that level gets `pool`, and passes it on.  Level 0 is the leaf. */
static int go_down(struct jdi_balance *b, unsigned level, struct jdi_lots *pool,
                   bool last)
{
    struct jdi_lots mine = {0};
    int rc = 0;
    for (; !rc && level > 0; level--) {
        struct node *n = &tree_of(b)->node[level - 1];
        JD_CHECK_EQ(n->state, WAITS);
        rc = assign_down(b, n, mine.at ? &mine : pool);
        pool->n = 0;
        if (!rc)
            rc = pass_down(b, level, last);
        jdi_lots_free(&mine);
        mine = n->side[0].given;
        n->side[0].given = (struct jdi_lots){0};
        next_pass(n);
    }
    if (!rc)
        rc = leaf_down(b, mine.at ? &mine : pool, last);
    jdi_lots_free(&mine);
    return rc;
}

/* ---- a rank ---------------------------------------------------------------------------------- */

static int begin_pass(struct jdi_balance *b)
{
    struct tree *t = tree_of(b);
    struct report r = {.leaves = 1, .most = b->load};
    int rc = jdi_stock_donate(b, t->limit, &r.pool);
    r.load = b->load;
    uint64_t bin = b->load < t->full ? (t->full - b->load) / t->width : 0;
    if (!rc && !is_printed(b) && bin > 0)
        rc = jdi_lots_add(&r.room, (struct jdi_lot){bin, 1, 0}, b->c.fault);
    if (rc)
        free_report(&r);
    return rc ? rc : report_up(b, 0, &r);
}

static int make_nodes(struct jdi_balance *b)
{
    struct tree *t = tree_of(b);
    t->node = jdi_zalloc(b->c.fault, b->level * sizeof *t->node);
    if (!t->node)
        return JD_ENOMEM;
    for (unsigned l = 0; l < b->level; l++) {
        struct node *n = &t->node[l];
        uint64_t span = jdi_shape_span(b, l);
        n->sides = 1;
        while (n->sides < b->c.arity && b->c.rank + n->sides * span < b->c.nranks)
            n->sides++;
        n->state = GATHERS;
        n->missing = n->sides;
        n->side = jdi_zalloc(b->c.fault, n->sides * sizeof *n->side);
        if (!n->side)
            return JD_ENOMEM;
    }
    return 0;
}

static int tree_begin(struct jdi_balance *b)
{
    struct tree *t = tree_of(b);
    double average = (double)b->figures.sum / b->c.nranks, bound = average;
    if (!is_printed(b) && bound < (double)b->figures.largest)
        bound = (double)b->figures.largest;
    t->limit = (uint64_t)(b->c.donate * bound);
    t->full = (uint64_t)(b->c.accept * bound);
    t->width = is_printed(b) ? 1 : t->full / b->c.holes + 1;
    int rc = b->level > 0 ? make_nodes(b) : 0;
    return rc ? rc : begin_pass(b);
}

static const char *fault_of_donation(const struct jdi_balance *b,
                                     const struct jdi_balance_in *in)
{
    const uint64_t *w = in->head.word;
    uint32_t child = jdi_shape_child(b, in->src);
    const struct node *n = NULL;
    if (child != UINT32_MAX)
        n = &tree_of(b)->node[child / b->c.arity];
    if (!n || n->state != GATHERS || n->side[child % b->c.arity].said ||
        n->pass != in->head.step)
        return "a donation that nobody waits for";
    uint64_t most = jdi_shape_span(b, child / b->c.arity);
    if (w[UP_LEAVES] == 0 || w[UP_LEAVES] > most || w[UP_TASKS] > in->n ||
        w[UP_LOAD] > b->figures.sum || w[UP_MOST] > b->figures.sum)
        return "a donation that cannot be";
    uint64_t leaves = 0;
    for (uint32_t i = (uint32_t)w[UP_TASKS]; i < in->n; i++) {
        leaves += in->lot[i].rank;
        if (is_printed(b) || in->lot[i].time == 0 || in->lot[i].time > b->c.holes ||
            in->lot[i].rank == 0 || in->lot[i].place != 0 || leaves > w[UP_LEAVES] ||
            (i > w[UP_TASKS] && in->lot[i].time <= in->lot[i - 1].time))
            return "room that there cannot be";
    }
    return jdi_stock_fault(b, in->lot, (uint32_t)w[UP_TASKS]);
}

static const char *fault_of_down(const struct jdi_balance *b,
                                 const struct jdi_balance_in *in)
{
    const struct tree *t = tree_of(b);
    unsigned l = b->level;
    bool waits = l > 0 ? t->node[l - 1].state == WAITS : true;
    if (b->c.rank == 0 || in->src != jdi_shape_parent(b, b->c.rank) || b->own_judged ||
        !waits || in->head.step != t->pass)
        return "an assignment that nobody waits for";
    if (in->head.word[DOWN_LAST] > 1 ||
        (!in->head.word[DOWN_LAST] && t->pass + 1u >= b->c.iterations))
        return "an assignment that cannot be";
    return jdi_stock_fault(b, in->lot, in->n);
}

static const char *tree_fault(const struct jdi_balance *b,
                              const struct jdi_balance_in *in)
{
    if (in->head.type == JDI_BALANCE_UP)
        return fault_of_donation(b, in);
    if (in->head.type == JDI_BALANCE_DOWN)
        return fault_of_down(b, in);
    return "a message of another balancer";
}

static int tree_message(struct jdi_balance *b, const struct jdi_balance_in *in)
{
    const uint64_t *w = in->head.word;
    if (in->head.type == JDI_BALANCE_DOWN) {
        struct jdi_lots pool = {0};
        int rc = jdi_lots_append(&pool, in->lot, in->n, b->c.fault);
        if (!rc)
            rc = go_down(b, b->level, &pool, w[DOWN_LAST] != 0);
        jdi_lots_free(&pool);
        return rc;
    }
    uint32_t child = jdi_shape_child(b, in->src), tasks = (uint32_t)w[UP_TASKS];
    struct report r = {.load = w[UP_LOAD], .leaves = w[UP_LEAVES], .most = w[UP_MOST]};
    int rc = jdi_lots_append(&r.pool, in->lot, tasks, b->c.fault);
    if (!rc)
        rc = jdi_lots_append(&r.room, in->lot + tasks, in->n - tasks, b->c.fault);
    if (rc)
        free_report(&r);
    return rc ? rc : hear_child(b, child / b->c.arity + 1, child % b->c.arity, &r);
}

static void tree_end(struct jdi_balance *b)
{
    struct tree *t = tree_of(b);
    for (unsigned l = 0; t->node && l < b->level; l++) {
        struct node *n = &t->node[l];
        for (uint32_t k = 0; n->side && k < n->sides; k++) {
            jdi_lots_free(&n->side[k].pool);
            jdi_lots_free(&n->side[k].room);
            jdi_lots_free(&n->side[k].given);
            jdi_lots_free(&n->side[k].more);
        }
        jdi_free(n->side);
    }
    jdi_free(t->node);
    *t = (struct tree){0};
}

const struct jdi_balance_ops jdi_balance_tree = {
    .name = "tree",
    .size = sizeof(struct tree),
    .iterations = 4,
    .begin = tree_begin,
    .fault = tree_fault,
    .message = tree_message,
    .end = tree_end,
};
