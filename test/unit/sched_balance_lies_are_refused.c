/* A message with a wrong field never breaks an invariant of who gets it.  It is refused, with a text, or
 * it is one that a right rank could have sent: then the session ends, or waits for ever, or its sums
 * do not come out. */
#include "test/unit/sched_balance_kit.h"

enum { GAMES = 3000, SHAPES = 7 };

static uint64_t dice;

/* Change a bit of one message in ten. */
static bool flip(struct fair *f, const struct fair_mail *m)
{
    (void)f;
    if (jdi_dice_below(&dice, 10) > 0)
        return false;
    unsigned char *bytes = m->bytes;
    bytes[jdi_dice_below(&dice, (uint32_t)m->len)] ^=
        (unsigned char)(1u << jdi_dice_below(&dice, 8));
    return false;
}

static void one_bit(unsigned k)
{
    static struct fair f;
    unsigned refused = 0, open = 0, ended = 0;
    for (uint64_t seed = 1; seed <= GAMES; seed++) {
        fair_open(&f, k, 2 + (uint32_t)(seed % 9), seed);
        fair_deal(&f, seed);
        f.spoils = flip;
        const char *wrong = fair_session(&f);
        if (wrong && strcmp(wrong, "a rank is not done") == 0)
            open++;
        else if (wrong)
            refused++;
        else
            ended++;
        fair_close(&f);
    }
    diag("%s: %u refused, %u open, %u ended", balancer_names[k], refused, open, ended);
    ok(refused > GAMES / 4, "%s refuses what cannot be, and nothing breaks",
       balancer_names[k]);
}

/* Messages of a wrong shape, to a rank that waits for sums. */
static void shapes(void)
{
    static struct fair f;
    struct jdi_balance_head h[SHAPES];
    static const char *const text[SHAPES] = {
        "a message of a type that does not exist",
        "a message of another session",
        "a list that is longer than all tasks",
        "a piece outside of its list",
        "a piece of the wrong length",
        "sums that cannot be",
        "sums that nobody waits for",
    };
    for (unsigned i = 0; i < SHAPES; i++)
        h[i] = (struct jdi_balance_head){.session = 1, .type = JDI_BALANCE_SUM};
    h[0].type = JDI_BALANCE_TYPES;
    h[1].session = 3;
    h[2].total = 1u << 30;
    h[3].first = JDI_BALANCE_PIECE;
    h[4].total = 1;
    h[5].word[1] = JDI_BALANCE_SUM_MOST + 1;
    for (unsigned i = 0; i < SHAPES; i++) {
        uint32_t src, from = i + 1 < SHAPES ? 1 : 3;
        fair_open(&f, 0, 4, 0);
        int rc = jdi_balance_start(f.stand[0].b, NULL, 0);
        rc = rc ? rc : jdi_balance_message(f.stand[0].b, from, &h[i], sizeof h[i]);
        const char *lie = jdi_balance_lie(f.stand[0].b, &src);
        if (i + 1 == SHAPES && rc == 0) /* a second time: nobody waits for it any more */
            rc = jdi_balance_message(f.stand[0].b, from, &h[i], sizeof h[i]);
        lie = jdi_balance_lie(f.stand[0].b, &src);
        ok(rc == JD_EINVAL && src == from, "refused: %s", text[i]);
        is_str(lie ? lie : "", text[i], "and the text says so");
        fair_close(&f);
    }
}

int main(void)
{
    dice = 4711;
    shapes();
    for (unsigned k = 0; k < BALANCERS; k++)
        one_bit(k);
    return done_testing();
}
