/*
 * walk.c - chooses worlds and actions at random.
 *
 * Role: what a walk is, size, weights and actions, comes out of one stream of dice, in this
 *       order; so nothing may be drawn in between, or every seed gives another walk.
 * Owner: a child process.
 * See: walk.h, dice.h.
 */
#include "conform/walk.h"

#include "conform/child.h"
#include "conform/dice.h"
#include "conform/oracle.h"
#include "conform/past.h"
#include "conform/warm.h"

#include <stdlib.h>
#include <string.h>

/* More actions than this and the walk has lost its way: waves run for ever. */
enum { MAX_ACTIONS = 400000, SHOWN_ACTIONS = 120, SECONDS = 600, MAX_PAIR = 4 };
/* In a world of so many ranks the tasks of every other walk stay among a few of them. */
enum { CROWD = 4, FEW = 3 };

struct walker {
    struct jdi_walk_config c;
    struct jdi_walk_result *result;
    struct jdi_world *warm; /* a world with the past of these walks, */
    uint64_t warm_key;      /* if this is not 0 */
};

static unsigned pick(unsigned fixed, uint64_t *dice, unsigned low, unsigned high)
{
    unsigned drawn = low + jdi_dice_below(dice, high - low + 1);
    return fixed ? fixed : drawn;
}

/* Two collections of the same ranks, up to four of them? */
static bool is_pair(const struct jdi_walk_config *c, uint64_t seed)
{
    return c->colls == 2 || (c->colls == 0 && c->ranks <= MAX_PAIR && seed % 8 == 7);
}

/* Mostly few, now and then many. */
static unsigned draw_sends(uint64_t *dice, bool many)
{
    unsigned few = 1 + jdi_dice_below(dice, 8), more = 20 + jdi_dice_below(dice, 180);
    return many ? more : few;
}

static void draw_sizes(const struct jdi_walk_config *c, uint64_t *dice,
                       struct jdi_world_config *wc)
{
    unsigned kind = jdi_dice_below(dice, 32);
    unsigned ranks = kind % 2 ? JDI_WORLD_RANKS : 5, arity = kind % 4 ? 3 : 8;
    wc->ranks = pick(c->ranks, dice, 1, ranks);
    wc->arity = pick(c->arity, dice, 1, arity);
    wc->phases = pick(c->phases, dice, 1, c->varied && kind == 5 ? 40 : 3);
    unsigned sends = draw_sends(dice, c->varied && kind == 6);
    wc->sends = c->sends ? c->sends : sends;
}

static struct jdi_world_config draw_world(const struct jdi_walk_config *c, uint64_t seed,
                                          uint64_t *dice)
{
    static const uint64_t pause[3][2] = {{0, 0}, {5, 5}, {5, 200}};
    const uint64_t *p = pause[jdi_dice_below(dice, 3)];
    struct jdi_world_config wc = {.ops = c->ops,
                                  .lens = c->lens,
                                  .audit = c->audit,
                                  .max_seeds = 1 + jdi_dice_below(dice, 2),
                                  .max_failed = c->max_failed,
                                  .pause_min = p[0],
                                  .pause_max = p[1],
                                  .first_wave = c->first_wave,
                                  .held_blocks_idle = jdi_dice_below(dice, 2),
                                  .one_bit_live = jdi_dice_below(dice, 2),
                                  .wrong = c->wrong};
    draw_sizes(c, dice, &wc);
    if (is_pair(c, seed)) {
        wc.ranks = 2 * (wc.ranks > MAX_PAIR ? MAX_PAIR : wc.ranks);
        wc.sends = wc.sends > 8 ? 8 : wc.sends;
        wc.colls = 2;
        wc.max_seeds = 2;
    }
    return wc;
}

/* The world of this walk before its first action; its dice are those after that. */
static void begin_world(struct walker *k, uint64_t seed, uint64_t *dice,
                        struct jdi_world *w, struct jdi_world_trace *trace)
{
    uint64_t key = k->c.varied ? jdi_past_key(seed) : 0, first = key;
    struct jdi_world_config wc = draw_world(&k->c, seed, dice);
    if (key == 0) {
        if (k->c.varied)
            jdi_past_draw_start(&wc, dice);
        jdi_world_init(w, &wc, trace);
        return;
    }
    if (key != k->warm_key) {
        wc = draw_world(&k->c, 0, &first);
        jdi_past_draw(&wc, key, &first);
        wc.ranks = k->c.ranks ? k->c.ranks : wc.ranks;
        jdi_warm_init(w, &wc, trace);
        memcpy(k->warm, w, sizeof *w);
        k->warm_key = key;
    } else {
        memcpy(w, k->warm, sizeof *w);
        trace->count = 0;
    }
}

/* The ranks among which the tasks are, one bit each: all, or a few. */
static unsigned draw_few(const struct jdi_world *w, uint64_t *dice)
{
    unsigned few = 0, n = w->c.ranks;
    bool all = jdi_dice_below(dice, 2) || n < CROWD || w->c.colls > 1;
    for (int i = 0; i < FEW; i++)
        few |= 1u << jdi_dice_below(dice, n);
    return all ? ~0u : few;
}

/* A rank among the few, if the action lets one choose. */
static unsigned choose_among(const struct jdi_world *w, unsigned few, uint64_t *dice,
                             enum jdi_world_kind kind, unsigned rank, unsigned variants)
{
    unsigned fit = 0, variant = 0;
    if (kind == JDI_WORLD_ENTER && !(few >> rank & 1))
        return 0;
    if (few == ~0u || (kind != JDI_WORLD_SEND && kind != JDI_WORLD_MOVE))
        return variants > 1 ? jdi_dice_below(dice, variants) : 0;
    for (unsigned v = 0; v < variants; v++)
        if (few >> jdi_world_target(w, rank, v) & 1 && jdi_dice_below(dice, ++fit) == 0)
            variant = v;
    return variant;
}

/* What a walk prefers. */
struct swarm {
    uint16_t weight[JDI_WORLD_KINDS][JDI_WORLD_RANKS];
    unsigned few;
};

/* One of the enabled (kind, rank), by weight. */
static bool choose(const struct jdi_world *w, const struct swarm *s, uint64_t *dice,
                   enum jdi_world_kind *kind, unsigned *rank, unsigned *variant)
{
    const uint16_t(*weight)[JDI_WORLD_RANKS] = s->weight;
    struct {
        uint16_t weight;
        uint8_t kind, rank, variants;
    } open[JDI_WORLD_KINDS * JDI_WORLD_RANKS];
    unsigned n = 0, total = 0;
    for (unsigned r = 0; r < w->c.ranks; r++)
        for (unsigned k = 1; k < JDI_WORLD_KINDS; k++) {
            unsigned variants = jdi_world_enabled(w, (enum jdi_world_kind)k, r);
            if (variants == 0)
                continue;
            open[n].weight = weight[k][r];
            open[n].kind = (uint8_t)k;
            open[n].rank = (uint8_t)r;
            open[n++].variants = (uint8_t)variants;
            total += weight[k][r];
        }
    if (n == 0)
        return false;
    unsigned at = jdi_dice_below(dice, total), i = 0;
    while (at >= open[i].weight)
        at -= open[i++].weight;
    *kind = (enum jdi_world_kind)open[i].kind;
    *rank = open[i].rank;
    *variant = choose_among(w, s->few, dice, *kind, *rank, open[i].variants);
    return true;
}

static void draw_weights(uint16_t weight[][JDI_WORLD_RANKS], unsigned ranks,
                         uint64_t *dice)
{
    for (unsigned k = 1; k <= JDI_WORLD_TIME; k++)
        for (unsigned r = 0; r < ranks; r++)
            weight[k][r] = (uint16_t)(1u << 2 * jdi_dice_below(dice, 5));
    /* To take a message back ends a story, so it is rare. */
    for (unsigned r = 0; r < ranks; r++)
        weight[JDI_WORLD_BACK][r] = jdi_dice_below(dice, 4) == 0;
    /* After all others, so that a walk of one collection is what its seed has always been. */
    for (unsigned k = JDI_WORLD_TIME + 1; k < JDI_WORLD_KINDS; k++)
        for (unsigned r = 0; r < ranks; r++)
            weight[k][r] = (uint16_t)(1u << 2 * jdi_dice_below(dice, 5));
}

static void one_walk(struct walker *k, uint64_t seed, struct jdi_world *w,
                     struct jdi_world_trace *trace)
{
    const struct jdi_walk_config *c = &k->c;
    struct swarm s;
    uint64_t dice = seed;
    enum jdi_world_kind kind;
    unsigned rank, variant;
    begin_world(k, seed, &dice, w, trace);
    draw_weights(s.weight, w->c.ranks, &dice);
    s.few = draw_few(w, &dice);
    if (c->record)
        c->record->count = 0;
    while (!w->fault[0] && w->actions < MAX_ACTIONS &&
           choose(w, &s, &dice, &kind, &rank, &variant)) {
        if (c->record)
            jdi_script_add(c->record, jdi_script_item_of(w, kind, rank, variant));
        jdi_world_do(w, kind, rank, variant);
    }
    if (w->actions == MAX_ACTIONS)
        jdi_oracle_fail(w, "O4: livelock: no end after %d actions", MAX_ACTIONS);
    jdi_oracle_end(w);
}

/* True if it passed. */
static bool pass_walk(struct walker *k, uint64_t seed)
{
    struct jdi_walk_result *r = k->result;
    struct jdi_world *w = &r->world;
    r->seed = seed;
    one_walk(k, seed, w, &r->trace);
    r->actions += w->actions;
    if (w->worst_failed > r->worst_failed)
        r->worst_failed = w->worst_failed;
    if (w->fault[0])
        snprintf(r->text, sizeof r->text, "%s", w->fault);
    return !w->fault[0];
}

static void all_walks(void *arg)
{
    struct walker *k = arg;
    struct jdi_walk_result *r = k->result;
    bool passed = true;
    k->warm = aligned_alloc(16, sizeof *k->warm);
    JD_CHECK(k->warm != NULL);
    while (passed && r->walks < k->c.walks)
        passed = pass_walk(k, k->c.seed + r->walks++);
    r->end = passed ? JDI_WALK_PASSED : JDI_WALK_REJECTED;
    free(k->warm);
}

struct jdi_walk_result *jdi_walk_run(const struct jdi_walk_config *c)
{
    struct jdi_walk_result *r = jdi_child_alloc(sizeof *r);
    struct walker k = {.c = *c, .result = r};
    char said[sizeof r->text];
    enum jdi_child_end e = jdi_child_run(all_walks, &k, SECONDS, said, sizeof said);
    if (e == JDI_CHILD_RETURNED)
        return r;
    r->end = e == JDI_CHILD_STUCK ? JDI_WALK_HUNG : JDI_WALK_CHECKED;
    memcpy(r->text, said, sizeof r->text);
    return r;
}

void jdi_walk_free(struct jdi_walk_result *r)
{
    jdi_child_free(r, sizeof *r);
}

void jdi_walk_print(FILE *out, const struct jdi_walk_result *r, const char *prefix)
{
    const struct jdi_world_config *c = &r->world.c;
    const struct jdi_world_trace *t = &r->trace;
    uint64_t first = t->count > SHOWN_ACTIONS ? t->count - SHOWN_ACTIONS : 0;
    fprintf(out, "%s%s\n", prefix, r->text);
    fprintf(out,
            "%s--walks=1 --seed=%llu --ranks=%u --arity=%u --phases=%u --sends=%u: %llu "
            "actions\n",
            prefix, (unsigned long long)r->seed, c->ranks / c->colls, c->arity, c->phases,
            c->sends, (unsigned long long)t->count);
    for (uint64_t i = first; i < t->count; i++) {
        const struct jdi_world_event *e = &t->event[i % JDI_WORLD_TRACE];
        fprintf(out, "%s%5llu  %-6s %u  peer %u  phase %u wave %u  sum %d%s\n", prefix,
                (unsigned long long)i, jdi_world_kind_name((enum jdi_world_kind)e->kind),
                e->rank, e->peer, (unsigned)e->phase, (unsigned)e->wave, (int)e->sum,
                e->flag ? " crossed" : "");
    }
}
