/*
 * sched_steal_policies_answer_every_request.c
 *
 * Role: each policy on several ranks whose messages arrive in any order, over several phases.  No
 *       task is lost, every request gets exactly one first answer, the counts satisfy the formula,
 *       every rank becomes patient when no task is left, and success-only never fails.
 * Owner: one thread; everything follows from a seed.
 * See: doc/transfer.md, "The formula".
 */
#include "core/random.h"
#include "sched/steal/find.h"
#include "test/unit/sched_steal_kit.h"

enum { MOST = 12, BAG = 4096, PHASES = 3, STEPS = 400000, SEEDS = 40 };

enum kind { STEAL = 1, TASKS, NOWORK, LOAD };

struct message {
    enum kind kind;
    uint32_t src, dst, phase, tasks;
    enum jdi_steal_manner manner;
    enum jdi_steal_answer answer;
    bool knows;
};

struct world {
    uint32_t n, nbag, announced; /* the last phase that has ended for all */
    struct kit_thief rank[MOST];
    uint32_t phase[MOST], tasks[MOST], load[MOST];
    bool open[MOST];
    struct message bag[BAG];
    uint64_t dice, sent;
    bool right;
};

static uint32_t roll(struct world *w, uint32_t n)
{
    return jdi_random_below(&w->dice, n);
}

static void post(struct world *w, struct message m)
{
    w->right = w->right && w->nbag < BAG;
    w->sent += m.kind != LOAD;
    w->bag[w->nbag++ % BAG] = m;
}

static void give(struct world *w, uint32_t from, uint32_t to, enum jdi_steal_answer a)
{
    uint32_t n = (w->tasks[from] + 1) / 2;
    w->tasks[from] -= n;
    post(w, (struct message){TASKS, from, to, w->phase[from], n, 0, a, false});
}

static void answer(struct world *w, const struct message *m, enum jdi_steal_answer a)
{
    post(w, (struct message){NOWORK, m->dst, m->src, m->phase, 0, 0, a, false});
}

static void on_steal(struct world *w, const struct message *m)
{
    static const enum jdi_steal_answer says[] = {
        [JDI_STEAL_REFUSE] = JDI_STEAL_REFUSED, [JDI_STEAL_TURN] = JDI_STEAL_OCCUPIED,
        [JDI_STEAL_QUEUE] = JDI_STEAL_KEPT,     [JDI_STEAL_DROP] = JDI_STEAL_KEPT,
        [JDI_STEAL_VOID] = JDI_STEAL_CROSSED,
    };
    struct kit_thief *v = &w->rank[m->dst];
    struct jdi_steal_request q = {
        .thief = {.rank = m->src}, .manner = m->manner, .knows = m->knows};
    q.early = m->phase == w->phase[m->dst] + 1;
    q.late = !q.early && !(w->open[m->dst] && m->phase == w->phase[m->dst]);
    w->right = w->right && !jdi_steal_fault_of_request(v->ops, &v->s, &q);
    bool can = !q.early && !q.late && w->tasks[m->dst] > 1;
    enum jdi_steal_verdict verdict = v->ops->asked(&v->s, &q, can);
    if (verdict == JDI_STEAL_GIVE)
        give(w, m->dst, m->src,
             m->manner == JDI_STEAL_KEEP ? JDI_STEAL_PROMPT : JDI_STEAL_TASKS);
    else if (verdict != JDI_STEAL_WAIT)
        answer(w, m, says[verdict]);
}

/* Phases of a thief are one ahead: the kit has begun one. */
static void hear(struct world *w, struct kit_thief *t, const struct message *m)
{
    uint32_t phase = m->phase + 1;
    w->right = w->right && !jdi_steal_fault_of_answer(&t->s, m->src, phase, m->answer);
    jdi_steal_answered(&t->s, m->src, phase, m->answer);
}

static void deliver(struct world *w, uint32_t i)
{
    struct message m = w->bag[i];
    struct kit_thief *t = &w->rank[m.dst];
    w->bag[i] = w->bag[--w->nbag];
    switch (m.kind) {
    case STEAL:
        on_steal(w, &m);
        break;
    case TASKS:
        w->right = w->right && w->open[m.dst] && w->phase[m.dst] == m.phase;
        w->tasks[m.dst] += m.tasks;
        hear(w, t, &m);
        break;
    case NOWORK:
        hear(w, t, &m);
        break;
    case LOAD:
        jdi_steal_load(&t->s, m.src, m.tasks, true);
        break;
    }
}

static void serve(struct world *w, uint32_t i, bool end)
{
    struct jdi_steal *s = &w->rank[i].s;
    while (s->thieves.n) {
        bool told = s->thieves.ring[s->thieves.first].told;
        bool can = !end && w->tasks[i] > 1;
        if (told && !can)
            return;
        uint32_t thief = jdi_thieves_take(&s->thieves).rank;
        if (can)
            give(w, i, thief, told ? JDI_STEAL_SECOND : JDI_STEAL_TASKS);
        else
            post(w, (struct message){NOWORK, i, thief, w->phase[i], 0, 0,
                                     JDI_STEAL_REFUSED, false});
    }
}

static void turn(struct world *w, uint32_t i)
{
    struct kit_thief *t = &w->rank[i];
    t->now += roll(w, 150000);
    serve(w, i, false);
    w->load[i] = w->tasks[i];
    if (w->tasks[i]) {
        jdi_steal_fed(&t->s);
        if (roll(w, 2) == 0)
            w->tasks[i]--;
        return;
    }
    struct jdi_steal_move m = kit_move(t);
    if (m.act == JDI_STEAL_LOOK)
        post(w, (struct message){LOAD, m.victim, i, 0, w->load[m.victim], 0, 0, false});
    else if (m.act == JDI_STEAL_ASK)
        post(w,
             (struct message){STEAL, i, m.victim, w->phase[i], 0, m.manner, 0, m.knows});
}

static void end_phase(struct world *w, uint32_t i)
{
    serve(w, i, true);
    jdi_steal_end(&w->rank[i].s);
    w->open[i] = false;
}

static void begin_phase(struct world *w, uint32_t i)
{
    w->phase[i]++;
    w->open[i] = true;
    jdi_steal_begin(&w->rank[i].s);
    w->tasks[i] = i == w->phase[i] % w->n ? 50 + roll(w, 200) : 0;
}

/* Nothing is left of the present phase, and every rank knows it of itself. */
static bool over(const struct world *w)
{
    for (uint32_t i = 0; i < w->nbag; i++)
        if (w->bag[i].kind == TASKS)
            return false;
    for (uint32_t i = 0; i < w->n; i++)
        if (!w->open[i] || w->phase[i] != w->announced + 1 || w->tasks[i] ||
            !w->rank[i].ops->patient(&w->rank[i].s))
            return false;
    return true;
}

static void step(struct world *w)
{
    uint32_t i = roll(w, w->n);
    if (w->open[i] && w->phase[i] <= w->announced)
        end_phase(w, i);
    else if (!w->open[i] && w->phase[i] < PHASES)
        begin_phase(w, i);
    else if (w->nbag && roll(w, 2))
        deliver(w, roll(w, w->nbag));
    else if (w->open[i])
        turn(w, i);
    if (over(w))
        w->announced++;
}

static bool ended(const struct world *w)
{
    for (uint32_t i = 0; i < w->n; i++)
        if (w->open[i] || w->phase[i] < PHASES)
            return false;
    return !w->nbag;
}

static bool counts_are_right(const struct world *w)
{
    struct jdi_steal_counts all = {0};
    bool closed = true, may_fail = w->rank[0].ops != &jdi_steal_success_only;
    for (uint32_t i = 0; i < w->n; i++) {
        const struct jdi_steal *s = &w->rank[i].s;
        closed = closed && !s->open && !s->looking && !s->thieves.n && !s->early.n;
        all.attempts += s->count.attempts;
        all.second += s->count.second;
        all.steals += s->count.steals;
        all.failed += s->count.failed + s->count.occupied;
        all.unserved += s->count.crossed + s->count.unserved;
        all.cyclic += s->count.cyclic;
    }
    return closed && w->sent == 2 * all.attempts + all.second &&
           all.attempts == all.steals + all.failed + all.unserved &&
           (may_fail || !all.failed) && (w->rank[0].config.cyclic || !all.cyclic);
}

static bool play(const struct jdi_steal_ops *ops, uint32_t n, bool cyclic, uint64_t seed)
{
    static struct world w;
    w = (struct world){.n = n, .dice = seed * 2654435761u + 1, .right = true};
    for (uint32_t i = 0; i < n; i++) {
        kit_thief_init(&w.rank[i], ops, i, n);
        w.rank[i].config.cyclic = cyclic;
        jdi_steal_end(&w.rank[i].s);
    }
    for (int steps = 0; steps < STEPS && !ended(&w); steps++)
        step(&w);
    bool right = w.right && ended(&w) && counts_are_right(&w);
    for (uint32_t i = 0; i < n; i++)
        jdi_steal_fini(&w.rank[i].s);
    return right;
}

int main(void)
{
    static const uint32_t counts[] = {2, 3, 5, MOST};
    for (int kind = 0; kind <= JDI_STEAL_KIND_LIFELINE; kind++) {
        const struct jdi_steal_ops *ops = jdi_steal_find(kind);
        for (size_t k = 0; k < JDI_ARRAY_LEN(counts); k++) {
            unsigned right = 0;
            for (uint64_t seed = 0; seed < SEEDS; seed++)
                right += play(ops, counts[k], seed % 2, seed + 1);
            is_u64(right, SEEDS, "%s on %u ranks", ops->name, counts[k]);
        }
    }
    return done_testing();
}
