/*
 * sched_every_wait_ends_once.c
 *
 * Role: from a seed, tasks of all ranks make every call that waits, in one game: sleeps, channels, events, selects,
 *       mutexes, conditions, phasers, futures, transfers, descriptors, jd_suspend, tasks that begin later; beside
 *       steals, messages, threads that are none of the library's, and finishes that are cancelled.  Each wait ends
 *       once, not before its time and not because of a cancellation that was none; nothing is forgotten, or the game
 *       would not end; each task runs or is dropped, once; no finish ends early; an item that was sent is in its
 *       channel or was received.  Arguments: see test/dist/sched_waiting_jobs.h.
 * Owner: the body; the counters of a game are beside the library.
 * Invariants: I1 the caretaker of a rank, whom nobody cancels, makes everything ready that tasks share there.
 * See: test/dist/sched_every_wait_shared.h, test/dist/sched_every_wait_pairs.h; doc/waiting.md;
 *      test/sim/sched_waiting_under_many_seeds.sh, test/dist/sched_waiting_torture.sh.
 */
#include "test/dist/sched_every_wait_pairs.h"

enum { DEPTH = 3, STEPS = 20, LOOK_NS = 10000, MOST_OP_NS = 2000 };

/* ---- the graph ----------------------------------------------------------------------- */

static void play(struct player *p, unsigned steps);

static void do_spawn(struct player *p)
{
    struct job j = {.home = 0};
    if (!p->job.depth || !prepare(p, &j))
        return;
    switch (below(p, 4)) {
    case 0:
        must(p->me, jd_async_at(p->me, below(p, jd_nranks(p->me)), PLAYER, &j, sizeof j));
        break;
    case 1:
        must(p->me, jd_async_local(p->me, PLAYER, &j, sizeof j));
        break;
    default:
        must(p->me, jd_async(p->me, PLAYER, &j, sizeof j));
    }
}

/* A finish that is cancelled while its tasks wait, begin, or have ended. */
static void do_doomed(struct player *p)
{
    struct nest n;
    if (!open_nest(p, &n))
        return;
    p->job.safe = false;
    for (unsigned i = below(p, 4); i > 0; i--)
        do_spawn(p);
    if (below(p, 2))
        do_sleep(p);
    must(p->me, jd_cancel(p->me, jd_finish_mine(p->me)));
    play(p, below(p, 3));
    close_nest(p, &n);
}

static void do_compute(struct player *p)
{
    jd_compute(p->me, below(p, 2000));
}

static void (*const steps_of[])(struct player *) = {
    do_sleep,  do_send,    do_receive,  do_reserve,    do_select, do_select, do_event,
    do_signal, do_lock,    do_token,    do_future,     do_set,    do_send,   do_receive,
    do_wake,   do_suspend, do_transfer, do_descriptor, do_items,  do_bells,  do_tokens,
    do_phases, do_value,   do_later,    do_spawn,      do_doomed, do_compute};
enum { KINDS_OF_STEPS = sizeof steps_of / sizeof *steps_of };

static void play(struct player *p, unsigned steps)
{
    /* Some games have few kinds of steps, so that these meet each other more often. */
    uint64_t mask = scatter(all->seed) | scatter(all->seed + 1);
    for (unsigned i = 0; i < steps; i++) {
        unsigned k = below(p, KINDS_OF_STEPS);
        if (mask >> k & 1)
            steps_of[k](p);
    }
}

/* ---- tasks ---------------------------------------------------------------------------- */

static void player(jd_self *me, void *arg)
{
    struct player p = begin(me, arg);
    play(&p, 1 + below(&p, STEPS));
    leave(&p);
}

static void partner(jd_self *me, void *arg)
{
    struct player p = begin(me, arg);
    p.job.role(&p);
    leave(&p);
}

static void later(jd_self *me, void *arg)
{
    struct player p = begin(me, arg);
    begin_later(&p);
    leave(&p);
}

/* A waker in the wrong place goes on to its rank. */
static void waker(jd_self *me, void *arg)
{
    struct player p = begin(me, arg);
    struct job j = p.job;
    if (j.home == jd_rank(me)) {
        visit_box(me, &p.side->box[j.box]);
    } else {
        if (!prepare(&p, &j))
            jd_abort(me, 99, "too many tasks");
        must(me, jd_async_at(me, j.home, WAKER, &j, sizeof j));
    }
    leave(&p);
}

/* From here on everything that is shared here is ready. */
static void close_place(struct player *p)
{
    jd_self *me = p->me;
    struct place *at = p->place;
    still_open(at);
    at->closed = true;
    if (at->has_fds)
        shutdown(at->fd[1], SHUT_WR);
    may_close(at);
    for (int i = 0; i < EVENTS; i++)
        must(me, jd_event_signal(me, at->event[i], UINT64_MAX));
    for (int i = 0; i < CHANNELS; i++)
        must(me, jd_channel_close(me, at->channel[i]));
    for (uint32_t i = 0; i < FUTURES; i++)
        set_future(p, jd_futures_at(game->futures, jd_rank(me), i));
    must(me, jd_mutex_lock(me, &at->mutex, JD_FOREVER));
    at->no_more = true;
    jd_cond_broadcast(me, &at->more);
    must(me, jd_mutex_unlock(me, &at->mutex));
}

/* Cancels the finish of the rank's players perhaps, ends what waits for what is shared, and wakes those who have
 * suspended themselves. */
static void caretaker(jd_self *me, void *arg)
{
    struct player p = begin(me, arg);
    must(me, jd_event_wait(me, p.place->begun, JD_FOREVER));
    must(me, jd_sleep(me, below(&p, END_NS)));
    if (game->cancels && below(&p, 2)) {
        must(me, jd_cancel(me, p.place->players));
        must(me, jd_sleep(me, below(&p, SOON_NS)));
    }
    close_place(&p);
    while (!atomic_load_explicit(&p.place->over, RELAXED)) {
        wake_pile(me, p.side, &p.side->pile);
        must(me, jd_sleep(me, LOOK_NS));
    }
    leave(&p);
}

/* A task that is dropped has had its turn. */
static size_t size_of_job(const void *arg)
{
    (void)arg;
    return sizeof(struct job);
}

static void pack_job(void *arg, void *to)
{
    memcpy(to, arg, sizeof(struct job));
}

static void unpack_job(void *arg, const void *from, size_t n)
{
    if (n != sizeof(struct job))
        abort();
    memcpy(arg, from, n);
}

static void drop_job(void *arg)
{
    struct job j;
    memcpy(&j, arg, sizeof j);
    atomic_fetch_add_explicit(&all->ran[j.id], 1, RELAXED);
    one_more(&all->group[j.group].ended);
    count_one(&game->dropped);
    if (j.safe && !one_more(&all->wrong))
        fprintf(stderr, "# a task is dropped that nobody cancels, seed %llu\n",
                (unsigned long long)all->seed);
}

static const jd_task_hooks hooks = {size_of_job, pack_job, unpack_job, drop_job};
static const jd_task_def tasks[] = {[PLAYER] = JD_TASK_WITH(player, &hooks),
                                    [PARTNER] = JD_TASK_WITH(partner, &hooks),
                                    [CARETAKER] = JD_TASK_WITH(caretaker, &hooks),
                                    [WAKER] = JD_TASK_WITH(waker, &hooks),
                                    [LATER] = JD_TASK_WITH(later, &hooks),
                                    JD_TASK_END};

/* ---- a place --------------------------------------------------------------------------- */

static void open_place(struct player *p)
{
    jd_self *me = p->me;
    struct place *at = p->place;
    memset(at, 0, offsetof(struct place, bells));
    for (int i = 0; i < CHANNELS; i++)
        must(me, jd_channel_create(me, sizeof(uint64_t),
                                   i ? below(p, 4) : 1 + below(p, 3), &at->channel[i]));
    for (int i = 0; i < EVENTS; i++)
        must(me, jd_event_create(me, below(p, 4), &at->event[i]));
    must(me, jd_event_create(me, 1, &at->begun));
    at->has_fds = !asked.sim;
    if (at->has_fds)
        new_pair(me, at->fd);
}

/* Every item that was sent is here or was received, and so is every byte. */
static void check_place(struct player *p)
{
    jd_self *me = p->me;
    struct place *at = p->place;
    for (int i = 0; i < CHANNELS; i++) {
        uint64_t item;
        while (!jd_channel_receive(me, at->channel[i], &item, JD_NOW))
            got_item(p, item);
        must(me, jd_channel_destroy(me, at->channel[i]));
    }
    for (uint32_t i = 0; i < used(&at->nitems, ITEMS); i++)
        demand(p, at->sent[i] == at->received[i] && at->sent[i] <= 1,
               "an item is lost, or was received twice");
    for (int i = 0; i < EVENTS; i++)
        must(me, jd_event_destroy(me, at->event[i]));
    must(me, jd_event_destroy(me, at->begun));
    if (at->has_fds) {
        uint64_t bytes = drain_fd(at->fd[0]) + atomic_load(&at->read);
        demand(p, bytes == atomic_load(&at->written), "a byte is lost");
        close_pair(me, at->fd);
    }
    demand(p, !at->inside, "somebody still has the mutex");
}

/* ---- a game ----------------------------------------------------------------------------- */

/* The players of this rank; all of them have ended when this returns. */
static void play_finish(struct player *p)
{
    jd_self *me = p->me;
    jd_scope s;
    p->job.group = one_more(&all->ngroups);
    p->job.safe = !game->cancels;
    p->job.depth = 1 + below(p, DEPTH);
    must(me, jd_finish_begin(me, &s));
    p->place->players = jd_finish_mine(me);
    must(me, jd_event_signal(me, p->place->begun, 1));
    for (unsigned n = 2 + below(p, 8); n > 0; n--)
        do_spawn(p);
    play(p, below(p, STEPS));
    int error = jd_finish_end(me, &s);
    if (error != JD_ECANCELED || p->job.safe)
        must(me, error);
    demand(p, has_ended(p->job.group), "the finish of a body ends early");
}

static void play_game(jd_self *me, uint64_t seed)
{
    const char *ahead = asked.sim ? getenv("JACKDAW_SIM_AHEAD") : NULL;
    uint64_t shape = scatter(~seed); /* the same on all ranks */
    struct player p = {.me = me,
                       .place = &game->place[jd_rank(me)],
                       .side = &all->side[jd_rank(me)],
                       .rng = scatter(seed * RANKS + jd_rank(me))};
    jd_scope s;
    must(me, jd_barrier(me));
    if (jd_rank(me) == 0) {
        reset_game(seed, RANKS);
        game->cancels = jdi_random_below(&shape, 2);
        game->inexact = ahead && atoi(ahead) ? strtoull(ahead, NULL, 10) + MOST_OP_NS : 0;
    }
    jd_futures futures;
    must(me, jd_futures_create(me, FUTURES, &futures));
    if (jd_rank(me) == 0)
        game->futures = futures;
    open_place(&p);
    must(me, jd_barrier(me));
    must(me, jd_finish_begin(me, &s));
    p.job.id = MOST_TASKS + jd_rank(me); /* no task has it */
    p.job.group = jd_rank(me);
    p.job.safe = true;
    struct job care = {.home = 0};
    must(me, prepare(&p, &care) ? 0 : JD_ENOMEM);
    must(me, jd_async_local(me, CARETAKER, &care, sizeof care));
    play_finish(&p);
    must(me, jd_barrier(me)); /* nobody waits here any more */
    atomic_store_explicit(&p.place->over, true, RELAXED);
    must(me, jd_finish_end(me, &s));
    check_place(&p);
    must(me, jd_futures_destroy(me, futures));
    must(me, jd_barrier(me));
    check_boxes(me, p.side);
    if (jd_rank(me) == 0)
        check_tasks(me);
    must(me, jd_barrier(me));
}

/* ---- jobs ---------------------------------------------------------------------------- */

static void *ring(void *arg)
{
    struct bells *b = arg;
    while (!atomic_load_explicit(&b->quit, RELAXED)) {
        jd_event_key key[BELLS];
        while (atomic_flag_test_and_set_explicit(&b->lock, memory_order_acquire))
            sched_yield();
        unsigned n = b->n;
        memcpy(key, b->key, n * sizeof *key);
        b->n = 0;
        atomic_flag_clear_explicit(&b->lock, memory_order_release);
        if (!n)
            sched_yield();
        while (n > 0) /* the event may be gone, because its finish was cancelled */
            (void)!jd_event_signal_key(key[--n], 1);
    }
    return NULL;
}

static void start_ringing(struct bells *b)
{
    atomic_store_explicit(&b->quit, false, RELAXED);
    b->has_thread = asked.foreign && !pthread_create(&b->thread, NULL, ring, b);
}

static void stop_ringing(struct bells *b)
{
    atomic_store_explicit(&b->quit, true, RELAXED);
    if (b->has_thread)
        pthread_join(b->thread, NULL);
}

static void tell(void)
{
    tell_ends(&game->ends);
    printf("# %llu suspended, %llu on another worker, %llu tasks dropped\n",
           (unsigned long long)atomic_load(&all->suspended),
           (unsigned long long)atomic_load(&all->moved),
           (unsigned long long)atomic_load(&game->dropped));
}

static int body(jd_self *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    uint64_t games = games_of_job();
    struct side *s = &all->side[jd_rank(me)];
    struct bells *b = &game->place[jd_rank(me)].bells;
    jd_mem mem;
    if (jd_nranks(me) > RANKS)
        return 1;
    must(me, jd_mem_create(me, NULL, 8 * (size_t)(MOST_TASKS + RANKS), &mem));
    if (jd_rank(me) == 0)
        game->mem = mem;
    start_foreign(s);
    start_ringing(b);
    for (uint64_t i = 0; i < games; i++) {
        alarm(ALARM_SECONDS);
        play_game(me, asked.seed + i);
    }
    stop_foreign(s);
    stop_ringing(b);
    must(me, jd_mem_destroy(me, mem));
    bool right = !atomic_load(&all->wrong);
    if (asked.jobs)
        return !right;
    all->finished = true;
    ok_all(me, right, "%llu games from seed %llu on", (unsigned long long)games,
           (unsigned long long)asked.seed);
    if (jd_rank(me) == 0)
        tell();
    return end_of_tests(me);
}

int main(int argc, char **argv)
{
    game = map_shared(NULL, sizeof *game);
    if (!game || !ask(argc, argv))
        return 1;
    if (!asked.jobs)
        return jd_launch(argc, argv, body, tasks);
    play_jobs(body, tasks);
    ok(sum_of_ends(game->ends.by_deadline) > 0 && sum_of_ends(game->ends.by_cancel) > 0,
       "waits have ended by deadlines and by cancellations");
    tell();
    return done_testing();
}
