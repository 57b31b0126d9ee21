/*
 * sched_every_wait_shared.h - the steps of a game with all waiting calls that use what a rank shares.
 *
 * Role: sends, receives, reservations, selects, events, mutex and condition, futures of all ranks, transfers,
 *       tasks that suspend themselves, descriptors; each with any deadline.
 * Owner: any task, of any finish, at the place of the rank where it runs.
 * See: test/dist/sched_every_wait.h.
 */
#ifndef JDI_TEST_DIST_SCHED_EVERY_WAIT_SHARED_H
#define JDI_TEST_DIST_SCHED_EVERY_WAIT_SHARED_H

#include "test/dist/sched_every_wait.h"

static const uint64_t NOTHING = UINT64_MAX;

static inline void do_sleep(struct player *p)
{
    struct call c = call_until(p, OF_OTHERS, jd_deadline(p->me, below(p, SOON_NS)));
    int error = jd_sleep_until(p->me, c.by);
    if (was_done(p, &c, error))
        demand(p, has_come(p, c.by), "a sleep ends early");
}

/* ---- channels --------------------------------------------------------------------------- */

static inline jd_channel some_channel(struct player *p)
{
    return p->place->channel[below(p, CHANNELS)];
}

static inline void do_send(struct player *p)
{
    struct call c = some_call(p, OF_SEND);
    uint64_t item = new_item(p);
    if (item < ITEMS &&
        !was_done(p, &c, jd_channel_send(p->me, some_channel(p), &item, c.by)))
        not_sent(p, item);
}

static inline void do_receive(struct player *p)
{
    struct call c = some_call(p, OF_RECEIVE);
    uint64_t item = NOTHING;
    if (was_done(p, &c, jd_channel_receive(p->me, some_channel(p), &item, c.by)))
        got_item(p, item);
    else
        demand(p, item == NOTHING, "what was not received is written");
}

/* Put something into room that was reserved in the first channel, or give the room back. */
static inline void use_room(struct player *p)
{
    jd_channel channel = p->place->channel[0];
    uint64_t item = below(p, 4) ? new_item(p) : ITEMS;
    if (below(p, 3) == 0)
        jd_yield(p->me);
    if (item == ITEMS) {
        must(p->me, jd_channel_release(p->me, channel));
        return;
    }
    int error = jd_channel_commit(p->me, channel, &item);
    demand(p, !error || error == JD_ECLOSED, "reserved room is not there");
    if (error)
        not_sent(p, item);
}

static inline void do_reserve(struct player *p)
{
    struct call c = some_call(p, OF_SEND);
    if (was_done(p, &c, jd_channel_reserve(p->me, p->place->channel[0], c.by)))
        use_room(p);
}

/* ---- events ----------------------------------------------------------------------------- */

static inline void do_event(struct player *p)
{
    struct call c = some_call(p, OF_OTHERS);
    was_done(p, &c, jd_event_wait(p->me, p->place->event[below(p, EVENTS)], c.by));
}

/* Signal, or, before the place is closed, let some be missing again. */
static inline void do_signal(struct player *p)
{
    jd_event e = p->place->event[below(p, EVENTS)];
    if (below(p, 3)) {
        must(p->me, jd_event_signal(p->me, e, 1));
        return;
    }
    if (still_open(p->place))
        must(p->me, jd_event_reset(p->me, e, below(p, 4)));
    may_close(p->place);
}

/* ---- mutex and condition ---------------------------------------------------------------- */

static inline bool enter(struct player *p, const struct call *c)
{
    if (!was_done(p, c, jd_mutex_lock(p->me, &p->place->mutex, c->by)))
        return false;
    demand(p, p->place->inside++ == 0, "two have the mutex");
    return true;
}

static inline void leave_mutex(struct player *p)
{
    demand(p, --p->place->inside == 0, "two had the mutex");
    must(p->me, jd_mutex_unlock(p->me, &p->place->mutex));
}

static inline void do_lock(struct player *p)
{
    struct call c = some_call(p, OF_OTHERS);
    if (!enter(p, &c))
        return;
    if (below(p, 2))
        jd_yield(p->me);
    else if (below(p, 2))
        do_sleep(p);
    leave_mutex(p);
}

/* Give a token, or wait for one. */
static inline void do_token(struct player *p)
{
    struct call lock = some_call(p, OF_OTHERS), c = some_call(p, OF_OTHERS);
    struct place *at = p->place;
    bool takes = below(p, 2), done = true;
    if (!enter(p, &lock))
        return;
    while (takes && done && !at->tokens && !at->no_more) {
        at->inside--;
        done = was_done(p, &c, jd_cond_wait(p->me, &at->more, &at->mutex, c.by));
        demand(p, at->inside++ == 0, "a condition gives a mutex that another one has");
    }
    if (!takes)
        at->tokens++;
    else if (at->tokens)
        at->tokens--;
    leave_mutex(p);
    if (!takes)
        jd_cond_signal(p->me, &at->more);
}

/* ---- futures and transfers -------------------------------------------------------------- */

static inline void do_future(struct player *p)
{
    struct call c = some_call(p, OF_OTHERS);
    jd_future f = some_future(p);
    uint64_t value = 0;
    size_t size = 0;
    switch (below(p, 4)) {
    case 0:
        if (was_done(p, &c, jd_future_wait_until(p->me, f, &size, c.by)))
            demand(p, size == sizeof value, "a value has another size");
        break;
    case 1:
        demand(p, jd_future_ready(p->me, f) >= 0, "a future is not there");
        break;
    default:
        if (was_done(p, &c, jd_future_get_until(p->me, f, &value, sizeof value, c.by)))
            demand(p, value == value_of(f), "a value is wrong");
    }
}

static inline void set_future(struct player *p, jd_future f)
{
    uint64_t value = value_of(f);
    int error = jd_future_set(p->me, f, &value, sizeof value);
    demand(p, !error || error == JD_ESTATE, "a future cannot be set");
}

static inline void do_set(struct player *p)
{
    if (below(p, 3) == 0)
        set_future(p, some_future(p));
}

/* Wait until the transfers are complete, whatever cancels the wait. */
static inline void finish_transfers(struct player *p, jd_done *done)
{
    struct call c;
    int error;
    do {
        c = patient_call(p, OF_OTHERS);
        error = jd_done_wait_until(p->me, done, c.by);
    } while (!was_done(p, &c, error) && error == JD_ETIMEDOUT);
    if (error)
        must(p->me, jd_done_wait(p->me, done));
}

/* A word of the task's own goes to any rank and comes back. */
static inline void do_transfer(struct player *p)
{
    uint64_t word = jdi_random(&p->rng), back = 0, at = 8 * (uint64_t)p->job.id;
    uint32_t rank = below(p, jd_nranks(p->me));
    jd_done done = JD_DONE_INIT;
    must(p->me, jd_put_nb(p->me, game->mem, rank, at, &word, sizeof word, &done));
    finish_transfers(p, &done);
    must(p->me, jd_get_nb(p->me, game->mem, rank, at, &back, sizeof back, &done));
    finish_transfers(p, &done);
    demand(p, back == word, "bytes are lost");
}

/* ---- descriptors ------------------------------------------------------------------------ */

static inline void read_byte(struct player *p)
{
    if (take_byte(p->place->fd[0]) >= 0)
        count_one(&p->place->read);
}

static inline void do_descriptor(struct player *p)
{
    struct call c = some_call(p, OF_OTHERS);
    if (!p->place->has_fds)
        return;
    if (below(p, 2)) {
        if (still_open(p->place) && put_byte(p->place->fd[1], 1))
            count_one(&p->place->written);
        may_close(p->place);
        return;
    }
    int what = jd_wait_fd(p->me, p->place->fd[0], JD_IN, c.by);
    if (what != JD_EBUSY && was_done(p, &c, what))
        read_byte(p);
}

/* ---- select ----------------------------------------------------------------------------- */

enum { CASES = 5 };

struct choice {
    jd_case c[CASES];
    uint64_t item[CASES];
    jd_future future[CASES];
    unsigned n;
};

static inline jd_case some_case(struct player *p, struct choice *m, unsigned i)
{
    m->item[i] = NOTHING;
    switch (i ? below(p, 8) : 0) {
    case 0: /* ends with the place, whatever the others are */
    case 1:
        return jd_case_receive(some_channel(p), &m->item[i]);
    case 2:
    case 3:
        m->item[i] = new_item(p);
        return m->item[i] < ITEMS ? jd_case_send(some_channel(p), &m->item[i])
                                  : (jd_case){.kind = JD_CASE_OFF};
    case 4:
        return jd_case_reserve(p->place->channel[0]);
    case 5:
        return jd_case_event(p->place->event[below(p, EVENTS)]);
    case 6:
        m->future[i] = some_future(p);
        return jd_case_future(m->future[i], &m->item[i], sizeof m->item[i]);
    default:
        if (!p->place->has_fds)
            return (jd_case){.kind = JD_CASE_OFF};
        return jd_case_fd(p->place->fd[0], JD_IN);
    }
}

static inline void use_case(struct player *p, struct choice *m, int at)
{
    switch (m->c[at].kind) {
    case JD_CASE_RECEIVE:
        got_item(p, m->item[at]);
        break;
    case JD_CASE_RESERVE:
        use_room(p);
        break;
    case JD_CASE_FUTURE:
        demand(p, m->item[at] == value_of(m->future[at]), "a value is wrong");
        break;
    case JD_CASE_FD:
        read_byte(p);
        break;
    default:
        break;
    }
}

/* The cases that were not carried out have done nothing. */
static inline void check_others(struct player *p, const struct choice *m, int done)
{
    for (int i = 0; i < (int)m->n; i++) {
        if (i == done)
            continue;
        if (m->c[i].kind == JD_CASE_SEND)
            not_sent(p, m->item[i]);
        else if (m->c[i].kind == JD_CASE_RECEIVE)
            demand(p, m->item[i] == NOTHING, "a case that was not taken is written");
    }
}

static inline void do_select(struct player *p)
{
    struct choice m = {.n = 1 + below(p, CASES)};
    struct call c = some_call(p, OF_SELECT);
    for (unsigned i = 0; i < m.n; i++)
        m.c[i] = some_case(p, &m, i);
    int at = jd_select(p->me, m.c, m.n, below(p, 2) ? JD_ORDERED : 0, c.by);
    demand(p, at < (int)m.n, "a case is none");
    bool done = was_done(p, &c, at) && !m.c[at].error;
    check_others(p, &m, done ? at : -1);
    if (done)
        use_case(p, &m, at);
    else if (at >= 0)
        demand(p, m.c[at].error == (m.c[at].kind == JD_CASE_FD ? JD_EBUSY : JD_ECLOSED),
               "a case has an error that cannot be");
}

/* ---- jd_suspend ------------------------------------------------------------------------- */

struct stop {
    struct player *p;
    struct box *box;
    enum op op;
};

static inline void publish(jd_self *stopped, void *arg)
{
    struct stop s = *(struct stop *)arg;
    struct side *side = s.p->side;
    if (s.op == OWN)
        wake_box(NULL, s.box, stopped);
    else if (s.op == PILED)
        take_from_pile(stopped, side, &side->pile, s.box);
    else if (s.op == FOREIGN)
        take_from_pile(stopped, side, &side->foreign, s.box);
    else if (atomic_exchange_explicit(&s.box->held, (uintptr_t)stopped,
                                      memory_order_acq_rel))
        wake_box(NULL, s.box, stopped);
}

/* Send a waker of box i, through another rank perhaps; false: there are enough tasks. */
static inline bool send_waker(struct player *p, uint32_t i)
{
    struct job j = {.home = jd_rank(p->me), .box = i};
    if (!prepare(p, &j))
        return false;
    must(p->me, jd_async_at(p->me, below(p, jd_nranks(p->me)), WAKER, &j, sizeof j));
    return true;
}

/* Stop until a task, a message, the caretaker or a thread of the program resumes.  No cancellation ends this, so
 * where there may be one the waker is nobody who would be dropped. */
static inline void do_suspend(struct player *p)
{
    static const enum op how[] = {OWN, PILED, FOREIGN, MAILED};
    uint32_t i = one_more(&p->side->nboxes);
    if (i >= MOST_BOXES)
        return;
    struct box *b = &p->side->box[i];
    struct stop s = {p, b, how[below(p, p->job.safe ? 4 : 3)]};
    if (s.op == FOREIGN && !p->side->has_thread)
        s.op = OWN;
    if (s.op == MAILED && !send_waker(p, i))
        return;
    uint64_t before = p->rng;
    unsigned worker = jd_worker(p->me);
    jd_suspend(p->me, publish, &s);
    demand(p, b->note == UINT64_C(0x5EED) + (uintptr_t)p->me && !b->back++,
           "a task goes on that nobody has woken");
    demand(p, p->rng == before, "a task has lost its stack");
    count_one(&all->suspended);
    if (jd_worker(p->me) != worker)
        count_one(&all->moved);
}

static inline void do_wake(struct player *p)
{
    give_to_pile(p->me, p->side, &p->side->pile);
}

#endif
