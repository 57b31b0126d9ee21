/*
 * comm.c - the turns of the communication worker, and how it rests.
 *
 * Role: the order of a turn, and when to sleep for how long: on worker 0's stream, on a core of its
 *       own, or beside worker 0.
 * Owner: the communication thread.
 * Invariants: I1 of comm.h. I2 the turn asks jdi_coll_idle before every step of a detector; the
 *             detector asks it again at its cut.
 * Order: [pair: rank-stop] release when every body has returned.
 * See: comm.h.
 */
#include "sched/comm.h"

#include "sched/ask.h"
#include "sched/coll_api.h"
#include "sched/inspect.h"
#include "sched/recall.h"
#include "sched/rest.h"
#include "sched/session.h"
#include "sched/traces.h"
#include "sched/worker.h"

enum {
    REST_LOOK_NS = 50000,   /* between looks at a collection while all are busy */
    NAP_NS = 500000,        /* the longest sleep beside a worker */
    NAP_RUNG_NS = 10000000, /* the same where all that matters wakes */
    NAP_PENDING_NS =
        50000,        /* the same while a message waits that the network has refused */
    PAUSE_NS = 32000, /* the longest pause of the simulator */
    LOOK_PENDING_NS =
        1000, /* in virtual time, between looks at messages that wait for credits */
};

/*
 * Can a hungry worker of this rank find a task of c without asking another rank?  If this thread is
 * worker 0, its last private task is its own, but it gives of more.
 */
static bool has_tasks(jd_coll *c)
{
    struct jdi_shelf *mine = &c->seat[0].shelf;
    uint64_t private = c->rank->place.apart ? 0 : jdi_store_private(mine);
    if (private && c->rank->workers[0].is_hungry)
        return true;
    if (private > 1)
        jdi_store_offer(mine);
    return atomic_load_explicit(&c->lists, memory_order_relaxed) ||
           jdi_store_local(&c->store);
}

/* Ask for tasks that workers hide because they are in long tasks, so that other ranks see them. */
static void pry_for_others(jd_coll *c, uint64_t now)
{
    struct jdi_rank *r = c->rank;
    if (now - c->pried < JDI_STORE_PRY_NS || jdi_store_local(&c->store))
        return;
    c->pried = now;
    if (jdi_store_pry(&c->store, jdi_coll_landing(c), now))
        jdi_rank_wake_one(r);
}

/*
 * All workers may be busy with other collections while c has ended.  The end of c must not wait for
 * these collections.  Two looks are needed, so that a worker which is about to become hungry looks
 * for work first (rule R12).  Looks are rare, because each reads cache lines that workers write.
 */
static bool rests_beside_others(jd_coll *c, uint64_t now)
{
    if (now - c->rest_seen < REST_LOOK_NS)
        return false;
    bool before = c->at_rest;
    c->rest_seen = now;
    c->at_rest = jdi_coll_idle(c);
    return before && c->at_rest;
}

/* How many loops of w are stopped inside of a task. */
static uint64_t stopped_in_tasks(const struct jdi_worker *w)
{
    uint64_t n = w->stats.stacks - (w->running && !w->running->is_body);
    for (const jd_self *s = w->spare; s; s = s->next)
        n--;
    return n;
}

/* For assertions: the only worker is this thread, it rests, nothing lies on a shelf and no task is
 * stopped, so whatever was counted in was counted out. */
static bool adds_up(const jd_coll *c)
{
    const struct jdi_rank *r = c->rank;
    if (r->nworkers > 1 || r->place.apart || c->kind->idle != jdi_coll_settled ||
        atomic_load_explicit(&c->hold_in, memory_order_relaxed) ||
        jdi_store_has_own(&c->seat[0].shelf) || stopped_in_tasks(r->workers) ||
        r->workers[0].visit == JDI_VISIT_STARVED)
        return true;
    return jdi_coll_settled(c);
}

/* One step of the detector of c.  What has passed since the last booking was `before`. */
static uint64_t step_detector(jd_coll *c, uint64_t now, enum jdi_activity before)
{
    struct jdi_rank *r = c->rank;
    jdi_rank_measure(r, r->turning, before);
    uint64_t again = r->detector->step(c->td, now);
    jdi_rank_measure(r, r->turning, JDI_ACT_DETECT);
    return again;
}

static void coll_turn(jd_coll *c, uint64_t now)
{
    struct jdi_rank *r = c->rank;
    pry_for_others(c, now);
    jdi_retain_turn(c, now);
    if (c->recall)
        jdi_recall_turn(c);
    jdi_ask_turn(c);
    if (jdi_coll_state(c) != JDI_COLL_OPEN)
        return;
    if (!atomic_load_explicit(&r->hungry, memory_order_relaxed)) {
        jdi_steal_fed(&c->steal);
        if (c->recall) {
            jdi_recall_fed(c, now);
            jdi_recall_rush(c, now);
        }
        if (rests_beside_others(c, now))
            (void)step_detector(c, now, JDI_ACT_PROGRESS);
        return;
    }
    if (has_tasks(c) || (c->recall && jdi_recall_feed(c, now)))
        return;
    JD_ASSERT(adds_up(c));
    jdi_rank_measure(r, r->turning, JDI_ACT_PROGRESS);
    bool trusts = c->recall && jdi_recall_trusts(c, now);
    if (!trusts) {
        jdi_ask_search(c, now);
        jdi_rank_again(r, c->steal.next_at);
    }
    /* Rule R12: a rank that still looks for work does not report yet. */
    if (jdi_coll_state(c) == JDI_COLL_OPEN && (trusts || jdi_ask_patient(c)) &&
        jdi_coll_idle(c))
        jdi_rank_again(r, step_detector(c, now, JDI_ACT_STEAL));
    else
        jdi_rank_measure(r, r->turning, JDI_ACT_STEAL);
}

/* Another collection is the first in each turn: the first one asks other ranks first, and has its
 * thieves served first. */
static void turn_of_colls(struct jdi_rank *r, uint64_t now)
{
    unsigned n = r->ncolls, first = r->first_coll;
    for (unsigned i = 0; i < n; i++) {
        unsigned id = first + i < n ? first + i : first + i - n;
        if (r->colls[id] && jdi_coll_state(r->colls[id]) == JDI_COLL_OPEN)
            coll_turn(r->colls[id], now);
    }
    r->first_coll = first + 1 < n ? first + 1 : 0;
}

static void poll_network(struct jdi_rank *r)
{
    uint64_t from = jdi_traces_polls(r), heard = r->am->heard;
    jdi_am_poll(r->am);
    jdi_traces_polled(r, from, r->am->heard - heard);
}

void jdi_comm_turn(struct jdi_rank *r, uint64_t now)
{
    JD_ASSERT(jdi_rank_is_comm(r));
    r->wake_at = UINT64_MAX;
    r->called = !jdi_mailbox_empty(&r->mailbox);
    jdi_call_run_all(r, &r->mailbox);
    poll_network(r);
    /* The hooks come before the collections, because the reads and messages of these would keep
     * the hooks' messages back for ever. */
    for (unsigned i = 0; i < r->nturns; i++)
        r->turn[i](r);
    r->again = false;
    turn_of_colls(r, now);
    if (r->dying)
        jdi_coll_api_turn(r);
    if (JDI_UNLIKELY(r->session != NULL))
        jdi_session_turn(r, now);
    if (jdi_am_pending(r->am)) { /* send what the turn has posted */
        poll_network(r);
        /* In simulated time other streams ran during that poll; look at what they did. */
        if (r->am->time)
            jdi_rank_again_now(r);
    }
    if (r->again)
        jdi_rank_again(r, now);
    if (r->finished && !atomic_load_explicit(&r->stop, memory_order_relaxed)) {
        /* [pair: rank-stop] release: everything that this thread did for the job. */
        atomic_store_explicit(&r->stop, true, memory_order_release);
        jdi_rank_wake_all(r);
    }
}

/* Of those with this id or a later one. */
static unsigned count_open(const struct jdi_rank *r, unsigned first)
{
    unsigned n = 0;
    for (unsigned i = first; i < r->ncolls; i++)
        n += r->colls[i] && jdi_coll_state(r->colls[i]) == JDI_COLL_OPEN;
    return n;
}

/*
 * A rank alone asks nobody, and its finishes end without this thread, if that is no worker: only the phases of
 * the program's collections end by turns.  What else there is wakes.
 */
static bool needs_no_turns(const struct jdi_rank *r)
{
    bool helps = !r->place.apart || r->am->time;
    return r->am->nranks == 1 && !r->dying && !count_open(r, helps ? 0 : JDI_COLLS_OWN);
}

/* In virtual time: true if only a message, which wakes this thread, can change anything. */
static bool all_wait(const struct jdi_rank *r)
{
    for (unsigned i = r->place.apart ? 0 : 1; i < r->nworkers; i++)
        if (!jdi_idle_waits(r->workers[i].idle))
            return false;
    return r->am->wakes && !r->dying;
}

/* `ns`, or less if the first deadline of a wait comes earlier. */
static uint64_t until_due(const struct jdi_rank *r, uint64_t ns)
{
    uint64_t due = atomic_load_explicit(&r->due, memory_order_relaxed);
    if (due == UINT64_MAX)
        return ns;
    uint64_t now = jdi_rank_now(r), left = due > now ? due - now : 1;
    return left < ns ? left : ns;
}

/* How long a sleep may last: until the next steal or step, and no longer than the knob says.  The
 * bound is needed because two events between the last poll and the sleep wake nobody: a message
 * arrives, or a worker ends the last task.  In simulated time nothing comes between the two, but a
 * worker that has work wakes nobody there either.  A single rank gets no messages. */
static uint64_t longest_sleep(const struct jdi_rank *r, uint64_t now)
{
    if (needs_no_turns(r) && r->wake_at == UINT64_MAX)
        return UINT64_MAX;
    /* Messages that wait for credits ask for a turn at once, again and again. */
    uint64_t least = r->am->time && jdi_am_pending(r->am) ? LOOK_PENDING_NS : 1;
    uint64_t until = r->wake_at > now + least ? r->wake_at - now : least;
    bool wakes = r->am->time && all_wait(r);
    return until_due(r, wakes || until < r->patience.sleep_ns ? until
                                                              : r->patience.sleep_ns);
}

/* Which stage of waiting the communication worker is in.  News starts again at the first stage. */
static enum jdi_idle_stage stage(struct jdi_rank *r, uint64_t now)
{
    if (r->news != r->news_seen) {
        r->news_seen = r->news;
        r->round.since = 0;
    }
    enum jdi_idle_stage s = jdi_idle_stage(&r->round, &r->patience, now);
    /* In virtual time a pause may be longer than what is left until a deadline. */
    if (r->am->time && until_due(r, PAUSE_NS) < PAUSE_NS)
        return JDI_IDLE_SLEEP;
    return s == JDI_IDLE_SLEEP && jdi_am_pending(r->am) ? JDI_IDLE_YIELD : s;
}

/* ---- on the base context of worker 0 ------------------------------------------------ */

static void poll_until_work(struct jdi_worker *w)
{
    struct jdi_rank *r = w->rank;
    for (;;) {
        uint64_t now = jdi_rank_now(r);
        jdi_comm_turn(r, now);
        jdi_rank_measure(r, &w->clock, JDI_ACT_PROGRESS);
        if (jdi_rest_is_wanted(w))
            return;
        enum jdi_idle_stage s = stage(r, now);
        if (s == JDI_IDLE_SLEEP) {
            jdi_rest_sleep(w, longest_sleep(r, now));
        } else {
            jdi_time_pause(r->am->time, s);
            jdi_rank_measure(r, &w->clock, JDI_ACT_IDLE);
        }
    }
}

/* A turn while the worker has nothing to do that it may do. */
static void turn_and_pause(struct jdi_worker *w)
{
    jdi_comm_turn(w->rank, jdi_rank_now(w->rank));
    jdi_rank_measure(w->rank, &w->clock, JDI_ACT_PROGRESS);
    jdi_time_pause(w->rank->am->time, JDI_IDLE_YIELD);
    jdi_rank_measure(w->rank, &w->clock, JDI_ACT_IDLE);
}

/* The loop that ran has ended.  Returns the ULT that goes on, or NULL when the rank stops. */
static jd_self *poll_without_loop(struct jdi_worker *w)
{
    jd_self *ended = w->running;
    w->running = NULL;
    jdi_inspect_remove(ended);
    w->rank->ult->destroy(ended->ult); /* and *ended with it */
    poll_until_work(w);
    jd_self *loop = jdi_self_loop(w);
    if (loop)
        loop->worker = w;
    return loop ? loop : jdi_worker_relieve(w, turn_and_pause);
}

/* Run `first` and the ULTs that follow it, and poll in between, until the rank stops. */
static void poll_between(struct jdi_worker *w, jd_self *first)
{
    struct jdi_rank *r = w->rank;
    jd_self *next = first;
    for (;;) {
        r->ult->jump(w->base, next->ult, NULL);
        next = w->running;
        w->looked = jdi_rank_now(r);
        if (w->visit == JDI_VISIT_POLL) {
            jdi_rank_news(r);
            jdi_comm_turn(r, w->looked);
        } else if (w->visit == JDI_VISIT_REST) {
            jdi_clock_book(&w->clock, JDI_ACT_STEAL, w->looked);
            poll_until_work(w);
        } else if (w->visit == JDI_VISIT_BARE) {
            jdi_clock_book(&w->clock, JDI_ACT_STEAL, w->looked);
            next = poll_without_loop(w);
        } else if (w->visit == JDI_VISIT_STALL) {
            jdi_clock_book(&w->clock, JDI_ACT_STEAL, w->looked);
            turn_and_pause(w);
        } else if (w->visit == JDI_VISIT_STARVED) {
            jdi_clock_book(&w->clock, JDI_ACT_WORK, w->looked);
            next = jdi_worker_relieve(w, turn_and_pause);
        } else {
            return;
        }
        if (!next)
            return;
        w->looked = jdi_rank_now(r);
        jdi_clock_book(&w->clock, JDI_ACT_PROGRESS, w->looked);
    }
}

void jdi_comm_stream(void *rank, unsigned index, struct jdi_ult *base)
{
    struct jdi_rank *r = rank;
    jd_self *first = jdi_worker_begin(r, index, base);
    r->turning = &r->workers[index].clock;
    poll_between(&r->workers[index], first);
    r->turning = NULL;
    jdi_worker_end(&r->workers[index]);
}

/* ---- apart: a thread that runs no tasks ---------------------------------------------- */

/* Announce the sleep, look a last time for what comes from elsewhere, and sleep.  `hungry` is how many
 * workers were hungry before the last turn. */
static void sleep_apart(struct jdi_rank *r, uint32_t hungry, uint64_t timeout_ns)
{
    struct jdi_idle *idle = r->am->idle;
    uint32_t key = jdi_idle_prepare(idle);
    /* [pair: idle-wake] a worker counts itself as hungry, passes its fence, and looks who sleeps.  In
     * virtual time this thread looks again soon while a worker works. */
    bool hungrier =
        !r->am->time && atomic_load_explicit(&r->hungry, memory_order_relaxed) > hungry;
    if (hungrier || !jdi_am_rests(r->am) || !jdi_mailbox_empty(&r->mailbox) ||
        jdi_ask_urgent(r) || jdi_rank_due_news(r)) {
        jdi_idle_cancel(idle);
        return;
    }
    jdi_clock_book(&r->clock, JDI_ACT_PROGRESS, jdi_rank_now(r));
    r->stats->sleeps++;
    uint64_t since = jdi_traces_sleeps(r, r->tracer);
    jdi_time_wait(r->am->time, idle, key, timeout_ns);
    jdi_traces_slept(r, r->tracer, r->nworkers, since);
    jdi_clock_book(&r->clock, JDI_ACT_IDLE, jdi_rank_now(r));
}

static void pause_apart(struct jdi_rank *r, enum jdi_idle_stage s)
{
    jdi_time_pause(r->am->time, s);
    jdi_rank_measure(r, &r->clock, JDI_ACT_IDLE);
}

/* Does worker 0 need the core that this thread shares with it?  If there are other ranks, it sleeps as
 * soon as it has no work, and whoever calls it clears `asleep`. */
static bool worker_0_works(const struct jdi_rank *r)
{
    if (r->place.dedicated)
        return false;
    if (r->am->nranks > 1)
        return !atomic_load_explicit(&r->workers[0].asleep, memory_order_relaxed);
    return atomic_load_explicit(&r->hungry, memory_order_relaxed) < r->nworkers;
}

/*
 * How long this thread may sleep beside a worker.  Messages, calls and hungry workers wake it.  What
 * else can happen wakes nobody: tasks are hidden from thieves that wait here, a worker that
 * is busy elsewhere has ended the last task of a collection.
 */
static uint64_t longest_nap(struct jdi_rank *r)
{
    bool rung = r->am->wakes && !r->dying && count_open(r, 0) < 2 &&
                !atomic_load_explicit(&r->hungry, memory_order_relaxed) &&
                !atomic_load_explicit(&r->thieves, memory_order_relaxed);
    return rung || needs_no_turns(r) ? NAP_RUNG_NS : NAP_NS;
}

/* Other ranks see since when this one sleeps, and ring if they want to see a new load. */
static void nap(struct jdi_rank *r, uint32_t hungry, uint64_t now)
{
    uint32_t looks = atomic_load_explicit(&r->looks, memory_order_relaxed);
    bool more = r->called && looks != r->looks_seen;
    r->looks_seen = looks;
    r->round.since = 0;
    /* Calls often come in rows, and each would end a nap.  While worker 0 looks in, its next look gives
     * the core back.  A thread that yields beside a long task waits for a whole slice, so there must
     * be a reason. */
    if (more) {
        pause_apart(r, JDI_IDLE_YIELD);
        return;
    }
    jdi_am_publish(r->am, JDI_ASK_NAP_WORD, now);
    uint64_t most = jdi_am_pending(r->am) ? NAP_PENDING_NS : longest_nap(r);
    sleep_apart(r, hungry, until_due(r, most));
    jdi_am_publish(r->am, JDI_ASK_NAP_WORD, 0);
}

static void rest_apart(struct jdi_rank *r, uint32_t hungry, uint64_t now)
{
    enum jdi_idle_stage s = stage(r, now);
    if (s == JDI_IDLE_SLEEP)
        sleep_apart(r, hungry, longest_sleep(r, now));
    else
        pause_apart(r, s);
}

void jdi_comm_apart(struct jdi_rank *r)
{
    jdi_idle_thread_init();
    if (!r->place.dedicated)
        jdi_idle_thread_prompt();
    if (r->place.bind != JDI_BIND_NONE)
        (void)jdi_topo_bind(r->topo, &r->place, jdi_topo_place_comm(&r->place));
    jdi_clock_start(&r->clock, jdi_rank_now(r), jdi_time_cpu(r->am->time));
    r->turning = &r->clock;
    for (;;) {
        uint64_t now = jdi_rank_now(r);
        uint32_t hungry = atomic_load_explicit(&r->hungry, memory_order_relaxed);
        jdi_comm_turn(r, now);
        jdi_rank_measure(r, &r->clock, JDI_ACT_PROGRESS);
        if (atomic_load_explicit(&r->stop, memory_order_relaxed))
            break; /* the turn has set it, and nobody would end a sleep */
        if (worker_0_works(r))
            nap(r, hungry, now);
        else
            rest_apart(r, hungry, now);
    }
    r->turning = NULL;
    jdi_clock_end(&r->clock, JDI_ACT_PROGRESS, jdi_rank_now(r),
                  jdi_time_cpu(r->am->time));
}
