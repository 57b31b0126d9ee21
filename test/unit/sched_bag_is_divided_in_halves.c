/*
 * sched_bag_is_divided_in_halves.c
 *
 * Role: whatever is done to bags, each ULT is in one place; the newest leaves first; a half is a half.
 * Owner: one thread.
 * Invariants: I1 to I3 of sched/bag.h.
 * See: sched/bag.c.
 */
#include "core/random.h"
#include "sched/bag.h"
#include "test/kit/tap.h"

enum { ULTS = 1000, STEPS = 300000, BAGS = 3 };

struct world {
    jd_self ult[ULTS];
    unsigned char at[ULTS]; /* in which bag: 1 + index; 0: in hand */
    struct jdi_bag bag[BAGS];
};

/* How many there are in a tree of 2^k - 1, each in the bag that it should be in. */
static uint32_t count_tree(const struct world *w, const jd_self *s, unsigned k,
                           unsigned bag)
{
    if (!s || !k)
        return s || k ? ULTS + 1 : 0; /* too deep, or not deep enough */
    if (w->at[s - w->ult] != bag + 1)
        return ULTS + 1;
    return 1 + count_tree(w, s->older, k - 1, bag) + count_tree(w, s->newer, k - 1, bag);
}

static bool is_sound(const struct world *w, unsigned bag)
{
    uint32_t n = 0;
    int last = -1;
    for (const jd_self *p = w->bag[bag].first; p; p = p->next) {
        if (p->pennant <= last || p->newer || w->at[p - w->ult] != bag + 1)
            return false;
        last = p->pennant;
        n += 1 + count_tree(w, p->older, p->pennant, bag);
    }
    return n == w->bag[bag].n;
}

static jd_self *in_hand(struct world *w, uint64_t *rng)
{
    unsigned first = jdi_random_below(rng, ULTS);
    for (unsigned i = 0; i < ULTS; i++)
        if (!w->at[(first + i) % ULTS])
            return &w->ult[(first + i) % ULTS];
    return NULL;
}

static void label(struct world *w, const jd_self *s, unsigned char at)
{
    if (!s)
        return;
    w->at[s - w->ult] = at;
    label(w, s->older, at);
    label(w, s->newer, at);
}

/* False if a half is no half. */
static bool halve(struct world *w, unsigned from, unsigned to)
{
    uint32_t n = w->bag[from].n;
    if (w->bag[to].n)
        return true;
    jdi_bag_halve(&w->bag[from], &w->bag[to]);
    for (const jd_self *p = w->bag[to].first; p; p = p->next)
        label(w, p, (unsigned char)(to + 1));
    return w->bag[to].n == n - n / 2 && w->bag[from].n == n / 2;
}

static void test_soundness(void)
{
    static struct world w;
    uint64_t rng = 0x9E3779B97F4A7C15ULL;
    unsigned wrong = 0, most = 0;
    for (unsigned step = 0; step < STEPS && !wrong; step++) {
        unsigned b = jdi_random_below(&rng, BAGS), what = jdi_random_below(&rng, 100);
        bool filling = step / 3000 % 2 == 0;
        jd_self *s = NULL;
        if (what < (filling ? 60U : 30U)) {
            if ((s = in_hand(&w, &rng))) {
                jdi_bag_add(&w.bag[b], s);
                w.at[s - w.ult] = (unsigned char)(b + 1);
            }
        } else if (what < 98) {
            s = what & 1 ? jdi_bag_take_new(&w.bag[b]) : jdi_bag_take_old(&w.bag[b]);
            if (s) {
                wrong += w.at[s - w.ult] != b + 1;
                w.at[s - w.ult] = 0;
            }
        } else {
            wrong += !halve(&w, b, (b + 1) % BAGS);
        }
        most = w.bag[b].n > most ? w.bag[b].n : most;
        if (what >= 98 || step % 64 == 0)
            wrong += !is_sound(&w, b) + !is_sound(&w, (b + 1) % BAGS);
    }
    ok(!wrong, "each is where it should be, halves are halves; at most %u in a bag",
       most);
    ok(most > ULTS / 4, "the bags were well filled");
}

static void test_order(void)
{
    static jd_self ult[100];
    struct jdi_bag b = {0};
    bool right = true;
    for (int i = 0; i < 100; i++)
        jdi_bag_add(&b, &ult[i]);
    for (int i = 99; i >= 0; i--)
        right = right && jdi_bag_take_new(&b) == &ult[i];
    ok(right && !b.n && !b.first, "the newest leaves first");
    for (int i = 0; i < 100; i++)
        jdi_bag_add(&b, &ult[i]);
    ok(jdi_bag_take_old(&b) == &ult[0], "and the other end is the oldest");
}

int main(void)
{
    test_order();
    test_soundness();
    return done_testing();
}
