/*
 * sched_part_counts_across_hands.c
 *
 * Role: random taking, spawning and ending over the hands of a rank, with calls run late and in any
 *       order of hands.  The root is at 0 when no task is left and no call is under way, and never
 *       before; a hand has at most one part.
 * Owner: one thread plays all hands.
 * See: doc/async.md "Parts and hands"; sched/finish/part.c.
 */
#include "sched/finish/part.h"
#include "sched/finish/pool.h"
#include "test/unit/sched_rank_kit.h"

enum { HANDS = 5, STEPS = 20000, ROUNDS = 40 };

/* Tasks of a hand, each only the part that it is counted in. */
struct lot {
    struct jdi_part *part;
    uint64_t tasks;
};

struct world {
    struct kit_rank kit;
    struct jdi_hand hand[HANDS];
    struct lot lot[HANDS];
    uint64_t rng, tasks, letters;
};

static uint32_t below(struct world *w, uint32_t n)
{
    return jdi_random_below(&w->rng, n);
}

static void spawn(struct world *w, unsigned h)
{
    w->lot[h].tasks++;
    w->lot[h].part->live++;
    w->tasks++;
}

static void end(struct world *w, unsigned h)
{
    w->lot[h].tasks--;
    w->tasks--;
    jdi_part_less(w->lot[h].part, 1);
}

/* I1: what a hand has taken is in one part, whoever it was taken from. */
static void take(struct world *w, unsigned thief, unsigned victim)
{
    struct lot *from = &w->lot[victim], *to = &w->lot[thief];
    uint64_t n = 1 + below(w, (uint32_t)from->tasks);
    struct jdi_part *mine = jdi_part_take(&w->hand[thief], from->part, n);
    jdi_hand_check(&w->hand[thief]);
    if (to->tasks && to->part != mine)
        bail_out("hand %u has two parts", thief);
    to->part = mine;
    to->tasks += n;
    from->tasks -= n;
}

static void step(struct world *w)
{
    unsigned h = below(w, HANDS), v = below(w, HANDS);
    switch (below(w, 8)) {
    case 0:
        jdi_worker_read(w->hand[h].worker);
        return;
    case 1:
    case 2:
        if (h != v && w->lot[v].tasks)
            take(w, h, v);
        return;
    case 3:
    case 4:
        if (w->lot[h].tasks && w->tasks < 200)
            spawn(w, h);
        return;
    default:
        if (w->lot[h].tasks)
            end(w, h);
    }
}

static bool letters_left(const struct world *w)
{
    for (unsigned i = 0; i < HANDS; i++)
        if (!jdi_mailbox_empty(&w->hand[i].worker->calls))
            return true;
    return false;
}

/* One finish from its beginning to its end; true if nothing was wrong. */
static bool one_scope(struct world *w)
{
    unsigned home = below(w, HANDS);
    struct jdi_part root;
    bool right = true;
    jdi_part_open(&root, &w->hand[home], NULL);
    w->lot[home] = (struct lot){&root, 0};
    for (int i = 0; i < 20; i++)
        spawn(w, home);
    for (int i = 0; i < STEPS && right && (w->tasks || letters_left(w)); i++) {
        right = root.live > 1 || (!w->tasks && root.live == 1); /* never early */
        step(w);
    }
    for (unsigned h = 0; h < HANDS; h++)
        while (w->lot[h].tasks)
            end(w, h);
    while (letters_left(w))
        for (unsigned h = 0; h < HANDS; h++)
            jdi_worker_read(w->hand[h].worker);
    right = right && root.live == 1; /* the frame */
    for (unsigned h = 0; h < HANDS; h++)
        right = right && w->hand[h].parts.n == 0; /* P2 */
    root.live = 0;
    jdi_part_close(&root);
    return right;
}

int main(void)
{
    static struct world w;
    kit_rank_init(&w.kit, 0, 1, HANDS);
    w.rng = 4711;
    for (unsigned i = 0; i < HANDS; i++) {
        jdi_idle_init(&w.kit.worker[i].own_idle);
        jdi_hand_init(&w.hand[i], &w.kit.rank, i, HANDS);
    }
    int right = 0;
    for (int i = 0; i < ROUNDS; i++)
        right += one_scope(&w);
    ok(right == ROUNDS, "the root is at 0 at the end and not before: %d of %d", right,
       ROUNDS);
    for (unsigned i = 0; i < HANDS; i++)
        jdi_hand_fini(&w.hand[i]);
    pass("nothing is left");
    return done_testing();
}
