/*
 * past.c - numbers close to where words end.
 *
 * See: past.h.
 */
#include "conform/past.h"

#include "conform/dice.h"

/* Walks with one past: a long one takes a second, a short one a millisecond. */
enum { LONG_BLOCK = 2000, SHORT_BLOCK = 250, NEAR = 6, SHORT_RANKS = 3 };
/* More than 70,000, of which sixteen bits know nothing. */
enum { FAR = 70000, WORD = 1 << 16 };

enum past_kind { NOTHING, PHASES, WAVES, IMPORTS, LONG_ONE };

/* Blocks of LONG_BLOCK: every other one has no past, every eighth a long one. */
static enum past_kind past_kind_of(uint64_t block)
{
    static const enum past_kind kinds[8] = {NOTHING, PHASES,  NOTHING, WAVES,
                                            NOTHING, IMPORTS, NOTHING, LONG_ONE};
    return kinds[block % 8];
}

uint64_t jdi_past_key(uint64_t seed)
{
    enum past_kind kind = past_kind_of(seed / LONG_BLOCK);
    if (kind == NOTHING)
        return 0;
    uint64_t block = kind == LONG_ONE ? LONG_BLOCK : SHORT_BLOCK;
    return seed / block * block + 1;
}

/* Around 2^7, 2^8, 2^9, or anywhere up to some hundreds. */
static uint32_t draw_short(uint64_t *dice)
{
    uint32_t near = (128u << jdi_dice_below(dice, 3)) - jdi_dice_below(dice, NEAR);
    uint32_t any = 1 + jdi_dice_below(dice, 40 << 2 * jdi_dice_below(dice, 3));
    return jdi_dice_below(dice, 2) ? near : any;
}

/* In turns, so that a campaign of the usual length has each of them. */
static uint32_t draw_long(uint64_t *dice, uint64_t turn)
{
    uint32_t near = jdi_dice_below(dice, NEAR), far = jdi_dice_below(dice, FAR / 10);
    switch (turn % 4) {
    case 1:
        return FAR + far;
    case 3:
        return WORD / 2 - near;
    default:
        return WORD - near;
    }
}

void jdi_past_draw(struct jdi_world_config *c, uint64_t key, uint64_t *dice)
{
    enum past_kind kind = past_kind_of((key - 1) / LONG_BLOCK);
    bool is_long = kind == LONG_ONE;
    uint64_t turn = (key - 1) / LONG_BLOCK / 8;
    uint32_t n = is_long ? draw_long(dice, turn / 4) : draw_short(dice);
    if (is_long) {
        static const enum past_kind kinds[4] = {PHASES, WAVES, PHASES, IMPORTS};
        kind = kinds[turn % 4];
        if (kind == PHASES && c->ranks > SHORT_RANKS)
            c->ranks = 2 + c->ranks % 2;
    }
    if (kind == PHASES)
        c->past.phases = n;
    else if (kind == WAVES)
        c->past.waves = n;
    else /* To and fro between two ranks, each gets a half. */
        c->past.imports = jdi_dice_below(dice, 2) ? 2 * n : n;
}

/* 2^8, 2^15, 2^16, 2^31, 2^32, and for words of 64 bits 2^63. */
static uint64_t draw_number(uint64_t *dice, bool wide)
{
    static const unsigned bits[] = {8, 15, 16, 31, 32, 63};
    unsigned bit = bits[jdi_dice_below(dice, wide ? 6 : 5)];
    return (UINT64_C(1) << bit) - jdi_dice_below(dice, NEAR);
}

void jdi_past_draw_start(struct jdi_world_config *c, uint64_t *dice)
{
    uint64_t phase = draw_number(dice, false), wave = draw_number(dice, true);
    unsigned what = jdi_dice_below(dice, 8);
    /* No run lasts 2^48 ns, but one of five seconds passes 2^32. */
    c->first_time = jdi_dice_below(dice, 2) ? 0 : draw_number(dice, false);
    if (!c->lens || !c->lens->start)
        return;
    if (what == 0 || what == 2)
        c->first_phase = (uint32_t)phase ? (uint32_t)phase : UINT32_MAX;
    if (what == 1 || what == 2)
        c->first_wave = wave;
}
