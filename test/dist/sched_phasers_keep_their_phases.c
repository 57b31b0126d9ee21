/*
 * sched_phasers_keep_their_phases.c
 *
 * Role: a torture by seed: tasks signal, wait for, leave and spawn into a few phasers in every mode, with
 *       deadlines of every kind, end with signals owed, and are dropped by a cancellation.  No phase ends before
 *       all who were registered for it have signalled or are gone; who has not signalled knows the phase;
 *       all waits end; and in the end as many phases have ended as anybody has signalled.  Arguments: how many
 *       rounds, the first seed.
 * Owner: each task writes its own row of `next`, before it spawns a task that one's too.
 * See: doc/phasers.md.
 */
#include "core/random.h"
#include "test/dist/sched_kit.h"

enum { PLAYER, STOPPER, OPENER };
enum { PHASERS = 3, TASKS = 48, MOVES = 24, SOON_NS = 20000, END_NS = 100000 };

struct game {
    jd_phaser phaser[PHASERS];
    unsigned nphasers;
    uint64_t seed;
    _Atomic uint64_t tasks, moves, waited, missed, wrong;
    _Atomic uint64_t signalled[PHASERS]; /* the most phases anybody has signalled */
    /* The phase that a task signals next; UINT64_MAX: it holds none. */
    _Atomic uint64_t next[PHASERS][TASKS];
};

/* What a task knows of its registration. */
struct mine {
    unsigned mode; /* 0: not registered */
    uint64_t signals, waits;
};

struct player {
    struct game *g;
    uint64_t task;
    struct mine in[PHASERS];
    bool known[PHASERS]; /* where it begins; else it asks */
};

struct round {
    struct game *g;
    struct player *p;
    uint64_t *rng;
};

static void expect(struct game *g, bool right, const char *what)
{
    if (right)
        return;
    if (!atomic_fetch_add(&g->wrong, 1))
        fprintf(stderr, "# not so: %s\n", what);
}

static uint64_t phase_of(jd_self *me, const struct game *g, unsigned i)
{
    int64_t phase = jd_phaser_phase(me, g->phaser[i]);
    must(me, (int)(phase < 0 ? phase : 0));
    return (uint64_t)phase;
}

static void hold(struct game *g, unsigned i, uint64_t task, uint64_t phase)
{
    atomic_store(&g->next[i][task], phase);
}

static void note_signal(struct game *g, unsigned i, uint64_t signals)
{
    uint64_t most = atomic_load(&g->signalled[i]);
    while (most < signals &&
           !atomic_compare_exchange_weak(&g->signalled[i], &most, signals))
        ;
}

/* Who has not signalled its phase holds it. */
static void look_at_phase(jd_self *me, struct game *g, unsigned i, const struct mine *m)
{
    uint64_t phase = phase_of(me, g, i);
    if (m->mode == JD_PHASE_BOTH && m->signals == m->waits)
        expect(g, phase == m->signals, "a phase does not end without me");
    if (m->mode & JD_PHASE_SIGNAL)
        expect(g, phase <= m->signals, "no phase ends that I have not signalled");
    if (m->mode & JD_PHASE_WAIT)
        expect(g, phase >= m->waits, "a phase for which I have waited has ended");
}

static void phase_has_ended(struct game *g, unsigned i, uint64_t phase)
{
    for (int k = 0; k < TASKS; k++)
        expect(g, atomic_load(&g->next[i][k]) > phase, "all have signalled the phase");
    atomic_fetch_add(&g->waited, 1);
}

/* A task that signals elsewhere must not wait for ever, because those may wait for it. */
static jd_time some_deadline(jd_self *me, const struct round *r, unsigned i)
{
    bool free = true;
    for (unsigned k = 0; k < r->g->nphasers; k++)
        free = free && (k == i || !(r->p->in[k].mode & JD_PHASE_SIGNAL));
    switch (jdi_random_below(r->rng, 4)) {
    case 0:
        return JD_NOW;
    case 1:
        return jd_deadline(me, jdi_random_below(r->rng, SOON_NS));
    default:
        return free ? JD_FOREVER : jd_deadline(me, jdi_random_below(r->rng, SOON_NS));
    }
}

static int take_signal(jd_self *me, const struct round *r, unsigned i)
{
    struct mine *m = &r->p->in[i];
    bool may = m->mode == JD_PHASE_SIGNAL ||
               (m->mode == JD_PHASE_BOTH && m->signals == m->waits);
    if (may)
        hold(r->g, i, r->p->task, m->signals + 1);
    int error = jd_phaser_signal(me, r->g->phaser[i]);
    expect(r->g, error == (may ? 0 : JD_ESTATE), "a signal once a phase");
    if (may)
        note_signal(r->g, i, ++m->signals);
    return 0;
}

static int take_wait(jd_self *me, const struct round *r, unsigned i, bool next)
{
    struct mine *m = &r->p->in[i];
    bool owes = m->mode == JD_PHASE_SIGNAL ||
                (m->mode == JD_PHASE_BOTH && m->signals == m->waits);
    if (next && owes)
        hold(r->g, i, r->p->task, m->signals + 1);
    jd_time by = some_deadline(me, r, i);
    int error = next ? jd_phaser_next(me, r->g->phaser[i], by)
                     : jd_phaser_wait(me, r->g->phaser[i], by);
    if (next && owes)
        note_signal(r->g, i, ++m->signals);
    if (!next && owes) {
        expect(r->g, error == JD_ESTATE, "who owes the signal does not wait");
        return 0;
    }
    expect(r->g,
           !error || error == JD_ETIMEDOUT || error == JD_ECLOSED ||
               error == JD_ECANCELED,
           "a wait ends in one of four ways");
    if (!error && m->mode & JD_PHASE_WAIT)
        phase_has_ended(r->g, i, m->waits++);
    else if (error)
        atomic_fetch_add(&r->g->missed, 1);
    if (error == JD_ECLOSED)
        expect(r->g, m->mode == JD_PHASE_WAIT, "my own signals are still to come");
    return error == JD_ECANCELED ? error : 0;
}

static void drop_me(jd_self *me, const struct round *r, unsigned i)
{
    hold(r->g, i, r->p->task, UINT64_MAX);
    must(me, jd_phaser_drop(me, r->g->phaser[i]));
    r->p->in[i].mode = 0;
    expect(r->g, jd_phaser_next(me, r->g->phaser[i], JD_NOW) == JD_ESTATE,
           "who is dropped is not registered");
}

/* A task in some of the phasers, the caller's or others; where the caller does the same it begins where the
 * caller stands. */
static void spawn_player(jd_self *me, struct game *g, const struct mine *mine,
                         uint64_t *rng)
{
    struct player p = {.g = g, .task = atomic_fetch_add(&g->tasks, 1)};
    jd_phased as[PHASERS];
    size_t n = 0;
    if (p.task >= TASKS)
        return;
    for (unsigned i = 0; i < g->nphasers; i++) {
        unsigned mode = (unsigned)jdi_random_below(rng, 5) & JD_PHASE_BOTH;
        if (!mode)
            continue;
        p.in[i].mode = mode;
        p.known[i] = (mode & mine[i].mode) == mode;
        if (p.known[i]) {
            p.in[i].signals = mine[i].signals;
            p.in[i].waits = mine[i].waits;
            if (mode & JD_PHASE_SIGNAL)
                hold(g, i, p.task, mine[i].signals);
        }
        as[n++] = (jd_phased){g->phaser[i], mode};
    }
    must(me, jd_async_phased(me, as, n, PLAYER, &p, sizeof p));
}

/* Who signals holds the phase in which it was registered. */
static void begin_player(jd_self *me, struct game *g, struct player *p)
{
    for (unsigned i = 0; i < g->nphasers; i++) {
        struct mine *m = &p->in[i];
        if (!m->mode || p->known[i])
            continue;
        m->signals = m->waits = phase_of(me, g, i);
        if (m->mode & JD_PHASE_SIGNAL)
            hold(g, i, p->task, m->signals);
        else /* nobody knows the phase of the registration, so its waits are not held against it */
            drop_me(me, &(struct round){g, p, NULL}, i);
    }
}

static int make_move(jd_self *me, const struct round *r)
{
    unsigned i = (unsigned)jdi_random_below(r->rng, r->g->nphasers);
    uint64_t kind = jdi_random_below(r->rng, 32);
    if (kind < 4)
        spawn_player(me, r->g, r->p->in, r->rng);
    for (unsigned k = 0; k < PHASERS && !r->p->in[i].mode; k++)
        i = (i + 1) % r->g->nphasers;
    if (!r->p->in[i].mode)
        return 0;
    look_at_phase(me, r->g, i, &r->p->in[i]);
    if (kind == 4)
        drop_me(me, r, i);
    else if (kind < 8)
        return take_signal(me, r, i);
    else
        return take_wait(me, r, i, kind > 12);
    return 0;
}

static void hold_nothing(void *arg)
{
    const struct player *p = arg;
    for (unsigned i = 0; i < PHASERS; i++)
        hold(p->g, i, p->task, UINT64_MAX);
}

/* Players stay at their rank. */
static size_t no_size(const void *arg)
{
    (void)arg;
    abort();
}

static void no_pack(void *arg, void *to)
{
    (void)arg, (void)to;
    abort();
}

static void no_unpack(void *arg, const void *from, size_t n)
{
    (void)arg, (void)from, (void)n;
    abort();
}

static void player(jd_self *me, void *arg)
{
    struct player p = *(struct player *)arg;
    struct game *g = p.g;
    uint64_t rng = g->seed * TASKS + p.task + 1;
    const struct round r = {g, &p, &rng};
    int error = 0;
    begin_player(me, g, &p);
    for (uint64_t n = jdi_random_below(&rng, MOVES); n > 0 && !error; n--) {
        error = make_move(me, &r);
        atomic_fetch_add(&g->moves, 1);
        if (jdi_random_below(&rng, 8) == 0)
            jd_compute(me, jdi_random_below(&rng, 2000));
    }
    hold_nothing(&p);
}

/* A task that never begins holds nothing: it is dropped. */
static const jd_task_hooks player_hooks = {no_size, no_pack, no_unpack, hold_nothing};

static void stopper(jd_self *me, void *arg)
{
    int error = jd_sleep(me, *(uint64_t *)arg);
    must(me, error == JD_ECANCELED ? 0 : error);
    must(me, jd_cancel(me, jd_finish_mine(me)));
}

/* Before anybody was registered to signal, who waits for ever would do so. */
static void opener(jd_self *me, void *arg)
{
    (void)me, (void)arg;
}

static const jd_task_def tasks[] = {[PLAYER] = JD_TASK_WITH(player, &player_hooks),
                                    [STOPPER] = JD_TASK(stopper),
                                    [OPENER] = JD_TASK(opener),
                                    JD_TASK_END};

/* Play one game; true if each phase ended when it should. */
static bool play(jd_self *me, struct game *g, uint64_t seed)
{
    uint64_t rng = (seed + 1) * UINT64_C(0x9E3779B97F4A7C15);
    struct mine mine[PHASERS] = {{0}};
    bool stops = jdi_random_below(&rng, 3) == 0;
    jd_scope s;
    memset(g, 0, sizeof *g);
    memset(g->next, 0xff, sizeof g->next);
    g->seed = seed;
    g->nphasers = 1 + (unsigned)jdi_random_below(&rng, PHASERS);
    must(me, jd_finish_begin(me, &s));
    if (stops) {
        uint64_t ns = jdi_random_below(&rng, END_NS);
        must(me, jd_async_local(me, STOPPER, &ns, sizeof ns));
    }
    for (unsigned i = 0; i < g->nphasers; i++) {
        mine[i].mode = (unsigned)jdi_random_below(&rng, 4);
        must(me, jd_phaser_create(me, mine[i].mode, &g->phaser[i]));
        jd_phased as = {g->phaser[i], JD_PHASE_SIGNAL};
        must(me, jd_async_phased(me, &as, 1, OPENER, NULL, 0));
    }
    for (uint64_t n = 1 + jdi_random_below(&rng, 16); n > 0; n--)
        spawn_player(me, g, mine, &rng);
    for (unsigned i = 0; i < g->nphasers; i++)
        if (mine[i].mode)
            must(me, jd_phaser_drop(me, g->phaser[i]));
    int error = jd_finish_end(me, &s);
    expect(g, !error || (stops && error == JD_ECANCELED), "the finish ends");
    for (unsigned i = 0; i < g->nphasers; i++) {
        expect(g, phase_of(me, g, i) == atomic_load(&g->signalled[i]),
               "what was signalled has ended");
        must(me, jd_phaser_destroy(me, g->phaser[i]));
    }
    return !atomic_load(&g->wrong);
}

static int body(jd_self *me, int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 30, seed = argc > 2 ? atol(argv[2]) : 1;
    uint64_t moves = 0, waited = 0, missed = 0;
    bool right = true;
    struct game *g = malloc(sizeof *g);
    if (!g)
        jd_abort(me, 99, "no memory");
    for (long i = 0; i < rounds && right; i++) {
        right = play(me, g, (uint64_t)(seed + i) * jd_nranks(me) + jd_rank(me));
        moves += atomic_load(&g->moves);
        waited += atomic_load(&g->waited);
        missed += atomic_load(&g->missed);
        if (!right)
            fprintf(stderr, "# rank %u: wrong with seed %ld\n", jd_rank(me), seed + i);
    }
    moves = sum_of(me, moves), waited = sum_of(me, waited), missed = sum_of(me, missed);
    ok_all(me, right, "phases end when all have signalled, and no sooner");
    ok_all(me, waited > 0 && missed > 0,
           "%llu moves: %llu waits for a phase, and %llu that ended otherwise",
           (unsigned long long)moves, (unsigned long long)waited,
           (unsigned long long)missed);
    free(g);
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    return jd_launch(argc, argv, body, tasks);
}
