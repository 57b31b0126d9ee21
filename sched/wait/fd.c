/*
 * fd.c - waits for descriptors.
 *
 * Role: jd_wait_fd, jd_fd_forget; the entries, and how they are armed.
 * Owner: an entry's fields are under its lock; whoever has set `arming` calls the kernel for the entry, without
 *        the lock.
 * Invariants: I1 a wait is in its places from jdi_fd_join until it is claimed for this descriptor, or its
 *                ULT takes it out, or another wait takes a place of it because it was claimed otherwise.
 *             I2 if `arming` is clear, the kernel has been asked in the present turn for all that waits in
 *                the entry.
 *             I3 an event of an older turn ends nothing.
 *             I4 no lock is held while the kernel is called, or a ULT is made ready.
 * Order: [pair: lock]; [pair: fd-poller] the poller before who arms.
 * See: doc/waiting.md "Descriptors".
 */
#include "sched/wait/fd.h"

#include "core/lock.h"
#include "core/table.h"
#include "sched/wait/poller.h"
#include "sched/wait/select.h"

#include <limits.h>
#include <string.h>

enum {
    BOTH = JD_IN | JD_OUT,
    DIRECTIONS = 2,
    VAIN_MOST = 4, /* looks in a row that are in vain; then */
    BLIND = 7      /* waits begin without one */
};

/* Of the poller. */
enum state { NONE = 1, STARTING, RUNNING };

struct entry {
    JDI_ALIGNED struct jdi_lock lock;
    uint32_t turn;      /* of arming; the kernel gives it back with each event */
    bool arming, known; /* known: a hint, the number is in the kernel's set */
    /* Hints for who begins to wait, without the lock: looks in a row that were in vain, and waits to come that
     * need no look. */
    _Atomic uint8_t vain, blind;
    struct jdi_fd_place *place[DIRECTIONS];
};

struct jdi_fds {
    struct jdi_rank *rank;
    struct jdi_poller poller;
    _Atomic uint32_t state; /* writers: any worker; [pair: fd-poller] */
    struct jdi_table entries;
};

/* ---- entries -------------------------------------------------------------------------- */

/* NULL: nobody has waited for so large a number. */
static struct entry *fd_entry(const struct jdi_fds *t, int fd)
{
    return jdi_table_at(&t->entries, (uint32_t)fd);
}

/* ---- looks: without the lock ---------------------------------------------------------- */

static void note_look(struct entry *e, bool found)
{
    uint8_t vain = atomic_load_explicit(&e->vain, memory_order_relaxed);
    if (found)
        atomic_store_explicit(&e->vain, 0, memory_order_relaxed);
    else if (vain < VAIN_MOST - 1)
        atomic_store_explicit(&e->vain, vain + 1, memory_order_relaxed);
    else
        atomic_store_explicit(&e->blind, BLIND, memory_order_relaxed);
}

/* What the descriptor can do now: as jdi_poller_look. */
static int look_at_fd(const struct jdi_fds *t, int fd, int what)
{
    struct entry *e = fd < 0 ? NULL : fd_entry(t, fd);
    int ready = jdi_poller_look(fd, what);
    if (e)
        note_look(e, ready);
    return ready;
}

/* Is the next look likely to be in vain? */
static bool skips_look(const struct jdi_fds *t, int fd)
{
    struct entry *e = fd < 0 ? NULL : fd_entry(t, fd);
    uint8_t left = e ? atomic_load_explicit(&e->blind, memory_order_relaxed) : 0;
    if (left)
        atomic_store_explicit(&e->blind, left - 1, memory_order_relaxed);
    return left;
}

/* Another file may come. */
static void forget_looks(struct entry *e)
{
    atomic_store_explicit(&e->vain, 0, memory_order_relaxed);
    atomic_store_explicit(&e->blind, 0, memory_order_relaxed);
}

/* ---- places: under the lock of the entry ---------------------------------------------- */

/* A wait that somebody has claimed waits no more. */
static bool waits_here(const struct jdi_fd_place *p)
{
    return p && !(atomic_load_explicit(&p->wait->state, memory_order_relaxed) &
                  JDI_WAIT_CLAIMED);
}

static int waited_for(const struct entry *e)
{
    int what = 0;
    for (int d = 0; d < DIRECTIONS; d++)
        if (waits_here(e->place[d]))
            what |= 1 << d;
    return what;
}

static void leave_places(struct entry *e, const struct jdi_fd_place *p)
{
    for (int d = 0; d < DIRECTIONS; d++)
        if (e->place[d] == p)
            e->place[d] = NULL;
}

/* Claim all who wait for one of `ready`, and take them out.  They get what is ready of what they wait for, or
 * `error` if that is not 0.  `refused`: by the kernel. */
static struct jdi_fd_place *claim_places(struct entry *e, int ready, int error,
                                         bool refused)
{
    struct jdi_fd_place *chain = NULL;
    for (int d = 0; d < DIRECTIONS; d++) {
        struct jdi_fd_place *p = e->place[d];
        if (!p || !(p->what & ready))
            continue;
        leave_places(e, p);
        if (!jdi_wait_claim(p->wait))
            continue;
        p->result = error ? error : p->what & ready;
        p->refused = refused;
        p->next = chain;
        chain = p;
    }
    return chain;
}

/* Without the lock.  `by`: as for jdi_wait_end. */
static void end_places(struct jdi_worker *by, struct jdi_fd_place *chain)
{
    while (chain) {
        struct jdi_fd_place *p = chain;
        chain = p->next;
        jdi_wait_end(by, p->wait, p->entry ? p->entry->index : p->result);
    }
}

/* ---- arming --------------------------------------------------------------------------- */

/* Numbers are not negative, so no tag is UINT64_MAX. */
static uint64_t tag_of(int fd, uint32_t turn)
{
    return (uint64_t)turn << 32 | (uint32_t)fd;
}

/* Ask the kernel for what is waited for now; with `drop`, take the number out of its set if that is nothing. */
static int call_kernel(struct jdi_fds *t, struct entry *e, int fd, bool drop)
{
    int want = waited_for(e), error = 0;
    bool known = e->known;
    uint64_t tag = tag_of(fd, e->turn);
    if (!want && !(drop && known))
        return 0;
    jdi_unlock(&e->lock);
    if (want)
        error = jdi_poller_arm(&t->poller, fd, want, tag, known);
    else
        jdi_poller_drop(&t->poller, fd);
    jdi_lock(&e->lock);
    e->known = want && !error;
    return error;
}

/*
 * Begin a turn.  Under the lock, which is given up meanwhile.  Returns whom the kernel's refusal has ended, for
 * end_places.
 */
static struct jdi_fd_place *begin_turn(struct jdi_fds *t, struct entry *e, int fd,
                                       bool drop)
{
    uint32_t turn;
    int error;
    e->turn++;
    if (e->arming)
        return NULL; /* who arms will see the new turn */
    e->arming = true;
    do {
        turn = e->turn;
        error = call_kernel(t, e, fd, drop);
        drop = false;
    } while (turn != e->turn);
    e->arming = false;
    return error ? claim_places(e, BOTH, error, true) : NULL;
}

/* A jdi_poller_fn. */
static void end_ready(void *fds, void *by, uint64_t tag, int ready)
{
    struct jdi_fds *t = fds;
    int fd = (int)(uint32_t)tag;
    struct entry *e = fd_entry(t, fd);
    struct jdi_fd_place *chain = NULL, *refused = NULL;
    JD_ASSERT(e != NULL);
    jdi_lock(&e->lock);
    if (e->turn == (uint32_t)(tag >> 32)) {
        chain = claim_places(e, ready, 0, false);
        if (waited_for(e))
            refused = begin_turn(t, e, fd, false);
    }
    jdi_unlock(&e->lock);
    end_places(by, chain);
    end_places(by, refused);
}

/* ---- the poller ----------------------------------------------------------------------- */

static void choose_cores(const struct jdi_rank *r, struct jdi_poller *p)
{
    struct jdi_topo_peer here;
    p->moves = r->topo && r->place.bind != JDI_BIND_NONE;
    if (!p->moves)
        return;
    _Static_assert(sizeof here.mask == sizeof p->cores, "both are the kernel's masks");
    jdi_topo_self(r->topo, &here);
    memcpy(&p->cores, here.mask, sizeof here.mask);
}

/* Start the poller, or wait until another worker has: that is once in a job, and takes some 50 us. */
static JDI_NOINLINE int need_poller(struct jdi_fds *t)
{
    for (;;) {
        uint32_t state = NONE;
        /* [pair: fd-poller] acquire: the poller, if it is running. */
        if (atomic_compare_exchange_strong_explicit(
                &t->state, &state, STARTING, memory_order_acquire, memory_order_acquire))
            break;
        if (state == RUNNING)
            return 0;
        jdi_idle_pause(JDI_IDLE_YIELD);
    }
    choose_cores(t->rank, &t->poller);
    int error = jdi_poller_start(&t->poller, &t->rank->am->fault);
    /* [pair: fd-poller] release: the poller. */
    atomic_store_explicit(&t->state, error ? NONE : RUNNING, memory_order_release);
    atomic_store_explicit(&t->rank->asks_kernel, !error, memory_order_relaxed);
    return error;
}

static bool is_running(const struct jdi_fds *t)
{
    /* [pair: fd-poller] acquire: the poller. */
    return atomic_load_explicit(&t->state, memory_order_acquire) == RUNNING;
}

/* The hook of a worker that has nothing to do. */
static bool look_for_ready(struct jdi_worker *w)
{
    struct jdi_fds *t = w->rank->fds;
    return is_running(t) && jdi_poller_turn(&t->poller, w, w->is_hungry);
}

/* The hook of a worker that falls asleep. */
static void leave_to_poller(struct jdi_rank *r)
{
    if (is_running(r->fds))
        jdi_poller_watch(&r->fds->poller);
}

/* ---- for who waits -------------------------------------------------------------------- */

int jdi_fd_join(struct jdi_worker *by, int fd, struct jdi_fd_place *p)
{
    struct jdi_fds *t = by->rank->fds;
    struct jdi_fd_place *refused = NULL;
    int error = is_running(t) ? 0 : need_poller(t);
    JD_ASSERT(p->what && !p->result);
    if (!error)
        error = jdi_table_grow(&t->entries, (uint32_t)fd);
    if (error)
        return error;
    struct entry *e = fd_entry(t, fd);
    jdi_lock(&e->lock);
    if (waited_for(e) & p->what) {
        jdi_unlock(&e->lock);
        return JD_EBUSY;
    }
    for (int d = 0; d < DIRECTIONS; d++)
        if (p->what & 1 << d)
            e->place[d] = p;
    refused = begin_turn(t, e, fd, false);
    jdi_unlock(&e->lock);
    end_places(by, refused);
    jdi_poller_turn_if_due(&t->poller, by);
    return 0;
}

void jdi_fd_leave(struct jdi_rank *r, int fd, struct jdi_fd_place *p)
{
    struct entry *e = fd_entry(r->fds, fd);
    jdi_lock(&e->lock);
    leave_places(e, p);
    jdi_unlock(&e->lock);
}

/* ---- cases of jd_select --------------------------------------------------------------- */

static struct jdi_fd_place *fd_place(struct jdi_select_place *p)
{
    return (struct jdi_fd_place *)(void *)p->more;
}
_Static_assert(sizeof(struct jdi_fd_place) <= sizeof((struct jdi_select_place){0}.more),
               "it has room in a case");

static bool is_direction(int what)
{
    return what & BOTH && !(what & ~BOTH);
}

/* Descriptors have no lock that others hold. */
static bool find_fd(const jd_self *me, const jd_case *c, struct jdi_lock **lock)
{
    (void)lock;
    return me->rank->fds && c->number <= INT_MAX && is_direction((int)c->home);
}

static bool is_fd(struct jdi_lock *l, const jd_case *c)
{
    (void)l, (void)c;
    return true;
}

static int try_fd(struct jdi_lock *l, const jd_case *c, struct jdi_wait **met)
{
    int ready = jdi_poller_look((int)c->number, (int)c->home);
    (void)l, (void)met;
    if (!ready)
        return JD_EAGAIN;
    if (ready < 0)
        return ready;
    ((jd_case *)(uintptr_t)c)->ready = ready;
    return 0;
}

static int prepare_fd(jd_self *me, struct jdi_select_place *p)
{
    (void)me;
    *fd_place(p) = (struct jdi_fd_place){.what = (int)p->c->home, .entry = &p->entry};
    return 0;
}

/* To join calls the kernel, so it is left to begin_fd.  Whatever is ready then is told of. */
static void join_fd(jd_self *me, struct jdi_select_place *p)
{
    (void)me, (void)p;
}

static int begin_fd(jd_self *me, struct jdi_select_place *p)
{
    fd_place(p)->wait = p->entry.wait;
    int error = jdi_fd_join(me->worker, (int)p->c->number, fd_place(p));
    if (error)
        fd_place(p)->wait = NULL;
    return error;
}

static void leave_fd(jd_self *me, struct jdi_select_place *p)
{
    struct jdi_fd_place *place = fd_place(p);
    if (place->wait && !place->result)
        jdi_fd_leave(me->rank, (int)p->c->number, place);
    if (place->result > 0)
        p->c->ready = place->result;
    if (place->result)
        p->c->error = place->result < 0 ? place->result : 0;
}

static const struct jdi_select_ops fd_cases = {.find = find_fd,
                                               .check = is_fd,
                                               .attempt = try_fd,
                                               .prepare = prepare_fd,
                                               .join = join_fd,
                                               .begin = begin_fd,
                                               .leave = leave_fd};

/* ---- start and end -------------------------------------------------------------------- */

void jdi_fd_init(struct jdi_rank *r)
{
    if (r->am->time)
        return; /* nobody waits for the kernel in virtual time */
    r->fds = jdi_zalloc(NULL, sizeof *r->fds);
    if (!r->fds)
        jdi_die(&r->am->log, JDI_EXIT_START, "no memory for the rank");
    r->fds->rank = r;
    r->cases[JD_CASE_FD] = &fd_cases;
    r->fds->poller.on_ready = end_ready;
    r->fds->poller.ctx = r->fds;
    atomic_init(&r->fds->state, NONE);
    r->on_rest = look_for_ready;
    r->on_sleep = leave_to_poller;
    jdi_table_init(&r->fds->entries, sizeof(struct entry), &r->am->fault);
}

/* Nobody waits any more. */
static void check_chunk(const struct jdi_fds *t, unsigned k)
{
    uint32_t n = (uint32_t)JDI_TABLE_FIRST << k, first = n - JDI_TABLE_FIRST;
    const struct entry *e = fd_entry(t, (int)first);
    for (uint32_t i = 0; e && i < n; i++, e++)
        JD_CHECK(!e->place[0] && !e->place[1] && !e->arming);
}

void jdi_fd_free_all(struct jdi_rank *r)
{
    struct jdi_fds *t = r->fds;
    if (!t)
        return;
    if (is_running(t))
        jdi_poller_stop(&t->poller);
    for (unsigned k = 0; k < JDI_TABLE_CHUNKS; k++)
        check_chunk(t, k);
    jdi_table_fini(&t->entries);
    jdi_free(t);
    r->fds = NULL;
}

/* ---- public --------------------------------------------------------------------------- */

/* `told`: the result is about the descriptor, and is no refusal. */
static int stop_until(jd_self *me, int fd, int what, jd_time deadline, bool *told)
{
    struct jdi_wait w;
    struct jdi_fd_place place = {.wait = &w, .what = what};
    int result = jdi_wait_open(&w, me, deadline);
    if (!result)
        result = jdi_fd_join(me->worker, fd, &place);
    if (result)
        return result;
    result = jdi_wait_park(&w, &(struct jdi_cause){.kind = JDI_CAUSE_FD,
                                                   .what = (uint8_t)what,
                                                   .number = (uint64_t)fd,
                                                   .deadline = deadline});
    if (!place.result)
        jdi_fd_leave(me->rank, fd, &place);
    *told = place.result && !place.refused;
    return result;
}

int jd_wait_fd(jd_self *me, int fd, int what, jd_time deadline)
{
    const struct jdi_fds *t = me->rank->fds;
    bool told = false;
    if (!t)
        return JD_ENOTSUP;
    if (!is_direction(what))
        return JD_EINVAL;
    bool looks = !skips_look(t, fd);
    int ready = looks ? look_at_fd(t, fd, what) : 0;
    if (ready)
        return ready;
    int result = stop_until(me, fd, what, deadline, &told);
    if (looks || told)
        return result;
    /* Whoever need not wait is refused by nobody, and has no deadline. */
    ready = look_at_fd(t, fd, what);
    return ready ? ready : result;
}

int jd_fd_forget(jd_self *me, int fd)
{
    struct jdi_fds *t = me->rank->fds;
    if (fd < 0)
        return JD_EINVAL;
    struct entry *e = t ? fd_entry(t, fd) : NULL;
    if (!e)
        return 0; /* nobody has waited for it */
    jdi_lock(&e->lock);
    struct jdi_fd_place *chain = claim_places(e, BOTH, JD_ECLOSED, false);
    forget_looks(e);
    struct jdi_fd_place *refused = begin_turn(t, e, fd, true);
    jdi_unlock(&e->lock);
    end_places(me->worker, chain);
    end_places(me->worker, refused);
    return 0;
}
