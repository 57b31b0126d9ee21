/*
 * sched_waiting_survives_torture.c
 *
 * Role: from a seed, a graph of tasks of collections and finishes, which wait in every way and are woken by
 *       everybody.  Each task runs once, each wait ends once and not before it was ended, no end of a
 *       collection or a finish comes too early, items and bytes arrive.
 * Owner: the body; the counters of a game are beside the library.
 *        Arguments: see test/dist/sched_waiting_jobs.h.
 * Invariants: I1 whoever wakes a task does not wait for a task that waits for it, so every game ends.
 * See: test/dist/sched_waiting_torture.h; doc/deques.md, doc/waiting.md;
 *      test/sim/sched_waiting_under_many_seeds.sh, test/dist/sched_waiting_torture.sh.
 */
#include "test/dist/sched_waiting_jobs.h"

enum { NODE, WAKE, GIVE, SET };
enum { DEPTH = 4, SOON_NS = 20000 };

struct job {
    uint64_t seed;
    uint32_t id, group;
    uint16_t depth, coll; /* coll: of which it keeps the phase open, COLLS if of none */
    uint32_t home, box;   /* of those who wake */
    jd_future future;
};

/* What a task knows while it runs; `group` is its innermost finish or its collection. */
struct player {
    jd_self *me;
    struct side *side;
    uint64_t rng;
    struct job job;
    unsigned nested;
};

static struct state {
    jd_coll *coll[COLLS];
    unsigned ncolls;
    jd_mem mem;
} state[RANKS];

static uint32_t below(struct player *p, uint32_t n)
{
    return jdi_random_below(&p->rng, n);
}

/* ---- tasks are made, begin and end --------------------------------------------------- */

static bool prepare(struct job *j)
{
    return prepare_task(j->group, &j->id);
}

static struct player begin(jd_self *me, const void *arg)
{
    struct player p = {.me = me, .side = &all->side[jd_rank(me)]};
    memcpy(&p.job, arg, sizeof p.job);
    p.rng = scatter(p.job.seed);
    if (atomic_fetch_add_explicit(&all->ran[p.job.id], 1, RELAXED))
        complain(me, "a task runs twice");
    return p;
}

static void leave(const struct player *p)
{
    one_more(&all->group[p->job.group].ended);
}

/* Spawn it in the finish or collection of p; a collection that ends later will do, too. */
static void spawn(struct player *p, jd_task task, struct job j)
{
    jd_self *me = p->me;
    const struct state *st = &state[jd_rank(me)];
    j.seed = jdi_random(&p->rng);
    j.coll = p->job.coll;
    j.group = p->job.group;
    j.depth = p->job.depth ? p->job.depth - 1 : 0;
    unsigned after = j.coll < COLLS ? st->ncolls - j.coll : 0;
    if (after > 1 && below(p, 4) == 0)
        j.group = j.coll += 1 + below(p, after - 1);
    if (!prepare(&j)) {
        if (task != NODE)
            jd_abort(me, 99, "seed %llu makes too many tasks",
                     (unsigned long long)all->seed);
        return;
    }
    if (j.group < COLLS)
        must(me, jd_coll_add(me, st->coll[j.group], task, &j, sizeof j));
    else if (below(p, 3) == 0)
        must(me, jd_async_at(me, below(p, jd_nranks(me)), task, &j, sizeof j));
    else if (below(p, 2))
        must(me, jd_async(me, task, &j, sizeof j));
    else
        must(me, jd_async_local(me, task, &j, sizeof j));
}

/* A waker in the wrong place goes to its rank.  One of a collection needs a finish for that. */
static bool is_home(struct player *p, jd_task task)
{
    jd_self *me = p->me;
    jd_scope s;
    struct job j = p->job;
    if (j.home == jd_rank(me))
        return true;
    bool opens = j.group < COLLS;
    if (opens) {
        j.group = one_more(&all->ngroups);
        if (j.group >= MOST_GROUPS)
            jd_abort(me, 99, "too many finishes");
        must(me, jd_finish_begin(me, &s));
    }
    if (!prepare(&j))
        jd_abort(me, 99, "too many tasks");
    must(me, jd_async_at(me, j.home, task, &j, sizeof j));
    if (opens)
        must(me, jd_finish_end(me, &s));
    return false;
}

static void wake(jd_self *me, void *arg)
{
    struct player p = begin(me, arg);
    if (is_home(&p, WAKE))
        visit_box(me, &p.side->box[p.job.box]);
    leave(&p);
}

static void give(jd_self *me, void *arg)
{
    struct player p = begin(me, arg);
    if (is_home(&p, GIVE))
        give_to_pile(me, p.side, &p.side->pile);
    leave(&p);
}

static void set(jd_self *me, void *arg)
{
    struct player p = begin(me, arg);
    must(me, jd_future_set(me, p.job.future, &p.job.seed, sizeof p.job.seed));
    leave(&p);
}

/* ---- waiting ------------------------------------------------------------------------- */

struct stop {
    struct side *side;
    struct box *box;
    enum op op;
    bool names; /* the resumer passes the stopped one as the caller */
};

static void publish(jd_self *stopped, void *arg)
{
    struct stop s = *(struct stop *)arg;
    if (s.op == OWN) {
        wake_box(s.names ? stopped : NULL, s.box, stopped);
    } else if (s.op == PILED) {
        take_from_pile(stopped, s.side, &s.side->pile, s.box);
    } else if (s.op == FOREIGN) {
        take_from_pile(stopped, s.side, &s.side->foreign, s.box);
    } else if (atomic_exchange_explicit(&s.box->held, (uintptr_t)stopped,
                                        memory_order_acq_rel)) {
        wake_box(NULL, s.box, stopped);
    }
}

/* Stop, with a waker under way; all that was must be as it was. */
static void suspend(struct player *p, enum op op)
{
    jd_self *me = p->me;
    struct side *side = p->side;
    uint32_t i = one_more(&side->nboxes);
    if (i >= MOST_BOXES)
        return;
    struct box *b = &side->box[i];
    struct stop s = {side, b, op, below(p, 2)};
    struct job j = {.home = jd_rank(me), .box = i};
    uint64_t before = p->rng;
    if (op == BOXED)
        spawn(p, WAKE, j);
    else if (op == PILED)
        spawn(p, GIVE, j);
    before = p->rng;
    unsigned worker = jd_worker(me);
    jd_suspend(me, publish, &s);
    if (b->note != UINT64_C(0x5EED) + (uintptr_t)me || b->back++ ||
        atomic_load_explicit(&b->resumes, RELAXED) != 1)
        complain(me, "a task goes on that nobody has woken");
    if (p->rng != before || p->side != side || p->me != me)
        complain(me, "a task has lost its stack");
    count_one(&all->suspended);
    if (jd_worker(me) != worker)
        count_one(&all->moved);
}

/* Woken by a task that comes from another rank. */
static void suspend_for_mail(struct player *p)
{
    jd_self *me = p->me;
    uint32_t i = one_more(&p->side->nboxes);
    if (p->job.group < COLLS || i >= MOST_BOXES)
        return;
    struct box *b = &p->side->box[i];
    struct stop s = {p->side, b, MAILED, false};
    struct job j = p->job;
    j.home = jd_rank(me), j.box = i, j.seed = jdi_random(&p->rng);
    if (!prepare(&j))
        jd_abort(me, 99, "too many tasks");
    must(me, jd_async_at(me, below(p, jd_nranks(me)), WAKE, &j, sizeof j));
    jd_suspend(me, publish, &s);
    if (b->note != UINT64_C(0x5EED) + (uintptr_t)me || b->back++)
        complain(me, "a task goes on before the message");
    count_one(&all->suspended);
}

static void use_channel(struct player *p)
{
    jd_self *me = p->me;
    jd_time until = below(p, 3) ? jd_deadline(me, below(p, SOON_NS)) : JD_NOW;
    uint64_t item = p->job.id;
    int error;
    if (below(p, 2)) {
        if (!(error = jd_channel_send(me, p->side->channel, &item, until)))
            count_one(&all->sent);
    } else {
        if (!(error = jd_channel_receive(me, p->side->channel, &item, until)))
            count_one(&all->received);
        if (item >= MOST_TASKS + RANKS)
            complain(me, "an item was never sent");
    }
    if (error && error != JD_ETIMEDOUT)
        jd_abort(me, 99, "a channel says: %s", jd_strerror(error));
}

/* Bytes of the task's own, in the part of any rank. */
static void copy(struct player *p)
{
    jd_self *me = p->me;
    jd_mem mem = state[jd_rank(me)].mem;
    uint64_t word = jdi_random(&p->rng), back = 0, at = 8 * (uint64_t)p->job.id;
    uint32_t rank = below(p, jd_nranks(me));
    must(me, jd_put(me, mem, rank, at, &word, sizeof word));
    must(me, jd_get(me, mem, rank, at, &back, sizeof back));
    if (back != word)
        complain(me, "bytes are lost");
}

static void await_future(struct player *p)
{
    jd_self *me = p->me;
    struct job j = {.home = 0};
    uint64_t value = 0;
    must(me, jd_future_create(me, &j.future));
    spawn(p, SET, j);
    must(me, jd_future_get(me, j.future, &value, sizeof value));
    if (!value)
        complain(me, "a future has no value");
    must(me, jd_future_destroy(me, j.future));
}

/* ---- the graph ----------------------------------------------------------------------- */

static void play(struct player *p, unsigned steps);

/* A finish of its own, which ends after its tasks. */
static void nest(struct player *p)
{
    jd_self *me = p->me;
    uint32_t outer = p->job.group, g = one_more(&all->ngroups);
    jd_scope s;
    if (p->nested >= 2 || g >= MOST_GROUPS)
        return;
    p->nested++;
    p->job.group = g;
    must(me, jd_finish_begin(me, &s));
    for (unsigned i = 0, n = below(p, 3); i < n && p->job.depth; i++)
        spawn(p, NODE, (struct job){.home = 0});
    play(p, below(p, 4));
    must(me, jd_finish_end(me, &s));
    if (!has_ended(g))
        complain(me, "a finish ends early");
    p->job.group = outer;
    p->nested--;
}

static void step(struct player *p, enum op op)
{
    switch (op) {
    case YIELD:
        jd_yield(p->me);
        break;
    case SLEEP:
        must(p->me, jd_sleep(p->me, below(p, SOON_NS)));
        break;
    case CHANNEL:
        use_channel(p);
        break;
    case COMPUTE:
        jd_compute(p->me, below(p, 3000));
        break;
    case SPAWN:
        if (p->job.depth)
            spawn(p, NODE, (struct job){.home = 0});
        break;
    case NEST:
        nest(p);
        break;
    case COPY:
        copy(p);
        break;
    case FUTURE:
        await_future(p);
        break;
    case MAILED:
        suspend_for_mail(p);
        break;
    case FOREIGN:
        suspend(p, p->side->has_thread ? FOREIGN : OWN);
        break;
    default:
        suspend(p, op);
    }
}

static void play(struct player *p, unsigned steps)
{
    /* Some games have few kinds of steps, so that these meet each other more often. */
    uint64_t mask = scatter(all->seed) | scatter(all->seed + 1);
    for (unsigned i = 0; i < steps; i++) {
        enum op op = (enum op)below(p, OPS);
        if (mask >> op & 1)
            step(p, op);
    }
}

static void node(jd_self *me, void *arg)
{
    struct player p = begin(me, arg);
    play(&p, 1 + below(&p, 8));
    leave(&p);
}

static const jd_task_def tasks[] = {[NODE] = JD_TASK(node),
                                    [WAKE] = JD_TASK(wake),
                                    [GIVE] = JD_TASK(give),
                                    [SET] = JD_TASK(set),
                                    JD_TASK_END};

/* ---- a game -------------------------------------------------------------------------- */

/* What a body plays itself, inside a finish. */
static void in_finish(jd_self *me, void *arg)
{
    struct player *p = arg;
    p->me = me;
    for (unsigned i = 0, n = below(p, 5); i < n; i++)
        spawn(p, NODE, (struct job){.home = 0});
    play(p, below(p, 4));
}

static void finish_of_body(struct player *p)
{
    uint32_t outer = p->job.group;
    p->job.group = one_more(&all->ngroups);
    must(p->me, jd_finish(p->me, in_finish, p));
    if (!has_ended(p->job.group))
        complain(p->me, "a finish of a body ends early");
    p->job.group = outer;
}

/* Collections that are alive together; a task may add to those that end later. */
static void collections(struct player *p, unsigned n)
{
    jd_self *me = p->me;
    struct state *st = &state[jd_rank(me)];
    st->ncolls = n;
    for (unsigned i = 0; i < n; i++) {
        must(me, jd_coll_create(me, NULL, &st->coll[i]));
        if (i)
            must(me, jd_coll_hold(me, st->coll[i]));
    }
    must(me, jd_barrier(me));
    for (unsigned i = 0; i < n; i++) {
        p->job.coll = (uint16_t)i, p->job.group = i;
        for (unsigned k = 0, seeds = below(p, 8); k < seeds; k++)
            spawn(p, NODE, (struct job){.home = 0});
    }
    p->job.coll = COLLS, p->job.group = MOST_GROUPS;
    for (unsigned i = 0; i < n; i++)
        must(me, jd_coll_start(me, st->coll[i]));
    if (below(p, 2))
        finish_of_body(p);
    for (unsigned i = 0; i < n; i++) {
        if (i)
            must(me, jd_coll_release(me, st->coll[i]));
        must(me, jd_coll_wait(me, st->coll[i]));
        if (!has_ended(i))
            complain(me, "a collection ends early");
    }
    for (unsigned i = 0; i < n; i++)
        must(me, jd_coll_destroy(me, st->coll[i]));
}

static void check_end(jd_self *me)
{
    struct side *s = &all->side[jd_rank(me)];
    uint64_t item;
    while (!jd_channel_receive(me, s->channel, &item, JD_NOW))
        count_one(&all->received);
    must(me, jd_channel_destroy(me, s->channel));
    must(me, jd_barrier(me));
    check_boxes(me, s);
    if (jd_rank(me))
        return;
    if (atomic_load_explicit(&all->sent, RELAXED) !=
        atomic_load_explicit(&all->received, RELAXED))
        complain(me, "an item is lost");
    check_tasks(me);
}

static void game(jd_self *me, uint64_t seed)
{
    struct side *s = &all->side[jd_rank(me)];
    struct player p = {.me = me, .side = s, .rng = scatter(seed * RANKS + jd_rank(me))};
    uint64_t shape = scatter(~seed); /* the same on all ranks */
    must(me, jd_barrier(me));
    if (jd_rank(me) == 0)
        reset_game(seed, COLLS);
    must(me, jd_channel_create(me, sizeof(uint64_t), below(&p, 3), &s->channel));
    must(me, jd_barrier(me));
    p.job.depth = 1 + below(&p, DEPTH);
    p.job.coll = COLLS;
    p.job.id = MOST_TASKS + jd_rank(me); /* no task has it */
    unsigned n = jdi_random_below(&shape, COLLS + 1);
    if (n)
        collections(&p, n);
    else
        finish_of_body(&p);
    must(me, jd_barrier(me));
    check_end(me);
    must(me, jd_barrier(me));
}

/* ---- jobs ---------------------------------------------------------------------------- */

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    uint64_t games = games_of_job();
    if (jd_nranks(me) > RANKS)
        return 1;
    struct state *st = &state[jd_rank(me)];
    struct side *s = &all->side[jd_rank(me)];
    must(me, jd_mem_create(me, NULL, 8 * (size_t)(MOST_TASKS + RANKS), &st->mem));
    start_foreign(s);
    for (uint64_t i = 0; i < games; i++) {
        alarm(ALARM_SECONDS);
        game(me, asked.seed + i);
    }
    stop_foreign(s);
    must(me, jd_mem_destroy(me, st->mem));
    bool right = !atomic_load(&all->wrong);
    if (asked.jobs)
        return !right;
    all->finished = true;
    ok_all(me, right,
           "%llu games from seed %llu on, %llu waits, %llu of them on another worker",
           (unsigned long long)games, (unsigned long long)asked.seed,
           (unsigned long long)atomic_load(&all->suspended),
           (unsigned long long)atomic_load(&all->moved));
    ok_all(me, atomic_load(&all->suspended) > 0, "tasks have waited");
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    if (!ask(argc, argv))
        return 1;
    if (!asked.jobs)
        return jd_launch(argc, argv, body, tasks);
    play_jobs(body, tasks);
    ok(atomic_load(&all->moved) > 0, "%llu waits, %llu of them on another worker",
       (unsigned long long)atomic_load(&all->suspended),
       (unsigned long long)atomic_load(&all->moved));
    return done_testing();
}
