/*
 * conform_worlds_live_long.c
 *
 * Role: a world may begin after 70,000 phases, imports or waves, and with phases and waves that
 *       have any number; walks do so around every boundary of a word.
 * See: conform/warm.h, conform/past.h.
 */
#include "conform/dice.h"
#include "conform/known.h"
#include "conform/past.h"
#include "conform/script.h"
#include "conform/warm.h"
#include "termination/find.h"
#include "termination/francez.h"
#include "test/kit/tap.h"

#include <stdlib.h>

enum { FAR = 70000, SEEDS = 300000, BLOCK = 250 };

static struct jdi_world *world;

static void begin(const struct jdi_known *k, unsigned ranks, struct jdi_world_past past)
{
    const struct jdi_world_config c = {.ops = k->ops,
                                       .lens = k->lens,
                                       .ranks = ranks,
                                       .arity = 2,
                                       .phases = 2,
                                       .sends = 4,
                                       .max_seeds = 1,
                                       .max_failed = k->max_failed,
                                       .past = past};
    jdi_warm_init(world, &c, NULL);
    is_str(world->fault, "", "%s lives through it", k->ops->name);
}

static void ends(const struct jdi_known *k)
{
    jdi_script_run_out(world);
    is_str(world->fault, "", "%s: and the phases after that", k->ops->name);
}

static const struct jdi_francez *francez(unsigned rank)
{
    return (const struct jdi_francez *)(const void *)world->td[rank];
}

static void lives_long(void)
{
    const struct jdi_known *k = jdi_known_find("francez");
    begin(k, 2, (struct jdi_world_past){.phases = FAR});
    is_u64(francez(1)->phase, FAR + 1, "the next phase is number %d", FAR + 1);
    ends(k);
    begin(k, 3, (struct jdi_world_past){.imports = 2 * FAR});
    const struct jdi_francez_slot *a = &francez(0)->slot[1], *b = &francez(1)->slot[1];
    ok(a->recv + b->recv + francez(2)->slot[1].recv == 2 * FAR && a->recv % FAR == 0 &&
           b->recv % FAR == 0,
       "two ranks import %d each", FAR);
    ends(k);
    begin(k, 3, (struct jdi_world_past){.waves = FAR});
    ok(francez(0)->slot[1].wave >= FAR, "%u waves have failed",
       (unsigned)francez(0)->slot[1].wave);
    ok(world->nbag > 0, "because messages are under way");
    ends(k);
}

/* Whatever the detector: there may be no waves. */
static void everybody_does(void)
{
    for (size_t i = 0; jdi_known_at(i); i++)
        for (unsigned ranks = 1; ranks <= JDI_WORLD_RANKS; ranks += 4) {
            begin(jdi_known_at(i), ranks,
                  (struct jdi_world_past){.phases = 300, .imports = 300, .waves = 300});
            ends(jdi_known_at(i));
        }
}

/* Is there a walk that begins less than ten before, and one that begins after? */
struct seen {
    bool before, far;
};

static void look(struct seen *s, uint64_t number, uint64_t end)
{
    s->before |= number < end && end - number < 10;
    s->far |= number > FAR;
}

static void walks_begin_late(void)
{
    struct seen phases = {0}, waves = {0}, imports = {0};
    for (uint64_t seed = 0; seed < SEEDS; seed += BLOCK) {
        uint64_t key = jdi_past_key(seed), dice = key;
        struct jdi_world_config c = {.ranks = 3};
        if (key == 0)
            continue;
        jdi_past_draw(&c, key, &dice);
        look(&phases, c.past.phases, 1 << 16);
        look(&waves, c.past.waves, 1 << 16);
        look(&imports, c.past.imports / 2, 1 << 16);
        look(&imports, c.past.imports, 1 << 16);
    }
    ok(phases.before && phases.far, "walks begin before 2^16 phases, and long after");
    ok(waves.before && waves.far, "so with 2^16 waves");
    ok(imports.before && imports.far, "and with 2^16 imports");
}

static void walks_begin_anywhere(void)
{
    static const unsigned bits[] = {8, 16, 31, 32};
    const struct jdi_known *k = jdi_known_find("francez");
    struct seen phase[4] = {{0}}, wave[4] = {{0}};
    for (uint64_t seed = 0; seed < 4000; seed++) {
        struct jdi_world_config c = {.lens = k->lens};
        uint64_t dice = seed;
        jdi_past_draw_start(&c, &dice);
        for (unsigned i = 0; i < 4; i++) {
            look(&phase[i], c.first_phase, UINT64_C(1) << bits[i]);
            look(&wave[i], c.first_wave, UINT64_C(1) << bits[i]);
        }
    }
    for (unsigned i = 0; i < 4; i++)
        ok(phase[i].before && wave[i].before,
           "walks begin with phases, and waves, just below 2^%u", bits[i]);
    struct jdi_world_config c = {0};
    uint64_t dice = 1;
    jdi_past_draw_start(&c, &dice);
    ok(c.first_phase == 0 && c.first_wave == 0, "but not without a hook");
}

int main(void)
{
    world = aligned_alloc(16, sizeof *world);
    if (!world)
        bail_out("no memory");
    lives_long();
    everybody_does();
    walks_begin_late();
    walks_begin_anywhere();
    free(world);
    return done_testing();
}
