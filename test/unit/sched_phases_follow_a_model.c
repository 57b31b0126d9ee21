/*
 * sched_phases_follow_a_model.c
 *
 * Role: after each signal, and each coming and going, the phase that runs is the least that a signaller has not
 *       signalled, or without any, the most that was ever signalled: held against a look at all of them.
 * Owner: one thread.
 * See: sched/wait/phases.h.
 */
#include "core/random.h"
#include "sched/wait/phases.h"
#include "test/kit/tap.h"

#include <string.h>

enum { MOST = 12, GAMES = 400, STEPS = 500 };

struct model {
    struct jdi_signaller s[MOST];
    bool in[MOST];
    unsigned n;
    uint64_t most, phase; /* the most phases signalled; the one that runs */
};

static uint64_t least(const struct model *m)
{
    uint64_t found = UINT64_MAX;
    for (int i = 0; i < MOST; i++)
        if (m->in[i] && m->s[i].signals < found)
            found = m->s[i].signals;
    return m->n ? found : m->most;
}

/* Are the numbers of those who lag, and who are ahead, what they stand for? */
static bool counted(const struct model *m, const struct jdi_phases *p)
{
    uint64_t lagging = 0, ahead = 0;
    for (int i = 0; i < MOST; i++) {
        uint64_t lead = m->in[i] ? m->s[i].signals - p->phase : 1;
        lagging += lead == 0;
        ahead += lead >= 2;
    }
    return p->lagging == lagging && p->nahead == ahead && p->signallers == m->n;
}

static bool step(struct model *m, struct jdi_phases *p, uint64_t *rng)
{
    unsigned i = (unsigned)jdi_random_below(rng, MOST);
    struct jdi_signaller *s = &m->s[i];
    bool moved = false;
    if (!m->in[i]) {
        memset(s, 0xaa, sizeof *s);
        s->signals = p->phase + (m->n ? jdi_random_below(rng, 3) : 0);
        if (s->signals > m->most)
            s->signals = m->phase;
        jdi_phases_add(p, s);
        m->in[i] = true;
        m->n++;
    } else if (jdi_random_below(rng, 8)) {
        moved = jdi_phases_signal(p, s);
        if (s->signals > m->most)
            m->most = s->signals;
    } else {
        m->in[i] = false;
        m->n--;
        moved = jdi_phases_remove(p, s);
    }
    bool right = p->phase == least(m) && moved == (p->phase != m->phase);
    m->phase = p->phase;
    return right && counted(m, p);
}

int main(void)
{
    uint64_t rng = 1, right = 0, jumps = 0, alone = 0;
    for (int game = 0; game < GAMES; game++) {
        struct jdi_phases p = {0};
        struct model m = {.n = 0};
        for (int k = 0; k < STEPS; k++) {
            uint64_t before = p.phase;
            right += step(&m, &p, &rng);
            jumps += p.phase > before + 1;
            alone += !m.n;
        }
        jdi_phases_end(&p);
        right += !p.phase && !p.ahead.first;
    }
    is_u64(right, GAMES * (STEPS + 1), "the phase is as a look at all says");
    ok(jumps && alone, "%llu times several phases ended, and %llu times nobody was left",
       (unsigned long long)jumps, (unsigned long long)alone);
    return done_testing();
}
