/*
 * sched_deque_follows_the_model.c
 *
 * Role: random operations, in one thread, on a deque and on a model that is only a row of numbers.
 *       After every step the two agree and the deque's check passes.
 *       Argument: the seed, to repeat a run that failed.
 * Owner: one thread.
 * See: sched/deque.h.
 */
#include "test/unit/sched_deque_kit.h"

enum { STEPS = 4000, RUNS = 40, OPEN_CLAIMS = 4, MOST = 1 << 16 };

/* Numbers [stail, split) are open, [split, head) the owner's, in this array by index. */
struct model {
    uint64_t number[MOST]; /* index & (MOST - 1) */
    uint64_t stail, split, head, next;
    struct {
        struct jdi_claim claim;
        bool used;
        uint64_t from;
    } claim[OPEN_CLAIMS];
    uint64_t rng;
};

static uint64_t *at(struct model *m, uint64_t i)
{
    return &m->number[i & (MOST - 1)];
}

static uint64_t below(struct model *m, uint64_t n)
{
    return kit_random(&m->rng) % n;
}

static bool do_push(struct model *m, struct jdi_deque *d)
{
    for (uint64_t n = 1 + below(m, 9); n > 0; n--) {
        kit_push(d, m->next);
        *at(m, m->head++) = m->next++;
    }
    return true;
}

static bool do_pop(struct model *m, struct jdi_deque *d)
{
    uint64_t want = 0;
    if (m->head == m->split) /* takes half of the open ones back first */
        m->split -= (m->split - m->stail + 1) / 2;
    if (m->head > m->split)
        want = *at(m, --m->head);
    return kit_pop(d) == want;
}

static bool do_release(struct model *m, struct jdi_deque *d)
{
    uint64_t n = below(m, m->head - m->split + 1);
    jdi_deque_release(d, n);
    m->split += n;
    return true;
}

static bool do_reclaim(struct model *m, struct jdi_deque *d)
{
    bool has = m->head > m->stail;
    if (m->head == m->split)
        m->split -= (m->split - m->stail + 1) / 2;
    return jdi_deque_reclaim(d) == has;
}

static bool do_pry(struct model *m, struct jdi_deque *d)
{
    static const _Atomic bool may = true;
    if (m->split == m->stail)
        m->split += (m->head - m->split + 1) / 2;
    return jdi_deque_pry(d, &may) == (m->split > m->stail);
}

static bool do_claim(struct model *m, struct jdi_deque *d)
{
    unsigned k = (unsigned)below(m, OPEN_CLAIMS);
    if (m->claim[k].used)
        return true;
    uint64_t open = m->split - m->stail, amount = below(m, 4), max = below(m, 20);
    uint64_t n = amount ? amount : (open + 1) / 2;
    bool straight = below(m, 2);
    n = n < open ? n : open;
    n = n < max ? n : max;
    if (straight && n > d->mask + 1 - (m->stail & d->mask))
        n = d->mask + 1 - (m->stail & d->mask);
    if (jdi_deque_claim(d, amount, max, straight, &m->claim[k].claim) != (n > 0))
        return false;
    if (n == 0)
        return true;
    m->claim[k].used = true;
    m->claim[k].from = m->stail;
    m->stail += n;
    return m->claim[k].claim.n == n;
}

/* Finishing looks at the contents, however long ago they were claimed. */
static bool do_finish(struct model *m, struct jdi_deque *d)
{
    unsigned k = (unsigned)below(m, OPEN_CLAIMS);
    if (!m->claim[k].used)
        return true;
    bool right = true;
    for (uint64_t i = 0; i < m->claim[k].claim.n; i++)
        right = right && kit_number_of(jdi_claim_slot(&m->claim[k].claim, i)) ==
                             *at(m, m->claim[k].from + i);
    jdi_deque_finish(d, &m->claim[k].claim);
    m->claim[k].used = false;
    return right;
}

static bool do_reserve(struct model *m, struct jdi_deque *d)
{
    uint64_t want = below(m, 50);
    return jdi_deque_reserve(d, want) == 0 && d->limit - jdi_deque_head(d) >= want;
}

static bool agree(const struct model *m, struct jdi_deque *d)
{
    jdi_deque_check(d);
    return jdi_deque_open(d) == m->split - m->stail &&
           jdi_deque_private(d) == m->head - m->split &&
           jdi_deque_stingy(d) == (m->head > m->split && m->split == m->stail);
}

/* One run; the step that went wrong, or 0. */
static unsigned walk(uint64_t seed)
{
    static const struct step {
        const char *name;
        bool (*run)(struct model *m, struct jdi_deque *d);
        unsigned weight;
    } steps[] = {{"push", do_push, 6},       {"pop", do_pop, 12},
                 {"release", do_release, 4}, {"reclaim", do_reclaim, 1},
                 {"claim", do_claim, 5},     {"finish", do_finish, 5},
                 {"reserve", do_reserve, 1}, {"pry", do_pry, 1}};
    static const unsigned total = 6 + 12 + 4 + 1 + 5 + 5 + 1 + 1;
    struct model *m = calloc(1, sizeof *m);
    struct jdi_deque d;
    unsigned wrong = 0;
    if (!m)
        bail_out("no memory");
    m->next = 1;
    m->rng = seed;
    jdi_deque_init(&d, KIT_SLOT, true, NULL);
    for (unsigned i = 1; i <= STEPS && !wrong; i++) {
        uint64_t pick = below(m, total);
        const struct step *s = steps;
        while (pick >= s->weight)
            pick -= s++->weight;
        if (!s->run(m, &d) || !agree(m, &d)) {
            diag("step %u, %s", i, s->name);
            wrong = i;
        }
    }
    jdi_deque_fini(&d);
    free(m);
    return wrong;
}

int main(int argc, char **argv)
{
    if (!jdi_fence_start())
        skip_all("this kernel has no membarrier");
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    for (uint64_t seed = first; seed < first + (argc > 1 ? 1 : RUNS); seed++)
        is_u64(walk(seed), 0, "seed %llu", (unsigned long long)seed);
    return done_testing();
}
